// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/dialect/Metadata.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <map>
#include <mutex>

using namespace llvm;
using namespace assay;

namespace {
/// Dialects by context. A context has no place for them.
struct Registry {
  std::mutex mutex;
  std::map<LLVMContext *, SmallVector<const DialectDescription *, 2>> dialects;
};
} // namespace

/// One for the process; contexts of several threads share it.
static Registry &getRegistry() {
  static Registry registry;
  return registry;
}

DialectRegistration::DialectRegistration(LLVMContext &context, const DialectDescription &dialect)
    : m_context(context), m_dialect(dialect) {
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  registry.dialects[&context].push_back(&dialect);
}

DialectRegistration::~DialectRegistration() {
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  auto found = registry.dialects.find(&m_context);
  found->second.erase(find(found->second, &m_dialect));
  if (found->second.empty())
    registry.dialects.erase(found);
}

SmallVector<const DialectDescription *, 2> assay::listDialects(LLVMContext &context) {
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  auto found = registry.dialects.find(&context);
  return found == registry.dialects.end() ? SmallVector<const DialectDescription *, 2>()
                                          : found->second;
}

/// Returns whether \p metadata is a value of a field of \p kind. A null node is one of Node.
static bool isField(const Metadata *metadata, MetadataFieldKind kind) {
  switch (kind) {
  case MetadataFieldKind::Text:
    return isa_and_nonnull<MDString>(metadata);
  case MetadataFieldKind::Node:
    return !metadata || isa<MDNode>(metadata);
  case MetadataFieldKind::I32:
  case MetadataFieldKind::I64:
    break;
  }
  const auto *constant = dyn_cast_or_null<ConstantAsMetadata>(metadata);
  unsigned width = kind == MetadataFieldKind::I32 ? 32 : 64;
  return constant && isa<ConstantInt>(constant->getValue()) &&
         constant->getType()->isIntegerTy(width);
}

/// Returns whether a node with \p fields fields is complete; optional ones may be missing at the
/// end.
static bool hasRightCount(const MetadataDescription &kind, size_t fields) {
  return fields <= kind.fields.size() && fields + kind.optional >= kind.fields.size();
}

/// The tag and the kinds of all fields must fit; values are not looked at.
bool assay::isMetadata(const Metadata *metadata, const MetadataDescription &kind) {
  const auto *tuple = dyn_cast_or_null<MDTuple>(metadata);
  if (!tuple || tuple->getNumOperands() == 0 || !hasRightCount(kind, tuple->getNumOperands() - 1))
    return false;
  const auto *tag = dyn_cast_or_null<MDString>(tuple->getOperand(0));
  if (!tag || tag->getString() != kind.tag)
    return false;
  for (auto [operand, field] : zip(drop_begin(tuple->operands()), kind.fields))
    if (!isField(operand, field.kind))
      return false;
  return true;
}

MDTuple *assay::makeMetadata(LLVMContext &context, const MetadataDescription &kind,
                             ArrayRef<Metadata *> fields) {
  SmallVector<Metadata *, 8> operands = {MDString::get(context, kind.tag)};
  append_range(operands, fields);
  return MDTuple::get(context, operands);
}

Metadata *assay::makeField(LLVMContext &context, unsigned width, uint64_t value) {
  return ConstantAsMetadata::get(ConstantInt::get(Type::getIntNTy(context, width), value));
}

uint64_t assay::getNumberField(const MDTuple &node, unsigned index) {
  return mdconst::extract<ConstantInt>(node.getOperand(index + 1))->getZExtValue();
}

StringRef assay::getTextField(const MDTuple &node, unsigned index) {
  return cast<MDString>(node.getOperand(index + 1))->getString();
}

// The text form. LLVM prints each numbered node on a line of its own, and a quote inside a string
// as \22.

namespace {
/// One operand of a tuple in LLVM's text: what begins it, and the rest ("i64 ", "5").
struct Operand {
  MetadataFieldKind kind;
  StringRef text;
};
} // namespace

/// In this sequence, as a text begins like a node.
static constexpr std::pair<StringLiteral, MetadataFieldKind> operandBegins[] = {
    {"i32 ", MetadataFieldKind::I32},
    {"i64 ", MetadataFieldKind::I64},
    {"!\"", MetadataFieldKind::Text},
    {"!", MetadataFieldKind::Node},
    {"null", MetadataFieldKind::Node}};

/// Takes one operand off \p text, in LLVM's form.
static std::optional<Operand> takeOperand(StringRef &text) {
  for (auto [begin, kind] : operandBegins) {
    if (!text.starts_with(begin))
      continue;
    StringRef body = text.drop_front(begin.size());
    size_t size = kind == MetadataFieldKind::Text
                      ? body.find('"')
                      : body.find_if_not([](char c) { return isDigit(c) || c == '-'; });
    if (size == StringRef::npos && kind == MetadataFieldKind::Text)
      return std::nullopt;
    size = std::min(size, body.size());
    // Of a number its digits alone, of others all that the named form prints.
    bool isNumber = kind == MetadataFieldKind::I32 || kind == MetadataFieldKind::I64;
    StringRef shown = isNumber ? body.take_front(size) : text.take_front(begin.size() + size);
    if (kind == MetadataFieldKind::Text)
      shown = text.substr(1, size + 2);
    text = body.drop_front(size + (kind == MetadataFieldKind::Text));
    return Operand{kind, shown};
  }
  return std::nullopt;
}

/// The operands of \p text, LLVM's `!{...}`; nothing where one is of no kind that fields have.
static std::optional<SmallVector<Operand, 8>> splitTuple(StringRef text) {
  SmallVector<Operand, 8> operands;
  if (!text.consume_front("!{") || !text.consume_back("}"))
    return std::nullopt;
  while (!text.empty()) {
    std::optional<Operand> operand = takeOperand(text);
    if (!operand || !(text.empty() || text.consume_front(", ")))
      return std::nullopt;
    operands.push_back(*operand);
  }
  return operands;
}

/// Returns whether \p operands, the tag first, are a node of \p kind.
static bool fits(const MetadataDescription &kind, ArrayRef<Operand> operands) {
  if (operands.empty() || operands[0].kind != MetadataFieldKind::Text ||
      operands[0].text.drop_front().drop_back() != kind.tag ||
      !hasRightCount(kind, operands.size() - 1))
    return false;
  return all_of(zip(drop_begin(operands), kind.fields),
                [](const auto &pair) { return std::get<0>(pair).kind == std::get<1>(pair).kind; });
}

/// Returns the first kind that \p isRight accepts, or null.
static const MetadataDescription *
findKind(ArrayRef<const DialectDescription *> dialects,
         function_ref<bool(const MetadataDescription &)> isRight) {
  for (const DialectDescription *dialect : dialects)
    for (const MetadataDescription &kind : dialect->metadata)
      if (isRight(kind))
        return &kind;
  return nullptr;
}

/// "!3 = distinct " of "!3 = distinct !{}"; empty for a line that defines no node.
static StringRef takeDefinition(StringRef line) {
  StringRef rest = line;
  if (!rest.consume_front("!") || rest.empty() || !isDigit(rest[0]))
    return "";
  rest = rest.drop_while(isDigit);
  if (!rest.consume_front(" = "))
    return "";
  rest.consume_front("distinct ");
  return line.drop_back(rest.size());
}

/// Prints \p line, in the named form where it defines a node of a dialect.
static void printLine(StringRef line, ArrayRef<const DialectDescription *> dialects,
                      raw_ostream &os) {
  StringRef definition = takeDefinition(line);
  std::optional<SmallVector<Operand, 8>> operands;
  if (!definition.empty())
    operands = splitTuple(line.drop_front(definition.size()));
  const MetadataDescription *kind =
      operands ? findKind(dialects, [&](const auto &each) { return fits(each, *operands); })
               : nullptr;
  if (!kind) {
    os << line;
    return;
  }
  os << definition << "!" << kind->name << "(";
  for (auto [operand, field] : zip(drop_begin(*operands), kind->fields))
    os << (&field == kind->fields.begin() ? "" : ", ") << field.name << ": " << operand.text;
  os << ")";
}

void assay::printModule(const Module &module, raw_ostream &os) {
  std::string text;
  raw_string_ostream(text) << module;
  auto dialects = listDialects(module.getContext());
  StringRef rest = text;
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    printLine(line, dialects, os);
    os << "\n";
    rest = after;
  }
}

/// Returns InvalidInput with the line, from 1.
static Error atLine(unsigned line, const Twine &message) {
  return invalidInput("IR, line " + Twine(line) + ": " + message);
}

/// The value of a field, in LLVM's form; empty for text that is none.
static std::string readValue(StringRef text, MetadataFieldKind kind) {
  bool isString = text.size() >= 2 && text.starts_with("\"") && text.ends_with("\"");
  bool isNode = text == "null" || (text.size() > 1 && text[0] == '!' &&
                                   all_of(text.drop_front(), [](char c) { return isDigit(c); }));
  StringRef digits = text;
  digits.consume_front("-");
  bool isNumber = !digits.empty() && all_of(digits, [](char c) { return isDigit(c); });
  switch (kind) {
  case MetadataFieldKind::I32:
    return isNumber ? ("i32 " + text).str() : "";
  case MetadataFieldKind::I64:
    return isNumber ? ("i64 " + text).str() : "";
  case MetadataFieldKind::Text:
    return isString ? ("!" + text).str() : "";
  case MetadataFieldKind::Node:
    return isNode ? text.str() : "";
  }
  llvm_unreachable("no such kind");
}

/// The fields "NAME: VALUE, ..." of \p text in LLVM's form, in the order of \p kind.
static Expected<std::string> readFields(StringRef text, const MetadataDescription &kind,
                                        unsigned line) {
  SmallVector<std::string, 8> values(kind.fields.size());
  while (!text.empty()) {
    auto [name, rest] = text.split(": ");
    size_t size = rest.starts_with("\"") ? rest.find('"', 1) + 1 : rest.find(',');
    StringRef value = rest.take_front(size);
    text = rest.drop_front(value.size());
    if (!text.empty() && !text.consume_front(", "))
      return atLine(line, "a comma is missing after field '" + name + "'");
    const auto *field = find_if(kind.fields, [&](const auto &each) { return each.name == name; });
    if (field == kind.fields.end())
      return atLine(line, "!" + kind.name + " has no field '" + name + "'");
    std::string &slot = values[static_cast<size_t>(field - kind.fields.begin())];
    if (!slot.empty())
      return atLine(line, "field '" + name + "' stands twice");
    slot = readValue(value, field->kind);
    if (slot.empty())
      return atLine(line, "'" + value + "' is no value of field '" + name + "'");
  }
  while (!values.empty() && values.back().empty() && hasRightCount(kind, values.size() - 1))
    values.pop_back();
  for (auto [value, field] : zip(values, kind.fields))
    if (value.empty())
      return atLine(line, "!" + kind.name + " lacks field '" + field.name + "'");
  return "!{" +
         join(concat<std::string>(SmallVector<std::string, 1>{("!\"" + kind.tag + "\"").str()},
                                  values),
              ", ") +
         "}";
}

/// \p line with a node in the named form turned into a tuple.
static Expected<std::string> readLine(StringRef line, unsigned number,
                                      ArrayRef<const DialectDescription *> dialects) {
  StringRef definition = takeDefinition(line);
  StringRef node = line.drop_front(definition.size()).rtrim();
  size_t open = node.find('(');
  if (definition.empty() || !node.starts_with("!") || open == StringRef::npos ||
      !node.ends_with(")"))
    return line.str();
  StringRef name = node.slice(1, open);
  const MetadataDescription *kind =
      findKind(dialects, [&](const MetadataDescription &each) { return each.name == name; });
  if (kind) {
    Expected<std::string> tuple = readFields(node.drop_front(open + 1).drop_back(), *kind, number);
    if (!tuple)
      return tuple;
    return definition.str() + *tuple;
  }
  for (const DialectDescription *dialect : dialects)
    if (name.starts_with((dialect->prefix + ".").str()))
      return atLine(number, "unknown metadata '!" + name + "'");
  return line.str(); // LLVM's own: !DIFile().
}

/// Nodes in the named form are translated line by line, so that line numbers of LLVM's errors hold.
Expected<std::unique_ptr<Module>> assay::parseModule(StringRef text, LLVMContext &context) {
  auto dialects = listDialects(context);
  std::string plain;
  unsigned number = 0;
  for (StringRef rest = text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    Expected<std::string> read = readLine(line, ++number, dialects);
    if (!read)
      return read.takeError();
    plain += *read + "\n";
    rest = after;
  }
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(plain, problem, context);
  if (!module)
    return atLine(static_cast<unsigned>(problem.getLineNo()), problem.getMessage());
  return module;
}

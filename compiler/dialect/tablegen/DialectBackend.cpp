// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TableGen back end of the project: turns the ops of a dialect's .td into C++. -gen-h writes the
// facade classes of ops and metadata, the visitor and the tables' declarations; -gen-cpp creation,
// verifiers and the tables.
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;

namespace {
enum class Output { Header, Source };

/// An operand of an op; \p type is a TypeConstraint. Immediate: a constant. SameAsResult: of the
/// result's type.
struct OpArgument {
  StringRef name;
  const Record *type;

  bool isImmediate() const { return type->getValueAsBit("Immediate"); }
  bool isSameAsResult() const { return type->getValueAsBit("SameAsResult"); }
};

/// An op of the .td.
struct OpRecord {
  const Record *record;
  std::vector<OpArgument> arguments;

  StringRef className() const { return record->getName(); }
  const Record *result() const { return record->getValueAsDef("Result"); }
  bool isOverloaded() const { return result()->getValueAsString("Build").empty(); }
  /// The argument that has the result's type, or null.
  const OpArgument *typeArgument() const {
    for (const OpArgument &argument : arguments) {
      if (argument.isSameAsResult())
        return &argument;
    }
    return nullptr;
  }
  /// create() has a parameter for the result's type.
  bool needsTypeParameter() const { return isOverloaded() && !typeArgument(); }
};

/// A field of a metadata node; width 0: text or a node.
struct MetadataField {
  StringRef name;
  const Record *kind;

  int width() const { return static_cast<int>(kind->getValueAsInt("Width")); }
  bool isText() const { return kind->getValueAsString("Kind") == "Text"; }
};

/// A kind of metadata of the .td.
struct MetadataRecord {
  const Record *record;
  std::vector<MetadataField> fields;

  StringRef className() const { return record->getName(); }
  StringRef tag() const { return record->getValueAsString("Tag"); }
};

/// The dialect that a .td describes.
struct DialectRecord {
  StringRef name;   ///< "Second": what its C++ names begin with.
  StringRef prefix; ///< "two": what the names of its ops begin with.
  std::vector<OpRecord> ops;
  std::vector<MetadataRecord> metadata;

  /// \p text with the dialect's name for $Name, and with it in lower case for $name.
  std::string expand(StringRef text) const;
};
} // namespace

/// Must be given.
static cl::opt<Output> output(cl::desc("what to write"),
                              cl::values(clEnumValN(Output::Header, "gen-h", "declarations"),
                                         clEnumValN(Output::Source, "gen-cpp", "definitions")),
                              cl::Required);

/// Returns \p name with an upper-case first letter, for getters and setters.
static std::string capitalise(StringRef name) {
  return toUpper(name[0]) + name.drop_front().str();
}

/// Returns \p text with \p value for each \p variable.
static std::string substitute(StringRef text, StringRef variable, StringRef value) {
  std::string result;
  while (true) {
    auto [before, after] = text.split(variable);
    result += before;
    if (before.size() == text.size())
      return result;
    result += value;
    text = after;
  }
}

std::string DialectRecord::expand(StringRef text) const {
  std::string lower = toLower(name[0]) + name.drop_front().str();
  return substitute(substitute(text, "$Name", name), "$name", lower);
}

/// Returns all ops. A malformed record is a fatal error at its place in the .td.
static std::vector<OpRecord> collectOps(const RecordKeeper &records) {
  std::vector<OpRecord> ops;
  for (const Record *record : records.getAllDerivedDefinitions("Op")) {
    OpRecord op{record, {}};
    const DagInit *dag = record->getValueAsDag("Arguments");
    for (unsigned i = 0; i < dag->getNumArgs(); ++i) {
      const auto *type = dyn_cast<DefInit>(dag->getArg(i));
      if (!type || !type->getDef()->isSubClassOf("TypeConstraint"))
        PrintFatalError(record, "argument " + Twine(i) + " must be a TypeConstraint");
      if (dag->getArgNameStr(i).empty())
        PrintFatalError(record, "argument " + Twine(i) + " must have a name");
      op.arguments.push_back({dag->getArgNameStr(i), type->getDef()});
      if (op.arguments.back().isSameAsResult() && !op.isOverloaded())
        PrintFatalError(record, "SameAsResult needs a result of more than one type");
    }
    ops.push_back(std::move(op));
  }
  // In the order of the .td, whatever the order of names.
  sort(ops,
       [](const OpRecord &a, const OpRecord &b) { return a.record->getID() < b.record->getID(); });
  return ops;
}

/// Returns all kinds of metadata, in the order of the .td.
static std::vector<MetadataRecord> collectMetadata(const RecordKeeper &records) {
  std::vector<MetadataRecord> kinds;
  for (const Record *record : records.getAllDerivedDefinitions("Metadata")) {
    MetadataRecord kind{record, {}};
    const DagInit *dag = record->getValueAsDag("Arguments");
    for (unsigned i = 0; i < dag->getNumArgs(); ++i) {
      const auto *type = dyn_cast<DefInit>(dag->getArg(i));
      if (!type || !type->getDef()->isSubClassOf("MetadataField") || dag->getArgNameStr(i).empty())
        PrintFatalError(record, "field " + Twine(i) + " must be a named MetadataField");
      kind.fields.push_back({dag->getArgNameStr(i), type->getDef()});
    }
    kinds.push_back(std::move(kind));
  }
  sort(kinds, [](const MetadataRecord &a, const MetadataRecord &b) {
    return a.record->getID() < b.record->getID();
  });
  return kinds;
}

/// Returns the one dialect of the .td, with everything in it.
static DialectRecord collectDialect(const RecordKeeper &records) {
  ArrayRef<const Record *> dialects = records.getAllDerivedDefinitions("Dialect");
  if (dialects.size() != 1)
    PrintFatalError("a .td must define one Dialect");
  DialectRecord dialect{dialects[0]->getValueAsString("Name"),
                        dialects[0]->getValueAsString("Prefix"), collectOps(records),
                        collectMetadata(records)};
  for (const OpRecord &op : dialect.ops)
    if (op.record->getValueAsDef("Of") != dialects[0])
      PrintFatalError(op.record, "an op of another dialect");
  for (const MetadataRecord &kind : dialect.metadata)
    if (kind.record->getValueAsDef("Of") != dialects[0])
      PrintFatalError(kind.record, "metadata of another dialect");
  return dialect;
}

/// "llvm::Value *set, uint64_t binding" after the builder, with its leading comma.
static std::string parameterList(const OpRecord &op) {
  std::string text;
  if (op.needsTypeParameter())
    text += ", llvm::Type *resultType";
  for (const OpArgument &argument : op.arguments)
    text +=
        formatv(", {0}{1}", argument.isImmediate() ? "uint64_t " : "llvm::Value *", argument.name);
  return text;
}

/// Getters for all operands, as numbers where they are immediates, and setters for values.
static void emitAccessors(const OpRecord &op, raw_ostream &os) {
  for (auto [index, argument] : enumerate(op.arguments)) {
    std::string name = capitalise(argument.name);
    if (argument.isImmediate()) {
      os << formatv(
          "  uint64_t get{0}() const {{\n"
          "    return llvm::cast<llvm::ConstantInt>(getArgOperand({1}))->getZExtValue();\n"
          "  }\n",
          name, index);
      continue;
    }
    os << formatv("  llvm::Value *get{0}() const {{ return getArgOperand({1}); }\n", name, index);
    os << formatv("  void set{0}(llvm::Value *value) {{ setArgOperand({1}, value); }\n", name,
                  index);
  }
}

/// The facade class of an op; it has no members and is never created, only cast to.
static void emitClass(const OpRecord &op, raw_ostream &os) {
  os << formatv("/// {0}: {1}\n", op.record->getValueAsString("Name"),
                op.record->getValueAsString("Summary"));
  os << formatv("class {0} : public llvm::CallInst {{\npublic:\n  {0}() = delete;\n",
                op.className());
  os << "  static const OpDescription &getDescription();\n";
  os << formatv("  static {0} *create(llvm::IRBuilderBase &builder{1});\n", op.className(),
                parameterList(op));
  os << "  static bool classof(const llvm::Value *value);\n";
  emitAccessors(op, os);
  os << "};\n\n";
}

/// The part of the visitor that does not depend on ops.
static constexpr StringLiteral visitorHead = R"(
/// Calls Derived::visitX(X &) where that is a public method. An op may be erased in its visit.
template <typename Derived> class $NameVisitor {
public:
  void visit(llvm::Function &function) {
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        dispatch(*call);
    }
  }
  void visit(llvm::Module &module) {
    for (llvm::Function &function : module)
      visit(function);
  }
)";

/// The visitor: a switch over all ops that calls what the derived class has.
static void emitVisitor(const DialectRecord &dialect, raw_ostream &os) {
  os << dialect.expand(visitorHead);
  os << dialect.expand(R"(
private:
  void dispatch(llvm::CallInst &call) {
    [[maybe_unused]] auto &derived = static_cast<Derived &>(*this);
    switch (get$NameOp(call)) {
    case $NameOp::None:
      return;
)");
  for (const OpRecord &op : dialect.ops)
    os << formatv("    case {1}Op::{0}:\n"
                  "      if constexpr (requires({0} &op) {{ derived.visit{0}(op); })\n"
                  "        derived.visit{0}(llvm::cast<{0}>(call));\n"
                  "      return;\n",
                  op.className(), dialect.name);
  os << "    }\n  }\n};\n";
}

/// "uint64_t low, llvm::MDNode *previous" after the context, with its leading comma.
static std::string parameterList(const MetadataRecord &kind) {
  std::string text;
  for (const MetadataField &field : kind.fields)
    text += formatv(", {0}{1}",
                    field.width()    ? "uint64_t "
                    : field.isText() ? "llvm::StringRef "
                                     : "llvm::MDNode *",
                    field.name);
  return text;
}

/// The class of a metadata node, a tuple; operand 0 is the tag.
static void emitMetadataClass(const DialectRecord &dialect, const MetadataRecord &kind,
                              raw_ostream &os) {
  os << formatv("/// !{0}.{1}: {2}\n", dialect.prefix, kind.tag(),
                kind.record->getValueAsString("Summary"));
  os << formatv("class {0} : public llvm::MDTuple {{\npublic:\n  {0}() = delete;\n"
                "  static const MetadataDescription &getDescription();\n"
                "  static {0} *get(llvm::LLVMContext &context{1});\n"
                "  static bool classof(const llvm::Metadata *metadata) {{\n"
                "    return isMetadata(metadata, getDescription());\n  }\n",
                kind.className(), parameterList(kind));
  for (auto [index, field] : enumerate(kind.fields)) {
    std::string name = capitalise(field.name);
    if (field.width())
      os << formatv("  uint64_t get{0}() const {{ return getNumberField(*this, {1}); }\n", name,
                    index);
    else if (field.isText())
      os << formatv("  llvm::StringRef get{0}() const {{ return getTextField(*this, {1}); }\n",
                    name, index);
    else
      os << formatv("  llvm::MDNode *get{0}() const {{\n"
                    "    return llvm::cast_or_null<llvm::MDNode>(getOperand({1}).get());\n  }\n",
                    name, index + 1);
  }
  os << "};\n\n";
}

/// All declarations.
static void emitHeader(const DialectRecord &dialect, raw_ostream &os) {
  os << dialect.expand("// Generated from $Name.td; do not edit.\nnamespace assay {\n\n"
                       "/// Names an op; the order is that of get$NameOps().\n"
                       "enum class $NameOp {\n");
  for (const OpRecord &op : dialect.ops)
    os << "  " << op.className() << ",\n";
  os << dialect.expand("  None, ///< No op.\n};\n\n"
                       "/// All ops.\nllvm::ArrayRef<OpDescription> get$NameOps();\n"
                       "/// The op that \\p call calls, or None.\n"
                       "$NameOp get$NameOp(const llvm::CallInst &call);\n"
                       "/// The whole dialect.\n"
                       "const DialectDescription &get$NameDialect();\n\n");
  for (const OpRecord &op : dialect.ops)
    emitClass(op, os);
  for (const MetadataRecord &kind : dialect.metadata)
    emitMetadataClass(dialect, kind, os);
  emitVisitor(dialect, os);
  os << "\n} // namespace assay\n";
}

/// The statement that checks one operand or the result.
static std::string checkText(const Record *type, StringRef value) {
  std::string text =
      substitute(type->getValueAsString("Check"), "$_type", (value + "->getType()").str());
  return substitute(text, "$_result", "call.getType()");
}

/// The function that checks a call: number of operands, result, then each operand.
static void emitVerifier(const OpRecord &op, raw_ostream &os) {
  os << formatv("static Error verify{0}(const CallInst &call) {{\n", op.className());
  os << formatv("  if (Error error = verifyOperandCount(call, {0}))\n    return error;\n",
                op.arguments.size());
  os << formatv("  if (Error error = verifyResult(call, {0}, \"{1}\"))\n    return error;\n",
                checkText(op.result(), "(&call)"), op.result()->getValueAsString("Text"));
  for (auto [index, argument] : enumerate(op.arguments)) {
    std::string operand = formatv("call.getArgOperand({0})", index);
    std::string check = argument.isSameAsResult() ? operand + "->getType() == call.getType()"
                                                  : checkText(argument.type, operand);
    if (argument.isImmediate())
      check += " && isa<ConstantInt>(" + operand + ")";
    os << formatv("  if (Error error = verifyOperand(call, {0}, {1}, \"{2}\"))\n"
                  "    return error;\n",
                  index, check, argument.type->getValueAsString("Text"));
  }
  os << "  return Error::success();\n}\n\n";
}

/// The expression that makes the type; empty where it has no fixed one.
static std::string buildType(const Record *type) {
  return substitute(type->getValueAsString("Build"), "$_context", "context");
}

/// X::create(): declares the op and calls it. The result's type follows from an operand or is a
/// parameter.
static void emitCreate(const OpRecord &op, raw_ostream &os) {
  os << formatv("{0} *{0}::create(IRBuilderBase &builder{1}) {{\n", op.className(),
                parameterList(op));
  os << "  [[maybe_unused]] LLVMContext &context = builder.getContext();\n";
  if (const OpArgument *argument = op.typeArgument())
    os << formatv("  Type *resultType = {0}->getType();\n", argument->name);
  else if (!op.needsTypeParameter())
    os << formatv("  Type *resultType = {0};\n", buildType(op.result()));
  std::string types, values;
  for (const OpArgument &argument : op.arguments) {
    std::string type = argument.isSameAsResult() ? "resultType" : buildType(argument.type);
    if (type.empty())
      type = argument.name.str() + "->getType()";
    types += type + ", ";
    values += argument.isImmediate()
                  ? formatv("ConstantInt::get({0}, {1}), ", type, argument.name).str()
                  : argument.name.str() + ", ";
  }
  os << formatv("  auto *type = FunctionType::get(resultType, ArrayRef<Type *>{{{0}}, false);\n",
                types);
  os << "  Module &module = *builder.GetInsertBlock()->getModule();\n"
        "  Function *function = declareOp(module, getDescription(), type);\n";
  os << formatv("  return cast<{0}>(builder.CreateCall(function, ArrayRef<Value *>{{{1}}));\n}\n\n",
                op.className(), values);
}

/// The end of the table and the look-up by name, which costs a comparison for each op.
static constexpr StringLiteral lookUp = R"(};

ArrayRef<OpDescription> assay::get$NameOps() { return $nameOps; }

$NameOp assay::get$NameOp(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->getName().starts_with("$Prefix."))
    return $NameOp::None;
  const auto *op = find_if(
      $nameOps, [&](const OpDescription &row) { return isOpName(callee->getName(), row); });
  return static_cast<$NameOp>(op - std::begin($nameOps));
}

)";

/// The rows of all ops.
static void emitTable(const DialectRecord &dialect, raw_ostream &os) {
  os << dialect.expand("static constexpr OpDescription $nameOps[] = {\n");
  for (const OpRecord &op : dialect.ops) {
    std::string traits;
    for (const Record *trait : op.record->getValueAsListOfDefs("Traits"))
      traits += (traits.empty() ? "" : ",") + trait->getValueAsString("Attribute").str();
    os << formatv("    {{StringLiteral(\"{0}\"), {1}, StringLiteral(\"{2}\"), verify{3}},\n",
                  op.record->getValueAsString("Name"), op.isOverloaded() ? "true" : "false", traits,
                  op.className());
  }
  os << dialect.expand(substitute(lookUp, "$Prefix", dialect.prefix));
}

/// Tables of fields and kinds, the dialect's description, and creation of nodes.
static void emitMetadata(const DialectRecord &dialect, raw_ostream &os) {
  for (const MetadataRecord &kind : dialect.metadata) {
    os << formatv("static constexpr MetadataField fieldsOf{0}[] = {{\n", kind.className());
    for (const MetadataField &field : kind.fields)
      os << formatv("    {{StringLiteral(\"{0}\"), MetadataFieldKind::{1}},\n", field.name,
                    field.kind->getValueAsString("Kind"));
    os << "};\n";
  }
  std::string rows;
  for (const MetadataRecord &kind : dialect.metadata)
    rows += formatv(
        "    {{StringLiteral(\"{0}.{1}\"), StringLiteral(\"{1}\"), fieldsOf{2}, {3}},\n",
        dialect.prefix, kind.tag(), kind.className(), kind.record->getValueAsInt("Optional"));
  // An array can't be empty.
  if (!rows.empty())
    os << dialect.expand("static constexpr MetadataDescription $nameMetadata[] = {\n") << rows
       << "};\n";
  os << dialect.expand(substitute(
      substitute("const DialectDescription &assay::get$NameDialect() {\n"
                 "  static constexpr DialectDescription dialect{StringLiteral(\"$Prefix\"), "
                 "$nameOps, $Metadata};\n  return dialect;\n}\n\n",
                 "$Prefix", dialect.prefix),
      "$Metadata", rows.empty() ? "{}" : dialect.expand("$nameMetadata")));
  for (auto [index, kind] : enumerate(dialect.metadata)) {
    os << dialect.expand(formatv("const MetadataDescription &{0}::getDescription() {{\n"
                                 "  return $nameMetadata[{1}];\n}\n",
                                 kind.className(), index)
                             .str());
    os << formatv("{0} *{0}::get(LLVMContext &context{1}) {{\n"
                  "  return cast<{0}>(makeMetadata(context, getDescription(), {{",
                  kind.className(), parameterList(kind));
    for (auto [number, field] : enumerate(kind.fields)) {
      os << (number ? ", " : "");
      if (field.width())
        os << formatv("makeField(context, {0}, {1})", field.width(), field.name);
      else if (field.isText())
        os << formatv("MDString::get(context, {0})", field.name);
      else
        os << field.name;
    }
    os << "}));\n}\n\n";
  }
}

/// All definitions.
static void emitSource(const DialectRecord &dialect, raw_ostream &os) {
  os << dialect.expand("// Generated from $Name.td; do not edit.\n");
  for (const OpRecord &op : dialect.ops)
    emitVerifier(op, os);
  emitTable(dialect, os);
  emitMetadata(dialect, os);
  for (const OpRecord &op : dialect.ops) {
    os << dialect.expand(formatv("const OpDescription &{0}::getDescription() {{\n"
                                 "  return $nameOps[static_cast<unsigned>($NameOp::{0})];\n}\n"
                                 "bool {0}::classof(const Value *value) {{\n"
                                 "  const auto *call = dyn_cast<CallInst>(value);\n"
                                 "  return call && get$NameOp(*call) == $NameOp::{0};\n}\n",
                                 op.className())
                             .str());
    emitCreate(op, os);
  }
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], [](raw_ostream &os, const RecordKeeper &records) {
    DialectRecord dialect = collectDialect(records);
    if (output == Output::Header)
      emitHeader(dialect, os);
    else
      emitSource(dialect, os);
    return false;
  });
}

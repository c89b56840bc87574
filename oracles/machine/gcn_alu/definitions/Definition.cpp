// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_alu/definitions/Definition.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <array>
#include <deque>

using namespace llvm;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

namespace {
/// A word of shapes, and what it says of an operand. \c width is in bits.
struct KindRow {
  const char *text;
  OperandKind kind;
  uint8_t width;
  bool isSigned;
  bool isFloat;
};

/// A word of shapes for an AluFlag.
struct FlagRow {
  const char *text;
  uint16_t flag;
};
} // namespace

/// The words that a shape may have for an operand, with the width in bits. "imm16" is a second word
/// for a kind: rowOf() takes the first.
static constexpr KindRow Kinds[] = {
    {"-", OperandKind::None, 0, false, false},
    {"b16", OperandKind::B16, 16, false, false},
    {"b32", OperandKind::B32, 32, false, false},
    {"b64", OperandKind::B64, 64, false, false},
    {"u16", OperandKind::U16, 16, false, false},
    {"i16", OperandKind::I16, 16, true, false},
    {"f16", OperandKind::F16, 16, false, true},
    {"u32", OperandKind::U32, 32, false, false},
    {"i32", OperandKind::I32, 32, true, false},
    {"f32", OperandKind::F32, 32, false, true},
    {"u64", OperandKind::U64, 64, false, false},
    {"i64", OperandKind::I64, 64, true, false},
    {"f64", OperandKind::F64, 64, false, true},
    {"pkf16", OperandKind::PkF16, 32, false, true},
    {"pku16", OperandKind::PkU16, 32, false, false},
    {"pki16", OperandKind::PkI16, 32, false, false},
    {"mask", OperandKind::Mask, 1, false, false},
    {"bf16", OperandKind::BF16, 16, false, true},
    {"pkbf16", OperandKind::PkBF16, 32, false, true},
    {"pkb8", OperandKind::PkB8, 32, false, false},
    {"pkb4", OperandKind::PkB4, 32, false, false},
    {"pkf32", OperandKind::PkF32, 64, false, true},
    {"imm16", OperandKind::I16, 16, true, false},
};

/// Words after the operands, left (results) and right (sources) of '='.
static constexpr FlagRow ResultFlags[] = {{"scc", WritesScc}, {"carry", CarryOut}};
/// The words that a shape may have after its sources.
static constexpr FlagRow SourceFlags[] = {
    {"scc", ReadsScc},    {"carry", CarryIn},           {"trans", Trans},   {"mix", MixSources},
    {"high", WritesHigh}, {"preserves", PreservesHigh}, {"packed", Packed}, {"exec", WritesExec}};

/// Null when \p text is no kind.
static const KindRow *findKind(StringRef text) {
  const KindRow *row = find_if(Kinds, [&](const KindRow &each) { return text == each.text; });
  return row == std::end(Kinds) ? nullptr : row;
}

/// The first row of a kind; "imm16" is i16 here.
static const KindRow &rowOf(OperandKind kind) {
  return *find_if(Kinds, [&](const KindRow &each) { return each.kind == kind; });
}

/// A fatal error for unknown words: shapes are constants of the source.
static uint16_t flagOf(ArrayRef<FlagRow> rows, StringRef word) {
  for (const FlagRow &row : rows)
    if (word == row.text)
      return row.flag;
  report_fatal_error(Twine("no word of a shape: ") + word);
}

/// In bits; 0 for None. Packed kinds count all parts.
unsigned definitions::widthOf(OperandKind kind) {
  return rowOf(kind).width;
}

bool definitions::isSigned(OperandKind kind) {
  return rowOf(kind).isSigned;
}

bool definitions::isFloat(OperandKind kind) {
  return rowOf(kind).isFloat;
}

/// The low \p width bits as a number.
Exact definitions::numberOf(uint64_t bits, unsigned width, bool isSigned) {
  auto value = Exact(lowBits(Exact(bits), width));
  bool isNegative = isSigned && ((bits >> (width - 1)) & 1);
  return isNegative ? value - (Exact(1) << width) : value;
}

/// \p value modulo 2^\p width.
uint64_t definitions::lowBits(Exact value, unsigned width) {
  return uint64_t(value) & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
}

/// The nearest number of \p width bits.
Exact definitions::saturated(Exact value, unsigned width, bool isSigned) {
  Exact low = isSigned ? -(Exact(1) << (width - 1)) : Exact(0);
  Exact high = (Exact(1) << (width - (isSigned ? 1 : 0))) - 1;
  return std::min(std::max(value, low), high);
}

/// Parses "destination results = sources flags". Results are words for SCC or a carry; "old:"
/// before a source means the destination's old value.
Shape definitions::parseShape(StringRef text) {
  Shape shape;
  auto [results, sources] = text.split('=');
  SmallVector<StringRef, 6> words;
  results.trim().split(words, ' ');
  const KindRow *dst = findKind(words[0]);
  if (!dst)
    report_fatal_error(Twine("no shape: ") + text);
  shape.dst = dst->kind;
  for (StringRef word : drop_begin(words))
    shape.flags |= flagOf(ResultFlags, word);
  if (shape.dst == OperandKind::None)
    shape.flags |= NoDst;
  if (shape.dst == OperandKind::Mask)
    shape.flags |= Compare;
  words.clear();
  sources.trim().split(words, ' ', -1, false);
  for (StringRef word : words) {
    if (word.consume_front("old:"))
      shape.flags |= ReadsDst;
    if (const KindRow *kind = findKind(word))
      shape.sources.push_back(kind->kind);
    else if (word == "clamp")
      shape.clamps = true;
    else
      shape.flags |= flagOf(SourceFlags, word);
  }
  return shape;
}

/// Source \p index as a number of its kind.
Exact Question::operator[](unsigned index) const {
  OperandKind kind = shape.sources[index];
  return numberOf(input.src[index], widthOf(kind), isSigned(kind));
}

/// The answer of a definition, clamped if the shape says so and cut to the destination's width.
AluOutput definitions::define(const ReadyDefinition &ready, const AluInput &input,
                              const AluMode &mode) {
  const Shape &shape = ready.shape;
  Answer answer = ready.definition.meaning({shape, input, mode, ready.definition.parameter});
  AluOutput output;
  output.carry = answer.carry;
  if (shape.dst == OperandKind::None)
    return output;
  unsigned width = widthOf(shape.dst);
  if (shape.clamps && input.clamp)
    answer.value = saturated(answer.value, width, isSigned(shape.dst));
  output.value = lowBits(answer.value, width);
  return output;
}

namespace {
constexpr unsigned firstGfx = 9;
constexpr unsigned lastGfx = 12;

/// All definitions by name and generation.
class Register {
public:
  Register() {
    auto sink = [this](const Definition &definition) { add(definition); };
    defineScalarIntegers(sink);
    defineVectorIntegers(sink);
    defineVectorShorts(sink);
    defineVectorBytes(sink);
    defineIntegerCompares(sink);
    definePackedIntegers(sink);
    defineIntegerDots(sink);
    defineFloatArithmetic(sink);
    defineFloatSelections(sink);
    defineFloatCompares(sink);
    defineFloatUnary(sink);
    defineFloatConversions(sink);
    defineFloatHelpers(sink);
  }

  std::array<StringMap<const ReadyDefinition *>, lastGfx - firstGfx + 1> byName;

private:
  /// Adds a definition under all its names. A fatal error when a name is defined twice in a
  /// generation.
  void add(const Definition &definition) {
    m_all.push_back({definition, parseShape(definition.shape)});
    SmallVector<StringRef, 4> names;
    StringRef(m_all.back().definition.names).split(names, '|');
    for (StringRef each : names) {
      auto [name, range] = each.split('@');
      auto [low, high] = range.split('-');
      unsigned first = firstGfx, last = lastGfx;
      low.getAsInteger(10, first);
      high.getAsInteger(10, last);
      for (unsigned gfx = first; gfx <= last; ++gfx)
        if (!byName[gfx - firstGfx].try_emplace(name, &m_all.back()).second)
          report_fatal_error(Twine("two definitions of ") + name);
    }
  }

  std::deque<ReadyDefinition> m_all;
};
} // namespace

/// Built at the first call and never freed.
static const Register &allDefinitions() {
  static const auto *instance = new Register;
  return *instance;
}

/// Null when there is none. \p gfxMajor is 9 to 12.
const ReadyDefinition *definitions::findDefinition(StringRef name, unsigned gfxMajor) {
  return allDefinitions().byName[gfxMajor - firstGfx].lookup(name);
}

/// Sorted.
std::vector<std::string> definitions::definedNames(unsigned gfxMajor) {
  std::vector<std::string> names;
  for (const auto &entry : allDefinitions().byName[gfxMajor - firstGfx])
    names.push_back(entry.first().str());
  std::sort(names.begin(), names.end());
  return names;
}

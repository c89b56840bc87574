// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_alu/definitions/Driver.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <random>

using namespace llvm;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// Adds integers at the edges of fields, bytes, halves and the whole width.
static void addWholeEdges(unsigned width, std::vector<uint64_t> &values) {
  for (uint64_t value : {0ull,
                         1ull,
                         2ull,
                         3ull,
                         7ull,
                         8ull,
                         15ull,
                         16ull,
                         17ull,
                         31ull,
                         32ull,
                         33ull,
                         63ull,
                         64ull,
                         0x80ull,
                         0xffull,
                         0x100ull,
                         0x7fffull,
                         0x8000ull,
                         0xffffull,
                         0x10000ull,
                         0x7fffffull,
                         0x800000ull,
                         0xffffffull,
                         0x200005ull,
                         0x08070605ull,
                         0x0c0b0a09ull,
                         0x0d0e0fffull,
                         0x5555555555555555ull,
                         0xaaaaaaaaaaaaaaaaull,
                         0x0123456789abcdefull,
                         0xfedcba9876543210ull,
                         0x8080808080808080ull,
                         0xff00ff00ff00ff00ull,
                         0x7fff80007fff8000ull,
                         0x00000001ffffffffull,
                         0xffffffff00000000ull})
    values.push_back(lowBits(Exact(value), width));
  uint64_t ones = lowBits(-1, width);
  for (uint64_t value : {ones, ones - 1, ones - 2, ones >> 1, (ones >> 1) + 1, (ones >> 1) + 2,
                         (ones >> 1) - 1, ones << 8 & ones, ones << 16 & ones})
    values.push_back(value);
}

/// Bits of the fraction of a float; for a pack, of one of its floats.
static unsigned fractionBits(OperandKind kind) {
  switch (kind) {
  case OperandKind::F16:
  case OperandKind::PkF16:
    return 10;
  case OperandKind::BF16:
  case OperandKind::PkBF16:
    return 7;
  case OperandKind::F64:
    return 52;
  default:
    return 23;
  }
}

/// Width of one float of \p kind, which may be a pack of two.
static unsigned elementWidth(OperandKind kind) {
  if (kind == OperandKind::PkF16 || kind == OperandKind::PkBF16)
    return 16;
  return kind == OperandKind::PkF32 ? 32 : widthOf(kind);
}

/// Adds zeros, denormals, numbers around 1, the largest ones, infinities and NaNs, in both signs.
static void addFloatEdges(OperandKind kind, std::vector<uint64_t> &values) {
  unsigned width = elementWidth(kind);
  unsigned fraction = fractionBits(kind);
  uint64_t sign = uint64_t(1) << (width - 1);
  uint64_t fractionOnes = (uint64_t(1) << fraction) - 1;
  uint64_t unit = fractionOnes + 1; // 1 of the exponent field
  uint64_t infinity = (sign - 1) & ~fractionOnes;
  uint64_t one = (infinity >> 1) & ~fractionOnes;
  for (uint64_t magnitude : {uint64_t(0),
                             uint64_t(1),
                             fractionOnes >> 1,
                             fractionOnes,
                             unit,
                             unit + 1,
                             one - unit,
                             one,
                             one - 1,
                             one + 1,
                             one + unit,
                             one + unit / 2,
                             one + 2 * unit,
                             one + fraction * unit,
                             one + (fraction + 1) * unit,
                             one + 15 * unit,
                             one + (15 * unit | fractionOnes),
                             infinity - 1,
                             infinity - unit,
                             infinity,
                             infinity + 1,
                             infinity | unit >> 1,
                             infinity | fractionOnes})
    for (uint64_t bits : {magnitude, magnitude | sign})
      values.push_back(bits);
}

/// Puts another of the values into the upper half of each.
static void packPairs(unsigned width, std::vector<uint64_t> &values) {
  size_t count = values.size();
  for (size_t index = 0; index < count; ++index)
    values[index] |= values[(index * 7 + 3) % count] << width;
}

/// Sorted, without duplicates.
static std::vector<uint64_t> makeEdges(OperandKind kind) {
  std::vector<uint64_t> values;
  if (isFloat(kind)) {
    addFloatEdges(kind, values);
    if (elementWidth(kind) != widthOf(kind)) {
      for (uint64_t &value : values)
        value &= lowBits(-1, elementWidth(kind));
      packPairs(elementWidth(kind), values);
    }
  } else {
    addWholeEdges(widthOf(kind), values);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Computed once for each kind. Not safe for several threads.
ArrayRef<uint64_t> definitions::edgeValues(OperandKind kind) {
  static std::map<OperandKind, std::vector<uint64_t>> known;
  auto [entry, isNew] = known.try_emplace(kind);
  if (isNew)
    entry->second = makeEdges(kind);
  return entry->second;
}

namespace {
/// The questions put to one kernel, and the first on which it fails.
class Examination {
public:
  /// The random numbers start from a fixed seed, so that a failure repeats.
  Examination(AluFunction kernel, const ReadyDefinition &ready, unsigned gfxMajor)
      : m_kernel(kernel), m_ready(ready) {
    m_mode.gfxMajor = gfxMajor;
  }

  /// The first question on which kernel and definition disagree, as text; nothing if there is none.
  Disagreement run(unsigned randomQuestions) {
    // Random ones first: they find what is quite wrong at once.
    for (unsigned count = 0; count < randomQuestions && !m_found; ++count) {
      for (unsigned index = 0; index < m_ready.shape.sources.size(); ++index)
        m_input.src[index] = randomValue(m_ready.shape.sources[index]);
      askInSettings();
    }
    if (!m_found)
      walkEdges(0);
    return m_found;
  }

private:
  /// All combinations of edges; of three sources one in 16 of them, chosen at random.
  void walkEdges(unsigned index) {
    const auto &sources = m_ready.shape.sources;
    if (index == sources.size()) {
      bool isChosen = sources.size() < 3 || m_random() % 16 == 0;
      if (isChosen)
        askInSettings();
      return;
    }
    for (uint64_t value : edgeValues(sources[index])) {
      m_input.src[index] = value;
      walkEdges(index + 1);
      if (m_found)
        return;
    }
  }

  /// Numbers of all lengths, of floats all exponents and near ones, and edges now and then.
  uint64_t randomValue(OperandKind kind) {
    unsigned width = widthOf(kind);
    uint64_t bits = m_random();
    unsigned choice = m_random() % 8;
    ArrayRef<uint64_t> edges = edgeValues(kind);
    if (choice == 0)
      return edges[bits % edges.size()];
    if (isFloat(kind) && choice < 5)
      return nearOne(kind, bits);
    if (!isFloat(kind) && choice < 4)
      bits = uint64_t(int64_t(bits) >> (m_random() % width + (64 - width)));
    return lowBits(Exact(bits), width);
  }

  /// Floats of like exponents, which cancel and align.
  uint64_t nearOne(OperandKind kind, uint64_t bits) {
    unsigned width = elementWidth(kind), fraction = fractionBits(kind);
    uint64_t exponentOnes = (uint64_t(1) << (width - 1 - fraction)) - 1;
    uint64_t result = 0;
    for (unsigned shift = 0; shift < widthOf(kind); shift += width) {
      uint64_t element = lowBits(Exact(bits >> (64 - width - shift)), width);
      element &= ~(exponentOnes << fraction);
      element |= (((exponentOnes >> 1) - 8 + m_random() % 16) & exponentOnes) << fraction;
      result |= element << shift;
    }
    return result;
  }

  /// What matters to the shape in all combinations, what must not matter at random.
  void askInSettings() {
    unsigned carries = m_ready.shape.flags & (CarryIn | ReadsScc) ? 2 : 1;
    for (unsigned combination = 0; combination < 2 * carries && !m_found; ++combination) {
      uint32_t random = m_random();
      m_input.clamp = combination & 1;
      m_input.carry = carries == 2 ? combination >> 1 : random & 1;
      m_input.lane = uint8_t((random >> 1) & 63);
      m_input.signedSources = (random >> 7) & 3;
      m_mode.f32DenormIn = random & 0x200;
      m_mode.f32DenormOut = random & 0x400;
      m_mode.f16f64DenormIn = random & 0x800;
      m_mode.f16f64DenormOut = random & 0x1000;
      m_mode.ieee = random & 0x2000 && m_mode.gfxMajor < 12;
      m_mode.dx10Clamp = random & 0x4000 || m_mode.gfxMajor >= 12;
      m_mode.f32Round = (random >> 15) & 3;
      m_mode.f16f64Round = (random >> 17) & 3;
      m_mode.fp16Overflow = (random >> 19) & 1;
      m_input.byteSelect = uint8_t((random >> 20) & 3);
      ask();
    }
  }

  /// Compares one answer, and describes the question if it differs.
  void ask() {
    AluOutput expected = define(m_ready, m_input, m_mode);
    AluOutput given = m_kernel(m_input, m_mode);
    if (sameValue(expected.value, given.value) && expected.carry == given.carry)
      return;
    std::string text = describe();
    text += " expected " + utohexstr(expected.value) + "," + utostr(expected.carry);
    text += " but got " + utohexstr(given.value) + "," + utostr(given.carry);
    m_found = std::move(text);
  }

  /// Equal bits, or NaNs in the same places where the definition leaves open which.
  bool sameValue(uint64_t expected, uint64_t given) const {
    if (expected == given)
      return true;
    OperandKind kind = m_ready.shape.dst;
    if (m_ready.definition.equality != Equality::AnyNan || !isFloat(kind))
      return false;
    unsigned width = elementWidth(kind);
    for (unsigned shift = 0; shift < widthOf(kind); shift += width) {
      uint64_t a = lowBits(Exact(expected >> shift), width);
      uint64_t b = lowBits(Exact(given >> shift), width);
      if (a != b && !(isNan(kind, a) && isNan(kind, b)))
        return false;
    }
    return given >> (widthOf(kind) - 1) <= 1;
  }

  /// \p bits are one element.
  static bool isNan(OperandKind kind, uint64_t bits) {
    uint64_t sign = uint64_t(1) << (elementWidth(kind) - 1);
    uint64_t infinity = (sign - 1) & ~((uint64_t(1) << fractionBits(kind)) - 1);
    return (bits & (sign - 1)) > infinity;
  }

  /// The question's sources, inputs and mode.
  std::string describe() const {
    std::string text;
    raw_string_ostream os(text);
    for (unsigned index = 0; index < m_ready.shape.sources.size(); ++index)
      os << "0x" << utohexstr(m_input.src[index]) << " ";
    os << "carry " << m_input.carry << " clamp " << m_input.clamp << " lane " << int(m_input.lane)
       << " signed " << int(m_input.signedSources) << " denorm " << m_mode.f32DenormIn
       << m_mode.f32DenormOut << m_mode.f16f64DenormIn << m_mode.f16f64DenormOut << " round "
       << int(m_mode.f32Round) << int(m_mode.f16f64Round) << " ieee " << m_mode.ieee << " gfx"
       << m_mode.gfxMajor << ":";
    return text;
  }

  AluFunction m_kernel;
  const ReadyDefinition &m_ready;
  AluInput m_input;
  AluMode m_mode;
  std::mt19937_64 m_random{1};
  Disagreement m_found;
};
} // namespace

/// \p thoroughness is the number of random questions.
Disagreement definitions::compareKernel(AluFunction kernel, const ReadyDefinition &ready,
                                        unsigned gfxMajor, unsigned thoroughness) {
  return Examination(kernel, ready, gfxMajor).run(thoroughness);
}

/// What differs first between a row and a shape, or an empty string.
std::string definitions::compareShape(const AluOp &row, const Shape &shape) {
  if (row.dst != shape.dst)
    return "destination";
  if (row.sourceCount() != shape.sources.size())
    return "number of sources";
  for (auto [index, kind] : enumerate(shape.sources))
    if (row.src[index] != kind)
      return "source " + utostr(index);
  return row.flags == shape.flags ? "" : "flags " + utohexstr(row.flags ^ shape.flags);
}

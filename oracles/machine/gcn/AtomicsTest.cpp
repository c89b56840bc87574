// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every atomic operation against a second definition of its own: from the wording of AMD's ISA
// manuals (RDNA 3 and 4, DS and BUFFER_ATOMIC opcodes; CDNA 3, "Float Memory Atomics"), over wide
// integers and the host's doubles. A test exchanges operations and must notice.
#include "oracles/machine/gcn/Atomics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <map>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

using Wide = __int128;

/// What an operation sees, as numbers of its width.
struct Cell {
  unsigned bits;
  uint64_t old, data, second;
  AtomicMode mode;

  uint64_t mask() const { return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
  Wide asSigned(uint64_t value) const {
    Wide number = value;
    return value >> (bits - 1) & 1 ? number - (Wide(1) << bits) : number;
  }
  uint64_t cut(Wide number) const { return uint64_t(number) & mask(); }
};
using Definition = std::function<uint64_t(const Cell &)>;

/// A float format by the widths of its fields.
struct FloatKind {
  unsigned exponent, mantissa;
  uint64_t sign() const { return uint64_t(1) << (exponent + mantissa); }
  uint64_t infinity() const { return ((uint64_t(1) << exponent) - 1) << mantissa; }
  uint64_t quiet() const { return uint64_t(1) << (mantissa - 1); }
  int bias() const { return (1 << (exponent - 1)) - 1; }
  bool isNan(uint64_t bits) const { return (bits & (sign() - 1)) > infinity(); }
  bool isDenormal(uint64_t bits) const {
    uint64_t magnitude = bits & (sign() - 1);
    return magnitude && magnitude < uint64_t(1) << mantissa;
  }
  uint64_t flush(uint64_t bits) const { return isDenormal(bits) ? bits & sign() : bits; }
  double value(uint64_t bits) const;
  uint64_t nearest(double number) const;
};
constexpr FloatKind Half{5, 10}, Brain{8, 7}, Single{8, 23}, Double{11, 52};

} // namespace

double FloatKind::value(uint64_t bits) const {
  uint64_t magnitude = bits & (sign() - 1);
  double number = INFINITY;
  if (magnitude < infinity()) {
    auto raised = static_cast<int>(magnitude >> mantissa);
    auto fraction = double(magnitude & ((uint64_t(1) << mantissa) - 1));
    if (raised)
      fraction += std::ldexp(1.0, int(mantissa));
    number = std::ldexp(fraction, std::max(raised, 1) - bias() - int(mantissa));
  }
  return bits & sign() ? -number : number;
}

/// The bits of the nearest number, ties to even, by counting in units of the last place.
uint64_t FloatKind::nearest(double number) const {
  uint64_t sign = std::signbit(number) ? this->sign() : 0;
  double magnitude = std::abs(number);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | infinity();
  int exponent = std::max(std::ilogb(magnitude), 1 - bias());
  double units = std::nearbyint(std::ldexp(magnitude, int(mantissa) - exponent));
  auto bits = (uint64_t(exponent + bias() - 1) << mantissa) + static_cast<uint64_t>(units);
  return sign | std::min(bits, infinity());
}

static uint64_t sumOf(const FloatKind &kind, uint64_t old, uint64_t data, const AtomicMode &mode) {
  if (kind.isNan(old))
    return old | kind.quiet();
  if (kind.isNan(data))
    return data | kind.quiet();
  uint64_t left = mode.flushSources ? kind.flush(old) : old;
  uint64_t right = mode.flushSources ? kind.flush(data) : data;
  double sum = kind.value(left) + kind.value(right); // 53 digits are enough to round once more.
  if (std::isnan(sum))
    return kind.infinity() | kind.quiet();
  uint64_t result = kind.nearest(sum);
  return mode.flushResult ? kind.flush(result) : result;
}

/// Signalling NaNs win before GFX12; then numbers do; -0 lies below +0.
static uint64_t extremeOf(const FloatKind &kind, const Cell &cell, bool wantsLarger) {
  auto isSignalling = [&](uint64_t bits) { return kind.isNan(bits) && !(bits & kind.quiet()); };
  if (!cell.mode.isNumber)
    for (uint64_t bits : {cell.old, cell.data})
      if (isSignalling(bits))
        return bits | kind.quiet();
  bool oldNan = kind.isNan(cell.old), dataNan = kind.isNan(cell.data);
  if (oldNan && dataNan)
    return (cell.mode.isNumber ? cell.data : cell.old) | kind.quiet();
  if (oldNan || dataNan)
    return oldNan ? cell.data : cell.old;
  uint64_t left = cell.mode.flushSources ? kind.flush(cell.old) : cell.old;
  uint64_t right = cell.mode.flushSources ? kind.flush(cell.data) : cell.data;
  double a = kind.value(left), b = kind.value(right);
  bool isBelow = b < a || (a == b && std::signbit(b) && !std::signbit(a));
  bool isAbove = b > a || (a == b && !std::signbit(b) && std::signbit(a));
  return (wantsLarger ? isAbove : isBelow) ? cell.data : cell.old;
}

static uint64_t swapIfEqual(const FloatKind &kind, const Cell &cell) {
  auto flush = [&](uint64_t bits) { return cell.mode.flushSources ? kind.flush(bits) : bits; };
  uint64_t left = flush(cell.old), right = flush(cell.second);
  if (kind.isNan(left) || kind.isNan(right) || kind.value(left) != kind.value(right))
    return cell.old;
  return flush(cell.data);
}

static uint64_t pairSum(const FloatKind &kind, const Cell &cell) {
  uint64_t result = 0;
  for (unsigned shift : {0u, 16u})
    result |= sumOf(kind, cell.old >> shift & 0xffff, cell.data >> shift & 0xffff, cell.mode)
              << shift;
  return result;
}

#define AS(EXPRESSION) [](const Cell &c) -> uint64_t { return EXPRESSION; }

/// By the first name of a row, without "_x2", "_b64" and the like where both widths mean the same.
static const std::map<std::string, Definition> &integerDefinitions() {
  static const std::map<std::string, Definition> Definitions = {
      {"swap", AS(c.data)},
      {"wrxchg", AS(c.data)},
      {"cmpswap", AS(c.old == c.second ? c.data : c.old)},
      {"cmpst", AS(c.old == c.second ? c.data : c.old)},
      {"cmpstore", AS(c.old == c.second ? c.data : c.old)},
      {"add", AS(c.cut(Wide(c.old) + c.data))},
      {"sub", AS(c.cut(Wide(c.old) - c.data))},
      {"rsub", AS(c.cut(Wide(c.data) - c.old))},
      {"csub", AS(c.old < c.data ? 0 : c.old - c.data)},
      {"cond_sub", AS(c.old >= c.data ? c.old - c.data : c.old)},
      {"smin", AS(c.asSigned(c.data) < c.asSigned(c.old) ? c.data : c.old)},
      {"smax", AS(c.asSigned(c.data) >= c.asSigned(c.old) ? c.data : c.old)},
      {"umin", AS(c.data < c.old ? c.data : c.old)},
      {"umax", AS(c.data >= c.old ? c.data : c.old)},
      {"and", AS(c.old & c.data)},
      {"or", AS(c.old | c.data)},
      {"xor", AS(c.old ^ c.data)},
      {"inc", AS(c.old >= c.data ? 0 : c.old + 1)},
      {"dec", AS(c.old == 0 || c.old > c.data ? c.data : c.old - 1)},
      {"mskor", AS((c.old & ~c.second) | c.data)},
      {"wrap", AS(c.cut(c.old >= c.data ? Wide(c.old) - c.data : Wide(c.old) + c.second))},
      {"condxchg32", AS((c.data >> 31 & 1 ? c.data & 0x7fffffff : c.old & 0xffffffff) |
                        (c.data >> 63 & 1 ? c.data >> 32 & 0x7fffffff : c.old >> 32) << 32)},
      {"ordered_add",
       AS((c.old & 0xffffffff) != (c.data & 0xffffffff)
              ? c.old
              : ((c.old + 1) & 0xffffffff) | ((c.old >> 32) + (c.data >> 32)) << 32)},
  };
  return Definitions;
}

/// By the first name of a row.
static const std::map<std::string, Definition> &floatDefinitions() {
  static const std::map<std::string, Definition> Definitions = {
      {"fmin", AS(extremeOf(Single, c, false))},
      {"fmin_x2", AS(extremeOf(Double, c, false))},
      {"fmax", AS(extremeOf(Single, c, true))},
      {"fmax_x2", AS(extremeOf(Double, c, true))},
      {"fcmpswap", AS(swapIfEqual(Single, c))},
      {"fcmpswap_x2", AS(swapIfEqual(Double, c))},
      {"cmpst_f32", AS(swapIfEqual(Single, c))},
      {"cmpst_f64", AS(swapIfEqual(Double, c))},
      {"cmpstore_f32", AS(swapIfEqual(Single, c))},
      {"cmpstore_f64", AS(swapIfEqual(Double, c))},
      {"add_f32", AS(sumOf(Single, c.old, c.data, c.mode))},
      {"add_f64", AS(sumOf(Double, c.old, c.data, c.mode))},
      {"pk_add_f16", AS(pairSum(Half, c))},
      {"pk_add_bf16", AS(pairSum(Brain, c))},
  };
  return Definitions;
}
#undef AS

static const Definition *findDefinition(const AtomicRow &row) {
  StringRef name = StringRef(row.names).split('|').first;
  auto floats = floatDefinitions().find(name.str());
  if (floats != floatDefinitions().end())
    return &floats->second;
  for (StringRef suffix : {"_x2", "_b32", "_b64", "_u32", "_u64"})
    name.consume_back(suffix);
  auto found = integerDefinitions().find(name.str());
  return found == integerDefinitions().end() ? nullptr : &found->second;
}

static std::vector<AtomicRow> allRows() {
  std::vector<AtomicRow> rows(atomicRows().begin(), atomicRows().end());
  append_range(rows, ldsAtomicRows());
  return rows;
}

/// Edges of integers and of all float formats, and chance.
static std::vector<uint64_t> interestingValues(unsigned bits) {
  std::vector<uint64_t> values = {0,
                                  1,
                                  2,
                                  3,
                                  ~0ull,
                                  ~1ull,
                                  0x7fffffff,
                                  0x80000000,
                                  0x80000001,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  0x8000000080000000,
                                  0x0000000500000005,
                                  0x0000000700000005};
  for (const FloatKind &kind : {Half, Brain, Single, Double}) {
    uint64_t one = uint64_t(kind.bias()) << kind.mantissa;
    for (uint64_t magnitude : {uint64_t(0), uint64_t(1), kind.quiet(), uint64_t(1) << kind.mantissa,
                               one, one + 1, kind.infinity() - 1, kind.infinity(),
                               kind.infinity() | 1, kind.infinity() | kind.quiet()}) {
      values.push_back(magnitude);
      values.push_back(magnitude | kind.sign());
      values.push_back(magnitude | magnitude << 16);
    }
  }
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 24; ++i)
    values.push_back(random());
  for (uint64_t &value : values)
    value &= bits == 64 ? ~uint64_t(0) : 0xffffffff;
  sort(values);
  values.erase(unique(values), values.end());
  return values;
}

static const std::vector<AtomicMode> &allModes() {
  static const std::vector<AtomicMode> Modes = {
      {}, {true, false, false}, {true, true, false}, {false, true, true}, {false, false, true}};
  return Modes;
}

/// The first case in which \p function does not do what \p definition says.
static std::optional<Cell> findDifference(AtomicFunction function, const Definition &definition,
                                          unsigned bits) {
  std::vector<uint64_t> values = interestingValues(bits);
  for (const AtomicMode &mode : allModes())
    for (uint64_t old : values)
      for (uint64_t data : values)
        for (uint64_t second : {old, data, ~data & (bits == 64 ? ~uint64_t(0) : 0xffffffff)}) {
          Cell cell{bits, old, data, second, mode};
          uint64_t result = function(old, data, second, mode);
          if (result != definition(cell))
            return cell;
        }
  return std::nullopt;
}

TEST(AtomicDefinitions, EveryOperationDoesWhatItsDefinitionSays) {
  for (const AtomicRow &row : allRows()) {
    const Definition *definition = findDefinition(row);
    ASSERT_NE(definition, nullptr) << row.names;
    std::optional<Cell> cell = findDifference(row.function, *definition, row.bytes * 8);
    EXPECT_FALSE(cell) << row.names << std::hex << " old " << cell->old << " data " << cell->data
                       << " second " << cell->second << " gives "
                       << row.function(cell->old, cell->data, cell->second, cell->mode) << ", not "
                       << (*definition)(*cell);
  }
}

/// Operations that are one another under other names.
static bool isSame(const AtomicRow &a, const AtomicRow &b) {
  return a.function == b.function;
}

TEST(AtomicDefinitions, ExchangedOperationsAreNoticed) {
  std::vector<AtomicRow> rows = allRows();
  for (const AtomicRow &row : rows)
    for (const AtomicRow &other : rows) {
      if (other.bytes != row.bytes || isSame(row, other))
        continue;
      EXPECT_TRUE(findDifference(other.function, *findDefinition(row), row.bytes * 8))
          << row.names << " as " << other.names;
    }
}

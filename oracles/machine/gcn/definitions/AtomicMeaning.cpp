// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/definitions/AtomicMeaning.h"

#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::gcn::definitions;

namespace {

using Wide = __int128;
using Cell = AtomicCell;

/// A float format by the widths of its fields.
struct FloatKind {
  unsigned exponent, mantissa; ///< Bits, without the hidden one.
  uint64_t sign() const { return uint64_t(1) << (exponent + mantissa); }
  uint64_t infinity() const { return ((uint64_t(1) << exponent) - 1) << mantissa; }
  uint64_t quiet() const { return uint64_t(1) << (mantissa - 1); }
  int bias() const { return (1 << (exponent - 1)) - 1; }
  bool isNan(uint64_t bits) const { return (bits & (sign() - 1)) > infinity(); }
  bool isDenormal(uint64_t bits) const {
    uint64_t magnitude = bits & (sign() - 1);
    return magnitude && magnitude < uint64_t(1) << mantissa;
  }
  /// A denormal becomes a zero of its sign.
  uint64_t flush(uint64_t bits) const { return isDenormal(bits) ? bits & sign() : bits; }
  double value(uint64_t bits) const;
  uint64_t nearest(double number) const;
};
constexpr FloatKind Half{5, 10}, Brain{8, 7}, Single{8, 23}, Double{11, 52};

} // namespace

/// \p bits are not a NaN.
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

/// The sum, rounded once to the nearest even. A NaN of the old value comes first, and becomes
/// quiet.
static uint64_t sumOf(const FloatKind &kind, uint64_t old, uint64_t data, const Cell &cell) {
  if (kind.isNan(old))
    return old | kind.quiet();
  if (kind.isNan(data))
    return data | kind.quiet();
  uint64_t left = cell.flushSources ? kind.flush(old) : old;
  uint64_t right = cell.flushSources ? kind.flush(data) : data;
  double sum = kind.value(left) + kind.value(right); // 53 digits are enough to round once more.
  if (std::isnan(sum))
    return kind.infinity() | kind.quiet();
  uint64_t result = kind.nearest(sum);
  return cell.flushResult ? kind.flush(result) : result;
}

/// Signalling NaNs win before GFX12; then numbers do; -0 lies below +0.
static uint64_t extremeOf(const FloatKind &kind, const Cell &cell, bool wantsLarger) {
  auto isSignalling = [&](uint64_t bits) { return kind.isNan(bits) && !(bits & kind.quiet()); };
  if (!cell.isNumber)
    for (uint64_t bits : {cell.old, cell.data})
      if (isSignalling(bits))
        return bits | kind.quiet();
  bool oldNan = kind.isNan(cell.old), dataNan = kind.isNan(cell.data);
  if (oldNan && dataNan)
    return (cell.isNumber ? cell.data : cell.old) | kind.quiet();
  if (oldNan || dataNan)
    return oldNan ? cell.data : cell.old;
  uint64_t left = cell.flushSources ? kind.flush(cell.old) : cell.old;
  uint64_t right = cell.flushSources ? kind.flush(cell.data) : cell.data;
  double a = kind.value(left), b = kind.value(right);
  bool isBelow = b < a || (a == b && std::signbit(b) && !std::signbit(a));
  bool isAbove = b > a || (a == b && !std::signbit(b) && std::signbit(a));
  return (wantsLarger ? isAbove : isBelow) ? cell.data : cell.old;
}

/// A compare-and-swap of floats: NaNs are equal to nothing, and both zeros are equal.
static uint64_t swapIfEqual(const FloatKind &kind, const Cell &cell) {
  auto flush = [&](uint64_t bits) { return cell.flushSources ? kind.flush(bits) : bits; };
  uint64_t left = flush(cell.old), right = flush(cell.second);
  if (kind.isNan(left) || kind.isNan(right) || kind.value(left) != kind.value(right))
    return cell.old;
  return flush(cell.data);
}

/// Two sums of 16 bits, each in its half.
static uint64_t pairSum(const FloatKind &kind, const Cell &cell) {
  uint64_t result = 0;
  for (unsigned shift : {0u, 16u})
    result |= sumOf(kind, cell.old >> shift & 0xffff, cell.data >> shift & 0xffff, cell) << shift;
  return result;
}

namespace {

/// An operation by the first part of its names; types say the width.
struct Operation {
  StringLiteral names; ///< '|' between.
  uint64_t (*compute)(const Cell &);
  bool takesSecond = false;
  bool secondFirst = false;
};

/// An operation by its whole name.
struct FloatOperation {
  StringLiteral names;
  unsigned bits;
  AtomicDenormals denormals;
  uint64_t (*compute)(const Cell &);
  bool takesSecond = false;
  bool secondFirst = false;
};

#define AS(EXPRESSION) [](const Cell &c) -> uint64_t { return EXPRESSION; }

constexpr Operation Operations[] = {
    {"swap|wrxchg|storexchg", AS(c.data)},
    {"cmpswap|cmpstore", AS(c.old == c.second ? c.data : c.old), true},
    {"cmpst", AS(c.old == c.second ? c.data : c.old), true, true},
    {"add", AS(c.cut(Wide(c.old) + c.data))},
    {"sub", AS(c.cut(Wide(c.old) - c.data))},
    {"rsub", AS(c.cut(Wide(c.data) - c.old))},
    {"csub|sub_clamp", AS(c.old < c.data ? 0 : c.old - c.data)},
    {"cond_sub", AS(c.old >= c.data ? c.old - c.data : c.old)},
    {"smin|min_i", AS(c.asSigned(c.data) < c.asSigned(c.old) ? c.data : c.old)},
    {"smax|max_i", AS(c.asSigned(c.data) >= c.asSigned(c.old) ? c.data : c.old)},
    {"umin|min_u", AS(c.data < c.old ? c.data : c.old)},
    {"umax|max_u", AS(c.data >= c.old ? c.data : c.old)},
    {"and", AS(c.old & c.data)},
    {"or", AS(c.old | c.data)},
    {"xor", AS(c.old ^ c.data)},
    {"inc", AS(c.old >= c.data ? 0 : c.old + 1)},
    {"dec", AS(c.old == 0 || c.old > c.data ? c.data : c.old - 1)},
    {"mskor", AS((c.old & ~c.second) | c.data), true, true},
    {"wrap", AS(c.cut(c.old >= c.data ? Wide(c.old) - c.data : Wide(c.old) + c.second)), true},
    {"condxchg32", AS((c.data >> 31 & 1 ? c.data & 0x7fffffff : c.old & 0xffffffff) |
                      (c.data >> 63 & 1 ? c.data >> 32 & 0x7fffffff : c.old >> 32) << 32)},
    {"ordered_add", AS((c.old & 0xffffffff) != (c.data & 0xffffffff)
                           ? c.old
                           : ((c.old + 1) & 0xffffffff) | ((c.old >> 32) + (c.data >> 32)) << 32)},
};

constexpr AtomicDenormals Kept = AtomicDenormals::Kept;
constexpr AtomicDenormals OfSingle = AtomicDenormals::Single;
constexpr AtomicDenormals OfSum = AtomicDenormals::SingleSum;
constexpr AtomicDenormals OfOthers = AtomicDenormals::Other;

constexpr FloatOperation FloatOperations[] = {
    {"fmin|min_f32|min_num_f32|min_flt", 32, OfSingle, AS(extremeOf(Single, c, false))},
    {"fmin_x2|min_f64|min_num_f64", 64, OfOthers, AS(extremeOf(Double, c, false))},
    {"fmax|max_f32|max_num_f32|max_flt", 32, OfSingle, AS(extremeOf(Single, c, true))},
    {"fmax_x2|max_f64|max_num_f64", 64, OfOthers, AS(extremeOf(Double, c, true))},
    {"fcmpswap|cmpswap_f32|cmpstore_f32", 32, OfSingle, AS(swapIfEqual(Single, c)), true},
    {"fcmpswap_x2|cmpstore_f64", 64, OfOthers, AS(swapIfEqual(Double, c)), true},
    {"cmpst_f32", 32, OfSingle, AS(swapIfEqual(Single, c)), true, true},
    {"cmpst_f64", 64, OfOthers, AS(swapIfEqual(Double, c)), true, true},
    {"add_f32|add_flt", 32, OfSum, AS(sumOf(Single, c.old, c.data, c))},
    {"add_f64", 64, Kept, AS(sumOf(Double, c.old, c.data, c))},
    {"pk_add_f16", 32, OfOthers, AS(pairSum(Half, c))},
    {"pk_add_bf16", 32, OfOthers, AS(pairSum(Brain, c))},
};
#undef AS

} // namespace

/// Whether \p name is one of \p names, which '|' separates.
static bool isOneOf(StringRef names, StringRef name) {
  while (!names.empty()) {
    auto [first, rest] = names.split('|');
    if (first == name)
      return true;
    names = rest;
  }
  return false;
}

/// How GFX12's images say "umin" and the like.
static StringRef plainName(StringRef name) {
  return StringSwitch<StringRef>(name)
      .Case("min_uint", "umin")
      .Case("max_uint", "umax")
      .Case("min_int", "smin")
      .Case("max_int", "smax")
      .Default(name.ends_with("_uint") ? name.drop_back(5) : name);
}

/// Takes the width off \p name: "_x2", "_b64", "_u32", and of "min_i64" the digits alone, since
/// there the letter counts.
static unsigned takeWidth(StringRef &name) {
  name = plainName(name);
  if (name.consume_back("_x2"))
    return 64;
  bool isExtreme = name.starts_with("min_") || name.starts_with("max_");
  if (name.size() < 4 || name[name.size() - 4] != '_')
    return 32;
  StringRef digits = name.take_back(2);
  if (digits != "32" && digits != "64")
    return 32;
  name = name.drop_back(isExtreme ? 2 : 4);
  return digits == "64" ? 64 : 32;
}

/// \p name is without the family's prefix, such as "ds_" or "buffer_atomic_". Float operations are
/// found by the whole name, since integer ones may have the same beginning.
std::optional<AtomicMeaning> gcn::definitions::findAtomicMeaning(StringRef name) {
  for (const FloatOperation &row : FloatOperations)
    if (isOneOf(row.names, name))
      return AtomicMeaning{row.bits, row.takesSecond, row.secondFirst, row.denormals, row.compute};
  unsigned bits = takeWidth(name);
  for (const Operation &row : Operations)
    if (isOneOf(row.names, name))
      return AtomicMeaning{bits, row.takesSecond, row.secondFirst, Kept, row.compute};
  return std::nullopt;
}

/// CDNA 3's manual, "Denorm Handling Rules for Memory Ops": data shares do as MODE says. Memory
/// flushes sums of f32 up to GFX11 (LLVM, MemoryAtomicFAddF32DenormalSupport), nothing else.
void gcn::definitions::applyDenormals(AtomicCell &cell, AtomicDenormals denormals, bool isShare,
                                      unsigned gfx, uint32_t mode) {
  cell.isNumber = gfx == 12;
  if (denormals == Kept)
    return;
  if (!isShare) {
    cell.flushSources = cell.flushResult = denormals == OfSum && gfx < 12;
    return;
  }
  uint32_t field = mode >> (denormals == OfOthers ? 6 : 4) & 3; // Bit 0: sources, 1: results.
  cell.flushSources = !(field & 1);
  cell.flushResult = !(field & 2);
}

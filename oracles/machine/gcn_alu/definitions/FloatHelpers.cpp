// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The helpers from which compilers build larger functions: division, cube maps, digits of 2/pi; and
// the dot products of f16 and bf16. What chips do other than the manuals is in
// docs/errata-amdgpu.md.
#include "oracles/machine/gcn_alu/definitions/Floats.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// The bits of a float as an answer.
static Answer bitsOf(const Float &result) {
  return Exact(result.bits);
}

namespace {
/// Numbers of v_div_scale, by exponent fields, for f32 and f64.
struct ScaleLimits {
  int64_t farApart;         ///< Numerator and denominator.
  int64_t largeDenominator; ///< Its reciprocal is denormal.
  int64_t smallNumerator;
  int scale;
};
} // namespace

/// Of f32 or f64.
static const ScaleLimits &limitsOf(const Format &format) {
  static constexpr ScaleLimits single = {96, 253, 24, 64}, wide = {768, 2045, 53, 128};
  return format.width == 32 ? single : wide;
}

/// The power of two by which v_div_scale scales the \p isDenominator or other source.
static int divisionScale(int64_t numerator, int64_t denominator, bool isDenominator,
                         const ScaleLimits &limits) {
  int64_t distance = numerator - denominator;
  bool isLarge = distance >= limits.farApart, isSmall = distance <= -limits.farApart;
  if (isLarge)
    return isDenominator ? limits.scale : 0;
  if (denominator == 0)
    return limits.scale;
  if (denominator >= limits.largeDenominator)
    return isSmall && !isDenominator ? 0 : -limits.scale;
  if (isSmall)
    return isDenominator ? 0 : limits.scale;
  return numerator <= limits.smallNumerator ? limits.scale : 0;
}

/// Sources: the one to scale, denominator, numerator.
static Answer divisionScaled(Q q) {
  Float a = inputOf(q, 0), denominator = inputOf(q, 1), numerator = inputOf(q, 2);
  auto n = int64_t(numerator.exponentField()), d = int64_t(denominator.exponentField());
  const ScaleLimits &limits = limitsOf(a.format);
  bool isLarge = n - d >= limits.farApart, isSmall = n - d <= -limits.farApart;
  bool scalesBack = isLarge || (isSmall && d != 0);
  if (denominator.isZero() || numerator.isZero())
    return {Exact(invalidOf(a.format).bits), scalesBack};
  if (!a.isFinite())
    return {Exact((a.isNan() ? a.quieted() : a).bits), scalesBack};
  int scale = divisionScale(n, d, a.bits == denominator.bits, limits);
  return {Exact(rounded(a.value().scaled(scale), a.format, resultRules(q)).bits), scalesBack};
}

/// fma and, with the carry, a power of two, rounded together. Source denormals are kept.
static Answer divisionFma(Q q) {
  Float a = sourceOf(q, 0), b = sourceOf(q, 1), c = sourceOf(q, 2);
  Rules rules = resultRules(q);
  bool areFinite = a.isFinite() && b.isFinite() && c.isFinite();
  if (!q.carry() || !areFinite)
    return bitsOf(fused(a, b, c, a.format, rules));
  int scale = limitsOf(a.format).scale;
  bool isUp = int(c.exponentField()) > a.format.bias;
  Real sum(a.format.exactBits());
  mpfr_fma(sum.get(), a.value().get(), b.value().get(), c.value().get(), roundingOf(rules.round));
  return bitsOf(rounded(sum.scaled(isUp ? scale : -scale), a.format, rules));
}

/// Sources: the quotient, denominator, numerator.
static Answer divisionFixed(Q q) {
  Float quotient = sourceOf(q, 0), denominator = inputOf(q, 1), numerator = inputOf(q, 2);
  const Format &format = quotient.format;
  Rules rules = resultRules(q);
  bool negative = denominator.isNegative() != numerator.isNegative();
  if (numerator.isNan() || denominator.isNan())
    return bitsOf((numerator.isNan() ? numerator : denominator).quieted());
  if ((numerator.isZero() && denominator.isZero()) ||
      (numerator.isInfinite() && denominator.isInfinite()))
    return bitsOf(invalidOf(format));
  if (denominator.isZero() || numerator.isInfinite())
    return bitsOf(infinityOf(format, negative));
  if (denominator.isInfinite() || numerator.isZero())
    return bitsOf(zeroOf(format, negative));
  auto distance = int64_t(numerator.exponentField()) - int64_t(denominator.exponentField());
  if (format.width > 16 && distance < -(format.bias + int64_t(format.fraction)))
    return bitsOf(rounded(Real::of(1, -5000, negative), format, rules));
  if (!quotient.isFinite())
    return bitsOf(rounded(Real::of(1, 5000, negative), format, rules));
  return bitsOf(quotient.signedAs(negative));
}

namespace {
/// The coordinate of largest magnitude, z before y before x.
struct Major {
  unsigned axis;
  Float coordinate;
  bool negative; ///< Below zero, not -0.
};
} // namespace

/// The major coordinate of sources 0 to 2.
static Major majorOf(Q q) {
  auto isBelow = [&](unsigned first, unsigned second) {
    Float a = sourceOf(q, first).flushed().absolute(), b = sourceOf(q, second).flushed().absolute();
    return a.isNan() || b.isNan() || a.bits < b.bits; // magnitudes order like their bits
  };
  unsigned axis = 0;
  if (!isBelow(2, 0) && !isBelow(2, 1))
    axis = 2;
  else if (!isBelow(1, 0))
    axis = 1;
  Float coordinate = sourceOf(q, axis);
  Float flushed = coordinate.flushed();
  return {axis, coordinate, !flushed.isNan() && !flushed.isZero() && flushed.isNegative()};
}

/// Twice the axis, plus 1 on the negative side.
static Answer cubeFace(Q q) {
  Major major = majorOf(q);
  unsigned face = 2 * major.axis + (major.negative ? 1 : 0);
  return bitsOf(rounded(Real::of(face, 0, false), Single, Rules()));
}

/// Source \p index, negated or not; NaNs become quiet where MODE wants it.
static Answer coordinate(Q q, unsigned index, bool negates) {
  Float a = sourceOf(q, index);
  if (negates)
    a = a.negated();
  return bitsOf(a.isNan() ? asResult(a, resultRules(q)) : a);
}

/// s of the faces: -z, z; x, x; x, -x.
static Answer cubeS(Q q) {
  Major major = majorOf(q);
  return coordinate(q, major.axis == 0 ? 2 : 0,
                    major.axis == 0 ? !major.negative : major.axis == 2 && major.negative);
}

/// t of the faces: -y, -y; z, -z; -y, -y.
static Answer cubeT(Q q) {
  Major major = majorOf(q);
  return coordinate(q, major.axis == 1 ? 2 : 1, major.axis != 1 || major.negative);
}

/// Twice the major coordinate. A zero keeps its sign only where the mode rounds down.
static Answer cubeMajor(Q q) {
  Float major = majorOf(q).coordinate.flushed();
  Rules rules = resultRules(q);
  if (major.isNan())
    return bitsOf(asResult(major, rules));
  if (major.isZero())
    return bitsOf(rules.round == 2 ? major : zeroOf(Single));
  return bitsOf(major.isInfinite() ? major : rounded(major.value().scaled(1), Single, rules));
}

/// 53 digits of 2/pi from the segment's place on, cut off; there are 1201 digits.
static Answer twoOverPiSegment(Q q) {
  auto exponent = int(sourceOf(q, 0).exponentField());
  int skipped = int(q.bits(1) % 32) * 53 + std::max(exponent - 1077, 0);
  constexpr int digits = 1201;
  Real ratio(2000);
  mpfr_const_pi(ratio.get(), MPFR_RNDD);
  mpfr_ui_div(ratio.get(), 2, ratio.get(), MPFR_RNDZ);
  Real known = ratio.scaled(digits).whole(MPFR_RNDZ).scaled(-digits);
  // The digits that come before the segment are the whole part of this.
  Real shifted = known.scaled(skipped);
  Real rest = shifted - shifted.whole(MPFR_RNDZ);
  Real segment = rest.scaled(53).whole(MPFR_RNDZ);
  Rules rules = resultRules(q);
  rules.round = 3;
  int scale = -53 - skipped + (exponent >= 1968 ? 128 : 0);
  return bitsOf(rounded(segment.scaled(scale), Double, rules));
}

namespace {
/// Two factors, or with an absent one the addend.
struct DotTerm {
  Real value;
  int scale; ///< Of products: the sum of the exponents at which the factors' 1.0 stand.

  int top() const { return value.isZero() ? -1024 : value.top(); }
  int grid() const { return value.isZero() ? -1024 : scale - 24; }
};
} // namespace

/// Exponent of the factor's unit 1.0; denormals have that of the smallest normal.
static int scaleOf(const Float &factor) {
  return std::max(int(factor.exponentField()), 1) - factor.format.bias;
}

/// floor(\p value / 2^\p grid).
static Exact floorTo(const Real &value, int grid) {
  return value.scaled(-grid).whole(MPFR_RNDD).toInteger();
}

/// GFX11: terms are cut to a common grid in the frame of the addend's sign, where one of the other
/// sign counts a unit more.
static Real alignedSum11(const DotTerm &c, const DotTerm &p0, const DotTerm &p1, int floorOfC) {
  if (c.value.isZero() && p0.value.isZero() && p1.value.isZero())
    return c.value.magnitude();
  int top = std::max({floorOfC, c.top(), p0.top(), p1.top()});
  int grid = std::max({p0.grid(), p1.grid(), top - 26});
  bool frame = c.value.isNegative();
  Exact units = 0;
  for (const DotTerm *term : {&c, &p0, &p1}) {
    Exact cut = floorTo(term->value.magnitude(), grid);
    units += term->value.isNegative() == frame ? cut : -cut - 1;
  }
  if (frame)
    units = -units;
  return Real::of(uint64_t(units < 0 ? -units : units), grid, units < 0);
}

/// GFX12: floors, of the products on a grid of their own first. Of an addend below the grid nothing
/// remains, unless the grid is as low as the addend's lowest.
static Real alignedSum12(const DotTerm &c, const DotTerm &p0, const DotTerm &p1, int floorOfC) {
  int pairGrid = std::max(p0.grid(), p1.grid());
  int grid = std::max(pairGrid, std::max(floorOfC, c.top()) - 26);
  Exact addend = floorTo(c.value, grid);
  bool isBelowGrid = floorTo(c.value.magnitude(), grid) == 0;
  if (isBelowGrid && grid > floorOfC)
    addend = 0;
  Exact pair = floorTo(p0.value, pairGrid) + floorTo(p1.value, pairGrid);
  Real products = Real::of(uint64_t(pair < 0 ? -pair : pair), pairGrid, pair < 0);
  Exact units = addend + floorTo(products, grid);
  return Real::of(uint64_t(units < 0 ? -units : units), grid, units < 0);
}

/// What NaNs and infinities give, or nothing. \p c has the result's format.
static std::optional<Float> specialDot(llvm::ArrayRef<Float> a, llvm::ArrayRef<Float> b,
                                       const Float &c) {
  bool hasNan = llvm::any_of(a, [](const Float &x) { return x.isNan(); }) ||
                llvm::any_of(b, [](const Float &x) { return x.isNan(); });
  const Format &format = c.format;
  uint64_t payload = format.fraction == 23 ? 0xa3d : format.fraction == 10 ? 0x3d : 0x7d;
  if (hasNan)
    return Float{invalidOf(format).bits | payload, format};
  bool plus = false, minus = false, isInvalid = false;
  for (unsigned index : {0u, 1u}) {
    const Float &x = a[index], &y = b[index];
    isInvalid |= (x.isInfinite() && y.isZero()) || (x.isZero() && y.isInfinite());
    if (x.isInfinite() || y.isInfinite())
      (x.isNegative() == y.isNegative() ? plus : minus) = true;
  }
  if (isInvalid || (plus && minus))
    return invalidOf(format);
  if (c.isNan())
    return c.quieted();
  plus |= c.isInfinite() && !c.isNegative();
  minus |= c.isInfinite() && c.isNegative();
  if (plus && minus)
    return invalidOf(format);
  if (plus || minus)
    return infinityOf(format, minus);
  return std::nullopt;
}

/// GFX11 and GFX12, as measured. bf16 results are upper halves of f32 ones.
static Answer dotOfPairs(Q q) {
  const Format &factor = formatOf(q.shape.sources[0]), &result = resultFormat(q);
  bool isGfx11 = q.mode.gfxMajor == 11;
  auto half = [&](unsigned index, unsigned shift) {
    Float source = {(q.bits(index) >> shift) & 0xffff, factor};
    return source.flushed(!isGfx11 || factor.fraction == 10);
  };
  Float a[] = {half(0, 0), half(0, 16)}, b[] = {half(1, 0), half(1, 16)};
  Float c = sourceOf(q, 2).flushed(!isGfx11 || result.fraction == 10);
  if (std::optional<Float> special = specialDot(a, b, c))
    return bitsOf(*special);
  auto product = [&](unsigned index) {
    return DotTerm{a[index].value() * b[index].value(), scaleOf(a[index]) + scaleOf(b[index])};
  };
  bool toHalf = result.fraction == 10;
  int floorOfC = toHalf ? -14 : isGfx11 ? -1024 : -126;
  DotTerm addend = {c.value(), 0};
  Real sum = isGfx11 ? alignedSum11(addend, product(0), product(1), floorOfC)
                     : alignedSum12(addend, product(0), product(1), floorOfC);
  Rules rules = {0, true, !isGfx11 || toHalf, toHalf && q.mode.fp16Overflow, true};
  Float total = rounded(sum, toHalf ? Half : Single, rules);
  uint64_t bits = total.isZero() ? 0 : total.bits;
  return Exact(result.fraction == 7 ? bits >> 16 : bits);
}

/// GFX9 and GFX10: the manual's sequence, without f32 denormals.
static Answer dotInSequence(Q q) {
  Rules rules = resultRules(q), halves = rulesOf(Half, q.mode);
  rules.keepsInputs = rules.keepsOutputs = false;
  Float sum = sourceOf(q, 2).flushed();
  for (unsigned shift : {0u, 16u}) {
    auto wide = [&](unsigned index) {
      Float half = Float{(q.bits(index) >> shift) & 0xffff, Half}.flushed(halves.keepsInputs);
      if (half.isNan())
        return convertedNan(half, Single, rules);
      return half.isInfinite() ? infinityOf(Single, half.isNegative())
                               : rounded(half.value(), Single, Rules());
    };
    sum = fused(wide(0), wide(1), sum, Single, rules);
  }
  return bitsOf(sum);
}

/// Division, cube-map coordinates and digits of 2/pi. v_div_scale also returns a carry, which
/// v_div_fmas reads.
static const Definition Helpers[] = {
    {"v_div_scale_f32", "f32 carry = f32 f32 f32", divisionScaled},
    {"v_div_scale_f64", "f64 carry = f64 f64 f64", divisionScaled},
    {"v_div_fmas_f32", "f32 = f32 f32 f32 carry", divisionFma},
    {"v_div_fmas_f64", "f64 = f64 f64 f64 carry", divisionFma},
    {"v_div_fixup_f32", "f32 = f32 f32 f32", divisionFixed},
    {"v_div_fixup_f64", "f64 = f64 f64 f64", divisionFixed},
    {"v_div_fixup_f16", "f16 = f16 f16 f16 preserves", divisionFixed},
    {"v_div_fixup_legacy_f16@9-9", "f16 = f16 f16 f16", divisionFixed},
    {"v_cubeid_f32", "f32 = f32 f32 f32", cubeFace},
    {"v_cubesc_f32", "f32 = f32 f32 f32", cubeS},
    {"v_cubetc_f32", "f32 = f32 f32 f32", cubeT},
    {"v_cubema_f32", "f32 = f32 f32 f32", cubeMajor},
    {"v_trig_preop_f64", "f64 = f64 u32", twoOverPiSegment},
};

/// GFX9 and GFX10 add one term after the other; later generations round once.
static const Definition Dots[] = {
    {"v_dot2_f32_f16@9-10", "f32 = pkf16 pkf16 f32", dotInSequence},
    {"v_dot2c_f32_f16@9-10", "f32 = pkf16 pkf16 old:f32", dotInSequence},
    {"v_dot2_f32_f16@11", "f32 = pkf16 pkf16 f32", dotOfPairs},
    {"v_dot2_f32_bf16@11", "f32 = pkbf16 pkbf16 f32", dotOfPairs},
    {"v_dot2_f16_f16@11", "f16 = pkf16 pkf16 f16", dotOfPairs},
    {"v_dot2_bf16_bf16@11", "bf16 = pkbf16 pkbf16 bf16", dotOfPairs},
    {"v_dot2acc_f32_f16@11-11|v_dual_dot2acc_f32_f16@11", "f32 = pkf16 pkf16 old:f32", dotOfPairs},
    {"v_dual_dot2acc_f32_bf16@11", "f32 = pkbf16 pkbf16 old:f32", dotOfPairs},
};

void definitions::defineFloatHelpers(DefinitionSink sink) {
  defineAll(sink, Helpers);
  defineAll(sink, Dots);
}

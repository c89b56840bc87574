// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of the elementary functions: the exact result, by FloatMath.h, widened by what Vulkan
// 1.3 allows ("Precision of GLSL.std.450 Instructions").
#include "oracles/machine/spirv/math/FloatMath.h"
#include "oracles/machine/spirv/math/Interval.h"

#include <algorithm>
#include <limits>

using namespace assay;
using namespace assay::reference;

static constexpr double Infinity = std::numeric_limits<double>::infinity();

/// Room for the error of our own functions.
static Interval widenOwnError(Interval a, double relative = ElementaryError) {
  auto errorOf = [&](double x) {
    double size = x < 0 ? -x : x;
    return size == Infinity ? 0 : size * relative;
  };
  return {a.lo - errorOf(a.lo), a.hi + errorOf(a.hi), a.nan};
}

/// sqrt is an IEEE operation, correctly rounded.
static double sqrtOf(double x) {
  return __builtin_sqrt(x);
}

/// Unbounded where the operand may be zero, negative or infinite: Vulkan promises nothing there.
Interval reference::inverseSqrt(Interval a, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  if (!(a.lo > 0) || a.hi == Infinity)
    return Interval::whole();
  Interval result{1 / sqrtOf(a.hi), 1 / sqrtOf(a.lo), a.nan};
  // Root and quotient are off by half a unit of a double each. By IEEE 754 a rounded root and a
  // rounded quotient are off by one unit together.
  double ulps = rules.isIeee ? 1 : 2;
  return tighten(widenUlps(widenOwnError(result, 0x1.1p-52), ulps, rules), rules.width);
}

/// Unbounded for negative and infinite operands.
Interval reference::squareRoot(Interval a, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  if (a.lo < 0 || a.hi == Infinity)
    return Interval::whole();
  // The root of zero is taken as zero, though 1 / inverseSqrt(0) has no bound: else no length of a
  // zero vector could ever be judged.
  double smallest = formatOf(rules.width).minDenormal;
  Interval positive{a.lo > 0 ? a.lo : smallest, std::max(a.hi, smallest), a.nan};
  if (a.isExactly(0))
    return a;
  if (rules.isIeee) // A root of doubles, rounded again, is right: see FloatFormat::precision.
    return {roundToWidth(sqrtOf(std::max(a.lo, 0.0)), rules.width, rules.towardZero),
            roundToWidth(sqrtOf(a.hi), rules.width, rules.towardZero), a.nan};
  Interval result = divide(Interval::point(1), inverseSqrt(positive, rules), rules);
  if (a.lo <= 0)
    result.lo = 0;
  return result;
}

/// (3 + 2|x|) ULP around an exponential, (1 + 2|x|) for 16 bits.
static Interval widenExponential(Interval a, Interval result, const FloatRules &rules) {
  double size = std::max(a.lo < 0 ? -a.lo : a.lo, a.hi < 0 ? -a.hi : a.hi);
  if (size > 1000)
    size = 1000; // The result is zero or infinite long before.
  Interval wide = widenUlps(widenOwnError(result), (rules.width == 16 ? 1 : 3) + 2 * size, rules);
  wide.lo = std::max(wide.lo, 0.0);
  wide.nan = a.nan;
  return flush(tighten(wide, rules.width), rules);
}

/// Monotone, so that the bounds of the result are those of the operand's bounds.
Interval reference::exp2Interval(Interval a, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  return widenExponential(a, {exp2Of(a.lo), exp2Of(a.hi), a.nan}, rules);
}

/// As exp2Interval(), with base e.
Interval reference::expInterval(Interval a, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  return widenExponential(a, {expOf(a.lo), expOf(a.hi), a.nan}, rules);
}

/// 3 ULP outside [0.5, 2], an absolute 2^-21 (2^-7 for 16 bits) inside.
static Interval widenLogarithm(Interval a, Interval result, const FloatRules &rules) {
  Interval wide = widenOwnError(result);
  double inside = rules.width == 16 ? 0x1p-7 : 0x1p-21;
  double downBy = a.lo >= 0.5 && a.lo <= 2 ? inside : 3 * ulpOf(wide.lo, rules.width);
  double upBy = a.hi >= 0.5 && a.hi <= 2 ? inside : 3 * ulpOf(wide.hi, rules.width);
  return tighten({nextDown(wide.lo - downBy), nextUp(wide.hi + upBy), a.nan}, rules.width);
}

/// Unbounded where the operand may be negative or infinite, and for zero alone.
Interval reference::log2Interval(Interval a, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  if (a.lo < 0 || a.hi <= 0 || a.hi == Infinity)
    return Interval::whole();
  return widenLogarithm(a, {log2Of(a.lo), log2Of(a.hi), a.nan}, rules);
}

/// As log2Interval(), with base e.
Interval reference::logInterval(Interval a, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  if (a.lo < 0 || a.hi <= 0 || a.hi == Infinity)
    return Interval::whole();
  return widenLogarithm(a, {logOf(a.lo), logOf(a.hi), a.nan}, rules);
}

/// Unbounded where the base may be zero or negative, except zero to a positive power.
Interval reference::powInterval(Interval x, Interval y, const FloatRules &rules) {
  if (x.isEmpty() || y.isEmpty())
    return Interval::onlyNan();
  if (x.isExactly(0) && y.lo > 0)
    return Interval::point(0);
  // Inherited from exp2(y * log2(x)).
  if (!(x.lo > 0))
    return Interval::whole();
  return exp2Interval(mul(y, log2Interval(x, rules), stepsOf(rules)), rules);
}

/// The error of a sine or cosine of arguments up to \p size; 1 and more: none is promised. Vulkan:
/// an absolute 2^-11 (2^-7 for 16 bits) in [-pi, pi]. In practice an argument outside is reduced to
/// turns first, by a product with 1 / (2 pi): constant and product are rounded, which takes at most
/// a unit in the last place of the argument (LLVM, AMDGPULegalizerInfo.cpp, legalizeSinCos).
static double circularError(double size, const FloatRules &rules) {
  // Those of a CPU are polynomials after a reduction in parts, with few units in the last place up
  // to 8192 (Cephes, which llvmpipe uses).
  double inside = rules.width == 16 ? 0x1p-7 : rules.isIeee ? 0x1p-20 : 0x1p-11;
  double edge = rules.isIeee && rules.width == 32 ? 8192 : Pi * (1 + 0x1p-24);
  if (size <= edge)
    return inside;
  return rules.isPractical ? inside + size * powerOfTwo(1 - formatOf(rules.width).precision) : 1;
}

/// Where no error is promised, the range of the function is taken.
static Interval circular(Interval a, double (*function)(double), double firstPeak,
                         const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  if (a.lo == -Infinity || a.hi == Infinity)
    return Interval::whole();
  double error = circularError(std::max(-a.lo, a.hi), rules), inside = circularError(0, rules);
  Interval all{-1 - inside, 1 + inside, a.nan};
  if (error >= 1 || a.hi - a.lo >= 2 * Pi)
    return all;
  double left = function(a.lo), right = function(a.hi);
  Interval result{std::min(left, right), std::max(left, right), a.nan};
  // Peaks at firstPeak + k * pi, alternating 1 and -1.
  for (double k = -floorOf(-(a.lo - firstPeak) / Pi); firstPeak + k * Pi <= a.hi; ++k)
    result = hull(result, Interval::point(static_cast<int64_t>(k) & 1 ? -1 : 1));
  result = widenBy(result, error);
  return tighten({std::max(result.lo, all.lo), std::min(result.hi, all.hi), a.nan}, rules.width);
}

/// For an exact zero, practical rules return the operand with its sign.
Interval reference::sinInterval(Interval a, const FloatRules &rules) {
  if (rules.isPractical && a.isExactly(0))
    return a; // An odd function.
  return circular(a, sinOf, Pi / 2, rules);
}
/// Practical rules return exactly 1 for zero.
Interval reference::cosInterval(Interval a, const FloatRules &rules) {
  if (rules.isPractical && a.isExactly(0))
    return Interval::point(1);
  return circular(a, cosOf, 0, rules);
}

/// 4096 ULP, 5 for 16 bits.
static Interval widenArc(Interval result, const FloatRules &rules) {
  double ulps = rules.width == 16 ? 5 : 4096;
  return tighten(widenUlps(widenOwnError(result), ulps, rules), rules.width);
}

/// Zero is exact, with its sign.
Interval reference::atanInterval(Interval a, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  if (a.isExactly(0))
    return a;
  Interval result{atanOf(a.lo), atanOf(a.hi), a.nan};
  return widenArc(result, rules);
}

/// Unbounded for NaN and where both may be zero. Elsewhere the extremes are in corners, except
/// across the cut at negative x.
Interval reference::atan2Interval(Interval y, Interval x, const FloatRules &rules) {
  // No bound is promised for NaN, and implementations do give numbers.
  if (y.nan || x.nan)
    return Interval::whole();
  double bound = Pi * (1 + (rules.width == 16 ? 5 * 0x1p-10 : 4096 * 0x1p-23));
  if (y.contains(0) && x.contains(0))
    return Interval::whole(); // Undefined at the origin.
  if (y.contains(0) && x.lo < 0)
    return {-bound, bound, false}; // Across the cut, and zero has two signs.
  double corners[] = {atan2Of(y.lo, x.lo), atan2Of(y.lo, x.hi), atan2Of(y.hi, x.lo),
                      atan2Of(y.hi, x.hi)};
  Interval result{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
                  false};
  return widenArc(result, rules);
}

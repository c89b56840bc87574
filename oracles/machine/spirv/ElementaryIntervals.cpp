// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of the elementary functions: the exact result, by FloatMath.h, widened by what Vulkan
// 1.3 allows ("Precision of GLSL.std.450 Instructions").
#include "oracles/machine/spirv/FloatMath.h"
#include "oracles/machine/spirv/Interval.h"

#include <algorithm>
#include <limits>

using namespace assay;
using namespace assay::reference;

static constexpr double Infinity = std::numeric_limits<double>::infinity();

/// Room for the error of our own functions.
static Interval widenOwnError(Interval a) {
  auto errorOf = [](double x) {
    double size = x < 0 ? -x : x;
    return size == Infinity ? 0 : size * ElementaryError;
  };
  return {a.lo - errorOf(a.lo), a.hi + errorOf(a.hi), a.nan};
}

/// sqrt is an IEEE operation, correctly rounded.
static double sqrtOf(double x) {
  return __builtin_sqrt(x);
}

Interval reference::inverseSqrt(Interval a) {
  if (a.isEmpty())
    return a;
  if (!(a.lo > 0) || a.hi == Infinity)
    return Interval::whole();
  Interval result{1 / sqrtOf(a.hi), 1 / sqrtOf(a.lo), a.nan};
  return tighten(widenUlps(widenOwnError(result), 2));
}

Interval reference::squareRoot(Interval a) {
  if (a.isEmpty())
    return a;
  if (a.lo < 0 || a.hi == Infinity)
    return Interval::whole();
  // The root of zero is taken as zero, though 1 / inverseSqrt(0) has no bound: else no length of a
  // zero vector could ever be judged.
  Interval positive{a.lo > 0 ? a.lo : 0x1p-149, std::max(a.hi, 0x1p-149), a.nan};
  if (a.isExactly(0))
    return a;
  Interval result = divide(Interval::point(1), inverseSqrt(positive));
  if (a.lo <= 0)
    result.lo = 0;
  return result;
}

/// (3 + 2|x|) ULP around an exponential.
static Interval widenExponential(Interval a, Interval result) {
  double size = std::max(a.lo < 0 ? -a.lo : a.lo, a.hi < 0 ? -a.hi : a.hi);
  if (size > 1000)
    size = 1000; // The result is zero or infinite long before.
  Interval wide = widenUlps(widenOwnError(result), 3 + 2 * size);
  wide.lo = std::max(wide.lo, 0.0);
  wide.nan = a.nan;
  return flush(tighten(wide));
}

Interval reference::exp2Interval(Interval a) {
  if (a.isEmpty())
    return a;
  return widenExponential(a, {exp2Of(a.lo), exp2Of(a.hi), a.nan});
}

Interval reference::expInterval(Interval a) {
  if (a.isEmpty())
    return a;
  return widenExponential(a, {expOf(a.lo), expOf(a.hi), a.nan});
}

/// 3 ULP outside [0.5, 2], an absolute 2^-21 inside.
static Interval widenLogarithm(Interval a, Interval result) {
  Interval wide = widenOwnError(result);
  double inside = 0x1.0p-21;
  double downBy = a.lo >= 0.5 && a.lo <= 2 ? inside : 3 * ulpOf(wide.lo);
  double upBy = a.hi >= 0.5 && a.hi <= 2 ? inside : 3 * ulpOf(wide.hi);
  return tighten({nextDown(wide.lo - downBy), nextUp(wide.hi + upBy), a.nan});
}

Interval reference::log2Interval(Interval a) {
  if (a.isEmpty())
    return a;
  if (a.lo < 0 || a.hi <= 0 || a.hi == Infinity)
    return Interval::whole();
  return widenLogarithm(a, {log2Of(a.lo), log2Of(a.hi), a.nan});
}

Interval reference::logInterval(Interval a) {
  if (a.isEmpty())
    return a;
  if (a.lo < 0 || a.hi <= 0 || a.hi == Infinity)
    return Interval::whole();
  return widenLogarithm(a, {logOf(a.lo), logOf(a.hi), a.nan});
}

Interval reference::powInterval(Interval x, Interval y) {
  if (x.isEmpty() || y.isEmpty())
    return Interval::onlyNan();
  if (x.isExactly(0) && y.lo > 0)
    return Interval::point(0);
  // Inherited from exp2(y * log2(x)).
  if (!(x.lo > 0))
    return Interval::whole();
  return exp2Interval(mul(y, log2Interval(x)));
}

/// Sine and cosine have an absolute error of 2^-11 in [-pi, pi] and none promised outside; there
/// the range of the function is taken.
static Interval circular(Interval a, double (*function)(double), double firstPeak) {
  constexpr double error = 0x1p-11;
  if (a.isEmpty())
    return a;
  if (a.lo == -Infinity || a.hi == Infinity)
    return Interval::whole();
  constexpr double edge = Pi * (1 + 0x1p-24);
  if (a.lo < -edge || a.hi > edge)
    return {-1 - error, 1 + error, a.nan};
  double left = function(a.lo), right = function(a.hi);
  Interval result{std::min(left, right), std::max(left, right), a.nan};
  for (int k = -2; k <= 2; ++k) { // Peaks at firstPeak + k * pi, alternating 1 and -1.
    if (a.contains(firstPeak + k * Pi))
      result = hull(result, Interval::point(k & 1 ? -1 : 1));
  }
  return tighten(widenBy(result, error));
}

Interval reference::sinInterval(Interval a) {
  return circular(a, sinOf, Pi / 2);
}
Interval reference::cosInterval(Interval a) {
  return circular(a, cosOf, 0);
}

Interval reference::atanInterval(Interval a) {
  if (a.isEmpty())
    return a;
  if (a.isExactly(0))
    return a;
  Interval result{atanOf(a.lo), atanOf(a.hi), a.nan};
  return tighten(widenUlps(widenOwnError(result), 4096));
}

Interval reference::atan2Interval(Interval y, Interval x) {
  // No bound is promised for NaN, and implementations do give numbers.
  if (y.nan || x.nan)
    return Interval::whole();
  constexpr double bound = Pi * (1 + 4096 * 0x1p-23);
  if (y.contains(0) && x.contains(0))
    return Interval::whole(); // Undefined at the origin.
  if (y.contains(0) && x.lo < 0)
    return {-bound, bound, false}; // Across the cut, and zero has two signs.
  double corners[] = {atan2Of(y.lo, x.lo), atan2Of(y.lo, x.hi), atan2Of(y.hi, x.lo),
                      atan2Of(y.hi, x.hi)};
  Interval result{*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
                  false};
  return tighten(widenUlps(widenOwnError(result), 4096));
}

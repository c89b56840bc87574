// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The basic operations. ElementaryIntervals.cpp has the functions.
#include "oracles/machine/spirv/Interval.h"

#include "oracles/machine/spirv/FloatMath.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

static constexpr double Infinity = std::numeric_limits<double>::infinity();
static constexpr double MinNormal = 0x1p-126;
static constexpr double MaxFloat = 0x1.fffffep127;

Interval Interval::whole() {
  return {-Infinity, Infinity, true};
}
Interval Interval::onlyNan() {
  return {Infinity, -Infinity, true};
}

static bool isNan(double x) {
  return x != x;
}
static bool isNegative(double x) {
  return llvm::bit_cast<uint64_t>(x) >> 63;
}
static double roundToFloat(double x) {
  return static_cast<float>(x);
}
static bool isFloat(double x) {
  return roundToFloat(x) == x;
}

/// The lesser number; of two zeros the one asked for.
static double lesser(double a, double b, bool negativeZero) {
  if (a == b)
    return isNegative(a) == negativeZero ? a : b;
  return a < b ? a : b;
}
/// The bounds of \p values, with both signs of zero where both occur.
static Interval boundsOf(ArrayRef<double> values, bool nan) {
  Interval result{values[0], values[0], nan};
  for (double value : values.drop_front()) {
    result.lo = lesser(result.lo, value, true);
    result.hi = -lesser(-result.hi, -value, true);
  }
  return result;
}

Interval reference::flush(Interval a) {
  if (a.lo > 0 && a.lo < MinNormal)
    a.lo = 0;
  if (a.hi < 0 && a.hi > -MinNormal)
    a.hi = 0;
  return a;
}

static Interval relax(Interval a) {
  if (a.isEmpty())
    return a;
  double size = std::max(a.lo < 0 ? -a.lo : a.lo, a.hi < 0 ? -a.hi : a.hi);
  Interval result = widenBy(a, size * 0x1p-10 + 0x1p-14);
  // Beyond the range of 16 bits an infinity is right too.
  if (result.hi > 65504)
    result.hi = Infinity;
  if (result.lo < -65504)
    result.lo = -Infinity;
  return result;
}

Interval reference::intervalOf(const Scalar &value, const FloatRules &rules, bool unrounded) {
  Interval result;
  if (value.flags & Ranged) {
    result = {value.lo, value.hi, (value.flags & MayNan) != 0};
    if (value.flags & Fusable && !unrounded)
      result = tighten(result);
  } else {
    double x = fromFloat(value.bits);
    result = isNan(x) ? Interval::onlyNan() : Interval::point(x);
  }
  if (rules.mayFlush)
    result = flush(result);
  return rules.relaxed ? relax(result) : result;
}

Scalar reference::scalarOf(Interval interval, const FloatRules &rules, double nominal) {
  if (rules.relaxed)
    interval = relax(interval);
  if (rules.mayFlush)
    interval = flush(interval);
  interval = tighten(interval);
  if (interval.isEmpty()) {
    Scalar result{0x7fc00000, {interval.lo}, interval.hi, Ranged | MayNan, Cause::Math};
    return result;
  }
  if (!(nominal >= interval.lo))
    nominal = interval.lo;
  if (nominal > interval.hi)
    nominal = interval.hi;
  uint32_t bits = toFloat(nominal);
  // A negative zero keeps an interval: where signs of zeros need not be preserved it may be +0.
  bool isFreeZero = interval.lo == 0 && (isNegative(interval.lo) || isNegative(interval.hi));
  if (interval.isPoint() && (!isFreeZero || rules.signedZero))
    return Scalar::exact(bits);
  if (interval.lo == 0)
    interval.lo = -0.0;
  if (interval.hi == 0)
    interval.hi = 0.0;
  uint8_t flags = Ranged | (interval.nan ? MayNan : 0);
  return {bits, {interval.lo}, interval.hi, flags, Cause::Math};
}

Scalar reference::scalarOf(Interval interval, const FloatRules &rules) {
  double middle = interval.lo * 0.5 + interval.hi * 0.5;
  return scalarOf(interval, rules, isNan(middle) ? 0 : middle);
}

Interval reference::hull(Interval a, Interval b) {
  if (a.isEmpty() || b.isEmpty())
    return a.isEmpty() ? Interval{b.lo, b.hi, true} : Interval{a.lo, a.hi, true};
  return boundsOf({a.lo, b.lo, a.hi, b.hi}, a.nan || b.nan);
}

Interval reference::tighten(Interval a) {
  if (a.isEmpty())
    return a;
  double lo = ceilToFloat(a.lo), hi = floorToFloat(a.hi);
  if (lo > hi) // No float inside: the nearest ones outside stand for it.
    std::swap(lo, hi);
  return {lo, hi, a.nan};
}

Interval reference::widenBy(Interval a, double amount) {
  if (a.isEmpty())
    return a;
  return {nextDown(a.lo - amount), nextUp(a.hi + amount), a.nan};
}

Interval reference::widenUlps(Interval a, double ulps) {
  if (a.isEmpty())
    return a;
  Interval result{nextDown(a.lo - ulps * ulpOf(a.lo)), nextUp(a.hi + ulps * ulpOf(a.hi)), a.nan};
  if (result.hi > MaxFloat)
    result.hi = Infinity;
  if (result.lo < -MaxFloat)
    result.lo = -Infinity;
  return result;
}

Interval reference::negate(Interval a) {
  return {-a.hi, -a.lo, a.nan};
}

Interval reference::absolute(Interval a) {
  if (a.isEmpty())
    return a;
  if (a.lo >= 0) // A negative zero, too, loses its sign.
    return {std::fabs(a.lo), std::fabs(a.hi), a.nan};
  if (a.hi <= 0)
    return negate(a);
  return {0, std::max(-a.lo, a.hi), a.nan};
}

/// What rounding took from s = a + b; zero for an infinite sum.
static double errorOfSum(double a, double b, double s) {
  if (s - s != 0)
    return 0;
  double bb = s - a;
  return (a - (s - bb)) + (b - bb);
}
/// The sum of two doubles, bounded from below and from above.
static double sumDown(double a, double b) {
  double s = a + b;
  return errorOfSum(a, b, s) < 0 ? nextDown(s) : s;
}
static double sumUp(double a, double b) {
  double s = a + b;
  return errorOfSum(a, b, s) > 0 ? nextUp(s) : s;
}

static double productDown(double a, double b) {
  if (a == 0 || b == 0)
    return a * b; // With its sign; zero times infinity is handled by the caller.
  double p = a * b;
  return isFloat(a) && isFloat(b) ? p : nextDown(p);
}
static double productUp(double a, double b) {
  return -productDown(-a, b);
}

static bool isInfinite(double x) {
  return x == Infinity || x == -Infinity;
}

Interval reference::add(Interval a, Interval b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::onlyNan();
  double lo = sumDown(a.lo, b.lo), hi = sumUp(a.hi, b.hi);
  bool opposite =
      (a.hi == Infinity && b.lo == -Infinity) || (a.lo == -Infinity && b.hi == Infinity);
  bool nan = a.nan || b.nan || opposite;
  if (a.isPoint() && b.isPoint() && opposite)
    return Interval::onlyNan();
  lo = isNan(lo) ? -Infinity : lo;
  hi = isNan(hi) ? Infinity : hi;
  return {roundToFloat(lo), roundToFloat(hi), nan};
}

Interval reference::sub(Interval a, Interval b) {
  return add(a, negate(b));
}

Interval reference::mulUnrounded(Interval a, Interval b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::onlyNan();
  bool zeroTimesInfinity = (a.contains(0) && (isInfinite(b.lo) || isInfinite(b.hi))) ||
                           (b.contains(0) && (isInfinite(a.lo) || isInfinite(a.hi)));
  if (zeroTimesInfinity)
    return a.isPoint() && b.isPoint() ? Interval::onlyNan() : Interval::whole();
  double lo = boundsOf({productDown(a.lo, b.lo), productDown(a.lo, b.hi), productDown(a.hi, b.lo),
                        productDown(a.hi, b.hi)},
                       false)
                  .lo;
  double hi = boundsOf({productUp(a.lo, b.lo), productUp(a.lo, b.hi), productUp(a.hi, b.lo),
                        productUp(a.hi, b.hi)},
                       false)
                  .hi;
  return {std::min(lo, roundToFloat(lo)), std::max(hi, roundToFloat(hi)), a.nan || b.nan};
}

Interval reference::mul(Interval a, Interval b) {
  Interval product = mulUnrounded(a, b);
  if (product.isEmpty())
    return product;
  return {roundToFloat(product.lo), roundToFloat(product.hi), product.nan};
}

Interval reference::divide(Interval a, Interval b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::onlyNan();
  // Vulkan promises 2.5 ULP for 2^-126 <= |b| <= 2^126 alone.
  bool inRange = (b.lo >= MinNormal && b.hi <= 0x1p126) || (b.hi <= -MinNormal && b.lo >= -0x1p126);
  if (!inRange || isInfinite(a.lo) || isInfinite(a.hi))
    return Interval::whole();
  if (a.isExactly(0))
    return boundsOf({a.lo / b.lo, a.hi / b.lo}, b.nan);
  double q[] = {a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
  Interval quotient{nextDown(*std::min_element(q, q + 4)), nextUp(*std::max_element(q, q + 4)),
                    a.nan || b.nan};
  return flush(tighten(widenUlps(quotient, 2.5)));
}

/// Either operand is right where one may be NaN.
static Interval withNanChoice(Interval result, Interval a, Interval b) {
  if (a.nan)
    result = hull(result, b);
  if (b.nan)
    result = hull(result, a);
  return result;
}

Interval reference::minimum(Interval a, Interval b) {
  Interval result = Interval::onlyNan();
  if (!a.isEmpty() && !b.isEmpty())
    result = {lesser(a.lo, b.lo, true), lesser(a.hi, b.hi, false), a.nan || b.nan};
  return withNanChoice(result, a, b);
}

Interval reference::maximum(Interval a, Interval b) {
  return negate(minimum(negate(a), negate(b)));
}

Interval reference::clampTo(Interval a, double lo, double hi) {
  if (a.isEmpty())
    return a;
  return {std::clamp(a.lo, lo, hi), std::clamp(a.hi, lo, hi), a.nan};
}

template <double (*Function)(double)> static Interval monotone(Interval a) {
  return a.isEmpty() ? a : Interval{Function(a.lo), Function(a.hi), a.nan};
}
static double ceilOf(double x) {
  return -floorOf(-x);
}
static double truncOf(double x) {
  return x < 0 ? ceilOf(x) : floorOf(x);
}

Interval reference::roundDown(Interval a) {
  return monotone<floorOf>(a);
}
Interval reference::roundUp(Interval a) {
  return monotone<ceilOf>(a);
}
Interval reference::roundToZero(Interval a) {
  return monotone<truncOf>(a);
}
Interval reference::roundToEven(Interval a) {
  return monotone<roundEvenOf>(a);
}

double reference::quantumOf(double x) {
  if (x == 0)
    return Infinity;
  uint64_t bits = llvm::bit_cast<uint64_t>(x) & 0x7fffffffffffffffull;
  int exponent = static_cast<int>(bits >> 52);
  uint64_t mantissa = (bits & 0xfffffffffffffull) | (uint64_t(1) << 52);
  int position = exponent - 1075 + llvm::countr_zero(mantissa);
  if (exponent == 0 || position < -1022)
    return 0;
  return llvm::bit_cast<double>(uint64_t(position + 1023) << 52);
}

static double magnitude(Interval a) {
  return std::max(std::max(-a.lo, a.hi), 0.0);
}

Interval reference::dotProduct(const Interval *x, const Interval *y, unsigned count) {
  double lo = 0, hi = 0, total = 0, quantum = Infinity;
  bool nan = false, points = true;
  for (unsigned i = 0; i < count; ++i) {
    Interval product = mulUnrounded(x[i], y[i]);
    nan |= product.nan;
    if (product.isEmpty() || isInfinite(product.lo) || isInfinite(product.hi))
      return Interval::whole();
    points &= x[i].isPoint() && y[i].isPoint();
    quantum = std::min(quantum, quantumOf(x[i].lo * y[i].lo));
    lo = i ? sumDown(lo, product.lo) : product.lo; // A sum of negative zeros is one.
    hi = i ? sumUp(hi, product.hi) : product.hi;
    total = sumUp(total, magnitude(product));
  }
  // Multiples of one quantum below 2^24 of it never round, in whatever order.
  if (points && total <= quantum * 0x1p24 && quantum >= MinNormal)
    return {lo, hi, nan};
  // Every product and sum may round, or be flushed.
  double error = total * (count + 1) * 0x1p-24 + 2 * count * MinNormal;
  return tighten(widenBy({lo, hi, nan}, error * 1.0001));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The basic operations. ElementaryIntervals.cpp has the functions.
#include "oracles/machine/spirv/math/Interval.h"

#include "oracles/machine/spirv/math/FloatMath.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

static constexpr double Infinity = std::numeric_limits<double>::infinity();

/// Any number or NaN.
Interval Interval::whole() {
  return {-Infinity, Infinity, true};
}
/// Has no numbers: the lower bound is above the upper one.
Interval Interval::onlyNan() {
  return {Infinity, -Infinity, true};
}

/// Covers all values, and is marked as the result of an operation with an undefined result.
Interval Interval::undefined() {
  Interval result = whole();
  result.isUndefined = true;
  return result;
}

static bool isNan(double x) {
  return x != x;
}
/// Whether the sign bit is set, also of zeros.
static bool isNegative(double x) {
  return llvm::bit_cast<uint64_t>(x) >> 63;
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

/// Widens an end that is a denormal to zero; the other values stay possible.
Interval reference::flush(Interval a, const FloatRules &rules) {
  double smallest = formatOf(rules.width).minNormal;
  if (!rules.mayFlush)
    return a;
  if (a.lo > 0 && a.lo < smallest)
    a.lo = 0;
  if (a.hi < 0 && a.hi > -smallest)
    a.hi = 0;
  return a;
}

/// What flushing leaves of a result: no denormal at either end.
static Interval flushResult(Interval a, const FloatRules &rules) {
  a = flush(a, rules);
  double smallest = formatOf(rules.width).minNormal;
  if (!rules.mustFlush || a.isEmpty())
    return a;
  if (a.lo < 0 && a.lo > -smallest)
    a.lo = -0.0;
  if (a.hi > 0 && a.hi < smallest)
    a.hi = 0;
  return a;
}

/// RelaxedPrecision says nothing of other widths than 32.
static Interval relax(Interval a, const FloatRules &rules) {
  if (a.isEmpty() || !rules.relaxed || rules.width != 32)
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

/// Returns the interval of a value as an operand: flushed and relaxed as the rules permit. A
/// product that may be fused comes rounded, unless \p unrounded is set.
Interval reference::intervalOf(const Scalar &value, const FloatRules &rules, bool unrounded) {
  Interval result;
  bool isRounded = value.flags & Fusable && !unrounded;
  if (value.flags & Ranged && !(isRounded && value.flags & RoundedBits)) {
    result = {value.lo, value.hi, (value.flags & MayNan) != 0};
    if (isRounded)
      result = tighten(result, rules.width);
  } else {
    double x = fromBits(value.bits, rules.width);
    result = isNan(x) ? Interval::onlyNan() : Interval::point(x);
    if (value.flags & Ranged && x == 0 && !rules.signedZero)
      result = {-0.0, 0.0, false};
  }
  return relax(flush(result, rules), rules);
}

/// The middle of the mantissas that a NaN may have.
static uint64_t quietNan(unsigned width) {
  return toBits(std::numeric_limits<double>::quiet_NaN(), width);
}

/// A single number becomes an exact scalar, except zeros of free sign. \p nominal gives the bits.
Scalar reference::scalarOf(Interval interval, const FloatRules &rules, double nominal) {
  if (interval.isUndefined && !rules.isPractical) // In practice it is some value.
    return Scalar::undefined(Cause::Math);
  interval = tighten(flushResult(relax(interval, rules), rules), rules.width);
  if (interval.isEmpty()) {
    Scalar result{quietNan(rules.width), {interval.lo}, interval.hi, Ranged | MayNan, Cause::Math};
    return result;
  }
  if (!(nominal >= interval.lo))
    nominal = interval.lo;
  if (nominal > interval.hi)
    nominal = interval.hi;
  uint64_t bits = toBits(nominal, rules.width);
  // A zero keeps an interval: where signs of zeros need not be preserved it may have the other one,
  // and the lesser of two zeros is either.
  bool isFreeZero =
      interval.lo == 0 && (!rules.signedZero || isNegative(interval.lo) != isNegative(interval.hi));
  if (interval.isPoint() && !isFreeZero)
    return Scalar::exact(bits);
  if (interval.lo == 0)
    interval.lo = -0.0;
  if (interval.hi == 0)
    interval.hi = 0.0;
  uint8_t flags = Ranged | (interval.nan ? MayNan : 0);
  return {bits, {interval.lo}, interval.hi, flags, Cause::Math};
}

/// The result has no Fusable flag.
Scalar reference::settle(const Scalar &value, unsigned width) {
  if (!(value.flags & Fusable) || value.isPoison())
    return value;
  if (value.flags & RoundedBits && fromBits(value.bits, width) != 0)
    return Scalar::exact(value.bits);
  if (value.flags & RoundedBits)
    return {value.bits, {-0.0}, 0.0, Ranged, Cause::Math};
  Interval rounded = tighten({value.lo, value.hi, (value.flags & MayNan) != 0}, width);
  if (rounded.isPoint() && rounded.lo != 0)
    return Scalar::exact(toBits(rounded.lo, width));
  Scalar result = value;
  result.flags &= ~Fusable;
  result.lo = rounded.lo;
  result.hi = rounded.hi;
  return result;
}

/// Takes the middle of the interval as the nominal value, and 0 where it has no middle.
Scalar reference::scalarOf(Interval interval, const FloatRules &rules) {
  double middle = interval.lo * 0.5 + interval.hi * 0.5;
  return scalarOf(interval, rules, isNan(middle) ? 0 : middle);
}

/// An empty interval contributes NaN.
Interval reference::hull(Interval a, Interval b) {
  if (a.isEmpty() || b.isEmpty())
    return a.isEmpty() ? Interval{b.lo, b.hi, true} : Interval{a.lo, a.hi, true};
  return boundsOf({a.lo, b.lo, a.hi, b.hi}, a.nan || b.nan);
}

/// Shrinks the bounds to floats of this width. An interval without such a float gets the two around
/// it.
Interval reference::tighten(Interval a, unsigned width) {
  if (a.isEmpty())
    return a;
  double lo = ceilToWidth(a.lo, width), hi = floorToWidth(a.hi, width);
  if (lo > hi) // No float inside: the nearest ones outside represent it.
    std::swap(lo, hi);
  return {lo, hi, a.nan};
}

/// Widens by an absolute amount, and by one double more on each side for the rounding of the
/// bounds.
Interval reference::widenBy(Interval a, double amount) {
  if (a.isEmpty())
    return a;
  return {nextDown(a.lo - amount), nextUp(a.hi + amount), a.nan};
}

/// Beyond the largest finite number the bound is infinity.
Interval reference::widenUlps(Interval a, double ulps, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  Interval result{nextDown(a.lo - ulps * ulpOf(a.lo, rules.width)),
                  nextUp(a.hi + ulps * ulpOf(a.hi, rules.width)), a.nan};
  double largest = formatOf(rules.width).maxFinite;
  if (result.hi > largest)
    result.hi = Infinity;
  if (result.lo < -largest)
    result.lo = -Infinity;
  return result;
}

Interval reference::negate(Interval a) {
  return {-a.hi, -a.lo, a.nan};
}

/// An interval around zero starts at positive zero.
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
/// The smallest double not below the exact sum.
static double sumUp(double a, double b) {
  double s = a + b;
  return errorOfSum(a, b, s) > 0 ? nextUp(s) : s;
}

/// The smallest double not below the exact product.
static double productUp(double a, double b) {
  return -productDown(-a, b);
}

static bool isInfinite(double x) {
  return x == Infinity || x == -Infinity;
}

/// The sum, rounded by \p rules; where a double in between may round first, from the side of the
/// bound.
static double roundedSum(double a, double b, bool isUpper, const FloatRules &rules) {
  double s = a + b;
  if (isInfinite(s) && !isInfinite(a) && !isInfinite(b))
    return rules.towardZero ? std::copysign(formatOf(rules.width).maxFinite, s) : s;
  if (rules.towardZero)
    return roundToWidth(s < 0 ? sumUp(a, b) : sumDown(a, b), rules.width, true);
  if (rules.eitherWay)
    return isUpper ? ceilToWidth(sumUp(a, b), rules.width)
                   : floorToWidth(sumDown(a, b), rules.width);
  if (rules.width == 64)
    return s;
  return roundToWidth(isUpper ? sumUp(a, b) : sumDown(a, b), rules.width);
}

/// NaN is possible where infinities of opposite sign may meet.
Interval reference::add(Interval a, Interval b, const FloatRules &rules) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::onlyNan();
  double lo = roundedSum(a.lo, b.lo, false, rules), hi = roundedSum(a.hi, b.hi, true, rules);
  bool opposite =
      (a.hi == Infinity && b.lo == -Infinity) || (a.lo == -Infinity && b.hi == Infinity);
  bool nan = a.nan || b.nan || opposite;
  if (a.isPoint() && b.isPoint() && opposite)
    return Interval::onlyNan();
  lo = isNan(lo) ? -Infinity : lo;
  hi = isNan(hi) ? Infinity : hi;
  return {lo, hi, nan};
}

Interval reference::sub(Interval a, Interval b, const FloatRules &rules) {
  return add(a, negate(b), rules);
}

/// Bounds of the products of all corners, by \p down and \p up.
template <typename Down, typename Up>
static Interval cornerProducts(Interval a, Interval b, Down down, Up up) {
  // Zeros have signs, which all corners have to be asked for.
  if (a.lo == a.hi && b.lo == b.hi && a.lo != 0 && b.lo != 0)
    return {down(a.lo, b.lo), up(a.lo, b.lo), a.nan || b.nan};
  Interval low =
      boundsOf({down(a.lo, b.lo), down(a.lo, b.hi), down(a.hi, b.lo), down(a.hi, b.hi)}, false);
  Interval high = boundsOf({up(a.lo, b.lo), up(a.lo, b.hi), up(a.hi, b.lo), up(a.hi, b.hi)}, false);
  return {low.lo, high.hi, a.nan || b.nan};
}

/// An answer where a product is not a number, or may be none.
static std::optional<Interval> productWithoutNumber(Interval a, Interval b) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::onlyNan();
  bool zeroTimesInfinity = (a.contains(0) && (isInfinite(b.lo) || isInfinite(b.hi))) ||
                           (b.contains(0) && (isInfinite(a.lo) || isInfinite(a.hi)));
  if (zeroTimesInfinity)
    return a.isPoint() && b.isPoint() ? Interval::onlyNan() : Interval::whole();
  return std::nullopt;
}

/// Returns a product that may still be fused into a sum: the interval covers the exact product and
/// the rounded one.
Interval reference::mulUnrounded(Interval a, Interval b, const FloatRules &rules) {
  if (std::optional<Interval> special = productWithoutNumber(a, b))
    return *special;
  Interval exact = cornerProducts(a, b, productDown, productUp);
  if (rules.eitherWay)
    return {floorToWidth(exact.lo, rules.width), ceilToWidth(exact.hi, rules.width), exact.nan};
  return {std::min(exact.lo, roundToWidth(exact.lo, rules.width, rules.towardZero)),
          std::max(exact.hi, roundToWidth(exact.hi, rules.width, rules.towardZero)), exact.nan};
}

/// Rounded by the rules; of 64 bits each corner by the host's multiplication.
Interval reference::mul(Interval a, Interval b, const FloatRules &rules) {
  if (rules.eitherWay)
    return mulUnrounded(a, b, rules);
  if (std::optional<Interval> special = productWithoutNumber(a, b))
    return *special;
  auto nearest = [](double x, double y) { return x * y; };
  auto towardZero = [](double x, double y) {
    return (x < 0) == (y < 0) ? productDown(x, y) : productUp(x, y);
  };
  if (rules.towardZero) {
    Interval cut = cornerProducts(a, b, towardZero, towardZero);
    return {roundToWidth(cut.lo, rules.width, true), roundToWidth(cut.hi, rules.width, true),
            cut.nan};
  }
  if (rules.width == 64)
    return cornerProducts(a, b, nearest, nearest);
  Interval exact = cornerProducts(a, b, productDown, productUp);
  return {roundToWidth(exact.lo, rules.width), roundToWidth(exact.hi, rules.width), exact.nan};
}

/// The hull of the quotients of all corners. No bound of \p b is zero.
static Interval cornerQuotients(Interval a, Interval b) {
  return boundsOf({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi}, a.nan || b.nan);
}

/// Rounded to nearest even or toward zero. Rounding a quotient of doubles of 24 bits again rounds
/// right: a double has more than twice as many.
static Interval roundQuotient(Interval quotient, const FloatRules &rules) {
  return {roundToWidth(quotient.lo, rules.width, rules.towardZero),
          roundToWidth(quotient.hi, rules.width, rules.towardZero), quotient.nan};
}

/// As IEEE 754 has it.
static Interval divideExactly(Interval a, Interval b, const FloatRules &rules) {
  if (a.isPoint() && b.isPoint()) {
    double quotient = a.lo / b.lo;
    return isNan(quotient) ? Interval::onlyNan()
                           : flush(roundQuotient(Interval::point(quotient), rules), rules);
  }
  // A zero of known sign makes an infinity of every number that is no zero.
  if (b.isPoint() && b.lo == 0 && isNegative(b.lo) == isNegative(b.hi) && (a.lo > 0 || a.hi < 0))
    return {a.lo / b.lo, a.lo / b.lo, a.nan};
  bool mayBeZero = b.lo <= 0 && b.hi >= 0;
  bool bothInfinite =
      (isInfinite(a.lo) || isInfinite(a.hi)) && (isInfinite(b.lo) || isInfinite(b.hi));
  if (mayBeZero || bothInfinite)
    return Interval::whole();
  return flush(roundQuotient(cornerQuotients(a, b), rules), rules);
}

/// A power of two whose reciprocal is a normal number of \p width, too.
static bool hasExactReciprocal(Interval b, unsigned width) {
  const FloatFormat &format = formatOf(width);
  double size = std::fabs(b.lo);
  return b.isPoint() && size >= format.minNormal && size <= 1 / format.minNormal &&
         powerOfTwo(exponentOf(b.lo)) == size;
}

/// Unbounded outside of the range for which Vulkan promises a precision. IEEE rules round
/// correctly, and practical rules do where the divisor is a power of two.
Interval reference::divide(Interval a, Interval b, const FloatRules &rules) {
  if (a.isEmpty() || b.isEmpty())
    return Interval::onlyNan();
  // Who multiplies by the reciprocal has the exact one of a power of two.
  if (rules.isIeee || (rules.isPractical && hasExactReciprocal(b, rules.width)))
    return divideExactly(a, b, rules);
  // Vulkan promises 2.5 ULP for 2^-126 <= |b| <= 2^126 alone, and so with 2^14 for 16 bits.
  double smallest = formatOf(rules.width).minNormal, largest = 1 / smallest;
  bool inRange = (b.lo >= smallest && b.hi <= largest) || (b.hi <= -smallest && b.lo >= -largest);
  if (!inRange || isInfinite(a.lo) || isInfinite(a.hi))
    return Interval::whole();
  if (a.isExactly(0))
    return boundsOf({a.lo / b.lo, a.hi / b.lo}, b.nan);
  Interval quotient = cornerQuotients(a, b);
  quotient = {nextDown(quotient.lo), nextUp(quotient.hi), quotient.nan};
  return flush(tighten(widenUlps(quotient, 2.5, rules), rules.width), rules);
}

/// Either operand is right where one may be NaN.
static Interval withNanChoice(Interval result, Interval a, Interval b) {
  if (a.nan)
    result = hull(result, b);
  if (b.nan)
    result = hull(result, a);
  return result;
}

/// Of two zeros either may be the result. With NaN either operand may be the result.
Interval reference::minimum(Interval a, Interval b) {
  Interval result = Interval::onlyNan();
  if (!a.isEmpty() && !b.isEmpty())
    result = {lesser(a.lo, b.lo, true), lesser(a.hi, b.hi, false), a.nan || b.nan};
  return withNanChoice(result, a, b);
}

Interval reference::maximum(Interval a, Interval b) {
  return negate(minimum(negate(a), negate(b)));
}

/// Clamps both bounds; NaN stays possible.
Interval reference::clampTo(Interval a, double lo, double hi) {
  if (a.isEmpty())
    return a;
  return {std::clamp(a.lo, lo, hi), std::clamp(a.hi, lo, hi), a.nan};
}

/// Applies a rising function to both bounds.
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

/// Rounds both bounds to the width of the rules, towards zero if these say so.
Interval reference::convert(Interval a, const FloatRules &rules) {
  if (a.isEmpty())
    return a;
  return {roundToWidth(a.lo, rules.width, rules.towardZero),
          roundToWidth(a.hi, rules.width, rules.towardZero), a.nan};
}

/// The place of the lowest set bit. Denormals count as having none.
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

/// The largest absolute value; 0 for an empty interval.
static double magnitude(Interval a) {
  return std::max(std::max(-a.lo, a.hi), 0.0);
}

/// From the first product to the last, or from the last to the first, each step rounded.
static Interval orderedDotProduct(const Interval *x, const Interval *y, unsigned count,
                                  const FloatRules &rules) {
  Interval forward = mul(x[0], y[0], rules), backward = mul(x[count - 1], y[count - 1], rules);
  for (unsigned i = 1; i < count; ++i) {
    forward = add(forward, mul(x[i], y[i], rules), rules);
    unsigned j = count - 1 - i;
    backward = add(backward, mul(x[j], y[j], rules), rules);
  }
  return hull(forward, backward);
}

/// The error bound counts a rounding for each product and each sum.
Interval reference::dotProduct(const Interval *x, const Interval *y, unsigned count,
                               const FloatRules &rules) {
  if (rules.isIeee)
    return flush(orderedDotProduct(x, y, count, rules), rules);
  const FloatFormat &format = formatOf(rules.width);
  double lo = 0, hi = 0, total = 0, quantum = Infinity;
  bool nan = false, points = true;
  for (unsigned i = 0; i < count; ++i) {
    Interval product = mulUnrounded(x[i], y[i], rules);
    nan |= product.nan;
    if (product.isEmpty() || isInfinite(product.lo) || isInfinite(product.hi))
      return Interval::whole();
    points &= x[i].isPoint() && y[i].isPoint() && (rules.width < 64 || product.isPoint());
    quantum = std::min(quantum, quantumOf(x[i].lo * y[i].lo));
    lo = i ? sumDown(lo, product.lo) : product.lo; // A sum of negative zeros is one.
    hi = i ? sumUp(hi, product.hi) : product.hi;
    total = sumUp(total, magnitude(product));
  }
  // Multiples of one quantum below 2^precision of it never round, in whatever order.
  if (points && total <= quantum * powerOfTwo(format.precision) && quantum >= format.minNormal)
    return {lo, hi, nan};
  // Some order may overflow on its way.
  if (total * (1 + count * powerOfTwo(1 - format.precision)) > format.maxFinite)
    return Interval::whole();
  // Every product and sum may round (by half a unit, or by a whole one toward zero), or be flushed.
  double unit = powerOfTwo((rules.towardZero ? 1 : 0) - format.precision);
  double error = total * (count + 1) * unit + 2 * count * format.minNormal;
  return tighten(widenBy({lo, hi, nan}, error * 1.0001), rules.width);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on one float - rounding to integers, taking apart, transcendental - for vector and
// scalar unit alike.
#pragma once

#include "oracles/machine/gcn_alu/Numerics.h"
#include "oracles/machine/gcn_alu/Transcendental.h"

namespace assay::gcn {

/// Applies \p function, whose results T holds exactly, to a flushed source.
template <typename T, double (*Function)(double)> T roundIntegral(T a, const AluMode &mode) {
  T result{};
  if (propagateNan(result, mode, a))
    return result;
  a = flushIn(a, mode);
  return withSign(roundTo<T>(Function(widen(a)), RoundEven), signOf(a));
}

/// The smallest whole number that is not below \p x.
inline double ceilExact(double x) {
  return -floorExact(-x);
}

/// The four rounding operations propagate NaNs and keep the sign of a zero result.
template <typename T> T floatFloor(T a, const AluMode &mode) {
  return roundIntegral<T, floorExact>(a, mode);
}
/// The smallest whole number that is not less than \p a.
template <typename T> T floatCeil(T a, const AluMode &mode) {
  return roundIntegral<T, ceilExact>(a, mode);
}
/// Toward zero.
template <typename T> T floatTrunc(T a, const AluMode &mode) {
  return roundIntegral<T, truncateExact>(a, mode);
}
/// The nearest whole number, ties to even, whatever the rounding mode is.
template <typename T> T floatRndne(T a, const AluMode &mode) {
  return roundIntegral<T, nearestEven>(a, mode);
}

/// x - floor(x), rounded, and always below 1. A whole number gives +0 in every rounding mode.
template <typename T> T floatFract(T a, const AluMode &mode) {
  T result{};
  if (propagateNan(result, mode, a))
    return result;
  if (isInfinite(a))
    return defaultNan<T>();
  a = flushIn(a, mode);
  double floor = floorExact(widen(a));
  if (floor == widen(a))
    return zero<T>();
  if constexpr (sizeof(T) == 8)
    result = addF64(a, -floor, mode);
  else
    result = finish<T>(addOdd(widen(a), -floor), mode);
  constexpr BitsOf<T> one =
      BitsOf<T>(BitsOf<T>(FloatFormat<T>::maxExponent) << FloatFormat<T>::fraction);
  return floatOf<T>(std::min(bitsOf(result), BitsOf<T>(one - 1)));
}

/// The exponent E of |a| = M * 2^E with M in [0.5, 1); 0 for zero, infinity and NaN.
template <typename T> int frexpExponent(T a, const AluMode &mode) {
  a = flushIn(a, mode);
  if (isZero(a) || isNan(a) || isInfinite(a))
    return 0;
  int field = int(magnitudeOf(a) >> FloatFormat<T>::fraction);
  if (field != 0)
    return field - FloatFormat<T>::maxExponent + 1;
  int exponent = 2 - FloatFormat<T>::maxExponent;
  for (BitsOf<T> bits = magnitudeOf(a); !(bits >> FloatFormat<T>::fraction);
       bits = BitsOf<T>(bits << 1))
    --exponent;
  return exponent;
}

/// The M of |a| = M * 2^E with M in [0.5, 1), with the sign of \p a. Zeros and infinities are
/// returned as they are.
template <typename T> T frexpMantissa(T a, const AluMode &mode) {
  T result{};
  if (propagateNan(result, mode, a))
    return result;
  a = flushIn(a, mode);
  if (isZero(a) || isInfinite(a))
    return a;
  BitsOf<T> bits = magnitudeOf(a);
  if (isDenormal(a))
    while (!(bits >> FloatFormat<T>::fraction))
      bits = BitsOf<T>(bits << 1);
  constexpr BitsOf<T> half =
      BitsOf<T>(BitsOf<T>(FloatFormat<T>::maxExponent - 1) << FloatFormat<T>::fraction);
  return withSign(floatOf<T>(BitsOf<T>(half | (bits & fractionMask<T>))), signOf(a));
}

/// A transcendental. f32 ones round to nearest even and flush denormals in and out, whatever the
/// mode says (LLVM scales around that); f16 ones follow its denormals, and with FP16_OVFL give no
/// infinity for a finite source, not even 1 / 0.
template <typename T, typename Function> T transcendental(T a, AluMode mode) {
  T result{};
  if (propagateNan(result, mode, a))
    return result;
  if (sizeof(T) == 4)
    mode.f32DenormIn = mode.f32DenormOut = false;
  a = flushIn(a, mode);
  double exact = Function::quick(widen(a));
  if (sizeof(T) == 4 && nearsMidpoint(exact))
    exact = Function::precise(widen(a)).roundedToOdd();
  result = finish<T>(exact, RoundEven, mode);
  if (std::is_same_v<T, Half> && mode.fp16Overflow && isInfinite(result) && !isInfinite(a))
    return withSign(floatOf<T>(BitsOf<T>(infinityBits<T> - 1)), signOf(result));
  return result;
}

} // namespace assay::gcn

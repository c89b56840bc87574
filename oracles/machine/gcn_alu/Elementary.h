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
  if (propagateNan(result, a))
    return result;
  a = flushIn(a, mode);
  return withSign(roundTo<T>(Function(widen(a)), RoundEven), signOf(a));
}

inline double ceilExact(double x) {
  return -floorExact(-x);
}

template <typename T> T floatFloor(T a, const AluMode &mode) {
  return roundIntegral<T, floorExact>(a, mode);
}
template <typename T> T floatCeil(T a, const AluMode &mode) {
  return roundIntegral<T, ceilExact>(a, mode);
}
template <typename T> T floatTrunc(T a, const AluMode &mode) {
  return roundIntegral<T, truncateExact>(a, mode);
}
template <typename T> T floatRndne(T a, const AluMode &mode) {
  return roundIntegral<T, nearestEven>(a, mode);
}

/// Always below 1, though the difference may round up to it.
template <typename T> T floatFract(T a, const AluMode &mode) {
  T result{};
  if (propagateNan(result, a))
    return result;
  if (isInfinite(a))
    return defaultNan<T>();
  result = floatSub(a, floatFloor(a, mode), mode);
  constexpr BitsOf<T> one = BitsOf<T>(BitsOf<T>(Format<T>::maxExponent) << Format<T>::fraction);
  return bitsOf(result) >= one && !signOf(result) ? floatOf<T>(BitsOf<T>(one - 1)) : result;
}

/// The exponent E of |a| = M * 2^E with M in [0.5, 1); 0 for zero, infinity and NaN.
template <typename T> int frexpExponent(T a, const AluMode &mode) {
  a = flushIn(a, mode);
  if (isZero(a) || isNan(a) || isInfinite(a))
    return 0;
  int field = int(magnitudeOf(a) >> Format<T>::fraction);
  if (field != 0)
    return field - Format<T>::maxExponent + 1;
  int exponent = 2 - Format<T>::maxExponent;
  for (BitsOf<T> bits = magnitudeOf(a); !(bits >> Format<T>::fraction); bits = BitsOf<T>(bits << 1))
    --exponent;
  return exponent;
}

template <typename T> T frexpMantissa(T a, const AluMode &mode) {
  T result{};
  if (propagateNan(result, a))
    return result;
  a = flushIn(a, mode);
  if (isZero(a) || isInfinite(a))
    return a;
  BitsOf<T> bits = magnitudeOf(a);
  if (isDenormal(a))
    while (!(bits >> Format<T>::fraction))
      bits = BitsOf<T>(bits << 1);
  constexpr BitsOf<T> half =
      BitsOf<T>(BitsOf<T>(Format<T>::maxExponent - 1) << Format<T>::fraction);
  return withSign(floatOf<T>(BitsOf<T>(half | (bits & fractionMask<T>))), signOf(a));
}

inline double reciprocal(double x) {
  return 1.0 / x;
}
inline double inverseRoot(double x) {
  return x == 0 ? infinity<double>(signOf(x)) : 1.0 / sqrtF64(x);
}

/// A transcendental: f32 ones flush denormals in and out whatever the mode says (LLVM scales around
/// that), f16 ones follow it.
template <typename T, double (*Function)(double)> T transcendental(T a, const AluMode &mode) {
  T result{};
  if (propagateNan(result, a))
    return result;
  a = sizeof(T) == 4 ? flushed(a) : flushIn(a, mode);
  result = settled(roundTo<T>(Function(widen(a)), RoundEven));
  return sizeof(T) == 4 ? flushed(result) : flushOut(result, mode);
}

/// sin and cos: NaN of infinities; any number of revolutions.
template <typename T, bool Cosine> T turnFunction(T a, const AluMode &mode) {
  T result{};
  if (propagateNan(result, a))
    return result;
  if (isInfinite(a))
    return defaultNan<T>();
  return transcendental<T, Cosine ? cosRevolutions : sinRevolutions>(a, mode);
}

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between formats, for vector and scalar unit alike.
#pragma once

#include "oracles/machine/gcn_alu/Numerics.h"
#include "oracles/machine/gcn_alu/Transcendental.h"
#include <limits>

namespace assay::gcn {

/// Into the range of integer type I; \p whole is an integer or infinite.
template <typename I> I saturateWhole(double whole) {
  constexpr double low = double(std::numeric_limits<I>::min());
  constexpr double high = double(std::numeric_limits<I>::max());
  if (whole <= low)
    return std::numeric_limits<I>::min();
  if (whole >= high)
    return std::numeric_limits<I>::max();
  return I(whole);
}

/// Truncates and saturates; 0 for NaN.
template <typename I, typename T> I toInteger(T value) {
  return isNan(value) ? I(0) : saturateWhole<I>(truncateExact(widen(value)));
}

/// A NaN in another format: its topmost payload bits. Narrowing always makes it quiet, widening as
/// MODE says.
template <typename T, typename F> T convertNan(F a, const AluMode &mode) {
  T result = roundTo<T>(widen(quieten(a)), RoundEven);
  bool isWider = FloatFormat<T>::fraction > FloatFormat<F>::fraction;
  if (isWider && isSignallingNan(a) && !quietsNans(mode))
    result = floatOf<T>(BitsOf<T>(bitsOf(result) & ~quietBit<T>));
  return result;
}

/// \p a of format F as format T, by the mode of T: v_cvt_f32_f64 rounds by f32's field
/// (docs/errata-amdgpu.md).
template <typename T, typename F> T convertFloat(F a, const AluMode &mode) {
  if (isNan(a))
    return convertNan<T>(a, mode);
  double exact = widen(flushIn(a, mode));
  if constexpr (sizeof(T) == 8)
    return exact;
  else
    return finish<T>(exact, mode);
}

/// An integer as a float, rounded by the mode of T. Every 32-bit integer is exact in double.
template <typename T, typename I> T fromInteger(I value, const AluMode &mode) {
  if constexpr (sizeof(T) == 8)
    return double(value);
  else
    return finish<T>(double(value), mode);
}

/// \p low in bits 15:0.
inline uint32_t packHalves(Half low, Half high) {
  return uint32_t(low.bits) | uint32_t(high.bits) << 16;
}

/// v_cvt_pkrtz: both sources as f16, rounded toward zero in every mode.
inline uint32_t packRoundZero(float a, float b, const AluMode &mode) {
  auto convert = [&](float value) {
    if (isNan(value))
      return convertNan<Half>(value, mode);
    return finish<Half>(widen(flushIn(value, mode)), RoundZero, mode);
  };
  return packHalves(convert(a), convert(b));
}

/// \p value, which is finite, to a whole number; \p round is a field of MODE.
inline double roundWhole(double value, unsigned round) {
  switch (round) {
  case RoundUp:
    return -floorExact(-value);
  case RoundDown:
    return floorExact(value);
  case RoundZero:
    return truncateExact(value);
  default:
    return nearestEven(value);
  }
}

} // namespace assay::gcn

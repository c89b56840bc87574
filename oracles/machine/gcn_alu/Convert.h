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

/// \p a of format F as format T, rounded by the f16/f64 mode.
template <typename T, typename F> T convertFloat(F a, const AluMode &mode) {
  if (!isNan(a))
    a = flushIn(a, mode);
  return flushOut(roundTo<T>(widen(a), mode.f16f64Round), mode);
}

template <typename T, typename I> T fromInteger(I value, const AluMode &mode) {
  return roundTo<T>(double(value), roundMode<T>(mode));
}

inline uint32_t packHalves(Half low, Half high) {
  return uint32_t(low.bits) | uint32_t(high.bits) << 16;
}

inline uint32_t packRoundZero(float a, float b, const AluMode &mode) {
  auto convert = [&](float value) {
    return flushOut(roundTo<Half>(widen(flushIn(value, mode)), RoundZero), mode);
  };
  return packHalves(convert(a), convert(b));
}

} // namespace assay::gcn

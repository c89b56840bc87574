// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison as the hardware encodes it: which of less (1), equal (2), greater (4) and unordered
// (8) hold true is the low part of the opcode, so one number names the operation.
#pragma once

#include "oracles/machine/gcn_alu/Numerics.h"
#include <array>

namespace assay::gcn {

/// Names of the 16 float comparisons, in the order of their relation masks.
inline constexpr std::array<const char *, 16> floatRelations = {
    "f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
    "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
/// Names of the 8 integer comparisons.
inline constexpr std::array<const char *, 8> integerRelations = {"f",  "lt", "eq", "le",
                                                                 "gt", "ne", "ge", "t"};

/// Whether one of \p Relations holds, without branches: kernels are made of it.
template <unsigned Relations, typename T>
ASSAY_IN_KERNELS bool isRelated(T a, T b, const AluMode &mode) {
  constexpr unsigned Less = 1, Equal = 2, Greater = 4, Unordered = 8;
  auto holds = [](auto x, auto y) {
    return unsigned(bool(Relations & Less) & (x < y)) |
           unsigned(bool(Relations & Equal) & (x == y)) |
           unsigned(bool(Relations & Greater) & (x > y));
  };
  if constexpr (std::is_integral_v<T>)
    return holds(a, b);
  else if constexpr (std::is_same_v<T, float>)
    return holds(flushIn(a, mode), flushIn(b, mode)) |
           unsigned(bool(Relations & Unordered) & ((a != a) | (b != b)));
  else
    return (isNan(a) || isNan(b)) ? bool(Relations & Unordered)
                                  : holds(widen(flushIn(a, mode)), widen(flushIn(b, mode)));
}

/// The v_cmp_class bit of \p a: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6..9 the
/// positive ones in mirrored order.
template <typename T> unsigned classOf(T a) {
  if (isNan(a))
    return isSignallingNan(a) ? 0 : 1;
  unsigned distance = isInfinite(a) ? 0 : isZero(a) ? 3 : isDenormal(a) ? 2 : 1;
  return signOf(a) ? 2 + distance : 9 - distance;
}

} // namespace assay::gcn

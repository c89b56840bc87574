// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 16-bit integer arithmetic that single and packed operations share.
#pragma once

#include "oracles/machine/gcn_alu/Lift.h"
#include <algorithm>
#include <cstdint>
#include <limits>

namespace assay::gcn {

/// The low 16 bits of \p value, or with the clamp bit the nearest T.
template <typename T> T fit16(int64_t value, bool clamp) {
  if (!clamp)
    return T(value);
  return T(std::clamp(value, int64_t(std::numeric_limits<T>::min()),
                      int64_t(std::numeric_limits<T>::max())));
}

/// The exact product plus \p c, then fitted to 16 bits.
inline uint16_t madU16(uint16_t a, uint16_t b, uint16_t c, Clamp clamp) {
  return fit16<uint16_t>(int64_t(a) * b + c, clamp.value);
}

/// Likewise, signed.
inline int16_t madI16(int16_t a, int16_t b, int16_t c, Clamp clamp) {
  return fit16<int16_t>(int64_t(a) * b + c, clamp.value);
}

} // namespace assay::gcn

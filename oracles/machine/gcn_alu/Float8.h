// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two 8-bit float formats of GFX12: OCP's E4M3 ("fp8": bias 7, no infinity, NaN only with all
// bits set) and E5M2 ("bf8": a short f16). Source: RDNA 4 manual, "Data types"; OCP 8-bit Floating
// Point Specification.
#pragma once

#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstdint>

namespace assay::gcn {

enum class Float8 : uint8_t { Fp8, Bf8 };

/// The exact value; every NaN becomes the positive quiet one.
inline float widenFloat8(uint8_t bits, Float8 format) {
  unsigned fractionBits = format == Float8::Fp8 ? 3 : 2;
  int bias = format == Float8::Fp8 ? 7 : 15;
  unsigned exponent = (bits & 0x7fu) >> fractionBits;
  unsigned fraction = bits & ((1u << fractionBits) - 1);
  bool isTop = exponent == 0x7fu >> fractionBits;
  bool isNan = format == Float8::Fp8 ? (bits & 0x7fu) == 0x7fu : isTop && fraction != 0;
  if (isNan)
    return llvm::bit_cast<float>(0x7fc00000u);
  float magnitude;
  if (format == Float8::Bf8 && isTop)
    magnitude = HUGE_VALF;
  else if (exponent == 0)
    magnitude = std::ldexp(float(fraction), 1 - bias - int(fractionBits));
  else
    magnitude = std::ldexp(float(fraction + (1u << fractionBits)),
                           int(exponent) - bias - int(fractionBits));
  return bits & 0x80u ? -magnitude : magnitude;
}

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 8-bit floats of GFX12, which are those of OCP: fp8 (E4M3: no infinities, the largest exponent
// has numbers up to 448, one NaN) and bf8 (E5M2, like IEEE). Source: RDNA 4 manual; what NaNs and
// overflow give is measured (docs/errata-amdgpu.md, "8-bit floats").
#pragma once

#include "oracles/machine/gcn_alu/Numerics.h"

namespace assay::gcn {

/// A format of 8 bits.
struct ByteFormat {
  unsigned fraction; ///< Bits of the fraction.
  int bias;          ///< Of the exponent.
  uint8_t largest;   ///< Bits of the largest number.
  uint8_t nan;       ///< Bits of the NaN that conversions make.

  /// Only bf8 does, which its two bits of fraction identify.
  bool hasInfinity() const { return fraction == 2; }
};

inline constexpr ByteFormat fp8Format = {3, 7, 0x7e, 0xff};
inline constexpr ByteFormat bf8Format = {2, 15, 0x7b, 0xfe};

/// Exact; every NaN gives the default one.
float decodeByte(uint8_t bits, const ByteFormat &format);

/// Rounds to nearest even, or, with \p random, adds its upper bits below the last place kept and
/// cuts off. What overflows becomes infinity (fp8: NaN), with FP16_OVFL the largest number.
uint8_t encodeByte(float value, const ByteFormat &format, const AluMode &mode,
                   const uint32_t *random = nullptr);

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texels to values of a shader and back (Vulkan 1.3, "Image Reads", "Image Writes", "Fixed-Point
// Data Conversions", "Floating-Point Format Conversions"; sRGB and shared exponents by the Khronos
// Data Format Specification). Where the specification lets a conversion round either way, the
// result is an interval.
#pragma once

#include "oracles/api/TexelFormat.h"
#include "oracles/machine/spirv/math/Interval.h"
#include "oracles/machine/spirv/memory/BufferMemory.h"
#include <array>
#include <string>

namespace assay::reference {

/// A texel as a shader sees it: R, G, B, A, each a float32 or an integer of 32 bits (of 64 in the
/// formats that have them), zero-extended.
using TexelValue = std::array<Scalar, 4>;

/// Where a channel is in a TexelValue: D counts as R; 4 for what is no colour (X, E).
unsigned channelIndex(char channel);

/// Why texels of \p format can't be read or written here; empty if they can.
std::string whyNotReadable(const TexelFormatInfo &format);
std::string whyNotWritable(const TexelFormatInfo &format);

/// The texel at byte \p offset. Missing components are 0, 0, 0, 1. A division by 2^b - 1 may be off
/// by 4 ULP; a component of sRGB by half a unit of its encoding.
TexelValue readTexel(const BufferMemory &memory, uint64_t offset, const TexelFormatInfo &format,
                     const FloatRules &rules);
/// The texel whose stored components all are zero bits, the missing ones with alpha \p alpha.
TexelValue zeroTexel(const TexelFormatInfo &format, unsigned alpha);

/// Stores \p value. To fixed point, either neighbour of the exact result is right, and the exact
/// result where it is a number of the format (within the rounding of a float). An integer that the
/// component can't hold leaves it open.
void writeTexel(BufferMemory &memory, uint64_t offset, const TexelFormatInfo &format,
                const TexelValue &value, const FloatRules &rules);

/// The value of an unsigned float of \p bits bits (5 of them exponent).
double fromSmallFloat(uint64_t bits, unsigned width);

/// The sRGB transfer functions, on [0, 1].
double linearFromSrgb(double encoded);
double srgbFromLinear(double linear);

} // namespace assay::reference

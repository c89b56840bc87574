// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Colours to fields of a texel, fields to bytes, and back (Vulkan 1.3, "Fundamentals":
// "Fixed-Point Data Conversions", "Floating-Point Format Conversions"; sRGB by the Khronos Data
// Format Specification). Where a conversion may round either way, the result is a range.
#pragma once

#include "oracles/raster/RenderTarget.h"

namespace assay::raster {

/// Index of a channel in a Color; 4 for what is no colour (X, D, S).
unsigned getColorIndex(char channel);

/// Largest number of a normalized component of \p bits bits.
double getMaxCode(unsigned bits, bool isSigned);
/// True for SINT and SNORM, which have components in two's complement.
bool hasSignedFields(const TexelFormatInfo &format);
/// UNORM, SNORM and sRGB.
bool isNormalized(const TexelFormatInfo &format);

/// The colour of a texel. Missing components are 0, 0, 0, 1. sRGB components are linear.
Color decodeColor(const TexelFormatInfo &format, const TexelFields &fields);
/// The texel that \p color becomes. To fixed point, either neighbour of the number is right, and
/// the number itself where it is one of the format's. An integer that does not fit is open.
TexelFields encodeColor(const TexelFormatInfo &format, const Color &color);

/// Depth of a D component as its field: a number of \p bits bits (either neighbour), or the float.
Field encodeDepth(Range depth, unsigned bits);
/// Returns the depth that a field represents, [0, 1] for an open one.
Range decodeDepth(const Field &field, unsigned bits);

/// The fields of exact bytes; X components are 0.
TexelFields loadFields(const TexelFormatInfo &format, const uint8_t *bytes);
/// Writes one of the values that \p fields allow; other bits become 0.
void storeFields(const TexelFormatInfo &format, const TexelFields &fields, uint8_t *bytes);

/// The sRGB transfer functions on [0, 1], by basic operations and square roots alone, so that they
/// give the same bits everywhere.
double decodeSrgb(double encoded);
double encodeSrgb(double linear);

} // namespace assay::raster

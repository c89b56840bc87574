// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texels as the hardware knows them: the numbers of formats in descriptors, and the conversion
// between the bits in memory and what registers get.
#pragma once

#include "oracles/api/TexelFormat.h"
#include "llvm/Support/Error.h"

namespace assay::gcn {

/// What the bits of a component mean.
enum class TexelClass : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float, Srgb };

/// A format: components X, Y, Z and W from the lowest bit up.
struct HardwareFormat {
  std::array<uint8_t, 4> bits = {}; ///< Of each component; 0 where there is none.
  TexelClass kind = TexelClass::Uint;
  bool sharesExponent = false; ///< 9, 9, 9 and five bits of exponent.

  unsigned components() const;
  unsigned bytes() const;
  bool operator==(const HardwareFormat &) const = default;
};

/// Selections of a descriptor: what each component of a result is.
enum ComponentSelect : uint8_t { SelectZero = 0, SelectOne = 1, SelectX = 4 };
using Selection = std::array<uint8_t, 4>;

/// What a descriptor says of a texel.
struct TexelView {
  HardwareFormat format;
  Selection select = {SelectX, SelectX + 1, SelectX + 2, SelectX + 3};
  bool isStencil = false; ///< Its borders are arranged in another way; not decoded.
};

/// The number of \p format in the descriptors of GFX\p gfxMajor (on GFX9 data format << 4 | number
/// format), and back. Nothing where the hardware does not have it.
std::optional<uint32_t> encodeFormat(const HardwareFormat &format, unsigned gfxMajor);
std::optional<HardwareFormat> decodeFormat(uint32_t number, unsigned gfxMajor);

/// The same numbers as a V# has them: on GFX9 its number format has three bits (no sRGB), not
/// four; from GFX11 on the number has six bits, which those of sRGB exceed.
std::optional<uint32_t> encodeBufferFormat(const HardwareFormat &format, unsigned gfxMajor);
std::optional<HardwareFormat> decodeBufferFormat(uint32_t number, unsigned gfxMajor);

/// How a driver describes texels of \p format. Unsupported with its name where no hardware format
/// has its bits.
llvm::Expected<TexelView> describeTexel(TexelFormat format);

/// Bits of four components as 32-bit registers hold them.
using TexelWords = std::array<uint32_t, 4>;

/// X, Y, Z and W of the texel at \p bytes; those that the format lacks are 0.
TexelWords decodeTexel(const HardwareFormat &format, const uint8_t *bytes);
/// Writes a texel. Numbers that don't fit are clamped, integers cut off.
void encodeTexel(const HardwareFormat &format, const TexelWords &words, uint8_t *bytes);

/// Fills the components of a store that its instruction does not name, those from \p first on: with
/// zeros, from GFX12 on with the first component.
void completeStored(TexelWords &words, unsigned first, unsigned gfxMajor);

/// The components of a result, chosen by \p view among those of the texel.
TexelWords selectComponents(const TexelView &view, const TexelWords &texel);
/// The other way round, for stores.
TexelWords arrangeComponents(const TexelView &view, const TexelWords &words);

} // namespace assay::gcn

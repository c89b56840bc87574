// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texels of images, for messages.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace assay {

/// Which texel of an image a byte belongs to, in the order of ImageShape.
struct TexelLocation {
  uint32_t x = 0, y = 0, z = 0; ///< Within its level.
  uint32_t layer = 0, level = 0, sample = 0;
  uint64_t byteOffset = 0; ///< Of the texel's first byte.
};

/// The texel of byte \p offset; nothing for a buffer that is no image, and beyond its end.
std::optional<TexelLocation> locateTexel(const Buffer &buffer, uint64_t offset);
/// "texel (3, 4)", with z, layer, level and sample where the image has several.
std::string printTexelLocation(const TexelLocation &texel, const ImageShape &shape);

/// The number of a component: of its bits, or, of floats of 16 bits and more, its value.
std::string printTexelComponent(const TexelFormatInfo &format, const TexelComponent &component,
                                llvm::ArrayRef<uint8_t> texel);
/// All components but unused bits: "(255, 0, 0, 255)".
std::string printTexel(const TexelFormatInfo &format, llvm::ArrayRef<uint8_t> texel);

} // namespace assay

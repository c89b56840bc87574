// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texel formats by Vulkan's names and numbers, and what a format's name says of its bits (Vulkan
// 1.3, "Format Definition"). A description only: each machine has its own conversions.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

namespace assay {

enum class TexelNumeric : uint8_t {
  Unorm,
  Snorm,
  Uscaled,
  Sscaled,
  Uint,
  Sint,
  Srgb,
  Ufloat,
  Sfloat
};

/// One component: R, G, B, A, D (depth), S (stencil), X (unused) or E (the shared exponent).
struct TexelComponent {
  char channel = 'X';
  uint8_t firstBit = 0; ///< In the texel read as a little-endian number.
  uint8_t bits = 0;
};

/// What is known of a TexelFormat; the uncompressed formats of Vulkan 1.0 have rows.
struct TexelFormatInfo {
  TexelFormat format;
  llvm::StringRef name; ///< "R8G8B8A8_UNORM".
  unsigned bytes = 0;   ///< Of a texel.
  unsigned componentCount = 0;
  std::array<TexelComponent, 4> components; ///< Ascending first bit.
  TexelNumeric numeric; ///< Of the depth where there is a stencil too, which is Uint.
  bool isInteger() const { return numeric == TexelNumeric::Uint || numeric == TexelNumeric::Sint; }
  /// The component of \p channel, or null.
  const TexelComponent *find(char channel) const;
};

/// The row of \p format; it must have one.
const TexelFormatInfo &getTexelFormatInfo(TexelFormat format);
/// The format called \p name: "R8G8B8A8_UNORM", with or without "VK_FORMAT_".
std::optional<TexelFormat> findTexelFormat(llvm::StringRef name);
/// The format of a VkFormat number, if it has a row.
std::optional<TexelFormat> findTexelFormat(uint32_t vkFormat);
/// The format that a shader's OpTypeImage names; nothing for Unknown.
std::optional<TexelFormat> findTexelFormat(spv::ImageFormat format);

} // namespace assay

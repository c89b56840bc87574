// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats of vertex attributes and color targets, and what the hardware calls them.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "compiler/api/Target.h"

namespace assay::amdgpu {

/// What a format's name says of its numbers. In the order of the hardware's NUM_FORMAT, except for
/// the last two.
enum class NumberKind : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float, Srgb };

constexpr bool isInteger(NumberKind kind) {
  return kind == NumberKind::Uint || kind == NumberKind::Sint;
}

/// A VkFormat without depth and stencil, taken apart.
struct FormatInfo {
  unsigned channels = 0;
  unsigned bits = 0; ///< Of the largest channel.
  NumberKind number = NumberKind::Unorm;
  bool isPacked = false; ///< Channels share bytes.
  bool isBgr = false;    ///< Blue is first in memory, or has the lowest bits.

  bool hasAlpha() const { return channels == 4; }
};

/// Nothing for a format of another kind, or an unknown one.
std::optional<FormatInfo> findFormat(TexelFormat format);

/// The format operand of LLVM's typed buffer loads (GFX9: data format [3:0], number format [6:4];
/// later the unified format of the generation) for \p channels channels of \p info; nothing where
/// the hardware has none. Channels come in the order of memory.
std::optional<unsigned> findBufferFormat(const FormatInfo &info, unsigned channels,
                                         const TargetInfo &target);

} // namespace assay::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a colour becomes in a target: blending, logical operations, write mask (Vulkan 1.3, "The
// Framebuffer": "Blending", "Logical Operations", "Color Write Mask"). The arithmetic of blending
// is at least as precise as the components of the target; docs/draws.md has the errors assumed.
#pragma once

#include "oracles/raster/TexelCodec.h"

namespace assay::raster {

/// The colours that a fragment brings to one target.
struct BlendSource {
  Color color;  ///< Index 0.
  Color second; ///< Index 1, of dual-source blending.
};

/// Why \p target's state can't be drawn with; empty if it can.
std::string whyNotBlendable(const ColorTarget &target);

/// Whether the texel's old value makes a difference.
bool readsDestination(const ColorTarget &target, const TexelFormatInfo &format,
                      std::optional<LogicOp> logicOp);

/// The new value of a texel that holds \p old.
TexelFields blendTexel(const ColorTarget &target, const TexelFormatInfo &format,
                       const BlendSource &source, llvm::ArrayRef<float> constants,
                       std::optional<LogicOp> logicOp, const TexelFields &old);

} // namespace assay::raster

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depth, depth bounds and stencil tests of one sample (Vulkan 1.3, "Fragment Operations": "Depth
// Bounds Test", "Stencil Test", "Depth Test"), and depth bias ("Rasterization", "Depth Bias").
#pragma once

#include "compiler/api/GraphicsState.h"
#include "oracles/raster/Range.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace assay::raster {

/// Whether \p a compares to \p b as \p op says.
Answer compare(CompareOp op, Range a, Range b);
bool compare(CompareOp op, uint32_t a, uint32_t b);

/// The new value of a stencil attachment of 8 bits, with the write mask of \p state.
uint8_t updateStencil(StencilOp op, const StencilFaceState &state, uint8_t old);

/// What one sample of the depth/stencil attachment may hold.
struct DepthStencilValue {
  Range depth;
  uint8_t stencil = 0;
  bool operator==(const DepthStencilValue &) const = default;
};

/// What a fragment brings to the tests: its depth, and the stencil reference value.
struct DepthStencilInput {
  Range depth;
  uint8_t reference = 0; ///< Of stencil.
  bool isFront = true;
  /// The depth is known to be the stored one, although both are ranges.
  bool isSame = false;
};

struct DepthStencilResult {
  bool pass = false;        ///< The sample goes on to the colour attachments.
  DepthStencilValue stored; ///< What the sample holds afterwards.
};

/// The outcomes of all three tests, one or several: where a comparison of ranges may go either way,
/// the result holds both. In a fixed order. \p hasDepth, \p hasStencil: the attachment has the
/// aspect; a missing one passes (and is not written).
llvm::SmallVector<DepthStencilResult, 2> testDepthStencil(const DepthStencilState &state,
                                                          const DepthStencilInput &input,
                                                          const DepthStencilValue &old,
                                                          bool hasDepth, bool hasStencil);

/// The offset of depth bias: \p slope is the maximum depth slope, \p unit the minimum resolvable
/// difference r of the attachment (getDepthUnit).
Range getDepthBias(const RasterizationState &state, Range slope, Range unit);
/// r: from 2^-n to twice that for unsigned normalized depth of n bits (llvmpipe has the latter),
/// 2^(e - 23) for floats, where e is the exponent of \p maxDepth, the largest depth of the
/// primitive.
Range getDepthUnit(unsigned unormBits, double maxDepth);

} // namespace assay::raster

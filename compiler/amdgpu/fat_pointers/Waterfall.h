// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over the resources of a wave. LLVM makes one of its own around every single buffer
// instruction whose resource differs between lanes; several that share a resource need only one.
#pragma once

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Function.h"

namespace assay::amdgpu {

/// Puts two or more accesses of a block by the same divergent resource, and what stands between
/// them, into one loop: each round takes the resource of the first lane left, and serves all lanes
/// that have it. Not across what all lanes must execute together (convergent calls), fences, or
/// accesses by another divergent resource. \p uniformity is of \p function as it stands, and wrong
/// afterwards. Returns whether anything changed, the control flow then.
bool shareWaterfallLoops(llvm::Function &function, const llvm::UniformityInfo &uniformity);

} // namespace assay::amdgpu

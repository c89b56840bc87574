// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of the first lanes of a wave, for which LLVM 22 compares the number of each lane.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass after instruction selection
/// (finalize-isel). Where a hardware GS branches on whether the number of its lane is below 7 bits
/// of SGPR 3, which are numbers of vertices and primitives and at most the size of the wave (PAL
/// ABI, merged wave info), the pass makes the mask of lanes by S_BFE, as ACO does
/// (lanecount_to_mask): S_BFE_U64 of -1 has so many ones as bits 22:16 of its second operand say
/// (RDNA3 ISA). The comparison and what it alone uses are dead then.
void maskFirstLanes();

} // namespace assay::amdgpu

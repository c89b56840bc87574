// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of the first lanes of a wave, for which LLVM 22 compares the number of each lane.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass after instruction selection
/// (finalize-isel). It handles a hardware GS that branches on whether its lane number is below 7
/// bits of SGPR 3. These fields are the numbers of vertices and primitives (PAL ABI, merged wave
/// info), at most the wave size. The pass replaces the comparison by S_BFE of -1, as ACO does
/// (lanecount_to_mask): bits 22:16 of the second operand are the number of ones (RDNA3 ISA,
/// "S_BFE_U64"). The lane number may become dead.
void maskFirstLanes();

} // namespace assay::amdgpu

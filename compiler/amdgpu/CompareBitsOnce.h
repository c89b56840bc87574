// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: comparisons of masked bits do not share the scalar condition code.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process that optimises has a pass in front of its
/// peephole optimiser (peephole-opt). That takes SCC from an S_AND instead of comparing its result
/// with 0, and then, for another comparison of the result, puts S_BITCMP0 or S_BITCMP1 in the place
/// of the S_AND, though what read the first condition still is after it
/// (SIInstrInfo::optimizeCompareInstr). The pass leaves the first comparison of each result to the
/// optimiser, and lets the others compare a copy (bugs/README.md).
void compareBitsOnce();

} // namespace assay::amdgpu

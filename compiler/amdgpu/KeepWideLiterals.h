// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: scalar constants of 64 bits keep their upper half.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process that optimises has a pass after its peephole
/// optimiser (peephole-opt). That makes of a copy of a constant of 64 bits an s_mov_b64, whose
/// literal has 32 bits (SIInstrInfo::foldImmediate); the pass makes of each that does not hold its
/// constant the pseudo instruction that LLVM takes apart later on (bugs/README.md).
void keepWideLiterals();

} // namespace assay::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: spilled scalars keep their lanes of vector registers over the turns of
// loops.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass after SILowerSGPRSpills. That
/// begins a register with lanes for spilled scalars by an IMPLICIT_DEF where all its spills and
/// reloads are dominated, which may be in a loop, where a reload gets what the turn before has
/// spilled: register allocation would not keep it. The pass takes such an IMPLICIT_DEF out of all
/// loops, as later versions of LLVM do (llvm-project, #186348; bugs/README.md).
void keepLanesInLoops();

} // namespace assay::amdgpu

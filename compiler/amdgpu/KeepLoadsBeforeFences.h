// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: code sinking moves no load after a fence.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process that optimises has two passes around
/// MachineSinking (the first after opt-phis, so that LICM and CSE in between see its marks, too).
/// MachineSinking asks of what stands between a load and the end of its block only whether it
/// may store (MachineInstr::isSafeToMove), and AMDGPU's ATOMIC_FENCE may not: it has side effects.
/// So a load of workgroup memory moves over a fence and the barrier after it, where other waves
/// write already (llvm-project, #181708; bugs/README.md). The first pass puts empty inline
/// assembly that may store in front of each fence, the second takes it away.
void keepLoadsBeforeFences();

} // namespace assay::amdgpu

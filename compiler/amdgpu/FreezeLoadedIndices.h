// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: an element of a private array as the index of another element.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass of IR in front of the one that
/// makes vectors of private arrays (AMDGPUPromoteAlloca). That keeps the indices of all accesses as
/// plain pointers, and erases loads on its way: an index that is itself a load of the array no
/// longer exists when its access is replaced. The pass freezes indices that are loads of private
/// memory, so that the index is an instruction that stays (bugs/llvm-promote-alloca-loaded-index).
void freezeLoadedIndices();

} // namespace assay::amdgpu

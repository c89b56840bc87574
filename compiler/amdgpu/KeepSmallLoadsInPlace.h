// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A workaround for LLVM 22: loads of bytes and halves stay in front of the stores after them.
#pragma once

namespace assay::amdgpu {

/// From now on, every code generator of this process has a pass of IR in front of instruction
/// selection. That makes of a buffer load of 8 or 16 bits and the extension of its sign one load,
/// which nothing orders before what is stored after the old one
/// (SITargetLowering::performSignExtendInRegCombine). The pass freezes the value of such a load
/// where something of its block after it may write memory: selection does not look through that
/// (bugs/README.md).
void keepSmallLoadsInPlace();

} // namespace assay::amdgpu

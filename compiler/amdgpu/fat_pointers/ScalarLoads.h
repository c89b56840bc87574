// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After fat pointers are split: vector loads of what is the same in all lanes, from memory that
// nobody writes, become scalar ones. LLVM makes none of buffer intrinsics by itself.
#pragma once

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Function.h"

namespace assay::amdgpu {

/// Turns llvm.amdgcn.raw.ptr.buffer.load into s.buffer.load, where it is marked !invariant.load,
/// its resource and its offset are uniform, and its alignment is a dword's (GFX12: that of its byte
/// or short). Neighbours in a block become one of up to 16 dwords. Like vector loads, scalar ones
/// give 0 outside of the buffer, dword by dword. \p uniformity is of \p function as it stands, and
/// lacks the new values afterwards; control flow stays. Returns whether anything changed.
bool makeScalarLoads(llvm::Function &function, const llvm::UniformityInfo &uniformity);

} // namespace assay::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One buffer intrinsic: its raw or strided form, its operands and its metadata. Only the files
// BufferAccess*.cpp and AtomicAccess*.cpp use it.
#pragma once

#include "compiler/amdgpu/fat_pointers/BufferAccess.h"

namespace assay::amdgpu {

/// The same operation for raw and for strided buffers.
struct BufferIntrinsic {
  llvm::Intrinsic::ID raw;
  llvm::Intrinsic::ID strided;
};

/// A load that may be merged with another or moved out of a loop, or one that may not: the plain
/// one only reads, as LLVM has it, even where its cache policy says volatile.
BufferIntrinsic getLoadIntrinsic(const AccessTraits &traits);

/// One instruction of an access: \p distance bytes after its address, \p bytes wide.
struct BufferCall {
  BufferIntrinsic intrinsic;
  llvm::Type *type;                         ///< What the intrinsic is overloaded by.
  llvm::SmallVector<llvm::Value *, 2> data; ///< Operands before the resource.
  uint64_t distance = 0;
  unsigned cachePolicy = 0;
};

/// The call, with the alignment on its resource operand and with what of the metadata holds for it.
llvm::CallInst *createBufferCall(llvm::IRBuilder<> &builder, const BufferAddress &address,
                                 const BufferCall &call, const AccessTraits &traits);

/// The fences that the ordering of \p traits demands before and after an access, since buffer
/// intrinsics have none: AMDGPUUsage, "Memory Model".
void emitFenceBefore(llvm::IRBuilder<> &builder, const AccessTraits &traits);
void emitFenceAfter(llvm::IRBuilder<> &builder, const AccessTraits &traits);

} // namespace assay::amdgpu

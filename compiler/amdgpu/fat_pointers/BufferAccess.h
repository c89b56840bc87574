// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer instructions: what a load, store or atomic becomes once its pointer is a resource and an
// offset. Knows nothing of fat pointers; BufferAccessEmitter calls it, one call an access.
#pragma once

#include "compiler/lgc/fat_pointers/AccessEmitter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/Error.h"

namespace assay::amdgpu {

/// What an access promises and demands, whatever instruction it stood in.
struct AccessTraits {
  llvm::Align align = llvm::Align(1);
  bool isVolatile = false;
  bool isNontemporal = false;
  bool isInvariant = false;         ///< !invariant.load
  bool ignoresDenormalMode = false; ///< !amdgpu.ignore.denormal.mode
  /// Of a cmpxchg what success and failure ask for together.
  llvm::AtomicOrdering ordering = llvm::AtomicOrdering::NotAtomic;
  llvm::SyncScope::ID scope = llvm::SyncScope::System;
  llvm::AAMDNodes aliases; ///< Goes to every piece that the access is broken into.
};

/// Of a load, store, atomicrmw or cmpxchg; the ordering is that of success.
AccessTraits getAccessTraits(const llvm::Instruction &access);

/// Unsupported for an access that no buffer instruction can do: of a scalable type, an atomic of
/// other than 1, 2, 4 or 8 bytes, or one that lacks its natural alignment. To be asked before
/// anything is changed.
llvm::Error verifyBufferAccess(const llvm::Instruction &access);

/// The value of \p type at \p address, broken into pieces that the hardware has and whose
/// alignment \p traits allow; any sized type without fat pointers, padding of its memory layout
/// included. Fences stand around an atomic access as its ordering demands.
llvm::Value *emitBufferLoad(llvm::IRBuilder<> &builder, const BufferAddress &address,
                            llvm::Type *type, const AccessTraits &traits);
void emitBufferStore(llvm::IRBuilder<> &builder, const BufferAddress &address, llvm::Value *value,
                     const AccessTraits &traits);

/// Result of an atomicrmw: the old value. Native where the target of the function has it, else a
/// compare-and-swap loop (splits the block; the builder is after it, and must be before an
/// instruction). Atomics narrower than a dword work on the dword that contains them, so base
/// address and stride of a buffer are multiples of 4. A buffer is never in fine-grained memory.
llvm::Value *emitBufferAtomic(llvm::IRBuilder<> &builder, const BufferAddress &address,
                              llvm::AtomicRMWInst::BinOp operation, llvm::Value *operand,
                              const AccessTraits &traits);

/// Result of a cmpxchg: {old value, success}.
llvm::Value *emitBufferCompareExchange(llvm::IRBuilder<> &builder, const BufferAddress &address,
                                       llvm::Value *expected, llvm::Value *desired,
                                       const AccessTraits &traits);

/// Whether \p call reads or writes memory by a resource that is a pointer: any of the intrinsics
/// that the functions above emit, and whatever was there before.
bool isBufferIntrinsic(const llvm::IntrinsicInst &call);

/// What llvm.amdgcn.load.to.lds does whose source is \p address: the instruction of that kind where
/// the target has it, else a load and a store to LDS by every lane.
void emitBufferLoadToLds(llvm::IRBuilder<> &builder, const BufferAddress &address,
                         const llvm::IntrinsicInst &load);

} // namespace assay::amdgpu

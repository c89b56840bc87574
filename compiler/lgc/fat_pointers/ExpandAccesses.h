// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Before fat pointers are split: memcpy, memmove, memset, masked accesses, gathers, scatters,
// prefetches and assumptions through them become plain loads and stores, or go where they are
// hints.
#pragma once

#include "compiler/lgc/fat_pointers/AccessEmitter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Whether expandFatPointerAccesses takes intrinsics of this kind, if they have a fat pointer among
/// their operands.
bool isExpandable(llvm::Intrinsic::ID id);

/// Unsupported for an \p intrinsic of an expandable kind that has a fat pointer but cannot be
/// expanded: atomic elements of more than 8 bytes, masked accesses to vectors of parts of bytes,
/// scalable vectors. To be asked before anything is changed.
llvm::Error verifyExpandable(const llvm::IntrinsicInst &intrinsic);

/// Unreachable blocks of functions that have any go. Afterwards the only instructions of \p module
/// that access memory through address space 7 or 9 are load, store, atomicrmw and cmpxchg, and
/// intrinsics that are not expandable. Copies may have such a pointer on one side only. Returns
/// whether anything changed.
bool expandFatPointerAccesses(llvm::Module &module, const AccessEmitter &emitter);

} // namespace assay

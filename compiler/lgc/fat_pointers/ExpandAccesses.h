// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Before fat pointers are split: memcpy, memmove, memset, masked accesses, gathers, scatters,
// prefetches and assumptions through them become plain loads and stores, or go where they are
// hints.
#pragma once

#include "llvm/IR/Module.h"

namespace assay {

/// Afterwards the only instructions of \p module that access memory through address space 7 or 9
/// are load, store, atomicrmw and cmpxchg. Copies may have such a pointer on one side only.
/// Returns whether anything changed.
bool expandFatPointerAccesses(llvm::Module &module);

} // namespace assay

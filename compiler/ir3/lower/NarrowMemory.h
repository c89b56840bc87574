// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of single bytes and halves of dwords, by dwords.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace assay::ir3 {

/// Whether an access of \p type with \p alignment needs the following.
bool needsDwords(llvm::Type *type, llvm::Align alignment);

/// What \p load loads, promoted. Null where a member has no whole number of bytes, or is f64.
llvm::Value *loadByDwords(llvm::LoadInst &load);

/// Stores the promoted \p value in place of \p store. The dwords of which it writes a part are
/// changed by two atomics, for their other bytes may belong to other invocations; those of private
/// memory are read and written. False where loadByDwords() would return null.
bool storeByDwords(llvm::StoreInst &store, llvm::Value *value);

} // namespace assay::ir3

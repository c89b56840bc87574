// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of LLVM IR that uses buffer fat pointers: LLVM's FuzzMutate with operations of our own.
// Knows no fuzz engine.
#pragma once

#include "llvm/IR/Module.h"
#include <memory>

namespace assay::fuzz {

/// Changes \p module by one mutation, which \p seed chooses: an operation put in (on fat pointers
/// for the most part), taken out or modified, a block split, a phi. The result is as valid as the
/// input was. \p maxSize bounds its growth: instructions, roughly.
void mutateFatPointers(llvm::Module &module, unsigned seed, size_t maxSize);

/// Puts one function of \p from, and what it needs, into \p module next to its own, under a name
/// that is new there; \p seed chooses it. Nothing where \p from defines none. Both are of one
/// context.
void mixFatPointers(llvm::Module &module, std::unique_ptr<llvm::Module> from, unsigned seed);

} // namespace assay::fuzz

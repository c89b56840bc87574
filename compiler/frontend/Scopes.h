// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V's memory scopes and semantics in LLVM's words, for atomics and barriers.
#pragma once

#include "compiler/frontend/Translator.h"
#include "llvm/Support/AtomicOrdering.h"

namespace assay {

/// The LLVM synchronization scope of the scope constant \p id.
llvm::Expected<llvm::SyncScope::ID> syncScope(Translator &t, spirv::Id id);

/// The ordering that the semantics constant \p id asks for; Monotonic for relaxed.
llvm::Expected<llvm::AtomicOrdering> ordering(Translator &t, spirv::Id id);

/// What storage classes the semantics constant \p id names.
llvm::Expected<FencedMemory> fencedMemory(Translator &t, spirv::Id id);

/// A fence of \p memory.
void createFence(llvm::IRBuilderBase &builder, llvm::AtomicOrdering ordering,
                 llvm::SyncScope::ID scope, FencedMemory memory);

/// Whether the semantics constant \p id asks for a volatile access.
llvm::Expected<bool> hasVolatileSemantics(Translator &t, spirv::Id id);

} // namespace assay

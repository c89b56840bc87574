// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Removes ptr addrspace(7) and (9) from a module in three steps (ARCHITECTURE.md, "Buffer fat
// pointers"). docs/fat-pointers.md says what it makes of what.
#pragma once

#include "compiler/lgc/fat_pointers/AccessEmitter.h"
#include "llvm/IR/Module.h"

namespace assay {

/// Leaves accesses to \p emitter. Unsupported, and the module as it was, where a fat pointer has no
/// meaning without its type (an inline assembler's operand, say), or where \p emitter refuses an
/// access. The data layout must give ptr addrspace(7) 160 bits: those of a resource, ptr
/// addrspace(8), and 32.
llvm::Error splitFatPointers(llvm::Module &module, const AccessEmitter &emitter);

} // namespace assay

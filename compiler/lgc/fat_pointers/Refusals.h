// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lower-buffer-fat-pointers refuses, found before it changes anything.
#pragma once

#include "compiler/lgc/fat_pointers/AccessEmitter.h"
#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Unsupported, with the function and instruction, where a fat pointer of \p module has no meaning
/// without its type: docs/fat-pointers.md, "Limits".
/// Also for accesses and intrinsics that \p emitter does not know.
llvm::Error verifyLowerable(llvm::Module &module, TypeMap &types, const AccessEmitter &emitter);

} // namespace assay

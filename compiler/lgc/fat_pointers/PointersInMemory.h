// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First step of lower-buffer-fat-pointers: in memory, fat pointers are integers, at the places and
// with the strides that the data layout gives them as pointers.
#pragma once

#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "llvm/IR/Module.h"

namespace assay {

/// Afterwards loads and stores move integers (ptrtoint, inttoptr around them), allocas and globals
/// are of memory types, no getelementptr steps over a type that holds fat pointers, and functions
/// use no constant expression of one. Global initialisers must have memory forms. A load or store
/// of an aggregate with fat pointers becomes one of each part.
void storePointersAsIntegers(llvm::Module &module, TypeMap &types);

} // namespace assay

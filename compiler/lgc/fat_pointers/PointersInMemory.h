// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First step of lower-buffer-fat-pointers: in memory, fat pointers are integers, at the places and
// with the strides that the data layout gives them as pointers.
#pragma once

#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "llvm/IR/Module.h"

namespace assay {

/// Whether \p constant is, or is made of, something that names a fat pointer's type.
bool usesFatPointers(const llvm::Constant &constant, TypeMap &types);

/// The number that \p constant, a fat pointer, is, where it is a number of this compilation: null,
/// an integer, steps from one.
std::optional<llvm::APInt> evaluateFatPointer(const llvm::Constant &constant,
                                              const llvm::DataLayout &layout);

/// \p constant in the memory form of its type, without fat pointers; null where the value is not
/// known when the module is compiled.
llvm::Constant *getMemoryForm(llvm::Constant &constant, TypeMap &types,
                              const llvm::DataLayout &layout);

/// Afterwards loads and stores move integers (ptrtoint, inttoptr around them), allocas and globals
/// are of memory types, no getelementptr steps over a type that holds fat pointers, and functions
/// use no constant expression of one. Global initialisers must have memory forms. A load or store
/// of an aggregate with fat pointers becomes one of each part.
void storePointersAsIntegers(llvm::Module &module, TypeMap &types);

} // namespace assay

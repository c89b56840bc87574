// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants with fat pointers, as initialisers of memory that holds integers.
#pragma once

#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "llvm/ADT/APInt.h"
#include <optional>

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

} // namespace assay

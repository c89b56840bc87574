// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Second step of lower-buffer-fat-pointers: what the module's symbols and metadata say of fat
// pointers is remapped; instructions follow by Splitter.h.
#pragma once

#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "llvm/IR/Module.h"

namespace assay {

/// A function that takes \p function's place: its type and attributes remapped, its body moved. The
/// body uses \p function's arguments still, so the caller erases it when it is split. The function
/// itself where its type holds no fat pointer.
llvm::Function *remapSignature(llvm::Function &function, TypeMap &types);

/// Remaps attributes that name types which hold fat pointers, types of aliases, and metadata made
/// of constants; takes declarations away that only fat pointers needed.
void remapSymbols(llvm::Module &module, TypeMap &types);

} // namespace assay

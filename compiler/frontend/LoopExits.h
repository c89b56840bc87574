// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps what SPIR-V calls part of a loop inside LLVM's loop, where subgroups need it.
#pragma once

#include "compiler/frontend/Translator.h"

namespace assay {

/// The functions of \p module that hold subgroup operations, or call one that does.
llvm::DenseSet<spirv::Id> findSubgroupFunctions(const spirv::Module &module);

/// The blocks of one translated function, by label: where each begins, and where it ends.
struct TranslatedBlocks {
  const llvm::DenseMap<spirv::Id, llvm::BasicBlock *> &begins;
  llvm::DenseMap<spirv::Id, llvm::BasicBlock *> &ends; ///< Kept up to date.
};

/// Makes LLVM keep the loops of \p function together as SPIR-V has them, where subgroup operations
/// are in them. LLVM understands a loop by its cycle alone, and reconverges accordingly:
///
/// A block that ends with a break or a return belongs to the loop for SPIR-V: invocations that get
/// there in different iterations do its subgroup operations one iteration after the other. For LLVM
/// it is after the loop, where all of them meet. So each such way out is made to look as if it
/// could go back to the loop's header.
///
/// Invocations that continue go on together with the others. So all ways back go through one block
/// that LLVM does not take apart; its structurizer would make a loop of each.
void holdLoopExits(Builder &builder, const spirv::Function &function,
                   const TranslatedBlocks &translated,
                   const llvm::DenseSet<spirv::Id> &subgroupFunctions);

} // namespace assay

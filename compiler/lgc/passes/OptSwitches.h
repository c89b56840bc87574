// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// A switch of few ways becomes a chain of branches, one per successor, and what lies after them
/// selects where that is cheap. LLVM makes a tree of comparisons of it, and lanes that differ walk
/// every path of a tree, each with its own masks.
class OptSwitches : public llvm::PassInfoMixin<OptSwitches> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay

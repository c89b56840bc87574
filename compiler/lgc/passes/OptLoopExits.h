// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// A loop of two blocks that both leave to the same block becomes one block, if what the second
/// does is cheap and harmless where the first has left: lanes that leave one by one need masks for
/// each way out.
class OptLoopExits : public llvm::PassInfoMixin<OptLoopExits> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay

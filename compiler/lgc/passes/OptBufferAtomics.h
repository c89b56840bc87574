// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Promises LLVM that atomics on buffers never touch fine-grained memory, so that it selects the
/// hardware's own instructions instead of compare-and-swap loops.
class OptBufferAtomics : public llvm::PassInfoMixin<OptBufferAtomics> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay

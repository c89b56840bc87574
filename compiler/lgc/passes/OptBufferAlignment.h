// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Loads and stores of buffers are aligned as their offsets say: a buffer begins at a multiple of a
/// dword (what a driver demands by minStorageBufferOffsetAlignment), so that a half at an even
/// index and its neighbour can become one access of a dword.
class OptBufferAlignment : public llvm::PassInfoMixin<OptBufferAlignment> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay

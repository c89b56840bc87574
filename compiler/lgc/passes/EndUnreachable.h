// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// A function that never returns ends where nothing can be reached. Its behaviour is undefined, and
/// LLVM makes no code of it; but an entry point without code would go on into what lies behind it,
/// and a stage without exports would never give its resources back. Functions that return anywhere
/// stay as they are: LLVM needs what it cannot reach there to drop branches.
class EndUnreachable : public llvm::PassInfoMixin<EndUnreachable> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay

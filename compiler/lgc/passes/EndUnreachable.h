// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Makes a function return at its unreachable instructions if it returns nowhere else. Its
/// behaviour is undefined, and LLVM makes no code of it; but a wave would run from an entry point
/// without code into what follows it. Functions that return anywhere stay as they are: there,
/// unreachable lets LLVM remove branches.
class EndUnreachable : public llvm::PassInfoMixin<EndUnreachable> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay

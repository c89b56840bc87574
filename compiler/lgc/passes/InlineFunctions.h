// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass inline-functions: inlines what must be inlined, and leaves float operations as they are.
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Inlines every alwaysinline function. LLVM's inliner turns each float operation that it copies
/// into a strictfp function into its constrained form, also what does not round (LLVM,
/// CloneFunction.cpp), and then cannot select all of them; so no function is strictfp meanwhile.
struct InlineFunctions : llvm::PassInfoMixin<InlineFunctions> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Turns the private variables (globals in addrspace(5)) into allocas of the entry point, with
/// their initialisers stored first. Every other function must have been inlined.
class LowerPrivateGlobals : public llvm::PassInfoMixin<LowerPrivateGlobals> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay

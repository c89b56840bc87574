// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Computes the built-ins from the three that the hardware gives: number of workgroups, workgroup
/// id, local invocation id. Those are read once each, at the start of the entry point: an op whose
/// operand must be a constant must not be where LLVM could merge two of them.
class LowerBuiltIns : public llvm::PassInfoMixin<LowerBuiltIns> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay

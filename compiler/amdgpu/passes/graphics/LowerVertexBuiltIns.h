// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Computes the built-in inputs of a vertex shader (lgc.read.stage.built.in) from registers.
class LowerVertexBuiltIns : public llvm::PassInfoMixin<LowerVertexBuiltIns> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

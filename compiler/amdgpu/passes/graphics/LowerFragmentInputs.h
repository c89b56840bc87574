// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Interpolates the inputs of a fragment shader (lgc.read.input), and computes its built-in inputs
/// (lgc.read.stage.built.in). Attribute numbers follow the order of locations. Adds the registers
/// and interpolants (StageFacts).
class LowerFragmentInputs : public llvm::PassInfoMixin<LowerFragmentInputs> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

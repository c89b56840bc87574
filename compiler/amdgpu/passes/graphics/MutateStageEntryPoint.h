// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Gives the entry point of a graphics stage the signature that hardware and driver call (user data
/// in SGPRs, what the hardware adds in SGPRs and VGPRs), replaces the ops that read those, sets the
/// function's attributes, and writes the PAL metadata of this stage, as of a part of a pipeline
/// (compiler/pal/CombineParts.h). Registers are those of StageFacts and those that follow from the
/// whole function.
class MutateStageEntryPoint : public llvm::PassInfoMixin<MutateStageEntryPoint> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Exports what a vertex shader writes (lgc.write.output, lgc.write.stage.built.in): positions,
/// then parameters, one for each location, in ascending order. On GFX11 and later parameters are
/// stored in the attribute ring, before the positions. Adds the registers that say so (StageFacts).
class LowerVertexExports : public llvm::PassInfoMixin<LowerVertexExports> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

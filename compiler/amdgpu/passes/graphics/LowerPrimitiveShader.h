// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Where the pipeline has NGG, makes a primitive shader in passthrough mode of a vertex shader
/// whose outputs are exports: each thread exports a primitive as it came, and runs the vertex
/// shader, up to what the wave has of either. Without a mode in which hardware does it, the
/// first wave asks for the space of both.
class LowerPrimitiveShader : public llvm::PassInfoMixin<LowerPrimitiveShader> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

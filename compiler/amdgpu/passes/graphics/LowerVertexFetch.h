// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Loads the inputs of a vertex shader (lgc.read.input) from its vertex buffers, by typed loads
/// with the format of the pipeline's state. The descriptor of binding n is number n of the table of
/// vertex buffers. Bounds are the descriptors'. Inputs without an attribute are 0.
class LowerVertexFetch : public llvm::PassInfoMixin<LowerVertexFetch> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

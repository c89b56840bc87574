// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Replaces barriers, anchors and opaque conditions. Adds the metadata by which LLVM knows what
/// fences order and what memory atomics access.
class LowerControl : public llvm::PassInfoMixin<LowerControl> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

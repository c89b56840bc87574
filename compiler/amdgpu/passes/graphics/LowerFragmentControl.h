// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Makes differences between lanes of a quad of derivatives, and kills, demotes and queries
/// invocations. Helper invocations compute what derivatives read (LLVM's whole quad mode).
class LowerFragmentControl : public llvm::PassInfoMixin<LowerFragmentControl> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

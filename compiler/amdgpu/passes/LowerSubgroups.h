// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Turns the lgc.subgroup ops into what the target's waves can do. Must run before any pass that
/// knows nothing of subgroups could move them.
class LowerSubgroups : public llvm::PassInfoMixin<LowerSubgroups> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

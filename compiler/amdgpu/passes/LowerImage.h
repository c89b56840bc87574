// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Makes the target's image and typed buffer instructions of the image ops (all but
/// descriptor.ptr).
class LowerImage : public llvm::PassInfoMixin<LowerImage> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

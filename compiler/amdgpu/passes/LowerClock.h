// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Reads the clock that the target has: the shader's cycles for a subgroup, real time for the
/// device. GFX11 counts no more than 20 bits of cycles, which soon begin again: there it is real
/// time in both.
class LowerClock : public llvm::PassInfoMixin<LowerClock> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

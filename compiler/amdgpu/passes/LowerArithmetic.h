// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Replaces the ops of arithmetic by instructions of AMD GPUs: division, inverse square root,
/// fraction, bit fields of 32 bits, conversions that name a rounding mode, comparison of fat
/// pointers.
class LowerArithmetic : public llvm::PassInfoMixin<LowerArithmetic> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::ir3 {

/// Replaces intrinsics, ops and conversions that have no instruction on Adreno GPUs by arithmetic
/// of 32 and 64 bits that selection takes. What it does not know stays.
class ExpandOps : public llvm::PassInfoMixin<ExpandOps> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::ir3

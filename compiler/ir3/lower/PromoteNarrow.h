// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::ir3 {

/// Replaces values of fewer than 32 bits by wider ones (lower/Narrow.h) and accesses of parts of
/// dwords by accesses of dwords. Reports Unsupported for instructions that it does not know.
class PromoteNarrow : public llvm::PassInfoMixin<PromoteNarrow> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::ir3

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::ir3 {

/// Replaces divisions and remainders of integers, for which there is no instruction: those of 32 bits
/// by products, with a constant or with a reciprocal, and wider ones by LLVM's expansions, which are
/// loops. Those of vectors are done one component at a time. lgc.smod becomes a remainder first.
class ExpandDivision : public llvm::PassInfoMixin<ExpandDivision> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::ir3

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Unsigned divisions and remainders by a half of what is divided, where that may have a sign bit
/// among many equal ones: instruction selection takes such a number for a small one and divides in
/// floats (bugs/README.md). At level 2 LLVM expands divisions before instruction selection.
class LowerDivision : public llvm::PassInfoMixin<LowerDivision> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

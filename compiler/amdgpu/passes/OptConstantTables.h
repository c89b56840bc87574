// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Makes constants in .rodata of private variables that only ever hold the same constants, as
/// tables do: scratch memory would have to be filled by each wave first. PAL loads .rodata next to
/// the code and resolves the table's address (R_AMDGPU_ABS32_LO and R_AMDGPU_ABS32_HI).
///
/// It runs when loops have been unrolled and small variables are values. Those of at most
/// MaxRegisterBytes stay: the code generator may still keep them in registers. What is read without
/// having been written is undefined, as before.
class OptConstantTables : public llvm::PassInfoMixin<OptConstantTables> {
public:
  static constexpr uint64_t MaxRegisterBytes = 16;

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay::amdgpu

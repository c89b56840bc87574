// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Replaces private variables that only ever hold the same constants by constants in .rodata:
/// scratch memory would have to be filled by each wave first. PAL loads .rodata next to the code
/// and resolves the table's address (R_AMDGPU_ABS32_LO and R_AMDGPU_ABS32_HI).
///
/// Every store must be of a constant at a constant offset, and stores to one place must agree;
/// stores of undef count as none. What is read without having been written is undefined, as before.
/// The pass runs when loops have been unrolled and small variables are values. Variables of at most
/// MaxRegisterBytes stay, because the code generator may keep them in registers, and those of more
/// than MaxTableBytes, so that a few stores to a large array do not make a large ELF.
class OptConstantTables : public llvm::PassInfoMixin<OptConstantTables> {
public:
  static constexpr uint64_t MaxRegisterBytes = 16;
  static constexpr uint64_t MaxTableBytes = 65536;

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay::amdgpu

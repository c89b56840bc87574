// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Gives the compute entry point the signature that hardware and driver call (PAL's user data in
/// SGPRs, workgroup id, local invocation id), replaces the ops that read those, sets the function's
/// attributes, and writes the PAL metadata that describes it all.
///
/// Push constants and table addresses that are read at constant offsets become SGPRs; the rest is
/// read from the spill table. Running it after some simplification makes more offsets constant.
class MutateEntryPoint : public llvm::PassInfoMixin<MutateEntryPoint> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

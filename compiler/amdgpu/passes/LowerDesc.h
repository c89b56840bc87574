// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay::amdgpu {

/// Loads buffer descriptors from their set's table, and makes fat pointers of them. The tables'
/// addresses are asked for by lgc.descriptor.table, once a set, at the start of the function.
class LowerDesc : public llvm::PassInfoMixin<LowerDesc> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay::amdgpu

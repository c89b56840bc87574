// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Loads from a buffer that nobody writes, at an address which is the same in all lanes, become
/// scalar loads: LLVM makes vector loads of everything that goes by a fat pointer. The hardware
/// checks their bounds dword by dword and gives 0 outside. To be run when nothing moves addresses
/// any more.
class OptBufferLoads : public llvm::PassInfoMixin<OptBufferLoads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace assay

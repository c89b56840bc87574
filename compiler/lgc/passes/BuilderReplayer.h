// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Replaces every recorded op by what BuilderImpl makes of the same call. Ops stay that depend on
/// the entry point, on the resource layout or on the architecture.
class BuilderReplayer : public llvm::PassInfoMixin<BuilderReplayer> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay

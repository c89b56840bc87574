// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace assay {

/// Replaces every recorded op by what BuilderImpl makes of the same call. Ops that depend on the
/// entry point or the resource layout stay.
class BuilderReplayer : public llvm::PassInfoMixin<BuilderReplayer> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace assay

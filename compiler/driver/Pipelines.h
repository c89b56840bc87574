// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of passes, and nothing else.
#pragma once

#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"

namespace llvm {
class PassBuilder;
}

namespace assay {

struct PipelineChoices {
  /// Buffers stay fat pointers, which LLVM's back-end lowers by itself.
  bool useLlvmLowering = false;
  /// Neighbouring accesses may become one, of which the hardware checks the bounds as a whole.
  bool mergeAccesses = true;
};

/// The middle-end without optimisation: what must run, and no more.
llvm::ModulePassManager makeUnoptimizedPipeline(const PipelineChoices &choices);

/// The middle-end at level 2. \p builder must be one of an AMDGPU machine, else Environment.
llvm::Expected<llvm::ModulePassManager> makeOptimizedPipeline(llvm::PassBuilder &builder,
                                                              const PipelineChoices &choices);

} // namespace assay

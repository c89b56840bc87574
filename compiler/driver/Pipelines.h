// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of passes, and nothing else. An architecture orders its own
// (compiler/amdgpu/Lowering.cpp).
#pragma once

#include "compiler/api/Backend.h"
#include <functional>

namespace assay {

/// Choices of the whole middle-end.
struct PipelineChoices : LoweringChoices {
  /// Neighbouring accesses may become one, of which the hardware checks the bounds as a whole.
  bool mergeAccesses = true;
  /// Is called where the choice of the lowering begins to count: there are fat pointers.
  std::function<void(llvm::Module &module)> useLowering;
};

/// The middle-end for the architecture of \p backend, whose machine \p builder is one of.
/// Environment where LLVM lacks a pass of the architecture's.
llvm::Expected<llvm::ModulePassManager> makePipeline(Backend &backend, llvm::PassBuilder &builder,
                                                     const PipelineChoices &choices);

/// What makes a graphics stage ready to be linked (compiler/lgc/link): one function, whose inputs
/// and outputs are values.
llvm::ModulePassManager makeStagePreparation();
/// What pays for a linked stage, before an architecture lowers it.
llvm::ModulePassManager makeStageOptimization();

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/fat_pointers/LowerBufferFatPointers.h"

#include "compiler/amdgpu/fat_pointers/BufferAccessEmitter.h"
#include "compiler/amdgpu/fat_pointers/BufferAccessOptimizations.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/fat_pointers/SplitFatPointers.h"

using namespace llvm;
using namespace assay;

/// An error is reported on the context and ends the pass.
PreservedAnalyses amdgpu::LowerBufferFatPointers::run(Module &module,
                                                      ModuleAnalysisManager &analyses) {
  if (Error error = splitFatPointers(module, BufferAccessEmitter())) {
    reportError(module.getContext(), addContext(std::move(error), "lower-buffer-fat-pointers"));
    return PreservedAnalyses::all();
  }
  if (m_options.optimize)
    optimizeBufferAccesses(module, analyses);
  return PreservedAnalyses::none();
}

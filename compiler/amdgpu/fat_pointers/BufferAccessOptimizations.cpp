// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/fat_pointers/BufferAccessOptimizations.h"

#include "compiler/amdgpu/fat_pointers/BufferAccess.h"
#include "compiler/amdgpu/fat_pointers/ScalarLoads.h"
#include "compiler/amdgpu/fat_pointers/Waterfall.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Returns whether \p function has any buffer intrinsic; others need no analysis.
static bool hasBufferAccess(Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && isBufferIntrinsic(*call);
  });
}

/// Makes scalar loads first: what they fetch needs no waterfall loop.
static void optimize(Function &function, FunctionAnalysisManager &analyses) {
  // The pass has changed the function since anybody looked.
  analyses.invalidate(function, PreservedAnalyses::none());
  // Asked for the target, not the function: one of a single lane has no divergence, and gains most.
  if (!analyses.getResult<TargetIRAnalysis>(function).hasBranchDivergence())
    return;
  if (makeScalarLoads(function, analyses.getResult<UniformityInfoAnalysis>(function)))
    analyses.invalidate(function, PreservedAnalyses::none());
  if (shareWaterfallLoops(function, analyses.getResult<UniformityInfoAnalysis>(function)))
    analyses.invalidate(function, PreservedAnalyses::none());
}

void amdgpu::optimizeBufferAccesses(Module &module, ModuleAnalysisManager &analyses) {
  FunctionAnalysisManager &functionAnalyses =
      analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function &function : module)
    if (!function.isDeclaration() && hasBufferAccess(function))
      optimize(function, functionAnalyses);
}

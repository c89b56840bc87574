// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/InlineFunctions.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"

using namespace llvm;
using namespace assay;

/// strictfp is taken off for the time of inlining; functions that remain get it back.
PreservedAnalyses InlineFunctions::run(Module &module, ModuleAnalysisManager &analyses) {
  SmallVector<WeakTrackingVH, 8> strict; // Some functions are gone afterwards.
  for (Function &function : module)
    if (function.hasFnAttribute(Attribute::StrictFP) && !function.isDeclaration()) {
      function.removeFnAttr(Attribute::StrictFP);
      strict.emplace_back(&function);
    }
  PreservedAnalyses preserved =
      AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false).run(module, analyses);
  for (const WeakTrackingVH &each : strict)
    if (auto *function = dyn_cast_or_null<Function>(static_cast<Value *>(each)))
      function->addFnAttr(Attribute::StrictFP);
  return preserved;
}

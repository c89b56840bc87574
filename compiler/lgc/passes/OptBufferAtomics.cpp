// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/OptBufferAtomics.h"

#include "compiler/lgc/Builder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace assay;

PreservedAnalyses OptBufferAtomics::run(Function &function, FunctionAnalysisManager &) {
  MDNode *promise = MDNode::get(function.getContext(), {});
  bool hasChanged = false;
  for (Instruction &instruction : instructions(function)) {
    auto *atomic = dyn_cast<AtomicRMWInst>(&instruction);
    if (!atomic || atomic->getPointerAddressSpace() != BufferFatPointerSpace)
      continue;
    atomic->setMetadata("amdgpu.no.fine.grained.memory", promise);
    hasChanged = true;
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

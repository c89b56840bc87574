// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/EndUnreachable.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace assay;

PreservedAnalyses EndUnreachable::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<UnreachableInst *, 4> ends;
  for (BasicBlock &block : function) {
    if (isa<ReturnInst>(block.getTerminator()))
      return PreservedAnalyses::all();
    if (auto *end = dyn_cast<UnreachableInst>(block.getTerminator()))
      ends.push_back(end);
  }
  Type *type = function.getReturnType();
  for (UnreachableInst *end : ends) {
    ReturnInst::Create(function.getContext(), type->isVoidTy() ? nullptr : PoisonValue::get(type),
                       end->getIterator());
    end->eraseFromParent();
  }
  return ends.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

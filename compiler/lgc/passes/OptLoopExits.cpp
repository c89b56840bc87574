// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/OptLoopExits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

/// More instructions than these cost more than the masks.
static constexpr unsigned MostInstructions = 16;

/// The exit of a block that otherwise goes to \p inside; null where it has none.
static BasicBlock *findExit(const BasicBlock &block, const BasicBlock *inside) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return nullptr;
  if (branch->getSuccessor(0) == inside)
    return branch->getSuccessor(1);
  return branch->getSuccessor(1) == inside ? branch->getSuccessor(0) : nullptr;
}

/// Returns whether \p block is short and may be executed where the loop has been left: without
/// convergent calls and side effects.
static bool isHarmless(const BasicBlock &block) {
  if (block.sizeWithoutDebug() > MostInstructions)
    return false;
  return all_of(block, [&](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    return instruction.isTerminator() ||
           ((!call || !call->isConvergent()) && isSafeToSpeculativelyExecute(&instruction));
  });
}

/// i1: whether \p branch goes to \p exit.
static Value *leaves(IRBuilder<> &builder, const BranchInst &branch, const BasicBlock *exit) {
  Value *condition = branch.getCondition();
  return branch.getSuccessor(0) == exit ? condition : builder.CreateNot(condition);
}

/// Joins \p loop's two blocks, if they are as the class says.
static bool joinBlocks(const Loop &loop) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (loop.getNumBlocks() != 2 || !latch || header == latch ||
      latch->getSinglePredecessor() != header)
    return false;
  BasicBlock *exit = findExit(*header, latch);
  if (!exit || exit != findExit(*latch, header) || !isHarmless(*latch))
    return false;
  auto *early = cast<BranchInst>(header->getTerminator());
  auto *late = cast<BranchInst>(latch->getTerminator());
  IRBuilder<> builder(late);
  Value *hasLeft = leaves(builder, *early, exit);
  Value *leavesNow = builder.CreateLogicalOr(hasLeft, leaves(builder, *late, exit));
  for (PHINode &phi : exit->phis()) {
    Value *value = builder.CreateSelect(hasLeft, phi.getIncomingValueForBlock(header),
                                        phi.getIncomingValueForBlock(latch));
    phi.setIncomingValueForBlock(latch, value);
    phi.removeIncomingValue(header, /*DeletePHIIfEmpty=*/false);
  }
  for (Instruction &instruction : *latch)
    instruction.dropUBImplyingAttrsAndMetadata();
  BranchInst *joined = builder.CreateCondBr(leavesNow, exit, header);
  joined->copyMetadata(*late, {LLVMContext::MD_loop});
  late->eraseFromParent();
  IRBuilder<>(early).CreateBr(latch);
  early->eraseFromParent();
  return MergeBlockIntoPredecessor(latch);
}

PreservedAnalyses OptLoopExits::run(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  bool hasChanged = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    hasChanged |= joinBlocks(*loop);
  return hasChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/OptSwitches.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace assay;

namespace {

/// Values from \p first to \p last, both included; unsigned.
struct Range {
  APInt first, last;
};

/// Case values by successor, in the order of the cases.
using Ways = SmallMapVector<BasicBlock *, SmallVector<APInt, 4>, 4>;

} // namespace

/// More successors, or more comparisons, than these are better off with a tree.
static constexpr unsigned MostWays = 6, MostRanges = 8;

/// The values of each successor but the default, in the order of the cases.
static Ways findWays(SwitchInst &choice) {
  Ways ways;
  for (auto &each : choice.cases())
    if (each.getCaseSuccessor() != choice.getDefaultDest())
      ways[each.getCaseSuccessor()].push_back(each.getCaseValue()->getValue());
  return ways;
}

/// Returns \p values as ascending ranges without gaps in them.
static SmallVector<Range, 4> makeRanges(SmallVector<APInt, 4> values) {
  sort(values, [](const APInt &a, const APInt &b) { return a.ult(b); });
  SmallVector<Range, 4> ranges;
  for (const APInt &value : values) {
    if (!ranges.empty() && ranges.back().last + 1 == value)
      ranges.back().last = value;
    else
      ranges.push_back({value, value});
  }
  return ranges;
}

/// Returns an i1: one comparison, after a subtraction where the range has several values.
static Value *isWithin(IRBuilder<> &builder, Value *value, const Range &range) {
  Type *type = value->getType();
  if (range.first == range.last)
    return builder.CreateICmpEQ(value, ConstantInt::get(type, range.first));
  Value *distance = builder.CreateSub(value, ConstantInt::get(type, range.first));
  return builder.CreateICmpULE(distance, ConstantInt::get(type, range.last - range.first));
}

/// The incoming values of \p block from \p from, of which there are as many as edges, become one
/// from \p instead.
static void replaceIncoming(BasicBlock &block, BasicBlock *from, BasicBlock *instead) {
  for (PHINode &phi : block.phis()) {
    Value *value = phi.getIncomingValueForBlock(from);
    phi.removeIncomingValueIf([&](unsigned i) { return phi.getIncomingBlock(i) == from; },
                              /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(value, instead);
  }
}

/// Where what is none of the values of \p ways goes. If nothing else can be, the way of most ranges
/// goes there, and leaves \p ways.
static BasicBlock *takeOtherwise(SwitchInst &choice, Ways &ways) {
  BasicBlock *otherwise = choice.getDefaultDest();
  if (!isa<UnreachableInst>(otherwise->getFirstNonPHIOrDbg()) || ways.empty())
    return otherwise;
  auto *most = max_element(ways, [](const auto &a, const auto &b) {
    return makeRanges(a.second).size() < makeRanges(b.second).size();
  });
  BasicBlock *way = most->first;
  ways.erase(way);
  for (PHINode &phi : otherwise->phis())
    phi.removeIncomingValueIf(
        [&](unsigned i) { return phi.getIncomingBlock(i) == choice.getParent(); },
        /*DeletePHIIfEmpty=*/false);
  return way;
}

/// Replaces \p choice. Its conditions are frozen, for LLVM would make a switch of them again; they
/// are added to \p conditions.
static void makeChain(SwitchInst &choice, Ways &ways, SmallVectorImpl<WeakTrackingVH> &conditions) {
  BasicBlock *from = choice.getParent(), *link = from;
  BasicBlock *otherwise = takeOtherwise(choice, ways);
  Value *value = choice.getCondition();
  choice.removeFromParent();
  for (const auto &[way, values] : ways) {
    IRBuilder<> builder(link);
    Value *isTaken = nullptr;
    for (const Range &range : makeRanges(values)) {
      Value *isHere = isWithin(builder, value, range);
      isTaken = isTaken ? builder.CreateOr(isTaken, isHere) : isHere;
    }
    conditions.push_back(isTaken = builder.CreateFreeze(isTaken));
    BasicBlock *next = BasicBlock::Create(from->getContext(), "switch.next", from->getParent(),
                                          link->getNextNode());
    builder.CreateCondBr(isTaken, way, next);
    replaceIncoming(*way, from, link);
    link = next;
  }
  BranchInst::Create(otherwise, link);
  replaceIncoming(*otherwise, from, link);
  choice.deleteValue();
}

/// Runs SimplifyCFG while the conditions are frozen, then removes the freezes.
PreservedAnalyses OptSwitches::run(Function &function, FunctionAnalysisManager &analyses) {
  SmallVector<WeakTrackingVH, 8> conditions;
  for (BasicBlock &block : make_early_inc_range(function)) {
    auto *choice = dyn_cast<SwitchInst>(block.getTerminator());
    if (!choice)
      continue;
    Ways ways = findWays(*choice);
    size_t ranges = 0;
    for (const auto &[way, values] : ways)
      ranges += makeRanges(values).size();
    if (!ways.empty() && ways.size() <= MostWays && ranges <= MostRanges)
      makeChain(*choice, ways, conditions);
  }
  if (conditions.empty())
    return PreservedAnalyses::all();
  analyses.invalidate(function, PreservedAnalyses::none());
  SimplifyCFGPass().run(function, analyses);
  for (WeakTrackingVH &condition : conditions)
    if (auto *freeze = dyn_cast_or_null<FreezeInst>(condition)) {
      freeze->replaceAllUsesWith(freeze->getOperand(0));
      freeze->eraseFromParent();
    }
  return PreservedAnalyses::none();
}

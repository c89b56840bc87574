// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An optimistic propagation: phis and selects start without a root, take the one that their
// operands have, and become roots of their own where operands differ. What was taken on the way to
// such a conflict may be outdated by it, so each starts a new round; a round without is a solution.
#include "compiler/lgc/fat_pointers/Roots.h"

#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace assay;

/// Returns whether \p value is a phi or select of fat pointers.
static bool isJoin(const Value *value) {
  return isFatPointer(value->getType()) && isa<PHINode, SelectInst>(value);
}

/// What \p value has its resource from, if another value; null if it is where a resource begins.
static Value *stepToSource(Value *value) {
  if (auto *step = dyn_cast<GEPOperator>(value)) {
    Value *base = step->getPointerOperand();
    return base->getType() == value->getType() ? base : nullptr;
  }
  if (auto *cast = dyn_cast<AddrSpaceCastOperator>(value)) {
    bool isResource = cast->getSrcAddressSpace() == ResourceSpace;
    return isResource ? cast->getPointerOperand() : nullptr;
  }
  auto *call = dyn_cast<IntrinsicInst>(value);
  if (!call)
    return nullptr;
  switch (call->getIntrinsicID()) {
  case Intrinsic::ptrmask:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ssa_copy:
    return call->getArgOperand(0);
  default:
    return nullptr;
  }
}

/// Null: a join of which nothing is known yet.
Value *Roots::getRoot(Value *value) const {
  while (isFatPointer(value->getType()) && !isJoin(value)) {
    Value *source = stepToSource(value);
    if (!source)
      return value;
    value = source;
  }
  return isJoin(value) ? m_roots.lookup(value) : value;
}

/// The root that all operands have which have one; \p join itself where they differ.
Value *Roots::meet(Instruction &join) const {
  unsigned first = isa<SelectInst>(join) ? 1 : 0;
  Value *result = nullptr;
  for (unsigned i = first; i < join.getNumOperands(); ++i) {
    Value *root = getRoot(join.getOperand(i));
    if (!root || isa<UndefValue>(root) || root == result)
      continue;
    if (result)
      return &join;
    result = root;
  }
  // An operand without a value lets the root represent it, but does not make it dominate.
  if (auto *definition = dyn_cast_or_null<Instruction>(result))
    if (!m_dominators.dominates(definition, &join))
      return &join;
  return result;
}

/// False when it stopped at a join that turned out to be a root of its own.
bool Roots::runRound(ArrayRef<Instruction *> joins) {
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (Instruction *join : joins) {
      Value *&root = m_roots[join];
      if (root == join)
        continue;
      Value *now = meet(*join);
      hasChanged |= now != root;
      root = now;
      if (now == join)
        return false;
    }
  }
  return true;
}

/// Joins that turned out to be roots stay so in the following rounds; all others start without one
/// again.
Roots::Roots(Function &function, const DominatorTree &dominators) : m_dominators(dominators) {
  SmallVector<Instruction *, 16> joins;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : *block)
      if (isJoin(&instruction))
        joins.push_back(&instruction);
  for (Instruction *join : joins)
    m_roots[join] = nullptr;
  while (!runRound(joins))
    for (auto &[join, root] : m_roots)
      if (root != join)
        root = nullptr;
}

/// Null, too, for a join none of whose operands has a root.
Value *Roots::find(const Instruction &value) const {
  Value *root = m_roots.lookup(&value);
  return root == &value ? nullptr : root;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of blocks in which lanes wait for each other. Plain reverse post-order may put what
// follows a loop before its body; then lanes that leave early would run ahead alone.
#include "oracles/ir/Program.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

/// Computes a reverse post-order in which each loop is one node: all its blocks are in a row. The
/// order inside of a loop follows the same rule.
class BlockOrder {
public:
  explicit BlockOrder(const Function &function)
      : m_tree(const_cast<Function &>(function)), m_loops(m_tree) {}

  /// Appends the blocks of \p scope (null: the function) from \p entry on.
  void append(const BasicBlock *entry, const Loop *scope);
  std::vector<const BasicBlock *> blocks; ///< The result of append().

private:
  /// The child loop of \p scope that has \p block, or null if \p block is in none.
  const Loop *childLoop(const BasicBlock *block, const Loop *scope) const;
  /// Entries of the nodes (a block, or a child loop) that follow the one that \p entry represents.
  std::vector<const BasicBlock *> successorsOf(const BasicBlock *entry, const Loop *scope) const;

  DominatorTree m_tree;
  LoopInfo m_loops;
};

} // namespace

const Loop *BlockOrder::childLoop(const BasicBlock *block, const Loop *scope) const {
  const Loop *loop = m_loops.getLoopFor(block);
  if (loop == scope)
    return nullptr;
  while (loop && loop->getParentLoop() != scope)
    loop = loop->getParentLoop();
  return loop;
}

std::vector<const BasicBlock *> BlockOrder::successorsOf(const BasicBlock *entry,
                                                         const Loop *scope) const {
  const Loop *child = childLoop(entry, scope);
  SmallVector<const BasicBlock *, 8> members;
  if (child)
    members.append(child->block_begin(), child->block_end());
  else
    members.push_back(entry);
  std::vector<const BasicBlock *> result;
  for (const BasicBlock *member : members)
    for (const BasicBlock *next : successors(member)) {
      if ((child && child->contains(next)) || (scope && !scope->contains(next)))
        continue;
      const Loop *nextChild = childLoop(next, scope);
      result.push_back(nextChild ? nextChild->getHeader() : next);
    }
  return result;
}

void BlockOrder::append(const BasicBlock *entry, const Loop *scope) {
  /// A node of the depth-first search and its successors that are not yet visited.
  struct Visit {
    const BasicBlock *node;
    std::vector<const BasicBlock *> next;
  };
  DenseSet<const BasicBlock *> seen{entry};
  std::vector<const BasicBlock *> postOrder;
  std::vector<Visit> stack;
  stack.push_back({entry, successorsOf(entry, scope)});
  while (!stack.empty()) {
    Visit &visit = stack.back();
    if (visit.next.empty()) {
      postOrder.push_back(visit.node);
      stack.pop_back();
      continue;
    }
    const BasicBlock *next = visit.next.back();
    visit.next.pop_back();
    if (seen.insert(next).second)
      stack.push_back({next, successorsOf(next, scope)});
  }
  for (const BasicBlock *node : reverse(postOrder)) {
    if (const Loop *child = childLoop(node, scope))
      append(child->getHeader(), child);
    else
      blocks.push_back(node);
  }
}

std::vector<const BasicBlock *> orderBlocks(const Function &function) {
  BlockOrder order(function);
  order.append(&function.getEntryBlock(), nullptr);
  return std::move(order.blocks);
}

} // namespace assay::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program/Flow.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace assay::fuzz {

/// Analyses the function; the first block is the entry. A label that no block has counts as the
/// entry.
Flow::Flow(const Function &function) {
  size_t count = function.blocks.size();
  for (auto [index, block] : enumerate(function.blocks))
    m_index[block.label] = index;
  m_predecessors.resize(count);
  m_successors.resize(count);
  m_reachable.resize(count);
  for (auto [index, block] : enumerate(function.blocks))
    for (Id label : block.successors()) {
      size_t successor = m_index.lookup(label);
      m_successors[index].push_back(successor);
      m_predecessors[successor].push_back(index);
    }
  if (count)
    findOrder(0);
  findDominators();
  findConstructs(function);
}

/// Depth first without recursion: deep nests must not end the stack.
void Flow::findOrder(size_t entry) {
  std::vector<std::pair<size_t, size_t>> path{{entry, 0}};
  m_reachable.set(entry);
  while (!path.empty()) {
    auto &[block, next] = path.back();
    if (next == m_successors[block].size()) {
      m_order.push_back(block);
      path.pop_back();
      continue;
    }
    size_t successor = m_successors[block][next++];
    if (!m_reachable[successor]) {
      m_reachable.set(successor);
      path.push_back({successor, 0});
    }
  }
  std::ranges::reverse(m_order);
}

/// Computes dominator sets by iteration to a fixed point. Sets of unreachable blocks stay full and
/// mean nothing.
void Flow::findDominators() {
  size_t count = m_successors.size();
  m_dominators.assign(count, BitVector(count, true));
  if (m_order.empty())
    return;
  m_dominators[m_order.front()].reset();
  m_dominators[m_order.front()].set(m_order.front());
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (size_t block : drop_begin(m_order)) {
      BitVector meet(count, true);
      for (size_t predecessor : m_predecessors[block])
        if (m_reachable[predecessor])
          meet &= m_dominators[predecessor];
      meet.set(block);
      if (meet != m_dominators[block]) {
        m_dominators[block] = std::move(meet);
        hasChanged = true;
      }
    }
  }
}

/// Collects one construct for each reachable header with a merge instruction, in the order of
/// m_order.
void Flow::findConstructs(const Function &function) {
  for (size_t header : m_order) {
    const Instruction *merge = function.blocks[header].merge();
    if (!merge)
      continue;
    Construct construct;
    construct.header = header;
    construct.merge = m_index.lookup(merge->word(0));
    construct.isLoop = merge->opcode == spv::Op::OpLoopMerge;
    if (construct.isLoop)
      construct.continueTarget = m_index.lookup(merge->word(1));
    construct.blocks.resize(m_successors.size());
    for (size_t block : m_order) {
      bool isPast = m_reachable[construct.merge] && dominates(construct.merge, block);
      if (dominates(header, block) && !isPast)
        construct.blocks.set(block);
    }
    m_constructs.push_back(std::move(construct));
  }
}

const Flow::Construct *Flow::innermost(size_t block) const {
  const Construct *best = nullptr;
  for (const Construct &construct : m_constructs)
    if (construct.blocks[block] && (!best || construct.blocks.count() < best->blocks.count()))
      best = &construct;
  return best;
}

bool Flow::isInContinue(size_t block) const {
  return any_of(m_constructs, [&](const Construct &construct) {
    return construct.isLoop && construct.blocks[block] && m_reachable[construct.continueTarget] &&
           dominates(construct.continueTarget, block);
  });
}

} // namespace assay::fuzz

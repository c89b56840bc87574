// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control-flow graph of a Function: who precedes and dominates whom, and SPIR-V's structured
// constructs. A snapshot: any change of the blocks ends its truth.
#pragma once

#include "fuzz/program/Program.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace assay::fuzz {

class Flow {
public:
  explicit Flow(const Function &function);

  size_t index(Id label) const { return m_index.lookup(label); }
  llvm::ArrayRef<size_t> predecessors(size_t block) const { return m_predecessors[block]; }
  llvm::ArrayRef<size_t> successors(size_t block) const { return m_successors[block]; }
  bool isReachable(size_t block) const { return m_reachable[block]; }
  /// Reachable blocks, each before its successors except for back edges.
  llvm::ArrayRef<size_t> order() const { return m_order; }
  /// Every path from the entry to \p b leads through \p a (itself included). Both reachable.
  bool dominates(size_t a, size_t b) const { return m_dominators[b][a]; }

  /// A header with the blocks of its construct: those it structurally dominates, without those
  /// that its merge block does (SPIR-V, "Structured Control Flow"); the merge block is outside.
  struct Construct {
    size_t header = 0;
    size_t merge = 0;
    bool isLoop = false;
    size_t continueTarget = 0; ///< Loops.
    llvm::BitVector blocks;
  };
  llvm::ArrayRef<Construct> constructs() const { return m_constructs; }
  /// The innermost construct around \p block, headers belonging to their own; null outside of all.
  const Construct *innermost(size_t block) const;
  /// True inside of a loop's continue construct: what its continue target dominates.
  bool isInContinue(size_t block) const;

private:
  void findOrder(size_t block);
  void findDominators();
  void findConstructs(const Function &function);

  llvm::DenseMap<Id, size_t> m_index;
  std::vector<llvm::SmallVector<size_t, 2>> m_predecessors, m_successors;
  llvm::BitVector m_reachable;
  std::vector<size_t> m_order;
  std::vector<llvm::BitVector> m_dominators;
  std::vector<Construct> m_constructs;
};

} // namespace assay::fuzz

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which phis and selects of fat pointers have one resource whatever way control comes, so that only
// their offset needs a phi or select.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

namespace assay {

/// The roots of one function's fat pointers, found before any of them is split.
class Roots {
public:
  Roots(llvm::Function &function, const llvm::DominatorTree &dominators);

  /// Whence the resource of \p value, a phi or select of fat pointers, comes on all paths: a
  /// resource (ptr addrspace(8)) or a fat pointer, which dominates it. Null where there are
  /// several.
  llvm::Value *find(const llvm::Instruction &value) const;

private:
  llvm::Value *getRoot(llvm::Value *value) const;
  llvm::Value *meet(llvm::Instruction &join) const;
  bool runRound(llvm::ArrayRef<llvm::Instruction *> joins);

  const llvm::DominatorTree &m_dominators;
  /// By phi or select; one that is its own root joins several. Absent: not seen yet.
  llvm::DenseMap<const llvm::Value *, llvm::Value *> m_roots;
};

} // namespace assay

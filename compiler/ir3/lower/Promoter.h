// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of PromoteNarrow in one function.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace assay::ir3 {

class Promoter {
public:
  explicit Promoter(llvm::Function &function)
      : m_function(function), m_builder(function.getContext()) {}
  /// Returns whether anything changed.
  bool run();

  llvm::IRBuilder<> &builder() { return m_builder; }
  /// What replaces \p old; \p old itself where its type stays.
  llvm::Value *get(llvm::Value *old);
  /// The same with defined upper bits.
  llvm::Value *getZeroExtended(llvm::Value *old);
  llvm::Value *getSignExtended(llvm::Value *old);

private:
  /// Makes the replacement of one instruction in front of it and remembers it. Indices of addresses
  /// are extended in place.
  bool promote(llvm::Instruction &inst);
  /// Null for an instruction that is not known.
  llvm::Value *makeValue(llvm::Instruction &inst);
  llvm::Value *makeBinary(llvm::BinaryOperator &inst);
  llvm::Value *makeCompare(llvm::CmpInst &inst);
  llvm::Value *makeCast(llvm::CastInst &inst);
  /// Null where the widths of the scalars do not divide each other, or exceed 64 bits.
  llvm::Value *makeBitCast(llvm::CastInst &inst);
  llvm::Value *makeComposite(llvm::Instruction &inst);
  llvm::Value *makePhi(llvm::PHINode &phi);
  bool promoteEffect(llvm::Instruction &inst);
  /// Adds the promoted operands of the phis of makePhi().
  void finishPhis();

  llvm::Function &m_function;
  llvm::IRBuilder<> m_builder;
  llvm::DenseMap<llvm::Value *, llvm::Value *> m_values; ///< Replacements by old value.
  /// Old phis and their promoted ones, which have no operands until finishPhis().
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>, 8> m_phis;
  llvm::SmallVector<llvm::Instruction *, 32> m_dead; ///< Erased at the end of run().
};

/// The promoted result of an intrinsic or op with narrow operands or result, null for one that is
/// not known.
llvm::Value *promoteCall(Promoter &promoter, llvm::CallInst &call);

} // namespace assay::ir3

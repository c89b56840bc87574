// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// User data as values in an entry point that has its final signature.
#pragma once

#include "compiler/amdgpu/passes/UserDataReads.h"
#include "llvm/IR/IRBuilder.h"

namespace assay::amdgpu {

/// A load of what no shader writes while the function runs.
llvm::Value *loadInvariant(llvm::IRBuilderBase &builder, llvm::Type *type, llvm::Value *address);

/// Makes each value at most once, at the insertion point of a builder: in the entry block.
class UserDataValues {
public:
  /// User SGPRs are the arguments of \p function from \p firstArgument on.
  UserDataValues(llvm::Function &function, llvm::IRBuilder<> &builder, const UserDataLayout &layout,
                 unsigned firstArgument = 0)
      : m_function(function), m_builder(builder), m_layout(layout), m_firstArgument(firstArgument) {
  }

  /// User data entry number \p entry, from its SGPR or from the spill table.
  llvm::Value *getEntry(uint32_t entry);
  /// An address of the 4 GiB that the code is in, where PAL keeps tables.
  llvm::Value *makePointer(llvm::Value *low);
  /// Replaces all ops and loads of push constants in \p reads, and adds them to \p dead.
  void replacePushConstants(const UserDataReads &reads,
                            llvm::SmallVectorImpl<llvm::Instruction *> &dead);

private:
  llvm::Value *getSpillTable();
  llvm::Value *makeLoaded(const PushConstantLoad &read);
  llvm::Value *getArgument(unsigned sgpr) { return m_function.getArg(m_firstArgument + sgpr); }

  llvm::Function &m_function;
  llvm::IRBuilder<> &m_builder;
  const UserDataLayout &m_layout;
  const unsigned m_firstArgument;
  llvm::Value *m_spillTable = nullptr;
  llvm::Value *m_highHalf = nullptr;
  llvm::DenseMap<uint32_t, llvm::Value *> m_entries;
};

} // namespace assay::amdgpu

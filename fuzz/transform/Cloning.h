// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of code with new ids.
#pragma once

#include "fuzz/program/Program.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace assay::fuzz {

/// Renames what it copies: results and labels get new ids of a program, other ids stay, unless one
/// says otherwise.
class Cloner {
public:
  explicit Cloner(Program &program) : m_program(program) {}

  /// From now on \p from is called \p to.
  void rename(Id from, Id to) { m_names[from] = to; }
  /// A new name for \p from, unless it has one.
  Id renew(Id from);
  /// New names for the label and all results of \p block.
  void renewAll(const Block &block);
  Id nameOf(Id id) const;

  Instruction clone(const Instruction &instruction) const;
  Block clone(const Block &block) const;
  /// What decorates a result that was renewed decorates its copy too.
  void cloneDecorations();

private:
  Program &m_program;
  llvm::DenseMap<Id, Id> m_names;
  std::vector<Id> m_renewed; ///< In the order in which they were.
};

} // namespace assay::fuzz

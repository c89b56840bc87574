// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: ways to make a Program smaller. Each proposes all its chances and applies those that
// somebody chose; who chooses, and what for, they do not know. Meaning is not kept, structure is.
#pragma once

#include "fuzz/program/Program.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay::fuzz {

/// A place where a reduction may act, and how. What the numbers say is the reduction's own; they
/// hold for the program for which they were proposed.
struct Chance {
  Id at = 0; ///< An id or a label.
  uint32_t index = 0;
  uint32_t value = 0;

  bool operator==(const Chance &) const = default;
};

/// A row of the table.
struct ProgramReduction {
  llvm::StringLiteral name;
  /// All chances, in the order of the program. A chance that was taken is not proposed again, so
  /// that taking chances ends.
  std::vector<Chance> (*find)(const Program &program);
  /// Takes \p chances, a part of what find() gave for \p program, in their order. One that does not
  /// go with those before it is left out. repair() must follow.
  void (*apply)(Program &program, llvm::ArrayRef<Chance> chances);
};

/// In the order in which they pay: what takes away most comes first.
llvm::ArrayRef<ProgramReduction> programReductions();

/// Makes \p program well-formed again after reductions: blocks that nothing reaches go (or end at
/// once, where a merge instruction names them), phis have one value for each predecessor, and a
/// value that its definition no longer reaches becomes zero.
void repair(Program &program);

/// Removes whatever has no effect: results that nothing uses, local variables that are only
/// written, functions that nobody calls, types, constants, decorations of what is gone.
void sweep(Program &program);

/// Instructions in function bodies, terminators and merges included, labels not.
size_t countInstructions(const Program &program);

} // namespace assay::fuzz

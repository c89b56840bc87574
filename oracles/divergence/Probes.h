// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Probes in a module of IR: what a pass must keep of each instruction becomes visible to
// ir::ExecutionLog, in the module as it is and in what the pass makes of it.
#pragma once

#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace assay {

/// An instruction, or a parameter of a function, by its number.
struct ProbedInstruction {
  std::string function;
  std::string text;           ///< As LLVM prints it; of a parameter "call with a parameter".
  llvm::Type *type = nullptr; ///< Of its value, for a probe of that.
};

enum class ProbeKind {
  Marks, ///< In front of each instruction that reaches memory, and of each branch.
  Values ///< And after each instruction its value, except for addresses of a lane's own memory
         ///< and of tables, which are the launch's business, and what needs the whole wave;
         ///< and at the begin of a function its fat pointers.
};

/// Adds calls of functions named ir::probeName. They touch no memory that the module could name,
/// so that a pass may do across them what it may do without them; but they are uses. Returns all
/// instructions that were probed, by number.
std::vector<ProbedInstruction> addProbes(llvm::Module &module, ProbeKind kind);

/// Takes the probes away of values of \p before that nothing but probes needs any more, and those
/// of the same numbers of \p after; what was made for them alone goes with them.
void removeUnusedProbes(llvm::Module &before, llvm::Module &after);

} // namespace assay

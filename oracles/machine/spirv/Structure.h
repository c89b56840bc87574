// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured control flow of a function (SPIR-V, "Structured Control-Flow Constructs"): an order of
// its blocks in which every construct is one piece, and the loops around each block. With it, two
// places in the run of an invocation can be compared: see comparePlaces in Tangle.h.
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/machine/spirv/Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::reference {

struct FunctionStructure {
  /// Indices of blocks. A header is before its construct, a construct before its merge block, a
  /// case before the one it falls into: apart from back edges, control only moves forward.
  std::vector<uint32_t> order;
  /// Of each block: the headers of the loops around it (itself included), outermost first.
  std::vector<std::vector<uint32_t>> loops;
};

/// \p function must be structured, as spirv-val demands of shaders. Blocks that no path reaches
/// come last. \p literalWords: words of a literal of an OpSwitch on this selector.
FunctionStructure analyzeStructure(const spirv::Function &function,
                                   llvm::function_ref<unsigned(spirv::Id)> literalWords);

/// Sets what a branch from block \p from to block \p to does to the loops.
void setLoopMoves(const FunctionStructure &structure, uint32_t from, uint32_t to, Edge &edge);

} // namespace assay::reference

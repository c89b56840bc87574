// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simple branches become sel.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

/// Executes both sides of a branch without effects, where they have at most \p limit instructions,
/// and chooses results with sel. Returns how many branches are gone.
unsigned flattenBranches(Program &program, unsigned limit);
/// Appends blocks that only the previous block goes to. Returns how many.
unsigned mergeBlocks(Program &program);

} // namespace assay::ir3

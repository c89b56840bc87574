// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inserts the copies that make every constraint of registers satisfiable; MergeSets then makes most
// of them free.
#pragma once

#include "compiler/ir3/passes/Grouping.h"

namespace assay::ir3 {

/// Afterwards:
///  - the sources of a phi are copies at the ends of the predecessors, and its uses read a copy
///  that
///    follows the phis: neither lost copies nor swaps can happen, whatever is merged;
///  - with Grouping::MergeSets, each source of a collect is a copy, made in front of it, that
///    nothing else uses;
///  - so is a source that is tied to the result;
///  - values in registers that the hardware chose are copied; outputs are the last of the program.
void prepareAllocation(Program &program, Grouping grouping = Grouping::MergeSets);
/// Makes the sources of all collects copies, after groupNeighbors().
void isolateGroups(Program &program);
/// Makes \p source, of \p inst, a copy in front of it.
void isolateSource(Program &program, Instruction &inst, Register &source, bool half);

} // namespace assay::ir3

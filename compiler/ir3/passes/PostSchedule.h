// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders the instructions of each block once more, with registers.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

/// Moves instructions into the slots that others wait for: copies, reloads and the order in which
/// registers are used again are known here only. Registers, barrier classes and effects keep their
/// order. Must run after lowerCopies() and before legalize().
void schedulePhysical(Program &program);

} // namespace assay::ir3

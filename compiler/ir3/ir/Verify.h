// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The validator of SSA programs.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include "llvm/Support/Error.h"

namespace assay::ir3 {

/// InvalidInput with the instruction when \p program breaks a rule of the IR: blocks end in one
/// terminator whose successors are blocks of the program; phis come first and have one source for
/// each predecessor; each definition dominates its uses; an operand is relative exactly if the
/// instruction has an address, which is in the same block; half and full operands agree with
/// opcode and types; widths of sources and their producers agree.
llvm::Error verifyProgram(Program &program);

} // namespace assay::ir3

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes all sources legal: whatever an opcode cannot read is moved into a register, or into the
// const file.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include "llvm/Support/Error.h"

namespace assay::ir3 {

/// Must run before registers are allocated. Selection can put constants, immediates, elements of
/// arrays and undefined values anywhere. With \p toRegisters, arithmetic reads registers alone.
/// Unsupported for a predicate that is used as a number.
llvm::Error lowerOperands(Program &program, bool toRegisters = false);

/// Gives each block the writers of a0.x and a1.x that it needs, so that only one value of each is
/// live: where another one was written since, the writer is copied in front of the user.
void lowerAddresses(Program &program);

} // namespace assay::ir3

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register allocation: values to registers, with spilling where there are too few.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include "llvm/Support/Error.h"

namespace assay::ir3 {

struct AllocationOptions {
  /// Vectors of full registers that may be used; 0: all that the chip has. Fewer than 4 are not
  /// supported.
  unsigned vectors = 0;
  /// Keep every value that can be spilled in private memory.
  bool spillAll = false;
  /// Give each value registers of its own where they suffice: neither analysis nor spilling.
  bool isSimple = false;
};

/// What was used, and what was done about pressure.
struct AllocationResult {
  unsigned fullVectors = 0; ///< Vectors of full registers, with halves that alias them.
  unsigned halfVectors = 0; ///< Of the separate file of half registers.
  unsigned spills = 0, reloads = 0, rematerialized = 0;
};

/// Assigns a register to each operand. prepareAllocation must have run. Collects, phis, splits and
/// copies remain, with registers; lowerCopies() removes them. Limit: the values of one instruction
/// alone need more registers than there are, or the chip cannot spill.
llvm::Expected<AllocationResult> allocateRegisters(Program &program,
                                                   const AllocationOptions &options);

/// Removes meta instructions other than tokens, and copies to the same register, and turns the rest
/// into moves.
void lowerCopies(Program &program);
/// Removes meta:token, once nothing is moved any more.
void removeTokens(Program &program);

} // namespace assay::ir3

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last passes: order of blocks in the code, waits, nops, and branch distances.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

struct LegalizeOptions {
  bool fullSync = false; ///< Wait in front of every instruction.
  bool fullNop = false;  ///< Fill the slots of the longest delay in front of every instruction.
  bool fullJoin = false; ///< (jp) at the beginning of every block.
};

/// Sends branches past blocks that only jump, inverts branches to the next block, and removes jumps
/// to it. Registers must be assigned; the second successor of a branch becomes a jump where it is
/// not the next block.
/// Without \p optimizes only the second.
void layOutBlocks(Program &program, bool optimizes = true);

/// Adds (ss), (sy), (jp), nops and (nopN), so that each result is there when it is used, on every
/// path; then the distances of branches and the nops that follow the end of the code.
void legalize(Program &program, const LegalizeOptions &options);

} // namespace assay::ir3

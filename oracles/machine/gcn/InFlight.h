// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Write after read: registers that an instruction in flight has yet to read (WAR-*). Exports and
// GDS instructions read vector registers until EXPCNT says that they are done; stores to memory do
// so only before GFX7. Sources: manuals, "Manually inserted wait states and dependency checking";
// LLVM, SIInsertWaitcnts (EXP_GPR_LOCK, GDS_GPR_LOCK, vmemWriteNeedsExpWaitcnt).
#pragma once

#include "oracles/machine/gcn/OpFacts.h"

namespace assay::gcn {

/// Reports when \p op overwrites such a register.
void checkOperandsInFlight(Wave &wave, const MicroOp &op, const OpFacts &facts);

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Write after read: registers that an instruction in flight has yet to read (WAR-*). Exports and
// GDS instructions read vector registers until EXPCNT says that they are done; stores to memory do
// so only before GFX7. Sources: manuals, "Manually inserted wait states and dependency checking";
// LLVM, SIInsertWaitcnts (EXP_GPR_LOCK, GDS_GPR_LOCK, vmemWriteNeedsExpWaitcnt).
#pragma once

#include "oracles/machine/gcn/OpFacts.h"

namespace assay::gcn {

class OperandsInFlight {
public:
  /// As WaveObserver: reports when \p op overwrites such a register.
  void before(Wave &wave, const MicroOp &op, const OpFacts &facts);

private:
  /// GDS instructions of smaller numbers have read their operands: EXPCNT was waited for. (Their
  /// results are counted by LGKMCNT alone, so that the scoreboard does not know.)
  uint32_t m_gdsRead = 0;
};

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data-parallel primitives: which lane a DPP operand is read from.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"

namespace assay::gcn {

/// The lane that \p lane reads, or -1 when the control points outside of the row or wave.
int dppSourceLane(const Modifiers &mods, unsigned lane, unsigned waveSize);

/// False when row_mask or bank_mask keep \p lane from being written.
bool dppLaneEnabled(const Modifiers &mods, unsigned lane);

} // namespace assay::gcn

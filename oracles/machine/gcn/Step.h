// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One wave's instructions, one after the other, with or without those who watch.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"

namespace assay::gcn {

/// Executes at most \p count instructions of \p wave, which can run; it stops where the wave does.
/// A wave that nobody watches takes a loop that knows of no observers.
void runSteps(Wave &wave, uint64_t count);

/// Reports when \p op reads \p registers before they are there. For handlers that know only at run
/// time what they read.
void checkRead(Wave &wave, const MicroOp &op, const PendingRegisters &registers);

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared VGPRs of GFX10: after the registers of its own, a wave of 64 lanes may have some that
// lanes i and i + 32 have in common. An instruction goes over the lower lanes first, then over the
// upper ones, which is how ACO moves values across. Sources: RDNA 2 ISA manual, "Shared VGPRs";
// Mesa's ACO, which uses them for shuffles of waves of 64.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/Program.h"

namespace assay::gcn {

/// Lets \p op, if it uses a shared register, run half by half.
void bindSharedRegisters(MicroOp &op, const ProgramOptions &options);

} // namespace assay::gcn

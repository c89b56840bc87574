// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sanitizers of machine code that watch one wave: definedness, operands in flight, hazards.
// (Waits for results are checked in Step.cpp; ranges, by the handlers.)
#pragma once

#include "oracles/machine/gcn/SanitizerRules.h"
#include "oracles/machine/gcn/Wave.h"

namespace assay::gcn {

/// Adds the sanitizers to \p wave, which is as it was launched; its workgroup has its LDS.
void addSanitizers(Wave &wave);

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all dispatches of one run share.
#pragma once

#include "oracles/machine/simt/ScheduleLog.h"
#include "oracles/machine/simt/Witness.h"

namespace assay::simt {

struct RunContext {
  const RunOptions &options;
  ScheduleLog log;
  Witness *witness = nullptr; ///< Sees all instructions of a run without threads; null: not wanted.
};

} // namespace assay::simt

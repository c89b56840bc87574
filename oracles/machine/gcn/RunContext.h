// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is the same for all dispatches of one run.
#pragma once

#include "oracles/machine/gcn/ScheduleLog.h"
#include "oracles/machine/gcn/Witness.h"

namespace assay::gcn {

struct RunContext {
  const RunOptions &options;
  ScheduleLog log;
  bool atomicMoves = false;   ///< RaceObserverOptions::atomicMoves, of the dispatch.
  Witness *witness = nullptr; ///< Sees all instructions, of a run without threads.
};

} // namespace assay::gcn

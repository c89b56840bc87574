// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One case as RunOptions ask for it: with its log, or under many schedules, whose results must not
// depend on what hardware leaves open.
#pragma once

#include "oracles/machine/simt/DispatchRun.h"

namespace assay::simt {

/// One run of a case from the beginning, with the options of \p context.
using RunOnce = llvm::function_ref<llvm::Expected<Outcome>(RunContext &context)>;

/// Runs a case by \p runOnce, RunOptions::schedules times: under the schedule of \p options, then
/// under those of the seeds that follow it. The outcome is that of the first. A difference is
/// finding SCHEDULE-DIFF, with the place where the runs diverge and both traces there; the findings
/// of all runs are reported. Bytes that options.reference leaves open may differ. A log that is not
/// of this case and these options is Invalid, and so is a trace that was filtered to nothing.
llvm::Expected<Outcome> runCase(const Case &input, llvm::ArrayRef<Artifact> artifacts,
                                const RunOptions &options, RunOnce runOnce);

/// Adds what came of a dispatch to \p outcome. False: the run ended there (the result of a
/// DispatchFunction).
bool addResult(DispatchResult result, Outcome &outcome);

} // namespace assay::simt

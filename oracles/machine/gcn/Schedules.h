// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One case under many schedules: what comes out must not depend on what hardware leaves open.
#pragma once

#include "oracles/api/Machine.h"
#include "oracles/machine/gcn/Witness.h"

namespace assay::gcn {

/// Runs the case once; \p witness, if not null, sees all instructions.
using RunOnce =
    llvm::function_ref<llvm::Expected<Outcome>(const RunOptions &options, Witness *witness)>;

/// Runs \p options.schedules schedules: that of \p options, then those of the seeds that follow it.
/// The outcome is that of the first. A difference is finding SCHEDULE-DIFF, with the place where
/// the runs part and both traces there; what sanitizers object to in any of them is reported, too.
/// Bytes that options.reference leaves open may differ.
llvm::Expected<Outcome> runSchedules(const Case &input, const RunOptions &options, RunOnce runOnce);

} // namespace assay::gcn

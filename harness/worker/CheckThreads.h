// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many threads a machine runs workgroups on must change nothing: not what comes of it, nor any
// instruction on the way.
#pragma once

#include "oracles/api/Machine.h"

namespace assay {

/// Runs \p input again on one thread and on two, by the fixed schedule, as \p options say
/// otherwise, and compares outcomes and traces. A difference is finding threadsRule and makes \p
/// outcome, of the first run, a hazard. Errors as of the machine.
llvm::Error checkThreads(Machine &machine, const Case &input, llvm::ArrayRef<Artifact> artifacts,
                         RunOptions options, Outcome &outcome);

} // namespace assay

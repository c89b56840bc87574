// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deaths are tried again: what depends on how busy the machine was must not look like a finding.
#pragma once

#include "harness/run/WorkerProcess.h"

namespace assay {

/// Makes \p first flaky: it ended in one state first, and like \p again after that.
void makeFlaky(Verdict &first, const Verdict &again);

/// As runJobs(); then each job whose worker died - crash, timeout, oom - runs up to \p retries
/// times more; one that was out of time, with no other next to it and twice the time and some
/// seconds. One that does not end the same way every time is flaky, and its reason says how it
/// ended.
llvm::Expected<std::vector<Verdict>> runJobsSteadily(llvm::ArrayRef<Job> jobs,
                                                     const PoolOptions &options, unsigned retries);

} // namespace assay

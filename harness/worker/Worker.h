// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens inside a worker process: a job becomes a verdict.
#pragma once

#include "harness/run/Job.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// The whole life of a worker: reads the job at \p jobFile, guards the process, plants the job's
/// faults, executes, and writes the result file. Environment when one of the files can't be read or
/// written; InvalidInput for a broken job.
llvm::Error runWorker(llvm::StringRef jobFile);

/// Executes \p job in this process and judges what came of it.
Verdict executeJob(const Job &job);

} // namespace assay

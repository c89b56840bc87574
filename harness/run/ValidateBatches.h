// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many ELFs, few workers: files are judged in batches, and one that kills its worker costs no other
// its verdict.
#pragma once

#include "harness/run/Job.h"
#include "harness/run/WorkFolder.h"
#include "harness/run/WorkerProcess.h"

namespace assay {

/// How files are validated by workers.
struct ValidateBatchOptions {
  std::vector<std::string> ruleOptions; ///< Of printValidateOptions().
  std::vector<std::string> plants;      ///< Job::plants.
  JobLimits limits;                     ///< Of one batch; a file has at least its share.
  size_t filesPerWorker = 256;
  PoolOptions pool;
};

/// The verdicts on \p files, in their order: of a worker that read them, or, for a file during
/// which its worker died, the death (crash, timeout, oom). Errors as of runJobs().
llvm::Expected<std::vector<Verdict>> validateInBatches(llvm::ArrayRef<std::string> files,
                                                       const ValidateBatchOptions &options,
                                                       const WorkFolder &folder);

} // namespace assay

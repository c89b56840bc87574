// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Validate job does: one verdict for each of its ELFs, on disk as soon as it is there.
#pragma once

#include "harness/run/Job.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Appends a line to the job's verdicts file for each of its files, in order. A file that can't be
/// read has a verdict, too; an Error is between parent and worker.
llvm::Error validateFiles(const Job &job);

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other end of harness/run/WarmWorkers.h: jobs from the standard input, answers to the standard
// output.
#pragma once

#include "harness/run/WarmWorkers.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay {

/// Hands each job file that a line of the standard input names to \p run, whose value is the exit
/// code of a worker that did it alone, and answers. Ends with the input, or after the job that
/// reached one of \p limits. While a job runs, the standard input and output lead nowhere, and the
/// standard error into its file. Environment when one of these can't be had.
llvm::Error serveJobs(const ServeLimits &limits, llvm::function_ref<int(llvm::StringRef)> run);

} // namespace assay

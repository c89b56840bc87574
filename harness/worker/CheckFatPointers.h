// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a FatPointers job does: a module of IR is lowered, if nobody did, and judged; a verdict for
// each of its functions, on disk as soon as it is there.
#pragma once

#include "harness/run/Job.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Appends a line to the job's verdicts file for each function with a body, and one before them for
/// what concerns none of these. The names of all functions are in the output file before anything
/// is lowered. A module that can't be read has a verdict, too; an Error is between parent and
/// worker.
llvm::Error checkFatPointerFiles(const Job &job);

} // namespace assay

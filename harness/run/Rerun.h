// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs as the command lines that do just them.
#pragma once

#include "harness/run/Job.h"

namespace assay {

/// `assay compile` for a job of that kind.
std::string describeCompile(const Job &job);
/// The same for one that is compiled again (Determinism.h).
std::string describeCompileAgain(const Job &job);
/// `assay run` for a job.
std::string describeRun(const Job &job);
/// What judges \p job again: `assay diff`, by machine \p reference, for one that is compared;
/// `assay run` for the reference.
std::string describeRerun(const Job &job, llvm::StringRef reference = referenceMachine);

} // namespace assay

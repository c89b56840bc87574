// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction of a module a lowering of its fat pointers gets wrong: by doing it again, with
// probes.
#pragma once

#include "harness/run/FatPointerJobs.h"
#include "harness/worker/ShaderLowering.h"

namespace assay {

/// Adds to those of \p findings that are of a trial what explainTrial says: instructionEvidence and
/// wrongEvidence. \p source: the module before \p lowering, as text; \p isShader: the trial was of
/// it after exposeTables(). Where the module can't be lowered again, or its runs don't part with
/// probes in it, nothing is added.
void explainLowering(const Job &job, FatLowering lowering, llvm::StringRef source, bool isShader,
                     const MeaningOptions &options, llvm::MutableArrayRef<Finding> findings);

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction a pass of the middle-end gets wrong: the module before it and what it makes of
// that, with probes, side by side on machine ir.
#pragma once

#include "harness/worker/Steps.h"

namespace assay {

/// Does what JobPasses::repeats asks for; \p artifacts are the modules at the snapshot. Stops where
/// that can't be done.
std::optional<Stop> explainPass(const Job &job, const Case &input,
                                llvm::ArrayRef<Artifact> artifacts, Verdict &verdict);

} // namespace assay

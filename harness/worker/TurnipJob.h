// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The peer compiler turnip. It works in a process of its own: what it dies of is a state, and this
// process lives.
#pragma once

#include "harness/worker/Steps.h"

namespace assay {

/// Compiles every pipeline for the job's target to files of oracles/turnip, for waves of the job's
/// size. What the driver lacks is unsupported; a driver that dies is a crash.
std::optional<Stop> compileByTurnip(const Job &job, const Case &input,
                                    std::vector<Artifact> &artifacts);

/// A compile job: the file ("elf"), the driver's disassembly with its statistics ("asm") or the
/// launch ("metadata") of the pipeline that the job means, to its output file.
std::optional<Stop> compileToFileByTurnip(const Job &job, const Case &input);

} // namespace assay

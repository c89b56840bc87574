// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Peer compilers that are built in: RADV with ACO and with LLVM.
#pragma once

#include "harness/worker/Steps.h"

namespace assay {

/// Compiles every pipeline with the RADV compiler that the job names, to files of oracles/radv, for
/// waves of the job's size. What the driver lacks is unsupported; what it dies of ends the worker.
std::optional<Stop> compileByPeer(const Job &job, const Case &input,
                                  std::vector<Artifact> &artifacts);

/// A compile job: the file ("elf"), the code ("asm") or the launch state ("metadata") of the
/// pipeline that the job means, to its output file.
llvm::Error compileToFileByPeer(const Job &job, const Case &input);

} // namespace assay

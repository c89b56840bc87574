// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One wave led along a path through the code that the input would not take. Of what it computes
// nothing can be said; of when it does so, all: the sanitizer watches its waits as in any run.
#pragma once

#include "compiler/api/Target.h"
#include "oracles/api/Machine.h"

namespace assay::gcn {

class Launch;

/// What one led wave did.
struct DirectedRun {
  /// One instruction that was executed: Inst::pc, and EXEC before it.
  struct Step {
    uint64_t pc = 0;
    uint64_t exec = 0;
  };
  std::vector<Step> steps; ///< Shorter than the path where the wave could not be led further.
  std::vector<Finding> reports;
};

/// Leads the first wave of the first dispatch of \p input along \p path (of each instruction, the
/// Inst::pc; the entry's first), by itself. Before a branch its condition becomes such that the
/// path goes on; where the code leaves no lane active and no branch is for that, those stay that
/// were. Accesses to memory that trap are passed over, barriers do not hold it up. An Error: \p
/// artifact can't be read or launched.
llvm::Expected<DirectedRun> runDirected(const Case &input, const Artifact &artifact,
                                        const TargetInfo &target, llvm::ArrayRef<uint64_t> path,
                                        bool sanitize = true);

/// The same for a launch that exists: its first wave, by itself.
DirectedRun leadFirstWave(Launch &launch, llvm::ArrayRef<uint64_t> path, bool sanitize);

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines run cases; oracles (each a function of its own module) judge what came of it.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// What every machine can be told.
struct RunOptions {
  uint64_t maxInstructions = 400'000'000; ///< Per dispatch, over all waves or invocations.
  uint64_t seed = 0;                      ///< Of the schedule.
  bool sanitize = true; ///< Machine gcn: checks for what hardware may forgive (missing waits).
  /// Invocations in a subgroup, for machines that can choose (the reference): 0 = 64. A pipeline's
  /// requiredSubgroupSize goes before it.
  uint32_t subgroupSize = 0;
};

/// Runs a case. Stateless between runs: same case, artifacts and options, same outcome.
class Machine {
public:
  virtual ~Machine();
  virtual llvm::StringRef name() const = 0;
  /// \p artifacts: one per pipeline of the case; empty for a machine that runs SPIR-V itself.
  /// An Error means that the machine could not work (InvalidInput: the artifact is broken;
  /// Unsupported: with its reason), never that the code is wrong: that is an Outcome.
  virtual llvm::Expected<Outcome> run(const Case &input, llvm::ArrayRef<Artifact> artifacts,
                                      const RunOptions &options) = 0;
};

} // namespace assay

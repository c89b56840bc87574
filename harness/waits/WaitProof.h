// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proof that the sanitizer sees missing waits: every wait of a shader is dropped or weakened in
// turn, the code runs, and what the sanitizer says is held against what WaitTruth knows.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "compiler/api/Target.h"
#include "oracles/api/Machine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace assay::waits {

/// What became of the mutations of some shaders. A mutation is in one of the first six.
struct WaitCounts {
  uint64_t needed = 0;    ///< Some path uses a register too early, and the run took such a path.
  uint64_t led = 0;       ///< Likewise, but only a wave that was led there took such a path.
  uint64_t notRun = 0;    ///< Likewise, but no wave could be led there.
  uint64_t memory = 0;    ///< Only the order of memory between waves may depend on it.
  uint64_t redundant = 0; ///< No path needs it.
  uint64_t failed = 0;    ///< The machine could not run the mutated code.

  uint64_t reported = 0;     ///< Of needed: with the producer and register of WaitTruth.
  uint64_t ledReported = 0;  ///< Of led: likewise.
  uint64_t changed = 0;      ///< Of needed: late results changed the outcome.
  uint64_t memoryNeeded = 0; ///< Of memory: MemoryOrder has something unordered for it in the run.
  uint64_t memoryReported = 0; ///< Of memoryNeeded: an instruction of that is reported.
  uint64_t memoryOther = 0;    ///< Of memory, not needed: some rule objected.
  uint64_t memoryChanged = 0;  ///< Of memory: late results changed the outcome.
  uint64_t falseReports = 0;   ///< Mutations with a report that no path justifies.

  /// Adds each count.
  void add(const WaitCounts &other);
};

/// All members of WaitCounts by their names, in the order of tables.
struct WaitCountRow {
  llvm::StringLiteral name;
  uint64_t WaitCounts::*member;
};
llvm::ArrayRef<WaitCountRow> waitCountRows();

/// The proof for one shader.
struct WaitResult {
  std::string skipped; ///< Why there is none: the run does not complete, or is too long.
  WaitCounts counts;
  /// What went wrong, a line each: "missed", "false", "late" (unmodified code depends on time).
  std::vector<std::string> problems;
};

/// What runs a proof makes.
struct WaitProofOptions {
  ShaderStage stage = ShaderStage::Compute; ///< Of a draw, vertex or fragment.
  size_t maxSteps = 200'000;                ///< Of a run; longer ones are skipped.
  bool late = true;                         ///< Also run with late results.
  bool sanitize = true;                     ///< False: to see that this proof fails then.
};

/// \p input has one pipeline, and \p artifact is what a compiler made of it. An Error: the artifact
/// can't be read or has no code of the stage, or the machine could not work.
llvm::Expected<WaitResult> proveWaits(const Case &input, const Artifact &artifact,
                                      const TargetInfo &target, const WaitProofOptions &options);

} // namespace assay::waits

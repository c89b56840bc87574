// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proof that machine adreno sees missing nops and flags: each nop, (nopN), (ss) and (sy) of a
// shader is weakened or taken away in turn, the code runs, and what the sanitizer says is held
// against what SyncTruth knows.
#pragma once

#include "oracles/api/Machine.h"
#include "llvm/Support/Error.h"

namespace assay::syncs {

/// What became of the mutations of some shaders. A mutation is in one of the first five.
struct SyncCounts {
  uint64_t needed = 0;    ///< A path that the run took uses something too early.
  uint64_t notRun = 0;    ///< Only paths that the run did not take do.
  uint64_t barrier = 0;   ///< No path needs it, but it is a flag after a fence or bar.
  uint64_t redundant = 0; ///< Neither.
  uint64_t failed = 0;    ///< The machine could not run the mutated code.

  uint64_t reported = 0;     ///< Of needed: with a producer and a place of SyncTruth.
  uint64_t changed = 0;      ///< Of needed: late results changed the outcome.
  uint64_t falseReports = 0; ///< Mutations with a report that no path justifies.

  void add(const SyncCounts &other);
};

/// All members of SyncCounts by their names, in the order of tables.
struct SyncCountRow {
  llvm::StringLiteral name;
  uint64_t SyncCounts::*member;
};
llvm::ArrayRef<SyncCountRow> syncCountRows();

/// The proof for one shader.
struct SyncResult {
  std::string skipped; ///< Why there is none: the run does not complete, or is too long.
  SyncCounts counts;
  /// What went wrong, a line each: "unmodified", "late", "missed", "false".
  std::vector<std::string> problems;
  std::vector<std::string> redundant; ///< The mutations that are, with the instructions.
};

struct SyncProofOptions {
  uint64_t maxInstructions = 60'000; ///< Of a run; longer ones are skipped.
  bool late = true;                  ///< Also run with late results.
  bool sanitize = true;              ///< False: to see that this proof fails then.
};

/// \p input has one pipeline, and \p artifact is turnip's shader of it for \p target. An Error: the
/// artifact can't be read, or the machine could not work.
llvm::Expected<SyncResult> proveSyncs(const Case &input, const Artifact &artifact,
                                      llvm::StringRef target, const SyncProofOptions &options);

} // namespace assay::syncs

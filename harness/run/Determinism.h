// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle that compiles again, for the same bytes: in the process that has just done so, and in
// one whose environment, addresses and memory are others (Surroundings), and whose past is another:
// it has compiled for every other target first (Job::detour).
#pragma once

#include "harness/run/Diff.h"
#include "harness/run/SameBytes.h"

namespace assay {

/// A case whose pipelines are compiled again.
struct CompiledAgain {
  CaseFile file;
  uint64_t number = 0; ///< Chooses among the configurations of the options.
};

/// The jobs that compileAgain() makes of \p cases, without folders: one for each, of compiler
/// "assay"; none where the options have no configuration of it.
std::vector<Job> makeAgainJobs(llvm::ArrayRef<CompiledAgain> cases, const DiffOptions &options);

/// A verdict for each of \p jobs, of which each compiles all pipelines of its case, or the one that
/// it names, to ELFs: fail, with rule determinismRule, where those of two of three times differ, or
/// the compiler fails only in the other process, without the other targets, too; flaky where that
/// process ran into a limit; else as the first compilation ended. Errors as of runJobs().
llvm::Expected<std::vector<Verdict>>
compileAgain(llvm::ArrayRef<Job> jobs, const DiffOptions &options, const PoolOptions &pool);

} // namespace assay

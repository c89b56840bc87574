// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle that compiles again: in two processes that have compiled others before, a shader must
// become the same bytes.
#pragma once

#include "harness/run/Diff.h"

namespace assay {

/// What verdicts of this oracle have for their machine.
inline constexpr llvm::StringLiteral compileAgainMachine = "compile-again";

/// A case to compile again: one of its pipelines, where it has several.
struct CompiledAgain {
  CaseFile file;
  uint64_t number = 0;  ///< Chooses the target, level and wave size among those of the options.
  std::string pipeline; ///< Empty: the only one.
};

/// A verdict for each of \p cases: fail, with rule DETERMINISM, where the two ELFs differ; else as
/// the first compilation ended. Errors as of runJobs().
llvm::Expected<std::vector<Verdict>> compileAgain(llvm::ArrayRef<CompiledAgain> cases,
                                                  const DiffOptions &options,
                                                  const PoolOptions &pool);

} // namespace assay

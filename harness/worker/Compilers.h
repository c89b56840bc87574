// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the compilers of the registry do their jobs.
#pragma once

#include "harness/worker/Steps.h"

namespace assay {

/// How jobs use one compiler of the registry.
struct CompilerSteps {
  llvm::StringLiteral name; ///< Of the registry.
  /// Compiles every pipeline of a case for the job's target. \p warm is Assay's compiler, which
  /// stays from job to job.
  std::optional<Stop> (*compile)(const Job &job, const Case &input, Compiler &warm,
                                 std::vector<Artifact> &artifacts);
  /// A compile job: one phase's result to the output file. Null: it has no phases.
  std::optional<Stop> (*compileToFile)(const Job &job, const Case &input, Compiler &warm,
                                       Verdict &verdict);
};

/// Null for a compiler that this build does not have.
const CompilerSteps *findCompilerSteps(llvm::StringRef name);

/// Assay's own: the functions of its row.
std::optional<Stop> compileByOwn(const Job &job, const Case &input, Compiler &compiler,
                                 std::vector<Artifact> &artifacts);
/// Writes the phase's result of all chosen pipelines to the output file, one after the other, and
/// findings and diagnostics to \p verdict.
llvm::Error compileToFileByOwn(const Job &job, const Case &input, Compiler &compiler,
                               Verdict &verdict);

} // namespace assay

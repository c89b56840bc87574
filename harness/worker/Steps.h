// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of a job, each from one value to the next. A step that can't go on says so by a Stop:
// the state the verdict then has, and why.
#pragma once

#include "harness/run/Job.h"
#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace assay {

class Compiler;

/// Why a job ends before it is judged.
struct Stop {
  State state = State::ToolError;
  std::string reason;
  std::vector<Finding> findings;
};

/// The state for an error of \p step ("read", "compile", "machine"), by its kind.
Stop stopFor(llvm::Error error, llvm::StringRef step);

/// Whether `--skip-rule` names the rule of \p finding.
bool isSkipped(const Job &job, const Finding &finding);

/// Reads the case of \p job into \p input. Stops for a broken file and for what no machine can do.
std::optional<Stop> readInput(const Job &job, Case &input);

/// Adds to an InvalidInput error of the module of \p pipeline which SPIR-V version it was assembled
/// as and why.
llvm::Error addVersion(llvm::Error error, const CasePipeline &pipeline);

/// The same for a case that passed, where the version is a guess; empty where none is.
std::string describeGuesses(const Case &input);

/// Runs spirv-val on each pipeline. Stops at the first that breaks the specification.
std::optional<Stop> validateModules(const Case &input);

/// Compiles every pipeline for the job's target, with the compiler it names. \p compiler is
/// Assay's.
std::optional<Stop> compilePipelines(const Job &job, const Case &input, Compiler &compiler,
                                     std::vector<Artifact> &artifacts);

/// validate-elf on each artifact. Stops when there is an error-level finding; what is less is added
/// to \p verdict.
std::optional<Stop> validateArtifacts(const Job &job, const Case &input,
                                      llvm::ArrayRef<Artifact> artifacts, Verdict &verdict);

/// Runs the case on the job's machine.
std::optional<Stop> runOnMachine(const Job &job, const Case &input,
                                 llvm::ArrayRef<Artifact> artifacts, Outcome &outcome);

/// Stops for a device feature that Vulkan does not have: which machines have it can't be said.
std::optional<Stop> checkFeatures(const Case &input);

/// Stops a job whose subgroup size the case does not allow. Notes in \p verdict a size that the
/// outcome depends on: the statistic of References.h, of the reference alone.
std::optional<Stop> checkSubgroupSize(const Job &job, const Case &input, Verdict &verdict);

/// For Job::ownReference: runs the reference with the subgroup size that \p outcome had, and sets
/// referenceFile or referenceNote of \p job. Stops where the case has no meaning.
std::optional<Stop> makeOwnReference(Job &job, const Case &input, const Outcome &outcome);

/// Judges a run: how it ended, what the script expects, and - for a machine in a diff - the
/// reference. Sets state, reason, findings and first difference of \p verdict.
void judgeRun(const Job &job, const Case &input, const Outcome &outcome, Verdict &verdict);

/// Compile jobs: one phase's result of the only pipeline, or of the one with the entry point of the
/// job, to its output file.
void compilePhase(const Job &job, const Case &input, Compiler &compiler, Verdict &verdict);

/// The pipeline a compile job means: the one whose entry point it names, else the only one.
llvm::Expected<CasePipeline> choosePipeline(const Job &job, const Case &input);

/// The buffers of the last checkpoint as JSON: name, type, values as text.
std::string listBuffers(const Case &input, const Outcome &outcome);

} // namespace assay

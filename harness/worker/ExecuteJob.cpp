// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the steps of a job.
#include "harness/run/OutcomeFile.h"
#include "harness/run/WorkerGuard.h"
#include "harness/worker/CheckHashChains.h"
#include "harness/worker/ExplainPass.h"
#include "harness/worker/Pictures.h"
#include "harness/worker/Steps.h"
#include "harness/worker/Worker.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace llvm;
using namespace assay;

/// Maps the kind of the error to a state. A limit is a timeout in the step "machine", else
/// Unsupported.
Stop assay::stopFor(Error error, StringRef step) {
  ErrorParts parts = takeError(std::move(error));
  switch (parts.kind) {
  case ErrorKind::InvalidInput:
    return {State::Invalid, parts.message, {}};
  case ErrorKind::Unsupported:
    return {State::Unsupported, parts.message, {}};
  case ErrorKind::Limit:
    // A declared bound of ours, not a fault of the input.
    return {step == "machine" ? State::Timeout : State::Unsupported, "limit: " + parts.message, {}};
  case ErrorKind::Internal:
    return {State::Fail, parts.message, {}};
  case ErrorKind::Environment:
    return {State::ToolError, parts.message, {}};
  }
  llvm_unreachable("a kind of error that does not exist");
}

/// Compares the rule only, not the place.
bool assay::isSkipped(const Job &job, const Finding &finding) {
  return is_contained(job.schedule.skippedRules, finding.rule);
}

/// Sets state and reason, and appends the findings to those that are there.
static void apply(Stop stop, Verdict &verdict) {
  verdict.state = stop.state;
  verdict.reason = std::move(stop.reason);
  for (Finding &finding : stop.findings)
    verdict.findings.push_back(std::move(finding));
}

// A script that only looks at the buffers it made has a verdict, too.
static bool hasAnythingToRun(const Case &input) {
  for (const Command &command : input.commands)
    if (!std::holds_alternative<BufferCopy>(command))
      return true;
  return false;
}

// Files that the parent or other jobs read. A full disk is no verdict on the case.
static std::optional<Stop> keepResults(const Job &job, const Case &input, const Outcome &outcome) {
  if (job.keepOutcome)
    if (Error error = writeFile(job.outcomeFile(), writeOutcome(outcome)))
      return stopFor(std::move(error), "write");
  if (job.listBuffers)
    if (Error error = writeFile(job.buffersFile(), StringRef(listBuffers(input, outcome))))
      return stopFor(std::move(error), "write");
  if (!job.pictureFolder.empty())
    if (Error error = writePictures(input, outcome, job.caseId, job.pictureFolder))
      return stopFor(std::move(error), "write");
  return std::nullopt;
}

/// Whether \p stop ends \p job: a fail does not end one of a score, as long as there is something
/// to continue with. Then it is kept in \p firstStop, the first of them.
static bool ends(const Job &job, std::optional<Stop> &stop, std::optional<Stop> &firstStop) {
  if (!stop || !job.score || stop->state != State::Fail)
    return stop.has_value();
  if (!firstStop)
    firstStop = std::move(*stop);
  return false;
}

/// \p firstStop is what did not end the job, but is to be said.
static std::optional<Stop> runCase(const Job &job, const Case &input, Compiler &compiler,
                                   Verdict &verdict, std::optional<Stop> &firstStop) {
  std::vector<Artifact> artifacts;
  if (std::optional<Stop> stop = checkFeatures(input))
    return stop;
  if (std::optional<Stop> stop = checkSubgroupSize(job, input, verdict))
    return stop;
  if (!needsCompiler(job.machine)) {
    noteStage("validate");
    if (std::optional<Stop> stop = validateModules(input))
      return stop;
  } else {
    noteStage("compile");
    std::optional<Stop> stop = compilePipelines(job, input, compiler, artifacts);
    if (ends(job, stop, firstStop))
      return stop;
    if (!takesIr(job.machine) && job.judgedBuffer.empty()) {
      noteStage("validate-elf");
      stop = validateArtifacts(job, input, artifacts, verdict);
    }
    if (ends(job, stop, firstStop))
      return stop;
  }
  if (!job.passes.repeats.empty())
    return explainPass(job, input, artifacts, verdict);
  if (!hasAnythingToRun(input))
    return Stop{State::Unsupported,
                artifacts.empty() ? "nothing to run: the input has no dispatch"
                                  : "nothing to run: the input has no dispatch (it compiles, and "
                                    "its ELF is valid)",
                {}};
  noteStage(machineOf(job.machine).isReference ? "reference" : "machine");
  Outcome outcome;
  if (std::optional<Stop> stop = runOnMachine(job, input, artifacts, outcome))
    return stop;
  verdict.facts.instructions = outcome.instructions;
  if (std::optional<Stop> stop = keepResults(job, input, outcome))
    return stop;
  Job judged = job;
  if (std::optional<Stop> stop = makeOwnReference(judged, input, outcome))
    return stop;
  noteStage("judge");
  judgeRun(judged, input, outcome, verdict);
  return std::nullopt;
}

/// How long it took and where faults could have stood, of a score.
static void addScoreFacts(std::chrono::steady_clock::time_point begin, Verdict &verdict) {
  auto spent = std::chrono::steady_clock::now() - begin;
  verdict.facts.workerMilliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(spent).count();
  for (StringRef fault : reachedFaults())
    verdict.facts.reachedFaults.push_back(fault.str());
}

/// Runs a job of kind Run. A fail that did not end the case replaces state and reason of the
/// verdict afterwards, so that a score sees the first fail.
static void runAndJudge(const Job &job, const Case &input, Compiler &compiler, Verdict &verdict) {
  auto begin = std::chrono::steady_clock::now();
  std::optional<Stop> firstStop;
  if (std::optional<Stop> stop = runCase(job, input, compiler, verdict, firstStop))
    apply(std::move(*stop), verdict);
  if (firstStop)
    apply(std::move(*firstStop), verdict);
  if (job.score)
    addScoreFacts(begin, verdict);
}

/// Runs the steps of the job's kind. A case that passes without a reason gets the guessed SPIR-V
/// versions as its reason. Nothing that is wrong with the case is an error.
Verdict assay::executeJob(const Job &job, Compiler &compiler) {
  Verdict verdict = makeVerdict(job, State::Pass, "");
  noteStage("read");
  Case input;
  if (std::optional<Stop> stop = readInput(job, input)) {
    apply(std::move(*stop), verdict);
    return verdict;
  }
  if (job.kind == JobKind::Compile)
    compilePhase(job, input, compiler, verdict);
  else if (job.kind == JobKind::HashChains)
    checkHashChains(job, input, compiler, verdict);
  else
    runAndJudge(job, input, compiler, verdict);
  if (verdict.state == State::Pass && verdict.reason.empty())
    verdict.reason = describeGuesses(input);
  return verdict;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a case and judging how that went.
#include "compiler/spirv/Capabilities.h"
#include "harness/run/OutcomeFile.h"
#include "harness/run/References.h"
#include "harness/run/WorkerGuard.h"
#include "harness/worker/CheckThreads.h"
#include "harness/worker/ExplainTexel.h"
#include "harness/worker/Machines.h"
#include "harness/worker/Steps.h"
#include "oracles/api/OpenTexels.h"
#include "oracles/divergence/CompareAccesses.h"
#include "oracles/divergence/FindRace.h"
#include "oracles/execution/Judge.h"
#include "oracles/machine/simt/ScheduleLog.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "oracles/machine/vulkan/VulkanMachine.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// Of the pipelines that require none; 0 where the machine alone knows it.
static unsigned chooseSubgroupSize(const Job &job, const Case &input) {
  bool isReference = machineOf(job.machine).isReference;
  if (!isReference || job.subgroupSize)
    return isReference ? job.subgroupSize : subgroupSizeOf(job);
  static constexpr uint32_t Standard = 64;
  return input.subgroupSizes.empty() || is_contained(input.subgroupSizes, Standard)
             ? Standard
             : input.subgroupSizes.front();
}

/// Whether a shader that does not require a size can see the size it gets.
static bool dependsOnSubgroupSize(const Case &input) {
  return any_of(input.pipelines, [](const CasePipeline &pipeline) {
    return any_of(pipeline.description.stages, [](const ShaderDescription &shader) {
      return !shader.requiredSubgroupSize && spirv::usesSubgroups(shader.spirv);
    });
  });
}

/// Reads the outcome in Job::referenceFile, which must be named. Limit if the file is larger than
/// the job allows.
static Expected<Outcome> readReference(const Job &job) {
  return readOutcomeFile(job.referenceFile, job.limits.fileBytes);
}

namespace {
/// What a run of a machine with schedules writes, reads and compares itself with; as long as the
/// run.
class ScheduleFiles {
public:
  /// Fills in what \p job says of schedule and trace.
  Error open(const Job &job, RunOptions &options);

private:
  /// Creates or truncates \p path. Environment.
  Error openOutput(const std::string &path, std::unique_ptr<raw_fd_ostream> &stream);
  /// Reads the schedule to replay and takes the options of its header over into \p options.
  Error readReplay(const Job &job, RunOptions &options);

  std::unique_ptr<raw_fd_ostream> m_log;
  std::unique_ptr<raw_fd_ostream> m_trace;
  /// RunOptions::replay points to it.
  std::string m_replay;
  /// RunOptions::reference points to it: with several schedules the machine compares each with it.
  Outcome m_reference;
};
} // namespace

/// Replaces an existing file.
Error ScheduleFiles::openOutput(const std::string &path, std::unique_ptr<raw_fd_ostream> &stream) {
  std::error_code code;
  stream = std::make_unique<raw_fd_ostream>(path, code);
  if (code)
    return environmentError("'" + path + "': " + code.message());
  return Error::success();
}

/// Sets the options to those of the recorded run. The text must live as long as the run.
Error ScheduleFiles::readReplay(const Job &job, RunOptions &options) {
  Expected<std::string> text = readFileText(job.schedule.replayFile);
  if (!text)
    return text.takeError();
  m_replay = std::move(*text);
  Expected<simt::ScheduleHeader> header = simt::readScheduleHeader(m_replay);
  if (!header)
    return addContext(header.takeError(), job.schedule.replayFile);
  simt::applyHeader(*header, options);
  options.replay = &m_replay;
  return Error::success();
}

/// Sets all options that concern schedules, and opens the files of the job. The reference is read
/// only if several schedules may have to be compared with it.
Error ScheduleFiles::open(const Job &job, RunOptions &options) {
  const JobSchedule &schedule = job.schedule;
  options.schedule = schedule.late ? ScheduleKind::Late : ScheduleKind::Eager;
  options.sanitize = schedule.sanitizes && job.judgedBuffer.empty();
  options.survivesFaults = !job.judgedBuffer.empty();
  options.schedules = schedule.count;
  options.threads = schedule.threads;
  options.trace.breakPc = schedule.breakPc;
  options.trace.group = schedule.traceGroup;
  options.trace.wave = schedule.traceWave;
  options.trace.lane = schedule.lane;
  if (!schedule.replayFile.empty())
    if (Error error = readReplay(job, options))
      return error;
  if (schedule.keepsLog) {
    if (Error error = openOutput(job.scheduleFile(), m_log))
      return error;
    options.log = m_log.get();
  }
  if (schedule.traces) {
    if (Error error = openOutput(job.traceFile(), m_trace))
      return error;
    options.trace.out = m_trace.get();
  }
  if (schedule.count <= 1 || job.referenceFile.empty())
    return Error::success();
  Expected<Outcome> reference = readReference(job);
  if (!reference)
    return reference.takeError();
  m_reference = std::move(*reference);
  options.reference = &m_reference;
  return Error::success();
}

/// Takes the findings of skipped rules out of a run that came to its end.
static void dropSkipped(const Job &job, Outcome &outcome) {
  bool isHazard = outcome.kind == OutcomeKind::Hazard;
  if (!isHazard && outcome.kind != OutcomeKind::Completed)
    return;
  erase_if(outcome.findings, [&](const Finding &finding) { return isSkipped(job, finding); });
  if (!isHazard)
    return;
  auto worst =
      find_if(outcome.findings, [](const Finding &f) { return f.severity == Severity::Error; });
  outcome.kind = worst == outcome.findings.end() ? OutcomeKind::Completed : OutcomeKind::Hazard;
  outcome.reason = worst == outcome.findings.end() ? "" : worst->rule + ": " + worst->message;
}

/// Sets \p outcome where the machine could run. Invalid artifacts of a valid case are a finding of
/// the compiler, ELF-LOAD.
std::optional<Stop> assay::runOnMachine(const Job &job, const Case &input,
                                        ArrayRef<Artifact> artifacts, Outcome &outcome) {
  Expected<std::unique_ptr<Machine>> machine = createMachine(job.machine, job.target);
  if (!machine)
    return stopFor(machine.takeError(), "machine");
  RunOptions options;
  options.maxInstructions = job.limits.maxInstructions;
  options.seed = job.seed;
  options.subgroupSize = chooseSubgroupSize(job, input);
  options.isValidated = !needsCompiler(job.machine); // A step of its own, validateModules().
  options.watch = job.passes.watch;
  options.scheduleSeed = job.schedule.seed;
  ScheduleFiles files;
  if (machineOf(job.machine).hasSchedules)
    if (Error error = files.open(job, options))
      return stopFor(std::move(error), "machine");
  ir::ExecutionLog log;
  bool tracesIr = takesIr(job.machine) && job.schedule.traces;
  if (tracesIr || job.passes.findsRaces)
    options.execution = &log;
  Expected<Outcome> result = (*machine)->run(input, artifacts, options);
  if (tracesIr)
    if (Error error = writeFile(job.traceFile(), StringRef(printAccesses(log))))
      return stopFor(std::move(error), "write");
  if (!result) {
    Stop stop = stopFor(result.takeError(), "machine");
    if (stop.state == State::Invalid && !artifacts.empty()) {
      // The case is good; what was made of it can't be loaded.
      stop.state = State::Fail;
      stop.findings.push_back({"ELF-LOAD", Severity::Error, stop.reason, "", "ELF-LOAD", {}});
    }
    return stop;
  }
  outcome = std::move(*result);
  dropSkipped(job, outcome);
  if (std::optional<std::string> race = job.passes.findsRaces ? findRace(log) : std::nullopt)
    outcome.findings.push_back(
        {irRaceRule.str(), Severity::Error, *race, "", irRaceRule.str(), {}});
  if (job.schedule.checksThreads)
    if (Error error = checkThreads(**machine, input, artifacts, options, outcome))
      return stopFor(std::move(error), "machine");
  return std::nullopt;
}

/// Bytes for which any value is right.
static uint64_t countOpen(const Outcome &outcome) {
  uint64_t open = 0;
  if (!outcome.checkpoints.empty())
    for (const BufferState &state : outcome.checkpoints.back())
      for (const auto &[offset, length] : state.indeterminate)
        open += length;
  return open;
}

/// Of the image that has the largest share of open texels at a checkpoint.
static uint64_t countMostOpenTexels(const Case &input, const Outcome &outcome) {
  TexelCount most;
  for (const std::vector<BufferState> &buffers : outcome.checkpoints)
    for (size_t i = 0; i < buffers.size() && i < input.buffers.size(); ++i) {
      if (!input.buffers[i].image || !input.buffers[i].texelFormat)
        continue;
      TexelCount count = countOpenTexels(input.buffers[i], buffers[i]);
      if (double(count.open) * double(most.all) > double(most.open) * double(count.all) ||
          !most.open)
        most = count;
    }
  return most.open;
}

/// Sets the facts about open bytes and texels, each only where it is not zero.
static void countOpenParts(const Case &input, const Outcome &outcome, Verdict &verdict) {
  if (uint64_t open = countOpen(outcome))
    verdict.facts.openBytes = open;
  if (uint64_t open = countMostOpenTexels(input, outcome))
    verdict.facts.openTexels = open;
}

/// Unsupported for the first feature that Vulkan does not have.
std::optional<Stop> assay::checkFeatures(const Case &input) {
  for (const std::string &name : input.features)
    if (!isKnownDeviceFeature(name))
      return Stop{State::Unsupported, "no device feature is called '" + name + "'", {}};
  return std::nullopt;
}

/// Unsupported where a stage would run with a size that the case does not list. A size that the
/// stage itself requires takes precedence. Notes the size in the verdict if the reference depends
/// on it.
std::optional<Stop> assay::checkSubgroupSize(const Job &job, const Case &input, Verdict &verdict) {
  unsigned size = chooseSubgroupSize(job, input);
  if (machineOf(job.machine).isReference && dependsOnSubgroupSize(input))
    verdict.facts.subgroupSize = size;
  if (!size || input.subgroupSizes.empty())
    return std::nullopt; // The machine knows it, or it does not matter.
  for (const CasePipeline &pipeline : input.pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages) {
      uint32_t required = shader.requiredSubgroupSize;
      if (uint32_t actual = required ? required : size; !is_contained(input.subgroupSizes, actual))
        return Stop{State::Unsupported,
                    "subgroup size " + std::to_string(actual) + " (the case needs " +
                        join(map_range(input.subgroupSizes,
                                       [](uint32_t number) { return std::to_string(number); }),
                             " or ") +
                        ")",
                    {}};
    }
  return std::nullopt;
}

/// Runs the reference with the subgroup size of the outcome and writes its result to a file.
/// Undefined behaviour makes the case Invalid. A reference that does not complete leaves a note in
/// the job and no file.
std::optional<Stop> assay::makeOwnReference(Job &job, const Case &input, const Outcome &outcome) {
  bool isJudged = outcome.kind == OutcomeKind::Completed || !job.judgedBuffer.empty();
  if (!job.ownReference || !isJudged)
    return std::nullopt;
  noteStage("reference");
  RunOptions options;
  options.maxInstructions = referenceInstructions(job.limits);
  options.seed = job.seed;
  options.subgroupSize = outcome.subgroupSize ? outcome.subgroupSize : subgroupSizeOf(job);
  Expected<Outcome> reference = createSpirvMachine()->run(input, {}, options);
  if (!reference)
    return stopFor(reference.takeError(), "machine");
  if (reference->kind == OutcomeKind::UndefinedBehavior)
    return Stop{State::Invalid, reference->reason, reference->findings};
  if (reference->kind != OutcomeKind::Completed) {
    job.referenceNote = "the reference does not end well: " + reference->reason;
    return std::nullopt;
  }
  job.referenceFile = job.ownReferenceFile();
  if (Error error = writeFile(job.referenceFile, writeOutcome(*reference)))
    return stopFor(std::move(error), "write");
  return std::nullopt;
}

/// Undefined behaviour makes the case invalid where the reference finds it; a machine that reports
/// it fails.
static State stateForEnd(const Job &job, OutcomeKind kind) {
  switch (kind) {
  case OutcomeKind::Completed:
    return State::Pass;
  case OutcomeKind::Trap:
  case OutcomeKind::Hazard:
    return State::Fail;
  case OutcomeKind::UndefinedBehavior:
    return machineOf(job.machine).isReference ? State::Invalid : State::Fail;
  case OutcomeKind::Timeout:
    return State::Timeout;
  case OutcomeKind::Unsupported:
    return State::Unsupported;
  case OutcomeKind::Invalid:
    return State::Invalid;
  }
  llvm_unreachable("an end of a run that does not exist");
}

// Expectations first, then the reference; an Error means that judging itself went wrong.
static Expected<Judgement> judgeCompleted(const Job &job, const Case &input,
                                          const Outcome &outcome) {
  Expected<Judgement> judgement = judgeExpectations(input, outcome);
  if (!judgement || job.referenceFile.empty())
    return judgement;
  Expected<Outcome> reference = readReference(job);
  if (!reference)
    return reference.takeError();
  Expected<Judgement> difference = compareWithReference(input, *reference, outcome);
  if (!difference)
    return difference.takeError();
  judgement->merge(std::move(*difference));
  return judgement;
}

// What a run that met no finding is worth: nothing, when nothing was looked at.
static void settleClean(const Job &job, uint64_t compared, Verdict &verdict) {
  verdict.state = State::Pass;
  if (compared) {
    if (job.compare && !job.referenceNote.empty())
      verdict.reason = "judged by EXPECT alone: " + job.referenceNote;
    return;
  }
  if (!job.compare) {
    verdict.reason = "ran to the end; the script expects nothing";
    return;
  }
  bool noReference = job.referenceFile.empty();
  verdict.state = noReference ? State::Unsupported : State::Invalid;
  verdict.reason =
      noReference ? "nothing to compare with: the script expects nothing, and " + job.referenceNote
                  : "nothing left to compare: the reference leaves every value open (undefined, "
                    "schedule-dependent, or too imprecise)";
}

/// Compares the buffer that the job names with the reference, at the end of the run. Environment if
/// the case has no such buffer.
static Expected<Judgement> judgeBuffer(const Job &job, const Case &input, const Outcome &outcome) {
  auto buffer =
      find_if(input.buffers, [&](const Buffer &each) { return each.name == job.judgedBuffer; });
  if (buffer == input.buffers.end())
    return environmentError("the case has no buffer '" + job.judgedBuffer + "'");
  Expected<Outcome> reference = readReference(job);
  if (!reference)
    return reference.takeError();
  return compareBufferAtEnd(input, static_cast<size_t>(buffer - input.buffers.begin()), *reference,
                            outcome);
}

/// Job::judgedBuffer. A run that did not come to its end is no pass, nor is a buffer of which any
/// byte is open.
static void judgeProbed(const Job &job, const Case &input, const Outcome &outcome,
                        Verdict &verdict) {
  bool hasEnded = outcome.atEnd.empty() && !outcome.checkpoints.empty();
  verdict.state = hasEnded ? State::Pass : stateForEnd(job, outcome.kind);
  verdict.reason = hasEnded ? "" : outcome.reason;
  bool hasRun = outcome.kind != OutcomeKind::Unsupported && outcome.kind != OutcomeKind::Invalid;
  if (!hasRun)
    return;
  if (job.referenceFile.empty()) {
    verdict.state = State::Unsupported;
    verdict.reason = "nothing to compare with: " + job.referenceNote;
    return;
  }
  Expected<Judgement> judgement = judgeBuffer(job, input, outcome);
  if (!judgement) {
    verdict.state = State::ToolError;
    verdict.reason = takeError(judgement.takeError()).message;
  } else if (judgement->firstDifference) {
    verdict.state = State::Fail;
    verdict.reason = judgement->findings.front().rule + ": " + judgement->findings.front().message;
    verdict.findings = std::move(judgement->findings);
    verdict.firstDifference = std::move(judgement->firstDifference);
  } else if (hasEnded && judgement->isOpen) {
    verdict.state = State::Invalid;
    verdict.reason = "the reference leaves a value of '" + job.judgedBuffer + "' open";
  }
}

/// "RULE location: message", without the location if it is empty.
static std::string describe(const Finding &finding) {
  return finding.rule + (finding.location.empty() ? "" : " " + finding.location) + ": " +
         finding.message;
}

/// Returns the first finding of severity Error, which points into \p findings, or null.
static const Finding *findError(const std::vector<Finding> &findings) {
  auto error = find_if(findings, [](const Finding &f) { return f.severity == Severity::Error; });
  return error == findings.end() ? nullptr : &*error;
}

/// A run that did not come to its end. What the sanitizer reported of the machine code earlier is
/// a failure, although the machine could not go on.
static void settleEnd(const Job &job, const Outcome &outcome, Verdict &verdict) {
  verdict.state = stateForEnd(job, outcome.kind);
  verdict.reason = outcome.reason;
  const Finding *error = findError(outcome.findings);
  if (outcome.kind != OutcomeKind::Unsupported || !error || machineOf(job.machine).isReference)
    return;
  verdict.state = State::Fail;
  verdict.reason = describe(*error) + "; later the machine ended: unsupported: " + outcome.reason;
}

/// Sets state and reason from what the machine and the oracles found. Only an outcome that
/// completed is compared. A finding EXPECT-OPEN makes the case Invalid.
void assay::judgeRun(const Job &job, const Case &input, const Outcome &outcome, Verdict &verdict) {
  if (!job.judgedBuffer.empty())
    return judgeProbed(job, input, outcome, verdict);
  verdict.findings.insert(verdict.findings.end(), outcome.findings.begin(), outcome.findings.end());
  if (outcome.kind != OutcomeKind::Completed)
    return settleEnd(job, outcome, verdict);
  countOpenParts(input, outcome, verdict);
  Expected<Judgement> judgement = judgeCompleted(job, input, outcome);
  if (!judgement) {
    Stop stop = stopFor(judgement.takeError(), "judge");
    verdict.state = State::ToolError;
    verdict.reason = std::move(stop.reason);
    return;
  }
  verdict.findings.insert(verdict.findings.end(), judgement->findings.begin(),
                          judgement->findings.end());
  verdict.firstDifference = std::move(judgement->firstDifference);
  const Finding *error = findError(verdict.findings);
  if (!error)
    return settleClean(job, judgement->compared, verdict);
  if (job.compare && !job.score)
    explainTexel(job, input, outcome, verdict);
  // An expectation that Vulkan does not keep is the script's fault, not the machine's.
  verdict.state = error->rule == "EXPECT-OPEN" ? State::Invalid : State::Fail;
  verdict.reason = describe(*error);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Derive.h"

#include "harness/reduce/Witness.h"
#include "harness/run/Configurations.h"
#include "harness/run/Determinism.h"
#include "oracles/api/States.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

/// Whether any finding, of whatever severity, is of \p rule.
static bool hasRule(const Verdict &verdict, StringRef rule) {
  return any_of(verdict.findings, [&](const Finding &finding) { return finding.rule == rule; });
}

/// The job that led to \p verdict: as in a diff, but its reference is made by its own worker.
static Job jobOf(const Verdict &verdict, const CaseFile &file, const DiffOptions &options) {
  Job job = makeCaseJob(file, options);
  job.machine = verdict.machine;
  if (machineOf(verdict.machine).isReference) {
    job.subgroupSize = verdict.waveSize;
    return job;
  }
  job.compare = job.ownReference = true;
  if (!needsCompiler(job.machine))
    return job;
  job.compiler = verdict.compiler;
  job.target = verdict.target;
  job.optLevel = verdict.optLevel;
  job.waveSize = verdict.waveSize;
  job.useLlvmLowering = verdict.lowering == loweringName(FatLowering::Llvm);
  if (compilerOf(job.compiler).isCommand)
    job.command = options.command;
  job.schedule = options.schedule;
  job.schedule.checksThreads = hasRule(verdict, threadsRule);
  return job;
}

/// Of one run, in the machine's own measure; 0 where it did not come to its end.
static uint64_t instructionsOf(const Verdict &verdict) {
  return verdict.state == State::Timeout ? 0 : verdict.facts.instructions.value_or(0);
}

/// What \p verdict's run took, with room; where that says nothing, the most that any took.
static uint64_t boundInstructions(const Verdict &verdict, ArrayRef<Verdict> verdicts) {
  constexpr uint64_t Least = 20'000, Factor = 4;
  uint64_t most = Factor * instructionsOf(verdict);
  for (const Verdict &other : verdicts)
    if (!instructionsOf(verdict))
      most = std::max(most, instructionsOf(other));
  return std::max(Least, most);
}

/// Limits for cases that are smaller than the one that was found. Hangs get less time, as each
/// candidate takes all of it.
JobLimits assay::limitsOfSmaller(const Verdict &verdict, ArrayRef<Verdict> verdicts,
                                 const JobLimits &given) {
  constexpr uint64_t MostMilliseconds = 20'000, LeastOfHang = 2'000, PartOfHang = 5;
  JobLimits limits = given;
  limits.maxInstructions = std::min(given.maxInstructions, boundInstructions(verdict, verdicts));
  bool hangs = verdict.state == State::Timeout && !verdict.findings.empty();
  uint64_t most = hangs ? std::max(LeastOfHang, given.timeoutMs / PartOfHang) : MostMilliseconds;
  limits.timeoutMs = std::min(given.timeoutMs, most);
  return limits;
}

/// InvalidInput: how often a flaky case must fail can't be derived from one run.
static Error sayThatItIsFlaky(const Verdict &verdict) {
  return invalidInput("flaky: " + verdict.reason +
                      "; give the predicate as a file, with needed and runs");
}

/// InvalidInput with the last verdict; \p verdicts are not empty.
static Error sayNothingIsBad(ArrayRef<Verdict> verdicts, StringRef rule) {
  const Verdict &last = verdicts.back();
  return invalidInput("nothing to look into: of " + Twine(verdicts.size()) +
                      " verdicts none is bad" + (rule.empty() ? Twine() : " by rule " + rule) +
                      "; the last is " + stateName(last.state) +
                      (last.reason.empty() ? Twine() : ": " + last.reason));
}

/// The predicate of the reference's finding in \p reported to a case that means something: on all
/// machines, each left to itself, it does what the script expects. The first of them is the
/// witness. Nothing where one does not.
static Expected<std::optional<Predicate>> deriveFromReference(const Verdict &reported,
                                                              const CaseFile &file,
                                                              DiffOptions options,
                                                              const PoolOptions &pool) {
  erase_if(options.machines, [](const std::string &name) { return machineOf(name).isReference; });
  if (options.machines.empty())
    return std::nullopt;
  for (int level : {0, 2})
    if (!is_contained(options.levels, level))
      options.levels.push_back(level);
  Expected<Report> report = runDiff(file, options, pool);
  if (!report)
    return report.takeError();
  if (!areExpectationsMet(report->verdicts))
    return std::nullopt;
  Job job = jobOf(report->verdicts.front(), file, options);
  Expected<Predicate> predicate = makePredicate(reported, job, "");
  if (!predicate)
    return predicate.takeError();
  predicate->suspectsReference = predicate->checkReference = true;
  predicate->job.limits = limitsOfSmaller(reported, report->verdicts, options.limits);
  return std::move(*predicate);
}

/// The predicate of code that is not always the same, in the first configuration where it is not.
/// What the shader means does not matter.
static Expected<Predicate> deriveFromAgain(const CaseFile &file, const DiffOptions &options,
                                           const PoolOptions &pool) {
  std::vector<CompiledAgain> configurations;
  for (uint64_t number : seq(configurationsOf(options).size()))
    configurations.push_back({file, number});
  std::vector<Job> jobs = makeAgainJobs(configurations, options);
  if (jobs.empty())
    return invalidInput("compiler assay alone compiles again");
  PoolOptions alone = pool; // As each candidate will be judged (runPredicateJobs()).
  alone.warm = alone.warmOthers = nullptr;
  Expected<std::vector<Verdict>> verdicts = compileAgain(jobs, options, alone);
  if (!verdicts)
    return verdicts.takeError();
  auto found =
      find_if(*verdicts, [](const Verdict &verdict) { return isReducible(verdict.state); });
  if (found == verdicts->end())
    return sayNothingIsBad(*verdicts, determinismRule);
  if (found->state == State::Flaky)
    return sayThatItIsFlaky(*found);
  const Job &job = jobs[static_cast<size_t>(found - verdicts->begin())];
  Expected<Predicate> predicate = makePredicate(*found, job, "");
  if (predicate)
    predicate->checkReference = false;
  return predicate;
}

/// Suspects the reference where another machine shows the same difference.
Expected<Predicate> assay::predicateOf(const Verdict &found, ArrayRef<Verdict> verdicts,
                                       const CaseFile &file, const DiffOptions &options) {
  const Verdict *witness = findWitness(verdicts);
  bool isWitnessed = witness && sameDifference(witness->firstDifference, found.firstDifference);
  Expected<Predicate> predicate = makePredicate(found, jobOf(found, file, options), "");
  if (!predicate)
    return predicate;
  predicate->suspectsReference = isWitnessed;
  predicate->job.limits = limitsOfSmaller(found, verdicts, options.limits);
  return predicate;
}

/// Runs the case and takes the first verdict that can be reduced; \p rule restricts which. An error
/// says why there is none.
Expected<Predicate> assay::derivePredicate(const CaseFile &file, const DiffOptions &options,
                                           const PoolOptions &pool, StringRef rule) {
  if (rule == determinismRule || is_contained(options.machines, compileAgainMachine))
    return deriveFromAgain(file, options, pool);
  Expected<Report> report = runDiff(file, options, pool);
  if (!report)
    return report.takeError();
  ArrayRef<Verdict> verdicts = report->verdicts;
  bool mayBeReference = rule.empty() || rule == referenceRule;
  const Verdict *witness = mayBeReference ? findWitness(verdicts) : nullptr;
  const Verdict *reported = findReferenceFinding(verdicts, rule);
  const Verdict *found = witness ? witness : find_if(verdicts, [&](const Verdict &verdict) {
    return isReducible(verdict.state) && (rule.empty() || hasRule(verdict, rule));
  });
  if (found == verdicts.end() && reported) {
    Expected<std::optional<Predicate>> predicate =
        deriveFromReference(*reported, file, options, pool);
    if (!predicate)
      return predicate.takeError();
    if (*predicate)
      return std::move(**predicate);
  }
  if (found == verdicts.end())
    return sayNothingIsBad(verdicts, rule);
  if (found->state == State::Flaky)
    return sayThatItIsFlaky(*found);
  Expected<Predicate> predicate = makePredicate(*found, jobOf(*found, file, options), rule);
  if (!predicate)
    return predicate;
  predicate->suspectsReference = witness;
  predicate->job.limits = limitsOfSmaller(*found, verdicts, options.limits);
  return predicate;
}

/// The verdicts of a finding: the file that a campaign writes next to the case.
static Expected<std::vector<Verdict>> readVerdicts(const std::string &path) {
  Expected<json::Value> value = readJsonFile(path);
  if (!value)
    return value.takeError();
  JsonFields fields(*value, path);
  const json::Array *array = fields.readArray("verdicts");
  if (Error error = fields.takeError())
    return std::move(error);
  std::vector<Verdict> verdicts;
  for (const json::Value &each : *array) {
    Expected<Verdict> verdict = readVerdict(each);
    if (!verdict)
      return addContext(verdict.takeError(), path);
    verdicts.push_back(std::move(*verdict));
  }
  return std::move(verdicts);
}

/// Restricts \p options to the configuration of the finding. InvalidInput for other folders.
Expected<CaseFile> assay::openFinding(StringRef folder, DiffOptions &options) {
  std::string path = folder.str() + "/verdicts.json";
  if (!sys::fs::exists(path))
    return invalidInput(folder + " is not the folder of a finding: it has no verdicts.json");
  Expected<std::vector<Verdict>> verdicts = readVerdicts(path);
  if (!verdicts)
    return verdicts.takeError();
  bool isOfReference = findReferenceFinding(*verdicts, "");
  auto bad = find_if(*verdicts, [](const Verdict &verdict) { return isReducible(verdict.state); });
  if (bad == verdicts->end() && !isOfReference)
    return invalidInput(folder + ": no verdict of this finding is bad");
  // Of what the reference says, a machine is the witness.
  auto made = find_if(*verdicts, [&](const Verdict &verdict) {
    return !machineOf(verdict.machine).isReference && (isReducible(verdict.state) || isOfReference);
  });
  if (made != verdicts->end()) {
    options.machines = {referenceMachine.str(), made->machine};
    if (made->machine == compileAgainMachine)
      options.machines = {made->machine};
    options.compilers = {made->compiler};
    options.targets = {made->target};
    options.levels = {made->optLevel};
    options.waves = {made->waveSize};
    options.checkThreads = hasRule(*made, threadsRule);
    options.lowerings = {parseLowering(made->lowering).value_or(FatLowering::Own)};
  }
  return CaseFile{folder.str() + "/case.amber", "case.amber"};
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Derive.h"

#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// The job that led to \p verdict: as in a diff, but its reference is made by its own worker.
static Job jobOf(const Verdict &verdict, const CaseFile &file, const DiffOptions &options) {
  Job job = makeCaseJob(file, options);
  job.machine = verdict.machine;
  if (verdict.machine == "spirv") {
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
  job.useLlvmLowering = options.useLlvmLowering && job.compiler == "assay";
  if (job.compiler == "command")
    job.command = options.command;
  job.schedule = options.schedule;
  return job;
}

/// The most that any run took: the machines count waves' instructions, the reference those of
/// invocations.
static uint64_t mostInstructions(ArrayRef<Verdict> verdicts) {
  uint64_t most = 0;
  for (const Verdict &verdict : verdicts)
    for (const auto &[name, value] : verdict.statistics)
      if (name == "instructions" && verdict.state != State::Timeout)
        most = std::max(most, value);
  return most;
}

/// A smaller case takes less; what takes much more has lost its end.
static JobLimits limitsFor(const Verdict &verdict, ArrayRef<Verdict> verdicts,
                           const JobLimits &given) {
  constexpr uint64_t LeastInstructions = 1'000'000, Factor = 16;
  constexpr uint64_t MostMilliseconds = 20'000;
  JobLimits limits = given;
  limits.maxInstructions = std::min(
      given.maxInstructions, std::max(LeastInstructions, Factor * mostInstructions(verdicts)));
  bool overTime = verdict.state == State::Timeout && !verdict.findings.empty();
  if (!overTime)
    limits.timeoutMs = std::min(given.timeoutMs, MostMilliseconds);
  return limits;
}

static bool hasRule(const Verdict &verdict, StringRef rule) {
  return any_of(verdict.findings, [&](const Finding &finding) { return finding.rule == rule; });
}

Expected<Predicate> assay::derivePredicate(const CaseFile &file, const DiffOptions &options,
                                           const PoolOptions &pool, StringRef rule) {
  Expected<Report> report = runDiff(file, options, pool);
  if (!report)
    return report.takeError();
  auto found = find_if(report->verdicts, [&](const Verdict &verdict) {
    return isBad(verdict) && (rule.empty() || hasRule(verdict, rule));
  });
  if (found == report->verdicts.end()) {
    const Verdict &first = report->verdicts.back();
    return invalidInput("nothing to look into: of " + Twine(report->verdicts.size()) +
                        " verdicts none is bad" + (rule.empty() ? Twine() : " by rule " + rule) +
                        "; the last is " + stateName(first.state) +
                        (first.reason.empty() ? Twine() : ": " + first.reason));
  }
  if (found->state == State::Flaky)
    return invalidInput("flaky: " + found->reason +
                        "; give the predicate as a file, with needed and runs");
  Expected<Predicate> predicate = makePredicate(*found, jobOf(*found, file, options), rule);
  if (predicate)
    predicate->job.limits = limitsFor(*found, report->verdicts, options.limits);
  return predicate;
}

/// The verdicts of a finding: the file that a campaign writes beside the case.
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

Expected<CaseFile> assay::openFinding(StringRef folder, DiffOptions &options) {
  Expected<std::vector<Verdict>> verdicts = readVerdicts(folder.str() + "/verdicts.json");
  if (!verdicts)
    return verdicts.takeError();
  auto bad = find_if(*verdicts, [](const Verdict &verdict) { return isBad(verdict); });
  if (bad == verdicts->end())
    return invalidInput(folder + ": no verdict of this finding is bad");
  if (bad->machine != "spirv") {
    options.machines = {"spirv", bad->machine};
    options.compilers = {bad->compiler};
    options.targets = {bad->target};
    options.levels = {bad->optLevel};
    options.waves = {bad->waveSize};
  }
  return CaseFile{folder.str() + "/case.amber", "case.amber"};
}

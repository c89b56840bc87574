// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Determinism.h"

#include "harness/run/Configurations.h"
#include "harness/run/Rerun.h"
#include "harness/run/Retry.h"
#include "harness/run/WorkFolder.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Makes one job for each case, with one configuration chosen by the case's number. Only our
/// compilers are checked.
std::vector<Job> assay::makeAgainJobs(ArrayRef<CompiledAgain> cases, const DiffOptions &options) {
  std::vector<DiffConfiguration> configurations = configurationsOf(options);
  erase_if(configurations,
           [](const DiffConfiguration &each) { return !compilerOf(each.compiler).isOwn; });
  std::vector<Job> jobs;
  if (configurations.empty())
    return jobs;
  for (const CompiledAgain &each : cases) {
    Job job = makeCompileJob(makeCaseJob(each.file, options), "elf");
    configurations[each.number % configurations.size()].applyTo(job);
    job.machine = compileAgainMachine.str();
    job.rerun = describeCompileAgain(job);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

/// Part of a finding's message.
static constexpr StringLiteral elsewhereText =
    "in a process with another past, environment, addresses and memory";

/// Makes \p verdict a fail if the output files differ. Errors are those of reading them.
static Error compareOutputs(const Job &first, const Job &second, Verdict &verdict) {
  Expected<std::vector<uint8_t>> one = readFileBytes(first.outputFile());
  if (!one)
    return one.takeError();
  Expected<std::vector<uint8_t>> other = readFileBytes(second.outputFile());
  if (!other)
    return other.takeError();
  requireSameBytes(*one, *other, elsewhereText, verdict);
  return Error::success();
}

/// Copies \p jobs with folders of \p stage.
static std::vector<Job> placeJobs(ArrayRef<Job> jobs, const WorkFolder &folder, StringRef stage) {
  std::vector<Job> placed(jobs);
  for (auto [index, job] : enumerate(placed))
    job.folder = folder.jobFolder(stage, index);
  return placed;
}

/// The verdicts on \p jobs from processes with another past and, where that of \p first is not the
/// same state, from those without: what other targets make of a case is no matter of this one. \p
/// jobs become those that the verdicts are on.
static Expected<std::vector<Verdict>> compileElsewhere(std::vector<Job> &jobs,
                                                       ArrayRef<Verdict> first,
                                                       const WorkFolder &folder, unsigned retries,
                                                       const PoolOptions &pool) {
  std::vector<Job> direct = placeJobs(jobs, folder, "direct");
  for (Job &job : jobs)
    job.detour = true;
  Expected<std::vector<Verdict>> verdicts = runJobsSteadily(jobs, pool, retries);
  if (!verdicts)
    return verdicts;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if ((*verdicts)[i].state == first[i].state)
      continue;
    jobs[i] = direct[i];
    Expected<std::vector<Verdict>> again = runJobsSteadily(jobs[i], pool, retries);
    if (!again)
      return again;
    (*verdicts)[i] = std::move(again->front());
  }
  return verdicts;
}

/// Compiles each job twice in one process and once in other surroundings. A verdict fails where the
/// bytes differ.
Expected<std::vector<Verdict>> assay::compileAgain(ArrayRef<Job> jobs, const DiffOptions &options,
                                                   const PoolOptions &pool) {
  Expected<std::unique_ptr<WorkFolder>> folder =
      WorkFolder::create(options.workFolder, options.workFiles);
  if (!folder)
    return folder.takeError();
  PoolOptions elsewhere = pool;
  elsewhere.warm = pool.warmOthers;
  elsewhere.surroundings = Surroundings::Other;
  std::vector<Job> first = placeJobs(jobs, **folder, "compile");
  std::vector<Job> second = placeJobs(jobs, **folder, "again");
  for (Job &job : first)
    job.twice = true;
  Expected<std::vector<Verdict>> verdicts = runJobsSteadily(first, pool, options.retries);
  if (!verdicts)
    return verdicts.takeError();
  Expected<std::vector<Verdict>> others =
      compileElsewhere(second, *verdicts, **folder, options.retries, elsewhere);
  if (!others)
    return others.takeError();
  for (size_t i = 0; i < first.size(); ++i) {
    Verdict &verdict = (*verdicts)[i];
    const Verdict &other = (*others)[i];
    if (verdict.state == State::Pass && other.state == State::Pass) {
      if (Error error = compareOutputs(first[i], second[i], verdict))
        return std::move(error);
    } else if (verdict.state == State::Pass &&
               (other.state == State::Crash || other.state == State::Fail)) {
      objectToAgain(elsewhereText, "it ends as " + stateName(other.state) + ": " + other.reason,
                    verdict);
    } else if (verdict.state != other.state && verdict.state != State::Fail) {
      makeFlaky(verdict, other);
    }
  }
  return verdicts;
}

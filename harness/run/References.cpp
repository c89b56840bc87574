// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/References.h"

#include "compiler/api/Target.h"
#include "harness/run/Configurations.h"
#include "harness/run/Rerun.h"
#include "harness/run/Retry.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

/// Returns the wave size of the job or the default of its target; 0 for machines with a size of
/// their own.
unsigned assay::subgroupSizeOf(const Job &job) {
  if (!needsCompiler(job.machine))
    return 0;
  if (job.waveSize)
    return job.waveSize;
  Expected<const TargetInfo *> target = findTarget(job.target);
  if (target)
    return (*target)->defaultWaveSize;
  consumeError(target.takeError()); // Such a job is not run.
  return 0;
}

/// Returns each size once; the first one is that of the first reference run. 0 leaves the size to
/// the case.
std::vector<unsigned> assay::subgroupSizesOf(const DiffOptions &options) {
  std::vector<unsigned> sizes;
  for (const DiffConfiguration &configuration : configurationsOf(options)) {
    Job job;
    configuration.applyTo(job);
    unsigned size = subgroupSizeOf(job);
    if (size && !is_contained(sizes, size))
      sizes.push_back(size);
  }
  if (sizes.empty())
    sizes.push_back(0);
  return sizes;
}

/// Returns the first reference machine that was chosen, or an empty name.
StringRef assay::getReferenceOf(const DiffOptions &options) {
  auto found = find_if(options.machines,
                       [](const std::string &name) { return machineOf(name).isReference; });
  return found == options.machines.end() ? StringRef() : StringRef(*found);
}

/// Returns the reference's limit: it counts instructions for each invocation, a machine for each
/// wave.
uint64_t assay::referenceInstructions(const JobLimits &limits) {
  constexpr uint64_t MostLanes = 64;
  uint64_t most = std::max(limits.maxInstructions, JobLimits().maxInstructions);
  return limits.maxInstructions > most / MostLanes ? most : limits.maxInstructions * MostLanes;
}

References::References(ArrayRef<CaseFile> cases, const DiffOptions &options,
                       const WorkFolder &folder)
    : m_cases(cases), m_options(options), m_folder(folder), m_references(cases.size()),
      m_dependsOnSize(cases.size()) {}

/// Each call takes the number of the next folder.
Job References::makeJob(size_t caseIndex, unsigned subgroupSize) {
  Job job = makeCaseJob(m_cases[caseIndex], m_options);
  job.machine = getReferenceOf(m_options).str();
  job.subgroupSize = subgroupSize;
  job.keepOutcome = true;
  job.folder = m_folder.jobFolder("reference", m_count++);
  job.rerun = describeRerun(job);
  return job;
}

/// Keeps the verdict and, if the run completed, its outcome file. Notes whether the case depends on
/// the subgroup size.
void References::take(size_t caseIndex, const Job &job, Verdict verdict) {
  if (std::optional<uint64_t> size = std::exchange(verdict.facts.subgroupSize, std::nullopt)) {
    m_dependsOnSize[caseIndex] = true;
    verdict.waveSize = static_cast<unsigned>(*size);
  } else if (is_contained({State::Pass, State::Fail, State::Unsupported, State::Invalid},
                          verdict.state)) {
    // A worker that lived said nothing of the size: it is no part of what was found.
    Job plain = job;
    plain.subgroupSize = 0;
    verdict.rerun = describeRerun(plain);
    verdict.waveSize = 0;
  }
  Reference reference;
  reference.subgroupSize = job.subgroupSize;
  bool completed = verdict.state == State::Pass || verdict.state == State::Fail;
  if (completed && sys::fs::exists(job.outcomeFile()))
    reference.outcomeFile = job.outcomeFile();
  else
    reference.note = "the reference is " + stateName(verdict.state).str() + ": " + verdict.reason;
  reference.verdict = std::move(verdict);
  m_references[caseIndex].push_back(std::move(reference));
}

/// \p cases are the indices of the cases of \p jobs.
Error References::runJobs(ArrayRef<size_t> cases, ArrayRef<Job> jobs, const PoolOptions &pool) {
  Expected<std::vector<Verdict>> verdicts = runJobsSteadily(jobs, pool, m_options.retries);
  if (!verdicts)
    return verdicts.takeError();
  for (size_t i = 0; i < jobs.size(); ++i)
    take(cases[i], jobs[i], std::move((*verdicts)[i]));
  return Error::success();
}

/// Runs all cases with the first size, then those that depend on it with the others. Without a
/// reference machine, nothing runs.
Error References::run(function_ref<PoolOptions(size_t before, size_t count)> makePool) {
  if (getReferenceOf(m_options).empty()) {
    Reference none;
    none.note = "the reference machine was not chosen";
    for (std::vector<Reference> &references : m_references)
      references.push_back(none);
    return Error::success();
  }
  // Which cases let the size be seen is known after the first round.
  std::vector<unsigned> sizes = subgroupSizesOf(m_options);
  for (size_t round = 0; round < sizes.size(); ++round) {
    std::vector<size_t> cases;
    std::vector<Job> jobs;
    size_t before = m_count;
    for (size_t i = 0; i < m_cases.size(); ++i) {
      if (round && !m_dependsOnSize[i])
        continue;
      cases.push_back(i);
      jobs.push_back(makeJob(i, sizes[round]));
    }
    if (Error error = runJobs(cases, jobs, makePool(before, jobs.size())))
      return error;
  }
  return Error::success();
}

/// Returns the run with this size, or the first one of a case that does not depend on it.
const Reference &References::find(size_t caseIndex, unsigned subgroupSize) const {
  const std::vector<Reference> &references = m_references[caseIndex];
  auto found =
      find_if(references, [&](const Reference &row) { return row.subgroupSize == subgroupSize; });
  return found == references.end() ? references.front() : *found;
}

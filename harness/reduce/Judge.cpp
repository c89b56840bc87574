// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Judge.h"

#include "harness/reduce/Witness.h"
#include "harness/run/Determinism.h"
#include "harness/run/References.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// A store of what has no value: of a shader that has none to store, it is as it should be.
static constexpr StringLiteral undefinedStoreRule = "UNDEF-STORE";

/// In the order of Judged.
static constexpr StringLiteral judgedNames[] = {"shows", "passes", "other"};

StringRef assay::judgedName(Judged judged) {
  return judgedNames[static_cast<size_t>(judged)];
}

/// Nothing for unknown names.
std::optional<Judged> assay::parseJudged(StringRef name) {
  const auto *found = find(judgedNames, name);
  if (found == std::end(judgedNames))
    return std::nullopt;
  return static_cast<Judged>(found - std::begin(judgedNames));
}

/// Keeps what changes the result of the reference: subgroup size, seed and planted faults.
Job assay::makeReferenceJob(const Job &job) {
  Job reference;
  reference.casePath = job.casePath;
  reference.caseId = job.caseId;
  reference.machine = referenceMachine.str();
  reference.subgroupSize = subgroupSizeOf(job);
  reference.seed = job.seed;
  reference.plants = job.plants;
  reference.limits = job.limits;
  reference.limits.maxInstructions = referenceInstructions(job.limits);
  return reference;
}

/// Jobs that compile again run without warm workers, so that no candidate depends on another.
Expected<std::vector<Verdict>> assay::runPredicateJobs(ArrayRef<Job> jobs,
                                                       const PoolOptions &pool) {
  if (jobs.empty() || jobs.front().machine != compileAgainMachine)
    return runJobs(jobs, pool);
  DiffOptions options;
  options.retries = 0;
  // What other candidates left in a process must not decide: each has to show it alone.
  PoolOptions alone = pool;
  alone.warm = alone.warmOthers = nullptr;
  return compileAgain(jobs, options, alone);
}

/// Writes the candidate to a file.
Expected<Job> CandidateJudge::makeJob(size_t candidate, StringRef text) {
  std::string path = m_folder.jobFolder("candidate", candidate) + "/case.amber";
  if (Error error = writeFile(path, text))
    return std::move(error);
  Job job = m_predicate.job;
  job.casePath = path;
  job.caseId = "candidate";
  return std::move(job);
}

/// Environment with the reason of the first verdict that is an error of the tool.
static Error verifyWorked(ArrayRef<Verdict> verdicts) {
  for (const Verdict &verdict : verdicts)
    if (verdict.state == State::ToolError)
      return environmentError(verdict.reason);
  return Error::success();
}

/// Runs what \p make makes of the predicate's job for each candidate that shows it; the verdicts
/// are in the order of these.
Expected<std::vector<Verdict>> CandidateJudge::runOfShown(ArrayRef<Judged> judged, StringRef name,
                                                          Job (*make)(const Job &)) {
  std::vector<Job> jobs;
  for (auto [index, one] : enumerate(judged))
    if (one == Judged::Shows) {
      Job job = m_predicate.job;
      job.casePath = m_folder.jobFolder("candidate", index) + "/case.amber";
      job.caseId = "candidate";
      job = make(job);
      job.folder = m_folder.jobFolder(name, index);
      jobs.push_back(std::move(job));
    }
  Expected<std::vector<Verdict>> verdicts = runJobs(jobs, m_pool);
  if (!verdicts)
    return verdicts.takeError();
  if (Error error = verifyWorked(*verdicts))
    return std::move(error);
  return verdicts;
}

/// In ascending order, which is that of runOfShown().
static SmallVector<size_t> indicesOfShown(ArrayRef<Judged> judged) {
  SmallVector<size_t> indices;
  for (auto [index, one] : enumerate(judged))
    if (one == Judged::Shows)
      indices.push_back(index);
  return indices;
}

/// Of those that show it, the ones whose reference does not end well show nothing. The machine's
/// own worker has compared with a reference where there was an outcome to compare; here, what
/// stopped before that is asked for, too.
Error CandidateJudge::checkReferences(std::vector<Judged> &judged) {
  Expected<std::vector<Verdict>> verdicts = runOfShown(judged, "reference", makeReferenceJob);
  if (!verdicts)
    return verdicts.takeError();
  for (auto [index, verdict] : zip_equal(indicesOfShown(judged), *verdicts)) {
    bool endsWell = verdict.state == State::Pass ||
                    (verdict.state == State::Fail && m_predicate.rule != expectRule);
    bool isTooOpen = m_predicate.mostOpenBytes &&
                     verdict.facts.openBytes.value_or(0) > *m_predicate.mostOpenBytes;
    if (!endsWell || isTooOpen)
      judged[index] = Judged::Other;
  }
  return Error::success();
}

/// For undefined stores: no candidate may leave more bytes open than the case itself. Other
/// predicates stay.
Expected<Predicate> assay::boundPredicate(Predicate predicate, StringRef text,
                                          const PoolOptions &pool, const WorkFolder &folder) {
  if (predicate.rule != undefinedStoreRule || !predicate.checkReference)
    return std::move(predicate);
  Job job = makeReferenceJob(predicate.job);
  job.folder = folder.jobFolder("bound", 0);
  job.casePath = job.folder + "/case.amber";
  job.caseId = "candidate";
  if (Error error = writeFile(job.casePath, text))
    return std::move(error);
  Expected<std::vector<Verdict>> verdicts = runJobs(job, pool);
  if (!verdicts)
    return verdicts.takeError();
  if (Error error = verifyWorked(*verdicts))
    return std::move(error);
  predicate.mostOpenBytes = verdicts->front().facts.openBytes.value_or(0);
  return std::move(predicate);
}

/// Of the runs of a candidate that shows it, the first that does.
const Verdict &CandidateJudge::shownRun(size_t candidate) const {
  ArrayRef<Verdict> runs =
      ArrayRef(m_verdicts).slice(candidate * m_predicate.runs, m_predicate.runs);
  return *find_if(runs, [&](const Verdict &verdict) { return m_predicate.matches(verdict); });
}

/// Of those that show it, the ones where the second witness has another value than the first show
/// nothing: either may be right.
Error CandidateJudge::checkWitnesses(std::vector<Judged> &judged) {
  Expected<std::vector<Verdict>> verdicts = runOfShown(judged, "witness", makeSecondWitness);
  if (!verdicts)
    return verdicts.takeError();
  for (auto [index, verdict] : zip_equal(indicesOfShown(judged), *verdicts))
    if (!m_predicate.matches(verdict) ||
        !sameDifference(verdict.firstDifference, shownRun(index).firstDifference))
      judged[index] = Judged::Other;
  return Error::success();
}

/// Runs each candidate as often as the predicate says. It shows the bug if enough runs do; it
/// passes if all runs pass.
Expected<std::vector<Judged>> CandidateJudge::judge(ArrayRef<std::string> texts) {
  std::vector<Job> jobs;
  for (auto [index, text] : enumerate(texts)) {
    Expected<Job> job = makeJob(index, text);
    if (!job)
      return job.takeError();
    for (unsigned run = 0; run < m_predicate.runs; ++run) {
      job->folder = m_folder.jobFolder("run-" + std::to_string(run), index);
      jobs.push_back(*job);
    }
  }
  Expected<std::vector<Verdict>> verdicts = runPredicateJobs(jobs, m_pool);
  if (!verdicts)
    return verdicts.takeError();
  m_verdicts = std::move(*verdicts);
  if (Error error = verifyWorked(m_verdicts))
    return std::move(error);
  std::vector<Judged> judged;
  for (size_t i = 0; i < texts.size(); ++i) {
    ArrayRef<Verdict> own = ArrayRef(m_verdicts).slice(i * m_predicate.runs, m_predicate.runs);
    auto shows = [&](const Verdict &verdict) { return m_predicate.matches(verdict); };
    auto passes = [](const Verdict &verdict) { return verdict.state == State::Pass; };
    judged.push_back(count_if(own, shows) >= m_predicate.needed ? Judged::Shows
                     : all_of(own, passes)                      ? Judged::Passes
                                                                : Judged::Other);
  }
  if (m_predicate.checkReference)
    if (Error error =
            m_predicate.suspectsReference ? checkWitnesses(judged) : checkReferences(judged))
      return std::move(error);
  return std::move(judged);
}

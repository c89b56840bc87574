// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Judge.h"

#include "harness/run/References.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// In the order of Judged.
static constexpr StringLiteral judgedNames[] = {"shows", "passes", "other"};

StringRef assay::judgedName(Judged judged) {
  return judgedNames[static_cast<size_t>(judged)];
}

std::optional<Judged> assay::parseJudged(StringRef name) {
  const auto *found = find(judgedNames, name);
  if (found == std::end(judgedNames))
    return std::nullopt;
  return static_cast<Judged>(found - std::begin(judgedNames));
}

Job assay::makeReferenceJob(const Job &job) {
  Job reference;
  reference.casePath = job.casePath;
  reference.caseId = job.caseId;
  reference.machine = "spirv";
  reference.subgroupSize = subgroupSizeOf(job);
  reference.seed = job.seed;
  reference.plants = job.plants;
  reference.limits = job.limits;
  return reference;
}

Expected<Job> CandidateJudge::makeJob(size_t candidate, StringRef text) {
  std::string path = m_folder.jobFolder("candidate", candidate) + "/case.amber";
  if (Error error = writeFile(path, text))
    return std::move(error);
  Job job = m_predicate.job;
  job.casePath = path;
  job.caseId = "candidate";
  return std::move(job);
}

static Error verifyWorked(ArrayRef<Verdict> verdicts) {
  for (const Verdict &verdict : verdicts)
    if (verdict.state == State::ToolError)
      return environmentError(verdict.reason);
  return Error::success();
}

/// Of those that show it, the ones whose reference does not end well show nothing. The machine's
/// own worker has compared with a reference where there was an outcome to compare; here, what
/// stopped before that is asked for, too.
Error CandidateJudge::checkReferences(std::vector<Judged> &judged) {
  std::vector<size_t> indices;
  std::vector<Job> jobs;
  for (auto [index, one] : enumerate(judged))
    if (one == Judged::Shows) {
      Job job = m_predicate.job;
      job.casePath = m_folder.jobFolder("candidate", index) + "/case.amber";
      job.caseId = "candidate";
      Job reference = makeReferenceJob(job);
      reference.folder = m_folder.jobFolder("reference", index);
      indices.push_back(index);
      jobs.push_back(std::move(reference));
    }
  Expected<std::vector<Verdict>> verdicts = runJobs(jobs, m_pool);
  if (!verdicts)
    return verdicts.takeError();
  for (auto [index, verdict] : zip_equal(indices, *verdicts))
    if (verdict.state != State::Pass &&
        (verdict.state != State::Fail || m_predicate.rule == expectRule))
      judged[index] = Judged::Other;
  return verifyWorked(*verdicts);
}

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
  Expected<std::vector<Verdict>> verdicts = runJobs(jobs, m_pool);
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
    if (Error error = checkReferences(judged))
      return std::move(error);
  return std::move(judged);
}

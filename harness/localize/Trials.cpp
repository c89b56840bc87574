// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Trials.h"

#include "harness/run/References.h"
#include "harness/run/WorkerGuard.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

Job assay::makeIrJob(Job job) {
  // It counts instructions of lanes, as the reference does.
  if (!takesIr(job.machine))
    job.limits.maxInstructions = referenceInstructions(job.limits);
  job.machine = irMachine.str();
  job.compare = job.ownReference = true;
  job.schedule = JobSchedule();
  return job;
}

Job Trials::makeJob() const {
  Job job = m_predicate.job;
  job.casePath = m_file.path;
  job.caseId = m_file.id;
  // Only of a run that must not end in time does the limit say something.
  if (m_predicate.state != State::Timeout)
    job.limits.timeoutMs = std::max(job.limits.timeoutMs, JobLimits().timeoutMs);
  return job;
}

Expected<Verdict> Trials::run(Job job) {
  job.folder = m_folder.jobFolder("trial", m_runs++);
  m_last.assign(1, job);
  Expected<std::vector<Verdict>> verdicts = runJobs(m_last, m_pool);
  if (!verdicts)
    return verdicts.takeError();
  if (verdicts->front().state == State::ToolError)
    return environmentError(verdicts->front().reason);
  return std::move(verdicts->front());
}

Expected<Verdict> Trials::runCode(const JobPasses &passes) {
  Job job = makeJob();
  job.passes = passes;
  // Without passes, code takes longer.
  constexpr uint64_t Factor = 16;
  if (passes.limit && m_predicate.state != State::Timeout)
    job.limits.maxInstructions *= Factor;
  return run(std::move(job));
}

/// The trace of a run of \p job.
Expected<std::string> Trials::trace(Job job, uint64_t most) {
  job.schedule.traces = true;
  job.schedule.threads = 1;
  Expected<Verdict> verdict = run(std::move(job));
  if (!verdict)
    return verdict.takeError();
  return readFileText(m_last.front().traceFile(), most);
}

Expected<std::string> Trials::traceCode(uint64_t most) {
  return trace(makeJob(), most);
}

Job Trials::makeOwnIrJob() const {
  Job job = makeIrJob(makeJob());
  if (m_isBackwards)
    job.schedule.seed = 1;
  return job;
}

Expected<std::string> Trials::traceIr(uint64_t most) {
  return trace(makeOwnIrJob(), most);
}

Expected<Verdict> Trials::runIr(const JobPasses &passes) {
  Job job = makeOwnIrJob();
  job.passes = passes;
  job.passes.findsRaces = StringRef(m_predicate.rule).starts_with("RACE-");
  return run(std::move(job));
}

Expected<std::string> Trials::compile(StringRef phase, const JobPasses &passes) {
  Job job = makeCompileJob(makeJob(), phase);
  job.passes = passes;
  Expected<Verdict> verdict = run(std::move(job));
  if (!verdict)
    return verdict.takeError();
  if (verdict->state != State::Pass)
    return unsupported(verdict->reason);
  return readOutput();
}

std::string Trials::readStage() const {
  return readJournal(m_last.front()).stage;
}

Expected<std::vector<PassEvent>> Trials::readPassEvents() const {
  if (!sys::fs::exists(m_last.front().passesFile()))
    return std::vector<PassEvent>();
  Expected<std::string> text = readFileText(m_last.front().passesFile());
  if (!text)
    return text.takeError();
  return parsePassEvents(*text);
}

Expected<std::string> Trials::readOutput() const {
  return readFileText(m_last.front().outputFile());
}

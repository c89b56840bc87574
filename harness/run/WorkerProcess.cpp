// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the jobs: each in a process of its own, or by a worker that serves several in turn. One
// thread, so PR_SET_PDEATHSIG does what it says.
#include "harness/run/WorkerProcess.h"

#include "harness/run/Child.h"
#include "harness/run/CrashStack.h"
#include "harness/run/Retry.h"
#include "harness/run/WarmWorkers.h"
#include "harness/run/WorkerGuard.h"
#include "reports/Report.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <csignal>
#include <poll.h>

using namespace llvm;
using namespace assay;
using Clock = std::chrono::steady_clock;

namespace {

/// A job that runs, in a process of its own or in a worker that serves.
struct Running {
  size_t job = 0;
  std::optional<Child> alone;
  std::unique_ptr<WarmWorker> warm;
  Clock::time_point deadline; ///< Then its time is up; after that, when it is asked or killed next.
  WorkerEnd::Kind killedFor = WorkerEnd::Kind::Exited; ///< Exited: it has time and memory left.
  unsigned asked = 0;                                  ///< Times that it was asked for its stack.
  bool isKilled = false;

  Child &child() { return warm ? warm->child() : *alone; }
  /// Can be read from once it has ended, or its job has: a worker that dies closes its end of the
  /// pipe.
  int event() { return warm ? warm->replies() : child().descriptor(); }
  bool hasEnded() {
    pollfd ended = {event(), POLLIN, 0};
    return poll(&ended, 1, 0) > 0;
  }
};

/// Runs jobs with at most PoolOptions::processes workers at one time. The deadline of each is kept
/// by poll().
class Pool {
public:
  Pool(ArrayRef<Job> jobs, const PoolOptions &options)
      : m_jobs(jobs), m_options(options), m_warmDeaths(jobs.size()) {}

  /// Runs all jobs. Environment when interrupted, unless a SIGTERM only requests a stop.
  Expected<std::vector<Verdict>> run();

private:
  bool hasNext() const { return m_next < m_jobs.size() || !m_alone.empty(); }
  /// Starts a job that has to run alone, or else the next one.
  Error startNext();
  /// Writes the job's file and removes old results. A worker that can't be started is a verdict;
  /// errors are those of files.
  Error start(size_t index, bool alone);
  /// Starts a process for the job, or passes it to a warm worker where it can be served and need
  /// not run alone.
  Error begin(Running &running, bool alone);
  /// Waits until a job ends or the next deadline, at most a second, and finishes the jobs that have
  /// ended.
  void waitForEvents();
  /// Ends the jobs that are out of time or, in a sanitized build, out of memory.
  void killLate();
  void endLate(Running &running);
  /// Takes the reply or the exit status of a job that has ended. A warm worker that stays is given
  /// back.
  void finish(Running running);
  /// Adds the stage times in the job's journal to what the options ask for.
  void noteTimes(size_t index);
  void settle(size_t index, const WorkerEnd &end, bool wasWarm, unsigned served);

  ArrayRef<Job> m_jobs;
  const PoolOptions &m_options;
  std::vector<Verdict> m_verdicts;
  std::vector<std::optional<Verdict>> m_warmDeaths; ///< Of jobs that are run again, alone.
  std::vector<size_t> m_alone;                      ///< Those that have not begun.
  std::vector<Running> m_running;
  size_t m_next = 0;
  size_t m_done = 0;
};

} // namespace

Error Pool::startNext() {
  if (m_alone.empty())
    return start(m_next++, /*alone=*/false);
  size_t index = m_alone.back();
  m_alone.pop_back();
  return start(index, /*alone=*/true);
}

Error Pool::begin(Running &running, bool alone) {
  const Job &job = m_jobs[running.job];
  running.deadline = Clock::now() + std::chrono::milliseconds(job.limits.timeoutMs);
  if (!alone && m_options.warm && canBeServed(job)) {
    auto worker = m_options.warm->take(m_options.program, job, m_options.surroundings);
    if (!worker)
      return worker.takeError();
    running.warm = std::move(*worker);
    return running.warm->begin(job);
  }
  Expected<Child> child = Child::start({.program = m_options.program,
                                        .arguments = {"worker", job.jobFile()},
                                        .errorFile = job.stderrFile(),
                                        .limits = job.limits,
                                        .surroundings = m_options.surroundings});
  if (!child)
    return child.takeError();
  running.alone.emplace(std::move(*child));
  return Error::success();
}

Error Pool::start(size_t index, bool alone) {
  const Job &job = m_jobs[index];
  // The input is on disk before anything looks at it; an old result is not taken for a new one.
  for (const std::string &old :
       {job.resultFile(), job.journalFile(), job.journalFile() + crashStackSuffix.str()})
    if (std::error_code code = sys::fs::remove(old))
      return environmentError(old + ": " + code.message());
  if (Error error = writeFile(job.jobFile(), StringRef(printJob(job))))
    return error;
  Running running;
  running.job = index;
  if (Error error = begin(running, alone)) {
    settle(index, {WorkerEnd::Kind::NotStarted, 0, takeError(std::move(error)).message},
           running.warm != nullptr, 0);
    return Error::success();
  }
  m_running.push_back(std::move(running));
  return Error::success();
}

/// One that is out of time says where it is, a few times, before it is killed.
void Pool::endLate(Running &running) {
  bool asks = running.killedFor == WorkerEnd::Kind::TimedOut && running.asked < stackSamples;
  if (!asks) {
    running.isKilled = true;
    return running.child().kill();
  }
  ++running.asked;
  running.deadline = Clock::now() + std::chrono::milliseconds(stackSampleMs);
  running.child().askForStack();
}

void Pool::killLate() {
  Clock::time_point now = Clock::now();
  for (Running &running : m_running) {
    if (running.isKilled)
      continue;
    // Whoever ended while this process was busy was in time.
    bool isLate = running.deadline <= now && !running.hasEnded();
    if (isLate)
      running.killedFor = WorkerEnd::Kind::TimedOut;
#ifdef ASSAY_SANITIZED
    else if (running.child().residentBytes() > m_jobs[running.job].limits.memoryBytes)
      running.killedFor = WorkerEnd::Kind::OverMemory;
#endif
    if (isLate || running.killedFor == WorkerEnd::Kind::OverMemory)
      endLate(running);
  }
}

void Pool::waitForEvents() {
  std::vector<pollfd> events;
  Clock::time_point next = Clock::now() + std::chrono::seconds(1);
#ifdef ASSAY_SANITIZED
  next = Clock::now() + std::chrono::milliseconds(100);
#endif
  for (Running &running : m_running) {
    events.push_back({running.event(), POLLIN, 0});
    if (!running.isKilled)
      next = std::min(next, running.deadline);
  }
  auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  poll(events.data(), events.size(), static_cast<int>(std::max<int64_t>(left, 0)));
  std::vector<Running> before = std::move(m_running);
  m_running.clear();
  for (auto [running, event] : zip_equal(before, events)) {
    if (event.revents)
      finish(std::move(running));
    else
      m_running.push_back(std::move(running));
  }
}

void Pool::finish(Running running) {
  bool isWarm = running.warm != nullptr;
  unsigned served = isWarm ? running.warm->served() : 0;
  // Its time is not the longer for what it was asked.
  bool isLate = running.killedFor != WorkerEnd::Kind::Exited;
  if (isLate)
    running.child().kill();
  std::optional<ServeReply> reply = isWarm && !isLate ? running.warm->takeReply() : std::nullopt;
  if (reply) {
    if (reply->stays)
      m_options.warm->giveBack(std::move(running.warm));
    return settle(running.job, {WorkerEnd::Kind::Exited, reply->exitCode, ""}, isWarm, served);
  }
  WorkerEnd end = running.child().reap();
  if (isLate)
    end.kind = running.killedFor;
  else if (isWarm && end.kind == WorkerEnd::Kind::Exited && end.code == 0)
    end = {WorkerEnd::Kind::NotStarted, 0, "it ended without an answer"};
  settle(running.job, end, isWarm, served);
}

/// Takes the end of a job for its verdict. A worker that has served others may have died of them:
/// then the job runs once more, alone. Time is measured by the job, so a time-out stands.
void Pool::settle(size_t index, const WorkerEnd &end, bool wasWarm, unsigned served) {
  Verdict verdict = judgeWorkerEnd(m_jobs[index], end);
  bool isOwn = end.kind == WorkerEnd::Kind::Exited || end.kind == WorkerEnd::Kind::TimedOut;
  if (wasWarm && !isOwn) {
    verdict.reason += ", in a worker that had served " + std::to_string(served) + " jobs";
    m_warmDeaths[index] = std::move(verdict);
    m_alone.push_back(index);
    return;
  }
  // Memory is what jobs of one worker share. Any other death that does not come again is worth a
  // look.
  std::optional<Verdict> &first = m_warmDeaths[index];
  if (first && first->state == State::Crash && verdict.state != State::Crash) {
    makeFlaky(*first, verdict);
    verdict = std::move(*first);
  }
  m_verdicts[index] = std::move(verdict);
  ++m_done;
  noteTimes(index);
}

void Pool::noteTimes(size_t index) {
  if (!m_options.times && !m_options.caseTimes && !m_options.notesCompileTime)
    return;
  uint64_t compiling = 0;
  for (const StageTime &row : readJournal(m_jobs[index]).stages) {
    std::chrono::microseconds time(row.microseconds);
    if (m_options.times)
      (*m_options.times)[row.stage] += time;
    if (m_options.caseTimes)
      (*m_options.caseTimes)[m_jobs[index].caseId][row.stage] += time;
    compiling += row.stage == "compile" ? row.microseconds : 0;
  }
  if (m_options.notesCompileTime && compiling)
    m_verdicts[index].statistics.emplace_back(compileTimeMetric.str(), compiling);
}

Expected<std::vector<Verdict>> Pool::run() {
  Interruption interruption;
  m_verdicts.resize(m_jobs.size());
  while (m_done < m_jobs.size()) {
    while (hasNext() && m_running.size() < std::max(1u, m_options.processes))
      if (Error error = startNext())
        return std::move(error);
    size_t before = m_done;
    if (!m_running.empty())
      waitForEvents();
    killLate();
    if (interruption.get() == SIGTERM && m_options.stopRequested)
      *m_options.stopRequested = true;
    else if (interruption.get())
      return environmentError(interruption.describe() + " after " + Twine(m_done) + " of " +
                              Twine(m_jobs.size()) + " jobs");
    if (m_options.progress && m_done != before)
      m_options.progress(m_done, m_jobs.size());
  }
  return std::move(m_verdicts);
}

Expected<std::vector<Verdict>> assay::runJobs(ArrayRef<Job> jobs, const PoolOptions &options) {
  Pool pool(jobs, options);
  return pool.run();
}

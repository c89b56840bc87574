// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts workers by Boost.Process (v1) and waits for them by pidfd and poll: Boost 1.74's own
// wait_for reaps other children's signals. One thread, so PR_SET_PDEATHSIG does what it says.
#include "harness/run/WorkerProcess.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;
using Clock = std::chrono::steady_clock;

namespace {

/// A started worker. Owns the pidfd; the process is reaped by wait() and by nothing else.
struct Running {
  size_t job = 0;
  pid_t pid = -1;
  int fd = -1;
  Clock::time_point deadline;
  WorkerEnd::Kind killedFor = WorkerEnd::Kind::Exited; ///< Exited: not killed.
};

/// While it lives, SIGINT and SIGTERM are noted instead of ending the process.
class Interruption {
public:
  Interruption() {
    s_signal = 0;
    struct sigaction action = {};
    action.sa_handler = [](int signal) { s_signal = signal; };
    sigaction(SIGINT, &action, &m_oldInt);
    sigaction(SIGTERM, &action, &m_oldTerm);
  }
  ~Interruption() {
    sigaction(SIGINT, &m_oldInt, nullptr);
    sigaction(SIGTERM, &m_oldTerm, nullptr);
  }
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;
  int get() const { return s_signal; }

private:
  static volatile std::sig_atomic_t s_signal;
  struct sigaction m_oldInt = {}, m_oldTerm = {};
};
volatile std::sig_atomic_t Interruption::s_signal = 0;

class Pool {
public:
  Pool(ArrayRef<Job> jobs, const PoolOptions &options) : m_jobs(jobs), m_options(options) {}
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  Expected<std::vector<Verdict>> run();

private:
  Error startNext();
  Expected<Running> spawn(const Job &job);
  void waitForEvents();
  void killLate();
  void finish(Running &running);

  ArrayRef<Job> m_jobs;
  const PoolOptions &m_options;
  std::vector<Verdict> m_verdicts;
  std::vector<Running> m_running;
  size_t m_next = 0;
  size_t m_done = 0;
};

} // namespace

// Between fork and exec: system calls only.
static void prepareChild(const JobLimits &limits, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  rlimit files = {limits.fileBytes, limits.fileBytes};
  setrlimit(RLIMIT_FSIZE, &files);
#ifndef ASSAY_SANITIZED
  // A sanitizer reserves terabytes of address space; there, the parent watches the RSS instead.
  rlimit memory = {limits.memoryBytes, limits.memoryBytes};
  setrlimit(RLIMIT_AS, &memory);
#endif
}

Expected<Running> Pool::spawn(const Job &job) {
  namespace process = boost::process;
  std::error_code code;
  pid_t parent = getpid();
  const JobLimits &limits = job.limits;
  // Boost throws where allocation fails; nothing may leave this module.
  try {
    process::child child(
        process::exe = m_options.program,
        process::args = std::vector<std::string>{"worker", job.jobFile()},
        process::std_in = process::null, process::std_out = process::null,
        process::std_err = job.stderrFile(),
        process::extend::on_exec_setup([&](auto &) { prepareChild(limits, parent); }), code);
    if (code)
      return environmentError(m_options.program + ": " + code.message());
    Running running;
    running.pid = child.id();
    child.detach();
    setpgid(running.pid, running.pid); // Also here, lest a kill comes before the child did it.
    running.fd = static_cast<int>(syscall(SYS_pidfd_open, running.pid, 0));
    running.deadline = Clock::now() + std::chrono::milliseconds(limits.timeoutMs);
    if (running.fd >= 0)
      return running;
    std::string message = std::strerror(errno);
    kill(-running.pid, SIGKILL);
    waitpid(running.pid, nullptr, 0);
    return environmentError("pidfd_open: " + message);
  } catch (const std::exception &exception) {
    return environmentError(exception.what());
  }
}

Pool::~Pool() {
  for (Running &running : m_running) {
    kill(-running.pid, SIGKILL);
    waitpid(running.pid, nullptr, 0);
    close(running.fd);
  }
}

Error Pool::startNext() {
  size_t index = m_next++;
  const Job &job = m_jobs[index];
  // The input is on disk before anything looks at it; an old result is not taken for a new one.
  for (const std::string &old : {job.resultFile(), job.journalFile()})
    if (std::error_code code = sys::fs::remove(old))
      return environmentError(old + ": " + code.message());
  if (Error error = writeFile(job.jobFile(), StringRef(printJob(job))))
    return error;
  Expected<Running> running = spawn(job);
  if (running) {
    running->job = index;
    m_running.push_back(*running);
    return Error::success();
  }
  m_verdicts[index] =
      judgeWorkerEnd(job, {WorkerEnd::Kind::NotStarted, 0, takeError(running.takeError()).message});
  ++m_done;
  return Error::success();
}

#ifdef ASSAY_SANITIZED
// Files of /proc say that they have no bytes, so they are read as streams.
static uint64_t residentBytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  uint64_t size = 0;
  uint64_t residentPages = 0;
  file >> size >> residentPages;
  return residentPages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}
#endif

void Pool::killLate() {
  Clock::time_point now = Clock::now();
  for (Running &running : m_running) {
    if (running.killedFor != WorkerEnd::Kind::Exited)
      continue;
    if (running.deadline <= now)
      running.killedFor = WorkerEnd::Kind::TimedOut;
#ifdef ASSAY_SANITIZED
    else if (residentBytes(running.pid) > m_jobs[running.job].limits.memoryBytes)
      running.killedFor = WorkerEnd::Kind::OverMemory;
#endif
    if (running.killedFor != WorkerEnd::Kind::Exited)
      kill(-running.pid, SIGKILL);
  }
}

void Pool::waitForEvents() {
  std::vector<pollfd> events;
  Clock::time_point next = Clock::now() + std::chrono::seconds(1);
#ifdef ASSAY_SANITIZED
  next = Clock::now() + std::chrono::milliseconds(100);
#endif
  for (const Running &running : m_running) {
    events.push_back({running.fd, POLLIN, 0});
    if (running.killedFor == WorkerEnd::Kind::Exited)
      next = std::min(next, running.deadline);
  }
  auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  poll(events.data(), events.size(), static_cast<int>(std::max<int64_t>(left, 0)));
  std::vector<Running> stillRunning;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].revents)
      finish(m_running[i]);
    else
      stillRunning.push_back(m_running[i]);
  }
  m_running = std::move(stillRunning);
}

void Pool::finish(Running &running) {
  // Whatever the worker itself started goes with it; the zombie still holds the group's number.
  kill(-running.pid, SIGKILL);
  siginfo_t info = {};
  while (waitid(P_PID, static_cast<id_t>(running.pid), &info, WEXITED) < 0 && errno == EINTR) {
  }
  close(running.fd);
  WorkerEnd end;
  end.code = info.si_status;
  end.kind = info.si_code == CLD_EXITED ? WorkerEnd::Kind::Exited : WorkerEnd::Kind::Signalled;
  if (running.killedFor != WorkerEnd::Kind::Exited && end.kind == WorkerEnd::Kind::Signalled)
    end.kind = running.killedFor;
  m_verdicts[running.job] = judgeWorkerEnd(m_jobs[running.job], end);
  ++m_done;
}

Expected<std::vector<Verdict>> Pool::run() {
  Interruption interruption;
  m_verdicts.resize(m_jobs.size());
  while (m_done < m_jobs.size()) {
    while (m_next < m_jobs.size() && m_running.size() < std::max(1u, m_options.processes))
      if (Error error = startNext())
        return std::move(error);
    size_t before = m_done;
    if (!m_running.empty())
      waitForEvents();
    killLate();
    if (interruption.get() == SIGTERM && m_options.stopRequested)
      *m_options.stopRequested = true;
    else if (interruption.get())
      return environmentError("interrupted by " +
                              Twine(interruption.get() == SIGINT ? "SIGINT" : "SIGTERM") +
                              " after " + Twine(m_done) + " of " + Twine(m_jobs.size()) + " jobs");
    if (m_options.progress && m_done != before)
      m_options.progress(m_done, m_jobs.size());
  }
  return std::move(m_verdicts);
}

Expected<std::vector<Verdict>> assay::runJobs(ArrayRef<Job> jobs, const PoolOptions &options) {
  Pool pool(jobs, options);
  return pool.run();
}

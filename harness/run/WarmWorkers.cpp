// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/WarmWorkers.h"

#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

/// Whether the fault is one that kills or hangs the worker.
static bool endsProcesses(StringRef plant) {
  const auto *found =
      find_if(listFaults(), [&](const FaultInfo &fault) { return fault.name == plant; });
  return found != listFaults().end() && found->layer == FaultLayer::Process;
}

/// True for compilations and runs by our own compiler and machines without faults that end the
/// process.
bool assay::canBeServed(const Job &job) {
  bool isOwn = compilerOf(job.compiler).isOwn;
  bool compiles = job.kind == JobKind::Compile && isOwn;
  bool runs = job.kind == JobKind::Run && machineOf(job.machine).canBeServed &&
              (isOwn || !needsCompiler(job.machine));
  return (compiles || runs) && none_of(job.plants, endsProcesses) && !job.score;
}

namespace {
/// The two ends of a pipe.
struct Pipe {
  Descriptor out, in; ///< To read from, to write to.
};
} // namespace

/// Both ends are closed on exec. Environment.
static Expected<Pipe> makePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return environmentError("pipe: " + sys::StrError());
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// The limits and faults of \p job hold for all jobs that the worker serves.
Expected<std::unique_ptr<WarmWorker>> WarmWorker::start(const std::string &program, const Job &job,
                                                        Surroundings surroundings) {
  Expected<Pipe> jobs = makePipe();
  if (!jobs)
    return jobs.takeError();
  Expected<Pipe> replies = makePipe();
  if (!replies)
    return replies.takeError();
  ChildStart start;
  start.program = program;
  start.arguments = {"worker", "--serve"};
  start.input = jobs->out.get();
  start.output = replies->in.get();
  start.limits = job.limits;
  start.surroundings = surroundings;
  Expected<Child> child = Child::start(start);
  if (!child)
    return child.takeError();
  std::unique_ptr<WarmWorker> worker(new WarmWorker(std::move(*child), job));
  worker->m_jobs = std::move(jobs->in);
  worker->m_replies = std::move(replies->out);
  return std::move(worker);
}

/// Ends an idle worker by the end of its input and waits for at most a second. A busy one is
/// killed.
WarmWorker::~WarmWorker() {
  if (m_isBusy)
    return;
  m_jobs = Descriptor(); // It reads the end of its input, and ends.
  pollfd event = {m_child.descriptor(), POLLIN, 0};
  poll(&event, 1, 1000);
}

/// True if limits and faults are those that the worker was started with.
bool WarmWorker::accepts(const Job &job) const {
  return job.limits.memoryBytes == m_limits.memoryBytes &&
         job.limits.fileBytes == m_limits.fileBytes && job.plants == m_plants;
}

/// Sends the job. The worker is busy until its reply was taken.
Error WarmWorker::begin(const Job &job) {
  m_isBusy = true;
  // Shorter than a pipe's buffer, so it does not block; SIGPIPE is ignored by the program.
  std::string line = job.jobFile() + "\n";
  if (::write(m_jobs.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return environmentError("a worker does not listen: " + sys::StrError());
  return Error::success();
}

/// Waits for the reply; nothing if the worker died.
std::optional<ServeReply> WarmWorker::takeReply() {
  ServeReply reply;
  ssize_t size;
  do
    size = ::read(m_replies.get(), &reply, sizeof reply);
  while (size < 0 && errno == EINTR);
  if (size != sizeof reply)
    return std::nullopt;
  ++m_served;
  m_isBusy = false;
  return reply;
}

/// Returns an idle worker that accepts the job, or starts one in the place of another idle one.
Expected<std::unique_ptr<WarmWorker>> WarmWorkers::take(const std::string &program, const Job &job,
                                                        Surroundings surroundings) {
  auto found = find_if(m_idle, [&](const auto &worker) { return worker->accepts(job); });
  if (found == m_idle.end()) {
    if (!m_idle.empty())
      m_idle.pop_back();
    return WarmWorker::start(program, job, surroundings);
  }
  std::unique_ptr<WarmWorker> worker = std::move(*found);
  m_idle.erase(found);
  return std::move(worker);
}

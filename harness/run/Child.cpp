// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boost.Process (v1) starts; a pidfd and poll wait, because Boost 1.74's own wait_for reaps other
// children's signals.
#include "harness/run/Child.h"

#include "harness/run/CrashStack.h"
#include "support/Error.h"
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/posix.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace assay;

Descriptor::Descriptor(int descriptor) : m_descriptor(descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO)
    return;
  m_descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(descriptor);
}

Descriptor::Descriptor(Descriptor &&other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  std::swap(m_descriptor, other.m_descriptor);
  return *this;
}

Descriptor::~Descriptor() {
  if (m_descriptor >= 0)
    close(m_descriptor);
}

/// Opens or creates \p path, closed on exec. Environment.
static Expected<Descriptor> openFile(const std::string &path, int flags) {
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (file.get() < 0)
    return environmentError(path + ": " + std::strerror(errno));
  return std::move(file);
}

// Between fork and exec: system calls only.
static void prepareChild(const JobLimits &limits, Surroundings surroundings, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // An engine tells all processes of a job that its time is up. It is the parent's to decide when a
  // worker ends, or that would look like a crash.
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  if (getppid() != parent)
    _exit(127);
  // Where it is not allowed, the kernel's choice of addresses is another one by itself.
  if (surroundings == Surroundings::Other)
    personality(ADDR_NO_RANDOMIZE);
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

/// malloc fills what it gives and takes with the byte that MALLOC_PERTURB_ says (mallopt(3)), that
/// of AddressSanitizer so much of what it gives; what is long moves the stack.
static boost::process::environment environmentFor(Surroundings surroundings) {
  boost::process::environment environment = boost::this_process::environment();
  if (surroundings == Surroundings::Other) {
    environment["MALLOC_PERTURB_"] = "165";
    std::string sanitizer = environment["ASAN_OPTIONS"].to_string();
    environment["ASAN_OPTIONS"] = sanitizer + ":max_malloc_fill_size=268435456";
    environment["ASSAY_SURROUNDINGS"] = std::string(5000, 'x');
  }
  return environment;
}

/// Starts the process with these standard descriptors. Exceptions of Boost become errors.
static Expected<pid_t> spawn(const ChildStart &start, int input, int output, int errors) {
  namespace process = boost::process;
  std::error_code code;
  pid_t parent = getpid();
  // Boost throws where allocation fails; nothing may leave this module.
  try {
    process::child child(process::exe = start.program, process::args = start.arguments,
                         process::env = environmentFor(start.surroundings),
                         process::posix::fd.bind(STDIN_FILENO, input),
                         process::posix::fd.bind(STDOUT_FILENO, output),
                         process::posix::fd.bind(STDERR_FILENO, errors),
                         process::extend::on_exec_setup([&](auto &) {
                           prepareChild(start.limits, start.surroundings, parent);
                         }),
                         code);
    if (code)
      return environmentError(start.program + ": " + code.message());
    pid_t started = child.id();
    child.detach();
    return started;
  } catch (const std::exception &exception) {
    return environmentError(exception.what());
  }
}

/// The child is in a process group of its own. Streams that are not given are /dev/null.
Expected<Child> Child::start(const ChildStart &start) {
  Expected<Descriptor> nothing = openFile("/dev/null", O_RDWR);
  if (!nothing)
    return nothing.takeError();
  Descriptor errors;
  if (!start.errorFile.empty())
    if (Error error = openFile(start.errorFile, O_WRONLY | O_CREAT | O_TRUNC).moveInto(errors))
      return std::move(error);
  auto orNothing = [&](int descriptor) { return descriptor < 0 ? nothing->get() : descriptor; };
  Expected<pid_t> started =
      spawn(start, orNothing(start.input), orNothing(start.output), orNothing(errors.get()));
  if (!started)
    return started.takeError();
  Child child;
  child.m_process = *started;
  setpgid(*started, *started); // Also here, because a kill may come before the child has done it.
  child.m_descriptor = static_cast<int>(syscall(SYS_pidfd_open, *started, 0));
  if (child.m_descriptor < 0)
    return environmentError(std::string("pidfd_open: ") + std::strerror(errno));
  return std::move(child);
}

Child::Child(Child &&other) noexcept
    : m_process(std::exchange(other.m_process, -1)),
      m_descriptor(std::exchange(other.m_descriptor, -1)) {}

Child &Child::operator=(Child &&other) noexcept {
  std::swap(m_process, other.m_process);
  std::swap(m_descriptor, other.m_descriptor);
  return *this;
}

/// Returns whether the child ended. After \p milliseconds, or at an interruption, it is killed with
/// its group; 0 means no limit.
bool Child::waitFor(uint64_t milliseconds, const Interruption &interruption) {
  using Clock = std::chrono::steady_clock;
  // A signal that comes just before poll is noticed after this.
  constexpr int64_t MostAtOnce = 500;
  auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  pollfd ended = {m_descriptor, POLLIN, 0};
  while (!interruption.get()) {
    int64_t left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    int64_t wait = milliseconds ? std::clamp<int64_t>(left, 0, MostAtOnce) : MostAtOnce;
    if (poll(&ended, 1, static_cast<int>(wait)) > 0)
      return true;
    if (milliseconds && left <= 0)
      break;
  }
  kill();
  return false;
}

/// Kills what still runs.
Child::~Child() {
  kill();
  reap();
}

/// Does nothing if the child was reaped.
void Child::askForStack() {
  if (m_process > 0)
    ::kill(m_process, stackSignal);
}

/// Kills the whole process group. The child has to be reaped in any case.
void Child::kill() {
  if (m_process > 0)
    ::kill(-m_process, SIGKILL);
}

/// Waits for the end of the child and kills what it left running. Later calls return an empty end.
WorkerEnd Child::reap() {
  WorkerEnd end;
  if (m_process <= 0)
    return end;
  siginfo_t info = {};
  auto id = static_cast<id_t>(m_process);
  while (waitid(P_PID, id, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  // Whatever it started itself goes with it; the zombie still holds the group's number.
  ::kill(-m_process, SIGKILL);
  while (waitid(P_PID, id, &info, WEXITED) < 0 && errno == EINTR) {
  }
  if (m_descriptor >= 0)
    close(m_descriptor);
  m_process = m_descriptor = -1;
  end.code = info.si_status;
  end.kind = info.si_code == CLD_EXITED ? WorkerEnd::Kind::Exited : WorkerEnd::Kind::Signalled;
  return end;
}

/// Returns the memory of the child without that of its children.
uint64_t Child::residentBytes() const {
  return readResidentBytes(std::to_string(m_process));
}

// Files of /proc say that they have no bytes, so they are read as streams.
uint64_t assay::readResidentBytes(StringRef process) {
  std::ifstream file(("/proc/" + process + "/statm").str());
  uint64_t size = 0;
  uint64_t residentPages = 0;
  file >> size >> residentPages;
  return residentPages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Serve.h"

#include "support/Error.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

/// Makes \p standard lead to \p path. Environment.
static Error redirect(int standard, const std::string &path, int flags) {
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (file.get() < 0 || dup2(file.get(), standard) < 0)
    return environmentError(path + ": " + sys::StrError());
  return Error::success();
}

namespace {
/// Lines of a pipe; none is longer than a path.
class Lines {
public:
  /// The caller keeps \p descriptor open and closes it.
  explicit Lines(int descriptor) : m_descriptor(descriptor) {}

  /// The next one; nothing at the end, or when it can't be read.
  std::optional<std::string> next() {
    size_t end;
    while ((end = m_text.find('\n')) == std::string::npos) {
      char block[4096];
      ssize_t size = ::read(m_descriptor, block, sizeof block);
      if (size > 0)
        m_text.append(block, static_cast<size_t>(size));
      else if (size == 0 || errno != EINTR)
        return std::nullopt;
    }
    std::string line = m_text.substr(0, end);
    m_text.erase(0, end + 1);
    return line;
  }

private:
  int m_descriptor;
  /// What was read after the last line that was returned.
  std::string m_text;
};
} // namespace

/// Jobs take and free the same memory again and again. Giving it back to the kernel in between is a
/// tenth of a generated case's time (measured by perf, profile default).
static void keepFreedMemory() {
  constexpr int most = 1 << 28;
  mallopt(M_TRIM_THRESHOLD, most);
  mallopt(M_TOP_PAD, 1 << 24);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  // Fast bins are merged again and again at large requests: another sixteenth.
  mallopt(M_MXFAST, 0);
}

/// Returns when the input ends or a limit is reached; the last reply says so. Standard input and
/// output are redirected, so that a job cannot disturb the protocol. Errors of a job go to a file
/// in its folder.
Error assay::serveJobs(const ServeLimits &limits, function_ref<int(StringRef)> run) {
  keepFreedMemory();
  // Nothing that a job prints is an answer.
  Descriptor jobs(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  Descriptor replies(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  for (const auto &[descriptor, name] : {std::pair(&jobs, "the jobs"), {&replies, "the answers"}})
    if (descriptor->get() < 0)
      return environmentError(name + Twine(" of a worker: ") + sys::StrError());
  if (Error error = redirect(STDIN_FILENO, "/dev/null", O_RDONLY))
    return error;
  if (Error error = redirect(STDOUT_FILENO, "/dev/null", O_WRONLY))
    return error;
  Lines lines(jobs.get());
  bool stays = true;
  for (unsigned served = 1; stays; ++served) {
    std::optional<std::string> jobFile = lines.next();
    if (!jobFile)
      break;
    std::string errors = (sys::path::parent_path(*jobFile) + "/stderr").str();
    if (Error error = redirect(STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC))
      return error;
    int code = run(*jobFile);
    stays = served < limits.jobs && readResidentBytes("self") < limits.residentBytes;
    ServeReply reply = {static_cast<uint8_t>(code), stays};
    if (::write(replies.get(), &reply, sizeof reply) != sizeof reply)
      return environmentError("an answer of a worker: " + sys::StrError());
  }
  return Error::success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/DriverTrial.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

/// First character of the result file.
static constexpr char returnedTag = 'r', unsupportedTag = 'u', failedTag = 'f';

/// Environment error with the message of errno.
static Error systemError(const char *call) {
  return environmentError(Twine(call) + ": " + std::strerror(errno));
}

/// Reads from the start of \p file, whatever its position is: the child has written through a copy
/// of the descriptor. A read error ends the text.
static std::string readAll(int file) {
  std::string text;
  char block[4096];
  for (off_t at = 0;;) {
    ssize_t count = pread(file, block, sizeof block, at);
    if (count <= 0)
      return text;
    text.append(block, static_cast<size_t>(count));
    at += count;
  }
}

/// Gives up at the first error: the parent then sees an empty or short result.
static void writeAll(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t count = write(file, text.data(), text.size());
    if (count <= 0)
      return;
    text = text.drop_front(static_cast<size_t>(count));
  }
}

/// The child's side. Files of the parent, such as a worker's journal, are closed first.
[[noreturn]] static void runChild(function_ref<Expected<std::string>()> function, int result,
                                  int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  for (int number : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS})
    signal(number, SIG_DFL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  int kept = dup2(result, STDERR_FILENO + 1);
  syscall(SYS_close_range, kept + 1, ~0U, 0);
  Expected<std::string> text = function();
  if (text) {
    writeAll(kept, returnedTag + *text);
  } else {
    ErrorParts parts = takeError(text.takeError());
    char tag = parts.kind == ErrorKind::Unsupported ? unsupportedTag : failedTag;
    writeAll(kept, tag + parts.message);
  }
  _exit(0);
}

/// Returns the last line that is not blank, without white space at its ends.
static StringRef lastLine(StringRef text) {
  text = text.trim();
  size_t end = text.rfind('\n');
  return end == StringRef::npos ? text : text.substr(end + 1).trim();
}

/// Describes a wait status: "SIGABRT" or "exit status 1", and in parentheses the last line of \p
/// output.
static std::string describeEnd(int status, StringRef output) {
  std::string end = WIFSIGNALED(status) ? std::string("SIG") + sigabbrev_np(WTERMSIG(status))
                                        : "exit status " + std::to_string(WEXITSTATUS(status));
  StringRef line = lastLine(output);
  return line.empty() ? end : (end + " (" + line + ")").str();
}

/// False when it was killed because \p limit passed.
static Expected<bool> waitFor(pid_t child, std::chrono::milliseconds limit, int &status) {
  bool inTime = true;
  int process = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (process < 0)
    return systemError("pidfd_open");
  pollfd wait = {process, POLLIN, 0};
  auto deadline = std::chrono::steady_clock::now() + limit;
  for (int ready = -1; ready < 0 && inTime;) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    ready = left.count() > 0 ? poll(&wait, 1, static_cast<int>(left.count())) : 0;
    inTime = ready != 0 && (ready > 0 || errno == EINTR);
  }
  close(process);
  if (!inTime)
    kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return inTime;
}

/// Of a tag and the text.
static Trial parseTrial(const std::string &text) {
  Trial::End end = text[0] == returnedTag ? Trial::End::Returned : Trial::End::Failed;
  return {end, text.substr(1), text[0] == unsupportedTag};
}

/// Reads the result file of a child that has ended. A child that exits with 0 without a result
/// counts as died.
static Trial readTrial(int result, int output, bool inTime, int status,
                       std::chrono::milliseconds limit) {
  std::string text = readAll(result);
  if (!inTime)
    return {Trial::End::Died, "no answer in " + std::to_string(limit.count()) + " ms", false};
  bool isWhole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !text.empty();
  if (!isWhole)
    return {Trial::End::Died, describeEnd(status, readAll(output)), false};
  return parseTrial(text);
}

/// Result and output go through memory files, so that a child that writes much does not block.
Expected<Trial> assay::vulkan::tryInChild(function_ref<Expected<std::string>()> function,
                                          std::chrono::milliseconds limit) {
  int result = memfd_create("result", MFD_CLOEXEC);
  int output = memfd_create("output", MFD_CLOEXEC);
  scope_exit closeBoth([&] {
    close(result);
    close(output);
  });
  if (result < 0 || output < 0)
    return systemError("memfd_create");
  pid_t child = fork();
  if (child < 0)
    return systemError("fork");
  if (child == 0)
    runChild(function, result, output);
  int status = 0;
  Expected<bool> inTime = waitFor(child, limit, status);
  if (!inTime)
    return inTime.takeError();
  return readTrial(result, output, *inTime, status, limit);
}

/// The folder of keepTrialsIn(); empty: trials are not kept.
static std::string &trialFolder() {
  static std::string folder;
  return folder;
}

/// The folder holds the files of later trials. It applies to the whole process.
void assay::vulkan::keepTrialsIn(StringRef folder) {
  trialFolder() = folder.str();
}

/// Of the driver as it is installed now: another version comes with another manifest.
static std::string makeKey(const std::string &icd, const std::string &use) {
  sys::fs::file_status status;
  if (sys::fs::status(icd, status))
    return icd + " " + use;
  return icd + " " + std::to_string(status.getLastModificationTime().time_since_epoch().count()) +
         " " + std::to_string(status.getSize()) + " " + use;
}

/// Path of the file with the trial of \p key; the name is a hash of the key.
static std::string trialFile(StringRef key) {
  return trialFolder() + "/driver-" + utohexstr(xxh3_64bits(key));
}

/// Returns the trial that was kept for \p key; nullopt when there is none or the file is empty.
static std::optional<Trial> readTrial(StringRef key) {
  Expected<std::string> text = readFileText(trialFile(key));
  if (!text || text->empty()) {
    consumeError(text.takeError());
    return std::nullopt;
  }
  return parseTrial(*text);
}

/// Nothing depends on it: a file that cannot be written costs a second trial.
static void writeTrial(StringRef key, const Trial &trial) {
  if (trial.end == Trial::End::Died)
    return;
  char tag = trial.end == Trial::End::Returned ? returnedTag
             : trial.isUnsupported             ? unsupportedTag
                                               : failedTag;
  std::string file = trialFile(key), draft = file + "." + std::to_string(getpid());
  if (Error error = writeFile(draft, StringRef(tag + trial.text)))
    consumeError(std::move(error));
  else if (sys::fs::rename(draft, file))
    (void)sys::fs::remove(draft);
}

/// Trials run one at a time. A child that died is remembered by this process only.
Expected<Trial> assay::vulkan::tryOnce(const std::string &icd, const std::string &use,
                                       function_ref<Expected<std::string>()> function) {
  static std::mutex mutex;
  static std::map<std::string, Trial> known;
  std::lock_guard lock(mutex);
  std::string key = makeKey(icd, use);
  if (auto it = known.find(key); it != known.end())
    return it->second;
  bool isKept = !trialFolder().empty();
  if (std::optional<Trial> trial = isKept ? readTrial(key) : std::nullopt)
    return known.emplace(key, *trial).first->second;
  Expected<Trial> trial = tryInChild(function);
  if (!trial)
    return trial;
  known.emplace(key, *trial);
  if (isKept)
    writeTrial(key, *trial);
  return trial;
}

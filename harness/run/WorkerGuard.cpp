// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/WorkerGuard.h"

#include "harness/run/CrashStack.h"
#include "support/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <unistd.h>
#include <xmmintrin.h>

using namespace llvm;
using namespace assay;

/// The open journal of the job; -1 before the first one.
static int journal = -1;

// write(2) alone: this also runs when there is no memory left.
static void append(const char *data, size_t size) {
  while (journal >= 0 && size) {
    ssize_t written = write(journal, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return;
    data += written;
    size -= static_cast<size_t>(written);
  }
}

static void append(const char *text) {
  append(text, std::strlen(text));
}

/// Notes the lack of memory and aborts. Allocates nothing.
[[noreturn]] static void endAsOom() {
  append("end oom\n");
#ifdef ASSAY_SANITIZED
  std::signal(SIGABRT, SIG_DFL); // Its end is the sanitizer's no more.
#endif
  std::abort(); // Leaves a stack, like a crash.
}

static void onBadAlloc(void *, const char *, bool) {
  endAsOom();
}

/// Notes the first line of LLVM's message and aborts.
static void onFatalError(void *, const char *reason, bool) {
  append("end fatal-error ");
  // One line; the rest of a longer message is in the worker's stderr.
  const char *lineEnd = std::strchr(reason, '\n');
  append(reason, lineEnd ? static_cast<size_t>(lineEnd - reason) : std::strlen(reason));
  append("\n");
  [[maybe_unused]] ssize_t ignored = write(STDERR_FILENO, reason, std::strlen(reason));
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

Error assay::installWorkerGuard(StringRef path) {
  static bool isInstalled = false;
  if (journal >= 0)
    close(journal);
  if (!isInstalled) {
    isInstalled = true;
    install_fatal_error_handler(onFatalError);
    install_bad_alloc_error_handler(onBadAlloc);
    std::set_new_handler(endAsOom);
  }
  journal = open(path.str().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (journal < 0)
    return environmentError(path + ": " + std::strerror(errno));
  installCrashStack((path + crashStackSuffix).str());
  // Round to nearest, no flushing of denormals, no traps.
  _mm_setcsr(0x1f80);
  return Error::success();
}

std::chrono::microseconds assay::readCpuTime() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_nsec / 1000);
}

void assay::noteStage(StringRef stage) {
  SmallString<64> line;
  raw_svector_ostream(line) << "stage " << stage << " " << readCpuTime().count() << "\n";
  append(line.data(), line.size());
}

JournalEntry assay::parseJournal(StringRef text) {
  JournalEntry entry;
  uint64_t began = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.consume_front("stage ")) {
      auto [stage, time] = line.split(' ');
      uint64_t now = 0;
      if (!time.getAsInteger(10, now) && !entry.stage.empty() && began && now >= began)
        entry.stages.push_back({entry.stage, now - began});
      began = now;
      entry.stage = stage.str();
    } else if (line.consume_front("end ")) {
      auto [kind, message] = line.split(' ');
      entry.end = kind.str();
      entry.text = message.str();
    }
  }
  return entry;
}

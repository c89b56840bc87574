// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worker's side of dying well: what it was doing, and why it had to stop, is on disk before the
// process ends, so that its parent can tell a crash, a fatal error of LLVM and lack of memory
// apart.
#pragma once

#include "harness/run/Job.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// Opens the journal at \p path and installs the handlers: LLVM's fatal errors, bad_alloc, the new
/// handler. Also sets the floating-point environment to its defaults. Once per job.
llvm::Error installWorkerGuard(llvm::StringRef path);

/// What this process, with all its threads, has taken of its processors.
std::chrono::microseconds readCpuTime();

/// Notes in the journal what the worker does from now on, one word, such as "compile", and
/// readCpuTime().
void noteStage(llvm::StringRef stage);

/// A stage of a job that went on to another one.
struct StageTime {
  std::string stage;
  uint64_t microseconds = 0; ///< Of processors.
};

/// What a journal says.
struct JournalEntry {
  std::vector<StageTime> stages; ///< All but the last, in their order.
  std::string stage;             ///< The last one noted; empty before the first.
  std::string end;               ///< "oom", "fatal-error", or empty.
  std::string text;              ///< The message of a fatal error.
};
JournalEntry parseJournal(llvm::StringRef text);
/// That of \p job; an empty one where there is none.
JournalEntry readJournal(const Job &job);

} // namespace assay

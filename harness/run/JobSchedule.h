// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How machine gcn shall run a case - schedule, threads, trace -, as options of a command line: in
// the job of a worker, and in the line that reruns a verdict.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// The finding of JobSchedule::checksThreads.
inline constexpr llvm::StringLiteral threadsRule = "THREADS-DIFF";

/// The defaults are those of RunOptions.
struct JobSchedule {
  bool sanitizes = true;
  bool late = false;
  std::optional<uint64_t> seed;
  uint64_t count = 1;
  unsigned threads = 1;
  bool checksThreads = false; ///< Run again on one thread and two, and compare.
  bool keepsLog = false;
  std::string replayFile;
  bool traces = false; ///< Write Job::traceFile(); of machine ir, what it accesses.
  std::optional<uint64_t> breakPc;
  std::optional<uint64_t> traceGroup;
  std::optional<unsigned> traceWave;
  std::optional<unsigned> lane;
  /// `--skip-rule`: rules of the sanitizers and of validate-elf whose findings are dropped.
  std::vector<std::string> skippedRules;

  bool operator==(const JobSchedule &) const = default;
};

/// "--schedule", "late", "--threads", "2": what is not as by default. \p all: also what a rerun of
/// the verdict does not need (log and trace).
std::vector<std::string> printSchedule(const JobSchedule &schedule, bool all);
/// The reverse; InvalidInput for anything else.
llvm::Expected<JobSchedule> parseSchedule(llvm::ArrayRef<std::string> words);

/// "--trace", "--lane", "3": what chooses a trace, as on the command line of `assay run`.
std::vector<std::string> printTraceOptions(const JobSchedule &schedule);

} // namespace assay

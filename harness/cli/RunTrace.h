// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `assay run` for traces and logs of machine gcn, and where they go.
#pragma once

#include "harness/cli/Cli.h"

namespace assay {

/// What is traced, logged or replayed, and where it goes.
struct TraceChoices {
  bool traces = false; ///< Prints what each instruction changes.
  std::string file;    ///< Instead of stdout.
  std::string breakPc; ///< The trace begins where a wave comes to this pc; empty: at once.
  std::optional<uint64_t> group; ///< Only this workgroup is traced; they are counted along x first.
  std::optional<unsigned> wave;  ///< Only this wave of each workgroup.
  std::optional<unsigned> lane;  ///< Only this lane.
  std::string logFile;           ///< Gets the choices of the schedule.
  std::string replayFile;        ///< A file of --log to repeat.
};
/// Adds --trace, --trace-file, --break, --trace-group, --trace-wave, --lane, --log and --replay.
void addTraceOptions(CLI::App &verb, TraceChoices &choices);

/// Takes over what \p choices say. InvalidInput for a pc that is none, for a choice of what to
/// trace without a trace, and for several jobs with one log.
llvm::Error applyTraceChoices(const TraceChoices &choices, size_t jobs, JobSchedule &schedule);

/// True when the trace goes where the result goes.
bool tracesToStdout(const TraceChoices &choices);

/// Puts the traces and logs that workers left to where \p choices say.
llvm::Error deliverTraces(const TraceChoices &choices, llvm::ArrayRef<Job> jobs);

} // namespace assay

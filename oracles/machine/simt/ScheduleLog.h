// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The log of a run's schedule, schema assay.schedule/1, JSON lines: one with what the run was told,
// then one for each cohort, with its workgroups and the choices made for it. It replays the run
// exactly, whatever seeds will mean one day.
#pragma once

#include "oracles/api/Machine.h"
#include "oracles/machine/simt/Choices.h"
#include <map>

namespace assay::simt {

/// What of a run its log knows.
struct ScheduleHeader {
  uint64_t seed = 0;
  uint64_t scheduleSeed = 0;
  ScheduleKind schedule = ScheduleKind::Eager;
  std::string digest; ///< Of code and input.

  bool operator==(const ScheduleHeader &) const = default;
};
/// Except for the digest.
ScheduleHeader scheduleHeaderOf(const RunOptions &options);
/// The run of \p header, except for what a schedule does not say.
void applyHeader(const ScheduleHeader &header, RunOptions &options);

/// InvalidInput for what is no log.
llvm::Expected<ScheduleHeader> readScheduleHeader(llvm::StringRef text);

/// The log of one run: written, read, or neither.
class ScheduleLog {
public:
  /// InvalidInput, and nothing else, for a log to replay that is none, or not of a run with these
  /// options, whose code and input have \p digest.
  static llvm::Expected<ScheduleLog> create(const RunOptions &options, std::string digest);

  /// The next dispatch begins.
  void beginDispatch() { ++m_dispatch; }
  /// The choices for \p cohort of this dispatch; \p seed is its own.
  Choices choicesFor(uint64_t cohort, llvm::ArrayRef<uint64_t> groups, uint64_t seed) const;
  /// \p cohort has ended. Cohorts end in their order.
  void note(uint64_t cohort, llvm::ArrayRef<uint64_t> groups, llvm::ArrayRef<Choice> choices);
  unsigned dispatch() const { return m_dispatch; }

private:
  /// The workgroups of a cohort and its choices.
  struct Line {
    std::vector<uint64_t> groups;
    std::vector<Choice> choices;
  };
  /// Reads all lines of a log. InvalidInput when its header is not \p expected.
  llvm::Error read(llvm::StringRef text, const ScheduleHeader &expected);
  llvm::Error readLine(llvm::StringRef text);

  llvm::raw_ostream *m_out = nullptr;
  bool m_replays = false;
  unsigned m_dispatch = 0;                               ///< From 1 on.
  std::map<std::pair<uint64_t, uint64_t>, Line> m_lines; ///< By dispatch and cohort.
};

} // namespace assay::simt

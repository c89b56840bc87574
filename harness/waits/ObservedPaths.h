// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions each wave of a run executed, in order, and what memory they used, read from
// the trace that machine gcn prints.
#pragma once

#include "llvm/Support/raw_ostream.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::waits {

/// Bytes that one instruction used, lane after lane.
struct ObservedAccess {
  enum class Kind : uint8_t { Read, Write, Atomic };
  Kind kind = Kind::Read;
  bool isLds = false; ///< Else memory; scratch and the global share are left out.
  uint64_t address = 0;
  uint64_t bytes = 0;
};

/// A wave of the trace.
struct ObservedWave {
  std::string group;     ///< The text that names its workgroup.
  uint32_t dispatch = 0; ///< A wave of a name that has ended before is of a later one.
};

/// One instruction of one wave.
struct ObservedEvent {
  uint32_t wave = 0; ///< Waves are numbered as they come.
  uint64_t pc = 0;
  std::vector<ObservedAccess> accesses;
};

/// A stream to give to RunOptions::trace.out. Paths that are alike are kept once.
class ObservedPaths final : public llvm::raw_ostream {
public:
  /// More instructions than \p maxSteps are not kept: isCut() then.
  /// Workgroups have \p threads invocations, \p waveSize to a wave: of a dispatch the trace says
  /// only how EXEC changes. \p stage: of a draw, the stage ("vertex") whose waves are kept; empty:
  /// waves of dispatches.
  ObservedPaths(size_t maxSteps, unsigned threads, unsigned waveSize, llvm::StringRef stage = "")
      : m_left(maxSteps), m_threads(threads), m_waveSize(waveSize), m_stage(stage) {
    SetUnbuffered();
  }
  ~ObservedPaths() override;

  /// One instruction: its offset in the section, and EXEC before it.
  struct Step {
    uint64_t pc = 0;
    uint64_t exec = ~uint64_t(0);

    auto operator<=>(const Step &) const = default;
  };
  using Path = std::vector<Step>;
  /// Path by path. Ends what still goes on.
  const std::set<Path> &finish();
  bool isCut() const { return m_left == 0; }
  /// The first line that is none of a trace's; empty: all have been understood.
  llvm::StringRef unread() const { return m_unread; }
  /// All instructions in the order of the run.
  const std::vector<ObservedEvent> &events() const { return m_events; }
  const std::vector<ObservedWave> &waves() const { return m_waves; }

private:
  /// A wave that has not ended.
  struct Wave {
    Path path;
    uint64_t exec = ~uint64_t(0);
    uint32_t number = 0;
  };
  /// Reads whole lines and keeps the rest until the next call.
  void write_impl(const char *text, size_t size) override;
  uint64_t current_pos() const override { return m_position; }
  /// Notes a line of no known kind as unread.
  void readLine(llvm::StringRef line);
  /// False: \p line is none of that kind.
  bool readChange(llvm::StringRef line);
  /// Begins an instruction of a wave, and ends the path of one that ends.
  bool readHead(llvm::StringRef line);
  /// Adds to the accesses of the last instruction.
  bool readAccess(llvm::StringRef line);

  Wave &waveOf(llvm::StringRef key);

  size_t m_left;
  unsigned m_threads;
  unsigned m_waveSize;
  std::string m_stage;
  uint64_t m_position = 0;
  std::string m_rest;                 ///< Of a line whose end has not come yet.
  std::map<std::string, Wave> m_open; ///< By "group x,y,z wave n" and, of a draw, the stage.
  Wave *m_wave = nullptr;             ///< Of the last line that named one.
  std::set<Path> m_paths;
  std::vector<ObservedEvent> m_events;
  std::vector<ObservedWave> m_waves;
  std::set<std::string> m_seen; ///< Names of waves, of this dispatch.
  uint32_t m_dispatch = 0;
  std::string m_unread;
};

} // namespace assay::waits

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data races between waves: two accesses of one byte, one of them a write, not both atomic, that
// nothing orders, whatever the order in which they happened. Vector clocks; the accesses of each
// dword are kept by the byte (after FastTrack, Flanagan and Freund, PLDI 2009).
//
// What orders accesses:
// - A barrier orders the waves of its workgroup.
// - An atomic orders what its wave did before (of writes only those that had completed: the wave
//   waited for them) and what a wave does that comes to the same place later. Where the two are of
//   different workgroups, it does so only after an invalidation of the caches; for loads that
//   bypass these caches the completion of the atomic is enough. (LLVM's AMDGPUUsage, the memory
//   models: at agent scope release is a wait, acquire an invalidation.)
// - Named barriers and global wave sync order as such atomics do.
// Where a workgroup's waves run on two compute units (RaceOptions::isOnTwoUnits), the cache of the
// reader's unit may hide what is ordered: a load of what another wave wrote must bypass that cache,
// or follow its invalidation (AMDGPUUsage: acquire at workgroup scope). Which waves share a unit is
// not known, nor what else has filled the cache.
// Missing waits before a barrier are not looked for here.
#pragma once

#include "oracles/api/Verdict.h"
#include "oracles/machine/simt/RaceEvents.h"
#include "oracles/machine/simt/Rules.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

namespace assay::simt {

/// Up to which moment the accesses of each wave are ordered before something.
class RaceClock {
public:
  /// Whether the access of \p wave at moment \p stamp is ordered.
  bool covers(uint64_t wave, uint64_t stamp) const;
  /// Covers the accesses of \p wave before \p stamp, and what was covered already.
  void set(uint64_t wave, uint64_t stamp);
  /// Covers what either of both covers.
  void join(const RaceClock &other);
  size_t size() const { return m_stamps.size(); }
  /// Everything before \p stamp is ordered.
  void setFloor(uint64_t stamp);
  /// What it says of the \p count waves from \p first on.
  RaceClock ofWaves(uint64_t first, uint64_t count) const;

private:
  uint64_t m_floor = 0;
  std::map<uint64_t, uint64_t> m_stamps;
};

/// How findings name an instruction. The texts must outlive the detector.
struct InstructionText {
  uint64_t pc = 0;
  llvm::StringRef text;
  llvm::StringRef mnemonic;
};

/// What the detector must know of the dispatch.
struct RaceOptions {
  unsigned wavesPerGroup = 1;
  bool isOnTwoUnits = false; ///< The waves of a workgroup may run on two units with own caches.
  const char *workgroupMemory = "LDS"; ///< What messages call MemorySpace::Workgroup.
  /// The instruction with a number of RaceEvent::instruction.
  std::function<InstructionText(uint32_t)> describe;
};

/// Of one dispatch.
class RaceDetector final : public RaceSink {
public:
  explicit RaceDetector(RaceOptions options)
      : m_wavesPerGroup(options.wavesPerGroup), m_isOnTwoUnits(options.isOnTwoUnits),
        m_options(std::move(options)) {}
  void add(const RaceEvent &event) override;
  /// The races found since the last call, each pair of instructions once a dispatch; and, once,
  /// that the code uses more memory than is watched.
  std::vector<Finding> takeReports();

private:
  /// Dwords that share one allocation of cells, and how many of those are made at most.
  static constexpr uint64_t PageDwords = 256;
  static constexpr size_t MaxPages = size_t(1) << 14;
  /// Of one dword; with more, the oldest is forgotten.
  static constexpr unsigned KeptAccesses = 4;
  /// An order by an atomic between more waves than that is taken for one of all that came before.
  static constexpr size_t MaxClock = 256;
  /// Of a wave; more are never outstanding.
  static constexpr size_t KeptNumbers = 256;

  struct Access {
    uint64_t stamp = 0;
    uint64_t wave = 0;
    uint32_t instruction = RaceEvent::NoInstruction; ///< NoInstruction: there is no access.
    RaceEventKind kind = RaceEventKind::Read;
    uint8_t bytes = 0; ///< A bit for each of the dword.
    bool changes = true;
    bool isCompareAndSwap = false;
  };
  using Cell = std::array<Access, KeptAccesses>;

  struct WaveState {
    RaceClock clock;
    RaceClock
        fresh; ///< What its cache can't hold the old state of: clock, when it was invalidated.
    RaceClock observed; ///< What loads past the caches have ordered before them, next to clock.
    std::vector<std::pair<uint32_t, uint64_t>> issued; ///< Number of an event, and its stamp.
    std::map<uint32_t, RaceClock> atomics;             ///< To be acquired, by number.
  };
  struct GroupState {
    std::map<uint32_t, RaceClock> barriers;
    std::map<uint32_t, RaceClock> observed; ///< By barrier, too.
    std::vector<Cell> lds;
    std::map<uint64_t, RaceClock> ldsAtomics; ///< By address.
  };

  void addAccess(const RaceEvent &event);
  void addAtomic(const RaceEvent &event);
  void touch(Cell &cell, const Access &access, const RaceEvent &event, uint64_t dword);
  static bool areConflicting(const Access &one, const Access &other);
  Cell *findCell(const RaceEvent &event, uint64_t dword);
  void signal(const RaceEvent &event);
  void pass(const RaceEvent &event);
  bool isOrdered(const Access &earlier, const RaceEvent &event);
  uint64_t stampOf(const WaveState &wave, uint32_t number) const;
  bool mayBeStale(const Access &earlier, const Access &access, const RaceEvent &event);
  void report(Rule rule, const Access &earlier, const Access &later, uint64_t address);
  GroupState &groupOf(const RaceEvent &event) { return m_groups[event.wave / m_wavesPerGroup]; }
  void leave(uint64_t group);

  unsigned m_wavesPerGroup;
  bool m_isOnTwoUnits;
  RaceOptions m_options;
  uint64_t m_now = 1;
  bool m_isFull = false; ///< There were more pages to be made.
  bool m_saidFull = false;
  std::unordered_map<uint64_t, WaveState> m_waves;
  std::unordered_map<uint64_t, GroupState> m_groups;
  std::unordered_map<uint64_t, std::unique_ptr<std::array<Cell, PageDwords>>> m_pages;
  std::unordered_map<uint64_t, RaceClock> m_atomics; ///< By address.
  std::set<std::tuple<Rule, uint32_t, uint32_t>> m_known;
  std::vector<Finding> m_reports;
};

} // namespace assay::simt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data races between waves: two accesses of one byte, one of them a write, not both atomic, that
// nothing orders - whatever the order in which they happened. Vector clocks, with the accesses of
// each dword kept by the byte (after FastTrack, Flanagan and Freund, PLDI 2009).
//
// What orders: a barrier, the waves of its workgroup. An atomic, what its wave did before - writes
// only that had completed, so that they were waited for - and what a wave does that comes to the
// same place later; where the two are of different workgroups, only behind an invalidation of the
// caches (AMDGPUUsage, the memory models: release is a wait, acquire an invalidation at agent
// scope), but for loads that pass by these caches: to them the atomic's completion is enough. Named
// barriers and global wave sync order as such atomics do. Where a workgroup's waves run on two
// compute units (WGP mode), what is ordered may still be hidden by the cache of the reader's unit:
// a load of what another wave wrote must pass that cache by, or come behind its invalidation behind
// what orders the two (AMDGPUUsage: acquire at workgroup scope). Which waves share a unit is not
// known, nor what else has filled the cache. Waits that a barrier needs are Visibility's business.
#pragma once

#include "oracles/api/Verdict.h"
#include "oracles/machine/gcn/RaceEvents.h"
#include "oracles/machine/gcn/SanitizerRules.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

namespace assay::gcn {

/// Up to which moment the accesses of each wave are ordered before something.
class RaceClock {
public:
  bool covers(uint64_t wave, uint64_t stamp) const;
  void set(uint64_t wave, uint64_t stamp);
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

/// Of one dispatch.
class RaceDetector final : public RaceSink {
public:
  /// \p isOnTwoUnits: LaunchState has it.
  explicit RaceDetector(unsigned wavesPerGroup, bool isOnTwoUnits = false)
      : m_wavesPerGroup(wavesPerGroup), m_isOnTwoUnits(isOnTwoUnits) {}
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
    const MicroOp *op = nullptr; ///< Null: none.
    uint64_t wave = 0;
    RaceEventKind kind = RaceEventKind::Read;
    uint8_t bytes = 0; ///< A bit for each of the dword.
    bool changes = true;
  };
  using Cell = std::array<Access, KeptAccesses>;

  struct WaveState {
    RaceClock clock;
    RaceClock
        fresh; ///< What its cache can't hold the old state of: clock, when it was invalidated.
    RaceClock observed; ///< What loads past the caches have ordered before them, beside clock.
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
  static bool isCompareAndSwap(const Access &access);
  static bool areConflicting(const Access &one, const Access &other);
  Cell *findCell(const RaceEvent &event, uint64_t dword);
  void signal(const RaceEvent &event);
  void pass(const RaceEvent &event);
  bool isOrdered(const Access &earlier, const RaceEvent &event);
  uint64_t stampOf(const WaveState &wave, uint32_t number) const;
  bool mayBeStale(const Access &earlier, const Access &access, const RaceEvent &event);
  void report(SanitizerRule rule, const Access &earlier, const Access &later, uint64_t address);
  GroupState &groupOf(const RaceEvent &event) { return m_groups[event.wave / m_wavesPerGroup]; }
  void leave(uint64_t group);

  unsigned m_wavesPerGroup;
  bool m_isOnTwoUnits;
  uint64_t m_now = 1;
  bool m_isFull = false; ///< There were more pages to be made.
  bool m_saidFull = false;
  std::unordered_map<uint64_t, WaveState> m_waves;
  std::unordered_map<uint64_t, GroupState> m_groups;
  std::unordered_map<uint64_t, std::unique_ptr<std::array<Cell, PageDwords>>> m_pages;
  std::unordered_map<uint64_t, RaceClock> m_atomics; ///< By address.
  std::set<std::tuple<SanitizerRule, const MicroOp *, const MicroOp *>> m_known;
  std::vector<Finding> m_reports;
};

} // namespace assay::gcn

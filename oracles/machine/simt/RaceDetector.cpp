// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/RaceDetector.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// True if what the wave did at \p stamp happened before.
bool RaceClock::covers(uint64_t wave, uint64_t stamp) const {
  if (stamp < m_floor)
    return true;
  auto found = m_stamps.find(wave);
  return found != m_stamps.end() && stamp < found->second;
}

/// A stamp never goes back.
void RaceClock::set(uint64_t wave, uint64_t stamp) {
  uint64_t &mine = m_stamps[wave];
  mine = std::max(mine, stamp);
}

void RaceClock::join(const RaceClock &other) {
  m_floor = std::max(m_floor, other.m_floor);
  for (auto [wave, stamp] : other.m_stamps)
    set(wave, stamp);
}

/// Everything before \p stamp happened before, whatever the wave.
void RaceClock::setFloor(uint64_t stamp) {
  m_floor = stamp;
  m_stamps.clear();
}

/// Returns the stamps of the waves [first, first + count), without the floor.
RaceClock RaceClock::ofWaves(uint64_t first, uint64_t count) const {
  RaceClock result;
  result.m_stamps.insert(m_stamps.lower_bound(first), m_stamps.lower_bound(first + count));
  return result;
}

void RaceDetector::add(const RaceEvent &event) {
  ++m_now;
  switch (event.kind) {
  case RaceEventKind::Atomic:
    addAtomic(event);
    if (event.space == MemorySpace::Chip)
      return;
    [[fallthrough]];
  case RaceEventKind::Read:
  case RaceEventKind::Write:
    return addAccess(event);
  case RaceEventKind::Signal:
    return signal(event);
  case RaceEventKind::Pass:
    return pass(event);
  case RaceEventKind::Refresh: {
    WaveState &wave = m_waves[event.wave];
    if (m_isOnTwoUnits)
      wave.fresh = wave.clock;
    return;
  }
  case RaceEventKind::Acquire:
  case RaceEventKind::Observe: {
    WaveState &wave = m_waves[event.wave];
    auto found = wave.atomics.find(event.number);
    if (found == wave.atomics.end())
      return;
    bool isAcquire = event.kind == RaceEventKind::Acquire;
    (isAcquire ? wave.clock : wave.observed).join(found->second);
    if (isAcquire)
      wave.atomics.erase(found);
    return;
  }
  case RaceEventKind::Leave:
    return leave(event.wave / m_wavesPerGroup);
  }
}

/// The barrier collects what the wave's clock covers and the wave's accesses so far.
void RaceDetector::signal(const RaceEvent &event) {
  GroupState &group = groupOf(event);
  const WaveState &wave = m_waves[event.wave];
  RaceClock &barrier = group.barriers[event.number];
  barrier.join(wave.clock);
  barrier.set(event.wave, m_now);
  group.observed[event.number].join(wave.observed);
}

/// The wave learns what all waves had done when they arrived at the barrier.
void RaceDetector::pass(const RaceEvent &event) {
  GroupState &group = groupOf(event);
  WaveState &wave = m_waves[event.wave];
  wave.clock.join(group.barriers[event.number]);
  wave.observed.join(group.observed[event.number]);
  // Whoever passes this one has passed all before it.
  for (std::map<uint32_t, RaceClock> *each : {&group.barriers, &group.observed})
    each->erase(each->begin(), each->lower_bound(event.number));
}

/// Forgets the state of a workgroup and of its waves. Their accesses stay in the cells.
void RaceDetector::leave(uint64_t group) {
  m_groups.erase(group);
  for (uint64_t wave = group * m_wavesPerGroup; wave < (group + 1) * m_wavesPerGroup; ++wave)
    m_waves.erase(wave);
}

/// When \p wave made its access numbered \p number, or the first one after it; now if it has made
/// none yet.
uint64_t RaceDetector::stampOf(const WaveState &wave, uint32_t number) const {
  auto found = partition_point(wave.issued, [&](const auto &each) { return each.first < number; });
  return found == wave.issued.end() ? m_now : found->second;
}

/// Orders the wave after those that came to the place earlier, and leaves there what the wave has
/// released. Between workgroups this counts only from an Acquire or Observe event on.
void RaceDetector::addAtomic(const RaceEvent &event) {
  WaveState &wave = m_waves[event.wave];
  bool isLds = event.space == MemorySpace::Workgroup;
  RaceClock &place = isLds ? groupOf(event).ldsAtomics[event.address] : m_atomics[event.address];
  uint64_t first = event.wave / m_wavesPerGroup * m_wavesPerGroup;
  wave.clock.join(isLds ? place : place.ofWaves(first, m_wavesPerGroup));
  if (!isLds)
    wave.atomics[event.number].join(place);
  if (wave.atomics.size() > KeptNumbers) // Never acquired.
    wave.atomics.erase(wave.atomics.begin());
  place.join(wave.clock);
  place.join(wave.observed);
  place.set(event.wave, stampOf(wave, event.released));
  if (place.size() > MaxClock)
    place.setFloor(m_now);
}

/// Enters the access into the cell of each dword that it touches, and checks it against the
/// accesses there.
void RaceDetector::addAccess(const RaceEvent &event) {
  auto &issued = m_waves[event.wave].issued;
  if (issued.empty() || issued.back().first != event.number)
    issued.push_back({event.number, m_now});
  if (issued.size() > 2 * KeptNumbers)
    issued.erase(issued.begin(), issued.begin() + ptrdiff_t(KeptNumbers));
  uint64_t end = event.address + event.bytes;
  for (uint64_t dword = event.address / 4; dword * 4 < end; ++dword) {
    Cell *cell = findCell(event, dword);
    if (!cell)
      continue;
    Access access{m_now, event.wave,    event.instruction,     event.kind,
                  0,     event.changes, event.isCompareAndSwap};
    for (unsigned i = 0; i < 4; ++i)
      if (dword * 4 + i >= event.address && dword * 4 + i < end)
        access.bytes |= uint8_t(1u << i);
    touch(*cell, access, event, dword);
  }
}

/// The cell of a dword. Null once MaxPages pages are in use: the access is then not watched.
RaceDetector::Cell *RaceDetector::findCell(const RaceEvent &event, uint64_t dword) {
  if (event.space == MemorySpace::Workgroup) {
    std::vector<Cell> &lds = groupOf(event).lds;
    if (dword >= lds.size())
      lds.resize(dword + 1);
    return &lds[dword];
  }
  auto found = m_pages.find(dword / PageDwords);
  if (found != m_pages.end())
    return &(*found->second)[dword % PageDwords];
  if (m_pages.size() >= MaxPages) {
    m_isFull = true;
    return nullptr;
  }
  auto &page = m_pages[dword / PageDwords];
  page = std::make_unique<std::array<Cell, PageDwords>>();
  return &(*page)[dword % PageDwords];
}

/// Accesses of one wave are ordered. Coherent reads may also use what the wave has observed without
/// an invalidation.
bool RaceDetector::isOrdered(const Access &earlier, const RaceEvent &event) {
  if (earlier.wave == event.wave)
    return true;
  const WaveState &wave = m_waves[event.wave];
  return wave.clock.covers(earlier.wave, earlier.stamp) ||
         (event.isCoherent && wave.observed.covers(earlier.wave, earlier.stamp));
}

/// Two atomics do not race, nor do two that read, one of them atomically. Nor does a load with a
/// compare-and-swap: that is how loops get their first guess of what is there (LLVM's AtomicExpand
/// loads it plainly), and the swap checks it.
bool RaceDetector::areConflicting(const Access &one, const Access &other) {
  bool hasRead = one.kind == RaceEventKind::Read || other.kind == RaceEventKind::Read;
  if (one.kind == other.kind)
    return one.kind == RaceEventKind::Write;
  bool changes = one.kind == RaceEventKind::Read ? other.changes : one.changes;
  return !hasRead || (changes && !one.isCompareAndSwap && !other.isCompareAndSwap);
}

/// Of two accesses that are ordered. Stores and atomics go through to the cache that all share.
bool RaceDetector::mayBeStale(const Access &earlier, const Access &access, const RaceEvent &event) {
  return m_isOnTwoUnits && event.space == MemorySpace::Global &&
         access.kind == RaceEventKind::Read && !event.isFresh &&
         earlier.kind != RaceEventKind::Read && earlier.changes && earlier.wave != event.wave &&
         earlier.wave / m_wavesPerGroup == event.wave / m_wavesPerGroup &&
         !m_waves[event.wave].fresh.covers(earlier.wave, earlier.stamp);
}

/// Reports conflicts of \p access with the accesses in \p cell and stores it there. It replaces
/// accesses that it makes redundant, then the oldest.
void RaceDetector::touch(Cell &cell, const Access &access, const RaceEvent &event, uint64_t dword) {
  Access *place = nullptr;
  for (Access &earlier : cell) {
    if (earlier.instruction == RaceEvent::NoInstruction) {
      place = &earlier;
      continue;
    }
    bool isOrderedBefore = isOrdered(earlier, event);
    if (earlier.bytes & access.bytes) {
      bool isLds = event.space == MemorySpace::Workgroup;
      if (!isOrderedBefore && areConflicting(earlier, access))
        report(isLds ? Rule::RaceLds : Rule::RaceGlobal, earlier, access, dword * 4);
      if (isOrderedBefore && mayBeStale(earlier, access, event))
        report(Rule::RaceStale, earlier, access, dword * 4);
    }
    // Whatever races with the earlier one then races with this one, too.
    bool isStronger = access.kind == earlier.kind || access.kind == RaceEventKind::Write;
    if (isOrderedBefore && isStronger && (earlier.bytes & ~access.bytes) == 0) {
      earlier.instruction = RaceEvent::NoInstruction;
      place = &earlier;
    }
  }
  if (!place)
    place = std::min_element(cell.begin(), cell.end(),
                             [](const Access &a, const Access &b) { return a.stamp < b.stamp; });
  *place = access;
}

/// \p wave is numbered in the dispatch.
static std::string describeWave(uint64_t wave, unsigned wavesPerGroup) {
  return "wave " + utostr(wave % wavesPerGroup) + " of workgroup " + utostr(wave / wavesPerGroup);
}

static StringRef verbOf(RaceEventKind kind) {
  return kind == RaceEventKind::Read    ? "reads"
         : kind == RaceEventKind::Write ? "writes"
                                        : "changes atomically";
}

/// Reports a pair of instructions once per rule and dispatch.
void RaceDetector::report(Rule rule, const Access &earlier, const Access &later, uint64_t address) {
  auto [first, second] = std::minmax(earlier.instruction, later.instruction);
  if (!m_known.insert({rule, first, second}).second)
    return;
  const InstructionText inst = m_options.describe(later.instruction);
  const InstructionText other = m_options.describe(earlier.instruction);
  std::string where = "pc 0x" + utohexstr(inst.pc, /*LowerCase=*/true);
  std::string otherWhere = "0x" + utohexstr(other.pc, /*LowerCase=*/true);
  std::string place = rule == Rule::RaceLds
                          ? m_options.workgroupMemory + (" byte " + utostr(address))
                          : "address 0x" + utohexstr(address, /*LowerCase=*/true);
  StringRef why = rule == Rule::RaceStale
                      ? "; the cache of its compute unit may hold what was there before "
                      : "; nothing orders this and that ";
  Finding finding;
  finding.rule = ruleId(rule);
  finding.message =
      (describeWave(later.wave, m_wavesPerGroup) + " " + verbOf(later.kind) + " " + place + " at " +
       where + ": " + inst.text + why + describeWave(earlier.wave, m_wavesPerGroup) + " " +
       verbOf(earlier.kind) + " it at pc " + otherWhere + ": " + other.text)
          .str();
  finding.location = where;
  finding.signature = (finding.rule + ":" + inst.mnemonic + ":" + other.mnemonic).str();
  finding.evidence = {{"wave", utostr(later.wave % m_wavesPerGroup)},
                      {"instruction", inst.text.str()},
                      {"producer", other.text.str()},
                      {"producer pc", otherWhere},
                      {"subject", place}};
  m_reports.push_back(std::move(finding));
}

/// Returns the races since the last call. Says once if memory was left out for the limit.
std::vector<Finding> RaceDetector::takeReports() {
  if (m_isFull && !m_saidFull) {
    m_saidFull = true;
    Finding finding;
    finding.rule = ruleId(Rule::RaceLimit);
    finding.severity = Severity::Note;
    finding.message = "races are looked for in the first " +
                      utostr(MaxPages * PageDwords * 4 >> 20) + " MiB that the code used only";
    finding.signature = finding.rule;
    m_reports.push_back(std::move(finding));
  }
  return std::exchange(m_reports, {});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/FindDivergence.h"

#include "oracles/fat_pointer/CompareEvents.h"
#include "oracles/fat_pointer/Signature.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace llvm;
using namespace assay;
using ir::ExecutionLog;
using ir::LogStep;

std::string assay::describeDivergence(const Divergence &divergence) {
  static constexpr StringLiteral names[] = {"value", "part", "stop",   "stored", "address",
                                            "width", "lost", "access", "order"};
  StringRef name = names[static_cast<size_t>(divergence.kind)];
  return (name + (divergence.isExchange ? " by exchange" : "")).str();
}

namespace {

/// With its place in the log before.
struct Candidate {
  size_t place;
  Divergence what;
};

/// One instruction of one thread.
using Site = std::pair<uint64_t, uint32_t>;
/// The thread and the number of the probed instruction.
Site siteOf(const LogStep &step) {
  return {step.thread, step.number};
}

/// A byte that gets another value.
struct Change {
  int16_t value;
  uint32_t number;
  size_t place; ///< In its log.
};
/// What a run did to memory.
struct Changes {
  std::map<std::pair<uint64_t, uint64_t>, SmallVector<Change, 2>> bytes; ///< By thread, address.
  DenseMap<uint64_t, int16_t> memory; ///< What bytes hold in the end, those that were written.
};

/// Compares two logs in stages: probes, then memory, then events. It keeps the earliest difference
/// by the log before.
class DivergenceSearch {
public:
  DivergenceSearch(const ExecutionLog &before, const ExecutionLog &after,
                   ArrayRef<ProbedInstruction> probed)
      : m_before(before), m_after(after), m_probed(probed) {}
  /// Returns the first difference; nothing if there is none or if no probed instruction belongs to
  /// it.
  std::optional<Divergence> run();

private:
  void compareProbes();
  void compareThread(ArrayRef<size_t> old, ArrayRef<size_t> now);
  void compareWrites();
  void compareEventsBySite();
  void compareBytes(std::pair<uint64_t, uint64_t> byte, ArrayRef<Change> old, ArrayRef<Change> now);
  std::optional<size_t> compareValues(const LogStep &old, const LogStep &now) const;
  bool isSame(const LogStep &old, const LogStep &now) const;
  bool readsInPieces(Site site) const;
  /// Where \p site is first in the log before; its end for a site that is only in the log after.
  size_t placeOf(Site site) const;
  DivergenceKind judgeExtra(Site site, uint64_t address) const;
  /// Keeps a difference if it is earlier than the one that is known.
  void offer(size_t place, uint32_t number, DivergenceKind kind);

  const ExecutionLog &m_before, &m_after;
  const ArrayRef<ProbedInstruction> m_probed;
  DenseMap<Site, size_t> m_places; ///< Of a site's first step before.
  std::optional<Candidate> m_first;
};

} // namespace

void DivergenceSearch::offer(size_t place, uint32_t number, DivergenceKind kind) {
  if (!m_first || place < m_first->place)
    m_first = {place, {number, kind, false}};
}

size_t DivergenceSearch::placeOf(Site site) const {
  auto found = m_places.find(site);
  return found == m_places.end() ? m_before.steps().size() : found->second;
}

/// How many scalars of \p old, a value, \p now has, from the first on; nothing where it has all.
/// What has become another type is not compared.
std::optional<size_t> DivergenceSearch::compareValues(const LogStep &old,
                                                      const LogStep &now) const {
  const auto &value = std::get<ir::Value>(old.what), &actual = std::get<ir::Value>(now.what);
  ir::Value expected =
      actual.size() == value.size() ? value : lowerValue(m_probed[old.number].type, value);
  if (expected.size() != actual.size())
    return std::nullopt;
  for (auto [index, one, other] : enumerate(expected, actual))
    if (one.bits.getBitWidth() == other.bits.getBitWidth() && !ir::isRefined(one, other))
      return index;
  return std::nullopt;
}

static bool isMark(const LogStep &step) {
  return std::holds_alternative<ir::Mark>(step.what);
}

static bool isEnd(const LogStep &step) {
  return std::holds_alternative<ir::End>(step.what);
}

static bool isValue(const LogStep &step) {
  return std::holds_alternative<ir::Value>(step.what);
}

/// The places of the probes of each thread in a log, and where it ends.
using ProbePlaces = MapVector<uint64_t, std::vector<size_t>>;

/// Threads are in the order of their first probes.
static ProbePlaces collectProbes(const ExecutionLog &log) {
  ProbePlaces probes;
  for (auto [place, step] : enumerate(log.steps()))
    if (isMark(step) || isEnd(step) || isValue(step))
      probes[step.thread].push_back(place);
  return probes;
}

/// Probes of one value or mark.
bool DivergenceSearch::isSame(const LogStep &old, const LogStep &now) const {
  return old.number == now.number && old.what.index() == now.what.index() &&
         (!isValue(old) || !compareValues(old, now));
}

/// \p old and \p now: the places of one thread's probes, which must be the same and see the same.
void DivergenceSearch::compareThread(ArrayRef<size_t> old, ArrayRef<size_t> now) {
  auto stepOf = [](const ExecutionLog &log, ArrayRef<size_t> places, size_t i) {
    return i < places.size() ? &log.steps()[places[i]] : nullptr;
  };
  size_t same = 0;
  while (same < std::min(old.size(), now.size()) &&
         isSame(*stepOf(m_before, old, same), *stepOf(m_after, now, same)))
    ++same;
  const LogStep *expected = stepOf(m_before, old, same), *actual = stepOf(m_after, now, same);
  if (!expected && (!actual || !isEnd(*actual)))
    return;
  // What is missing may have been cut off.
  if ((!expected && m_before.isCut()) || (!actual && m_after.isCut()))
    return;
  if (expected && actual && expected->number == actual->number && isValue(*expected) &&
      isValue(*actual)) {
    bool isPart =
        std::get<ir::Value>(expected->what).size() > 1 && *compareValues(*expected, *actual) > 0;
    return offer(old[same], expected->number,
                 isPart ? DivergenceKind::Part : DivergenceKind::Value);
  }
  // What a thread does not come through lies after its last mark.
  if (const LogStep *last = same > 0 ? stepOf(m_before, old, same - 1) : nullptr;
      last && isMark(*last))
    expected = last;
  if (!expected)
    return;
  // What leaves its buffer now accesses more than it did, or its later pieces are elsewhere.
  bool isWider = m_after.end() == ir::RunState::PartialBounds && m_before.end() != m_after.end();
  offer(static_cast<size_t>(expected - m_before.steps().begin()), expected->number,
        !isWider                           ? DivergenceKind::Stop
        : readsInPieces(siteOf(*expected)) ? DivergenceKind::Part
                                           : DivergenceKind::Width);
}

/// Whether what \p site reads at once before the pass is read piece by piece after it, the first
/// from where it should be.
bool DivergenceSearch::readsInPieces(Site site) const {
  auto findRead = [&](const ExecutionLog &log) {
    for (const LogStep &step : log.steps())
      if (const auto *read = std::get_if<ir::Read>(&step.what); read && siteOf(step) == site)
        return read;
    return static_cast<const ir::Read *>(nullptr);
  };
  const ir::Read *whole = findRead(m_before), *piece = findRead(m_after);
  return whole && piece && whole->address == piece->address && piece->bytes < whole->bytes;
}

/// Compares the threads that are in the log before. Further threads after the pass are ignored.
void DivergenceSearch::compareProbes() {
  ProbePlaces old = collectProbes(m_before), now = collectProbes(m_after);
  for (const auto &[thread, places] : old)
    compareThread(places, now[thread]);
}

/// Collects the bytes that get another value than they had. Writes of the same value are no change.
static Changes collectChanges(const ExecutionLog &log) {
  Changes changes;
  for (auto [place, step] : enumerate(log.steps())) {
    const auto *write = std::get_if<ir::Write>(&step.what);
    if (!write)
      continue;
    for (auto [offset, value] : enumerate(write->bytes)) {
      uint64_t address = write->address + offset;
      auto [current, isNew] = changes.memory.try_emplace(address, 0);
      std::optional<uint8_t> initial = isNew ? log.initialByte(address) : std::nullopt;
      bool isOld = isNew ? initial && *initial == value : current->second == value;
      current->second = value;
      if (!isOld)
        changes.bytes[{step.thread, address}].push_back({value, step.number, place});
    }
  }
  return changes;
}

/// What it means that \p site writes to \p address after the pass, and does not before.
DivergenceKind DivergenceSearch::judgeExtra(Site site, uint64_t address) const {
  auto holds = [&](const ExecutionLog &log, auto isWanted) {
    return any_of(log.steps(), [&](const LogStep &step) {
      const auto *write = std::get_if<ir::Write>(&step.what);
      return write && siteOf(step) == site && isWanted(*write);
    });
  };
  auto overlaps = [](const ir::Write &write, uint64_t begin, uint64_t end) {
    return write.address < end && begin < write.address + write.bytes.size();
  };
  auto hasByte = [&](const ir::Write &write) { return overlaps(write, address, address + 1); };
  if (holds(m_before, hasByte))
    return DivergenceKind::Stored;
  // One instruction that does what it should, and more.
  bool isWider = holds(m_after, [&](const ir::Write &now) {
    return hasByte(now) && holds(m_before, [&](const ir::Write &old) {
             return overlaps(old, now.address, now.address + now.bytes.size());
           });
  });
  return isWider ? DivergenceKind::Width : DivergenceKind::Address;
}

/// Compares the values that one thread gives a byte, in order, and offers the first difference.
void DivergenceSearch::compareBytes(std::pair<uint64_t, uint64_t> byte, ArrayRef<Change> old,
                                    ArrayRef<Change> now) {
  for (size_t i = 0; i < std::max(old.size(), now.size()); ++i) {
    if (i >= old.size()) {
      Site site = {byte.first, now[i].number};
      return offer(placeOf(site), site.second, judgeExtra(site, byte.second));
    }
    if (i < now.size() && old[i].value == now[i].value)
      continue;
    bool isThere = i < now.size() && old[i].number == now[i].number;
    return offer(old[i].place, old[i].number,
                 isThere ? DivergenceKind::Stored : DivergenceKind::Lost);
  }
}

/// Whether the byte at \p address holds something else in the end. Poison may be anything.
static bool differsAtEnd(const Changes &old, const Changes &now, const ExecutionLog &log,
                         uint64_t address) {
  auto valueOf = [&](const Changes &changes) -> std::optional<int16_t> {
    if (auto found = changes.memory.find(address); found != changes.memory.end())
      return found->second;
    return log.initialByte(address);
  };
  std::optional<int16_t> expected = valueOf(old);
  return !(expected && *expected < 0) && expected != valueOf(now);
}

/// By bytes, and what they hold in the end: an access may be split, merged, and moved past others;
/// those of several threads may become one; what is overwritten may go.
void DivergenceSearch::compareWrites() {
  Changes old = collectChanges(m_before), now = collectChanges(m_after);
  std::set<std::pair<uint64_t, uint64_t>> bytes, lasting;
  for (const Changes *changes : {&old, &now})
    for (const auto &[byte, values] : changes->bytes)
      (differsAtEnd(old, now, m_before, byte.second) ? lasting : bytes).insert(byte);
  for (const auto &byte : lasting)
    compareBytes(byte, old.bytes[byte], now.bytes[byte]);
  // Something is wrong: it may begin with what was read before it was overwritten.
  auto isPoison = [](const Change &change) { return change.value < 0; };
  for (const auto &byte : bytes)
    if (m_first && none_of(old.bytes[byte], isPoison))
      compareBytes(byte, old.bytes[byte], now.bytes[byte]);
  if (!m_first || m_first->what.kind != DivergenceKind::Lost)
    return;
  // Not lost, but elsewhere.
  Site site = siteOf(m_before.steps()[m_first->place]);
  auto isOfSite = [&](const Change &change) { return change.number == site.second; };
  for (const auto &[byte, values] : now.bytes)
    if (byte.first == site.first && any_of(values, isOfSite) && none_of(old.bytes[byte], isOfSite))
      m_first->what.kind = judgeExtra(site, byte.second);
}

/// Returns the events without fences, and with the weakest ordering for atomic accesses.
static std::vector<ir::Event> withoutOrder(ArrayRef<ir::Event> events) {
  std::vector<ir::Event> accesses;
  for (ir::Event event : events) {
    if (event.kind == ir::Event::Kind::Fence)
      continue;
    if (event.ordering != AtomicOrdering::NotAtomic)
      event.ordering = AtomicOrdering::Monotonic;
    accesses.push_back(std::move(event));
  }
  return accesses;
}

/// Others see the same of each instruction.
void DivergenceSearch::compareEventsBySite() {
  using EventsBySite = MapVector<Site, std::vector<ir::Event>>;
  auto collect = [](const ExecutionLog &log) {
    EventsBySite events;
    for (const LogStep &step : log.steps())
      if (const auto *event = std::get_if<ir::Event>(&step.what))
        events[siteOf(step)].push_back(*event);
    return events;
  };
  EventsBySite old = collect(m_before), now = collect(m_after);
  for (const auto &[site, events] : now)
    old.insert({site, {}});
  for (const auto &[site, events] : old)
    if (!compareEvents(events, now[site]).empty())
      offer(placeOf(site), site.second,
            compareEvents(withoutOrder(events), withoutOrder(now[site])).empty()
                ? DivergenceKind::Order
                : DivergenceKind::Access);
}

std::optional<Divergence> DivergenceSearch::run() {
  bool isCut = m_before.isCut() || m_after.isCut();
  for (auto [place, step] : enumerate(m_before.steps()))
    m_places.try_emplace(siteOf(step), place);
  compareProbes();
  if (!isCut)
    compareWrites();
  if (!isCut && !m_first)
    compareEventsBySite();
  if (!m_first || m_first->what.number >= m_probed.size())
    return std::nullopt;
  m_first->what.isExchange = any_of(m_after.steps(), [&](const LogStep &step) {
    const auto *event = std::get_if<ir::Event>(&step.what);
    return event && event->isExchange && step.number == m_first->what.number;
  });
  return m_first->what;
}

std::optional<Divergence> assay::findDivergence(const ExecutionLog &before,
                                                const ExecutionLog &after,
                                                ArrayRef<ProbedInstruction> probed) {
  return DivergenceSearch(before, after, probed).run();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/waits/MemoryOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::waits;

MemoryOrder::MemoryOrder(const WaitTruth &truth, ArrayRef<gcn::Inst> insts, unsigned major,
                         const ObservedPaths &run,
                         function_ref<std::optional<uint32_t>(uint64_t pc)> indexOf)
    : m_truth(truth), m_insts(insts), m_major(major) {
  std::map<std::pair<uint32_t, std::string>, uint32_t> groups;
  for (const ObservedWave &wave : run.waves()) {
    auto [it, isNew] = groups.try_emplace({wave.dispatch, wave.group}, uint32_t(groups.size()));
    m_groups.push_back(it->second);
    m_dispatches.push_back(wave.dispatch);
  }
  for (const ObservedEvent &event : run.events()) {
    if (std::optional<uint32_t> index = indexOf(event.pc))
      m_steps.push_back({event.wave, *index, event.accesses});
    for (const ObservedAccess &access : event.accesses)
      if ((access.address | access.bytes) % 4)
        m_granule = 1;
  }
}

namespace assay::waits {

/// One walk through the steps.
class OrderWalk {
public:
  OrderWalk(const MemoryOrder &order, const Mutation *mutation)
      : m_order(order), m_facts(order.m_truth.facts()), m_mutation(mutation),
        m_waves(order.m_groups.size()) {}
  /// To be called once.
  Uncovered run();

private:
  /// By wave, the step that has been seen: what was complete then is ordered.
  using Clock = std::map<uint32_t, uint64_t>;
  static constexpr uint64_t Never = ~uint64_t(0);

  /// An instruction that a wave executed.
  struct Use {
    uint32_t wave = 0;
    uint32_t index = 0;
    uint64_t completedAt = Never; ///< Step of its wave.
    Clock seen;                   ///< What its result tells once it is there.
  };
  /// An event that a counter has not counted down yet.
  struct InFlight {
    size_t use = 0;
    Counter counter = Counter::Load;
    Stream stream = Stream::Any;
  };
  /// What is known of one wave at its present step.
  struct WaveState {
    uint64_t step = 0;
    std::vector<InFlight> inFlight;
    Clock clock;
    unsigned arrived = 0; ///< Barriers: signaled,
    unsigned waited = 0;  ///< waited for,
    unsigned passed = 0;  ///< and over for whatever comes next.
  };
  /// The last accesses to one place of memory.
  struct Cell {
    std::optional<size_t> writer; ///< A use; so are readers, one for each wave.
    bool isAtomic = false;        ///< The writer.
    SmallVector<size_t, 2> readers;
  };
  using Place = std::pair<uint64_t, uint64_t>; ///< 0 or the workgroup + 1 of LDS; the address.

  /// Waits, barriers, accesses and new events of one instruction, in this order.
  void step(const MemoryOrder::Step &step);
  /// Waits as the instruction says, or as the mutation does.
  void waitFor(const MemoryOrder::Step &step);
  /// Completes the events of \p counter that are not among the newest \p limit of their stream.
  void wait(uint32_t wave, Counter counter, uint8_t limit);
  void passBarrier(uint32_t wave);
  /// Compares and notes the access in each granule that it touches.
  void access(const MemoryOrder::Step &step, size_t use, const ObservedAccess &access);
  /// Compares a write with the last writer and all readers, a read with the last writer.
  void accessCell(size_t use, const ObservedAccess &access, Cell &cell);
  void compare(size_t later, size_t earlier);
  void synchronize(const MemoryOrder::Step &step, size_t use, const ObservedAccess &access,
                   Place place);
  Clock clockOf(uint32_t wave) const;
  /// Takes the later step of each wave.
  static void join(Clock &clock, const Clock &other) {
    for (auto [wave, step] : other)
      clock[wave] = std::max(clock[wave], step);
  }

  const MemoryOrder &m_order;
  ArrayRef<Facts> m_facts;
  const Mutation *m_mutation;
  std::vector<WaveState> m_waves;
  std::vector<Use> m_uses;
  std::map<Place, Cell> m_cells;
  std::map<Place, Clock> m_places;
  std::map<std::pair<uint32_t, unsigned>, Clock> m_barriers; ///< By workgroup and number.
  Uncovered m_unordered;
};

} // namespace assay::waits

/// What \p wave has seen, itself included.
OrderWalk::Clock OrderWalk::clockOf(uint32_t wave) const {
  Clock clock = m_waves[wave].clock;
  clock[wave] = m_waves[wave].step;
  return clock;
}

void OrderWalk::wait(uint32_t wave, Counter counter, uint8_t limit) {
  WaveState &state = m_waves[wave];
  std::map<Stream, unsigned> newer;
  for (size_t at = state.inFlight.size(); at-- > 0;) {
    const InFlight &each = state.inFlight[at];
    if (each.counter != counter)
      continue;
    unsigned age = ++newer[each.stream];
    if (each.stream == Stream::Any ? limit != 0 : age <= limit)
      continue;
    size_t use = each.use;
    state.inFlight.erase(state.inFlight.begin() + ptrdiff_t(at));
    if (any_of(state.inFlight, [&](const InFlight &other) { return other.use == use; }))
      continue; // FLAT, by its other counter.
    m_uses[use].completedAt = state.step;
    join(state.clock, m_uses[use].seen);
  }
}

void OrderWalk::waitFor(const MemoryOrder::Step &step) {
  for (unsigned number = 0; number < CounterCount; ++number) {
    uint8_t limit = m_facts[step.index].limits[number];
    if (m_mutation && m_mutation->inst == step.index && m_mutation->counter == Counter(number))
      limit = m_mutation->newLimit;
    if (limit != NoLimit)
      wait(step.wave, Counter(number), limit);
  }
}

/// A wave that does something after a barrier knows what the others knew there.
void OrderWalk::passBarrier(uint32_t wave) {
  WaveState &state = m_waves[wave];
  while (state.passed < state.waited)
    join(state.clock, m_barriers[{m_order.m_groups[wave], state.passed++}]);
}

/// \p later comes after \p earlier only if that was complete when its wave was last heard of.
void OrderWalk::compare(size_t later, size_t earlier) {
  const Use &now = m_uses[later];
  const Use &before = m_uses[earlier];
  if (now.wave == before.wave ||
      m_order.m_dispatches[now.wave] != m_order.m_dispatches[before.wave])
    return;
  const Clock &clock = m_waves[now.wave].clock;
  auto found = clock.find(before.wave);
  if (found == clock.end() || before.completedAt > found->second)
    m_unordered.insert({now.index, before.index});
}

void OrderWalk::accessCell(size_t use, const ObservedAccess &access, Cell &cell) {
  bool isAtomic = access.kind == ObservedAccess::Kind::Atomic;
  if (cell.writer && !(isAtomic && cell.isAtomic))
    compare(use, *cell.writer);
  if (access.kind == ObservedAccess::Kind::Read) {
    erase_if(cell.readers, [&](size_t each) { return m_uses[each].wave == m_uses[use].wave; });
    cell.readers.push_back(use);
    return;
  }
  for (size_t reader : cell.readers)
    compare(use, reader);
  cell.readers.clear();
  cell.writer = use;
  cell.isAtomic = isAtomic;
}

/// What orders by a place: atomics, and accesses that pass caches by.
void OrderWalk::synchronize(const MemoryOrder::Step &step, size_t use, const ObservedAccess &access,
                            Place place) {
  if (!m_facts[step.index].isOrdering)
    return;
  if (auto found = m_places.find(place);
      found != m_places.end() && access.kind != ObservedAccess::Kind::Write)
    join(m_uses[use].seen, found->second);
  if (access.kind != ObservedAccess::Kind::Read)
    join(m_places[place], clockOf(step.wave));
}

void OrderWalk::access(const MemoryOrder::Step &step, size_t use, const ObservedAccess &access) {
  uint64_t space = access.isLds ? m_order.m_groups[step.wave] + 1 : 0;
  unsigned granule = m_order.m_granule;
  for (uint64_t at = access.address / granule; at <= (access.address + access.bytes - 1) / granule;
       ++at) {
    accessCell(use, access, m_cells[{space, at}]);
    synchronize(step, use, access, {space, at});
  }
}

void OrderWalk::step(const MemoryOrder::Step &step) {
  WaveState &state = m_waves[step.wave];
  const Facts &facts = m_facts[step.index];
  ++state.step;
  StringRef name = m_order.m_insts[step.index].mnemonic;
  passBarrier(step.wave);
  waitFor(step);
  if (name == "s_barrier" || name.starts_with("s_barrier_signal"))
    join(m_barriers[{m_order.m_groups[step.wave], state.arrived++}], clockOf(step.wave));
  if (name == "s_barrier" || name == "s_barrier_wait")
    state.waited = state.arrived; // All have arrived before anybody does anything more.
  if (facts.ordersStores)
    for (const InFlight &each : state.inFlight)
      if (each.stream == Stream::Stores)
        m_unordered.insert({step.index, m_uses[each.use].index});
  if (facts.raises.empty())
    return;
  size_t use = m_uses.size();
  m_uses.push_back({step.wave, step.index, Never, {}});
  for (const ObservedAccess &access : step.accesses)
    this->access(step, use, access);
  for (Counter counter : facts.raises) {
    state.inFlight.push_back({use, counter, facts.stream});
    wait(step.wave, counter, uint8_t(maxOf(counter, m_order.m_major)));
  }
}

Uncovered OrderWalk::run() {
  for (const MemoryOrder::Step &each : m_order.m_steps)
    step(each);
  return std::move(m_unordered);
}

Uncovered MemoryOrder::unordered(const Mutation *mutation) const {
  return OrderWalk(*this, mutation).run();
}

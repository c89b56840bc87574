// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/waits/WaitTruth.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::waits;

/// Above the largest value of any counter.
static constexpr uint8_t MaxAge = 200;

/// "Vega" ISA 4.4: VM_CNT 6 bits, LGKM_CNT 4, EXP_CNT 3; RDNA: LGKM_CNT and VS_CNT 6; RDNA4: KMCNT
/// 5, BVHCNT 3.
unsigned waits::maxOf(Counter counter, unsigned major) {
  switch (counter) {
  case Counter::Exp:
  case Counter::Bvh:
    return 7;
  case Counter::Lgkm:
    return major == 9 ? 15 : 63;
  case Counter::Km:
    return 31;
  default:
    return 63;
  }
}

bool InFlightState::merge(const InFlightState &other) {
  bool isWorse = false;
  for (auto [age, theirs, lanes] : zip_equal(m_ages, other.m_ages, m_lanes)) {
    if (theirs == 0 || (age != 0 && age <= theirs))
      continue;
    m_count += age == 0;
    age = theirs;
    lanes = ~uint64_t(0); // On all paths, of all lanes.
    isWorse = true;
  }
  return isWorse;
}

WaitTruth::WaitTruth(const gcn::ControlFlowGraph &graph, unsigned major)
    : m_graph(graph), m_major(major), m_facts(readFacts(graph.insts(), major)) {
  for (auto [index, facts] : enumerate(m_facts)) {
    m_firstSlot.push_back(uint32_t(m_slots.size()));
    for (Counter counter : facts.raises)
      m_slots.push_back({uint32_t(index), counter, facts.stream});
  }
}

/// A wait down to \p limit, or NoLimit, ends an event of the stream that is \p age old.
static bool endsWith(Stream stream, uint8_t age, uint8_t limit) {
  return limit != NoLimit && (stream == Stream::Any ? limit == 0 : age > limit);
}

void WaitTruth::wait(Counter counter, uint8_t limit, InFlightState &state) const {
  for (auto [slot, age] : zip_equal(m_slots, state.m_ages)) {
    if (age == 0 || slot.counter != counter)
      continue;
    if (!endsWith(slot.stream, age, limit))
      continue;
    age = 0;
    --state.m_count;
  }
}

void WaitTruth::issue(PathStep step, InFlightState &state) const {
  const Facts &facts = m_facts[step.index];
  for (auto [number, counter] : enumerate(facts.raises)) {
    for (auto [slot, age] : zip_equal(m_slots, state.m_ages)) {
      bool isOlder = age && slot.counter == counter && slot.stream == facts.stream &&
                     facts.stream != Stream::Any;
      if (!isOlder)
        continue;
      age = std::min<uint8_t>(age + 1, MaxAge);
      if (age > maxOf(counter, m_major)) {
        age = 0;
        --state.m_count;
      }
    }
    size_t own = m_firstSlot[step.index] + number;
    bool isNew = state.m_ages[own] == 0;
    state.m_count += isNew;
    state.m_lanes[own] = (isNew ? 0 : state.m_lanes[own]) | step.exec;
    state.m_ages[own] = 1;
  }
}

/// The result in flight comes first when both are of one stream of memory, one counter and one
/// unit.
static bool comesFirst(const Facts &facts, const InFlightState::Slot &slot, const Facts &producer) {
  return slot.stream != Stream::Any && slot.stream != Stream::Messages &&
         facts.stream == slot.stream && facts.unit == producer.unit &&
         is_contained(facts.raises, slot.counter);
}

/// Whether \p facts writes a register that the export has yet to read.
static bool overwritesSource(const Facts &facts, const Facts &exported) {
  return any_of(facts.spans, [&](const Span &span) {
    return span.isWritten && any_of(exported.spans, [&](const Span &source) {
             return source.isVector && source.overlaps(span);
           });
  });
}

/// The lanes whose registers \p facts touches.
static uint64_t lanesTouched(const Facts &facts, uint64_t exec) {
  if (facts.lanes == LanesTouched::All)
    return ~uint64_t(0);
  if (facts.lanes == LanesTouched::First)
    return exec ? exec & -exec : 1; // Lane 0 where none is active (ISA manuals, V_READFIRSTLANE).
  return exec;
}

void WaitTruth::note(PathStep step, const InFlightState &state, Exposure &exposure) const {
  const Facts &facts = m_facts[step.index];
  uint64_t lanes = lanesTouched(facts, step.exec);
  for (auto [slot, age, inLanes] : zip_equal(m_slots, state.m_ages, state.m_lanes)) {
    if (age == 0)
      continue;
    const Facts &producer = m_facts[slot.producer];
    auto isExposed = [&, &slot = slot, &inLanes = inLanes](const Span &span) {
      return span.overlaps(producer.result) && (!span.isVector || (lanes & inLanes)) &&
             !(span.isWritten && comesFirst(facts, slot, producer));
    };
    if (producer.result.count && any_of(facts.spans, isExposed))
      exposure.registers.insert({step.index, slot.producer});
    if (producer.isExport && overwritesSource(facts, producer) && (lanes & inLanes))
      exposure.registers.insert({step.index, slot.producer});
    bool isOrdered = facts.isOrdering || (facts.ordersStores && slot.stream == Stream::Stores);
    if (isOrdered && producer.isMemory)
      exposure.memory.insert({step.index, slot.producer});
  }
}

uint8_t WaitTruth::limitOf(uint32_t index, Counter counter, const Mutation *mutation) const {
  bool isMutated = mutation && mutation->inst == index && mutation->counter == counter;
  return isMutated ? mutation->newLimit : m_facts[index].limits[unsigned(counter)];
}

void WaitTruth::step(PathStep step, const Mutation *mutation, InFlightState &state,
                     Exposure *exposure) const {
  const Facts &facts = m_facts[step.index];
  if (state.m_count && exposure && !facts.waitsFirst)
    note(step, state, *exposure);
  for (unsigned number = 0; state.m_count && number < CounterCount; ++number) {
    uint8_t limit = limitOf(step.index, Counter(number), mutation);
    if (limit != NoLimit)
      wait(Counter(number), limit, state);
  }
  if (state.m_count && exposure && facts.waitsFirst)
    note(step, state, *exposure);
  if (!facts.raises.empty())
    issue(step, state);
}

Exposure WaitTruth::onAllPaths(const Mutation *mutation) const {
  ArrayRef<gcn::Block> blocks = m_graph.blocks();
  std::vector<InFlightState> entry(blocks.size(), InFlightState(m_slots.size()));
  std::vector<uint32_t> order = m_graph.reversePostOrder();
  std::vector<bool> isPending(blocks.size(), true);
  for (bool changes = true; changes;) {
    changes = false;
    for (uint32_t number : order) {
      if (!isPending[number])
        continue;
      isPending[number] = false;
      InFlightState state = entry[number];
      for (uint32_t index = blocks[number].first; index < blocks[number].end; ++index)
        step({index}, mutation, state, nullptr);
      for (uint32_t next : blocks[number].successors)
        if (entry[next].merge(state))
          isPending[next] = changes = true;
    }
  }
  Exposure exposure;
  for (uint32_t number : order) {
    InFlightState state = entry[number];
    for (uint32_t index = blocks[number].first; index < blocks[number].end; ++index)
      step({index}, mutation, state, &exposure);
  }
  return exposure;
}

void WaitTruth::onPath(ArrayRef<PathStep> path, const Mutation *mutation,
                       Exposure &exposure) const {
  InFlightState state(m_slots.size());
  for (const PathStep &each : path)
    step(each, mutation, state, &exposure);
}

/// The age of one slot after instruction \p index, where it was \p age before it.
uint8_t WaitTruth::ageAfter(uint32_t index, size_t slot, const Mutation *mutation,
                            uint8_t age) const {
  const InFlightState::Slot &own = m_slots[slot];
  const Facts &facts = m_facts[index];
  if (endsWith(own.stream, age, limitOf(index, own.counter, mutation)))
    age = 0;
  bool isLater = is_contained(facts.raises, own.counter) && facts.stream == own.stream;
  if (age && isLater && own.stream != Stream::Any)
    age = age < maxOf(own.counter, m_major) ? age + 1 : 0;
  return index == own.producer ? 1 : age;
}

/// Breadth first, over blocks with the age of the slot where they begin.
struct WaitTruth::Search {
  struct Node {
    uint32_t block = 0;
    uint8_t age = 0;
    size_t parent = 0; ///< The first one is its own.
  };

  void add(const Node &node) {
    if (seen.insert({node.block, node.age}).second)
      nodes.push_back(node);
  }
  /// The instructions of the blocks before that of node \p number.
  std::vector<uint32_t> pathTo(size_t number, const gcn::ControlFlowGraph &graph) const {
    std::vector<uint32_t> path;
    for (; nodes[number].parent != number; number = nodes[number].parent) {
      const gcn::Block &block = graph.blocks()[nodes[nodes[number].parent].block];
      for (uint32_t index = block.end; index > block.first; --index)
        path.push_back(index - 1);
    }
    return {path.rbegin(), path.rend()};
  }

  std::vector<Node> nodes;
  std::set<std::pair<uint32_t, uint8_t>> seen;
};

std::vector<uint32_t> WaitTruth::findPathOfSlot(uint32_t access, size_t slot,
                                                const Mutation *mutation) const {
  Search search;
  search.add({m_graph.reversePostOrder().front(), 0, 0});
  for (size_t number = 0; number < search.nodes.size(); ++number) {
    auto [blockNumber, age, parent] = search.nodes[number];
    const gcn::Block &block = m_graph.blocks()[blockNumber];
    for (uint32_t index = block.first; index < block.end; ++index) {
      bool isDone =
          m_facts[index].waitsFirst &&
          endsWith(m_slots[slot].stream, age, limitOf(index, m_slots[slot].counter, mutation));
      if (index == access && age && !isDone) {
        std::vector<uint32_t> path = search.pathTo(number, m_graph);
        for (uint32_t each = block.first; each <= access; ++each)
          path.push_back(each);
        return path;
      }
      age = ageAfter(index, slot, mutation, age);
    }
    for (uint32_t next : block.successors)
      search.add({next, age, number});
  }
  return {};
}

std::vector<uint32_t> WaitTruth::findPath(uint32_t access, uint32_t producer,
                                          const Mutation *mutation) const {
  std::vector<uint32_t> shortest;
  for (size_t number = 0; number < m_facts[producer].raises.size(); ++number) {
    std::vector<uint32_t> path = findPathOfSlot(access, m_firstSlot[producer] + number, mutation);
    if (!path.empty() && (shortest.empty() || path.size() < shortest.size()))
      shortest = std::move(path);
  }
  return shortest;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list scheduler counts values: an instruction that ends more live ranges than it begins goes
// first; while few values are live, the one on the longest path does. Goodman and Hsu, "Code
// scheduling and register allocation in large basic blocks" (ICS 1988).
#include "compiler/ir3/passes/Schedule.h"

#include "compiler/ir3/passes/Waits.h"
#include "support/Ir3Fault.h"
#include "llvm/ADT/DenseMap.h"
#include <climits>

using namespace llvm;

namespace assay::ir3 {

/// Mesa 25.0, ir3.h, soft_ss_delay and soft_sy_delay, for shaders that can run in double waves,
/// whether they do or not.
unsigned softDelay(const Instruction &inst) {
  constexpr unsigned Special = 10, Shared = 6;
  constexpr unsigned Texture[] = {29, 29, 30, 38, 39}; // By components.
  const OpcodeInfo &info = inst.info();
  unsigned components = inst.hasDst() ? inst.dst().size : 0;
  if (info.has(property::ResultSs))
    return Special;
  if (!info.has(property::ResultSy))
    return Shared;
  if (info.category == 5)
    return Texture[std::min(components, 4U)];
  return inst.opcode == Opcode::Ldc ? (21 + 8 * components) / 2 : (172 + components) / 2;
}

/// A result that (ss) waits for.
static bool waitsShort(const Instruction &inst) {
  return inst.info().has(property::ResultSs) || inst.dst().is(registerflag::Shared);
}

/// Meta instructions need none: they become copies or nothing. Without \p soft, waits by a flag
/// count as 0.
unsigned delaySlots(const Compiler &compiler, const Instruction &producer,
                    const Instruction &consumer, unsigned index, bool soft) {
  if (producer.isMeta() || consumer.isMeta() || consumer.opcode == Opcode::End)
    return 0;
  if (waitsShort(producer) || producer.info().has(property::ResultSy))
    return soft ? softDelay(producer) : 0;
  constexpr uint32_t Far = registerflag::Predicate | registerflag::Address | registerflag::Address1;
  if (producer.dst().is(Far) || !consumer.isAlu())
    return compiler.farDelay;
  bool isLate = consumer.info().has(property::LateThird) ||
                (consumer.info().category == 3 && compiler.generation >= 700);
  unsigned slots = isLate && index == 2 ? compiler.thirdDelay : compiler.aluDelay;
  bool half = index + 1 < consumer.registers.size() && consumer.registers[index + 1].isHalf();
  return slots + (half != producer.dst().isHalf() ? compiler.widthDelay : 0);
}

/// Sources in other blocks count as being there at the start.
std::vector<unsigned> computeDepths(const Block &block, const Compiler &compiler, bool soft) {
  std::vector<unsigned> depths;
  DenseMap<const Instruction *, unsigned> known;
  for (const Instruction *inst : block.instructions) {
    unsigned depth = 0;
    for (auto [index, source] : inst->numberedSsaSources()) {
      auto found = known.find(source);
      if (found != known.end())
        depth = std::max(depth, found->second +
                                    delaySlots(compiler, *source, *inst, unsigned(index), soft));
    }
    depth += inst->isMeta() ? 0 : 1;
    known[inst] = depth;
    depths.push_back(depth);
  }
  return depths;
}

namespace {

/// One block. Nodes are the positions of instructions in the block.
class BlockScheduler {
public:
  BlockScheduler(Block &block, const Compiler &compiler, ArrayRef<uint32_t> uses)
      : m_block(block), m_compiler(compiler), m_remaining(uses.begin(), uses.end()) {}
  void run(Schedule schedule);

private:
  struct Edge {
    unsigned to, slots; ///< A node; slots between the two.
    bool isResult;      ///< The node reads the result.
  };
  struct Node {
    Instruction *inst;
    SmallVector<Edge, 4> users;
    SmallVector<unsigned, 4> sources; ///< Nodes of this block.
    unsigned waiting = 0;             ///< Sources that are not scheduled.
    int ready = 0;                    ///< The first slot without a delay.
    unsigned shortWait = 0; ///< What it waits for by (ss), a number of m_short; 0: nothing.
    unsigned longWait = 0;  ///< By (sy), of m_long.
    unsigned height = 0;    ///< Slots to the end of the block.
    bool done = false;
  };

  /// Slots between a result and its use, with estimates for what a flag waits for. Meta
  /// instructions pass on when their sources are there.
  unsigned slotsBetween(const Instruction &producer, const Instruction &consumer,
                        unsigned index) const;
  /// Separates phis and inputs, which stay first, and the terminator; the others become nodes with
  /// edges from their sources in the block.
  void collectNodes();
  /// \p to follows \p from with \p slots in between, if there is no stall.
  void addEdge(unsigned from, unsigned to, unsigned slots, bool isResult);
  /// The first slot in which \p node can begin. Meta instructions take part in nothing.
  int startOf(const Node &node) const;
  void addOrder();
  /// Slots from each node to the end of the block on the longest path.
  void computeHeights();
  /// Schedules one node: appends it, and updates what waits for it, the uses that remain, and the
  /// time.
  void emit(unsigned number);
  void runDeepestFirst();
  /// While few scalars are live, stalls decide, then heights, then pressure; afterwards pressure
  /// comes first.
  void runList();
  int pressureChange(const Instruction &inst) const;
  /// Phis and inputs, which stay at the start of the block.
  static bool isPinned(const Instruction &inst);

  Block &m_block;
  const Compiler &m_compiler;
  std::vector<uint32_t> m_remaining; ///< Uses of each value that are not scheduled, by name.
  std::vector<Node> m_nodes;
  DenseMap<const Instruction *, unsigned> m_numbers;
  std::vector<Instruction *> m_first, m_list; ///< Phis and inputs; the rest.
  std::vector<unsigned> m_ready; ///< Of the list scheduler: nodes that wait for nothing.
  Instruction *m_terminator = nullptr;
  int m_now = 0;
  Outstanding m_short, m_long; ///< Of (ss) and of (sy).
  int m_live = 0;              ///< Scalars, relative to the start of the block.
};

} // namespace

bool BlockScheduler::isPinned(const Instruction &inst) {
  return inst.opcode == Opcode::MetaPhi || inst.opcode == Opcode::MetaInput;
}

void BlockScheduler::addEdge(unsigned from, unsigned to, unsigned slots, bool isResult) {
  m_nodes[from].users.push_back({to, slots, isResult});
  m_nodes[to].sources.push_back(from);
  ++m_nodes[to].waiting;
}

unsigned BlockScheduler::slotsBetween(const Instruction &producer, const Instruction &consumer,
                                      unsigned index) const {
  if (producer.isMeta() || !consumer.isMeta())
    return delaySlots(m_compiler, producer, consumer, index, /*soft=*/true);
  // What reads a group is memory or the texture unit.
  bool isWaitedFor = waitsShort(producer) || producer.info().has(property::ResultSy);
  return isWaitedFor ? softDelay(producer) : m_compiler.farDelay;
}

int BlockScheduler::startOf(const Node &node) const {
  return m_long.startOf(node.longWait, m_short.startOf(node.shortWait, node.ready));
}

void BlockScheduler::collectNodes() {
  for (Instruction *inst : m_block.instructions) {
    if (isPinned(*inst)) {
      m_first.push_back(inst);
    } else if (inst == m_block.terminator()) {
      m_terminator = inst;
    } else {
      m_numbers[inst] = unsigned(m_nodes.size());
      m_nodes.push_back({inst, {}, {}});
    }
  }
  for (unsigned number = 0; number < m_nodes.size(); ++number) {
    Instruction &inst = *m_nodes[number].inst;
    for (auto [index, source] : inst.numberedSsaSources()) {
      auto found = m_numbers.find(source);
      if (found != m_numbers.end())
        addEdge(found->second, number, slotsBetween(*source, inst, unsigned(index)),
                /*isResult=*/true);
    }
  }
  addOrder();
}

/// Instructions whose barrier classes conflict keep their order. Accesses to arrays conflict only
/// when it is the same array.
void BlockScheduler::addOrder() {
  auto arrays = [](const Instruction &inst) {
    SmallVector<unsigned, 2> ids;
    for (const Register &operand : inst.registers)
      if (operand.isArray())
        ids.push_back(operand.arrayId);
    return ids;
  };
  std::vector<unsigned> ordered;
  for (unsigned number = 0; number < m_nodes.size(); ++number) {
    const Instruction &inst = *m_nodes[number].inst;
    bool isEffect = inst.info().has(property::SideEffect);
    BarrierClass mine = inst.barrierClass();
    if (mine.isEmpty() && !isEffect)
      continue;
    for (unsigned earlier : ordered) {
      const Instruction &other = *m_nodes[earlier].inst;
      bool bothEffects = isEffect && other.info().has(property::SideEffect);
      SmallVector<unsigned, 2> here = arrays(inst), there = arrays(other);
      bool bothArrays = !here.empty() && !there.empty();
      bool sameArray = any_of(here, [&](unsigned id) { return is_contained(there, id); });
      bool conflicts = mine.conflictsWith(other.barrierClass()) && (!bothArrays || sameArray);
      if ((bothEffects || conflicts) && !faultPlanted(Ir3Fault::MemoryOrder))
        addEdge(earlier, number, 0, /*isResult=*/false);
    }
    ordered.push_back(number);
  }
}

void BlockScheduler::computeHeights() {
  for (Node &node : reverse(m_nodes)) {
    for (const Edge &edge : node.users)
      node.height = std::max(node.height, m_nodes[edge.to].height + edge.slots);
    node.height += node.inst->isMeta() ? 0 : 1;
  }
}

/// Scalars that begin to live less those that end.
int BlockScheduler::pressureChange(const Instruction &inst) const {
  bool isVector = inst.dst().isSsa() && !inst.dst().is(registerflag::Special);
  int change = isVector ? inst.dst().size : 0;
  SmallVector<const Instruction *, 4> seen;
  for (const Register &source : inst.sources()) {
    if (!source.isSsa() || source.is(registerflag::Special) || is_contained(seen, source.def))
      continue;
    seen.push_back(source.def);
    auto uses = unsigned(count_if(inst.sources(), [&](const Register &other) {
      return other.isSsa() && other.def == source.def;
    }));
    if (m_remaining[source.def->name] == uses)
      change -= source.size;
  }
  return change;
}

void BlockScheduler::emit(unsigned number) {
  Node &node = m_nodes[number];
  m_live += pressureChange(*node.inst);
  node.done = true;
  m_list.push_back(node.inst);
  const Instruction &inst = *node.inst;
  unsigned shortNumber = node.shortWait, longNumber = node.longWait;
  int end = node.ready;
  if (!inst.isMeta()) {
    m_now = std::max(m_now, startOf(node));
    end = m_now + 1;
    m_short.pass(node.shortWait);
    m_long.pass(node.longWait);
    bool isShort = waitsShort(inst), isLong = inst.info().has(property::ResultSy) && !isShort;
    shortNumber = isShort ? m_short.issue(end + int(softDelay(inst))) : 0;
    longNumber = isLong ? m_long.issue(end + int(softDelay(inst))) : 0;
  }
  for (const Edge &edge : node.users) {
    Node &user = m_nodes[edge.to];
    if (!--user.waiting)
      m_ready.push_back(edge.to);
    user.ready = std::max(user.ready, end + int(edge.slots));
    if (!edge.isResult)
      continue;
    user.shortWait = std::max(user.shortWait, shortNumber);
    user.longWait = std::max(user.longWait, longNumber);
  }
  for (const Instruction *source : node.inst->ssaSources())
    --m_remaining[source->name];
  m_now = inst.isMeta() ? m_now : end;
}

/// From the deepest instruction on: its sources, deepest first, then the instruction.
void BlockScheduler::runDeepestFirst() {
  std::vector<unsigned> depths(m_nodes.size());
  for (unsigned number = 0; number < m_nodes.size(); ++number)
    for (const Edge &edge : m_nodes[number].users)
      depths[edge.to] = std::max(depths[edge.to], depths[number] + 1 + edge.slots);
  std::vector<unsigned> order(m_nodes.size());
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i;
  auto isDeeper = [&](unsigned left, unsigned right) {
    return std::tuple(depths[right], left) < std::tuple(depths[left], right);
  };
  sort(order, isDeeper);
  for (unsigned start : order) {
    std::vector<unsigned> stack = {start};
    while (!stack.empty()) {
      unsigned number = stack.back();
      if (m_nodes[number].done) {
        stack.pop_back();
        continue;
      }
      const unsigned *deepest = nullptr;
      for (const unsigned &source : m_nodes[number].sources)
        if (!m_nodes[source].done && (!deepest || isDeeper(source, *deepest)))
          deepest = &source;
      if (deepest) {
        stack.push_back(*deepest);
        continue;
      }
      emit(number);
      stack.pop_back();
    }
  }
}

void BlockScheduler::runList() {
  // While fewer scalars have been added, delays matter more than live values: twelve vectors of
  // registers leave half of the waves.
  constexpr int EnoughLive = 48;
  for (unsigned number = 0; number < m_nodes.size(); ++number)
    if (!m_nodes[number].waiting)
      m_ready.push_back(number);
  for (size_t count = 0; count < m_nodes.size(); ++count) {
    unsigned best = m_ready.front();
    using Rank = std::tuple<int, int, int, int>;
    Rank bestRank(INT_MAX, 0, 0, 0);
    for (unsigned number : m_ready) {
      const Node &node = m_nodes[number];
      int stall = node.inst->isMeta() ? 0 : std::max(startOf(node) - m_now, 0);
      int change = pressureChange(*node.inst);
      int height = int(node.height);
      Rank rank = m_live > EnoughLive
                      ? Rank(std::max(change, 0), change < 0 ? 0 : stall, -height, int(number))
                      : Rank(stall, -height, change, int(number));
      if (rank < bestRank) {
        best = number;
        bestRank = rank;
      }
    }
    emit(best);
    erase(m_ready, best);
  }
}

void BlockScheduler::run(Schedule schedule) {
  collectNodes();
  computeHeights();
  schedule == Schedule::DeepestFirst ? runDeepestFirst() : runList();
  m_block.instructions = m_first;
  append_range(m_block.instructions, m_list);
  if (m_terminator)
    m_block.instructions.push_back(m_terminator);
}

/// Counts uses over the whole program, so that values that live past their block do not seem to end
/// in it.
void scheduleProgram(Program &program, Schedule schedule) {
  if (schedule == Schedule::None)
    return;
  std::vector<uint32_t> uses = program.countUses();
  for (auto &block : program.blocks)
    BlockScheduler(*block, program.compiler(), uses).run(schedule);
}

} // namespace assay::ir3

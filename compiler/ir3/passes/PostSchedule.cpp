// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list scheduler: of the instructions that wait for nothing, the one with the fewest slots
// missing; then the one on the longest path to the end of the block; then the first. What the
// blocks before have written last, and what those after read first, is known from a round before.
#include "compiler/ir3/passes/PostSchedule.h"

#include "compiler/ir3/passes/Schedule.h"
#include "compiler/ir3/passes/Touches.h"
#include "compiler/ir3/passes/Waits.h"
#include "support/Ir3Fault.h"
#include <array>
#include <bitset>
#include <climits>

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Slots after which what memory or the texture unit reads is taken to be read.
constexpr int ReadDelay = 10;

/// Whether the result is in a register that the wave shares.
bool writesShared(const Instruction &inst) {
  return inst.hasDst() && inst.dst().number >= reg::Shared && inst.dst().number < reg::Address;
}

/// When a cell was written, in slots from the start or the end of a block; Past is long ago.
struct CellWrite {
  int full = Past, half = Past; ///< By the ALU, as a full or a half register.
  int late = Past;              ///< When a result that a flag waits for is taken to be there.

  static constexpr int Past = -64;
  void join(const CellWrite &other) {
    full = std::max(full, other.full);
    half = std::max(half, other.half);
    late = std::max(late, other.late);
  }
};

/// The last write of each cell in front of a place in the code.
using CellWrites = std::array<CellWrite, cell::Count>;
/// Slots that must separate a place in the code from the writer of what is read after it; 0: none.
using CellDemands = std::array<int, cell::Count>;

/// Orders one block with registers; the terminator stays last.
class BlockScheduler {
public:
  /// \p before are the writes at the start of the block, \p after the demands at its end.
  BlockScheduler(Block &block, const Program &program, const CellWrites &before,
                 const CellDemands &after)
      : m_block(block), m_program(program), m_before(before), m_after(after) {}
  void run();
  /// After run(): the writes at the end of the block, and the demands at its start.
  void describe(CellWrites &writes, CellDemands &demands) const;

private:
  /// What a flag may have to wait for: a result, or that a register has been read. (ss) is enough
  /// for the latter.
  enum class Wait : uint8_t { None, Result, Read };
  /// A later instruction that must follow.
  struct Edge {
    unsigned to;
    int slots; ///< Between the two.
    Wait wait; ///< For the earlier one.
  };
  /// An instruction other than the terminator, in the order of the block.
  struct Node {
    Instruction *inst;
    SmallVector<Edge, 4> users;
    unsigned waiting = 0;   ///< Edges from instructions that are not scheduled.
    int ready = 0;          ///< The first slot without a delay.
    unsigned shortWait = 0; ///< What it waits for by (ss), a number of m_short; 0: nothing.
    unsigned longWait = 0;  ///< By (sy), of m_long.
    int height = 0;         ///< Slots to the end of the block.
  };
  /// Who has touched a half register last.
  struct CellUse {
    int writer = -1;
    bool writtenAsHalf = false;
    SmallVector<unsigned, 2> readers; ///< Since then.
  };

  /// Makes the nodes up to the terminator and all edges between them.
  void collect();
  void addRegisterEdges(unsigned number);
  /// Adds edges from earlier instructions with effects or conflicting barrier classes.
  void addOrder(unsigned number);
  /// \p to follows \p from with at least \p slots in between; an edge to itself is left out.
  void addEdge(unsigned from, unsigned to, int slots, Wait wait = Wait::None);
  /// Heights from the end backwards, with the demands of later blocks and of the branch.
  void computeHeights();
  /// Slots between a result and its use: an estimate where a flag waits for it, the exact delay of
  /// the ALU otherwise.
  int latencyOf(const Instruction &writer, const Instruction &reader, const Touch &touch,
                bool writtenAsHalf) const;
  int startOf(const Instruction &reader, const Touch &touch, unsigned at) const;
  /// The best node of \p ready, which must not be empty: the shortest stall, the greatest height,
  /// the first.
  unsigned choose(ArrayRef<unsigned> ready) const;
  /// The first slot in which \p node can begin.
  int startOf(const Node &node) const {
    return m_long.startOf(node.longWait, m_short.startOf(node.shortWait, node.ready));
  }
  /// Puts \p node at the next slot in which it can begin, and tells what waits for it.
  void emit(Node &node, SmallVectorImpl<unsigned> &ready);

  Block &m_block;
  const Program &m_program;
  const CellWrites &m_before;
  const CellDemands &m_after;
  std::vector<int> m_slots; ///< Of each scheduled instruction: when it begins.
  std::vector<Node> m_nodes;
  std::array<CellUse, cell::Count> m_cells;
  std::vector<unsigned> m_ordered; ///< With a barrier class or an effect.
  SmallVector<Touch, 32> m_touches;
  int m_now = 0;
  Outstanding m_short, m_long; ///< Of (ss) and of (sy).
};

} // namespace

void BlockScheduler::addEdge(unsigned from, unsigned to, int slots, Wait wait) {
  if (from == to)
    return;
  m_nodes[from].users.push_back({to, slots, wait});
  ++m_nodes[to].waiting;
}

int BlockScheduler::latencyOf(const Instruction &writer, const Instruction &reader,
                              const Touch &touch, bool writtenAsHalf) const {
  bool isShared = touch.cell >= cell::Shared && touch.cell < cell::Address;
  if (writer.info().has(property::ResultSs | property::ResultSy) || isShared)
    return int(softDelay(writer));
  return int(delayOf(m_program.compiler(), reader, touch, writtenAsHalf));
}

/// The first slot in which \p reader can be without a delay, for the write of cell \p at before the
/// block.
int BlockScheduler::startOf(const Instruction &reader, const Touch &touch, unsigned at) const {
  const CellWrite &write = m_before[at];
  int ready = write.late;
  if (touch.writes)
    return ready;
  for (bool half : {false, true}) {
    int written = half ? write.half : write.full;
    if (written > CellWrite::Past)
      ready = std::max(ready, written + 1 - int(touch.step) +
                                  int(delayOf(m_program.compiler(), reader, touch, half)));
  }
  return ready;
}

/// Results are read after they are written, and registers written after they are read. What an
/// instruction of categories 4 to 6 reads is overwritten after a wait only.
void BlockScheduler::addRegisterEdges(unsigned number) {
  const Instruction &inst = *m_nodes[number].inst;
  m_touches.clear();
  collectTouches(inst, m_program, m_touches);
  for (const Touch &touch : m_touches) {
    for (unsigned i = 0; i < touch.count; ++i) {
      const CellUse &use = m_cells[touch.cell + i];
      if (use.writer >= 0) {
        const Instruction &writer = *m_nodes[size_t(use.writer)].inst;
        bool isAsync = writer.info().has(property::ResultSs | property::ResultSy);
        int slots =
            !touch.writes || isAsync ? latencyOf(writer, inst, touch, use.writtenAsHalf) : 0;
        addEdge(unsigned(use.writer), number, slots, Wait::Result);
      } else {
        int &ready = m_nodes[number].ready;
        ready = std::max(ready, startOf(inst, touch, touch.cell + i));
      }
      if (!touch.writes)
        continue;
      for (unsigned reader : use.readers) {
        if (faultPlanted(Ir3Fault::OverwriteEarly))
          break;
        unsigned category = m_nodes[reader].inst->info().category;
        bool isLate = category >= 4 && category <= 6;
        addEdge(reader, number, isLate ? ReadDelay : 0, isLate ? Wait::Read : Wait::None);
      }
    }
  }
  for (const Touch &touch : m_touches)
    for (unsigned i = 0; i < touch.count; ++i)
      if (CellUse &use = m_cells[touch.cell + i]; touch.writes) {
        use.writer = int(number);
        use.writtenAsHalf = touch.half;
        use.readers.clear();
      }
  for (const Touch &touch : m_touches)
    for (unsigned i = 0; i < touch.count; ++i)
      if (CellUse &use = m_cells[touch.cell + i]; !touch.writes && use.writer != int(number))
        use.readers.push_back(number);
}

void BlockScheduler::addOrder(unsigned number) {
  const Instruction &inst = *m_nodes[number].inst;
  BarrierClass mine = inst.barrierClass();
  bool isEffect = inst.info().has(property::SideEffect);
  if (mine.isEmpty() && !isEffect)
    return;
  for (unsigned earlier : m_ordered) {
    const Instruction &other = *m_nodes[earlier].inst;
    bool bothEffects = isEffect && other.info().has(property::SideEffect);
    if (bothEffects || mine.conflictsWith(other.barrierClass()))
      addEdge(earlier, number, 0);
  }
  m_ordered.push_back(number);
}

void BlockScheduler::collect() {
  for (Instruction *inst : m_block.instructions) {
    if (inst->isTerminator())
      break;
    m_nodes.push_back({inst, {}});
  }
  for (unsigned number = 0; number < m_nodes.size(); ++number) {
    addRegisterEdges(number);
    addOrder(number);
  }
}

void BlockScheduler::computeHeights() {
  for (auto [at, use] : enumerate(m_cells))
    if (use.writer >= 0)
      m_nodes[size_t(use.writer)].height =
          std::max(m_nodes[size_t(use.writer)].height, m_after[at]);
  for (Node &node : reverse(m_nodes)) {
    for (const Edge &edge : node.users)
      node.height = std::max(node.height, m_nodes[edge.to].height + edge.slots);
    node.height += 1;
  }
  // The condition of a branch is needed farDelay slots before the end.
  const Instruction *terminator = m_block.terminator();
  if (!terminator || terminator->sources().empty() || terminator->opcode == Opcode::End)
    return;
  const CellUse &use = m_cells[cell::Predicate + terminator->registers[1].number - reg::Predicate];
  if (use.writer < 0)
    return;
  int extra = m_program.compiler().farDelay;
  std::vector<bool> reaches(m_nodes.size());
  reaches[size_t(use.writer)] = true;
  m_nodes[size_t(use.writer)].height += extra;
  for (size_t i = size_t(use.writer); i-- > 0;)
    for (const Edge &edge : m_nodes[i].users)
      if (reaches[edge.to]) {
        reaches[i] = true;
        m_nodes[i].height = std::max(m_nodes[i].height, m_nodes[edge.to].height + edge.slots + 1);
      }
}

unsigned BlockScheduler::choose(ArrayRef<unsigned> ready) const {
  using Rank = std::tuple<int, int, unsigned>;
  Rank best(INT_MAX, 0, 0);
  for (unsigned number : ready) {
    const Node &node = m_nodes[number];
    best = std::min(best, Rank(std::max(startOf(node) - m_now, 0), -node.height, number));
  }
  return std::get<2>(best);
}

void BlockScheduler::emit(Node &node, SmallVectorImpl<unsigned> &ready) {
  m_now = std::max(m_now, startOf(node));
  m_slots.push_back(m_now);
  m_short.pass(node.shortWait);
  m_long.pass(node.longWait);
  const Instruction &inst = *node.inst;
  int end = m_now + int(slotsOf(m_program.compiler(), inst));
  unsigned category = inst.info().category;
  bool isLong = inst.info().has(property::ResultSy);
  bool isShort = inst.info().has(property::ResultSs) || writesShared(inst);
  bool readsLate = category >= 4 && category <= 6;
  int result = end + int(softDelay(inst));
  unsigned shortNumber = isShort || readsLate ? m_short.issue(isShort ? result : 0) : 0;
  unsigned longNumber = isLong ? m_long.issue(result) : 0;
  for (const Edge &edge : node.users) {
    Node &user = m_nodes[edge.to];
    user.ready = std::max(user.ready, end + edge.slots);
    if (edge.wait == Wait::Result && isLong)
      user.longWait = std::max(user.longWait, longNumber);
    else if (edge.wait != Wait::None)
      user.shortWait = std::max(user.shortWait, shortNumber);
    if (!--user.waiting)
      ready.push_back(edge.to);
  }
  m_now = end;
}

void BlockScheduler::run() {
  collect();
  computeHeights();
  SmallVector<unsigned, 32> ready;
  for (unsigned number = 0; number < m_nodes.size(); ++number)
    if (!m_nodes[number].waiting)
      ready.push_back(number);
  std::vector<Instruction *> list;
  while (!ready.empty()) {
    unsigned number = choose(ready);
    erase(ready, number);
    emit(m_nodes[number], ready);
    list.push_back(m_nodes[number].inst);
  }
  auto rest = drop_begin(m_block.instructions, list.size());
  list.insert(list.end(), rest.begin(), rest.end());
  m_block.instructions = std::move(list);
}

/// Times of writes are relative to the end of the block, and no earlier than Past. Demands are of
/// cells that the block reads before it writes them, or passes on.
void BlockScheduler::describe(CellWrites &writes, CellDemands &demands) const {
  writes = m_before;
  demands.fill(0);
  std::bitset<cell::Count> isKnown;
  SmallVector<Touch, 32> touches;
  for (auto [number, inst] : enumerate(m_block.instructions)) {
    int now = number < m_slots.size() ? m_slots[number] : m_now;
    touches.clear();
    collectTouches(*inst, m_program, touches);
    for (const Touch &touch : touches)
      for (unsigned at = touch.cell; !touch.writes && at < touch.cell + touch.count; ++at)
        if (!isKnown[at]) {
          isKnown.set(at);
          auto delay = int(delayOf(m_program.compiler(), *inst, touch, touch.half));
          demands[at] = std::max(0, delay - now - touch.step);
        }
    bool isAsync = inst->info().has(property::ResultSs | property::ResultSy) || writesShared(*inst);
    for (const Touch &touch : touches)
      for (unsigned at = touch.cell; touch.writes && at < touch.cell + touch.count; ++at) {
        isKnown.set(at);
        writes[at] = CellWrite();
        if (isAsync)
          writes[at].late = now + 1 + int(softDelay(*inst));
        else
          (touch.half ? writes[at].half : writes[at].full) = now + touch.step;
      }
  }
  for (unsigned at = 0; at < cell::Count; ++at)
    if (!isKnown[at])
      demands[at] = std::max(0, m_after[at] - m_now);
  for (CellWrite &write : writes)
    for (int *time : {&write.full, &write.half, &write.late})
      *time = std::max(*time - m_now, CellWrite::Past);
}

/// Each round schedules all blocks in the order of the code with what the round before has found
/// out about their neighbours.
void schedulePhysical(Program &program) {
  // In the first round, what later blocks read and what loops write at their ends is unknown.
  constexpr unsigned Rounds = 3;
  std::vector<CellWrites> writes(program.blocks.size());
  std::vector<CellDemands> demands(program.blocks.size());
  for (unsigned round = 0; round < Rounds; ++round)
    for (auto &block : program.blocks) {
      CellWrites before{};
      for (const Block *predecessor : block->predecessors)
        for (auto [mine, theirs] : zip(before, writes[predecessor->number]))
          mine.join(theirs);
      CellDemands after{};
      for (const Block *successor : block->successorList())
        for (auto [mine, theirs] : zip(after, demands[successor->number]))
          mine = std::max(mine, theirs);
      BlockScheduler scheduler(*block, program, before, after);
      scheduler.run();
      scheduler.describe(writes[block->number], demands[block->number]);
    }
}

} // namespace assay::ir3

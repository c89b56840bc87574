// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/WeakWait.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// As the assembler of the generation writes it.
std::string gcn::printWait(WaitCounter counter, unsigned limit, unsigned gfxMajor) {
  return waitCounterName(counter, gfxMajor).str() + "(" + std::to_string(limit) + ")";
}

/// The shortest way to \p to from \p from, which is not part of it; empty where there is none.
static std::vector<uint32_t> findWay(const WaitedCode &code, uint32_t from, uint32_t to) {
  constexpr uint32_t None = ~0u;
  std::vector<uint32_t> before(code.size(), None);
  std::vector<uint32_t> queue = {from};
  for (size_t i = 0; i < queue.size() && before[to] == None; ++i)
    for (uint32_t next : code.next(queue[i]))
      if (next < code.size() && before[next] == None) {
        before[next] = queue[i];
        queue.push_back(next);
      }
  std::vector<uint32_t> way;
  if (before[to] == None)
    return way;
  do
    way.push_back(to);
  while ((to = before[to]) != from);
  std::reverse(way.begin(), way.end());
  return way;
}

/// Whether an operand overlaps the registers.
static bool touches(const Inst &inst, const PendingRegisters &registers) {
  auto isTouched = [&](const Operand &operand) {
    PendingRegisters own = {operand.type == OperandType::Vgpr, operand.index, operand.dwords};
    return operand.isRegister() && own.overlaps(registers);
  };
  return any_of(inst.operands, isTouched) ||
         any_of(inst.dual, [&](const Inst &half) { return touches(half, registers); });
}

namespace {

/// Goes along one way with what is outstanding.
class Walk {
public:
  Walk(const WaitedCode &code, uint32_t producer, unsigned gfxMajor)
      : m_code(code), m_producer(producer), m_gfxMajor(gfxMajor), m_board(gfxMajor) {
    m_board.keepCompleted();
  }

  /// Executes one instruction of the way.
  void step(uint32_t index);
  /// The waits that \p index has before it does anything.
  void wait(uint32_t index);
  /// The last wait on the producer's counter that was too weak; nothing when a counter has none.
  std::optional<WeakWait> answer() const;

private:
  /// A wait that the producer's result survived.
  struct Candidate {
    WeakWait wait;
    SmallVector<PendingRegisters, 4> completed; ///< Older results, which it does wait for.
  };

  /// Null when the result is complete.
  const WaitScoreboard::Entry *findProducer() const;
  unsigned neededFor(const WaitScoreboard::Entry &entry, WaitCounter counter) const;

  const WaitedCode &m_code;
  uint32_t m_producer;
  unsigned m_gfxMajor;
  WaitScoreboard m_board;
  std::vector<Candidate> m_candidates;
};

} // namespace

/// Returns the outstanding event of the producer, or null.
const WaitScoreboard::Entry *Walk::findProducer() const {
  auto found =
      find_if(m_board.entries(), [&](const auto &entry) { return entry.producer == m_producer; });
  return found == m_board.entries().end() ? nullptr : &*found;
}

/// The largest limit that completes \p entry now.
unsigned Walk::neededFor(const WaitScoreboard::Entry &entry, WaitCounter counter) const {
  WaitOrder order = orderIn(entry.event.order, counter, m_gfxMajor);
  if (!completesInOrder(order))
    return 0;
  auto isNewer = [&](const WaitScoreboard::Entry &each) {
    return &each > &entry && each.event.counters & counterBit(counter) &&
           orderIn(each.event.order, counter, m_gfxMajor) == order;
  };
  return static_cast<unsigned>(count_if(m_board.entries(), isNewer));
}

/// Applies a wait instruction and notes it for each counter of the producer that it limits. Other
/// instructions change nothing.
void Walk::wait(uint32_t index) {
  std::optional<WaitLimits> limits = decodeWait(m_code.inst(index), m_gfxMajor);
  if (!limits)
    return;
  m_board.wait(*limits);
  SmallVector<PendingRegisters, 4> completed;
  for (const WaitScoreboard::Entry &entry : m_board.takeCompleted())
    if (entry.registers.count)
      completed.push_back(entry.registers);
  const WaitScoreboard::Entry *entry = findProducer();
  if (!entry)
    return;
  for (unsigned number = 0; number < WaitCounterCount; ++number) {
    auto counter = WaitCounter(number);
    unsigned limit = limits->max[number];
    // What the counter can't hold is no wait, whatever the encoding.
    bool isWait = limit != WaitLimits::NoLimit && limit < waitCounterMax(counter, m_gfxMajor);
    if (isWait && entry->event.counters & counterBit(counter))
      m_candidates.push_back(
          {{m_code.inst(index).pc, counter, limit, neededFor(*entry, counter)}, completed});
  }
}

/// A use of what a wait completed means that the wait was meant for that, so it is no candidate.
void Walk::step(uint32_t index) {
  const Inst &inst = m_code.inst(index);
  erase_if(m_candidates, [&](const Candidate &each) {
    return any_of(each.completed, [&](const auto &registers) { return touches(inst, registers); });
  });
  wait(index);
  if (std::optional<WaitEvent> event = classifyWaitEvent(inst, m_gfxMajor))
    m_board.issue({*event, m_code.result(index), index});
  m_board.takeCompleted();
}

/// Returns the last wait on the last counter. Nothing if no event is outstanding, or if one of its
/// counters is never waited for.
std::optional<WeakWait> Walk::answer() const {
  const WaitScoreboard::Entry *entry = findProducer();
  if (!entry)
    return std::nullopt;
  std::optional<WeakWait> last;
  for (unsigned number = 0; number < WaitCounterCount; ++number) {
    if (!(entry->event.counters & counterBit(WaitCounter(number))))
      continue;
    auto found = find_if(reverse(m_candidates), [&](const Candidate &each) {
      return each.wait.counter == WaitCounter(number);
    });
    if (found == m_candidates.rend())
      return std::nullopt;
    last = found->wait;
  }
  return last;
}

/// \p producer and \p use are indices of instructions. Nothing when no path leads from one to the
/// other.
std::optional<WeakWait> gcn::findWeakWait(const WaitedCode &code, uint32_t producer, uint32_t use,
                                          unsigned gfxMajor) {
  std::vector<uint32_t> toUse = findWay(code, producer, use);
  if (toUse.empty())
    return std::nullopt;
  // What was under way before, as one path shows it.
  std::vector<uint32_t> way = producer ? findWay(code, 0, producer) : std::vector<uint32_t>();
  way.insert(way.begin(), way.empty() ? producer : 0);
  way.insert(way.end(), toUse.begin(), std::prev(toUse.end()));
  Walk walk(code, producer, gfxMajor);
  for (uint32_t index : way)
    walk.step(index);
  walk.wait(use);
  return walk.answer();
}

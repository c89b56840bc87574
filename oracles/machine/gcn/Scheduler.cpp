// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Scheduler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Instructions a wave runs before another has its turn, so that waves may wait for each other.
static constexpr uint64_t TimeSlice = 4096;

namespace {

/// SplitMix64 (Steele, Lea, Flood): small, and the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : m_state(seed) {}

  uint64_t next() {
    uint64_t z = m_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

private:
  uint64_t m_state;
};

/// The numbers 0..count-1, each once: in ascending order for seed 0, else from a random start in
/// random steps, which needs no memory however many there are.
class Order {
public:
  Order(uint64_t count, uint64_t seed) : m_count(count) {
    if (!seed || count < 2)
      return;
    Random random(seed);
    m_start = random.next() % count;
    do
      m_step = random.next() % count;
    while (std::gcd(m_step, count) != 1);
  }

  uint64_t operator[](uint64_t i) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * m_step + m_start) % m_count);
  }

private:
  uint64_t m_count;
  uint64_t m_start = 0;
  uint64_t m_step = 1;
};

class GroupRunner {
public:
  GroupRunner(Launch &launch, const uint32_t id[3], uint64_t budget, bool sanitize)
      : m_group(launch.makeGroup()), m_budget(budget) {
    m_group.sanitize = sanitize;
    for (unsigned number = 0; number < launch.wavesPerGroup(); ++number)
      m_waves.push_back(launch.makeWave(m_group, number, id));
  }

  /// Runs to the end. \p order: the order in which waves have their turns.
  Failure run(const Order &order);
  uint64_t instructions() const { return m_instructions; }
  /// What sanitizers objected to.
  ArrayRef<Finding> reports() const { return m_group.reports; }

private:
  void runSlice(Wave &wave);
  bool wake(Wave &wave);
  void failStuck();
  void failBudget(const Wave &wave);

  Workgroup m_group;
  std::vector<std::unique_ptr<Wave>> m_waves;
  uint64_t m_budget;
  uint64_t m_instructions = 0;
};

} // namespace

static WaitCounter counterOf(const WaitScoreboard::Entry &entry) {
  return WaitCounter(Log2_32(entry.event.counters));
}

static void reportHazard(Wave &wave, const MicroOp &op, const PendingRegisters &registers,
                         const WaitScoreboard::Entry &entry, bool isRead) {
  const Inst &producer = *wave.group->program->ops()[entry.producer].inst;
  unsigned first = std::max(registers.first, entry.registers.first);
  std::string counter = waitCounterName(counterOf(entry), wave.gfxMajor).str();
  Objection objection{isRead ? "WAIT-RAW" : "WAIT-WAW",
                      (Twine(isRead ? "reads " : "overwrites ") + (registers.vector ? "v" : "s") +
                       Twine(first) + " before " + counter +
                       " says that it is there; written by '" + producer.text + "' at pc 0x" +
                       Twine::utohexstr(producer.pc))
                          .str()};
  objection.signature = producer.mnemonic + ":" + counter;
  objection.producer = &producer;
  objection.subject = (registers.vector ? "v" : "s") + utostr(first) + " " + counter;
  wave.report(op, objection);
}

/// A result in flight may be overwritten only by an instruction that completes after it.
static bool mayOverwrite(const MicroOp &op, const WaitScoreboard::Entry &entry) {
  return op.raisesCounter && completesInOrder(op.event.order) &&
         op.event.order == entry.event.order && op.event.counters == entry.event.counters;
}

void gcn::checkRead(Wave &wave, const MicroOp &op, const PendingRegisters &registers) {
  if (const WaitScoreboard::Entry *entry = wave.scoreboard.find(registers))
    reportHazard(wave, op, registers, *entry, true);
}

static void checkHazards(Wave &wave, const MicroOp &op) {
  for (const PendingRegisters &registers : op.reads)
    checkRead(wave, op, registers);
  for (const PendingRegisters &registers : op.writes) {
    const auto *entry = wave.scoreboard.find(registers);
    if (entry && !mayOverwrite(op, *entry))
      reportHazard(wave, op, registers, *entry, false);
  }
}

static void issueEvent(Wave &wave, const MicroOp &op, uint32_t index) {
  WaitScoreboard::Entry entry{op.event, {}, index, wave.sequence++};
  if (op.destinationCount)
    entry.registers = {op.destination.type == OperandType::Vgpr, op.destination.index,
                       op.destination.dwords};
  wave.scoreboard.issue(entry);
}

template <bool Observed> static void step(Wave &wave, ArrayRef<MicroOp> ops) {
  uint32_t index = wave.next;
  const MicroOp &op = ops[index];
  if (Observed) {
    if (!wave.scoreboard.empty())
      checkHazards(wave, op);
    for (const std::unique_ptr<WaveObserver> &observer : wave.observers)
      observer->before(wave, op);
  }
  wave.next = op.next;
  ++wave.instructions;
  op.run(wave, op);
  if (Observed && op.raisesCounter)
    issueEvent(wave, op, index);
  if (Observed)
    for (const std::unique_ptr<WaveObserver> &observer : wave.observers)
      observer->after(wave, op);
}

void GroupRunner::runSlice(Wave &wave) {
  ArrayRef<MicroOp> ops = m_group.program->ops();
  uint64_t slice = std::min(TimeSlice, m_budget - m_instructions);
  uint64_t end = wave.instructions + slice;
  uint64_t begin = wave.instructions;
  if (m_group.sanitize || !wave.observers.empty()) {
    while (wave.status == WaveStatus::Running && wave.instructions < end)
      step<true>(wave, ops);
  } else {
    while (wave.status == WaveStatus::Running && wave.instructions < end)
      step<false>(wave, ops);
  }
  m_instructions += wave.instructions - begin;
}

/// True when \p wave can run now.
bool GroupRunner::wake(Wave &wave) {
  if (wave.status == WaveStatus::AtBarrier && m_group.barrierPhase >= wave.waitPhase)
    wave.status = WaveStatus::Running;
  return wave.status == WaveStatus::Running;
}

/// Waves wait at a barrier that others will never reach.
void GroupRunner::failStuck() {
  for (const std::unique_ptr<Wave> &wave : m_waves) {
    if (wave->status != WaveStatus::AtBarrier)
      continue;
    // The barrier is the instruction before the one that would run next.
    ArrayRef<MicroOp> ops = m_group.program->ops();
    const MicroOp &op = ops[wave->next ? wave->next - 1 : 0];
    wave->fail(OutcomeKind::Trap, "BARRIER", op,
               "wave " + Twine(wave->number) + " waits at a barrier that not all waves reach");
    return;
  }
}

void GroupRunner::failBudget(const Wave &wave) {
  const Inst &inst = *m_group.program->ops()[wave.next].inst;
  m_group.failure = {OutcomeKind::Timeout,
                     "out of its instruction budget; wave " + utostr(wave.number) +
                         " still runs, at pc 0x" + utohexstr(inst.pc, true) + ": " + inst.text,
                     {}};
}

Failure GroupRunner::run(const Order &order) {
  while (m_group.failure.kind == OutcomeKind::Completed) {
    bool progress = false;
    bool alive = false;
    for (unsigned turn = 0; turn < m_waves.size(); ++turn) {
      Wave &wave = *m_waves[order[turn]];
      alive |= wave.status != WaveStatus::Done;
      if (!wake(wave))
        continue;
      if (m_instructions >= m_budget) {
        failBudget(wave);
        return m_group.failure;
      }
      progress = true;
      runSlice(wave);
      if (wave.status == WaveStatus::Failed)
        return m_group.failure;
    }
    if (!alive)
      break;
    if (!progress)
      failStuck();
  }
  return m_group.failure;
}

/// Appends those that say something new: workgroups tend to object alike.
static void addReports(std::vector<Finding> &reports, ArrayRef<Finding> more) {
  for (const Finding &finding : more) {
    bool known = any_of(reports, [&](const Finding &other) {
      return other.signature == finding.signature && other.location == finding.location;
    });
    if (!known)
      reports.push_back(finding);
  }
}

DispatchResult gcn::runDispatch(Launch &launch, const uint32_t groups[3],
                                const RunOptions &options) {
  DispatchResult result;
  uint64_t count = uint64_t(groups[0]) * groups[1] * groups[2];
  if (count > (uint64_t(1) << 26)) {
    result.failure = {
        OutcomeKind::Unsupported, "a dispatch of " + utostr(count) + " workgroups", {}};
    return result;
  }
  Order groupOrder(count, options.seed);
  for (uint64_t turn = 0; turn < count; ++turn) {
    uint64_t index = groupOrder[turn];
    const uint32_t id[3] = {static_cast<uint32_t>(index % groups[0]),
                            static_cast<uint32_t>(index / groups[0] % groups[1]),
                            static_cast<uint32_t>(index / groups[0] / groups[1])};
    GroupRunner runner(launch, id, options.maxInstructions - result.instructions, options.sanitize);
    result.failure =
        runner.run(Order(launch.wavesPerGroup(), options.seed ? options.seed + index : 0));
    result.instructions += runner.instructions();
    addReports(result.reports, runner.reports());
    if (result.failure.kind != OutcomeKind::Completed)
      break;
  }
  return result;
}

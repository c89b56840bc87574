// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Step.h"

#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/sanitizer/Sanitizer.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"
#include "oracles/machine/gcn_isa/WeakWait.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// The highest counter that the event of \p entry raises.
static WaitCounter counterOf(const WaitScoreboard::Entry &entry) {
  return WaitCounter(Log2_32(entry.event.counters));
}

/// What \p op brings and a counter tells of, where it raises one.
static PendingRegisters resultOf(const MicroOp &op) {
  if (!op.destinationCount)
    return {};
  return {op.destination.type == OperandType::Vgpr, op.destination.index, op.destination.dwords};
}

namespace {
/// A program as findWeakWait() looks at it.
class ProgramWaits final : public WaitedCode {
public:
  explicit ProgramWaits(const Program &program) : m_ops(program.ops()) {}

  uint32_t size() const override { return static_cast<uint32_t>(m_ops.size()); }
  const Inst &inst(uint32_t index) const override { return *m_ops[index].inst; }
  PendingRegisters result(uint32_t index) const override { return resultOf(m_ops[index]); }
  SmallVector<uint32_t, 2> next(uint32_t index) const override {
    const MicroOp &op = m_ops[index];
    StringRef name = op.inst->mnemonic;
    SmallVector<uint32_t, 2> all;
    if (name != "s_branch" && !name.starts_with("s_endpgm"))
      all.push_back(op.next);
    if (op.target != NoTarget)
      all.push_back(op.target);
    return all;
  }

private:
  ArrayRef<MicroOp> m_ops;
};
} // namespace

/// Says what \p finding, about the result of \p entry, lacks: a wait, or a stronger one.
static void explainWait(const Wave &wave, const MicroOp &op, const WaitScoreboard::Entry &entry,
                        Violation &violation) {
  const Program &program = *wave.group->program;
  auto use = static_cast<uint32_t>(&op - program.ops().data());
  std::optional<WeakWait> weak =
      findWeakWait(ProgramWaits(program), entry.producer, use, wave.gfxMajor);
  if (!weak) {
    violation.wait = ("none for " + waitCounterName(counterOf(entry), wave.gfxMajor)).str();
    return;
  }
  std::string wait = printWait(weak->counter, weak->limit, wave.gfxMajor);
  std::string needed = printWait(weak->counter, weak->needed, wave.gfxMajor);
  std::string where = " at pc 0x" + utohexstr(weak->pc, /*LowerCase=*/true);
  violation.wait = wait + where + ", not " + needed;
  violation.text += " for which " + wait + where + " is too weak,";
  violation.signature += ":weak";
}

/// Reports a read or write of registers that \p entry has not written yet.
static void reportEarlyUse(Wave &wave, const MicroOp &op, const PendingRegisters &registers,
                           const WaitScoreboard::Entry &entry, bool isRead) {
  const Inst &producer = *wave.group->program->ops()[entry.producer].inst;
  unsigned first = std::max(registers.first, entry.registers.first);
  std::string counter = waitCounterName(counterOf(entry), wave.gfxMajor).str();
  std::string name = (registers.vector ? "v" : "s") + utostr(first);
  Violation violation{sanitizerRuleId(isRead ? SanitizerRule::WaitRaw : SanitizerRule::WaitWaw),
                      (isRead ? "reads " : "overwrites ") + name + " before " + counter +
                          " says that " + describeProducer(producer) + " has written it,"};
  violation.signature = producer.mnemonic + ":" + counter;
  violation.producer = &producer;
  violation.subject = name + " " + counter;
  if (wave.isReported(op, violation))
    return;
  explainWait(wave, op, entry, violation);
  wave.report(op, violation);
}

/// A result in flight may be overwritten only by an instruction that writes after it.
static bool mayOverwrite(const Wave &wave, const MicroOp &op, const WaitScoreboard::Entry &entry) {
  const Inst &producer = *wave.group->program->ops()[entry.producer].inst;
  return op.raisesCounter &&
         writesAfter({op.event, vmemUnit(*op.inst)}, {entry.event, vmemUnit(producer)});
}

/// Lanes whose vector registers \p op reads. A result in flight is awaited in the lanes that were
/// active when it was asked for: ACO relies on it where lanes leave a loop one after the other.
static uint64_t lanesRead(const Wave &wave, const MicroOp &op) {
  StringRef name = op.inst->mnemonic;
  uint64_t exec = wave.exec();
  if (name.starts_with("v_readfirstlane"))
    return exec ? exec & -exec : 1;
  bool crosses = op.inst->mods.dpp != DppControl::None || name.starts_with("v_readlane") ||
                 name.starts_with("v_permlane") || name.starts_with("v_wmma") ||
                 name.starts_with("v_swmmac") || name.starts_with("ds_bpermute");
  return crosses ? ~0ull : exec;
}

/// Lanes whose vector registers \p op may write: all of them, where an operand chooses the lane.
static uint64_t lanesWritten(const Wave &wave, const MicroOp &op) {
  bool crosses = StringRef(op.inst->mnemonic).starts_with("v_writelane") ||
                 StringRef(op.inst->mnemonic).starts_with("v_wmma") ||
                 StringRef(op.inst->mnemonic).starts_with("v_swmmac");
  return crosses ? ~0ull : wave.exec();
}

/// For handlers that read registers which no operand names.
void gcn::checkRead(Wave &wave, const MicroOp &op, const PendingRegisters &registers) {
  if (!wave.scoreboard.find(registers))
    return; // The usual case, without a look at lanes.
  if (const auto *entry = wave.scoreboard.find(registers, lanesRead(wave, op)))
    reportEarlyUse(wave, op, registers, *entry, true);
}

/// Reports reads and writes of registers with results in flight.
static void checkHazards(Wave &wave, const MicroOp &op) {
  for (const PendingRegisters &registers : op.reads)
    checkRead(wave, op, registers);
  for (const PendingRegisters &registers : op.writes) {
    if (!wave.scoreboard.find(registers))
      continue;
    const auto *entry = wave.scoreboard.find(registers, lanesWritten(wave, op));
    if (entry && !mayOverwrite(wave, op, *entry))
      reportEarlyUse(wave, op, registers, *entry, false);
  }
}

/// Adds the instruction at \p index to the scoreboard.
static void issueEvent(Wave &wave, const MicroOp &op, uint32_t index) {
  WaitScoreboard::Entry entry{op.event, resultOf(op), index, wave.sequence++, wave.exec()};
  wave.scoreboard.issue(entry);
}

/// The instruction that was to execute waits instead, and begins again once it may go on.
static bool isBlocked(const Wave &wave) {
  return wave.status == WaveStatus::AtBarrier && wave.isBlocked;
}

/// Tells what a wait, or a full counter, completed.
static void tellCompleted(Wave &wave) {
  if (!wave.scoreboard.hasCompleted())
    return;
  for (const WaitScoreboard::Entry &entry : wave.scoreboard.takeCompleted())
    for (const std::unique_ptr<WaveObserver> &observer : wave.observers)
      observer->completed(wave, entry);
}

/// First that \p op is done, then what it completed: an observer that keeps results back puts the
/// older one into its registers after the newer one was taken out of them.
static void tellAfter(Wave &wave, const MicroOp &op) {
  if (isBlocked(wave)) {
    for (const std::unique_ptr<WaveObserver> &observer : wave.observers)
      observer->abandoned(wave, op);
    return;
  }
  for (const std::unique_ptr<WaveObserver> &observer : wave.observers)
    observer->after(wave, op);
  tellCompleted(wave);
}

namespace {
/// Who watches the wave. Chosen once for many steps, since most waves have none or the sanitizer
/// alone.
enum class Watchers : uint8_t { None, Sanitizer, All };
} // namespace

/// What happens before the handler runs: waits of the instruction itself, checks, observers.
template <Watchers Who>
static void beforeStep(Wave &wave, const MicroOp &op, const OpFacts *facts) {
  if (op.waitsFirst) {
    wave.scoreboard.wait(op.limits);
    if (Who == Watchers::All)
      tellCompleted(wave);
  }
  if (wave.group->sanitize && !wave.scoreboard.empty())
    checkHazards(wave, op);
  if (Who == Watchers::Sanitizer)
    return wave.sanitizer->before(wave, op, facts[wave.next]);
  for (const std::unique_ptr<WaveObserver> &observer : wave.observers)
    observer->before(wave, op);
}

/// Executes one instruction. A blocked one has no effect and raises no counter.
template <Watchers Who> static void step(Wave &wave, const MicroOp *ops, const OpFacts *facts) {
  uint32_t index = wave.next;
  const MicroOp &op = ops[index];
  if (Who != Watchers::None)
    beforeStep<Who>(wave, op, facts);
  wave.next = op.next;
  ++wave.instructions;
  op.run(wave, op);
  if (Who == Watchers::None)
    return;
  if (op.raisesCounter && !isBlocked(wave))
    issueEvent(wave, op, index);
  if (Who == Watchers::All)
    tellAfter(wave, op);
  else if (!isBlocked(wave))
    wave.sanitizer->after(wave, op, facts[index]);
}

/// \p end is a number of instructions, counted since the launch.
template <Watchers Who> static void runUntil(Wave &wave, uint64_t end) {
  const MicroOp *ops = wave.group->program->ops().data();
  const OpFacts *facts = wave.group->program->facts().data();
  while (wave.status == WaveStatus::Running && wave.instructions < end)
    step<Who>(wave, ops, facts);
}

/// Executes at most \p count instructions, fewer when the wave waits, ends or fails.
void gcn::runSteps(Wave &wave, uint64_t count) {
  uint64_t end = wave.instructions + count;
  if (wave.sanitizer && wave.observers.size() == 1)
    runUntil<Watchers::Sanitizer>(wave, end);
  else if (wave.group->sanitize || !wave.observers.empty())
    runUntil<Watchers::All>(wave, end);
  else
    runUntil<Watchers::None>(wave, end);
}

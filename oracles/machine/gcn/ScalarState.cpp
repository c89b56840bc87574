// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar instructions that change how a wave goes on: forks, sub-vector loops, barriers with names,
// what only a debugger or a trap handler would use. Sources: AMD's ISA manuals (pseudo code of
// S_CBRANCH_G_FORK and its kin in Vega's and CDNA's, S_SUBVECTOR_LOOP_BEGIN in RDNA 1's and 2's,
// S_BARRIER_SIGNAL and S_GET_BARRIER_STATE in RDNA 4's).
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

// --- Forks (GFX9)

/// Continues at \p address; a trap when no instruction is there.
static void jumpTo(Wave &wave, const MicroOp &op, uint64_t address) {
  uint32_t target = wave.group->program->findOp(address & AddressMask);
  if (target == NoTarget)
    wave.fail(OutcomeKind::Trap, "BAD-BRANCH", op, "a branch to where no instruction is");
  else
    wave.next = target;
}

/// MODE.CSP: how many forks are open. Their masks and addresses lie in SGPRs, four each.
static unsigned forkDepth(const Wave &wave) {
  return wave.getMode() >> 29;
}
/// The depth wraps at 8.
static void setForkDepth(Wave &wave, unsigned depth) {
  wave.setMode((wave.getMode() & 0x1fffffff) | (depth & 7) << 29);
}

/// The four SGPRs of fork \p depth exist.
static bool hasForkRegisters(Wave &wave, const MicroOp &op, unsigned depth) {
  if (depth < 8 && depth * 4 + 4 <= wave.group->program->options().sgprCount)
    return true;
  runOutOfRange(wave, op);
  return false;
}

/// The smaller part of the lanes goes first; the others wait in SGPRs.
static void fork(Wave &wave, const MicroOp &op, uint64_t condition, uint64_t target) {
  uint64_t exec = wave.exec();
  uint64_t pass = condition & exec;
  uint64_t fail = ~condition & exec;
  if (pass == exec)
    return jumpTo(wave, op, target);
  if (fail == exec)
    return;
  unsigned depth = forkDepth(wave);
  if (!hasForkRegisters(wave, op, depth))
    return;
  bool failFirst = popcount(fail) < popcount(pass);
  wave.writeScalar64(depth * 4, failFirst ? pass : fail);
  wave.writeScalar64(depth * 4 + 2, failFirst ? target : op.pc + op.size);
  setForkDepth(wave, depth + 1);
  wave.setExec(failFirst ? fail : pass);
  if (!failFirst)
    jumpTo(wave, op, target);
}

/// The target is relative to the next instruction, in dwords.
static void runForkImmediate(Wave &wave, const MicroOp &op) {
  int64_t distance = int64_t(int16_t(op.simm16)) * 4;
  fork(wave, op, readUniform(wave, op.sources[0]),
       op.pc + op.size + static_cast<uint64_t>(distance));
}

static void runFork(Wave &wave, const MicroOp &op) {
  fork(wave, op, readUniform(wave, op.sources[0]), readUniform(wave, op.sources[1]));
}

/// Resumes the part that waits, unless the depth is that of the fork, which the source has.
static void runJoin(Wave &wave, const MicroOp &op) {
  auto saved = static_cast<uint32_t>(readUniform(wave, op.sources[0]));
  unsigned depth = forkDepth(wave);
  if (depth == saved)
    return;
  depth = (depth - 1) & 7;
  if (!hasForkRegisters(wave, op, depth))
    return;
  setForkDepth(wave, depth);
  wave.setExec(wave.readScalar64(depth * 4));
  jumpTo(wave, op, wave.readScalar64(depth * 4 + 2));
}

/// Skipping vector instructions is a mode of its own, which nothing here honours.
static void runSetVectorSkip(Wave &wave, const MicroOp &op) {
  uint64_t bits = readUniform(wave, op.sources[0]);
  if (bits >> (readUniform(wave, op.sources[1]) & 31) & 1)
    wave.failUnsupported("s_setvskip that skips (" + op.inst->text + ")");
}

// --- Sub-vector loops (GFX10, GFX11): the body runs for the low half of a wave64, then the high.

/// SIMM16 counts dwords from the next instruction on.
static void jumpToTarget(Wave &wave, const MicroOp &op) {
  int64_t distance = int64_t(int16_t(op.simm16)) * 4;
  jumpTo(wave, op, op.pc + op.size + static_cast<uint64_t>(distance));
}

/// Saves the high half of EXEC and runs the low one; skips the loop without active lanes.
static void runSubvectorBegin(Wave &wave, const MicroOp &op) {
  uint64_t exec = wave.exec();
  auto low = static_cast<uint32_t>(exec);
  if (!exec)
    return jumpToTarget(wave, op);
  if (!low) {
    wave.writeScalar(op.destination.index, 0);
  } else {
    wave.writeScalar(op.destination.index, static_cast<uint32_t>(exec >> 32));
    wave.setExec(low);
  }
}

/// After the low half, jumps back for the saved high one; after that, restores the low one.
static void runSubvectorEnd(Wave &wave, const MicroOp &op) {
  uint32_t saved = wave.s[op.destination.index];
  uint64_t exec = wave.exec();
  if (exec >> 32) { // The high half is done.
    wave.setExec((exec & ~0xffffffffull) | saved);
  } else if (saved && wave.waveSize == 64) {
    wave.writeScalar(op.destination.index, static_cast<uint32_t>(exec));
    wave.setExec(uint64_t(saved) << 32);
    jumpToTarget(wave, op);
  }
}

// --- Registers chosen by M0

/// M0[9:0] moves the source, M0[25:16] the destination.
static void runMovRelBoth(Wave &wave, const MicroOp &op) {
  uint32_t from = op.sources[0].operand.index + (wave.s[sreg::M0] & 0x3ff);
  uint32_t to = op.destination.index + (wave.s[sreg::M0] >> 16 & 0x3ff);
  if (std::max(from, to) >= wave.group->program->options().sgprCount)
    return runOutOfRange(wave, op);
  wave.writeScalar(to, wave.s[from]);
}

/// v_swaprel: both register numbers plus a part of M0.
static void runSwapRel(Wave &wave, const MicroOp &op) {
  uint32_t from = op.sources[0].operand.index + (wave.s[sreg::M0] & 0x3ff);
  uint32_t to = op.destination.index + (wave.s[sreg::M0] >> 16 & 0x3ff);
  if (std::max(from, to) >= wave.v.size())
    return runOutOfRange(wave, op);
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    std::swap(wave.v[from][countr_zero(left)], wave.v[to][countr_zero(left)]);
}

// --- Barriers (GFX12)

namespace {
/// Barrier numbers below 0: all waves of the workgroup, and the trap handlers'.
constexpr int WorkgroupBarrier = -1;
constexpr int TrapBarrier = -2;
constexpr uint32_t MemberCountShift = 16;
constexpr uint32_t MemberCountMask = 63;
} // namespace

/// M0 holds a number in its low bits; an immediate is the number.
static int barrierNumber(const Wave &wave, const MicroOp &op) {
  const Source &source = op.sources[0];
  if (source.operand.type == OperandType::Sgpr)
    return int(wave.s[source.operand.index] & 31);
  return static_cast<int>(static_cast<int64_t>(source.operand.value));
}

/// Observers take a named barrier for an atomic in the global share: who comes to it later is
/// after who came before.
static void noteNamed(Wave &wave, const MicroOp &op, unsigned number) {
  constexpr uint64_t Base = uint64_t(1) << 32, GroupBytes = 4 * NamedBarrierCount;
  noteAccess(wave, op,
             {MemorySpace::Chip, true, true, true, 0, 4,
              Base + wave.group->index * GroupBytes + uint64_t(4) * number});
}

/// Begins the next phase if all members have signaled. Without members no phase ends.
static void completeNamed(NamedBarrier &barrier) {
  if (!barrier.memberCount || barrier.signalCount < barrier.memberCount)
    return;
  barrier.signalCount = 0;
  ++barrier.phase;
}

/// \p tellsFirst: SCC says whether no wave has signaled the phase yet.
static void signalNamed(Wave &wave, const MicroOp &op, bool tellsFirst) {
  int number = barrierNumber(wave, op);
  if (number == WorkgroupBarrier)
    return tellsFirst ? runWorkgroupSignalIsFirst(wave, op) : runWorkgroupSignal(wave, op);
  if (tellsFirst)
    wave.scc = false;
  if (number == TrapBarrier || number == 0)
    return;
  if (number < 0 || number >= int(NamedBarrierCount))
    return wave.fail(OutcomeKind::Trap, "BARRIER", op,
                     "barrier " + Twine(number) + " does not exist");
  NamedBarrier &barrier = wave.group->namedBarriers[static_cast<unsigned>(number)];
  if (tellsFirst)
    wave.scc = barrier.signalCount == 0;
  noteNamed(wave, op, static_cast<unsigned>(number));
  ++barrier.signalCount;
  completeNamed(barrier);
}

static void runBarrierSignal(Wave &wave, const MicroOp &op) {
  signalNamed(wave, op, false);
}
static void runBarrierSignalIsFirst(Wave &wave, const MicroOp &op) {
  signalNamed(wave, op, true);
}

/// Whether the phase that the wave joined or last saw is still the current one.
static bool isNamedBlocked(const Wave &wave) {
  return wave.group->namedBarriers[wave.namedBarrier].phase == wave.namedPhase;
}

/// -1 waits for the workgroup; numbers from 0 on for the barrier that the wave has joined.
static void runBarrierWait(Wave &wave, const MicroOp &op) {
  auto number = static_cast<int16_t>(op.simm16);
  if (number == WorkgroupBarrier)
    return runWorkgroupWait(wave, op);
  if (number < 0 || !wave.namedBarrier)
    return;
  if (isNamedBlocked(wave))
    return wave.block(op, isNamedBlocked);
  noteNamed(wave, op, wave.namedBarrier);
  wave.namedPhase = wave.group->namedBarriers[wave.namedBarrier].phase;
}

/// M0[4:0] names the barrier, M0[21:16] says how many waves it has.
static void runBarrierInit(Wave &wave, const MicroOp &op) {
  int number = barrierNumber(wave, op);
  if (number <= 0 || number >= int(NamedBarrierCount))
    return;
  NamedBarrier &barrier = wave.group->namedBarriers[static_cast<unsigned>(number)];
  unsigned phase = barrier.phase;
  barrier = {};
  barrier.phase = phase;
  barrier.isValid = true;
  barrier.memberCount =
      static_cast<uint8_t>(wave.s[sreg::M0] >> MemberCountShift & MemberCountMask);
}

/// Number 0 and unknown ones leave the wave without a barrier.
static void runBarrierJoin(Wave &wave, const MicroOp &op) {
  int number = barrierNumber(wave, op);
  wave.namedBarrier = number > 0 && number < int(NamedBarrierCount) ? unsigned(number) : 0;
  wave.namedPhase = wave.group->namedBarriers[wave.namedBarrier].phase;
}

/// The barrier goes on without the wave; SCC says whether it had one.
static void runBarrierLeave(Wave &wave, const MicroOp &op) {
  wave.scc = wave.namedBarrier != 0;
  if (!wave.namedBarrier)
    return;
  noteNamed(wave, op, wave.namedBarrier);
  NamedBarrier &barrier = wave.group->namedBarriers[wave.namedBarrier];
  if (barrier.memberCount)
    --barrier.memberCount;
  completeNamed(barrier);
  wave.namedBarrier = 0;
}

/// Bit 0 valid, bits 10:4 members, bits 22:16 signals. All 0 for barriers that do not exist.
static void runGetBarrierState(Wave &wave, const MicroOp &op) {
  constexpr unsigned Members = 4, Signals = 16;
  int number = barrierNumber(wave, op);
  NamedBarrier state;
  if (number == WorkgroupBarrier) {
    state.isValid = true;
    state.memberCount = static_cast<uint8_t>(wave.group->waveCount);
    state.signalCount = static_cast<uint8_t>(wave.group->barrierArrived);
  } else if (number > 0 && number < int(NamedBarrierCount)) {
    state = wave.group->namedBarriers[static_cast<unsigned>(number)];
  }
  wave.writeScalar(op.destination.index, uint32_t(state.isValid) |
                                             uint32_t(state.memberCount & 127) << Members |
                                             uint32_t(state.signalCount & 127) << Signals);
}

// --- Of debuggers, trap handlers and resource managers

static void runEndWave(Wave &wave, const MicroOp &) {
  wave.status = WaveStatus::Done;
}

static void runNothingElse(Wave &, const MicroOp &) {}

/// Nothing resumes a halted wave.
static void runHalt(Wave &wave, const MicroOp &op) {
  if (op.simm16 & 1)
    wave.fail(OutcomeKind::Trap, "HALT", op, "the wave halts for ever");
}

/// Ends the wave if bit 0 is set.
static void runKill(Wave &wave, const MicroOp &op) {
  if (op.simm16 & 1)
    wave.status = WaveStatus::Done;
}

/// Returning from a trap handler that was not entered.
static void runPrivileged(Wave &wave, const MicroOp &op) {
  wave.fail(OutcomeKind::Trap, "ILLEGAL", op, "only a trap handler may do this");
}

/// Counts from 0 in the workgroup.
static void runWaveNumber(Wave &wave, const MicroOp &op) {
  wave.writeScalar(op.destination.index, wave.number);
}

/// Registers are as many as the wave was launched with; to keep fewer succeeds, to get more does
/// not.
static void runAllocateVgprs(Wave &wave, const MicroOp &op) {
  wave.scc = (readUniform(wave, op.sources[0]) & 0x1ff) <= wave.v.size();
}

ArrayRef<OpRow> gcn::scalarStateRows() {
  static constexpr OperandKind B64 = OperandKind::B64;
  static constexpr OpRow Rows[] = {
      {"s_cbranch_i_fork", runForkImmediate, 0, B64},
      {"s_cbranch_g_fork", runFork, 0, B64},
      {"s_cbranch_join", runJoin},
      {"s_setvskip", runSetVectorSkip},
      {"s_subvector_loop_begin", runSubvectorBegin, 1},
      {"s_subvector_loop_end", runSubvectorEnd, 1},
      {"s_movrelsd_2_b32", runMovRelBoth, 1},
      {"v_swaprel_b32", runSwapRel, 1},
      {"s_barrier_signal", runBarrierSignal},
      {"s_barrier_signal_isfirst", runBarrierSignalIsFirst},
      {"s_barrier_wait", runBarrierWait},
      {"s_barrier_init", runBarrierInit},
      {"s_barrier_join", runBarrierJoin},
      {"s_barrier_leave", runBarrierLeave},
      {"s_get_barrier_state", runGetBarrierState, 1},
      {"s_endpgm_ordered_ps_done", runEndWave},
      // The debugger's conditions are never set: the branches fall through.
      {"s_cbranch_cdbgsys|s_cbranch_cdbguser|s_cbranch_cdbgsys_or_user|"
       "s_cbranch_cdbgsys_and_user|v_clrexcp",
       runNothingElse},
      {"s_sethalt", runHalt},
      {"s_setkill", runKill},
      {"s_rfe_b64|s_rfe_restore_b64", runPrivileged},
      {"s_get_waveid_in_workgroup", runWaveNumber, 1},
      {"s_alloc_vgpr", runAllocateVgprs},
  };
  return Rows;
}

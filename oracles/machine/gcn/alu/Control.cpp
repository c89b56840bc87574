// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, waits, the barrier of the workgroup, and what does nothing.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// For waits and hints that have no effect on results here.
static void runNothing(Wave &, const MicroOp &) {}

static void runInvalidateNear(Wave &wave, const MicroOp &) {
  noteSync(wave, SyncEvent::InvalidateNear);
}
static void runInvalidateFar(Wave &wave, const MicroOp &) {
  noteSync(wave, SyncEvent::InvalidateFar);
}
static void runInvalidateBoth(Wave &wave, const MicroOp &) {
  noteSync(wave, SyncEvent::InvalidateNear);
  noteSync(wave, SyncEvent::InvalidateFar);
}

/// GFX12: as its scope says (RDNA4 manual, "Scope"): 0 a compute unit, 1 a pair of them.
static void runInvalidateScope(Wave &wave, const MicroOp &op) {
  if (op.inst->mods.scope >= 1)
    noteSync(wave, SyncEvent::InvalidateNear);
  if (op.inst->mods.scope >= 2)
    noteSync(wave, SyncEvent::InvalidateFar);
}

static void runEnd(Wave &wave, const MicroOp &) {
  wave.status = WaveStatus::Done;
}

/// Completes entries of the scoreboard down to the instruction's limits.
static void runWait(Wave &wave, const MicroOp &op) {
  wave.scoreboard.wait(op.limits);
}

/// Continues at instruction number \p target; a trap when there is none.
static void jump(Wave &wave, const MicroOp &op, uint32_t target) {
  if (target == NoTarget)
    wave.fail(OutcomeKind::Trap, "BAD-BRANCH", op, "a branch to where no instruction is");
  else
    wave.next = target;
}

static void branchIf(Wave &wave, const MicroOp &op, bool taken) {
  if (taken)
    jump(wave, op, op.target);
}

static void runBranch(Wave &wave, const MicroOp &op) {
  branchIf(wave, op, true);
}
static void runBranchScc0(Wave &wave, const MicroOp &op) {
  branchIf(wave, op, !wave.scc);
}
static void runBranchScc1(Wave &wave, const MicroOp &op) {
  branchIf(wave, op, wave.scc);
}
static void runBranchVccz(Wave &wave, const MicroOp &op) {
  branchIf(wave, op, !wave.vcc());
}
static void runBranchVccnz(Wave &wave, const MicroOp &op) {
  branchIf(wave, op, wave.vcc());
}
static void runBranchExecz(Wave &wave, const MicroOp &op) {
  branchIf(wave, op, !wave.exec());
}
static void runBranchExecnz(Wave &wave, const MicroOp &op) {
  branchIf(wave, op, wave.exec());
}

/// The address of the next instruction.
static void runGetPc(Wave &wave, const MicroOp &op) {
  wave.writeScalar64(op.destination.index, op.pc + op.size);
}

/// Addresses have 48 bits; the code lies in the lower half.
static uint32_t findTarget(const Wave &wave, uint64_t address) {
  return wave.group->program->findOp(address & AddressMask);
}

static void runSetPc(Wave &wave, const MicroOp &op) {
  jump(wave, op, findTarget(wave, readUniform(wave, op.sources[0])));
}

/// Reads the target before it writes the return address: both may be the same pair.
static void runSwapPc(Wave &wave, const MicroOp &op) {
  uint64_t target = readUniform(wave, op.sources[0]);
  wave.writeScalar64(op.destination.index, op.pc + op.size);
  jump(wave, op, findTarget(wave, target));
}

/// The target is in the instruction, and was found when it was bound.
static void runCall(Wave &wave, const MicroOp &op) {
  wave.writeScalar64(op.destination.index, op.pc + op.size);
  jump(wave, op, op.target);
}

/// Arrives at the workgroup's barrier. The last wave to arrive completes the phase.
static void signalBarrier(Wave &wave) {
  Workgroup &group = *wave.group;
  wave.signaled = true;
  wave.waitPhase = group.barrierPhase + 1;
  wave.barrierViews.add(takeBarrierView(wave));
  noteSync(wave, SyncEvent::Signal);
  if (++group.barrierArrived < group.waveCount)
    return;
  group.barrierArrived = 0;
  ++group.barrierPhase;
}

/// Suspends the wave until the phase that it signaled is complete.
static void waitBarrier(Wave &wave) {
  wave.signaled = false;
  if (wave.group->barrierPhase < wave.waitPhase)
    wave.status = WaveStatus::AtBarrier;
}

static void runBarrier(Wave &wave, const MicroOp &) {
  signalBarrier(wave);
  waitBarrier(wave);
}

/// s_barrier_signal -1; a second one without a wait is a trap.
void gcn::runWorkgroupSignal(Wave &wave, const MicroOp &op) {
  if (wave.signaled)
    wave.fail(OutcomeKind::Trap, "BARRIER", op, "a second signal before the wait");
  else
    signalBarrier(wave);
}

/// SCC says whether no wave has signaled this phase yet.
void gcn::runWorkgroupSignalIsFirst(Wave &wave, const MicroOp &op) {
  wave.scc = wave.group->barrierArrived == 0;
  runWorkgroupSignal(wave, op);
}

void gcn::runWorkgroupWait(Wave &wave, const MicroOp &op) {
  if (!wave.signaled)
    wave.fail(OutcomeKind::Trap, "BARRIER", op, "a wait without a signal");
  else
    waitBarrier(wave);
}

/// Ends the run: there is no trap handler.
static void runTrap(Wave &wave, const MicroOp &op) {
  wave.fail(OutcomeKind::Trap, "S-TRAP", op, "the code gave up");
}

/// Time is the number of instructions that the wave has executed, so runs are reproducible.
static void runTime(Wave &wave, const MicroOp &op) {
  wave.writeScalar64(op.destination.index, wave.instructions);
}

/// GFX9: M0[7:0] := index, M0[15:12] := the operands it applies to.
static void runSetGprIndexOn(Wave &wave, const MicroOp &op) {
  auto index = static_cast<uint32_t>(readUniform(wave, op.sources[0]));
  auto mode = static_cast<uint8_t>((op.inst->words[0] >> 8) & 0xf);
  wave.s[sreg::M0] = (wave.s[sreg::M0] & ~0xf0ffu) | (index & 0xff) | uint32_t(mode) << 12;
  wave.setGprIndexMode(mode);
}

static void runSetGprIndexOff(Wave &wave, const MicroOp &) {
  wave.setGprIndexMode(0);
}

/// M0[7:0] := index; the mode stays.
static void runSetGprIndexIndex(Wave &wave, const MicroOp &op) {
  auto index = static_cast<uint32_t>(readUniform(wave, op.sources[0]));
  wave.s[sreg::M0] = (wave.s[sreg::M0] & ~0xffu) | (index & 0xff);
}

/// M0[15:12] := the operands that the index applies to.
static void runSetGprIndexMode(Wave &wave, const MicroOp &op) {
  wave.setGprIndexMode(op.simm16 & 0xf);
  wave.s[sreg::M0] = (wave.s[sreg::M0] & ~0xf000u) | uint32_t(wave.gprIndexMode()) << 12;
}

/// s_movrels: the number of the source register plus M0.
template <unsigned Words> static void runMovRelSource(Wave &wave, const MicroOp &op) {
  uint64_t from = uint64_t(op.sources[0].operand.index) + wave.s[sreg::M0];
  if (from + Words > sreg::VccLo)
    return wave.fail(OutcomeKind::Trap, "REG-RANGE", op, "a register index beyond the SGPRs");
  for (unsigned i = 0; i < Words; ++i)
    wave.writeScalar(op.destination.index + i, wave.s[from + i]);
}

/// s_movreld: the number of the destination register plus M0.
template <unsigned Words> static void runMovRelDestination(Wave &wave, const MicroOp &op) {
  uint64_t to = uint64_t(op.destination.index) + wave.s[sreg::M0];
  if (to + Words > sreg::VccLo)
    return wave.fail(OutcomeKind::Trap, "REG-RANGE", op, "a register index beyond the SGPRs");
  uint64_t value = readUniform(wave, op.sources[0]);
  for (unsigned i = 0; i < Words; ++i)
    wave.s[to + i] = static_cast<uint32_t>(value >> (32 * i));
}

/// Columns: names, handler, destinations, kind of the sources.
ArrayRef<OpRow> gcn::controlRows() {
  static constexpr OperandKind B64 = OperandKind::B64;
  static constexpr OpRow Rows[] = {
      {"s_nop|s_delay_alu|s_clause|s_waitcnt_depctr|s_wait_alu|s_wait_event|s_sleep|s_setprio|"
       "s_inst_prefetch|s_set_inst_prefetch_distance|s_code_end|s_version|s_ttracedata|"
       "s_ttracedata_imm|s_incperflevel|s_decperflevel|s_icache_inv|s_dcache_inv|s_dcache_wb|s_"
       "dcache_inv_vol|"
       "s_dcache_wb_vol|s_dcache_discard|s_dcache_discard_x2|s_atc_probe|s_atc_probe_buffer|"
       "s_gl1_inv|s_prefetch_inst|s_prefetch_inst_pc_rel|s_prefetch_data|s_buffer_prefetch_data|"
       "s_prefetch_data_pc_rel|v_nop|s_wakeup|v_pipeflush|global_wb|ds_nop|s_sleep_var",
       runNothing},
      {"buffer_gl0_inv", runInvalidateNear},
      {"buffer_gl1_inv", runInvalidateFar},
      {"buffer_wbinvl1|buffer_wbinvl1_vol", runInvalidateBoth},
      {"global_inv|global_wbinv", runInvalidateScope},
      {"s_waitcnt|s_waitcnt_vscnt|s_waitcnt_vmcnt|s_waitcnt_expcnt|s_waitcnt_lgkmcnt|"
       "s_wait_loadcnt|s_wait_storecnt|s_wait_samplecnt|s_wait_bvhcnt|s_wait_expcnt|s_wait_dscnt|"
       "s_wait_kmcnt|s_wait_loadcnt_dscnt|s_wait_storecnt_dscnt|s_wait_idle",
       runWait},
      {"s_endpgm|s_endpgm_saved", runEnd},
      {"s_branch", runBranch},
      {"s_cbranch_scc0", runBranchScc0},
      {"s_cbranch_scc1", runBranchScc1},
      {"s_cbranch_vccz", runBranchVccz},
      {"s_cbranch_vccnz", runBranchVccnz},
      {"s_cbranch_execz", runBranchExecz},
      {"s_cbranch_execnz", runBranchExecnz},
      {"s_getpc_b64", runGetPc, 1},
      {"s_setpc_b64", runSetPc, 0, B64},
      {"s_swappc_b64", runSwapPc, 1, B64},
      {"s_call_b64", runCall, 1},
      {"s_barrier", runBarrier},
      {"s_trap", runTrap},
      {"s_memtime|s_memrealtime", runTime, 1},
      {"s_set_gpr_idx_on", runSetGprIndexOn},
      {"s_set_gpr_idx_off", runSetGprIndexOff},
      {"s_set_gpr_idx_idx", runSetGprIndexIndex},
      {"s_set_gpr_idx_mode", runSetGprIndexMode},
      {"s_movrels_b32", runMovRelSource<1>, 1},
      {"s_movrels_b64", runMovRelSource<2>, 1, B64},
      {"s_movreld_b32", runMovRelDestination<1>, 1},
      {"s_movreld_b64", runMovRelDestination<2>, 1, B64},
  };
  return Rows;
}

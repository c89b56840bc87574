// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar instructions that are no arithmetic, from the SOP1, SOPK and SOPP opcodes of AMD's ISA
// manuals (Vega to RDNA 4): jumps, forks, loops over halves of a wave, ends, what only orders or
// delays. Modes and masks are in StateEffects.cpp, barriers and messages in SyncEffects.cpp.
#include "oracles/machine/gcn/definitions/ControlMeaning.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// SIMM16 counts dwords from the next instruction on.
static uint64_t branchTarget(const Request &request, const World &world) {
  int64_t distance = request.immediate;
  distance = distance >= 0x8000 ? distance - 0x10000 : distance;
  return world.next + static_cast<uint64_t>(distance * 4);
}

static void jumpIf(const Request &request, World &world, bool isTaken) {
  if (isTaken)
    world.next = branchTarget(request, world);
}

/// Writes 64 bits to two SGPRs, low half first.
static void setPair(World &world, unsigned index, uint64_t value) {
  world.s[index] = static_cast<uint32_t>(value);
  world.s[index + 1] = static_cast<uint32_t>(value >> 32);
}

/// Only the lanes that the wave has.
static uint64_t vccOf(const World &world) {
  uint64_t low = world.s[sreg::VccLo];
  return world.lanes == 64 ? low | uint64_t(world.s[sreg::VccLo + 1]) << 32 : low;
}

/// The 48 bits of an address in a pair of SGPRs.
static uint64_t addressIn(const World &world, unsigned index) {
  return world.pair(index) & 0xffffffffffff;
}

/// Where no instruction is, the run ends.
static void jumpTo(World &world, uint64_t address) {
  world.faults |= address != world.entry && address != world.pc && address != world.following;
  world.next = address;
}

/// The target is read first: source and destination may be the same pair.
static void swapPc(const Request &request, World &world) {
  uint64_t target = addressIn(world, request.data0);
  setPair(world, request.dst, world.following);
  jumpTo(world, target);
}

/// Saves the address of the next instruction.
static void call(const Request &request, World &world) {
  setPair(world, request.dst, world.next);
  world.next = branchTarget(request, world);
}

// --- Forks (GFX9): masks and addresses of those who wait lie in SGPRs, four each; MODE counts.

/// The number of lane masks that wait, in MODE[31:29].
static unsigned depthOf(const World &world) {
  return world.mode >> 29;
}
static void setDepth(World &world, unsigned depth) {
  world.mode = (world.mode & 0x1fffffff) | (depth & 7) << 29;
}

static unsigned countLanes(uint64_t mask) {
  return unsigned(__builtin_popcountll(mask));
}

/// The smaller part goes first.
static void fork(World &world, uint64_t condition, uint64_t target) {
  uint64_t exec = world.exec(), pass = condition & exec, fail = exec & ~condition;
  if (!fail)
    return jumpTo(world, target);
  if (!pass)
    return;
  unsigned depth = depthOf(world);
  bool failsFirst = countLanes(fail) < countLanes(pass);
  setPair(world, depth * 4, failsFirst ? pass : fail);
  setPair(world, depth * 4 + 2, failsFirst ? target : world.next);
  setDepth(world, depth + 1);
  setPair(world, sreg::ExecLo, failsFirst ? fail : pass);
  if (!failsFirst)
    jumpTo(world, target);
}

/// Resumes the part that waits, unless the depth is that of the fork, which the source register
/// has.
static void join(const Request &request, World &world) {
  if (depthOf(world) == world.s[request.data0])
    return;
  setDepth(world, depthOf(world) - 1);
  unsigned depth = depthOf(world);
  uint64_t target = addressIn(world, depth * 4 + 2);
  setPair(world, sreg::ExecLo, world.pair(depth * 4));
  jumpTo(world, target);
}

// --- Loops over halves of a wave (GFX10, GFX11)

/// Runs the loop for the low half first, and saves the mask of the high half. Without active lanes,
/// the loop is skipped.
static void beginHalves(const Request &request, World &world) {
  uint32_t low = world.s[sreg::ExecLo];
  uint32_t high = world.lanes == 64 ? world.s[sreg::ExecLo + 1] : 0;
  if (!low && !high) {
    world.next = branchTarget(request, world);
  } else if (!low) {
    world.s[request.dst] = 0;
  } else {
    world.s[request.dst] = high;
    if (world.lanes == 64)
      world.s[sreg::ExecLo + 1] = 0;
  }
}

/// After the low half, jumps back for the high one; after the high half, restores the low one.
static void endHalves(const Request &request, World &world) {
  if (world.lanes != 64)
    return;
  uint32_t saved = world.s[request.dst];
  if (world.s[sreg::ExecLo + 1]) {
    world.s[sreg::ExecLo] = saved;
  } else if (saved) {
    world.s[request.dst] = world.s[sreg::ExecLo];
    world.s[sreg::ExecLo] = 0;
    world.s[sreg::ExecLo + 1] = saved;
    world.next = branchTarget(request, world);
  }
}

static void end(const Request &, World &world) {
  world.isDone = true;
}
static void endRun(const Request &, World &world) {
  world.faults = true;
}

#define DO(STATEMENT)                                                                              \
  [](const Request &r, World &w) {                                                                 \
    (void)r;                                                                                       \
    STATEMENT;                                                                                     \
  }

/// Columns: name without "s_", operands, dwords of destination and source, effect.
ArrayRef<ControlRow> gcn::definitions::jumpRows() {
  using F = ScalarForm;
  static const ControlRow Rows[] = {
      {"branch", F::Branch, 0, 0, DO(jumpIf(r, w, true))},
      {"cbranch_scc0", F::Branch, 0, 0, DO(jumpIf(r, w, !w.scc))},
      {"cbranch_scc1", F::Branch, 0, 0, DO(jumpIf(r, w, w.scc))},
      {"cbranch_vccz", F::Branch, 0, 0, DO(jumpIf(r, w, vccOf(w) == 0))},
      {"cbranch_vccnz", F::Branch, 0, 0, DO(jumpIf(r, w, vccOf(w) != 0))},
      {"cbranch_execz", F::Branch, 0, 0, DO(jumpIf(r, w, w.exec() == 0))},
      {"cbranch_execnz", F::Branch, 0, 0, DO(jumpIf(r, w, w.exec() != 0))},
      {"getpc_b64", F::Dst, 2, 0, DO(setPair(w, r.dst, w.next))},
      {"setpc_b64", F::Source, 0, 2, DO(jumpTo(w, addressIn(w, r.data0)))},
      {"swappc_b64", F::DstSource, 2, 2, swapPc},
      {"call_b64", F::DstBranch, 2, 0, call},
      {"cbranch_i_fork", F::SourceBranch, 0, 2, DO(fork(w, w.pair(r.data0), branchTarget(r, w)))},
      {"cbranch_g_fork", F::SourceSource, 0, 2,
       DO(fork(w, w.pair(r.data0), addressIn(w, r.data1)))},
      {"cbranch_join", F::Source, 0, 1, join},
      {"subvector_loop_begin", F::DstBranch, 1, 0, beginHalves},
      {"subvector_loop_end", F::DstBranch, 1, 0, endHalves},
      {"endpgm", F::None, 0, 0, end},
      {"endpgm_saved", F::None, 0, 0, end},
      {"endpgm_ordered_ps_done", F::None, 0, 0, end},
      {"setkill", F::Immediate, 0, 0, DO(w.isDone = r.immediate % 2)},
      {"sethalt", F::Immediate, 0, 0, DO(w.faults = r.immediate % 2)}, // For ever.
      {"trap", F::Immediate, 0, 0, endRun},                            // There is no trap handler.
      {"rfe_b64", F::Source, 0, 2, endRun},
      {"rfe_restore_b64", F::SourceSource, 0, 2, endRun},
  };
  return Rows;
}

/// What code cannot see: it delays, orders, tells a debugger or a profiler, or depends on one.
static bool isInert(StringRef name) {
  static constexpr StringLiteral Names[] = {
      "nop",          "delay_alu",  "clause",         "sleep",
      "sleep_var",    "setprio",    "inst_prefetch",  "code_end",
      "version",      "ttracedata", "ttracedata_imm", "incperflevel",
      "decperflevel", "icache_inv", "wakeup",         "set_inst_prefetch_distance"};
  for (StringRef each : Names)
    if (each == name)
      return true;
  return name.starts_with("waitcnt") || name.starts_with("wait_") ||
         name.starts_with("cbranch_cdbg");
}

/// The operands that an inert instruction has in assembly.
static ScalarForm inertForm(StringRef name) {
  if (name.starts_with("cbranch"))
    return ScalarForm::Branch;
  if (name.starts_with("waitcnt_") && name != "waitcnt_depctr")
    return ScalarForm::NullImmediate;
  if (name == "sleep_var")
    return ScalarForm::Source;
  bool isBare = name == "icache_inv" || name == "wakeup" || name == "ttracedata" ||
                name == "code_end" || name == "wait_idle";
  return isBare ? ScalarForm::None : ScalarForm::Immediate;
}

/// Looks in the inert instructions, the three tables, and last in the operations on EXEC.
std::optional<Effect> gcn::definitions::controlEffect(StringRef name) {
  if (!name.consume_front("s_"))
    return std::nullopt;
  Effect effect;
  if (isInert(name)) {
    effect.isInert = true;
    effect.scalar = inertForm(name);
    effect.data0 = effect.scalar == ScalarForm::Source;
    effect.run = [](const Request &, World &) {};
    return effect;
  }
  for (ArrayRef<ControlRow> rows : {jumpRows(), stateRows(), syncRows()})
    for (const ControlRow &row : rows) {
      if (row.name != name)
        continue;
      effect.scalar = row.form;
      effect.dst = row.dst;
      effect.data0 = row.source;
      effect.data1 = name == "rfe_restore_b64" ? 1 : row.source;
      effect.run = row.run;
      return effect;
    }
  return execMaskEffect(name);
}

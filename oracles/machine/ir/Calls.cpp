// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables put together, and intrinsics.
#include "oracles/machine/ir/Calls.h"

#include "oracles/ir/Exchange.h"
#include "oracles/ir/ExecutionLog.h"
#include "oracles/machine/gcn/launch/Layout.h"
#include "oracles/machine/ir/WaveRun.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;

/// Gives every lane of the group the integer \p number as result.
static void setNumber(ir::Machine &machine, const Inst &inst, uint64_t number) {
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = {APInt(inst.bits, number)};
}

/// MODE decides how unconstrained operations round, of which IR takes the nearest for granted.
static void runSetRegister(ir::Machine &, const Inst &) {}

/// What only keeps LLVM from doing something.
static void runNothing(ir::Machine &, const Inst &) {}

/// opaque.true: a condition that LLVM must not fold.
static void runTrue(ir::Machine &machine, const Inst &inst) {
  setNumber(machine, inst, 1);
}

/// Enters the barrier into the execution log, if there is one, and pauses the wave.
static void runBarrier(ir::Machine &machine, const Inst &) {
  if (ir::ExecutionLog *log = waveOf(machine).log())
    log->addBarrier(waveOf(machine).firstThread());
  machine.pause();
}

/// Code has no address here; but it lies where the tables do.
static void runProgramCounter(ir::Machine &machine, const Inst &inst) {
  setNumber(machine, inst, gcn::ImageBase);
}

/// The same for all lanes of the wave.
template <unsigned dimension> static void runGroupId(ir::Machine &machine, const Inst &inst) {
  setNumber(machine, inst, waveOf(machine).group()[dimension]);
}

static void runWaveSize(ir::Machine &machine, const Inst &inst) {
  setNumber(machine, inst, waveOf(machine).waveSize());
}

static void runWaveNumber(ir::Machine &machine, const Inst &inst) {
  setNumber(machine, inst, waveOf(machine).number());
}

/// Each reading is one more than the last of any wave of the dispatch.
static void runClock(ir::Machine &machine, const Inst &inst) {
  setNumber(machine, inst, ++waveOf(machine).facts().clock);
}

/// ds.bpermute reads from the same half of a wave of 64 on GFX10 and GFX11 (LLVM,
/// supportsWaveWideBPermute).
static void runBackwardPermute(ir::Machine &machine, const Inst &inst) {
  unsigned major = waveOf(machine).hardware().gfxMajor;
  ir::permuteBackward(machine, inst, major < 10 || major >= 12 ? machine.laneCount() : 32);
}

/// Intrinsics that ask where a wave is. Those of images, cubes and stages have tables of their
/// families.
static constexpr ir::IntrinsicRow intrinsicRows[] = {
    {Intrinsic::amdgcn_s_barrier, runBarrier},
    {Intrinsic::amdgcn_ds_bpermute, runBackwardPermute},
    {Intrinsic::amdgcn_strict_wwm, runWholeWave},
    {Intrinsic::amdgcn_s_getpc, runProgramCounter},
    {Intrinsic::amdgcn_s_setreg, runSetRegister},
    {Intrinsic::amdgcn_workgroup_id_x, runGroupId<0>},
    {Intrinsic::amdgcn_workgroup_id_y, runGroupId<1>},
    {Intrinsic::amdgcn_workgroup_id_z, runGroupId<2>},
    {Intrinsic::amdgcn_wavefrontsize, runWaveSize},
    {Intrinsic::amdgcn_wave_id, runWaveNumber},
    {Intrinsic::readcyclecounter, runClock},
    {Intrinsic::readsteadycounter, runClock},
    {Intrinsic::amdgcn_s_memrealtime, runClock},
    {Intrinsic::amdgcn_s_memtime, runClock},
};

/// All tables of intrinsics by LLVM's number. Built once.
static const DenseMap<unsigned, ir::Handler> &intrinsics() {
  static const DenseMap<unsigned, ir::Handler> handlers = [] {
    DenseMap<unsigned, ir::Handler> map;
    for (ArrayRef<ir::IntrinsicRow> rows :
         {ArrayRef(intrinsicRows), cubeIntrinsics(), stageIntrinsics()})
      for (const ir::IntrinsicRow &row : rows)
        map[row.id] = row.run;
    return map;
  }();
  return handlers;
}

/// All tables of ops by name, without "lgc." and type suffixes. Built once.
static const StringMap<ir::Handler> &ops() {
  static const StringMap<ir::Handler> handlers = [] {
    StringMap<ir::Handler> map;
    for (ArrayRef<OpRow> rows :
         {resourceOps(), arithmeticOps(), subgroupOps(), imageOps(), stageOps(), loweredStageOps()})
      for (const OpRow &row : rows)
        map[row.name] = row.run;
    map["barrier"] = runBarrier;
    map["anchor"] = runNothing;
    map["opaque.true"] = runTrue;
    map["read.clock"] = runClock;
    return map;
  }();
  return handlers;
}

/// Returns null for functions whose meaning is not known here. Overloaded ops are found by their
/// name without the types.
ir::Handler irm::findCallHandler(const Function &callee) {
  if (callee.isIntrinsic()) {
    if (ir::Handler handler = intrinsics().lookup(callee.getIntrinsicID()))
      return handler;
    return findImageIntrinsic(Intrinsic::getBaseName(callee.getIntrinsicID()));
  }
  StringRef name = callee.getName();
  if (!name.consume_front("lgc."))
    return nullptr;
  // The longest name that there is: "image.load" of "image.load.v4f32".
  for (; !name.empty(); name = name.rsplit('.').first) {
    if (ir::Handler handler = ops().lookup(name))
      return handler;
    if (!name.contains('.'))
      break;
  }
  return nullptr;
}

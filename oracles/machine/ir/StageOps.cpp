// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of vertex and fragment stages: inputs, outputs, derivatives, ends of invocations.
#include "oracles/ir/Floats.h"
#include "oracles/machine/ir/Calls.h"
#include "oracles/machine/ir/WaveRun.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::RunState;
using ir::Scalar;

/// Operands: location, component, format, interpolation.
static void runReadInput(ir::Machine &machine, const Inst &inst) {
  InputRequest request{{number(inst, 0), number(inst, 1), 0},
                       static_cast<InterfaceFormat>(number(inst, 2)),
                       number(inst, 3)};
  if (const StageWave *stage = stageOf(machine))
    for (Lane *lane : machine.group())
      lane->slots[inst.slot] = stage->inputs.read(lane->number, request);
}

/// Operands: location, component, index, format, value.
static void runWriteOutput(ir::Machine &machine, const Inst &inst) {
  InterfacePlace place{number(inst, 0), number(inst, 1), number(inst, 2)};
  if (StageWave *stage = stageOf(machine))
    for (const Lane *lane : machine.group())
      stage->lanes[lane->number].outputs[place] = {static_cast<InterfaceFormat>(number(inst, 3)),
                                                   *lane->get(inst.operands[4])};
}

/// Operands: built-in, element.
static void runReadBuiltIn(ir::Machine &machine, const Inst &inst) {
  BuiltInPlace place{number(inst, 0), number(inst, 1)};
  if (const StageWave *stage = stageOf(machine))
    for (Lane *lane : machine.group())
      lane->slots[inst.slot] = stage->inputs.readBuiltIn(lane->number, place);
}

/// Operands: built-in, element, value.
static void runWriteBuiltIn(ir::Machine &machine, const Inst &inst) {
  BuiltInPlace place{number(inst, 0), number(inst, 1)};
  if (StageWave *stage = stageOf(machine))
    for (const Lane *lane : machine.group())
      stage->lanes[lane->number].builtIns[place] = *lane->get(inst.operands[2]);
}

/// Differences of a quad, fine for all kinds of derivatives: an implementation may compute any of
/// them so (Vulkan 1.3, "Derivative Operations"). Poison where a neighbour does not run.
static void runDerivative(ir::Machine &machine, const Inst &inst) {
  std::array<const Lane *, 64> active = {};
  for (const Lane *lane : machine.group())
    active[lane->number] = lane;
  // Odd kinds are of y (compiler/lgc/InOut.h, Derivative).
  unsigned step = immediate(inst, 1) & 1 ? 2 : 1;
  for (Lane *lane : machine.group()) {
    const Lane *low = active[lane->number & ~step], *high = active[lane->number | step];
    for (uint32_t i = 0; i < inst.count; ++i) {
      Scalar &result = lane->slots[inst.slot + i];
      const Scalar *a = low ? low->get(inst.operands[0]) + i : nullptr;
      const Scalar *b = high ? high->get(inst.operands[0]) + i : nullptr;
      if (!a || !b || a->isPoison || b->isPoison) {
        ir::setPoison(result, inst.bits);
        continue;
      }
      APFloat difference = ir::toFloat(inst, *b);
      difference.subtract(ir::toFloat(inst, *a), APFloat::rmNearestTiesToEven);
      result = Scalar();
      ir::setFloat(inst, difference, result);
    }
  }
}

/// Ends the lanes of the group: they leave all functions that they are in.
static void runTerminate(ir::Machine &machine, const Inst &) {
  StageWave *stage = stageOf(machine);
  if (!stage)
    return;
  for (Lane *lane : machine.group()) {
    stage->lanes[lane->number].isKilled = true;
    while (!lane->isDone)
      machine.leave(*lane, nullptr, 0);
  }
}

/// Lanes continue as helpers; their outputs do not count.
static void runDemote(ir::Machine &machine, const Inst &) {
  if (StageWave *stage = stageOf(machine))
    for (const Lane *lane : machine.group())
      stage->lanes[lane->number].isKilled = stage->lanes[lane->number].isHelper = true;
}

/// True for lanes that began as helpers or were demoted.
static void runIsHelper(ir::Machine &machine, const Inst &inst) {
  if (const StageWave *stage = stageOf(machine))
    for (Lane *lane : machine.group())
      lane->slots[inst.slot] = {APInt(1, stage->lanes[lane->number].isHelper)};
}

ArrayRef<OpRow> irm::stageOps() {
  static constexpr OpRow Rows[] = {
      {"read.input", runReadInput},
      {"write.output", runWriteOutput},
      {"read.stage.built.in", runReadBuiltIn},
      {"write.stage.built.in", runWriteBuiltIn},
      {"derivative", runDerivative},
      {terminateOp, runTerminate},
      {"demote", runDemote},
      {"is.helper", runIsHelper},
  };
  return Rows;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What AMD's passes make of the inputs, outputs and controls of graphics stages: registers,
// interpolation, exports, and the end of fragments (AMD's ISA manuals, "Parameter Interpolation",
// "Exports"; LLVM, IntrinsicsAMDGPU.td).
#include "oracles/ir/Floats.h"
#include "oracles/machine/ir/Calls.h"
#include "oracles/machine/ir/WaveRun.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::RunState;
using ir::Scalar;

/// Operand: the number of the input. Stops the machine for an input that the stage does not have.
static void runStageInput(ir::Machine &machine, const Inst &inst) {
  const StageWave *stage = stageOf(machine);
  if (!stage)
    return;
  for (Lane *lane : machine.group()) {
    auto words = stage->hardware.readRegister(lane->number, number(inst, 0));
    if (!words)
      return machine.stop(RunState::Unsupported, "input " + Twine(number(inst, 0)) + " of a stage");
    for (uint32_t i = 0; i < inst.count && i < words->size(); ++i)
      lane->slots[inst.slot + i] = {APInt(32, (*words)[i])};
  }
}

// --- Interpolation

static Scalar poison() {
  return {APInt(32, 0), /*isPoison=*/true};
}

/// The f32 with the bits of \p scalar.
static APFloat toFloat(const Scalar &scalar) {
  return {APFloat::IEEEsingle(), scalar.bits};
}

/// \p slope * \p weight + \p start, rounded once.
static Scalar interpolate(const Scalar &slope, const Scalar &weight, const Scalar &start) {
  if (slope.isPoison || weight.isPoison || start.isPoison)
    return poison();
  APFloat result = toFloat(slope);
  result.fusedMultiplyAdd(toFloat(weight), toFloat(start), APFloat::rmNearestTiesToEven);
  return {result.bitcastToAPInt()};
}

/// P0 (0), P10 (1) or P20 (2) of the attribute whose channel and number are operands \p first and
/// the next.
static Scalar readParameter(const StageWave &stage, const Inst &inst, unsigned first,
                            unsigned which) {
  auto words = stage.hardware.readParameter(number(inst, first + 1), number(inst, first));
  return words ? Scalar{APInt(32, (*words)[which])} : poison();
}

/// P10 * I + P0. Operands: I, channel, attribute.
static void runInterpolateFirst(ir::Machine &machine, const Inst &inst) {
  if (const StageWave *stage = stageOf(machine))
    for (Lane *lane : machine.group())
      lane->slots[inst.slot] =
          interpolate(readParameter(*stage, inst, 1, 1), *lane->get(inst.operands[0]),
                      readParameter(*stage, inst, 1, 0));
}

/// P20 * J + the result of the first step. Operands: that, J, channel, attribute.
static void runInterpolateSecond(ir::Machine &machine, const Inst &inst) {
  if (const StageWave *stage = stageOf(machine))
    for (Lane *lane : machine.group())
      lane->slots[inst.slot] =
          interpolate(readParameter(*stage, inst, 2, 2), *lane->get(inst.operands[1]),
                      *lane->get(inst.operands[0]));
}

/// One half of \p word as an f32.
static Scalar halfOf(const Scalar &word, bool isHigh) {
  if (word.isPoison)
    return poison();
  APFloat value(APFloat::IEEEhalf(), word.bits.extractBits(16, isHigh ? 16 : 0));
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return {value.bitcastToAPInt()};
}

/// The f32 \p scalar, rounded to a half.
static Scalar toHalf(const Scalar &scalar) {
  if (scalar.isPoison)
    return {APInt(16, 0), /*isPoison=*/true};
  APFloat value = toFloat(scalar);
  bool losesInfo;
  value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return {value.bitcastToAPInt()};
}

/// The same for halves; the result is a float. Operands: I, channel, attribute, whether it is the
/// high half.
static void runInterpolateFirstHalf(ir::Machine &machine, const Inst &inst) {
  const StageWave *stage = stageOf(machine);
  if (!stage)
    return;
  bool isHigh = number(inst, 3) != 0;
  Scalar start = halfOf(readParameter(*stage, inst, 1, 0), isHigh);
  Scalar slope = halfOf(readParameter(*stage, inst, 1, 1), isHigh);
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] = interpolate(slope, *lane->get(inst.operands[0]), start);
}

/// Operands: the result of the first step, J, channel, attribute, whether it is the high half.
static void runInterpolateSecondHalf(ir::Machine &machine, const Inst &inst) {
  const StageWave *stage = stageOf(machine);
  if (!stage)
    return;
  Scalar slope = halfOf(readParameter(*stage, inst, 2, 2), number(inst, 4) != 0);
  for (Lane *lane : machine.group())
    lane->slots[inst.slot] =
        toHalf(interpolate(slope, *lane->get(inst.operands[1]), *lane->get(inst.operands[0])));
}

/// The parameter is 0 for P10, 1 for P20, 2 for P0.
static void runInterpolateMove(ir::Machine &machine, const Inst &inst) {
  constexpr unsigned Parameters[] = {1, 2, 0};
  const StageWave *stage = stageOf(machine);
  if (stage && number(inst, 0) >= std::size(Parameters))
    return machine.stop(RunState::Undefined, "a parameter that does not exist");
  if (stage)
    for (Lane *lane : machine.group())
      lane->slots[inst.slot] = readParameter(*stage, inst, 1, Parameters[number(inst, 0)]);
}

/// P0, P10 and P20 are in the first three lanes of each quad.
static void runLoadParameter(ir::Machine &machine, const Inst &inst) {
  if (const StageWave *stage = stageOf(machine))
    for (Lane *lane : machine.group())
      lane->slots[inst.slot] =
          lane->number % 4 < 3 ? readParameter(*stage, inst, 0, lane->number % 4) : poison();
}

/// Of operand \p operand of lane \p place of the quad of \p lane; poison where that does not run.
static Scalar readFromQuad(ir::Machine &machine, const Inst &inst, const Lane &lane,
                           unsigned operand, unsigned place) {
  for (const Lane *other : machine.group())
    if (other->number == (lane.number & ~3u) + place)
      return *other->get(inst.operands[operand]);
  return poison();
}

/// Results may be where operands of other lanes are: all are made before any is written.
template <unsigned slope> static void runInRegister(ir::Machine &machine, const Inst &inst) {
  SmallVector<Scalar, 64> results;
  for (const Lane *lane : machine.group()) {
    Scalar start =
        slope == 1 ? readFromQuad(machine, inst, *lane, 2, 0) : *lane->get(inst.operands[2]);
    results.push_back(interpolate(readFromQuad(machine, inst, *lane, 0, slope),
                                  *lane->get(inst.operands[1]), start));
  }
  for (auto [lane, result] : zip_equal(machine.group(), results))
    lane->slots[inst.slot] = result;
}

/// The same for parameters of halves; the second step gives a half. Operand 3: whether it is the
/// high half.
template <unsigned slope> static void runInRegisterHalf(ir::Machine &machine, const Inst &inst) {
  bool isHigh = number(inst, 3) != 0;
  SmallVector<Scalar, 64> results;
  for (const Lane *lane : machine.group()) {
    Scalar start = slope == 1 ? halfOf(readFromQuad(machine, inst, *lane, 2, 0), isHigh)
                              : *lane->get(inst.operands[2]);
    Scalar factor = halfOf(readFromQuad(machine, inst, *lane, 0, slope), isHigh);
    Scalar result = interpolate(factor, *lane->get(inst.operands[1]), start);
    results.push_back(slope == 1 ? result : toHalf(result));
  }
  for (auto [lane, result] : zip_equal(machine.group(), results))
    lane->slots[inst.slot] = result;
}

// --- Exports

/// Operands: target, mask of registers, four values. Each export to a target replaces the previous
/// one.
static void runExport(ir::Machine &machine, const Inst &inst) {
  StageWave *stage = stageOf(machine);
  if (!stage)
    return;
  for (const Lane *lane : machine.group()) {
    StageOutputs::Export &made = stage->lanes[lane->number].exports[number(inst, 0)];
    made.enabled = static_cast<uint8_t>(number(inst, 1));
    made.isCompressed = false;
    for (unsigned i = 0; i < 4; ++i)
      made.values[i] = *lane->get(inst.operands[2 + i]);
  }
}

/// Operands: target, mask, two pairs of 16 bits. The first element of a pair is in the low half.
static void runCompressedExport(ir::Machine &machine, const Inst &inst) {
  StageWave *stage = stageOf(machine);
  if (!stage)
    return;
  for (const Lane *lane : machine.group()) {
    StageOutputs::Export &made = stage->lanes[lane->number].exports[number(inst, 0)];
    made.enabled = static_cast<uint8_t>(number(inst, 1));
    made.isCompressed = true;
    for (unsigned i = 0; i < 2; ++i) {
      const Scalar *halves = lane->get(inst.operands[2 + i]);
      made.values[i] = {ir::frozenBits(halves[1]).concat(ir::frozenBits(halves[0]))};
    }
  }
}

/// A float or an integer as 16 bits of a pair.
using PackHalf = APInt (*)(const Scalar &scalar);

/// Clamps to [-1, 1] or [0, 1], scales and rounds to the nearest; NaN is 0.
template <bool isSigned> static APInt packNormalized(const Scalar &scalar) {
  APFloat value = toFloat(scalar), one(1.0f);
  if (value.isNaN())
    return APInt(16, 0);
  APFloat low(isSigned ? -1.0f : 0.0f);
  value = value < low ? low : value > one ? one : value;
  value.multiply(APFloat(isSigned ? 32767.0f : 65535.0f), APFloat::rmNearestTiesToEven);
  APSInt result(16, !isSigned);
  bool isExact = false;
  value.convertToInteger(result, APFloat::rmNearestTiesToEven, &isExact);
  return result;
}

/// Saturates to 16 bits.
template <bool isSigned> static APInt packInteger(const Scalar &scalar) {
  return isSigned ? scalar.bits.truncSSat(16) : scalar.bits.truncUSat(16);
}

/// Packs operands 0 and 1 into the two elements of the result. Poison stays in its half.
template <PackHalf pack> static void runPack(ir::Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    for (unsigned i = 0; i < 2; ++i) {
      const Scalar &from = *lane->get(inst.operands[i]);
      lane->slots[inst.slot + i] =
          from.isPoison ? Scalar{APInt(16, 0), /*isPoison=*/true} : Scalar{pack(from)};
    }
}

// --- Ends and helpers

/// Lanes whose operand is false. They go on, as those of a quad do whose derivatives others need;
/// what they export does not count.
static void runKill(ir::Machine &machine, const Inst &inst) {
  StageWave *stage = stageOf(machine);
  if (!stage)
    return;
  for (const Lane *lane : machine.group()) {
    const Scalar &isKept = *lane->get(inst.operands[0]);
    if (isKept.isPoison)
      return machine.stop(RunState::Undefined, "poison decides about the end of a fragment");
    StageOutputs &outputs = stage->lanes[lane->number];
    if (isKept.bits.isZero())
      outputs.isKilled = outputs.isHelper = true;
  }
}

/// True in lanes that are not helpers, by the given member: now, or at the start.
template <bool StageOutputs::*isHelper>
static void runIsLive(ir::Machine &machine, const Inst &inst) {
  if (const StageWave *stage = stageOf(machine))
    for (Lane *lane : machine.group())
      lane->slots[inst.slot] = {APInt(1, !(stage->lanes[lane->number].*isHelper))};
}

/// init.exec: lanes that are there all run; messages: nothing is allocated.
static void runNothing(ir::Machine &, const Inst &) {}

ArrayRef<OpRow> irm::loweredStageOps() {
  static constexpr OpRow Rows[] = {{"stage.input", runStageInput}};
  return Rows;
}

ArrayRef<ir::IntrinsicRow> irm::stageIntrinsics() {
  static constexpr ir::IntrinsicRow Rows[] = {
      {Intrinsic::amdgcn_interp_p1, runInterpolateFirst},
      {Intrinsic::amdgcn_interp_p2, runInterpolateSecond},
      {Intrinsic::amdgcn_interp_p1_f16, runInterpolateFirstHalf},
      {Intrinsic::amdgcn_interp_p2_f16, runInterpolateSecondHalf},
      {Intrinsic::amdgcn_interp_mov, runInterpolateMove},
      {Intrinsic::amdgcn_lds_param_load, runLoadParameter},
      {Intrinsic::amdgcn_interp_inreg_p10, runInRegister<1>},
      {Intrinsic::amdgcn_interp_inreg_p2, runInRegister<2>},
      {Intrinsic::amdgcn_interp_inreg_p10_f16, runInRegisterHalf<1>},
      {Intrinsic::amdgcn_interp_inreg_p2_f16, runInRegisterHalf<2>},
      {Intrinsic::amdgcn_exp, runExport},
      {Intrinsic::amdgcn_exp_compr, runCompressedExport},
      {Intrinsic::amdgcn_cvt_pknorm_u16, runPack<packNormalized<false>>},
      {Intrinsic::amdgcn_cvt_pknorm_i16, runPack<packNormalized<true>>},
      {Intrinsic::amdgcn_cvt_pk_u16, runPack<packInteger<false>>},
      {Intrinsic::amdgcn_cvt_pk_i16, runPack<packInteger<true>>},
      {Intrinsic::amdgcn_kill, runKill},
      {Intrinsic::amdgcn_wqm_demote, runKill},
      {Intrinsic::amdgcn_live_mask, runIsLive<&StageOutputs::isHelper>},
      {Intrinsic::amdgcn_ps_live, runIsLive<&StageOutputs::beginsAsHelper>},
      {Intrinsic::amdgcn_init_exec, runNothing},
      {Intrinsic::amdgcn_s_sendmsg, runNothing},
  };
  return Rows;
}

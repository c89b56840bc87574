// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations that look beyond their own lane, or choose registers at run time.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static void runReadLane(Wave &wave, const MicroOp &op) {
  uint64_t lane = readUniform(wave, op.sources[1]) & (wave.waveSize - 1);
  wave.writeScalar(op.destination.index, wave.v[op.sources[0].operand.index][lane]);
}

static void runReadFirstLane(Wave &wave, const MicroOp &op) {
  const Operand &from = op.sources[0].operand;
  uint64_t exec = wave.exec();
  unsigned lane = exec ? countr_zero(exec) : 0;
  uint32_t value = from.type == OperandType::Vgpr
                       ? wave.v[from.index][lane]
                       : static_cast<uint32_t>(readUniform(wave, op.sources[0]));
  wave.writeScalar(op.destination.index, value);
}

static void runWriteLane(Wave &wave, const MicroOp &op) {
  uint64_t lane = readUniform(wave, op.sources[1]) & (wave.waveSize - 1);
  wave.v[op.destination.index][lane] = static_cast<uint32_t>(readUniform(wave, op.sources[0]));
}

/// v_permlane16, v_permlanex16: lane N of a row reads the lane that nibble N of the two scalars
/// names, in its own row or in the neighbour row. op_sel: fetch inactive, bound control.
static void permuteRows(Wave &wave, const MicroOp &op, unsigned rowFlip) {
  const LaneArray from = wave.v[op.sources[0].operand.index];
  uint64_t select =
      (readUniform(wave, op.sources[1]) & 0xffffffff) | readUniform(wave, op.sources[2]) << 32;
  bool fetchInactive = op.inst->mods.opSel[0];
  bool boundControl = op.inst->mods.opSel[1];
  uint64_t exec = wave.exec();
  LaneArray &to = wave.v[op.destination.index];
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    unsigned source = ((lane & ~15u) ^ rowFlip) | ((select >> (4 * (lane & 15))) & 15);
    bool valid = fetchInactive || (exec >> source) & 1;
    if (valid || boundControl)
      to[lane] = valid ? from[source] : 0;
  }
}

static void runPermLane16(Wave &wave, const MicroOp &op) {
  permuteRows(wave, op, 0);
}
static void runPermLaneX16(Wave &wave, const MicroOp &op) {
  permuteRows(wave, op, 16);
}

/// The halves of a wave64 change places; in wave32 there is no other half.
static void runPermLane64(Wave &wave, const MicroOp &op) {
  const LaneArray from = wave.v[op.sources[0].operand.index];
  LaneArray &to = wave.v[op.destination.index];
  unsigned flip = wave.waveSize == 64 ? 32 : 0;
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    to[lane] = from[lane ^ flip];
  }
}

static void runSwap(Wave &wave, const MicroOp &op) {
  LaneArray &first = wave.v[op.destination.index];
  LaneArray &second = wave.v[op.sources[0].operand.index];
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    std::swap(first[countr_zero(left)], second[countr_zero(left)]);
}

/// v_movrel*: a register number plus M0.
static void moveRelative(Wave &wave, const MicroOp &op, uint64_t fromStep, uint64_t toStep) {
  uint64_t from = op.sources[0].operand.index + fromStep;
  uint64_t to = op.destination.index + toStep;
  bool isVector = op.sources[0].operand.type == OperandType::Vgpr;
  if ((isVector && from >= wave.v.size()) || to >= wave.v.size())
    return runOutOfRange(wave, op);
  auto uniform = static_cast<uint32_t>(isVector ? 0 : readUniform(wave, op.sources[0]));
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    wave.v[to][lane] = isVector ? wave.v[from][lane] : uniform;
  }
}

static void runMovRelS(Wave &wave, const MicroOp &op) {
  moveRelative(wave, op, wave.s[sreg::M0], 0);
}
static void runMovRelD(Wave &wave, const MicroOp &op) {
  moveRelative(wave, op, 0, wave.s[sreg::M0]);
}
static void runMovRelSD(Wave &wave, const MicroOp &op) {
  moveRelative(wave, op, wave.s[sreg::M0], wave.s[sreg::M0]);
}
/// Two indices: M0[9:0] for the source, M0[25:16] for the destination.
static void runMovRelSD2(Wave &wave, const MicroOp &op) {
  moveRelative(wave, op, wave.s[sreg::M0] & 0x3ff, (wave.s[sreg::M0] >> 16) & 0x3ff);
}

ArrayRef<OpRow> gcn::crossLaneRows() {
  static constexpr OpRow Rows[] = {
      {"v_readlane_b32", runReadLane, 1},
      {"v_readfirstlane_b32", runReadFirstLane, 1},
      {"v_writelane_b32", runWriteLane, 1},
      {"v_permlane16_b32", runPermLane16, 1},
      {"v_permlanex16_b32", runPermLaneX16, 1},
      {"v_permlane64_b32", runPermLane64, 1},
      {"v_swap_b32", runSwap, 1},
      {"v_movrels_b32", runMovRelS, 1},
      {"v_movreld_b32", runMovRelD, 1},
      {"v_movrelsd_b32", runMovRelSD, 1},
      {"v_movrelsd_2_b32", runMovRelSD2, 1},
  };
  return Rows;
}

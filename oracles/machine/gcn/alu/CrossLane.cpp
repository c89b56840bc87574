// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations that look beyond their own lane, choose registers at run time, or have two
// results or 128 bits.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/alu/Valu.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// The lane's number wraps at the wave's size; EXEC does not matter.
static void runReadLane(Wave &wave, const MicroOp &op) {
  uint64_t lane = readUniform(wave, op.sources[1]) & (wave.waveSize - 1);
  wave.writeScalar(op.destination.index, wave.v[op.sources[0].operand.index][lane]);
}

/// Lane 0 when no lane is active.
static void runReadFirstLane(Wave &wave, const MicroOp &op) {
  const Operand &from = op.sources[0].operand;
  uint64_t exec = wave.exec();
  unsigned lane = exec ? countr_zero(exec) : 0;
  uint32_t value = from.type == OperandType::Vgpr
                       ? wave.v[from.index][lane]
                       : static_cast<uint32_t>(readUniform(wave, op.sources[0]));
  wave.writeScalar(op.destination.index, value);
}

/// Writes one lane, active or not.
static void runWriteLane(Wave &wave, const MicroOp &op) {
  uint64_t lane = readUniform(wave, op.sources[1]) & (wave.waveSize - 1);
  wave.v[op.destination.index][lane] = static_cast<uint32_t>(readUniform(wave, op.sources[0]));
}

/// Lane N of a row reads lane select(N) of its own row (\p rowFlip 0) or of the neighbour row (16).
/// op_sel: fetch inactive, bound control. Without the latter, a lane whose source is inactive keeps
/// what it has.
template <typename F>
static void permuteRows(Wave &wave, const MicroOp &op, unsigned rowFlip, F select) {
  const LaneArray from = wave.v[op.sources[0].operand.index];
  bool fetchInactive = op.inst->mods.opSel[0];
  bool boundControl = op.inst->mods.opSel[1];
  uint64_t exec = wave.exec();
  LaneArray &to = wave.v[op.destination.index];
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    unsigned source = ((lane & ~15u) ^ rowFlip) | (select(lane) & 15);
    bool valid = fetchInactive || (exec >> source) & 1;
    if (valid || boundControl)
      to[lane] = valid ? from[source] : 0;
  }
}

/// v_permlane16, v_permlanex16: nibble N of two scalars is for lane N of each row.
template <unsigned RowFlip> static void runPermLane(Wave &wave, const MicroOp &op) {
  uint64_t nibbles =
      (readUniform(wave, op.sources[1]) & 0xffffffff) | readUniform(wave, op.sources[2]) << 32;
  permuteRows(wave, op, RowFlip,
              [&](unsigned lane) { return unsigned(nibbles >> (4 * (lane & 15))); });
}

/// v_permlane16_var, v_permlanex16_var: each lane's own register says it.
template <unsigned RowFlip> static void runPermLaneVar(Wave &wave, const MicroOp &op) {
  const LaneArray selects = wave.v[op.sources[1].operand.index];
  permuteRows(wave, op, RowFlip, [&](unsigned lane) { return selects[lane]; });
}

/// The halves of a wave64 change places. In wave32 it does nothing (RDNA 4 manual: "supported in
/// wave64 only; treated as scalar NOP in wave32").
static void runPermLane64(Wave &wave, const MicroOp &op) {
  if (wave.waveSize != 64)
    return;
  const LaneArray from = wave.v[op.sources[0].operand.index];
  LaneArray &to = wave.v[op.destination.index];
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    to[lane] = from[lane ^ 32];
  }
}

/// Exchanges two registers in the active lanes.
static void runSwap(Wave &wave, const MicroOp &op) {
  LaneArray &first = wave.v[op.destination.index];
  LaneArray &second = wave.v[op.sources[0].operand.index];
  for (uint64_t left = wave.exec(); left; left &= left - 1)
    std::swap(first[countr_zero(left)], second[countr_zero(left)]);
}

/// Lowest bit of the half that \p operand names.
static unsigned halfShift(const Operand &operand) {
  return operand.half == RegisterHalf::High ? 16 : 0;
}

/// v_swap_b16: each operand names a half; the other halves stay.
static void runSwapHalves(Wave &wave, const MicroOp &op) {
  unsigned firstShift = halfShift(op.destination), secondShift = halfShift(op.sources[0].operand);
  LaneArray &first = wave.v[op.destination.index];
  LaneArray &second = wave.v[op.sources[0].operand.index];
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    uint32_t a = first[lane] >> firstShift & 0xffff, b = second[lane] >> secondShift & 0xffff;
    first[lane] = (first[lane] & ~(0xffffu << firstShift)) | b << firstShift;
    second[lane] = (second[lane] & ~(0xffffu << secondShift)) | a << secondShift;
  }
}

/// \p dwords of \p source in one lane, the lowest first. What is no register is one number.
static std::array<uint32_t, 4> readWide(const Wave &wave, const Source &source, unsigned dwords,
                                        unsigned lane) {
  std::array<uint32_t, 4> words{};
  const Operand &operand = source.operand;
  for (unsigned i = 0; i < dwords; ++i)
    if (operand.type == OperandType::Vgpr)
      words[i] = wave.v[operand.index + i][lane];
    else if (operand.type == OperandType::Sgpr)
      words[i] = operand.index == sreg::Null ? 0 : wave.s[operand.index + i];
  if (isConstant(operand)) {
    uint64_t bits = constantBits(operand, dwords > 1 ? OperandKind::U64 : OperandKind::U32);
    words[0] = static_cast<uint32_t>(bits);
    words[1] = static_cast<uint32_t>(bits >> 32);
  }
  return words;
}

/// Bytes of \p reference that are 0 do not count.
static uint32_t maskedDifferences(uint32_t bytes, uint32_t reference) {
  uint32_t sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    uint32_t a = bytes >> shift & 0xff, b = reference >> shift & 0xff;
    if (b != 0)
      sum += a > b ? a - b : b - a;
  }
  return sum;
}

/// v_mqsad_u32_u8: four sums of masked byte differences with 32-bit accumulators.
static void runMaskedQuadSums(Wave &wave, const MicroOp &op) {
  bool good = hasDwords(op.destination, 4) && hasDwords(op.sources[0].operand, 2) &&
              hasDwords(op.sources[2].operand, 4);
  if (!good)
    return runUnsupported(wave, op);
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    std::array<uint32_t, 4> window = readWide(wave, op.sources[0], 2, lane);
    uint32_t reference = readWide(wave, op.sources[1], 1, lane)[0];
    std::array<uint32_t, 4> sums = readWide(wave, op.sources[2], 4, lane);
    uint64_t bytes = window[0] | uint64_t(window[1]) << 32;
    for (unsigned i = 0; i < 4; ++i) {
      uint64_t sum =
          uint64_t(sums[i]) + maskedDifferences(static_cast<uint32_t>(bytes >> (8 * i)), reference);
      if (op.inst->mods.clamp)
        sum = std::min<uint64_t>(sum, 0xffffffff);
      wave.v[op.destination.index + i][lane] = static_cast<uint32_t>(sum);
    }
  }
}

/// v_mov_b32 between other registers than \p op says, with its SDWA or DPP.
static void moveModified(Wave &wave, const MicroOp &op, uint64_t from, uint64_t to) {
  MicroOp move = op;
  move.alu = findValuOp("v_mov_b32", wave.gfxMajor);
  move.sources[0].operand.index = static_cast<uint16_t>(from);
  move.destination.index = static_cast<uint16_t>(to);
  runValu(wave, move);
}

/// v_movrel*: a register number plus M0.
static void moveRelative(Wave &wave, const MicroOp &op, uint64_t fromStep, uint64_t toStep) {
  bool isVector = op.sources[0].operand.type == OperandType::Vgpr;
  uint64_t from = op.sources[0].operand.index + (isVector ? fromStep : 0);
  uint64_t to = op.destination.index + toStep;
  if ((isVector && from >= wave.v.size()) || to >= wave.v.size())
    return runOutOfRange(wave, op);
  if (op.inst->mods.sdwa || op.inst->mods.dpp != DppControl::None)
    return moveModified(wave, op, from, to);
  auto uniform = static_cast<uint32_t>(isVector ? 0 : readUniform(wave, op.sources[0]));
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    wave.v[to][lane] = isVector ? wave.v[from][lane] : uniform;
  }
}

/// M0 moves the source.
static void runMovRelS(Wave &wave, const MicroOp &op) {
  moveRelative(wave, op, wave.s[sreg::M0], 0);
}
/// M0 moves the destination.
static void runMovRelD(Wave &wave, const MicroOp &op) {
  moveRelative(wave, op, 0, wave.s[sreg::M0]);
}
/// M0 moves both by the same number.
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
      {"v_permlane16_b32", runPermLane<0>, 1},
      {"v_permlanex16_b32", runPermLane<16>, 1},
      {"v_permlane16_var_b32", runPermLaneVar<0>, 1},
      {"v_permlanex16_var_b32", runPermLaneVar<16>, 1},
      {"v_permlane64_b32", runPermLane64, 1},
      {"v_swap_b32", runSwap, 1},
      {"v_swap_b16", runSwapHalves, 1},
      {"v_mqsad_u32_u8", runMaskedQuadSums, 1},
      {"v_movrels_b32", runMovRelS, 1},
      {"v_movreld_b32", runMovRelD, 1},
      {"v_movrelsd_b32", runMovRelSD, 1},
      {"v_movrelsd_2_b32", runMovRelSD2, 1},
  };
  return Rows;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes categories 1 to 4: sources of all lanes, a kernel, results of the active ones.
#include "oracles/machine/adreno/Wave.h"
#include "oracles/machine/ir3_isa/Defect.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using File = Operand::File;

static uint32_t constantAt(const Wave &wave, int64_t number) {
  return number >= 0 && number < int64_t(wave.constants.size()) ? wave.constants[size_t(number)]
                                                                : 0;
}

/// A half operand of the const file is what its word is as a half: converted, or its lower half.
static uint32_t constantBits(const Wave &wave, int64_t number, bool half, ValueKind kind) {
  uint32_t bits = constantAt(wave, number);
  return half ? changeWidth(bits, true, kind, wave.arithmetic()) : bits;
}

static uint32_t fetchLane(const Wave &wave, const Operand &operand, ValueKind kind, unsigned step,
                          unsigned lane) {
  unsigned shift = operand.repeats && !hasDefect(Defect::RepeatsNoSource) ? step : 0;
  switch (operand.file) {
  case File::Gpr:
    return wave.read(lane, operand.number + shift, operand.half);
  case File::Const:
    return constantBits(wave, operand.number + shift, operand.half, kind);
  case File::RelativeConst:
    return constantBits(
        wave, (hasDefect(Defect::AddressIgnored) ? 0 : wave.address[lane]) + operand.value + shift,
        operand.half, kind);
  case File::RelativeGpr: {
    int64_t number = wave.address[lane] + operand.value + shift;
    return number >= 0 && number < reg::Shared ? wave.read(lane, unsigned(number), operand.half)
                                               : 0;
  }
  case File::Immediate:
    return operand.half ? uint32_t(operand.value) & 0xffff : uint32_t(operand.value);
  case File::FloatTable:
    return tableFloatBits(unsigned(operand.value), operand.half);
  }
  return 0;
}

/// (neg) and (abs) of floats are bits.
static void modifyFloats(uint32_t *words, unsigned lanes, const Operand &operand) {
  uint32_t kept = operand.abs ? 0x7fffffff : ~0U;
  uint32_t flipped = operand.neg && !hasDefect(Defect::NegateIgnored) ? 0x80000000 : 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    words[lane] = (words[lane] & kept) ^ flipped;
}

/// All lanes of source \p operand in step \p step of a (rptN): in \p words, or where the register
/// is.
static const uint32_t *fetch(const Wave &wave, const Operand &operand, ValueKind kind,
                             unsigned step, LaneWords &words) {
  unsigned lanes = wave.lanes();
  unsigned number = operand.number + (operand.repeats ? step : 0);
  bool isRow = operand.file == File::Gpr && !operand.half && number < reg::Shared &&
               !hasDefect(Defect::RepeatsNoSource);
  bool isModified = operand.neg || operand.abs;
  if (isRow && !isModified)
    return wave.row(number);
  bool isUniform = operand.file == File::Const || operand.file == File::Immediate ||
                   operand.file == File::FloatTable;
  if (isRow)
    std::copy_n(wave.row(number), lanes, words.begin());
  else if (isUniform)
    std::fill_n(words.begin(), lanes, fetchLane(wave, operand, kind, step, 0));
  else
    for (unsigned lane = 0; lane < lanes; ++lane)
      words[lane] = fetchLane(wave, operand, kind, step, lane);
  if (isModified && kind == ValueKind::Float && !operand.half)
    modifyFloats(words.data(), lanes, operand);
  else if (isModified)
    for (unsigned lane = 0; lane < lanes; ++lane)
      words[lane] = modify(words[lane], operand.half, operand, kind);
  return words.data();
}

static bool isUniform(const Op &op) {
  return !op.dstRelative &&
         ((op.dst >= reg::Shared && op.dst < reg::SharedEnd) || op.dst == reg::Address + 1);
}

/// The active lanes of a full register.
static void storeRow(uint32_t *row, LaneMask active, unsigned lanes, const LaneWords &results) {
  if (active == firstLanes(lanes)) {
    std::copy_n(results.begin(), lanes, row);
    return;
  }
  for (unsigned first = 0; first < lanes; first += 64) {
    auto mask = uint64_t(active >> first);
    for (unsigned i = 0; i < std::min(64U, lanes - first); ++i)
      row[first + i] = mask >> i & 1 ? results[first + i] : row[first + i];
  }
}

static void storePredicate(Wave &wave, unsigned component, LaneMask active,
                           const LaneWords &results) {
  LaneMask set = 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    set |= LaneMask(results[lane] != 0) << lane;
  LaneMask &predicate = wave.predicates[component];
  predicate = (predicate & ~active) | (set & active);
}

/// Shared registers and a1.x get the value of the first active lane: turnip's code for
/// subgroupBroadcastFirst is a move into a shared register by all lanes.
static void store(Wave &wave, const Op &op, unsigned step, const LaneWords &results) {
  LaneMask active = wave.active();
  unsigned first = op.dst + step;
  if (!op.dstRelative && !op.dstHalf && first < reg::Shared)
    return storeRow(wave.row(first), active, wave.lanes(), results);
  if (!op.dstRelative && first >= reg::Predicate && first < reg::Predicate + 4)
    return storePredicate(wave, first - reg::Predicate, active, results);
  if (isUniform(op) && active && !hasDefect(Defect::SharedByLast))
    active = LaneMask(1) << firstLane(active);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!hasLane(active, lane))
      continue;
    int64_t number = first;
    if (op.dstRelative) {
      number += wave.address[lane];
      if (number < 0 || number >= reg::Shared)
        continue;
    }
    wave.write(lane, unsigned(number), op.dstHalf, results[lane]);
  }
}

/// Whether a result of the kernel is not what is stored: finish().
static bool isUnfinished(const Op &op, bool half) {
  bool clamps = op.alu->result == ValueKind::Float && op.inst.get(Field::Saturate);
  return clamps || (op.dst < reg::Predicate && half != op.dstHalf);
}

/// The result in the width and range that the instruction wants.
static uint32_t finish(uint32_t bits, const Op &op, bool half, const Arithmetic &arithmetic) {
  if (op.alu->result == ValueKind::Float && op.inst.get(Field::Saturate) &&
      !hasDefect(Defect::SaturateIgnored))
    bits = clampFloat(bits, half);
  bool isPredicate = op.dst >= reg::Predicate;
  return isPredicate || half == op.dstHalf
             ? bits
             : changeWidth(bits, op.dstHalf, op.alu->result, arithmetic);
}

void adreno::executeAlu(Wave &wave, const Op &op) {
  bool half = op.inst.hasHalfSources();
  bool saturates = op.inst.get(Field::Saturate) && op.alu->result != ValueKind::Float;
  AluKernel kernel = half ? (saturates ? op.alu->halfSaturated : op.alu->half)
                          : (saturates ? op.alu->fullSaturated : op.alu->full);
  AluContext context{wave.arithmetic(), op.inst.get(Field::Condition),
                     op.inst.get(Field::Mixed) != 0, op.inst.get(Field::High) != 0};
  LaneWords sources[3];
  const uint32_t *pointers[3] = {sources[0].data(), sources[1].data(), sources[2].data()};
  LaneWords results;
  bool isLeft = isUnfinished(op, half);
  for (unsigned step = 0; step <= op.repeat; ++step) {
    for (unsigned i = 0; i < op.sources.size(); ++i)
      pointers[i] = fetch(wave, op.sources[i], op.alu->sources, step, sources[i]);
    kernel(results.data(), pointers, wave.lanes(), context);
    for (unsigned lane = 0; isLeft && lane < wave.lanes(); ++lane)
      results[lane] = finish(results[lane], op, half, wave.arithmetic());
    store(wave, op, step, results);
  }
  wave.advance();
}

static ValueKind kindOf(DataType type) {
  switch (type) {
  case DataType::F16:
  case DataType::F32:
    return ValueKind::Float;
  case DataType::S16:
  case DataType::S32:
    return ValueKind::Signed;
  default:
    return ValueKind::Unsigned;
  }
}

static void executeMove(Wave &wave, const Op &op) {
  auto from = DataType(op.inst.get(Field::SrcType));
  auto to = DataType(op.inst.get(Field::DstType));
  unsigned round = op.inst.get(Field::Round);
  LaneWords words;
  for (unsigned step = 0; step <= op.repeat; ++step) {
    const uint32_t *source = fetch(wave, op.sources[0], kindOf(from), step, words);
    bool copies = from == to && !isHalf(from);
    for (unsigned lane = 0; lane < wave.lanes(); ++lane)
      words[lane] =
          copies ? source[lane] : convert(source[lane], from, to, round, wave.arithmetic());
    store(wave, op, step, words);
  }
  wave.advance();
}

/// The lanes that are active, 32 a register.
static void executeMask(Wave &wave, const Op &op) {
  LaneMask active = wave.active();
  for (unsigned step = 0; step <= op.repeat; ++step)
    for (unsigned lane = 0; lane < wave.lanes(); ++lane)
      if (hasLane(active, lane))
        wave.write(lane, op.dst + step, /*half=*/false, uint32_t(active >> 32 * step));
  wave.advance();
}

// swz, gat and sct read all sources before they write.

namespace {

struct MultiMove {
  unsigned count = 0;
  uint16_t from[4] = {}, to[4] = {};
};

} // namespace

static MultiMove movesOf(const Inst &inst) {
  static constexpr Field Sources[] = {Field::Src1, Field::Src2, Field::Src3, Field::Src4};
  static constexpr Field Results[] = {Field::Dst, Field::Dst2, Field::Dst3, Field::Dst4};
  bool isSwap = inst.name() == "swz", gathers = inst.name() == "gat";
  MultiMove moves;
  moves.count = isSwap ? 2 : 4;
  for (unsigned i = 0; i < moves.count; ++i) {
    moves.from[i] = uint16_t(isSwap || gathers ? inst.get(Sources[i]) : inst.get(Field::Src1) + i);
    moves.to[i] = uint16_t(isSwap || !gathers ? inst.get(Results[i]) : inst.get(Field::Dst) + i);
  }
  return moves;
}

static void executeMultiMove(Wave &wave, const Op &op) {
  MultiMove moves = movesOf(op.inst);
  auto from = DataType(op.inst.get(Field::SrcType));
  auto to = DataType(op.inst.get(Field::DstType));
  LaneMask active = wave.active();
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!hasLane(active, lane))
      continue;
    uint32_t values[4];
    for (unsigned i = 0; i < moves.count; ++i) {
      values[i] = convert(wave.read(lane, moves.from[i], isHalf(from)), from, to,
                          op.inst.get(Field::Round), wave.arithmetic());
      if (hasDefect(Defect::MovesOneByOne))
        wave.write(lane, moves.to[i], isHalf(to), values[i]);
    }
    for (unsigned i = 0; i < moves.count; ++i)
      wave.write(lane, moves.to[i], isHalf(to), values[i]);
  }
  wave.advance();
}

Handler adreno::findMoveHandler(StringRef name) {
  if (name == "mov")
    return executeMove;
  if (name == "movmsk")
    return executeMask;
  return executeMultiMove;
}

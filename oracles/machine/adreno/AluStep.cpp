// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes categories 1 to 4: sources of all lanes, a kernel, results of the active ones.
#include "oracles/machine/adreno/Wave.h"
#include "oracles/machine/ir3_isa/Defect.h"
#include <algorithm>
#include <optional>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using File = Operand::File;

/// A dword of the const file; 0 beyond its end.
static uint32_t constantAt(const Wave &wave, int64_t number) {
  return number >= 0 && number < int64_t(wave.constants.size()) ? wave.constants[size_t(number)]
                                                                : 0;
}

/// A half operand of the const file is what its word is as a half: converted, or its lower half.
static uint32_t constantBits(const Wave &wave, int64_t number, bool half, ValueKind kind) {
  uint32_t bits = constantAt(wave, number);
  return half ? changeWidth(bits, true, kind, wave.arithmetic()) : bits;
}

/// A source in one lane and one step of (rptN), without (neg) and (abs).
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

/// (neg) and (abs), in place or from another row.
static void modifyRow(const Wave &wave, uint32_t *to, const uint32_t *from, const Operand &operand,
                      ValueKind kind) {
  if (kind == ValueKind::Float && !operand.half) {
    uint32_t kept = operand.abs ? 0x7fffffff : ~0U;
    uint32_t flipped = operand.neg && !hasDefect(Defect::NegateIgnored) ? 0x80000000 : 0;
    return wave.rows().sign(to, from, kept, flipped, wave.lanes());
  }
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    to[lane] = modify(from[lane], operand.half, operand, kind);
}

/// fetch() of what is not simply a row.
static const uint32_t *makeRow(const Wave &wave, const Operand &operand, ValueKind kind,
                               unsigned step, LaneWords &words) {
  unsigned lanes = wave.lanes();
  unsigned number = operand.number + (operand.repeats ? step : 0);
  bool isVector = operand.file == File::Gpr && number < reg::Shared &&
                  !hasDefect(Defect::RepeatsNoSource) && !hasDefect(Defect::UpperHalf);
  bool isModified = operand.neg || operand.abs;
  if (isVector && !operand.half) {
    modifyRow(wave, words.data(), wave.row(number), operand, kind);
    return words.data();
  }
  bool isUniform = operand.file == File::Const || operand.file == File::Immediate ||
                   operand.file == File::FloatTable;
  if (isUniform)
    wave.rows().fill(words.data(), fetchLane(wave, operand, kind, step, 0), lanes);
  else if (isVector && wave.hasMergedRegisters())
    wave.rows().readHalves(words.data(), wave.row(number / 2), number % 2, lanes);
  else
    for (unsigned lane = 0; lane < lanes; ++lane)
      words[lane] = fetchLane(wave, operand, kind, step, lane);
  if (isModified)
    modifyRow(wave, words.data(), words.data(), operand, kind);
  return words.data();
}

/// All lanes of source \p operand in step \p step of a (rptN): in \p words, or where the register
/// is.
[[gnu::always_inline]] static inline const uint32_t *
fetch(const Wave &wave, const Operand &operand, ValueKind kind, unsigned step, LaneWords &words) {
  unsigned number = operand.number + (operand.repeats ? step : 0);
  bool isRow = operand.file == File::Gpr && !operand.half && !operand.neg && !operand.abs &&
               number < reg::Shared && !hasDefect(Defect::RepeatsNoSource);
  return isRow ? wave.row(number) : makeRow(wave, operand, kind, step, words);
}

/// Whether the result is one for all lanes.
static bool isUniform(const Op &op) {
  return !op.dstRelative &&
         ((op.dst >= reg::Shared && op.dst < reg::SharedEnd) || op.dst == reg::Address + 1);
}

/// A predicate is set where the result is not 0.
static void storePredicate(Wave &wave, unsigned component, LaneMask active,
                           const uint32_t *results) {
  LaneMask set = wave.rows().pack(results, wave.lanes());
  LaneMask &predicate = wave.predicates[component];
  predicate = (predicate & ~active) | (set & active);
}

/// A lane at a time: registers that a0.x chooses, a0.x itself, and where the files are apart.
static void storeLanes(Wave &wave, const Op &op, unsigned first, LaneMask active,
                       const uint32_t *results) {
  for (LaneMask left = active; left; left &= left - 1) {
    unsigned lane = firstLane(left);
    int64_t number = first;
    if (op.dstRelative) {
      number += wave.address[lane];
      if (number < 0 || number >= reg::Shared)
        continue;
    }
    wave.write(lane, unsigned(number), op.dstHalf, results[lane]);
  }
}

/// Shared registers and a1.x get the value of the first active lane: turnip's code for
/// subgroupBroadcastFirst is a move into a shared register by all lanes.
static void store(Wave &wave, const Op &op, unsigned step, const uint32_t *results) {
  LaneMask active = wave.active();
  unsigned first = op.dst + step;
  if (!op.dstRelative && !op.dstHalf && first < reg::Shared)
    return wave.rows().blend(wave.row(first), results, active, wave.lanes());
  if (!op.dstRelative && first < reg::Shared && wave.hasMergedRegisters())
    return wave.rows().writeHalves(wave.row(first / 2), results, first % 2, active, wave.lanes());
  if (!op.dstRelative && first >= reg::Predicate && first < reg::Predicate + 4)
    return storePredicate(wave, first - reg::Predicate, active, results);
  if (isUniform(op) && active && !hasDefect(Defect::SharedByLast))
    active = LaneMask(1) << firstLane(active);
  storeLanes(wave, op, first, active, results);
}

/// Where all results of \p step can be made: the row of the register, when all lanes are active and
/// nothing is left to do with them; else null.
static uint32_t *directRow(Wave &wave, const Op &op, unsigned step) {
  unsigned number = op.dst + step;
  bool isRow = !op.dstRelative && !op.dstHalf && number < reg::Shared;
  return isRow && wave.isWhole() ? wave.row(number) : nullptr;
}

/// The results in the width and range that the instruction wants.
static void finish(const Wave &wave, const Op &op, LaneWords &results) {
  bool half = op.facts.isHalf;
  if (op.facts.clamps && !hasDefect(Defect::SaturateIgnored))
    for (unsigned lane = 0; lane < wave.lanes(); ++lane)
      results[lane] = clampFloat(results[lane], half);
  if (op.dst >= reg::Predicate || half == op.dstHalf)
    return;
  if (op.alu->result == ValueKind::Float)
    for (unsigned lane = 0; lane < wave.lanes(); ++lane)
      results[lane] = changeWidth(results[lane], op.dstHalf, op.alu->result, wave.arithmetic());
  else
    wave.rows().widen(results.data(), !op.dstHalf && op.alu->result == ValueKind::Signed,
                      wave.lanes());
}

/// Each step of (rptN) stores before the next one reads.
void adreno::executeAlu(Wave &wave, const Op &op) {
  AluContext context{wave.arithmetic(), op.fields};
  LaneWords sources[3];
  const uint32_t *pointers[3] = {sources[0].data(), sources[1].data(), sources[2].data()};
  LaneWords results;
  bool isLeft = op.facts.clamps || (op.dst < reg::Predicate && op.facts.isHalf != op.dstHalf);
  for (unsigned step = 0; step <= op.repeat; ++step) {
    for (unsigned i = 0; i < op.sources.size(); ++i)
      pointers[i] = fetch(wave, op.sources[i], op.alu->sources, step, sources[i]);
    uint32_t *row = isLeft ? nullptr : directRow(wave, op, step);
    op.kernel(row ? row : results.data(), pointers, wave.lanes(), context);
    if (isLeft)
      finish(wave, op, results);
    if (!row)
      store(wave, op, step, results.data());
  }
  wave.advance();
}

// Simple instructions: everything that they need is computed when they are decoded.

/// Returns nothing where the source is not a row: halves, shared registers, registers selected by
/// a0.x, integers with (neg).
static std::optional<RowSource> rowSourceOf(const Operand &operand, ValueKind kind) {
  RowSource source;
  source.number = operand.number;
  bool isModified = operand.neg || operand.abs;
  if (operand.half || (isModified && kind != ValueKind::Float))
    return std::nullopt;
  switch (operand.file) {
  case File::Gpr:
    if (operand.number >= reg::Shared)
      return std::nullopt;
    source.kind = isModified ? RowSource::Kind::Changed : RowSource::Kind::Row;
    source.kept = operand.abs ? 0x7fffffff : ~0U;
    source.flipped = operand.neg && !hasDefect(Defect::NegateIgnored) ? 0x80000000 : 0;
    return source;
  case File::Const:
    source.kind = RowSource::Kind::Constant;
    break;
  case File::Immediate:
    source.kind = RowSource::Kind::Bits;
    source.bits = uint32_t(operand.value);
    break;
  case File::FloatTable:
    source.kind = RowSource::Kind::Bits;
    source.bits = tableFloatBits(unsigned(operand.value), /*half=*/false);
    break;
  case File::RelativeGpr:
  case File::RelativeConst:
    return std::nullopt;
  }
  return isModified ? std::nullopt : std::optional(source);
}

bool adreno::makeRowSources(Op &op) {
  bool isPredicate = op.dst >= reg::Predicate && op.dst < reg::Predicate + 4;
  bool isStored = !op.dstRelative && !op.dstHalf && !op.facts.isHalf && !op.facts.clamps &&
                  (op.dst < reg::Shared || isPredicate);
  if (op.repeat || !isStored || op.sources.size() > op.rowSources.size())
    return false;
  for (unsigned i = 0; i < op.sources.size(); ++i) {
    std::optional<RowSource> source = rowSourceOf(op.sources[i], op.alu->sources);
    if (!source)
      return false;
    op.rowSources[i] = *source;
  }
  return true;
}

/// Where all lanes work, the kernel computes into the register itself.
void adreno::executeRows(Wave &wave, const Op &op) {
  const RowHelpers &rows = wave.rows();
  unsigned lanes = wave.lanes();
  LaneWords words[3], results;
  const uint32_t *pointers[3];
  for (unsigned i = 0, count = unsigned(op.sources.size()); i < count; ++i) {
    const RowSource &source = op.rowSources[i];
    pointers[i] = words[i].data();
    switch (source.kind) {
    case RowSource::Kind::Row:
      pointers[i] = wave.row(source.number);
      break;
    case RowSource::Kind::Changed:
      rows.sign(words[i].data(), wave.row(source.number), source.kept, source.flipped, lanes);
      break;
    case RowSource::Kind::Bits:
      rows.fill(words[i].data(), source.bits, lanes);
      break;
    case RowSource::Kind::Constant:
      rows.fill(words[i].data(), constantAt(wave, source.number), lanes);
      break;
    }
  }
  bool isDirect = op.dst < reg::Shared && wave.isWhole();
  uint32_t *to = isDirect ? wave.row(op.dst) : results.data();
  op.kernel(to, pointers, lanes, {wave.arithmetic(), op.fields});
  if (!isDirect)
    store(wave, op, 0, results.data());
  wave.advance();
}

/// How (neg) and (abs) of a move work.
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

/// mov and cov. Between the same types bits are copied.
static void executeMove(Wave &wave, const Op &op) {
  auto from = DataType(op.inst.get(Field::SrcType));
  auto to = DataType(op.inst.get(Field::DstType));
  unsigned round = op.inst.get(Field::Round);
  LaneWords words;
  for (unsigned step = 0; step <= op.repeat; ++step) {
    const uint32_t *source = fetch(wave, op.sources[0], kindOf(from), step, words);
    for (unsigned lane = 0; from != to && lane < wave.lanes(); ++lane)
      words[lane] = convert(source[lane], from, to, round, wave.arithmetic());
    store(wave, op, step, from == to ? source : words.data());
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

/// Registers that move at the same time.
struct MultiMove {
  unsigned count = 0;
  uint16_t from[4] = {}, to[4] = {};
};

} // namespace

/// swz and sct list results, swz and gat sources; those that are not listed follow each other.
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

/// All sources are read before a result is written.
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

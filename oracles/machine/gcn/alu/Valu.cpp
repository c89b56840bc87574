// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/alu/Valu.h"

#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/alu/Dpp.h"
#include "oracles/machine/gcn/alu/Modifiers.h"
#include "oracles/machine/gcn/memory/LdsDirect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// What one operation computed, before any of it is written.
struct ValuResult {
  uint64_t lanes = 0; ///< Lanes to write.
  uint64_t carry = 0; ///< Carry-out or compare mask.
  std::array<uint64_t, MaxLanes> values;
};

} // namespace

/// Kinds with two values in a register.
static bool isPackedKind(OperandKind kind) {
  return kind == OperandKind::PkF16 || kind == OperandKind::PkU16 || kind == OperandKind::PkI16 ||
         kind == OperandKind::PkBF16;
}

/// Whether source \p index is read as it is: no half is exchanged or negated.
static bool isDefaultPacked(const Modifiers &mods, unsigned index) {
  return !mods.opSel[index] && mods.opSelHi[index] && !mods.negLo[index] && !mods.negHi[index];
}

/// Whether source \p index, of 32 bits in a packed operation, is negated or made positive: the
/// addend of v_dot4_f32_*. What those of other operations do is refused (IgnoredBits.h).
static bool hasPackedSign(const Modifiers &mods, unsigned index, OperandKind kind) {
  return kind == OperandKind::F32 && (mods.negLo[index] || mods.negHi[index]);
}

/// Whether a source has a modifier that LaneReader must apply in each lane.
static bool needsTransform(const MicroOp &op, unsigned index, OperandKind kind) {
  const Operand &operand = op.sources[index].operand;
  const Modifiers &mods = op.inst->mods;
  if (operand.neg || operand.abs || (mods.sdwa && index < 2) || op.alu->flags & MixSources)
    return true;
  if (hasPackedSign(mods, index, kind))
    return true;
  return isPackedKind(kind) && !isDefaultPacked(mods, index);
}

/// \p operand is the source after indexing. All arguments must outlive this.
LaneReader::LaneReader(const Wave &wave, const MicroOp &op, unsigned index, const Operand &operand)
    : m_index(static_cast<uint8_t>(index)), m_op(&op), m_operand(&operand), m_mode(&wave.mode) {
  OperandKind kind = op.sources[index].kind;
  unsigned bits = kindBits(kind);
  m_transform = needsTransform(op, index, kind);
  bool wholeRegister = m_transform && (op.inst->mods.sdwa || op.alu->flags & MixSources);
  if (bits == 16 && !wholeRegister) {
    m_mask = 0xffff;
    bool selectsHigh = operand.half == RegisterHalf::Whole && op.inst->mods.opSel[index];
    if (operand.isRegister() && (selectsHigh || operand.half == RegisterHalf::High))
      m_shift = 16;
  }
  if (operand.type == OperandType::Vgpr) {
    m_low = wave.v[operand.index].data();
    if (bits == 64)
      m_high = wave.v[operand.index + 1].data();
  } else if (operand.type == OperandType::Sgpr && bits <= 32) {
    m_uniform = wave.s[operand.index];
  } else {
    m_uniform = readUniform(wave, op.sources[index]);
  }
}

/// Applies the source's modifiers to its bits.
uint64_t LaneReader::transform(uint64_t bits) const {
  const Modifiers &mods = m_op->inst->mods;
  OperandKind kind = m_op->sources[m_index].kind;
  if (m_op->alu->flags & MixSources)
    return applyMix(static_cast<uint32_t>(bits), mods, m_index, *m_operand, *m_mode);
  if (mods.sdwa && m_index < 2) {
    bits = selectSdwa(static_cast<uint32_t>(bits), mods.srcSel[m_index], m_operand->sext);
    if (kindBits(kind) == 16)
      bits &= 0xffff;
  }
  if (isPackedKind(kind))
    bits = applyPacked(static_cast<uint32_t>(bits), mods, m_index, isFloatKind(kind));
  if (hasPackedSign(mods, m_index, kind))
    return applySign(bits, kind, mods.negLo[m_index], mods.negHi[m_index]);
  return applySign(bits, kind, m_operand->neg, m_operand->abs);
}

/// The value of the source in one lane, with its modifiers.
uint64_t LaneReader::read(unsigned lane) const {
  uint64_t bits = m_uniform;
  if (m_low) {
    bits = m_low[lane];
    if (m_high)
      bits |= uint64_t(m_high[lane]) << 32;
  }
  bits = (bits >> m_shift) & m_mask;
  return m_transform ? transform(bits) : bits;
}

/// GFX9's s_set_gpr_idx: vector registers are counted from M0 on.
static Operand indexed(const Wave &wave, const Operand &operand, unsigned bit) {
  Operand result = operand;
  if (operand.type == OperandType::Vgpr && wave.gprIndexMode() & (1u << bit))
    result.index = static_cast<uint16_t>(operand.index + (wave.s[sreg::M0] & 0xff));
  return result;
}

/// The sources of one lane without DPP, and what the operation reads in addition.
static AluInput readInputs(const MicroOp &op, ArrayRef<LaneReader> readers, unsigned lane,
                           uint64_t carryIn) {
  AluInput input;
  for (auto [index, reader] : enumerate(readers))
    input.src[index] = reader.read(lane);
  const Modifiers &mods = op.inst->mods;
  input.carry = (carryIn >> lane) & 1;
  input.clamp = mods.clamp;
  input.lane = static_cast<uint8_t>(lane);
  input.signedSources = mods.negLo[0] | mods.negLo[1] << 1 | mods.negLo[2] << 2;
  input.byteSelect = mods.byteSel;
  return input;
}

/// Lane \p lane's inputs with the first source by DPP. False when the lane stays as it is.
static bool readDppInputs(const Wave &wave, const MicroOp &op, ArrayRef<LaneReader> readers,
                          unsigned lane, AluInput &input) {
  const Modifiers &mods = op.inst->mods;
  if (!dppLaneEnabled(mods, lane))
    return false;
  int source = dppSourceLane(mods, lane, wave.waveSize);
  bool valid = source >= 0 && (mods.fetchInactive || (wave.exec() >> source) & 1);
  if (valid)
    input.src[0] = readers[0].read(static_cast<unsigned>(source));
  else
    input.src[0] = 0;
  return valid || mods.boundCtrl || mods.dpp == DppControl::Lanes8;
}

/// Applies omod and clamp.
static uint64_t finishResult(const MicroOp &op, uint64_t value, const AluMode &mode) {
  const Modifiers &mods = op.inst->mods;
  bool modified = mods.clamp || mods.omod;
  return modified ? applyResultModifiers(value, op.alu->dst, mods, mode) : value;
}

/// The results of the active lanes. Lanes whose DPP source is not valid are taken from them.
static void computeValu(const Wave &wave, const MicroOp &op, ValuResult &result) {
  SmallVector<Operand, 4> operands;
  SmallVector<LaneReader, 4> readers;
  for (unsigned i = 0; i < op.sourceCount; ++i) {
    bool isOldDestination = op.alu->flags & ReadsDst && i + 1 == op.sourceCount;
    operands.push_back(indexed(wave, op.sources[i].operand, isOldDestination ? 3 : i));
  }
  for (unsigned i = 0; i < op.sourceCount; ++i)
    readers.emplace_back(wave, op, i, operands[i]);
  uint64_t carryIn = 0;
  if (op.carryIn.type == OperandType::Sgpr)
    carryIn = wave.readMask(op.carryIn.index);
  bool isDpp = op.inst->mods.dpp != DppControl::None;
  bool isCompare = op.alu->flags & Compare;
  result.lanes = wave.exec();
  for (uint64_t left = result.lanes; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    AluInput input = readInputs(op, readers, lane, carryIn);
    if (isDpp && !readDppInputs(wave, op, readers, lane, input)) {
      result.lanes &= ~(uint64_t(1) << lane);
      continue;
    }
    AluOutput output = op.alu->function(input, wave.mode);
    result.values[lane] = finishResult(op, output.value, wave.mode);
    bool bit = isCompare ? output.value & 1 : output.carry;
    result.carry |= uint64_t(bit) << lane;
  }
}

/// A 16-bit result over \p old.
static uint32_t mergeHalf(const Wave &wave, const MicroOp &op, const Operand &destination,
                          uint32_t old, uint32_t value) {
  value &= 0xffff;
  const Modifiers &mods = op.inst->mods;
  unsigned sources = op.sourceCount - (op.alu->flags & ReadsDst ? 1 : 0);
  bool opSelHigh = mods.opSelCount > sources && mods.opSel[mods.opSelCount - 1];
  bool high = destination.half == RegisterHalf::High || op.alu->flags & WritesHigh || opSelHigh;
  if (high)
    return (old & 0xffff) | value << 16;
  if (destination.half == RegisterHalf::Whole && zeroesHighHalf(*op.alu, wave.gfxMajor))
    return value;
  return (old & 0xffff0000) | value;
}

/// The new value of a 32-bit register that had \p old, for results that need not fill it.
static uint32_t mergeResult(const Wave &wave, const MicroOp &op, const Operand &destination,
                            uint32_t old, uint32_t value) {
  const Modifiers &mods = op.inst->mods;
  if (mods.sdwa)
    return insertSdwa(old, value, mods.dstSel, mods.dstUnused);
  return kindBits(op.alu->dst) == 16 ? mergeHalf(wave, op, destination, old, value) : value;
}

/// Writes the result to a vector register, or a pair of them, in the lanes of \p result.
static void writeLanes(Wave &wave, const MicroOp &op, const ValuResult &result) {
  Operand destination = indexed(wave, op.destination, 3);
  unsigned bits = kindBits(op.alu->dst);
  LaneArray &low = wave.v[destination.index];
  for (uint64_t left = result.lanes; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    uint64_t value = result.values[lane];
    if (bits == 64) {
      low[lane] = static_cast<uint32_t>(value);
      wave.v[destination.index + 1][lane] = static_cast<uint32_t>(value >> 32);
    } else {
      low[lane] = mergeResult(wave, op, destination, low[lane], static_cast<uint32_t>(value));
    }
  }
}

/// Writes all results of one operation: values, masks and EXEC.
static void commitValu(Wave &wave, const MicroOp &op, const ValuResult &result) {
  if (op.alu->flags & Compare) {
    if (op.destination.type == OperandType::Sgpr)
      wave.writeMask(op.destination.index, result.carry);
    if (op.alu->flags & WritesExec)
      wave.setExec(result.carry);
    return;
  }
  if (op.destination.type == OperandType::Sgpr) // The v_s_* operations of GFX12.
    writeScalarResult(wave, op.destination, result.values[0], kindBits(op.alu->dst));
  else
    writeLanes(wave, op, result);
  if (op.carryOut.type == OperandType::Sgpr)
    wave.writeMask(op.carryOut.index, result.carry);
}

/// With s_set_gpr_idx the register numbers are known only now.
static bool indexedInRange(Wave &wave, const MicroOp &op) {
  auto inRange = [&](const Operand &operand, unsigned bit) {
    Operand moved = indexed(wave, operand, bit);
    return moved.type != OperandType::Vgpr || moved.index + moved.dwords <= wave.v.size();
  };
  bool good = inRange(op.destination, 3);
  for (unsigned i = 0; i < op.sourceCount; ++i)
    good &= inRange(op.sources[i].operand, i);
  if (!good)
    runOutOfRange(wave, op);
  return good;
}

/// The general case: any operation, any modifier.
void gcn::runValu(Wave &wave, const MicroOp &op) {
  if (wave.gprIndexMode() && !indexedInRange(wave, op))
    return;
  ValuResult result;
  computeValu(wave, op, result);
  if (op.dual.empty()) {
    commitValu(wave, op, result);
    return;
  }
  // Both halves of a VOPD pair read before either writes.
  ValuResult second;
  computeValu(wave, op.dual[0], second);
  commitValu(wave, op, result);
  commitValu(wave, op.dual[0], second);
}

static void runVsAlu(Wave &wave, const MicroOp &op) {
  // v_s_*: a transcendental on scalar registers, whatever EXEC is.
  AluInput input;
  for (unsigned i = 0; i < op.sourceCount; ++i)
    input.src[i] = LaneReader(wave, op, i, op.sources[i].operand).read(0);
  AluOutput output = op.alu->function(input, wave.mode);
  uint64_t value = finishResult(op, output.value, wave.mode);
  writeScalarResult(wave, op.destination, value, 32);
}

/// The general case of scalar operations.
void gcn::runSalu(Wave &wave, const MicroOp &op) {
  AluInput input;
  for (unsigned i = 0; i < op.sourceCount; ++i)
    input.src[i] = readUniform(wave, op.sources[i]);
  input.carry = wave.scc;
  AluOutput output = op.alu->function(input, wave.mode);
  if (op.alu->flags & WritesScc)
    wave.scc = output.carry;
  if (!(op.alu->flags & NoDst))
    writeScalarResult(wave, op.destination, output.value, kindBits(op.alu->dst));
}

/// Operands: destination if there is one, then sources. An operation that reads its destination has
/// it as the last source.
static BindResult bindSalu(const Inst &inst, MicroOp &op) {
  const AluOp &alu = *op.alu;
  bool hasDst = !(alu.flags & NoDst);
  unsigned sources = alu.sourceCount();
  unsigned printed = sources - (alu.flags & ReadsDst ? 1 : 0);
  if (inst.operands.size() != printed + hasDst)
    return BindResult::Unsupported;
  if (hasDst)
    op.destination = inst.operands[0];
  op.destinationCount = hasDst;
  for (unsigned i = 0; i < printed; ++i)
    addSource(op, inst.operands[i + hasDst], alu.src[i]);
  if (alu.flags & ReadsDst)
    addSource(op, inst.operands[0], alu.src[printed]);
  Handler fast = findFastSalu(op);
  op.run = fast ? fast : runSalu;
  return BindResult::Bound;
}

/// Null when a source is nothing that vector operations read.
static Handler chooseValuHandler(const MicroOp &op, unsigned gfxMajor) {
  ArrayRef<Source> sources = ArrayRef(op.sources).take_front(op.sourceCount);
  auto isText = [](const Source &each) {
    return each.operand.type == OperandType::Text && !isExitingWave(each.operand);
  };
  if (any_of(sources, isText)) {
    bool isLds = all_of(sources, [&](const Source &each) {
      return !isText(each) || (isLdsDirect(each.operand) && kindBits(each.kind) <= 32);
    });
    return isLds && gfxMajor < 11 ? runValuOnLds : nullptr;
  }
  if (op.destination.type == OperandType::Sgpr && !(op.alu->flags & Compare))
    return runVsAlu;
  return isFastValu(op) ? runFastValu : runValu;
}

/// Binds the operands between which the masks stand: dst, [carry-out], sources, [carry-in].
static BindResult bindValu(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  const AluOp &alu = *op.alu;
  bool hasDst = !(alu.flags & WritesExec) || options.gfxMajor == 9;
  bool hasCarryOut = alu.flags & CarryOut;
  unsigned printed = alu.sourceCount() - (alu.flags & ReadsDst ? 1 : 0);
  size_t expected = hasDst + hasCarryOut + printed;
  bool hasCarryIn = alu.flags & CarryIn && inst.operands.size() == expected + 1;
  if (inst.operands.size() != expected + hasCarryIn)
    return BindResult::Unsupported;
  unsigned next = 0;
  if (hasDst)
    op.destination = inst.operands[next++];
  op.destinationCount = hasDst;
  if (hasCarryOut)
    op.carryOut = inst.operands[next++];
  for (unsigned i = 0; i < printed; ++i)
    addSource(op, inst.operands[next++], alu.src[i]);
  if (alu.flags & ReadsDst)
    addSource(op, inst.operands[0], alu.src[printed]);
  if (hasCarryIn) {
    op.carryIn = inst.operands[next];
  } else if (alu.flags & CarryIn) {
    op.carryIn.type = OperandType::Sgpr;
    op.carryIn.index = sreg::VccLo;
    op.carryIn.dwords = options.waveSize == 64 ? 2 : 1;
  }
  op.run = chooseValuHandler(op, options.gfxMajor);
  return op.run ? BindResult::Bound : BindResult::Unsupported;
}

/// The tables and the decoder must agree on how wide each operand is.
static bool widthsMatch(const MicroOp &op) {
  auto wide = [](OperandKind kind) { return kind != OperandKind::Mask && kindBits(kind) == 64; };
  if (op.destinationCount && wide(op.alu->dst) && !hasDwords(op.destination, 2))
    return false;
  return all_of(ArrayRef(op.sources).take_front(op.sourceCount), [&](const Source &source) {
    return !wide(source.kind) || hasDwords(source.operand, 2);
  });
}

BindResult gcn::bindAlu(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  bool isScalar = StringRef(inst.mnemonic).starts_with("s_");
  op.alu = isScalar ? findSaluOp(inst.mnemonic, options.gfxMajor)
                    : findValuOp(inst.mnemonic, options.gfxMajor);
  if (!op.alu)
    return BindResult::NotMine;
  BindResult result = isScalar ? bindSalu(inst, op) : bindValu(inst, options, op);
  return result == BindResult::Bound && !widthsMatch(op) ? BindResult::Unsupported : result;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common case of vector operations, which is most of what runs: 32-bit sources and result, no
// modifiers, nothing from other lanes. Valu.cpp does everything else, and means the same.
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/alu/Valu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// A source of 32 bits without modifiers.
static bool isPlainSource(const Source &source) {
  const Operand &operand = source.operand;
  return kindBits(source.kind) == 32 && !operand.neg && !operand.abs && !operand.sext &&
         (operand.isRegister() || isConstant(operand));
}

/// Whether runFastValu() means the same as runValu() for this operation.
bool gcn::isFastValu(const MicroOp &op) {
  const Modifiers &mods = op.inst->mods;
  const AluOp &alu = *op.alu;
  if (mods.sdwa || mods.dpp != DppControl::None || mods.omod || mods.byteSel ||
      !op.inst->dual.empty() || alu.flags & (MixSources | Packed | WritesHigh))
    return false;
  if (mods.clamp && isFloatKind(alu.dst))
    return false;
  if (!all_of(mods.opSel, [](uint8_t bit) { return bit == 0; }) || mods.hasOpSelHi ||
      !all_of(mods.negLo, [](uint8_t bit) { return bit == 0; }) ||
      !all_of(mods.negHi, [](uint8_t bit) { return bit == 0; })) // alone, on v_dot2_f32_f16
    return false;
  bool isCompare = alu.flags & Compare;
  if (!isCompare && (kindBits(alu.dst) != 32 || op.destination.type != OperandType::Vgpr))
    return false;
  return all_of(ArrayRef(op.sources).take_front(op.sourceCount), isPlainSource);
}

namespace {

/// Sources as rows of lanes; a uniform one is a row of which only the first is looked at.
struct FastSources {
  const uint32_t *row[3] = {}; ///< Of each source.
  uint32_t mask[3] = {};       ///< Applied to lane numbers; 0: uniform.
  uint32_t uniform[3] = {};

  FastSources(const Wave &wave, const MicroOp &op) {
    for (unsigned i = 0; i < op.sourceCount; ++i) {
      const Source &source = op.sources[i];
      if (source.operand.type == OperandType::Vgpr) {
        row[i] = wave.v[source.operand.index].data();
        mask[i] = MaxLanes - 1;
        continue;
      }
      uniform[i] = static_cast<uint32_t>(readUniform(wave, source));
      row[i] = &uniform[i];
    }
  }
};

} // namespace

/// Reads \p Count sources of one lane.
template <unsigned Count>
static void fetch(const FastSources &sources, unsigned lane, AluInput &input) {
  for (unsigned i = 0; i < Count; ++i)
    input.src[i] = sources.row[i][lane & sources.mask[i]];
}

/// Nothing reads another lane, so each result is written at once.
template <unsigned Count> static void runFast(Wave &wave, const MicroOp &op) {
  FastSources sources(wave, op);
  AluFunction function = op.alu->function;
  uint64_t carryIn = op.carryIn.type == OperandType::Sgpr ? wave.readMask(op.carryIn.index) : 0;
  uint32_t *to =
      op.destination.type == OperandType::Vgpr ? wave.v[op.destination.index].data() : nullptr;
  AluInput input;
  input.clamp = op.inst->mods.clamp;
  uint64_t bits = 0;
  bool isCompare = op.alu->flags & Compare;
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    fetch<Count>(sources, lane, input);
    input.carry = (carryIn >> lane) & 1;
    input.lane = static_cast<uint8_t>(lane);
    AluOutput output = function(input, wave.mode);
    if (isCompare) {
      bits |= (output.value & 1) << lane;
    } else {
      to[lane] = static_cast<uint32_t>(output.value);
      bits |= uint64_t(output.carry) << lane;
    }
  }
  const Operand &mask = isCompare ? op.destination : op.carryOut;
  if (mask.type == OperandType::Sgpr)
    wave.writeMask(mask.index, bits);
  if (op.alu->flags & WritesExec)
    wave.setExec(bits);
}

/// Goes to runValu() while s_set_gpr_idx is on.
void gcn::runFastValu(Wave &wave, const MicroOp &op) {
  static constexpr Handler BySourceCount[] = {runFast<0>, runFast<1>, runFast<2>, runFast<3>};
  if (wave.gprIndexMode())
    runValu(wave, op);
  else
    BySourceCount[op.sourceCount](wave, op);
}

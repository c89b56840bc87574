// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of vectors and aggregates, select and freeze: scalars that move and stay what they are.
#include "oracles/ir/Floats.h"
#include "oracles/ir/Handlers.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// The element that \p index selects of \p count, or nothing.
/// Nothing for a poison index and for one that is out of range.
static std::optional<uint32_t> selectElement(const Scalar &index, uint32_t count) {
  if (index.isPoison || index.bits.uge(count))
    return std::nullopt;
  return static_cast<uint32_t>(index.bits.getZExtValue());
}

/// extractelement: poison for an index that is poison or out of range.
static void runExtractElement(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *vector = lane->get(inst.operands[0]);
    Scalar &result = lane->slots[inst.slot];
    if (auto at = selectElement(*lane->get(inst.operands[1]), inst.operands[0].count))
      result = vector[*at];
    else
      setPoison(result, inst.bits);
  }
}

/// insertelement: such an index makes all elements poison.
static void runInsertElement(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    Scalar *result = lane->slots + inst.slot;
    std::copy_n(lane->get(inst.operands[0]), inst.count, result);
    if (auto at = selectElement(*lane->get(inst.operands[2]), inst.count)) {
      result[*at] = *lane->get(inst.operands[1]);
      continue;
    }
    for (uint32_t i = 0; i < inst.count; ++i)
      setPoison(result[i], inst.bits);
  }
}

/// shufflevector: Inst::table is the mask; negative entries are poison. Entries count the elements
/// of both vectors.
static void runShuffle(Machine &machine, const Inst &inst) {
  int64_t count = inst.operands[0].count;
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]), *b = lane->get(inst.operands[1]);
    Scalar *result = lane->slots + inst.slot;
    for (int64_t from : inst.table) {
      if (from < 0)
        setPoison(*result, inst.bits);
      else
        *result = from < count ? a[from] : b[from - count];
      ++result;
    }
  }
}

/// extractvalue: Inst::table has the first scalar.
static void runExtractValue(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    std::copy_n(lane->get(inst.operands[0]) + inst.table[0], inst.count, lane->slots + inst.slot);
}

/// insertvalue: Inst::table has the first scalar that is replaced.
static void runInsertValue(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    Scalar *result = lane->slots + inst.slot;
    std::copy_n(lane->get(inst.operands[0]), inst.count, result);
    std::copy_n(lane->get(inst.operands[1]), inst.operands[1].count, result + inst.table[0]);
  }
}

/// select: a poison condition makes the result poison; the value that is not chosen does not count.
/// A chosen value that breaks the fast-math flags becomes poison.
static void runSelect(Machine &machine, const Inst &inst) {
  bool isVector = inst.ir->getOperand(0)->getType()->isVectorTy();
  for (Lane *lane : machine.group()) {
    const Scalar *condition = lane->get(inst.operands[0]);
    const Scalar *a = lane->get(inst.operands[1]), *b = lane->get(inst.operands[2]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i) {
      const Scalar &chosen = condition[isVector ? i : 0];
      if (chosen.isPoison) {
        setPoison(result[i], inst.shape->elements[i].bits);
        continue;
      }
      result[i] = chosen.bits.isZero() ? b[i] : a[i];
      if (inst.flags & (NoNans | NoInfs) && breaksFastMath(inst, toFloat(inst, result[i])))
        setPoison(result[i], inst.bits);
    }
  }
}

/// freeze: poison bits become 0. The machine notes that this happened, as any value is allowed.
static void runFreeze(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i) {
      if (a[i].isPoison)
        machine.noteFrozenPoison();
      result[i] = {frozenBits(a[i])};
    }
  }
}

ArrayRef<OpcodeRow> vectorOpcodes() {
  static constexpr OpcodeRow Rows[] = {
      {Instruction::ExtractElement, runExtractElement},
      {Instruction::InsertElement, runInsertElement},
      {Instruction::ShuffleVector, runShuffle},
      {Instruction::ExtractValue, runExtractValue},
      {Instruction::InsertValue, runInsertValue},
      {Instruction::Select, runSelect},
      {Instruction::Freeze, runFreeze},
  };
  return Rows;
}

} // namespace assay::ir

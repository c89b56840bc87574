// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of EXP (VEXPORT on GFX12).
#include "oracles/machine/gcn_isa/MemorySlots.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// \p count targets from \p first on; with more than one, their names are numbered.
struct TargetRow {
  StringLiteral name;
  uint8_t chips;
  uint8_t first;
  uint8_t count;
};

/// Manuals, "Export Targets"; LLVM, AMDGPUBaseInfo, Exp::getTgtName.
constexpr TargetRow Targets[] = {
    {"mrt", chips::All, 0, 8},
    {"mrtz", chips::All, 8, 1},
    {"null", chips::Gfx9 | chips::Gfx10, 9, 1},
    {"pos", chips::Gfx9, 12, 4},
    {"pos", chips::Gfx10Plus, 12, 5},
    {"prim", chips::Gfx10Plus, 20, 1},
    {"dual_src_blend", chips::Gfx11Plus, 21, 2},
    {"param", chips::Gfx9 | chips::Gfx10, 32, 32},
};

/// By source; a compressed export uses the first two.
constexpr Field SourceFields[] = {Field::Vaddr, Field::Vaddr1, Field::Vaddr2, Field::Vaddr3};

} // namespace

/// LLVM's name, or "invalid_target_" and the number.
static void printTargetName(raw_ostream &os, Chip chip, unsigned target) {
  for (const TargetRow &row : Targets) {
    if (!contains(row.chips, chip) || target < row.first || target >= row.first + row.count)
      continue;
    os << row.name;
    if (row.count > 1)
      os << target - row.first;
    return;
  }
  os << "invalid_target_" << target;
}

/// An operand of type Text whose value is the target's number.
static bool decodeTarget(DecodeState &state, const Slot &) {
  Operand operand;
  operand.type = OperandType::Text;
  operand.value = static_cast<int64_t>(state.field(Field::Target));
  state.inst.operands.push_back(operand);
  return true;
}
/// Whether the chip has the target is not checked.
static bool encodeTarget(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  return operand && operand->type == OperandType::Text &&
         state.setField(Field::Target, static_cast<uint64_t>(operand->value));
}
/// A blank, no comma, stands between target and first source.
static void printTarget(PrintState &state, const Slot &) {
  auto target = static_cast<unsigned>(state.takeOperand().value);
  printTargetName(state.os, state.chip(), target);
  state.anyOperand = false;
}

/// A compressed export has two sources for four enable bits.
static Field sourceField(bool compressed, unsigned i) {
  return SourceFields[compressed ? i / 2 : i];
}

/// Source number slot.number, "off" where its bit of the enable mask is 0.
static bool decodeSource(DecodeState &state, const Slot &slot) {
  if (state.field(Field::Enable) >> slot.number & 1)
    return decodeVector(state, sourceField(state.field(Field::Compressed), slot.number), 1);
  Operand off;
  off.dwords = 0;
  state.inst.operands.push_back(off);
  return true;
}
/// Sets the enable bit of this source from the type of the operand: "off" clears it.
static bool encodeSource(EncodeState &state, const Slot &slot) {
  if (state.nextOperand >= state.inst.operands.size())
    return false;
  bool isOff = state.inst.operands[state.nextOperand].type == OperandType::Off;
  const FieldPlace *enable = state.form.layout->find(Field::Enable);
  unsigned bit = enable->lsb + slot.number;
  state.words.set(bit, 1, !isOff);
  state.known.set(bit, 1, 1);
  if (!isOff)
    return encodeVector(state, sourceField(state.inst.mods.compressed, slot.number), 1);
  state.takeOperand();
  return true;
}

/// These words are in Modifiers::other, too, as in the text.
template <Field F, bool Modifiers::*Member>
static bool decodeWord(DecodeState &state, const Slot &slot) {
  decodeFlag<F, Member>(state, slot);
  if (state.inst.mods.*Member)
    state.inst.mods.other.push_back(slot.kind->name.str());
  return true;
}

#define WORD(NAME, FIELD, MEMBER)                                                                  \
  {NAME, decodeWord<Field::FIELD, &Modifiers::MEMBER>,                                             \
   encodeFlag<Field::FIELD, &Modifiers::MEMBER>, printFlag<&Modifiers::MEMBER>}
/// Columns: name, decoder, encoder, printer.
ArrayRef<SlotKind> gcn::exportSlots() {
  static constexpr SlotKind Kinds[] = {
      {"e_target", decodeTarget, encodeTarget, printTarget},
      {"e_source", decodeSource, encodeSource, printNext},
      WORD("done", Done, done),
      WORD("compr", Compressed, compressed),
      WORD("vm", ValidMask, validMask),
      WORD("row_en", RowEnable, rowEnable),
  };
  return Kinds;
}
#undef WORD

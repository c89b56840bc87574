// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of SMEM. Each generation forms the offset in its own way: see decodeOffset().
#include "oracles/machine/gcn_isa/MemorySlots.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Bits of Modifiers::addressing: GFX9's "imm" and "soffset_en".
static constexpr unsigned HasImmediate = 1;
static constexpr unsigned HasRegister = 2;  ///< The offset has a register.
static constexpr unsigned RegisterBits = 7; ///< Width of a register's code in GFX9's offset field.

/// Neither m0 nor exec (LLVM: SReg_32_XM0_XEXEC, SReg_64_XEXEC).
static bool decodeData(DecodeState &state, const Slot &slot) {
  if (!decodeScalar(state, Field::Sdata, 1, slot.number))
    return false;
  unsigned index = state.inst.operands.back().index;
  return index != sreg::M0 && index != sreg::ExecLo && index != sreg::ExecLo + 1;
}
static bool encodeData(EncodeState &state, const Slot &slot) {
  return encodeScalar(state, Field::Sdata, 1, slot.number);
}

/// A pair or a quad; the encoding counts pairs.
static bool decodeBase(DecodeState &state, const Slot &slot) {
  return decodeScalar(state, Field::Sbase, 2, slot.number);
}
static bool encodeBase(EncodeState &state, const Slot &slot) {
  return encodeScalar(state, Field::Sbase, 2, slot.number);
}

/// Adds one register, which may be null.
static bool decodeRegister(DecodeState &state, unsigned code) {
  Operand operand;
  if (!decodeScalarRegister(state.chip(), code, 1, operand))
    return false;
  state.inst.operands.push_back(operand);
  return true;
}

/// Adds an offset as a literal.
static void pushNumber(DecodeState &state, int64_t value) {
  Operand operand;
  operand.type = OperandType::Literal;
  operand.value = value;
  state.inst.operands.push_back(operand);
}

/// GFX9 (Vega manual, "SMEM"): imm and soffset_en choose; without both, the register is where
/// the immediate would.
static bool decodeGfx9Offset(DecodeState &state) {
  bool imm = state.field(Field::OffsetEnable);
  bool reg = state.field(Field::SoffsetEnable);
  state.inst.mods.addressing =
      static_cast<uint8_t>((imm ? HasImmediate : 0) | (reg ? HasRegister : 0));
  if (imm && !reg) {
    pushNumber(state, state.signedField(Field::Offset));
    return true;
  }
  if (imm)
    state.inst.mods.offset = state.signedField(Field::Offset);
  unsigned code = reg ? static_cast<unsigned>(state.field(Field::Soffset))
                      : static_cast<unsigned>(state.field(Field::Offset)) & 127;
  return decodeRegister(state, code);
}

/// Type "b", a buffer: GFX12 takes no negative offset into it (LLVM, validateSMEMOffset).
static bool isOffsetAllowed(const DecodeState &state, const Slot &slot) {
  return slot.letter != 'b' || !contains(chips::Gfx12, state.chip()) ||
         state.signedField(Field::Offset) >= 0;
}

/// GFX10 and later: a register, which may be null, and an immediate.
static bool decodeOffset(DecodeState &state, const Slot &slot) {
  if (state.hasField(Field::OffsetEnable))
    return decodeGfx9Offset(state);
  if (!isOffsetAllowed(state, slot))
    return false;
  unsigned code = static_cast<unsigned>(state.field(Field::Soffset));
  int64_t offset = state.signedField(Field::Offset);
  bool isNull = scalarFromCode(state.chip(), code) == int(sreg::Null);
  bool isImmediate = isNull && (offset || contains(chips::Gfx12, state.chip()));
  if (isImmediate) {
    pushNumber(state, offset);
    return true;
  }
  state.inst.mods.offset = offset;
  return decodeRegister(state, code);
}

/// Modifiers::addressing says which parts the encoding has.
static bool encodeGfx9Offset(EncodeState &state, const Operand &operand) {
  bool imm = state.inst.mods.addressing & HasImmediate;
  bool reg = state.inst.mods.addressing & HasRegister;
  if (!state.setField(Field::OffsetEnable, imm) || !state.setField(Field::SoffsetEnable, reg))
    return false;
  if (operand.type == OperandType::Literal)
    return imm && !reg && state.setSignedField(Field::Offset, operand.value);
  int code = codeFromScalar(state.chip(), operand.index);
  if (operand.type != OperandType::Sgpr || code < 0)
    return false;
  if (!reg) {
    if (imm || !state.setField(Field::Offset, unsigned(code)))
      return false;
    const FieldPlace *place = state.form.layout->find(Field::Offset);
    state.known.set(place->lsb + RegisterBits, place->width - RegisterBits, 0);
    return true;
  }
  return state.setField(Field::Soffset, unsigned(code)) &&
         (!imm || state.setSignedField(Field::Offset, state.inst.mods.offset));
}

/// The reverse of decodeOffset().
static bool encodeOffset(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  if (!operand)
    return false;
  if (state.hasField(Field::OffsetEnable))
    return encodeGfx9Offset(state, *operand);
  bool isNumber = operand->type == OperandType::Literal;
  if (!isNumber && operand->type != OperandType::Sgpr)
    return false;
  int code = codeFromScalar(state.chip(), isNumber ? sreg::Null : operand->index);
  return code >= 0 && state.setField(Field::Soffset, unsigned(code)) &&
         state.setSignedField(Field::Offset, isNumber ? operand->value : state.inst.mods.offset);
}

/// A sign, then the magnitude.
static void printHex(raw_ostream &os, int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  os << (value < 0 ? "-0x" : "0x") << utohexstr(magnitude, /*LowerCase=*/true);
}

static void printNumber(PrintState &state, const Slot &) {
  printHex(state.os, state.takeOperand().value);
}

/// An immediate next to a register follows it as a modifier: always on GFX12, on GFX10 and GFX11
/// unless it is 0, on GFX9 where the encoding has one.
static void printOffset(PrintState &state, const Slot &slot) {
  const Operand &operand = state.takeOperand();
  if (operand.type == OperandType::Literal)
    return printHex(state.os, operand.value);
  printOperand(state.os, operand, state.chip());
  const Modifiers &mods = state.inst.mods;
  bool prints = mods.offset != 0 || contains(chips::Gfx12, state.chip()) ||
                mods.addressing == (HasImmediate | HasRegister);
  if (!prints)
    return;
  state.os << " offset:";
  printHex(state.os, mods.offset);
}

/// Prefetches: the parts of the offset as operands.
static bool decodeNumber(DecodeState &state, const Slot &slot) {
  pushNumber(state, state.signedField(Field::Offset));
  return isOffsetAllowed(state, slot);
}
/// The operand must be a literal; false when it does not fit.
static bool encodeNumber(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  return operand && operand->type == OperandType::Literal &&
         state.setSignedField(Field::Offset, operand->value);
}
static bool decodeOffsetRegister(DecodeState &state, const Slot &) {
  return decodeRegister(state, static_cast<unsigned>(state.field(Field::Soffset)));
}
static bool encodeOffsetRegister(EncodeState &state, const Slot &) {
  return encodeScalar(state, Field::Soffset, 1, 1);
}

/// A number where others have the destination, of as many bits as the slot says. LLVM writes it as
/// a constant, in hexadecimal beyond the inline ones.
static constexpr int64_t LargestInline = 64;

/// The field holds a number instead of registers. Returns false for numbers of more bits than the
/// slot says.
static bool decodeDataNumber(DecodeState &state, const Slot &slot) {
  Operand operand;
  operand.value = static_cast<int64_t>(state.field(Field::Sdata));
  operand.type = operand.value > LargestInline ? OperandType::Literal : OperandType::Integer;
  state.inst.operands.push_back(operand);
  return operand.value < int64_t(1) << slot.number;
}
/// Numbers beyond the inline constants are hexadecimal.
static void printDataNumber(PrintState &state, const Slot &) {
  const Operand &operand = state.takeOperand();
  if (operand.type == OperandType::Literal)
    return printHex(state.os, operand.value);
  state.os << operand.value;
}
/// False for registers, and for numbers of more bits than the slot says.
static bool encodeDataNumber(EncodeState &state, const Slot &slot) {
  const Operand *operand = state.takeOperand();
  return operand &&
         (operand->type == OperandType::Integer || operand->type == OperandType::Literal) &&
         operand->value >= 0 && operand->value < int64_t(1) << slot.number &&
         state.setField(Field::Sdata, static_cast<uint64_t>(operand->value));
}

/// Columns: name, decoder, encoder, printer.
ArrayRef<SlotKind> gcn::scalarMemorySlots() {
  static constexpr SlotKind Kinds[] = {
      {"s_data", decodeData, encodeData, printNext},
      {"s_base", decodeBase, encodeBase, printNext},
      {"s_offset", decodeOffset, encodeOffset, printOffset},
      {"s_number", decodeNumber, encodeNumber, printNumber},
      {"s_soffset", decodeOffsetRegister, encodeOffsetRegister, printNext},
      {"s_imm", decodeDataNumber, encodeDataNumber, printDataNumber},
  };
  return Kinds;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of buffers: MUBUF and MTBUF, VBUFFER on GFX12.
#include "oracles/machine/gcn_isa/AluOperands.h"
#include "oracles/machine/gcn_isa/BufferFormatNames.h"
#include "oracles/machine/gcn_isa/MemorySlots.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// With tfe, one register more, for the status.
static bool decodeData(DecodeState &state, const Slot &slot) {
  return decodeVector(state, Field::Vdata, slot.number + unsigned(state.field(Field::Tfe)));
}
/// With tfe the data take one register more.
static bool encodeData(EncodeState &state, const Slot &slot) {
  return encodeVector(state, Field::Vdata, slot.number + unsigned(state.inst.mods.tfe));
}

/// Loads into LDS (GFX9, GFX10) have no data register, and no status.
static bool decodeLoadData(DecodeState &state, const Slot &slot) {
  if (state.field(Field::Lds))
    return !state.field(Field::Tfe);
  return decodeData(state, slot);
}
/// A load to LDS has no register for its data.
static bool encodeLoadData(EncodeState &state, const Slot &slot) {
  return state.inst.mods.lds || encodeData(state, slot);
}
static void printLoadData(PrintState &state, const Slot &slot) {
  if (!state.inst.mods.lds)
    printNext(state, slot);
}

/// Index, offset, both, or "off".
static bool decodeAddress(DecodeState &state, const Slot &) {
  auto dwords = static_cast<unsigned>(state.field(Field::Idxen) + state.field(Field::Offen));
  if (dwords)
    return decodeVector(state, Field::Vaddr, dwords);
  Operand off;
  off.dwords = 0;
  state.inst.operands.push_back(off);
  return true;
}
/// Index and offset take one register each; without them the operand is "off".
static bool encodeAddress(EncodeState &state, const Slot &) {
  const Modifiers &mods = state.inst.mods;
  if (mods.idxen || mods.offen)
    return encodeVector(state, Field::Vaddr, unsigned(mods.idxen) + unsigned(mods.offen));
  const Operand *operand = state.takeOperand();
  return operand && operand->type == OperandType::Off;
}

/// Up to GFX11 the field counts groups of four registers.
static unsigned descriptorScale(const FormatLayout &layout) {
  const FieldPlace *place = layout.find(Field::Srsrc);
  return place && place->width <= 5 ? 4 : 1;
}
/// A descriptor is four scalar registers. The unit of the field depends on the format.
static bool decodeDescriptor(DecodeState &state, const Slot &) {
  return decodeScalar(state, Field::Srsrc, descriptorScale(*state.form.layout), 4);
}
static bool encodeDescriptor(EncodeState &state, const Slot &) {
  return encodeScalar(state, Field::Srsrc, descriptorScale(*state.form.layout), 4);
}

/// A scalar source without literals; only registers on GFX12, whose field has 7 bits.
static bool decodeOffsetRegister(DecodeState &state, const Slot &slot) {
  Operand operand;
  auto code = static_cast<unsigned>(state.field(Field::Soffset));
  if (!decodeScalarSource(state, slot, code, /*literalFits=*/false, operand))
    return false;
  state.inst.operands.push_back(operand);
  return true;
}
/// The offset may be a register or an inline constant, no literal.
static bool encodeOffsetRegister(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  int code =
      operand && operand->type != OperandType::Literal ? encodeScalarSource(state, *operand) : -1;
  return code >= 0 && state.setField(Field::Soffset, unsigned(code));
}
static void printOffsetRegister(PrintState &state, const Slot &slot) {
  printSource(state, state.takeOperand(), slot);
}

/// GFX12 has 24 bits, of which the highest is 0.
static bool decodeOffset(DecodeState &state, const Slot &) {
  state.inst.mods.offset = static_cast<int64_t>(state.field(Field::Offset));
  return state.inst.mods.offset < 1 << 23;
}
/// Offsets are unsigned and below 2^23; the field may be smaller.
static bool encodeOffset(EncodeState &state, const Slot &) {
  int64_t offset = state.inst.mods.offset;
  return offset >= 0 && offset < 1 << 23 &&
         state.setField(Field::Offset, static_cast<uint64_t>(offset));
}
static void printOffset(PrintState &state, const Slot &) {
  if (state.inst.mods.offset)
    state.os << " offset:" << state.inst.mods.offset;
}

/// GFX9 has two fields, data and number format; later chips have one.
static bool decodeFormat(DecodeState &state, const Slot &) {
  state.inst.mods.format =
      static_cast<uint8_t>(state.field(Field::Dfmt) | state.field(Field::Nfmt) << 4);
  return true;
}
/// GFX9 has two fields, data format in the low 4 bits; later chips have one.
static bool encodeFormat(EncodeState &state, const Slot &) {
  unsigned format = state.inst.mods.format;
  if (!state.hasField(Field::Nfmt))
    return state.setField(Field::Dfmt, format);
  return state.setField(Field::Dfmt, format & 15) && state.setField(Field::Nfmt, format >> 4);
}
/// A format without a name is not printed.
static void printFormat(PrintState &state, const Slot &) {
  std::string name = bufferFormatName(state.chip(), state.inst.mods.format);
  if (!name.empty())
    state.os << " format:" << name;
}

/// Cache operations: LLVM takes no bit 15 (GFX10's dlc) on GFX9 either.
static bool decodeNone(DecodeState &state, const Slot &) {
  return contains(chips::Gfx11, state.chip()) || state.words.get(15, 1) == 0;
}

/// GFX12: nothing reads the format of untyped accesses, where LLVM's assembler writes a 1.
static bool encodeUntyped(EncodeState &state, const Slot &) {
  constexpr unsigned FormatBit = 55;
  state.words.set(FormatBit, 1, 1);
  return true;
}

/// Columns: name, decoder, encoder, printer; null: nothing to do.
ArrayRef<SlotKind> gcn::bufferSlots() {
  static constexpr SlotKind Kinds[] = {
      {"b_data", decodeData, encodeData, printNext},
      {"b_ldsdata", decodeLoadData, encodeLoadData, printLoadData},
      {"b_addr", decodeAddress, encodeAddress, printNext},
      {"b_rsrc", decodeDescriptor, encodeDescriptor, printNext},
      {"b_soffset", decodeOffsetRegister, encodeOffsetRegister, printOffsetRegister},
      {"b_format", decodeFormat, encodeFormat, printFormat},
      {"b_offset", decodeOffset, encodeOffset, printOffset},
      {"b_untyped", nullptr, encodeUntyped, nullptr},
      {"b_none", decodeNone, nullptr, nullptr},
  };
  return Kinds;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of FLAT, GLOBAL and SCRATCH. Which registers the address has follows from saddr and, from
// GFX11 on, sve (manuals, "FLAT, Global and Scratch").
#include "oracles/machine/gcn_isa/MemorySlots.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Which parts the address of an instruction has.
struct AddressParts {
  bool vector = false;
  bool scalar = false;
};

/// saddr's code for "none".
constexpr unsigned Gfx9None = 0x7f;
constexpr unsigned Gfx10None = 0x7d;
constexpr unsigned Gfx11None = 0x7c;
/// GFX10.3 scratch: neither register (the "ST" mode of the RDNA 2 manual).
constexpr unsigned Gfx10Neither = 0x7f;

} // namespace

/// saddr's code for "no register" on \p chip.
static unsigned noneCode(Chip chip) {
  if (contains(chips::Gfx9, chip))
    return Gfx9None;
  return contains(chips::Gfx10, chip) ? Gfx10None : Gfx11None;
}

/// Flat, Global or Scratch.
static Format formatOf(const InstForm &form) {
  return form.layout->format;
}

/// Scratch may have either register, both (from GFX11 on) or neither.
static AddressParts addressParts(const DecodeState &state) {
  auto saddr = static_cast<unsigned>(state.field(Field::Saddr));
  Format format = formatOf(state.form);
  AddressParts parts;
  parts.scalar = saddr != noneCode(state.chip());
  if (format != Format::Scratch) {
    parts.vector = true;
    return parts;
  }
  if (state.hasField(Field::Sve)) {
    parts.vector = state.field(Field::Sve);
    return parts;
  }
  if (contains(chips::Gfx10_3, state.chip()) && saddr == Gfx10Neither)
    return {};
  parts.vector = !parts.scalar;
  return parts;
}

/// A 64-bit address, or a 32-bit offset next to a scalar address or into scratch.
static unsigned addressDwords(Format format, bool hasScalar) {
  return format == Format::Flat || (format == Format::Global && !hasScalar) ? 2 : 1;
}

/// False for the forms that add the lane's number instead.
static bool addressHasVector(const InstForm &form) {
  return any_of(form.slots, [](const Slot &slot) { return slot.kind->name == "f_addr"; });
}

/// Adds the operand "off".
static bool pushOff(DecodeState &state) {
  Operand off;
  off.dwords = 0;
  state.inst.operands.push_back(off);
  return true;
}

/// Adds the vector part of the address, or "off" where there is none.
static bool decodeAddress(DecodeState &state, const Slot &) {
  AddressParts parts = addressParts(state);
  if (!parts.vector)
    return pushOff(state);
  return decodeVector(state, Field::Addr, addressDwords(formatOf(state.form), parts.scalar));
}

/// GFX10.3 scratch: saddr says that there is no register at all.
static bool canHaveNeither(const EncodeState &state) {
  return formatOf(state.form) == Format::Scratch && contains(chips::Gfx10_3, state.chip());
}

/// Whether the last operand is a scalar base.
static bool hasScalarBase(const Inst &inst) {
  return !inst.operands.empty() && inst.operands.back().type == OperandType::Sgpr;
}

/// The scalar base, which follows, decides how many registers the vector part has.
static bool encodeAddress(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  if (!operand)
    return false;
  if (operand->type == OperandType::Off)
    return encodeFixed(state, Field::Sve, 0) &&
           (!canHaveNeither(state) || state.setField(Field::Saddr, Gfx10Neither));
  return operand->type == OperandType::Vgpr &&
         operand->dwords == addressDwords(formatOf(state.form), hasScalarBase(state.inst)) &&
         encodeFixed(state, Field::Sve, 1) && state.setField(Field::Addr, operand->index);
}

/// FLAT has no scalar address: the field holds the code for none, on GFX9 0.
static uint64_t flatCode(Chip chip) {
  return contains(chips::Gfx9, chip) ? 0 : noneCode(chip);
}

/// False for registers that LLVM does not allow there.
static bool decodeScalarAddress(DecodeState &state, const Slot &) {
  Format format = formatOf(state.form);
  if (format == Format::Flat)
    return state.field(Field::Saddr) == flatCode(state.chip());
  if (!addressParts(state).scalar)
    return pushOff(state);
  if (!decodeScalar(state, Field::Saddr, 1, format == Format::Global ? 2 : 1))
    return false;
  // LLVM: SReg_64_XEXEC_XNULL, except for addtid and LDS; SReg_32_XEXEC_HI.
  unsigned index = state.inst.operands.back().index;
  bool takesExec =
      format == Format::Scratch || !addressHasVector(state.form) || state.field(Field::Lds);
  return index != sreg::Null && (index != sreg::ExecLo || takesExec) && index != sreg::ExecLo + 1;
}

/// Runs after encodeAddress(), which may have said that there is no register at all.
static bool encodeScalarAddress(EncodeState &state, const Slot &) {
  Format format = formatOf(state.form);
  if (format == Format::Flat)
    return state.setField(Field::Saddr, flatCode(state.chip()));
  bool isOff = state.nextOperand < state.inst.operands.size() &&
               state.inst.operands[state.nextOperand].type == OperandType::Off;
  if (!isOff)
    return encodeScalar(state, Field::Saddr, 1, format == Format::Global ? 2 : 1);
  state.takeOperand();
  const FieldPlace *place = state.form.layout->find(Field::Saddr);
  bool isNeither =
      canHaveNeither(state) && state.words.get(place->lsb, place->width) == Gfx10Neither;
  return isNeither || state.setField(Field::Saddr, noneCode(state.chip()));
}

/// FLAT decodes to no such operand, so nothing is printed.
static void printScalarAddress(PrintState &state, const Slot &slot) {
  if (formatOf(state.form) != Format::Flat)
    printNext(state, slot);
}

/// Type "w": so many registers in wave32, half as many in wave64 (loads that transpose).
static unsigned resultDwords(const Slot &slot, unsigned waveSize) {
  return slot.letter == 'w' && waveSize == 64 ? slot.number / 2 : slot.number;
}
static bool decodeResult(DecodeState &state, const Slot &slot) {
  return decodeVector(state, Field::Vdst, resultDwords(slot, state.waveSize));
}
static bool encodeResult(EncodeState &state, const Slot &slot) {
  return encodeVector(state, Field::Vdst, resultDwords(slot, state.waveSize));
}

/// Loads into LDS (GFX9, GFX10) have no destination.
static bool decodeLoadResult(DecodeState &state, const Slot &slot) {
  return state.field(Field::Lds) || decodeVector(state, Field::Vdst, slot.number);
}
/// Modifiers::lds says whether the instruction has the operand.
static bool encodeLoadResult(EncodeState &state, const Slot &slot) {
  return state.inst.mods.lds || encodeVector(state, Field::Vdst, slot.number);
}
/// Loads to LDS have no result.
static void printLoadResult(PrintState &state, const Slot &slot) {
  if (!state.inst.mods.lds)
    printNext(state, slot);
}

/// Atomics have a destination only if they return the old value.
static bool decodeAtomicResult(DecodeState &state, const Slot &slot) {
  return !atomicReturns(state) || decodeVector(state, Field::Vdst, slot.number);
}
/// Modifiers::returnsOld says whether the instruction has the operand.
static bool encodeAtomicResult(EncodeState &state, const Slot &slot) {
  return !state.inst.mods.returnsOld || encodeVector(state, Field::Vdst, slot.number);
}
/// Only atomics that return the old value have a result.
static void printAtomicResult(PrintState &state, const Slot &slot) {
  if (state.inst.mods.returnsOld)
    printNext(state, slot);
}

/// FLAT itself counts upwards only (up to GFX11).
static bool hasSignedOffset(const InstForm &form) {
  return formatOf(form) != Format::Flat || form.layout->size == 3;
}
/// FLAT has unsigned offsets, GLOBAL and SCRATCH signed ones, as hasSignedOffset() says for the
/// form.
static bool decodeOffset(DecodeState &state, const Slot &) {
  state.inst.mods.offset = hasSignedOffset(state.form)
                               ? state.signedField(Field::Offset)
                               : static_cast<int64_t>(state.field(Field::Offset));
  return true;
}
/// False for an offset that does not fit, and for a negative one where the field is unsigned.
static bool encodeOffset(EncodeState &state, const Slot &) {
  int64_t offset = state.inst.mods.offset;
  if (hasSignedOffset(state.form))
    return state.setSignedField(Field::Offset, offset);
  return offset >= 0 && state.setField(Field::Offset, static_cast<uint64_t>(offset));
}
static void printOffset(PrintState &state, const Slot &) {
  if (state.inst.mods.offset)
    state.os << " offset:" << state.inst.mods.offset;
}

/// Cache operations have no address.
static bool decodeNone(DecodeState &state, const Slot &) {
  return state.field(Field::Saddr) == noneCode(state.chip());
}
/// Writes the code that means no scalar address.
static bool encodeNone(EncodeState &state, const Slot &) {
  return state.setField(Field::Saddr, noneCode(state.chip()));
}

/// Columns: name, decoder, encoder, printer; null: nothing to do.
ArrayRef<SlotKind> gcn::flatSlots() {
  static constexpr SlotKind Kinds[] = {
      {"f_dst", decodeResult, encodeResult, printNext},
      {"f_ldsdst", decodeLoadResult, encodeLoadResult, printLoadResult},
      {"f_ret", decodeAtomicResult, encodeAtomicResult, printAtomicResult},
      {"f_data", decodeVectorSlot<Field::Data0>, encodeVectorSlot<Field::Data0>, printNext},
      {"f_addr", decodeAddress, encodeAddress, printNext},
      {"f_saddr", decodeScalarAddress, encodeScalarAddress, printScalarAddress},
      {"f_none", decodeNone, encodeNone, nullptr},
      {"f_offset", decodeOffset, encodeOffset, printOffset},
  };
  return Kinds;
}

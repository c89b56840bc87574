// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the slots of memory formats share: vector registers, flags, cache hints.
#pragma once

#include "oracles/machine/gcn_isa/Codec.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::gcn {

/// The slots of each family; memorySlotKinds() is all of them.
llvm::ArrayRef<SlotKind> sharedSlots();
llvm::ArrayRef<SlotKind> scalarMemorySlots();
llvm::ArrayRef<SlotKind> dataShareSlots();
llvm::ArrayRef<SlotKind> flatSlots();
llvm::ArrayRef<SlotKind> bufferSlots();
llvm::ArrayRef<SlotKind> imageSlots();
llvm::ArrayRef<SlotKind> exportSlots();

/// The operand v[field : field + dwords - 1]; false beyond v255.
bool decodeVector(DecodeState &state, Field field, unsigned dwords);
bool encodeVector(EncodeState &state, Field field, unsigned dwords);
template <Field F> bool decodeVectorSlot(DecodeState &state, const Slot &slot) {
  return decodeVector(state, F, slot.number);
}
template <Field F> bool encodeVectorSlot(EncodeState &state, const Slot &slot) {
  return encodeVector(state, F, slot.number);
}

/// A scalar register whose number is the field times \p scale.
bool decodeScalar(DecodeState &state, Field field, unsigned scale, unsigned dwords);
bool encodeScalar(EncodeState &state, Field field, unsigned scale, unsigned dwords);

/// Writes the next operand.
void printNext(PrintState &state, const Slot &slot);

/// True when the words ask for what was in memory (glc; return of GFX12's temporal hint).
bool atomicReturns(const DecodeState &state);

/// What \p field must be where no slot gives it a meaning: \p value.
bool encodeFixed(EncodeState &state, Field field, uint64_t value);

/// A bit that prints the name of its slot. With type "a" the bit is always set.
template <Field F, bool Modifiers::*Member> bool decodeFlag(DecodeState &state, const Slot &slot) {
  bool value = state.field(F);
  state.inst.mods.*Member = value;
  return value || slot.letter != 'a';
}
template <Field F, bool Modifiers::*Member> bool encodeFlag(EncodeState &state, const Slot &) {
  return state.setField(F, state.inst.mods.*Member);
}
template <bool Modifiers::*Member> void printFlag(PrintState &state, const Slot &slot) {
  if (state.inst.mods.*Member)
    state.os << ' ' << slot.kind->name;
}

} // namespace assay::gcn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of images: MIMG, and VIMAGE and VSAMPLE on GFX12.
#include "oracles/machine/gcn_isa/ImageAddress.h"
#include "oracles/machine/gcn_isa/MemorySlots.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// ImageKind and parts of the address.
static uint32_t flagsOf(const InstForm &form) {
  return form.row->flags;
}

//===- Data ---------------------------------------------------------------------------------===//

/// The modifiers that the width of the data depends on are after it, so it reads them itself.
static bool decodeData(DecodeState &state, const Slot &) {
  Modifiers mods;
  mods.dmask = static_cast<uint8_t>(state.field(Field::Dmask));
  mods.d16 = state.field(Field::D16);
  mods.tfe = state.field(Field::Tfe);
  return decodeVector(state, Field::Vdata,
                      imageDataDwords(flagsOf(state.form), state.chip(), mods));
}
/// The number of registers follows from dmask, d16, tfe and the kind of instruction.
static bool encodeData(EncodeState &state, const Slot &) {
  return encodeVector(state, Field::Vdata,
                      imageDataDwords(flagsOf(state.form), state.chip(), state.inst.mods));
}

//===- Address ------------------------------------------------------------------------------===//

/// Fields of address registers that layouts name; further ones are bytes of the NSA dwords.
static constexpr Field VaddrFields[] = {Field::Vaddr, Field::Vaddr1, Field::Vaddr2, Field::Vaddr3,
                                        Field::Vaddr4};
static constexpr unsigned NsaFirstBit = 64;      ///< GFX10: further addresses, a byte each.
static constexpr unsigned NsaWordAddresses = 4;  ///< Addresses in one NSA dword.
static constexpr unsigned FirstMultisampled = 6; ///< Of the dimensions.

/// Registers of each operand of an address: one, but the last field takes the rest.
static SmallVector<uint8_t, 12> splitAddress(unsigned dwords, unsigned fields) {
  SmallVector<uint8_t, 12> parts;
  for (unsigned i = 0; i < std::min(dwords, fields); ++i)
    parts.push_back(1);
  if (dwords > fields)
    parts.back() = static_cast<uint8_t>(dwords - fields + 1);
  return parts;
}

/// Registers of all parts.
static unsigned sumOf(ArrayRef<uint8_t> parts) {
  unsigned sum = 0;
  for (uint8_t part : parts)
    sum += part;
  return sum;
}

/// Registers of each operand of the address that \p dim, \p a16 and \p nsa give; empty when the
/// encoding has no room for it.
static SmallVector<uint8_t, 12> addressParts(const InstForm &form, Chip chip, unsigned dim,
                                             bool a16, unsigned nsa) {
  uint32_t flags = flagsOf(form);
  if (contains(chips::Gfx9, chip))
    return {static_cast<uint8_t>(imageAddressDwordsGfx9(flags))};
  bool isRay = imageKind(flags) == ImageKind::Ray;
  SmallVector<uint8_t, 5> ray = rayAddressDwords(flags, a16);
  unsigned dwords = isRay ? sumOf(ray) : imageAddressDwords(flags, dim, a16);
  bool isGfx12 = contains(chips::Gfx12, chip);
  if (!isGfx12 && nsa == 0)
    return {static_cast<uint8_t>(dwords)};
  bool isGfx10 = contains(chips::Gfx10, chip);
  if (isRay && !isGfx10)
    return SmallVector<uint8_t, 12>(ray.begin(), ray.end());
  if (isGfx12)
    return splitAddress(dwords, form.layout->find(Field::Vaddr4) ? 5 : 4);
  // As many dwords as it needs; on GFX11 there is one, and the last address takes the rest.
  unsigned needed = (dwords - 1 + NsaWordAddresses - 1) / NsaWordAddresses;
  if (nsa != (isGfx10 ? needed : std::min(needed, 1u)))
    return {};
  return splitAddress(dwords, 1 + NsaWordAddresses * nsa);
}

/// Where the register number of address operand \p i stands.
static FieldPlace addressPlace(const FormatLayout &layout, unsigned i) {
  FieldPlace place;
  if (const FieldPlace *found = i < std::size(VaddrFields) ? layout.find(VaddrFields[i]) : nullptr)
    return *found;
  place.lsb = static_cast<uint8_t>(NsaFirstBit + 8 * (i - 1));
  place.width = 8;
  return place;
}

/// GFX12: LLVM takes no register in a field that no address of the opcode reaches.
static bool isUnusedFieldZero(const DecodeState &state, size_t used) {
  if (state.hasField(Field::Vaddr4))
    return used > 4 || state.field(Field::Vaddr4) == 0;
  unsigned longest = 0;
  for (unsigned dim = 0; dim < FirstMultisampled; ++dim)
    longest = std::max(longest, imageAddressDwords(flagsOf(state.form), dim, false));
  bool isLoad = imageKind(flagsOf(state.form)) == ImageKind::LoadMsaa;
  return longest > 3 || isLoad || state.field(Field::Vaddr3) == 0;
}

/// Multisampled images have neither sampler nor mip levels (manuals, "Image Resource Definition"),
/// though LLVM decodes both.
static bool canHaveDimension(const DecodeState &state) {
  uint32_t flags = flagsOf(state.form);
  ImageKind kind = imageKind(flags);
  bool needsSingle = hasSampler(kind) || (flags & image::Lod && kind != ImageKind::GetSize);
  return state.field(Field::Dim) < FirstMultisampled || !needsSingle;
}

/// NSA dwords lengthen the instruction. False for registers beyond the file, and for a number of
/// dwords that the address does not need.
static bool decodeAddress(DecodeState &state, const Slot &) {
  if (!canHaveDimension(state))
    return false;
  auto nsa = static_cast<unsigned>(state.field(Field::Nsa));
  state.inst.mods.nsa = static_cast<uint8_t>(nsa);
  state.size += nsa;
  SmallVector<uint8_t, 12> parts = addressParts(
      state.form, state.chip(), unsigned(state.field(Field::Dim)), state.field(Field::A16), nsa);
  for (unsigned i = 0; i < parts.size(); ++i) {
    FieldPlace place = addressPlace(*state.form.layout, i);
    auto index = static_cast<unsigned>(state.words.get(place.lsb, place.width));
    if (index + parts[i] > 256)
      return false;
    state.inst.operands.push_back(vectorRegister(index, parts[i]));
  }
  if (contains(chips::Gfx12, state.chip()) && !isUnusedFieldZero(state, parts.size()))
    return false;
  return !parts.empty();
}

/// Every operand must have the width that the encoding implies.
static bool encodeAddress(EncodeState &state, const Slot &) {
  const Modifiers &mods = state.inst.mods;
  state.size += mods.nsa;
  if (!state.setField(Field::Nsa, mods.nsa))
    return false;
  SmallVector<uint8_t, 12> parts =
      addressParts(state.form, state.chip(), dimensionOf(mods.dimension) & 7, mods.a16, mods.nsa);
  for (unsigned i = 0; i < parts.size(); ++i) {
    const Operand *operand = state.takeOperand();
    if (!operand || operand->type != OperandType::Vgpr || operand->dwords != parts[i])
      return false;
    FieldPlace place = addressPlace(*state.form.layout, i);
    state.words.set(place.lsb, place.width, operand->index);
    state.known.set(place.lsb, place.width, 255);
  }
  return !parts.empty();
}

/// In brackets where each operand has its own field: NSA, and more than one on GFX12.
static void printAddress(PrintState &state, const Slot &slot) {
  unsigned trailing = hasSampler(imageKind(flagsOf(state.form))) ? 2 : 1;
  unsigned count = static_cast<unsigned>(state.inst.operands.size()) - state.nextOperand - trailing;
  bool brackets = state.inst.mods.nsa || count > 1;
  if (!brackets)
    return printNext(state, slot);
  state.os << (state.anyOperand ? ", [" : " [");
  for (unsigned i = 0; i < count; ++i) {
    if (i)
      state.os << ", ";
    printOperand(state.os, state.inst.operands[state.nextOperand++], state.chip());
  }
  state.os << ']';
  state.anyOperand = true;
}

//===- Descriptors --------------------------------------------------------------------------===//

/// Up to GFX11 the field counts groups of four registers.
static unsigned descriptorScale(const FormatLayout &layout, Field field) {
  const FieldPlace *place = layout.find(field);
  return place && place->width <= 5 ? 4 : 1;
}
/// A tuple of scalar registers.
static bool decodeDescriptor(DecodeState &state, Field field, unsigned dwords) {
  return state.hasField(field) &&
         decodeScalar(state, field, descriptorScale(*state.form.layout, field), dwords);
}
/// False where the layout lacks the field, and for a register that the field cannot represent.
static bool encodeDescriptor(EncodeState &state, Field field, unsigned dwords) {
  return state.hasField(field) &&
         encodeScalar(state, field, descriptorScale(*state.form.layout, field), dwords);
}

/// The number of registers is the slot's.
static bool decodeResource(DecodeState &state, const Slot &slot) {
  return decodeDescriptor(state, Field::Srsrc, slot.number);
}
static bool encodeResource(EncodeState &state, const Slot &slot) {
  return encodeDescriptor(state, Field::Srsrc, slot.number);
}
static bool decodeSampler(DecodeState &state, const Slot &) {
  return decodeDescriptor(state, Field::Ssamp, 4);
}
static bool encodeSampler(EncodeState &state, const Slot &) {
  return encodeDescriptor(state, Field::Ssamp, 4);
}

//===- Modifiers ----------------------------------------------------------------------------===//

static bool decodeDmask(DecodeState &state, const Slot &) {
  state.inst.mods.dmask = static_cast<uint8_t>(state.field(Field::Dmask));
  return true;
}
static bool encodeDmask(EncodeState &state, const Slot &) {
  return state.setField(Field::Dmask, state.inst.mods.dmask);
}
/// Nothing for a mask of 0.
static void printDmask(PrintState &state, const Slot &) {
  static constexpr char Digits[] = "0123456789abcdef";
  if (state.inst.mods.dmask)
    state.os << " dmask:0x" << Digits[state.inst.mods.dmask & 15];
}

/// GFX9 has no such field.
static bool decodeDimension(DecodeState &state, const Slot &) {
  if (state.hasField(Field::Dim))
    state.inst.mods.dimension = dimensionName(unsigned(state.field(Field::Dim))).str();
  return true;
}
/// GFX9, which has no such field, accepts only an empty name.
static bool encodeDimension(EncodeState &state, const Slot &) {
  if (!state.hasField(Field::Dim))
    return state.inst.mods.dimension.empty();
  return state.setField(Field::Dim, dimensionOf(state.inst.mods.dimension));
}
static void printDimension(PrintState &state, const Slot &) {
  if (!state.inst.mods.dimension.empty())
    state.os << " dim:" << state.inst.mods.dimension;
}

/// Fields of ray instructions have one valid value (LLVM, MIMG_IntersectRay).
struct RayField {
  Field field;
  uint8_t value;
};
/// Fields that the layout lacks are skipped.
static constexpr RayField RayFields[] = {
    {Field::Dmask, 15}, {Field::R128, 1}, {Field::Unorm, 1}, {Field::Dim, 0}, {Field::Glc, 0},
    {Field::Slc, 0},    {Field::Dlc, 0},  {Field::Tfe, 0},   {Field::Lwe, 0}, {Field::D16, 0},
    {Field::Ssamp, 0},  {Field::Th, 0},   {Field::Scope, 0}, {Field::Nv, 0},
};

/// False when a field has another value than the one that LLVM allows.
static bool decodeRayFields(DecodeState &state, const Slot &) {
  for (const RayField &row : RayFields)
    if (state.hasField(row.field) && state.field(row.field) != row.value)
      return false;
  bool isWide = flagsOf(state.form) & (image::Dual | image::Eight);
  return !isWide || !state.field(Field::A16);
}
/// These fields have fixed values in ray-tracing instructions; nothing in the instruction chooses
/// them.
static bool encodeRayFields(EncodeState &state, const Slot &) {
  return llvm::all_of(
      RayFields, [&](const RayField &row) { return encodeFixed(state, row.field, row.value); });
}

/// Columns: name, decoder, encoder, printer; null: nothing to do.
ArrayRef<SlotKind> gcn::imageSlots() {
  static constexpr SlotKind Kinds[] = {
      {"i_data", decodeData, encodeData, printNext},
      {"i_addr", decodeAddress, encodeAddress, printAddress},
      {"i_rsrc", decodeResource, encodeResource, printNext},
      {"i_samp", decodeSampler, encodeSampler, printNext},
      {"i_dmask", decodeDmask, encodeDmask, printDmask},
      {"i_dim", decodeDimension, encodeDimension, printDimension},
      {"i_ray", decodeRayFields, encodeRayFields, nullptr},
  };
  return Kinds;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is after the operands of vector instructions: clamp and output modifiers, op_sel, SDWA,
// DPP16 and DPP8.
#include "oracles/machine/gcn_isa/tables/AluRows.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

//===- Clamp and omod -------------------------------------------------------------------------===//

static bool decodeClamp(DecodeState &state, const Slot &) {
  state.inst.mods.clamp = state.field(Field::Clamp);
  return true;
}

static bool encodeClamp(EncodeState &state, const Slot &) {
  return state.setField(Field::Clamp, state.inst.mods.clamp);
}

static void printClamp(PrintState &state, const Slot &) {
  if (state.inst.mods.clamp)
    state.os << " clamp";
}

/// By the field's value: results are multiplied by 2 to this power.
static constexpr int8_t OmodExponents[] = {0, 1, 2, -1};

/// Keeps the exponent of the factor: 1 for 2, 2 for 4, -1 for a half.
static bool decodeOmod(DecodeState &state, const Slot &) {
  state.inst.mods.omod = OmodExponents[state.field(Field::Omod)];
  return true;
}

static bool encodeOmod(EncodeState &state, const Slot &) {
  return state.setField(Field::Omod, static_cast<uint64_t>(state.inst.mods.omod) & 3);
}

static void printOmod(PrintState &state, const Slot &) {
  static constexpr StringLiteral Texts[] = {" div:2", "", " mul:2", " mul:4"};
  state.os << Texts[state.inst.mods.omod + 1];
}

//===- op_sel and its kin ---------------------------------------------------------------------===//

/// " op_sel:[0,1]", with as many numbers as \p bits has.
static void printBits(PrintState &state, StringRef name, ArrayRef<uint8_t> bits) {
  state.os << ' ' << name << ":[";
  for (size_t i = 0; i < bits.size(); ++i)
    state.os << (i ? "," : "") << unsigned(bits[i]);
  state.os << ']';
}

/// Whether one of the first \p count is set.
template <size_t Size> static bool anyBit(const std::array<uint8_t, Size> &bits, unsigned count) {
  return any_of(ArrayRef(bits).take_front(count), [](uint8_t bit) { return bit != 0; });
}

/// Slot::number: how many bits are printed; Slot::letter: which of the four in the encoding they
/// are: 's' sources alone, 'd' sources and, as the last, the destination's, 'i' of interpolation on
/// GFX9 all but the second.
static unsigned opSelBit(const Slot &slot, unsigned index) {
  return slot.letter == 'd' && index + 1 == slot.number ? 3 : index;
}

/// Sources that are pairs of halves have no choice to make, and no more have those that are not
/// there: the accumulator that is the result.
static bool ignoresOpSel(const InstForm &form, unsigned index) {
  static constexpr StringLiteral Names[] = {"src0", "src1", "src2"};
  if (index >= std::size(Names) || form.layout->find(Field::NegHi))
    return false;
  if (form.layout->find(Field::Attribute) && form.row->signature.contains("attribute"))
    return index == 1;
  auto slot =
      find_if(form.slots, [&](const Slot &each) { return each.kind->name == Names[index]; });
  if (slot == form.slots.end())
    return true;
  return slot->letter == 'h' || slot->letter == 'w';
}

/// Modifiers::opSelCount is 0 when no bit is set: then nothing is printed.
static bool decodeOpSel(DecodeState &state, const Slot &slot) {
  uint64_t bits = state.field(Field::OpSel);
  Modifiers &mods = state.inst.mods;
  bool any = false;
  for (unsigned i = 0; i < slot.number; ++i) {
    unsigned at = opSelBit(slot, i);
    mods.opSel[i] = ignoresOpSel(state.form, at) ? 0 : bits >> at & 1;
    any |= mods.opSel[i];
  }
  mods.opSelCount = any ? static_cast<uint8_t>(slot.number) : 0;
  return true;
}

/// Bits that the operation ignores are not known; see EncodeState::known.
static bool encodeOpSel(EncodeState &state, const Slot &slot) {
  uint64_t bits = 0;
  uint64_t used = 0;
  for (unsigned i = 0; i < slot.number; ++i) {
    unsigned at = opSelBit(slot, i);
    if (!ignoresOpSel(state.form, at))
      used |= uint64_t(1) << at;
    bits |= uint64_t(state.inst.mods.opSel[i]) << at;
  }
  return state.setBits(Field::OpSel, state.getField(Field::OpSel) | bits, used);
}

/// Prints the list only if one of its bits is set.
static void printOpSel(PrintState &state, const Slot &slot) {
  if (anyBit(state.inst.mods.opSel, slot.number))
    printBits(state, "op_sel", ArrayRef(state.inst.mods.opSel).take_front(slot.number));
}

/// The default is 1 for packed operations and 0 for those of letter 'x' (fma_mix).
static bool decodeOpSelHi(DecodeState &state, const Slot &slot) {
  uint64_t bits = state.field(Field::OpSelHi);
  Modifiers &mods = state.inst.mods;
  bool isPlain = true;
  for (unsigned i = 0; i < slot.number; ++i)
    isPlain &= (bits >> i & 1) == (slot.letter == 'x' ? 0 : 1);
  mods.hasOpSelHi = !isPlain;
  for (unsigned i = 0; !isPlain && i < slot.number; ++i)
    mods.opSelHi[i] = bits >> i & 1;
  return true;
}

/// Writes the default if the instruction has no op_sel_hi.
static bool encodeOpSelHi(EncodeState &state, const Slot &slot) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < slot.number; ++i)
    bits |= uint64_t(state.inst.mods.hasOpSelHi ? state.inst.mods.opSelHi[i] : slot.letter != 'x')
            << i;
  return state.setBits(Field::OpSelHi, bits, (uint64_t(1) << slot.number) - 1);
}

/// Where op_sel_hi means nothing, assemblers set all of it.
static bool encodeAllHigh(EncodeState &state, const Slot &) {
  return state.setBits(Field::OpSelHi, 7, 0);
}

/// Prints the list only if it differs from its default, which decoding notes.
static void printOpSelHi(PrintState &state, const Slot &slot) {
  if (state.inst.mods.hasOpSelHi)
    printBits(state, "op_sel_hi", ArrayRef(state.inst.mods.opSelHi).take_front(slot.number));
}

/// neg_lo and neg_hi. Slot::number: how many are printed; letter 'c': only the third means
/// anything, 't': only the first two.
static uint64_t negMask(const Slot &slot) {
  if (slot.letter == 'c')
    return 4;
  return slot.letter == 't' ? 3 : (uint64_t(1) << slot.number) - 1;
}

template <Field Name, std::array<uint8_t, 4> Modifiers::*Bits>
static bool decodeNeg(DecodeState &state, const Slot &slot) {
  uint64_t bits = state.field(Name) & negMask(slot);
  for (unsigned i = 0; i < slot.number; ++i)
    (state.inst.mods.*Bits)[i] = bits >> i & 1;
  return true;
}

template <Field Name, std::array<uint8_t, 4> Modifiers::*Bits>
static bool encodeNeg(EncodeState &state, const Slot &slot) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < slot.number; ++i)
    bits |= uint64_t((state.inst.mods.*Bits)[i]) << i;
  return (bits & ~negMask(slot)) == 0 && state.setBits(Name, bits, negMask(slot));
}

static void printNegLo(PrintState &state, const Slot &slot) {
  if (anyBit(state.inst.mods.negLo, slot.number))
    printBits(state, "neg_lo", ArrayRef(state.inst.mods.negLo).take_front(slot.number));
}

static void printNegHi(PrintState &state, const Slot &slot) {
  if (anyBit(state.inst.mods.negHi, slot.number))
    printBits(state, "neg_hi", ArrayRef(state.inst.mods.negHi).take_front(slot.number));
}

/// byte_sel of 8-bit floats: in the bits of op_sel, for a source ('s') the two lowest in reverse
/// order, for the destination ('d') the two highest.
static unsigned byteSelPlace(const Slot &slot, unsigned bits) {
  return slot.letter == 'd' ? bits >> 2 & 3 : (bits & 1) << 1 | (bits >> 1 & 1);
}

static bool decodeByteSel(DecodeState &state, const Slot &slot) {
  unsigned byte = byteSelPlace(slot, unsigned(state.field(Field::OpSel)));
  state.inst.mods.byteSel = static_cast<uint8_t>(byte);
  return true;
}

/// The byte of a destination is in bits 2 and 3 of op_sel, that of a source in bits 0 and 1.
static bool encodeByteSel(EncodeState &state, const Slot &slot) {
  unsigned byte = state.inst.mods.byteSel;
  if (slot.letter == 'd')
    return state.setBits(Field::OpSel, byte << 2, 12);
  return state.setBits(Field::OpSel, byteSelPlace(slot, byte), 3);
}

static void printByteSel(PrintState &state, const Slot &) {
  if (state.inst.mods.byteSel)
    state.os << " byte_sel:" << unsigned(state.inst.mods.byteSel);
}

/// index_key of sparse matrix operations: which part of the index register. Its bits are those of
/// op_sel; Slot::number is 1 when there is one in every wave, and 2 more when wave64 has another.
static uint64_t indexKeyMask(const Slot &slot, unsigned waveSize) {
  unsigned bits = (slot.number & 1) + (waveSize == 64 && slot.number & 2 ? 1 : 0);
  return (uint64_t(1) << bits) - 1;
}

/// Bits of the key that the wave size does not use are ignored.
static bool decodeIndexKey(DecodeState &state, const Slot &slot) {
  uint64_t key = state.field(Field::OpSel) & indexKeyMask(slot, state.waveSize);
  state.inst.mods.indexKey = static_cast<uint8_t>(key);
  if (key)
    state.inst.mods.other.push_back("index_key:" + std::to_string(key));
  return true;
}

static bool encodeIndexKey(EncodeState &state, const Slot &slot) {
  return state.setBits(Field::OpSel, state.inst.mods.indexKey, indexKeyMask(slot, state.waveSize));
}

static void printIndexKey(PrintState &state, const Slot &) {
  if (state.inst.mods.indexKey)
    state.os << " index_key:" << unsigned(state.inst.mods.indexKey);
}

//===- SDWA -----------------------------------------------------------------------------------===//

/// By the code in the encoding, as SdwaValues.
static constexpr StringLiteral SdwaNames[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                              "WORD_0", "WORD_1", "DWORD"};
static constexpr Sdwa SdwaValues[] = {Sdwa::Byte0, Sdwa::Byte1, Sdwa::Byte2, Sdwa::Byte3,
                                      Sdwa::Word0, Sdwa::Word1, Sdwa::Dword};

/// False for code 7, which is reserved.
static bool decodeSelect(uint64_t code, Sdwa &select) {
  if (code >= std::size(SdwaValues))
    return false;
  select = SdwaValues[code];
  return true;
}

/// The reverse of decodeSelect().
static unsigned selectCode(Sdwa select) {
  return static_cast<unsigned>(find(SdwaValues, select) - std::begin(SdwaValues));
}

/// Slot::number: sources; letter 'd': there is a destination to select, too.
static bool decodeSdwa(DecodeState &state, const Slot &slot) {
  Modifiers &mods = state.inst.mods;
  mods.sdwa = true;
  if (slot.letter == 'd') {
    uint64_t unused = state.field(Field::DstUnused);
    if (!decodeSelect(state.field(Field::DstSel), mods.dstSel) || unused > 2)
      return false;
    mods.dstUnused = static_cast<SdwaUnused>(unused);
  }
  return (slot.number < 1 || decodeSelect(state.field(Field::Src0Sel), mods.srcSel[0])) &&
         (slot.number < 2 || decodeSelect(state.field(Field::Src1Sel), mods.srcSel[1]));
}

/// Letter d marks forms with a selected destination; the number is how many sources are selected.
static bool encodeSdwa(EncodeState &state, const Slot &slot) {
  const Modifiers &mods = state.inst.mods;
  if (slot.letter == 'd' && (!state.setField(Field::DstSel, selectCode(mods.dstSel)) ||
                             !state.setField(Field::DstUnused, unsigned(mods.dstUnused))))
    return false;
  return (slot.number < 1 || state.setField(Field::Src0Sel, selectCode(mods.srcSel[0]))) &&
         (slot.number < 2 || state.setField(Field::Src1Sel, selectCode(mods.srcSel[1])));
}

/// Prints all selections, also those at their default.
static void printSdwa(PrintState &state, const Slot &slot) {
  static constexpr StringLiteral Unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  const Modifiers &mods = state.inst.mods;
  if (slot.letter == 'd')
    state.os << " dst_sel:" << SdwaNames[selectCode(mods.dstSel)]
             << " dst_unused:" << Unused[unsigned(mods.dstUnused)];
  for (unsigned i = 0; i < slot.number; ++i)
    state.os << " src" << i << "_sel:" << SdwaNames[selectCode(mods.srcSel[i])];
}

//===- DPP ------------------------------------------------------------------------------------===//

namespace {

/// Codes from \p first on, \p count of them; the value is the distance from \p base.
struct DppRow {
  uint8_t chips;
  uint16_t first;
  uint16_t count;
  uint16_t base;
  DppControl control;
  StringLiteral name;
};

/// Manuals, "DPP controls": waves are shifted and rows broadcast on GFX9 alone.
constexpr DppRow DppRows[] = {
    {chips::All, 0x000, 256, 0x000, DppControl::QuadPerm, "quad_perm"},
    {chips::All, 0x101, 15, 0x100, DppControl::RowShl, "row_shl"},
    {chips::All, 0x111, 15, 0x110, DppControl::RowShr, "row_shr"},
    {chips::All, 0x121, 15, 0x120, DppControl::RowRor, "row_ror"},
    {chips::Gfx9, 0x130, 1, 0x12f, DppControl::WaveShl, "wave_shl"},
    {chips::Gfx9, 0x134, 1, 0x133, DppControl::WaveRol, "wave_rol"},
    {chips::Gfx9, 0x138, 1, 0x137, DppControl::WaveShr, "wave_shr"},
    {chips::Gfx9, 0x13c, 1, 0x13b, DppControl::WaveRor, "wave_ror"},
    {chips::All, 0x140, 1, 0x140, DppControl::RowMirror, "row_mirror"},
    {chips::All, 0x141, 1, 0x141, DppControl::RowHalfMirror, "row_half_mirror"},
    {chips::Gfx9, 0x142, 1, 0x133, DppControl::RowBcast, "row_bcast"},
    {chips::Gfx9, 0x143, 1, 0x124, DppControl::RowBcast, "row_bcast"},
    {chips::Gfx10Plus, 0x150, 16, 0x150, DppControl::RowShare, "row_share"},
    {chips::Gfx10Plus, 0x160, 16, 0x160, DppControl::RowXmask, "row_xmask"},
};

} // namespace

/// The bit means something from GFX10 on.
static bool hasFetchInactive(Chip chip) {
  return chip != Chip::Gfx900;
}

/// False for a control that the chip does not have.
static bool decodeDpp16(DecodeState &state, const Slot &) {
  uint64_t code = state.field(Field::DppControl);
  Modifiers &mods = state.inst.mods;
  for (const DppRow &row : DppRows) {
    if (!contains(row.chips, state.chip()) || code < row.first || code >= row.first + row.count)
      continue;
    mods.dpp = row.control;
    mods.dppValue = static_cast<uint8_t>(code - row.base);
    mods.rowMask = static_cast<uint8_t>(state.field(Field::RowMask));
    mods.bankMask = static_cast<uint8_t>(state.field(Field::BankMask));
    mods.boundCtrl = state.field(Field::BoundCtrl);
    mods.fetchInactive = hasFetchInactive(state.chip()) && state.field(Field::FetchInactive);
    return true;
  }
  return false;
}

/// The row of control and value, on any chip; null if there is none.
static const DppRow *findDppRow(const Modifiers &mods) {
  for (const DppRow &row : DppRows) {
    unsigned code = mods.dppValue + row.base;
    if (row.control == mods.dpp && code >= row.first && code < unsigned(row.first + row.count))
      return &row;
  }
  return nullptr;
}

/// Fails when control and value have no code.
static bool encodeDpp16(EncodeState &state, const Slot &) {
  const Modifiers &mods = state.inst.mods;
  const DppRow *row = findDppRow(mods);
  return row && state.setField(Field::DppControl, mods.dppValue + row->base) &&
         state.setField(Field::RowMask, mods.rowMask) &&
         state.setField(Field::BankMask, mods.bankMask) &&
         state.setField(Field::BoundCtrl, mods.boundCtrl) &&
         (!hasFetchInactive(state.chip()) ||
          state.setField(Field::FetchInactive, mods.fetchInactive));
}

/// Controls that have one code only, and print no number.
static bool hasNoValue(DppControl control) {
  return control == DppControl::RowMirror || control == DppControl::RowHalfMirror;
}

static void printHexDigit(raw_ostream &os, StringRef name, unsigned value) {
  os << ' ' << name << ":0x";
  os.write_hex(value);
}

/// Prints nothing for a control that has no row.
static void printDpp16(PrintState &state, const Slot &) {
  const Modifiers &mods = state.inst.mods;
  const DppRow *row = findDppRow(mods);
  if (!row)
    return;
  raw_ostream &os = state.os;
  os << ' ' << row->name;
  if (mods.dpp == DppControl::QuadPerm)
    os << ":[" << (mods.dppValue & 3) << ',' << (mods.dppValue >> 2 & 3) << ','
       << (mods.dppValue >> 4 & 3) << ',' << (mods.dppValue >> 6) << ']';
  else if (!hasNoValue(mods.dpp))
    os << ':' << unsigned(mods.dppValue);
  printHexDigit(os, "row_mask", mods.rowMask);
  printHexDigit(os, "bank_mask", mods.bankMask);
  if (mods.boundCtrl)
    os << " bound_ctrl:1";
  if (mods.fetchInactive)
    os << " fi:1";
}

/// Code 233 in the place of the source is DPP8, 234 the same with fi; the field is the two lowest
/// bits of it.
static bool decodeDpp8(DecodeState &state, const Slot &) {
  uint64_t code = state.field(Field::FetchInactive);
  if (code != 1 && code != 2)
    return false;
  Modifiers &mods = state.inst.mods;
  mods.dpp = DppControl::Lanes8;
  mods.fetchInactive = code == 2;
  uint64_t lanes = state.field(Field::Lanes);
  for (unsigned i = 0; i < 8; ++i)
    mods.dppLanes[i] = lanes >> (3 * i) & 7;
  return true;
}

/// The first source of DPP8 is code 1 or, with fi, code 2: that is the field's value here.
static bool encodeDpp8(EncodeState &state, const Slot &) {
  const Modifiers &mods = state.inst.mods;
  uint64_t lanes = 0;
  for (unsigned i = 0; i < 8; ++i)
    lanes |= uint64_t(mods.dppLanes[i]) << (3 * i);
  return state.setField(Field::FetchInactive, mods.fetchInactive ? 2 : 1) &&
         state.setField(Field::Lanes, lanes);
}

/// Prints the source lane of each of eight lanes.
static void printDpp8(PrintState &state, const Slot &) {
  printBits(state, "dpp8", state.inst.mods.dppLanes);
  if (state.inst.mods.fetchInactive)
    state.os << " fi:1";
}

/// Columns: name, decoder, encoder, printer; null: nothing to do.
ArrayRef<SlotKind> gcn::modifierSlotKinds() {
  static constexpr SlotKind Kinds[] = {
      {"clamp", decodeClamp, encodeClamp, printClamp},
      {"omod", decodeOmod, encodeOmod, printOmod},
      {"op_sel", decodeOpSel, encodeOpSel, printOpSel},
      {"op_sel_hi", decodeOpSelHi, encodeOpSelHi, printOpSelHi},
      {"all_high", nullptr, encodeAllHigh, nullptr},
      {"neg_lo", decodeNeg<Field::Neg, &Modifiers::negLo>, encodeNeg<Field::Neg, &Modifiers::negLo>,
       printNegLo},
      {"neg_hi", decodeNeg<Field::NegHi, &Modifiers::negHi>,
       encodeNeg<Field::NegHi, &Modifiers::negHi>, printNegHi},
      {"byte_sel", decodeByteSel, encodeByteSel, printByteSel},
      {"index_key", decodeIndexKey, encodeIndexKey, printIndexKey},
      {"sdwa", decodeSdwa, encodeSdwa, printSdwa},
      {"dpp16", decodeDpp16, encodeDpp16, printDpp16},
      {"dpp8", decodeDpp8, encodeDpp8, printDpp8},
  };
  return Kinds;
}

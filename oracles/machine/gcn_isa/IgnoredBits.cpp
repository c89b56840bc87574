// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/IgnoredBits.h"

#include "oracles/machine/gcn_isa/Codec.h"
#include "oracles/machine/gcn_isa/tables/AluRows.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// A field of modifiers, as messages name it.
struct FieldName {
  Field field;
  StringLiteral name;
};
/// Registers that an instruction does not have are not among them: any number may stand there.
constexpr FieldName ModifierFields[] = {
    {Field::OpSel, "op_sel"},       {Field::OpSelHi, "op_sel_hi"}, {Field::Neg, "neg"},
    {Field::NegHi, "neg_hi"},       {Field::Abs, "abs"},           {Field::Omod, "omod"},
    {Field::Clamp, "clamp"},        {Field::DstSel, "dst_sel"},    {Field::Src0Sext, "src0_sext"},
    {Field::Src1Sext, "src1_sext"}, {Field::Src0Neg, "src0_neg"},  {Field::Src1Neg, "src1_neg"},
    {Field::Src0Abs, "src0_abs"},   {Field::Src1Abs, "src1_abs"},
};
} // namespace

/// Bit 14: op_sel_hi of the third source in VOP3P.
static constexpr uint32_t ThirdOpSelHi = 1u << 14;

/// Which sources of a packed operation the bits of \p field, Neg or NegHi, say something of: of
/// pairs of floats the sign of a half; of the addend of v_dot4_f32_* its sign and absolute value;
/// of v_*_iu8 and v_*_iu4 that one of the factors is signed (RDNA 3 and 4 manuals, "VOP3P"). LLVM's
/// "Syntax of AMDGPU Instruction Modifiers" allows neg_lo and neg_hi for floats only. Of the 32-bit
/// addend of v_dot2_f32_* it makes a negation of both, others an absolute value of neg_hi: open.
static uint64_t negsWithMeaning(const InstForm &form, Field field) {
  static constexpr StringLiteral Names[] = {"src0", "src1", "src2"};
  if (form.name.contains("_iu"))
    return field == Field::Neg ? 3 : 0;
  uint64_t result = 0;
  for (const Slot &slot : form.slots) {
    const auto *name = find(Names, slot.kind->name);
    bool isOpen =
        StringRef("ijbf").contains(slot.letter) && !(form.row->flags & rowflags::NegThird);
    if (name != std::end(Names) && !isOpen)
      result |= uint64_t(1) << (name - std::begin(Names));
  }
  return result;
}

/// Adds the set bits of neg_lo and neg_hi that mean nothing to \p ignored: assemblers write them.
static void addNegs(const Inst &inst, Words &ignored) {
  Words words;
  std::copy_n(inst.words, words.dwords.size(), words.dwords.begin());
  for (Field field : {Field::Neg, Field::NegHi})
    if (const FieldPlace *place = inst.form->layout->find(field)) {
      uint64_t bits = words.get(place->lsb, place->width);
      uint64_t others = ignored.get(place->lsb, place->width);
      ignored.set(place->lsb, place->width, others | (bits & ~negsWithMeaning(*inst.form, field)));
    }
}

/// Bits of an instruction that are set, and that no field of its form gives a meaning.
Words gcn::findIgnoredBits(const Inst &inst, Chip chip, unsigned waveSize) {
  Words ignored;
  Words known;
  Expected<std::vector<uint32_t>> words = encodeInst(inst, chip, waveSize, &known);
  if (!words) {
    consumeError(words.takeError()); // Forms that only LLVM's names choose.
    return ignored;
  }
  if (inst.form->layout->opcodes == Format::Vop3p)
    known.dwords[0] |= ThirdOpSelHi;
  for (size_t i = 0; i < words->size() && i < MaxWords; ++i)
    ignored.dwords[i] = inst.words[i] & ~(*words)[i] & ~known.dwords[i];
  if (inst.form->layout->opcodes == Format::Vop3p)
    addNegs(inst, ignored);
  return ignored;
}

/// Takes the bits of \p place out of \p bits; true when one of them was set.
static bool takeField(Words &bits, const FieldPlace &place) {
  uint64_t found = bits.get(place.lsb, place.width);
  bits.set(place.lsb, place.width, 0);
  if (place.highWidth) {
    found |= bits.get(place.highLsb, place.highWidth);
    bits.set(place.highLsb, place.highWidth, 0);
  }
  return found != 0;
}

/// Names the fields that have some of \p bits, and reserved bits outside of all fields. Empty when
/// the bits are in fields of registers only.
std::string gcn::describeIgnoredModifiers(const Inst &inst, const Words &bits) {
  Words rest = bits;
  SmallVector<std::string, 2> names;
  for (const FieldName &row : ModifierFields)
    if (const FieldPlace *place = inst.form->layout->find(row.field))
      if (takeField(rest, *place))
        names.push_back(row.name.str());
  if (!inst.dual.empty()) // The fields of the second half are those of another layout.
    return join(names, ", ");
  for (const FieldPlace &place : inst.form->layout->fields)
    takeField(rest, place);
  for (size_t i = 0; i < MaxWords; ++i)
    if (rest.dwords[i])
      names.push_back("reserved bits 0x" + utohexstr(rest.dwords[i], true) + " of dword " +
                      std::to_string(i));
  return join(names, ", ");
}

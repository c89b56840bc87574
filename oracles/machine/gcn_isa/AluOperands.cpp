// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of the scalar and vector ALU formats.
//
// Types of sources, letter and bits: i integer, n the same with the source modifiers of floats, f
// float, g float without modifiers, b bfloat16, h two halves, w two bfloat16, j two 16-bit
// integers, x half or float by op_sel_hi, v a vector register alone, s scalar, y scalar float with
// modifiers, q the same without literals, r scalar register alone, m a lane mask, k the literal, u
// a vector register with modifiers, c a vector register or a constant, V and c those of a matrix
// spread over the wave.
#include "oracles/machine/gcn_isa/tables/AluRows.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Codes of sources with nine bits.
constexpr unsigned FirstVgpr = 256;
constexpr unsigned LiteralCode = 255;
constexpr unsigned FirstFloat = 240;
constexpr unsigned FloatCount = 9;

struct InlineFloat {
  double number;
  double number64; ///< As printed for 64-bit operands.
  const char *text;
  const char *text64;
  uint16_t half; ///< Bits as f16.
};

/// Codes 240 to 248.
constexpr InlineFloat InlineFloats[FloatCount] = {
    {0.5, 0.5, "0.5", "0.5", 0x3800},
    {-0.5, -0.5, "-0.5", "-0.5", 0xb800},
    {1.0, 1.0, "1.0", "1.0", 0x3c00},
    {-1.0, -1.0, "-1.0", "-1.0", 0xbc00},
    {2.0, 2.0, "2.0", "2.0", 0x4000},
    {-2.0, -2.0, "-2.0", "-2.0", 0xc000},
    {4.0, 4.0, "4.0", "4.0", 0x4400},
    {-4.0, -4.0, "-4.0", "-4.0", 0xc400},
    {0.15915494, 0.15915494309189532, "0.15915494", "0.15915494309189532", 0x3118},
};

/// By source, as are the following ones; SDWA has flags for two sources.
constexpr Field SourceFields[] = {Field::Src0, Field::Src1, Field::Src2};
constexpr Field ScalarFlags[] = {Field::Src0Scalar, Field::Src1Scalar};
constexpr Field SextFields[] = {Field::Src0Sext, Field::Src1Sext};
constexpr Field NegFields[] = {Field::Src0Neg, Field::Src1Neg};
constexpr Field AbsFields[] = {Field::Src0Abs, Field::Src1Abs};

} // namespace

/// Lane masks have a register for each 32 lanes.
static bool isMaskType(const Slot &slot) {
  return slot.letter == 'm';
}

/// Operands of matrices: their bits are those of the whole wave.
static bool isSpread(const Slot &slot) {
  return slot.letter == 'V' || slot.letter == 'c';
}

/// Registers of an operand, at least one.
static unsigned dwordsOf(const Slot &slot, unsigned waveSize) {
  if (isMaskType(slot))
    return waveSize / 32;
  // Matrices are spread over the lanes of the wave.
  unsigned bits = isSpread(slot) ? slot.number * 32u / waveSize : slot.number;
  return std::max(1u, bits / 32u);
}

/// Types that no vector register is allowed for.
static bool takesScalarOnly(const Slot &slot) {
  return StringRef("syrm").contains(slot.letter);
}

/// Type c is a vector register or a constant.
static bool takesVectorOnly(const Slot &slot, unsigned code) {
  return StringRef("vVu").contains(slot.letter) || (slot.letter == 'c' && code < 128);
}

/// Types that inline constants are allowed for.
static bool takesConstants(const Slot &slot) {
  return !StringRef("vVurm").contains(slot.letter);
}

/// Operands of 16 bits that name a half of a register.
static bool hasHalves(const Slot &slot, Chip chip) {
  return slot.number == 16 && !takesScalarOnly(slot) && contains(chips::Gfx11Plus, chip);
}

/// True for letters of sources that may have neg and abs.
bool gcn::hasFloatModifiers(const Slot &slot) {
  return StringRef("nfbhwxyu").contains(slot.letter);
}

//===- Scalar codes ---------------------------------------------------------------------------===//

/// Codes 128 to 208 are 0 to 64, then -1 to -16. False for others.
static bool decodeInteger(unsigned code, Operand &operand) {
  if (code < 128 || code > 208)
    return false;
  operand.type = OperandType::Integer;
  operand.value = code <= 192 ? int64_t(code) - 128 : 192 - int64_t(code);
  return true;
}

/// Codes 240 to 248. False for others.
static bool decodeFloat(unsigned code, const Slot &slot, Operand &operand) {
  if (code < FirstFloat || code >= FirstFloat + FloatCount)
    return false;
  const InlineFloat &row = InlineFloats[code - FirstFloat];
  if (slot.number == 16 && (slot.letter == 'i' || slot.letter == 'n')) {
    operand.type = OperandType::Integer; // 16-bit integers get the bits of the half.
    operand.value = row.half;
    return true;
  }
  operand.type = OperandType::Float;
  operand.number = slot.number == 64 ? row.number64 : row.number;
  return true;
}

/// Codes from 209 on that are neither constants nor the literal. The apertures and what follows
/// them stand there on every generation (manuals, "Scalar ALU operands").
static bool decodeSpecial(unsigned code, Operand &operand) {
  if (code >= 235 && code <= 238) {
    operand.type = OperandType::Sgpr;
    operand.index = static_cast<uint16_t>(sreg::SharedBase + 2 * (code - 235));
    operand.dwords = 2;
    return true;
  }
  switch (code) {
  case 239: // Messages and the like have text, too; only this one and LDS-direct have an index.
    operand.type = OperandType::Text;
    operand.value = code;
    operand.index = static_cast<uint16_t>(code);
    return true;
  case 251:
    operand.type = OperandType::Vccz;
    return true;
  case 252:
    operand.type = OperandType::Execz;
    return true;
  case 253:
    operand.type = OperandType::Scc;
    return true;
  default:
    return false;
  }
}

/// A source without vector registers. False when the type of \p slot does not allow the code; a
/// literal is read only if \p literalFits.
bool gcn::decodeScalarSource(DecodeState &state, const Slot &slot, unsigned code, bool literalFits,
                             Operand &operand) {
  if (code < 128)
    return decodeScalarRegister(state.chip(), code, dwordsOf(slot, state.waveSize), operand);
  if (takesConstants(slot)) {
    if (decodeInteger(code, operand) || decodeFloat(code, slot, operand))
      return true;
    if (code == LiteralCode && literalFits) {
      operand.type = OperandType::Literal;
      operand.value = state.literal();
      return true;
    }
  }
  return slot.letter != 'm' && slot.letter != 'c' && decodeSpecial(code, operand);
}

/// The code of an inline float, or -1.
static int encodeFloat(const Operand &operand) {
  for (unsigned i = 0; i < FloatCount; ++i)
    if (InlineFloats[i].number == operand.number || InlineFloats[i].number64 == operand.number)
      return static_cast<int>(FirstFloat + i);
  return -1;
}

/// The code of an inline integer, or of the float with these 16 bits, or -1.
static int encodeInteger(const Operand &operand) {
  if (operand.value >= 0 && operand.value <= 64)
    return static_cast<int>(128 + operand.value);
  if (operand.value < 0 && operand.value >= -16)
    return static_cast<int>(192 - operand.value);
  for (unsigned i = 0; i < FloatCount; ++i)
    if (InlineFloats[i].half == operand.value)
      return static_cast<int>(FirstFloat + i);
  return -1;
}

/// The code of a scalar register or an aperture, or -1.
static int encodeRegister(const EncodeState &state, const Operand &operand) {
  if (operand.index >= sreg::SharedBase && operand.index < sreg::Count)
    return static_cast<int>(235 + (operand.index - sreg::SharedBase) / 2);
  return codeFromScalar(state.chip(), operand.index);
}

/// The code, or -1 for what is no scalar source. Appends a literal.
int gcn::encodeScalarSource(EncodeState &state, const Operand &operand) {
  switch (operand.type) {
  case OperandType::Sgpr:
    return encodeRegister(state, operand);
  case OperandType::Integer:
    return encodeInteger(operand);
  case OperandType::Float:
    return encodeFloat(operand);
  case OperandType::Literal:
    return state.setLiteral(static_cast<uint32_t>(operand.value)) ? int(LiteralCode) : -1;
  case OperandType::Vccz:
    return 251;
  case OperandType::Execz:
    return 252;
  case OperandType::Scc:
    return 253;
  case OperandType::Text:
    return static_cast<int>(operand.value);
  default:
    return -1;
  }
}

//===- Text of constants ----------------------------------------------------------------------===//

/// -16 to 64.
static bool isInlineInteger(int64_t value) {
  return value >= -16 && value <= 64;
}

/// The f32 patterns of the inline floats.
static constexpr uint32_t FloatBits[FloatCount] = {0x3f000000, 0xbf000000, 0x3f800000,
                                                   0xbf800000, 0x40000000, 0xc0000000,
                                                   0x40800000, 0xc0800000, 0x3e22f983};

/// Whether a 32-bit operand has an inline constant with these bits; isInlineHalf() and
/// isInlineBfloat() say it of 16 bits.
static bool isInline32(uint32_t bits) {
  return isInlineInteger(int32_t(bits)) || is_contained(FloatBits, bits);
}

/// True for 16 bits that have a code as f16 or as a small integer.
static bool isInlineHalf(uint16_t bits) {
  return isInlineInteger(int16_t(bits)) ||
         any_of(InlineFloats, [&](const InlineFloat &row) { return row.half == bits; });
}

/// True for 16 bits that have a code as bf16 or as a small integer: +-0.5, 1, 2, 4 and 1 / (2 pi).
static bool isInlineBfloat(uint16_t bits) {
  static constexpr uint16_t Floats[] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000,
                                        0xc000, 0x4080, 0xc080, 0x3e22};
  return isInlineInteger(int16_t(bits)) || is_contained(Floats, bits);
}

/// Whether an inline constant of the slot's type would have the bits of \p literal: LLVM then
/// writes lit(...), that the assembler keeps the literal.
static bool looksInline(uint32_t literal, const Slot &slot) {
  switch (slot.letter) {
  case 'h':
    return isInlineInteger(int32_t(literal)) ||
           (literal <= 0xffff && isInlineHalf(uint16_t(literal)) &&
            !isInlineInteger(int16_t(literal)));
  case 'w':
    return isInlineInteger(int32_t(literal)) ||
           (literal <= 0xffff && isInlineBfloat(uint16_t(literal)) &&
            !isInlineInteger(int16_t(literal)));
  case 'x':
    return isInlineHalf(uint16_t(literal));
  case 'b':
    return isInlineBfloat(uint16_t(literal));
  default:
    break;
  }
  if (slot.number == 64)
    return slot.letter == 'i' && literal <= 64;
  if (slot.number == 16 && slot.letter != 'i')
    return isInlineHalf(uint16_t(literal));
  return isInline32(literal);
}

/// The literal 0 of an f64, which is printed without lit().
static bool isDoubleZero(uint32_t literal, const Slot &slot) {
  return slot.letter == 'f' && slot.number == 64 && literal == 0;
}

/// Whether printLiteral() writes lit(...).
static bool isPrintedAsLit(const Operand &operand, const Slot &slot) {
  uint32_t literal = static_cast<uint32_t>(operand.value);
  return operand.type == OperandType::Literal && !isDoubleZero(literal, slot) &&
         looksInline(literal, slot);
}

/// Literals of 16-bit operands lose their upper half.
static void printLiteral(raw_ostream &os, uint32_t literal, const Slot &slot) {
  if (isDoubleZero(literal, slot)) {
    os << '0';
  } else if (looksInline(literal, slot)) {
    os << "lit(" << format_hex(literal, 0) << ')';
  } else {
    bool isShort = (slot.number == 16 && slot.letter != 'b') || slot.letter == 'x';
    os << format_hex(isShort ? literal & 0xffff : literal, 0);
  }
}

/// An inline constant or a literal, without modifiers.
static void printConstant(raw_ostream &os, const Operand &operand, const Slot &slot) {
  if (operand.type == OperandType::Literal) {
    printLiteral(os, static_cast<uint32_t>(operand.value), slot);
  } else if (operand.type == OperandType::Integer) {
    if (isInlineInteger(operand.value))
      os << operand.value;
    else
      os << format_hex(static_cast<uint64_t>(operand.value), 0);
  } else if (int code = encodeFloat(operand); code >= 0) {
    const InlineFloat &row = InlineFloats[code - int(FirstFloat)];
    os << (slot.number == 64 ? row.text64 : row.text);
  }
}

/// Inline constants and literals.
static bool isConstantOperand(const Operand &operand) {
  return operand.type == OperandType::Integer || operand.type == OperandType::Float ||
         operand.type == OperandType::Literal;
}

/// The operand with its modifiers, as LLVM prints it.
void gcn::printSource(PrintState &state, const Operand &operand, const Slot &slot) {
  raw_ostream &os = state.os;
  // A minus sign would become the constant's, but not that of lit(...).
  bool inBraces =
      operand.neg && !operand.abs && isConstantOperand(operand) && !isPrintedAsLit(operand, slot);
  if (operand.neg)
    os << (inBraces ? "neg(" : "-");
  if (operand.abs)
    os << '|';
  if (operand.sext)
    os << "sext(";
  if (isConstantOperand(operand))
    printConstant(os, operand, slot);
  else if (operand.type == OperandType::Text)
    os << (operand.value == 239 ? "src_pops_exiting_wave_id" : "src_lds_direct");
  else
    printOperand(os, operand, state.chip());
  if (operand.sext)
    os << ')';
  if (operand.abs)
    os << '|';
  if (inBraces)
    os << ')';
}

//===- Vector sources -------------------------------------------------------------------------===//

/// The VOP3 formats select halves by op_sel, the short ones by bit 7 of the register number.
static bool selectsByOpSel(const InstForm &form) {
  return form.layout->find(Field::OpSel);
}

/// \p opSelBit is the bit of op_sel for this operand. False for a tuple that leaves the register
/// file.
static bool decodeVgpr(const DecodeState &state, const Slot &slot, unsigned index,
                       unsigned opSelBit, Operand &operand) {
  unsigned dwords = dwordsOf(slot, state.waveSize);
  operand = vectorRegister(index, dwords);
  if (!hasHalves(slot, state.chip()))
    return index + dwords <= 256;
  bool high;
  if (selectsByOpSel(state.form)) {
    high = state.field(Field::OpSel) >> opSelBit & 1;
    // Where LLVM writes whole registers, op_sel alone says which half.
    if (state.chip() == Chip::Gfx1201)
      return true;
  } else {
    high = index & 0x80;
    operand.index = static_cast<uint16_t>(index & 0x7f);
    if (state.chip() == Chip::Gfx1201 && !high)
      return true;
  }
  operand.half = high ? RegisterHalf::High : RegisterHalf::Low;
  return true;
}

/// Sets \p code to the register's number, with bit 7 for the high half in short forms. False when
/// it does not fit.
static bool encodeVgpr(const EncodeState &state, const Slot &slot, const Operand &operand,
                       unsigned &code) {
  code = operand.index;
  if (!hasHalves(slot, state.chip()) || selectsByOpSel(state.form))
    return code < 256;
  if (operand.half == RegisterHalf::High)
    code |= 0x80;
  return operand.index < 128;
}

/// Sets neg, abs and sext of source \p index, wherever the form has them.
static void decodeSourceModifiers(const DecodeState &state, const Slot &slot, unsigned index,
                                  Operand &operand) {
  bool isFloat = hasFloatModifiers(slot);
  if (state.hasField(Field::NegHi)) { // VOP3P has them for both halves, in Modifiers.
    if (slot.letter == 'x') {
      operand.neg = state.field(Field::Neg) >> index & 1;
      operand.abs = state.field(Field::NegHi) >> index & 1;
    }
    return;
  }
  if (index < 2) {
    operand.sext = !isFloat && state.field(SextFields[index]);
    operand.neg = isFloat && state.field(NegFields[index]);
    operand.abs = isFloat && state.field(AbsFields[index]);
  }
  if (!isFloat)
    return;
  operand.neg |= state.field(Field::Neg) >> index & 1;
  if (!hasCarryField(state.form))
    operand.abs |= state.field(Field::Abs) >> index & 1;
}

/// By format: neither SDWA nor DPP forms have a literal, nor has VOP3 on GFX9.
static bool isLiteralAllowed(const DecodeState &state) {
  switch (state.form.layout->format) {
  case Format::Vop3:
  case Format::Vop3p:
    return state.chip() != Chip::Gfx900;
  case Format::Vop1:
  case Format::Vop2:
  case Format::Vopc:
  case Format::VopdX:
  case Format::VopdY:
    return true;
  default:
    return false;
  }
}

/// LDS-direct is a source of 32 bits (manuals: up to GFX10).
static bool decodeLdsDirect(const Slot &slot, unsigned index, unsigned code, Operand &operand) {
  bool fits = slot.letter == 's' ? index == 0 : !takesScalarOnly(slot);
  if (code != 254 || dwordsOf(slot, 32) != 1 || !fits || takesVectorOnly(slot, 0))
    return false;
  operand.type = OperandType::Text;
  operand.value = code;
  operand.index = static_cast<uint16_t>(code);
  return true;
}

/// Sources that packed operations have as constants or scalars only without DPP.
static bool takesVectorInDpp(const InstForm &form, const Slot &slot, unsigned index) {
  if (form.layout->opcodes != Format::Vop3p || form.layout->format == Format::Vop3p)
    return false;
  return (index == 1 && slot.letter == 'x') || (form.row->flags & rowflags::NegThird);
}

/// False for a code that the slot's type or the chip does not allow.
template <unsigned Index> static bool decodeSource(DecodeState &state, const Slot &slot) {
  const FieldPlace *place = state.form.layout->find(SourceFields[Index]);
  if (!place)
    return false;
  auto code = static_cast<unsigned>(state.field(SourceFields[Index]));
  bool isScalar = Index < 2 && state.field(ScalarFlags[Index & 1]);
  if (place->width + place->highWidth == 8 && !isScalar)
    code += FirstVgpr;
  Operand operand;
  if (code < FirstVgpr && takesVectorInDpp(state.form, slot, Index))
    return false;
  if (code >= FirstVgpr) {
    if (takesScalarOnly(slot) || !decodeVgpr(state, slot, code - FirstVgpr, Index, operand))
      return false;
  } else if (!decodeLdsDirect(slot, Index, code, operand)) {
    if (takesVectorOnly(slot, code) ||
        !decodeScalarSource(state, slot, code, isLiteralAllowed(state), operand))
      return false;
  }
  decodeSourceModifiers(state, slot, Index, operand);
  state.inst.operands.push_back(operand);
  return true;
}

/// Low bits that the alignment of a tuple takes away mean nothing.
static bool setScalarCode(EncodeState &state, Field field, unsigned code, const Operand &operand) {
  return state.setBits(field, code, ~uint64_t(tupleAlignment(operand) - 1));
}

/// Sets one bit of a field and marks it as known. Without the field, \p value must be false.
static bool orField(EncodeState &state, Field field, unsigned bit, bool value) {
  if (!state.hasField(field))
    return !value;
  uint64_t old = state.getField(field);
  return state.setBits(field, old | uint64_t(value) << bit, uint64_t(1) << bit);
}

/// False for modifiers that the form cannot hold.
static bool encodeSourceModifiers(EncodeState &state, const Slot &slot, unsigned index,
                                  const Operand &operand) {
  bool isFloat = hasFloatModifiers(slot);
  if (state.hasField(Field::NegHi))
    return slot.letter != 'x' || (orField(state, Field::Neg, index, operand.neg) &&
                                  orField(state, Field::NegHi, index, operand.abs));
  if (index < 2 && state.hasField(SextFields[index]) && !isFloat)
    return state.setField(SextFields[index], operand.sext);
  if (!isFloat)
    return !operand.neg && !operand.abs;
  if (index < 2 && state.hasField(NegFields[index]))
    return state.setField(NegFields[index], operand.neg) &&
           state.setField(AbsFields[index], operand.abs);
  return orField(state, Field::Neg, index, operand.neg) &&
         (hasCarryField(state.form) || orField(state, Field::Abs, index, operand.abs));
}

/// The reverse of decodeSource().
template <unsigned Index> static bool encodeSource(EncodeState &state, const Slot &slot) {
  const Operand *operand = state.takeOperand();
  const FieldPlace *place = state.form.layout->find(SourceFields[Index]);
  if (!operand || !place)
    return false;
  bool isShort = place->width + place->highWidth == 8;
  unsigned code;
  if (operand->type == OperandType::Vgpr) {
    if (!encodeVgpr(state, slot, *operand, code))
      return false;
    code += isShort ? 0 : FirstVgpr;
  } else {
    int scalar = encodeScalarSource(state, *operand);
    if (scalar < 0 || (isShort && !(Index < 2 && state.hasField(ScalarFlags[Index & 1]))))
      return false;
    code = static_cast<unsigned>(scalar);
  }
  if (Index < 2 && state.hasField(ScalarFlags[Index & 1]) &&
      !state.setField(ScalarFlags[Index & 1], operand->type != OperandType::Vgpr))
    return false;
  return setScalarCode(state, SourceFields[Index], code, *operand) &&
         encodeSourceModifiers(state, slot, Index, *operand);
}

/// Prints the next operand.
static void printAnySource(PrintState &state, const Slot &slot) {
  const Operand &operand = state.takeOperand();
  printSource(state, operand, slot);
}

//===- Destinations ---------------------------------------------------------------------------===//

static bool decodeVdst(DecodeState &state, const Slot &slot) {
  Operand operand;
  if (!decodeVgpr(state, slot, static_cast<unsigned>(state.field(Field::Vdst)), 3, operand))
    return false;
  state.inst.operands.push_back(operand);
  return true;
}

/// Returns false for operands that are no vector register or do not fit.
static bool encodeVdst(EncodeState &state, const Slot &slot) {
  const Operand *operand = state.takeOperand();
  unsigned code;
  return operand && operand->type == OperandType::Vgpr && encodeVgpr(state, slot, *operand, code) &&
         state.setField(Field::Vdst, code);
}

/// VDSTY is stored without its lowest bit, which is the opposite of that of VDSTX.
static bool decodeVdstY(DecodeState &state, const Slot &) {
  uint64_t x = state.words.get(56, 8);
  uint64_t y = state.field(Field::Vdst) << 1 | (~x & 1);
  state.inst.operands.push_back(vectorRegister(static_cast<unsigned>(y), 1));
  return true;
}

/// The destination of the second half of a VOPD pair has no field for its lowest bit: it is the
/// opposite of the first half's.
static bool encodeVdstY(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  return operand && operand->type == OperandType::Vgpr &&
         (operand->index & 1) != (state.words.get(56, 8) & 1) &&
         state.setField(Field::Vdst, operand->index >> 1);
}

/// A scalar register in a field of its own: seven bits, of eight the highest is 0.
template <Field Name> static bool decodeScalarField(DecodeState &state, const Slot &slot) {
  Operand operand;
  if (!decodeScalarRegister(state.chip(), static_cast<unsigned>(state.field(Name)),
                            dwordsOf(slot, state.waveSize), operand))
    return false;
  state.inst.operands.push_back(operand);
  return true;
}

/// Returns false for registers that the chip has no code for.
template <Field Name> static bool encodeScalarField(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  if (!operand || operand->type != OperandType::Sgpr)
    return false;
  int code = codeFromScalar(state.chip(), operand->index);
  return code >= 0 && setScalarCode(state, Name, static_cast<unsigned>(code), *operand);
}

/// An operand without a field.
static bool decodeVcc(DecodeState &state, const Slot &) {
  Operand operand;
  operand.type = OperandType::Sgpr;
  operand.index = sreg::VccLo;
  operand.dwords = static_cast<uint8_t>(state.waveSize / 32);
  state.inst.operands.push_back(operand);
  return true;
}

/// Encodes nothing: the operand is implied, and must be VCC.
static bool encodeVcc(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  return operand && operand->type == OperandType::Sgpr && operand->index == sreg::VccLo;
}

/// The destination of an SDWA comparison is VCC unless a bit says otherwise.
static bool decodeSdwaMask(DecodeState &state, const Slot &slot) {
  if (!state.field(Field::SdwaSdstUsed))
    return decodeVcc(state, slot);
  return decodeScalarField<Field::SdwaSdst>(state, slot);
}

/// VCC is implied; any other scalar register sets a bit and has a field.
static bool encodeSdwaMask(EncodeState &state, const Slot &slot) {
  const Operand *operand = state.takeOperand();
  if (!operand || operand->type != OperandType::Sgpr)
    return false;
  --state.nextOperand;
  // VCC may be written both ways.
  if (operand->index == sreg::VccLo)
    return state.setBits(Field::SdwaSdstUsed, 0, 0) && encodeVcc(state, slot);
  return state.setField(Field::SdwaSdstUsed, 1) && encodeScalarField<Field::SdwaSdst>(state, slot);
}

/// Comparisons that write EXEC have 126 in their destination field; nothing looks at it.
static bool encodeExec(EncodeState &state, const Slot &) {
  return state.setBits(Field::Vdst, 126, 0);
}

/// A literal that is an operand of its own in the text.
static bool decodeLiteralSlot(DecodeState &state, const Slot &) {
  Operand operand;
  operand.type = OperandType::Literal;
  operand.value = state.literal();
  state.inst.operands.push_back(operand);
  return true;
}

static bool encodeLiteralSlot(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  return operand && state.setLiteral(static_cast<uint32_t>(operand->value));
}

/// Literals of 16-bit operands are printed with 16 bits if they fit.
static void printLiteralSlot(PrintState &state, const Slot &slot) {
  auto literal = static_cast<uint32_t>(state.takeOperand().value);
  state.os << format_hex(slot.number == 16 && literal <= 0xffff ? literal & 0xffff : literal, 0);
}

//===- Scalar sources -------------------------------------------------------------------------===//

/// A source of the scalar ALU. Type q has no literals.
template <Field Name> static bool decodeScalarAlu(DecodeState &state, const Slot &slot) {
  Operand operand;
  if (!decodeScalarSource(state, slot, static_cast<unsigned>(state.field(Name)), slot.letter != 'q',
                          operand))
    return false;
  state.inst.operands.push_back(operand);
  return true;
}

template <Field Name> static bool encodeScalarAlu(EncodeState &state, const Slot &) {
  const Operand *operand = state.takeOperand();
  int code = operand ? encodeScalarSource(state, *operand) : -1;
  return code >= 0 && setScalarCode(state, Name, static_cast<unsigned>(code), *operand);
}

/// A literal that the assembler may write as a constant, because the encoding has no other.
static void printImmediate(PrintState &state, const Slot &) {
  auto bits = static_cast<uint32_t>(state.takeOperand().value);
  if (isInlineInteger(int32_t(bits)))
    state.os << int32_t(bits);
  else if (const auto *found = find(FloatBits, bits); found != std::end(FloatBits))
    state.os << InlineFloats[found - std::begin(FloatBits)].text;
  else
    state.os << format_hex(bits, 0);
}

/// Columns: name, decoder, encoder, printer; null: nothing to do.
ArrayRef<SlotKind> gcn::aluSlotKinds() {
  static constexpr SlotKind Kinds[] = {
      {"vdst", decodeVdst, encodeVdst, printAnySource},
      {"vdsty", decodeVdstY, encodeVdstY, printAnySource},
      {"vsdst", decodeScalarField<Field::Vdst>, encodeScalarField<Field::Vdst>, printAnySource},
      {"carry", decodeScalarField<Field::Sdst>, encodeScalarField<Field::Sdst>, printAnySource},
      {"sdst", decodeScalarField<Field::Sdst>, encodeScalarField<Field::Sdst>, printAnySource},
      {"vcc", decodeVcc, encodeVcc, printAnySource},
      {"sdwamask", decodeSdwaMask, encodeSdwaMask, printAnySource},
      {"exec", nullptr, encodeExec, nullptr},
      {"src0", decodeSource<0>, encodeSource<0>, printAnySource},
      {"src1", decodeSource<1>, encodeSource<1>, printAnySource},
      {"src2", decodeSource<2>, encodeSource<2>, printAnySource},
      {"literal", decodeLiteralSlot, encodeLiteralSlot, printLiteralSlot},
      {"immediate", decodeLiteralSlot, encodeLiteralSlot, printImmediate},
      {"ssrc0", decodeScalarAlu<Field::Ssrc0>, encodeScalarAlu<Field::Ssrc0>, printAnySource},
      {"ssrc1", decodeScalarAlu<Field::Ssrc1>, encodeScalarAlu<Field::Ssrc1>, printAnySource},
  };
  return Kinds;
}

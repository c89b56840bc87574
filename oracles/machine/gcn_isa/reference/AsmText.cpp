// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/reference/AsmText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Registers whose names have no number.
struct NamedRegister {
  StringLiteral name;
  OperandType type;
  unsigned index;
  unsigned dwords;
};

/// Names that LLVM prints, with the register and its number of dwords.
constexpr NamedRegister NamedRegisters[] = {
    {"vcc", OperandType::Sgpr, sreg::VccLo, 2},
    {"vcc_lo", OperandType::Sgpr, sreg::VccLo, 1},
    {"vcc_hi", OperandType::Sgpr, sreg::VccLo + 1, 1},
    {"exec", OperandType::Sgpr, sreg::ExecLo, 2},
    {"exec_lo", OperandType::Sgpr, sreg::ExecLo, 1},
    {"exec_hi", OperandType::Sgpr, sreg::ExecLo + 1, 1},
    {"m0", OperandType::Sgpr, sreg::M0, 1},
    {"null", OperandType::Sgpr, sreg::Null, 1},
    {"flat_scratch", OperandType::Sgpr, sreg::FlatScratchLo, 2},
    {"flat_scratch_lo", OperandType::Sgpr, sreg::FlatScratchLo, 1},
    {"flat_scratch_hi", OperandType::Sgpr, sreg::FlatScratchLo + 1, 1},
    {"xnack_mask", OperandType::Sgpr, sreg::XnackLo, 2},
    {"xnack_mask_lo", OperandType::Sgpr, sreg::XnackLo, 1},
    {"xnack_mask_hi", OperandType::Sgpr, sreg::XnackLo + 1, 1},
    {"src_shared_base", OperandType::Sgpr, sreg::SharedBase, 2},
    {"src_shared_limit", OperandType::Sgpr, sreg::SharedLimit, 2},
    {"src_private_base", OperandType::Sgpr, sreg::PrivateBase, 2},
    {"src_private_limit", OperandType::Sgpr, sreg::PrivateLimit, 2},
    {"src_scc", OperandType::Scc, 0, 1},
    {"scc", OperandType::Scc, 0, 1},
    {"src_vccz", OperandType::Vccz, 0, 1},
    {"src_execz", OperandType::Execz, 0, 1},
    {"off", OperandType::Off, 0, 0},
};

using ModifierFunction = bool (*)(StringRef value, Modifiers &mods);
/// What "name:value" or "name" does; false for a value that makes no sense.
struct ModifierRow {
  StringLiteral name;
  ModifierFunction apply;
};

} // namespace

/// Decimal or, with 0x, hexadecimal; with a minus sign or without.
static bool parseNumber(StringRef text, int64_t &value) {
  uint64_t bits;
  if (text.consume_front("-")) {
    if (text.getAsInteger(0, bits))
      return false;
    value = -static_cast<int64_t>(bits);
    return true;
  }
  if (text.getAsInteger(0, bits))
    return false;
  value = static_cast<int64_t>(bits);
  return true;
}

/// "[1,0]": at most \p Size numbers; the rest of \p out stays.
template <size_t Size> static bool parseList(StringRef value, std::array<uint8_t, Size> &out) {
  if (!value.consume_front("[") || !value.consume_back("]"))
    return false;
  SmallVector<StringRef, 8> parts;
  value.split(parts, ',');
  if (parts.size() > Size)
    return false;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].trim().getAsInteger(0, out[i]))
      return false;
  return true;
}

/// Parses a number and converts it to the type of \p out, which drops bits that do not fit.
template <typename Number> static bool parseInto(StringRef value, Number &out) {
  int64_t number;
  if (!parseNumber(value, number))
    return false;
  out = static_cast<Number>(number);
  return true;
}

/// A control with or without a number.
static bool setDpp(Modifiers &mods, DppControl control, StringRef value) {
  mods.dpp = control;
  return value.empty() || parseInto(value, mods.dppValue);
}

/// "[1,0,3,2]": two bits a lane in dppValue, the first lane in the lowest.
static bool parseQuadPerm(StringRef value, Modifiers &mods) {
  std::array<uint8_t, 4> lanes{};
  if (!parseList(value, lanes))
    return false;
  mods.dpp = DppControl::QuadPerm;
  mods.dppValue = 0;
  for (unsigned i = 0; i < 4; ++i)
    mods.dppValue |= (lanes[i] & 3) << (2 * i);
  return true;
}

/// Names are in the order of Sdwa.
static bool parseSdwaSelect(StringRef value, Sdwa &select) {
  static constexpr StringLiteral Names[] = {"DWORD",  "BYTE_0", "BYTE_1", "BYTE_2",
                                            "BYTE_3", "WORD_0", "WORD_1"};
  const auto *found = find(Names, value);
  select = static_cast<Sdwa>(found - std::begin(Names));
  return found != std::end(Names);
}

/// An unknown name leaves dstUnused without a meaning and returns false.
static bool parseSdwaUnused(StringRef value, Modifiers &mods) {
  static constexpr StringLiteral Names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  const auto *found = find(Names, value);
  mods.dstUnused = static_cast<SdwaUnused>(found - std::begin(Names));
  return found != std::end(Names);
}

/// A pattern of ds_swizzle by name is accepted, but not parsed: the offset keeps its value.
static bool parseDsOffset(StringRef value, Modifiers &mods) {
  // ds_swizzle prints its pattern by name; the executor reads the encoding.
  return value.starts_with("swizzle(") || parseInto(value, mods.offset);
}

#define MODIFIER(BODY) [](StringRef value, Modifiers & mods)->bool BODY
/// What "name:value" does to the modifiers. A row returns false for values that it does not know.
static constexpr ModifierRow ModifierRows[] = {
    {"op_sel", MODIFIER({
       mods.opSelCount = static_cast<uint8_t>(value.count(',') + 1);
       return parseList(value, mods.opSel);
     })},
    {"op_sel_hi", MODIFIER({
       mods.hasOpSelHi = true;
       return parseList(value, mods.opSelHi);
     })},
    {"byte_sel", MODIFIER({ return !value.getAsInteger(10, mods.byteSel); })},
    {"neg_lo", MODIFIER({ return parseList(value, mods.negLo); })},
    {"neg_hi", MODIFIER({ return parseList(value, mods.negHi); })},
    {"mul", MODIFIER({
       mods.omod = value == "4" ? 2 : 1;
       return value == "2" || value == "4";
     })},
    {"div", MODIFIER({
       mods.omod = -1;
       return value == "2";
     })},
    {"quad_perm", parseQuadPerm},
    {"row_shl", MODIFIER({ return setDpp(mods, DppControl::RowShl, value); })},
    {"row_shr", MODIFIER({ return setDpp(mods, DppControl::RowShr, value); })},
    {"row_ror", MODIFIER({ return setDpp(mods, DppControl::RowRor, value); })},
    {"wave_shl", MODIFIER({ return setDpp(mods, DppControl::WaveShl, value); })},
    {"wave_rol", MODIFIER({ return setDpp(mods, DppControl::WaveRol, value); })},
    {"wave_shr", MODIFIER({ return setDpp(mods, DppControl::WaveShr, value); })},
    {"wave_ror", MODIFIER({ return setDpp(mods, DppControl::WaveRor, value); })},
    {"row_mirror", MODIFIER({ return setDpp(mods, DppControl::RowMirror, value); })},
    {"row_half_mirror", MODIFIER({ return setDpp(mods, DppControl::RowHalfMirror, value); })},
    {"row_bcast", MODIFIER({ return setDpp(mods, DppControl::RowBcast, value); })},
    {"row_share", MODIFIER({ return setDpp(mods, DppControl::RowShare, value); })},
    {"row_xmask", MODIFIER({ return setDpp(mods, DppControl::RowXmask, value); })},
    {"dpp8", MODIFIER({
       mods.dpp = DppControl::Lanes8;
       return parseList(value, mods.dppLanes);
     })},
    {"row_mask", MODIFIER({ return parseInto(value, mods.rowMask); })},
    {"bank_mask", MODIFIER({ return parseInto(value, mods.bankMask); })},
    {"bound_ctrl", MODIFIER({ return mods.boundCtrl = !value.empty(); })},
    {"fi", MODIFIER({
       mods.fetchInactive = value != "0";
       return !value.empty();
     })},
    {"dst_sel", MODIFIER({
       mods.sdwa = true;
       return parseSdwaSelect(value, mods.dstSel);
     })},
    {"src0_sel", MODIFIER({
       mods.sdwa = true;
       return parseSdwaSelect(value, mods.srcSel[0]);
     })},
    {"src1_sel", MODIFIER({
       mods.sdwa = true;
       return parseSdwaSelect(value, mods.srcSel[1]);
     })},
    {"dst_unused", parseSdwaUnused},
    {"offset", parseDsOffset},
    {"offset0", MODIFIER({ return parseInto(value, mods.offset0); })},
    {"offset1", MODIFIER({ return parseInto(value, mods.offset1); })},
    {"th", MODIFIER({
       mods.returnsOld |= value.starts_with("TH_ATOMIC") && value.contains("RETURN");
       mods.other.push_back(("th:" + value).str());
       return !value.empty();
     })},
    {"clamp", MODIFIER({ return mods.clamp = value.empty(); })},
    {"offen", MODIFIER({ return mods.offen = value.empty(); })},
    {"idxen", MODIFIER({ return mods.idxen = value.empty(); })},
    {"tfe", MODIFIER({ return mods.tfe = value.empty(); })},
    {"lds", MODIFIER({ return mods.lds = value.empty(); })},
    {"gds", MODIFIER({ return mods.gds = value.empty(); })},
    {"dmask", MODIFIER({ return parseInto(value, mods.dmask); })},
    {"dim", MODIFIER({
       mods.dimension = value.str();
       return !value.empty();
     })},
    // Typed buffers; the executor reads the encoding.
    {"format", MODIFIER({ return !value.empty(); })},
    {"d16", MODIFIER({ return mods.d16 = value.empty(); })},
    {"a16", MODIFIER({ return mods.a16 = value.empty(); })},
    {"lwe", MODIFIER({ return mods.lwe = value.empty(); })},
    {"r128", MODIFIER({ return mods.r128 = value.empty(); })},
    // GFX9's declared array, and what only says that coordinates are integers.
    {"da", MODIFIER({ return value.empty(); })},
    {"unorm", MODIFIER({ return value.empty(); })},
    {"glc", MODIFIER({ return mods.returnsOld = value.empty(); })},
};
#undef MODIFIER

/// Splits at \p separator outside of brackets and parentheses; empty parts are dropped.
static SmallVector<StringRef, 8> splitOutside(StringRef text, char separator) {
  SmallVector<StringRef, 8> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : separator;
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (i < text.size() && (c != separator || depth))
      continue;
    if (StringRef part = text.slice(begin, i).trim(); !part.empty())
      parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

/// Unknown words go to Modifiers::other. False for a known one with a bad value.
static bool parseModifier(StringRef word, Modifiers &mods) {
  auto [name, value] = word.split(':');
  if (word.starts_with("swizzle"))
    return true;
  for (const ModifierRow &row : ModifierRows)
    if (row.name == name)
      return row.apply(value, mods);
  mods.other.push_back(word.str());
  return true;
}

/// "v0", "v[0:3]", "s4", "ttmp[4:5]", with an optional ".l" or ".h".
static bool parseNumberedRegister(StringRef text, Operand &operand) {
  if (text.consume_back(".l"))
    operand.half = RegisterHalf::Low;
  else if (text.consume_back(".h"))
    operand.half = RegisterHalf::High;
  unsigned base = 0;
  operand.type = OperandType::Sgpr;
  if (text.consume_front("ttmp"))
    base = sreg::Ttmp0;
  else if (text.consume_front("v"))
    operand.type = OperandType::Vgpr;
  else if (!text.consume_front("s"))
    return false;
  unsigned first;
  unsigned last;
  if (text.consume_front("[") && text.consume_back("]")) {
    auto [low, high] = text.split(':');
    if (low.getAsInteger(10, first) || (high.empty() ? low : high).getAsInteger(10, last))
      return false;
  } else if (text.getAsInteger(10, first)) {
    return false;
  } else {
    last = first;
  }
  if (last < first || last - first >= 32 || last > 255)
    return false;
  operand.index = static_cast<uint16_t>(base + first);
  operand.dwords = static_cast<uint8_t>(last - first + 1);
  return true;
}

/// lit(...) marks a literal whose value an inline constant would have, too.
static bool parseImmediate(StringRef text, Operand &operand) {
  bool isLiteral =
      (text.consume_front("lit(") || text.consume_front("lit64(")) && text.consume_back(")");
  if (parseNumber(text, operand.value)) {
    isLiteral |= text.contains("0x");
    operand.type = isLiteral ? OperandType::Literal : OperandType::Integer;
    return true;
  }
  operand.type = OperandType::Float;
  return !text.getAsDouble(operand.number);
}

/// Takes -x, |x|, neg(x), abs(x) and sext(x) off \p text.
static StringRef takeSourceModifiers(StringRef text, Operand &operand) {
  bool isNumber = text.size() > 1 && text[0] == '-' && isDigit(text[1]);
  if (!isNumber && text.consume_front("-"))
    operand.neg = true;
  if (text.starts_with("neg(") && text.ends_with(")")) {
    operand.neg = true;
    text = text.drop_front(4).drop_back();
  }
  if (text.starts_with("|") && text.ends_with("|") && text.size() > 2) {
    operand.abs = true;
    text = text.drop_front().drop_back();
  } else if (text.starts_with("abs(") && text.ends_with(")")) {
    operand.abs = true;
    text = text.drop_front(4).drop_back();
  }
  if (text.starts_with("sext(") && text.ends_with(")")) {
    operand.sext = true;
    text = text.drop_front(5).drop_back();
  }
  return text;
}

/// What is neither a register nor a number is Text.
static Operand parseOperand(StringRef text) {
  Operand operand;
  text = takeSourceModifiers(text, operand);
  for (const NamedRegister &row : NamedRegisters) {
    if (row.name != text)
      continue;
    operand.type = row.type;
    operand.index = static_cast<uint16_t>(row.index);
    operand.dwords = static_cast<uint8_t>(row.dwords);
    return operand;
  }
  if (parseNumberedRegister(text, operand) || parseImmediate(text, operand))
    return operand;
  operand.type = OperandType::Text;
  return operand;
}

/// "[v6, v2, v[4:7]]": addresses of an image that do not stand side by side, an operand each.
static void parseAddressList(StringRef text, Inst &inst) {
  for (StringRef part : splitOutside(text.drop_front().drop_back(), ','))
    inst.operands.push_back(parseOperand(part));
}

/// Whether the first word of a part is a modifier, for instructions without operands there.
static bool isModifierWord(StringRef word) {
  StringRef name = word.take_while([](char c) { return isAlnum(c) || c == '_'; });
  if (name.empty() || name.front() == 'v')
    return false;
  if (word.drop_front(name.size()).starts_with(":") || name == "scale_offset" || word == "nv")
    return true;
  return word.size() == name.size() &&
         any_of(ModifierRows, [&](const ModifierRow &row) { return row.name == name; });
}

/// Words that pad the mnemonic with its encoding.
static StringRef takeEncodingSuffix(StringRef mnemonic, bool &isVop3) {
  static constexpr StringLiteral Suffixes[] = {"_e64_dpp", "_dpp", "_sdwa", "_e32", "_e64"};
  for (StringLiteral suffix : Suffixes) {
    if (!mnemonic.consume_back(suffix))
      continue;
    isVop3 = suffix.starts_with("_e64");
    break;
  }
  return mnemonic;
}

/// One half of a pair, or the whole. False for text that is not understood.
static bool parseOne(StringRef text, Inst &inst) {
  auto [mnemonic, rest] = text.trim().split(' ');
  inst.mnemonic = takeEncodingSuffix(mnemonic, inst.isVop3).str();
  // The target of an export is before its first source without a comma.
  if (inst.mnemonic == "exp" || inst.mnemonic == "export") {
    StringRef sources = rest.trim().split(' ').second;
    inst.operands.emplace_back();
    inst.operands.back().type = OperandType::Text;
    rest = sources;
  }
  for (StringRef part : splitOutside(rest, ',')) {
    bool first = true;
    for (StringRef word : splitOutside(part, ' ')) {
      if (first && word.starts_with("["))
        parseAddressList(word, inst);
      else if (first && !isModifierWord(word))
        inst.operands.push_back(parseOperand(word));
      else if (!parseModifier(word, inst.mods))
        return false;
      first = false;
    }
  }
  return true;
}

/// Sets \p inst from LLVM's text; the words must be set already. Inst::valid says whether it was
/// understood.
void gcn::parseAsmText(StringRef text, Inst &inst) {
  std::string flat = text.trim().str();
  std::replace(flat.begin(), flat.end(), '\t', ' ');
  inst.text = flat;
  auto [first, second] = StringRef(flat).split(" :: ");
  inst.valid = parseOne(first, inst);
  if (second.empty() || !inst.valid)
    return;
  Inst half;
  half.text = second.str();
  half.words[0] = inst.words[0];
  half.words[1] = inst.words[1];
  half.valid = inst.valid = parseOne(second, half);
  inst.dual.push_back(std::move(half));
}

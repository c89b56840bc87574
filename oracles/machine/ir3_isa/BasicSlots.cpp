// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of flags, numbers and names.
#include "oracles/machine/ir3_isa/Slots.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

bool Cursor::take(StringRef letters) {
  skipSpace();
  return takeHere(letters);
}

bool Cursor::takeHere(StringRef letters) {
  return m_text.consume_front(letters);
}

std::optional<uint64_t> Cursor::takeNumber() {
  skipSpace();
  uint64_t value = 0;
  bool isHex = m_text.starts_with("0x") || m_text.starts_with("0X");
  StringRef digits = isHex ? m_text.drop_front(2) : m_text;
  size_t count = isHex ? digits.find_if_not(isHexDigit) : digits.find_if_not(isDigit);
  count = std::min(count, digits.size());
  if (!count || digits.take_front(count).getAsInteger(isHex ? 16 : 10, value))
    return std::nullopt;
  m_text = digits.drop_front(count);
  return value;
}

std::optional<int64_t> Cursor::takeSigned() {
  Cursor ahead = *this;
  bool negative = ahead.take("-");
  std::optional<uint64_t> value = ahead.takeNumber();
  if (!value || *value > uint64_t(INT64_MAX))
    return std::nullopt;
  *this = ahead;
  return negative ? -int64_t(*value) : int64_t(*value);
}

std::optional<unsigned> Cursor::takeComponent() {
  size_t component = StringRef("xyzw").find(m_text.empty() ? '\0' : m_text.front());
  if (component == StringRef::npos)
    return std::nullopt;
  m_text = m_text.drop_front();
  return unsigned(component);
}

StringRef Cursor::takeName() {
  skipSpace();
  StringRef name = m_text.take_while([](char c) { return isAlnum(c) || c == '_' || c == '.'; });
  m_text = m_text.drop_front(name.size());
  return name;
}

void adreno::printName(raw_ostream &os, ArrayRef<StringLiteral> names, unsigned value) {
  if (value < names.size() && names[value] != "?")
    os << names[value];
  else
    os << value;
}

std::optional<unsigned> adreno::parseName(Cursor &cursor, ArrayRef<StringLiteral> names) {
  std::optional<unsigned> best;
  for (unsigned i = 0; i < names.size(); ++i)
    if (cursor.rest().starts_with(names[i]) && (!best || names[i].size() > names[*best].size()))
      best = i;
  if (best)
    cursor.takeHere(names[*best]);
  else if (std::optional<uint64_t> number = cursor.takeNumber(); number && *number < 64)
    best = unsigned(*number);
  return best;
}

/// How a slot of an enumeration is made: SLOT_OF_NAMES(Condition, "lt", "le") defines
/// printCondition, parseCondition.
#define SLOT_OF_NAMES(NAME, ...)                                                                   \
  static constexpr StringLiteral NAME##Names[] = {__VA_ARGS__};                                    \
  static void print##NAME(raw_ostream &os, const Inst &inst, const TextPiece &piece) {             \
    printName(os, NAME##Names, inst.get(piece.field));                                             \
  }                                                                                                \
  static bool parse##NAME(ParseState &state, const TextPiece &piece) {                             \
    std::optional<unsigned> value = parseName(state.cursor, NAME##Names);                          \
    return value && state.inst.set(piece.field, *value);                                           \
  }

SLOT_OF_NAMES(Type, "f16", "f32", "u16", "u32", "s16", "s32", "u8", "u8_32")
SLOT_OF_NAMES(AtomicType, "f16", "f32", "u16", "u32", "s16", "s32", "u64", "u8_32")
SLOT_OF_NAMES(Condition, "lt", "le", "gt", "ge", "eq", "ne")
SLOT_OF_NAMES(Mask, "", "x", "y", "xy", "z", "xz", "yz", "xyz", "w", "xw", "yw", "xyw", "zw", "xzw",
              "yzw", "xyzw")
SLOT_OF_NAMES(Round, "", "(even)", "(pos_infinity)", "(neg_infinity)")
SLOT_OF_NAMES(Mode, "imm", "uniform", "nonuniform")
SLOT_OF_NAMES(Shuffle, "?", "xor", "up", "down", "?", "?", "rup", "rdown")
SLOT_OF_NAMES(Scope, "tex", "rt", "mem", "mem")
SLOT_OF_NAMES(Typed, "untyped", "typed")
SLOT_OF_NAMES(Component, "x", "y", "z", "w")

// Flags before the name.

/// Prints the flags of an instruction in Mesa's order: (sy), (ss), (eq), (jp), (sat), then (nopN)
/// or (rptN), then (ul). Category 1's movmsk prints its repeat count elsewhere.
static void printFlags(raw_ostream &os, const Inst &inst, const TextPiece &) {
  static constexpr std::pair<Field, StringLiteral> First[] = {{Field::Sync, "(sy)"},
                                                              {Field::Short, "(ss)"},
                                                              {Field::EndQuads, "(eq)"},
                                                              {Field::Join, "(jp)"},
                                                              {Field::Saturate, "(sat)"}};
  for (auto [field, text] : First)
    if (inst.get(field))
      os << text;
  if (unsigned nops = inst.nopCount())
    os << "(nop" << nops << ") ";
  else if (inst.repeat() && inst.form().format->name != "move-mask")
    os << "(rpt" << inst.repeat() << ")";
  if (inst.get(Field::LastAddress))
    os << "(ul)";
}

/// "(rpt2)": the digit, when \p head comes next.
static std::optional<unsigned> takeCounted(Cursor &cursor, StringRef head) {
  Cursor ahead = cursor;
  if (!ahead.take(head))
    return std::nullopt;
  std::optional<uint64_t> count = ahead.takeNumber();
  if (!count || *count > 7 || !ahead.take(")"))
    return std::nullopt;
  cursor = ahead;
  return unsigned(*count);
}

ParseState::Flags adreno::parseFlags(Cursor &cursor) {
  ParseState::Flags flags;
  for (;;) {
    if (cursor.take("(sy)"))
      flags.sync = true;
    else if (cursor.take("(ss)"))
      flags.shortSync = true;
    else if (cursor.take("(jp)"))
      flags.join = true;
    else if (cursor.take("(ul)"))
      flags.lastAddress = true;
    else if (cursor.take("(eq)"))
      flags.endQuads = true;
    else if (cursor.take("(sat)"))
      flags.saturate = true;
    else if (std::optional<unsigned> repeat = takeCounted(cursor, "(rpt"))
      flags.repeat = *repeat;
    else if (std::optional<unsigned> nops = takeCounted(cursor, "(nop"))
      flags.nops = *nops;
    else
      return flags;
  }
}

/// Sets the bit of a flag that was given; false when the format has none.
static bool applyFlag(Inst &inst, Field field, unsigned value) {
  return !value || inst.set(field, value);
}

/// Sets the fields of the flags that parseFlags() has read. Fails when the format lacks the field
/// of one of them, or when (nopN) is not possible: together with (rptN), with N > 3, or on a row
/// without NopCount.
static bool applyFlags(ParseState &state, const TextPiece &) {
  const ParseState::Flags &flags = state.flags;
  Inst &inst = state.inst;
  bool isFine = applyFlag(inst, Field::Sync, flags.sync) &&
                applyFlag(inst, Field::Short, flags.shortSync) &&
                applyFlag(inst, Field::Join, flags.join) &&
                applyFlag(inst, Field::LastAddress, flags.lastAddress) &&
                applyFlag(inst, Field::EndQuads, flags.endQuads) &&
                applyFlag(inst, Field::Saturate, flags.saturate) &&
                applyFlag(inst, Field::Repeat, flags.repeat);
  if (!flags.nops)
    return isFine;
  return isFine && !flags.repeat && flags.nops < 4 && inst.form().hasFlag(rowflags::NopCount) &&
         inst.set(Field::Repeat1, flags.nops & 1) && inst.set(Field::Repeat2, flags.nops >> 1);
}

static void printInstName(raw_ostream &os, const Inst &inst, const TextPiece &) {
  os << inst.name();
}
/// Takes the name of the row that is tried. Where it is only the beginning of a longer name, a
/// later piece of the text fails.
static bool parseInstName(ParseState &state, const TextPiece &) {
  return state.cursor.take(state.inst.name());
}

// A flag that is letters: "{flag g=.g}"; "{noflag not1d=.1d}" where the bit is 0.

/// Prints the letters where the bit is 1.
static void printFlag(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (inst.get(piece.field))
    os << piece.argument;
}
/// Takes \p letters unless they are the beginning of a longer word: ".s" is not ".s2en".
static bool takeWord(Cursor &cursor, StringRef letters) {
  StringRef rest = cursor.rest();
  if (!rest.consume_front(letters) ||
      (isAlnum(letters.back()) && !rest.empty() && isAlnum(rest.front())))
    return false;
  return cursor.takeHere(letters);
}

/// Sets the field to whether its letters come next. Never fails for a missing flag.
static bool parseFlag(ParseState &state, const TextPiece &piece) {
  return state.inst.set(piece.field, takeWord(state.cursor, piece.argument));
}
/// Prints the letters where the bit is 0.
static void printNoFlag(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (!inst.get(piece.field))
    os << piece.argument;
}
/// Sets the field to 0 where the letters come next, and to 1 otherwise.
static bool parseNoFlag(ParseState &state, const TextPiece &piece) {
  return state.inst.set(piece.field, !takeWord(state.cursor, piece.argument));
}

/// One of two: "{name2 all=.shr,.all}".
static void printEither(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  auto [zero, one] = piece.argument.split(',');
  os << (inst.get(piece.field) ? one : zero);
}
/// Tries the text for 1 first. Fails when neither comes next.
static bool parseEither(ParseState &state, const TextPiece &piece) {
  auto [zero, one] = piece.argument.split(',');
  if (state.cursor.takeHere(one))
    return state.inst.set(piece.field, 1);
  return state.cursor.takeHere(zero) && state.inst.set(piece.field, 0);
}

// Numbers.

/// The field as a decimal number.
static void printUnsigned(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << inst.get(piece.field);
}
/// Takes a number that fits into the field.
static bool parseUnsigned(ParseState &state, const TextPiece &piece) {
  std::optional<uint64_t> value = state.cursor.takeNumber();
  return value && *value <= UINT32_MAX && state.inst.set(piece.field, uint32_t(*value));
}

/// The field plus 1: counts are encoded from 0.
static void printPlusOne(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << inst.get(piece.field) + 1;
}
/// Takes a number from 1 to 256 that fits into the field.
static bool parsePlusOne(ParseState &state, const TextPiece &piece) {
  std::optional<uint64_t> value = state.cursor.takeNumber();
  return value && *value && *value <= 256 && state.inst.set(piece.field, uint32_t(*value - 1));
}

/// The field plus 2: shifts of addresses are encoded from 2.
static void printPlusTwo(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << inst.get(piece.field) + 2;
}
/// Takes a number from 2 to 7.
static bool parsePlusTwo(ParseState &state, const TextPiece &piece) {
  std::optional<uint64_t> value = state.cursor.takeNumber();
  return value && *value >= 2 && *value < 8 && state.inst.set(piece.field, uint32_t(*value - 2));
}

/// 2 << n.
static void printTwice(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << (2U << inst.get(piece.field));
}
/// Takes a power of two from 2 to 256.
static bool parseTwice(ParseState &state, const TextPiece &piece) {
  std::optional<uint64_t> value = state.cursor.takeNumber();
  for (unsigned i = 0; value && i < 8; ++i)
    if (*value == 2U << i)
      return state.inst.set(piece.field, i);
  return false;
}

/// Bits of n + 1 words.
static void printWords(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << (inst.get(piece.field) + 1) * 32;
}
/// Takes a multiple of 32 from 32 to 256.
static bool parseWords(ParseState &state, const TextPiece &piece) {
  std::optional<uint64_t> value = state.cursor.takeNumber();
  return value && *value && *value % 32 == 0 && *value <= 256 &&
         state.inst.set(piece.field, uint32_t(*value / 32 - 1));
}

/// "+5", "-5", or nothing for 0.
static void printOffset(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  int32_t value = inst.getSigned(piece.field);
  if (value)
    os << (value > 0 ? "+" : "") << value;
}
/// Takes a signed offset with its sign. Text without a sign leaves the field 0.
static bool parseOffset(ParseState &state, const TextPiece &piece) {
  Cursor ahead = state.cursor;
  bool negative = ahead.take("-");
  if (!negative && !ahead.take("+"))
    return true;
  std::optional<uint64_t> value = ahead.takeNumber();
  state.cursor = ahead;
  return value && *value < (1U << 20) &&
         state.inst.setSigned(piece.field, negative ? -int64_t(*value) : int64_t(*value));
}

/// "+5", or nothing for 0.
static void printPlus(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (uint32_t value = inst.get(piece.field))
    os << '+' << value;
}
/// Takes "+N". Text without "+" leaves the field as it is.
static bool parsePlus(ParseState &state, const TextPiece &piece) {
  return !state.cursor.take("+") || parseUnsigned(state, piece);
}

/// The distance of a branch, in instructions from itself; or a label.
static void printTarget(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << inst.getSigned(piece.field);
}
/// Takes a signed distance or, where ParseState::label is set, the name of a label.
static bool parseTarget(ParseState &state, const TextPiece &piece) {
  std::optional<int64_t> value = state.cursor.takeSigned();
  if (!value && state.label)
    value = state.label(state.cursor.takeName());
  return value && state.inst.setSigned(piece.field, *value);
}

/// ".base3" for bindless resources.
static void printBase(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (inst.get(Field::Bindless))
    os << ".base" << inst.get(piece.field);
}
/// Sets Bindless together with the base. Without the suffix both stay as they are.
static bool parseBase(ParseState &state, const TextPiece &piece) {
  if (!state.cursor.takeHere(".base"))
    return true;
  return state.inst.set(Field::Bindless, 1) && parseUnsigned(state, piece);
}

/// Slots by the name that texts use: how to print the field and how to parse it.
static constexpr SlotKind BasicSlots[] = {
    {"flags", printFlags, applyFlags},
    {"name", printInstName, parseInstName},
    {"flag", printFlag, parseFlag},
    {"noflag", printNoFlag, parseNoFlag},
    {"name2", printEither, parseEither},
    {"uint", printUnsigned, parseUnsigned},
    {"plusone", printPlusOne, parsePlusOne},
    {"plustwo", printPlusTwo, parsePlusTwo},
    {"twice", printTwice, parseTwice},
    {"words", printWords, parseWords},
    {"offset", printOffset, parseOffset},
    {"plus", printPlus, parsePlus},
    {"target", printTarget, parseTarget},
    {"basesuffix", printBase, parseBase},
    {"type", printType, parseType},
    {"atomictype", printAtomicType, parseAtomicType},
    {"condition", printCondition, parseCondition},
    {"mask", printMask, parseMask},
    {"round", printRound, parseRound},
    {"mode", printMode, parseMode},
    {"shuffle", printShuffle, parseShuffle},
    {"scope", printScope, parseScope},
    {"typed", printTyped, parseTyped},
    {"component", printComponent, parseComponent},
};

ArrayRef<SlotKind> adreno::basicSlots() {
  return BasicSlots;
}

const SlotKind *adreno::findSlotKind(StringRef name) {
  for (ArrayRef<SlotKind> kinds : {basicSlots(), registerSlots(), sourceSlots(), textureSlots()})
    for (const SlotKind &kind : kinds)
      if (kind.name == name)
        return &kind;
  return nullptr;
}

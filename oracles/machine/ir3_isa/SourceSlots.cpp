// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of the sources of categories 1 to 4, and of alias.
#include "oracles/machine/ir3_isa/Slots.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using File = Operand::File;

/// The index that readSource() and writeSource() have for the field of \p piece.
static unsigned sourceIndex(const TextPiece &piece) {
  return piece.field == Field::Src1 ? 0 : piece.field == Field::Src2 ? 1 : 2;
}

// Floats as the C library writes them.

/// Widens an f16 exactly.
static float fromHalf(uint16_t bits) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, bits));
  bool inexact = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToFloat();
}

/// Rounds to the nearest f16, ties to even.
static uint16_t toHalf(float number) {
  APFloat value(number);
  bool inexact = false;
  value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &inexact);
  return uint16_t(value.bitcastToAPInt().getZExtValue());
}

/// Prints six digits after the point, as "%f" does. This loses bits of small numbers.
static void printFloat(raw_ostream &os, float number) {
  char text[64];
  snprintf(text, sizeof(text), "%f", double(number));
  os << text;
}

/// Takes a number in any form that strtof() reads as a whole. Nothing is taken on failure.
static std::optional<float> parseFloat(Cursor &cursor) {
  cursor.skipSpace();
  StringRef digits = cursor.rest().take_while(
      [](char c) { return isAlnum(c) || c == '.' || c == '-' || c == '+'; });
  if (digits.empty())
    return std::nullopt;
  std::string text = digits.str();
  char *end = nullptr;
  float number = strtof(text.c_str(), &end);
  if (*end)
    return std::nullopt;
  cursor.takeHere(digits);
  return number;
}

// Registers, constants and relative operands.

/// Prints negation, absolute value and (r). Callers print (last): its place depends on the
/// category.
static void printModifiers(raw_ostream &os, const Operand &operand) {
  if (operand.neg || operand.abs)
    os << (operand.neg && operand.abs ? "(absneg)" : operand.neg ? "(neg)" : "(abs)");
  if (operand.repeats)
    os << "(r)";
}

/// Takes modifiers in any order, until something else comes.
static void parseModifiers(Cursor &cursor, Operand &operand) {
  for (;;) {
    if (cursor.take("(neg)"))
      operand.neg = true;
    else if (cursor.take("(abs)"))
      operand.abs = true;
    else if (cursor.take("(absneg)"))
      operand.neg = operand.abs = true;
    else if (cursor.take("(r)"))
      operand.repeats = true;
    else if (cursor.take("(last)"))
      operand.last = true;
    else
      return;
  }
}

/// Prints a register, constant or relative operand, without 'h'. \p writesZero: a zero offset of a
/// relative operand is printed. Immediates are the caller's.
static void printPlace(raw_ostream &os, const Operand &operand, bool writesZero) {
  switch (operand.file) {
  case File::Gpr:
    return printRegister(os, operand.number);
  case File::Const:
    return printPlainRegister(os, operand.number, 'c');
  case File::RelativeGpr:
  case File::RelativeConst:
    os << (operand.file == File::RelativeGpr ? "r<a0.x" : "c<a0.x");
    if (operand.value || writesZero)
      os << " + " << operand.value;
    os << '>';
    return;
  case File::Immediate:
  case File::FloatTable:
    break;
  }
}

/// "a0.x>", "a0.x + 5>", "a0.x - 5>", "a0.x + -5>" after "r<".
static bool parseRelative(Cursor &cursor, Operand &operand) {
  if (!cursor.take("a0.x"))
    return false;
  bool minus = cursor.take("-");
  std::optional<int64_t> value = 0;
  if (minus || cursor.take("+"))
    value = cursor.takeSigned();
  operand.value = minus ? -value.value_or(0) : value.value_or(0);
  return value && cursor.take(">");
}

/// Takes "N.x" of a constant; N < 512.
static bool parseConstNumber(Cursor &cursor, Operand &operand) {
  std::optional<uint64_t> vector = cursor.takeNumber();
  if (!vector || *vector >= 512 || !cursor.takeHere("."))
    return false;
  std::optional<unsigned> component = cursor.takeComponent();
  operand.number = uint16_t(*vector * 4 + component.value_or(0));
  return component.has_value();
}

/// A register, constant or relative operand with 'h' in front; false, with nothing taken, for
/// anything else.
static bool parsePlace(Cursor &cursor, Operand &operand) {
  Cursor ahead = cursor;
  operand.half = ahead.take("h");
  bool isFine = false;
  if (ahead.take("r<")) {
    operand.file = File::RelativeGpr;
    isFine = parseRelative(ahead, operand);
  } else if (ahead.take("c<")) {
    operand.file = File::RelativeConst;
    isFine = parseRelative(ahead, operand);
  } else if (ahead.take("c")) {
    operand.file = File::Const;
    isFine = parseConstNumber(ahead, operand);
  } else if (std::optional<unsigned> number = parseRegister(ahead)) {
    operand.number = uint16_t(*number);
    isFine = true;
  }
  if (isFine)
    cursor = ahead;
  return isFine;
}

/// What is between the parentheses of "h(-1)", "h(0.5)", "(1/pi)".
static bool parseParenthesized(Cursor &cursor, Operand &operand) {
  for (auto [index, entry] : enumerate(tableFloats())) {
    Cursor ahead = cursor;
    if (!ahead.take(entry.name) || !ahead.take(")"))
      continue;
    operand.file = File::FloatTable;
    operand.value = int64_t(index);
    cursor = ahead;
    return true;
  }
  std::optional<int64_t> value = operand.half ? cursor.takeSigned() : std::nullopt;
  operand.file = File::Immediate;
  operand.value = value.value_or(0);
  return value && cursor.take(")");
}

/// Takes a full immediate "N", a half one "h(N)", or a float of the table "(1/pi)". False, with
/// nothing taken, for anything else.
static bool parseImmediate(Cursor &cursor, Operand &operand) {
  Cursor ahead = cursor;
  operand.half = ahead.take("h");
  bool isFine = false;
  if (ahead.take("(")) {
    isFine = parseParenthesized(ahead, operand);
  } else if (!operand.half) {
    std::optional<int64_t> value = ahead.takeSigned();
    operand.file = File::Immediate;
    operand.value = value.value_or(0);
    isFine = value.has_value();
  }
  if (isFine)
    cursor = ahead;
  return isFine;
}

/// Says of what width a source was; false when it is not that of the others.
static bool agreeSource(ParseState &state, const Operand &operand) {
  if (operand.file == File::FloatTable) {
    if (!state.halfTable)
      state.halfTable = operand.half;
    return true;
  }
  bool isFine = !state.halfSources || *state.halfSources == operand.half;
  state.halfSources = operand.half;
  return isFine;
}

// Categories 2 and 4.

/// Whether the bits of the source mean something: SlotKind::valid.
static bool isSource(const Inst &inst, const TextPiece &piece) {
  return readSource(inst, sourceIndex(piece)).has_value();
}

/// Prints a source of category 2 or 4 with its modifiers: a register, a constant, a number, or a
/// float of the table by its name. Prints nothing for bits without a meaning.
static void printMulti(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  std::optional<Operand> operand = readSource(inst, sourceIndex(piece));
  if (!operand)
    return;
  os << (operand->last ? "(last)" : "");
  printModifiers(os, *operand);
  os << (operand->half ? "h" : "");
  if (operand->file == File::FloatTable)
    os << '(' << tableFloats()[size_t(operand->value)].name << ')';
  else if (operand->file == File::Immediate && operand->half)
    os << '(' << operand->value << ')';
  else if (operand->file == File::Immediate)
    os << operand->value;
  else
    printPlace(os, *operand, /*writesZero=*/false);
}

/// Takes a source of category 2 or 4 and checks that its width agrees with the other sources.
static bool parseMulti(ParseState &state, const TextPiece &piece) {
  Operand operand;
  parseModifiers(state.cursor, operand);
  if (!parsePlace(state.cursor, operand) && !parseImmediate(state.cursor, operand))
    return false;
  return agreeSource(state, operand) && writeSource(state.inst, sourceIndex(piece), operand);
}

// Category 3: the first and third source, and the second, which is a register.

static void printThird(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  std::optional<Operand> operand = readSource(inst, sourceIndex(piece));
  if (!operand)
    return;
  printModifiers(os, *operand);
  if (operand->file == File::Immediate) {
    os << operand->value;
    return;
  }
  os << (operand->last ? "(last)" : "") << (operand->half ? "h" : "");
  printPlace(os, *operand, /*writesZero=*/true);
}

/// Takes a source of category 3. Immediates are unsigned and say nothing about width.
static bool parseThird(ParseState &state, const TextPiece &piece) {
  Operand operand;
  parseModifiers(state.cursor, operand);
  if (parsePlace(state.cursor, operand))
    return agreeSource(state, operand) && writeSource(state.inst, sourceIndex(piece), operand);
  std::optional<uint64_t> value = state.cursor.takeNumber();
  operand.half = false;
  operand.file = File::Immediate;
  operand.value = int64_t(value.value_or(0) & 0xffffffff);
  return value && *value <= UINT32_MAX && writeSource(state.inst, sourceIndex(piece), operand);
}

// Category 1.

/// Prints the 32 bits of an immediate in the form of \p type; f16 and integers of 16 bits use the
/// low half.
static void printMovedImmediate(raw_ostream &os, uint32_t bits, DataType type) {
  switch (type) {
  case DataType::F16:
    os << "h(";
    printFloat(os, fromHalf(uint16_t(bits)));
    os << ')';
    return;
  case DataType::F32:
    os << '(';
    printFloat(os, bit_cast<float>(bits));
    os << ')';
    return;
  case DataType::U32:
    if (bits > 0x1000)
      os << "0x" << utohexstr(bits, /*LowerCase=*/true);
    else
      os << bits;
    return;
  case DataType::S16:
    os << int16_t(bits);
    return;
  case DataType::S32:
    os << int32_t(bits);
    return;
  case DataType::U16:
  case DataType::U8:
  case DataType::U8In32:
    os << bits;
    return;
  }
}

/// Prints the source of a move; an immediate in the notation of the source type.
static void printMoved(raw_ostream &os, const Inst &inst, const TextPiece &) {
  Operand operand = *readSource(inst, 0);
  if (operand.file == File::Immediate)
    return printMovedImmediate(os, uint32_t(operand.value), DataType(inst.get(Field::SrcType)));
  os << (operand.last ? "(last)" : "");
  printModifiers(os, operand);
  os << (operand.half ? "h" : "");
  printPlace(os, operand, /*writesZero=*/false);
}

/// Takes an immediate of the type that the name of the instruction gives. Floats are in
/// parentheses; integers may have a sign.
static bool parseMovedImmediate(ParseState &state, Operand &operand) {
  DataType type = DataType(state.inst.get(Field::SrcType));
  Cursor &cursor = state.cursor;
  operand.file = File::Immediate;
  if (type != DataType::F16 && type != DataType::F32) {
    std::optional<int64_t> value = cursor.takeSigned();
    if (!value || *value < INT32_MIN || *value > int64_t(UINT32_MAX))
      return false;
    operand.value = type == DataType::S16 ? uint16_t(*value) : uint32_t(*value);
    return true;
  }
  if (type == DataType::F16 && !cursor.take("h"))
    return false;
  if (!cursor.take("("))
    return false;
  std::optional<float> number = parseFloat(cursor);
  if (!number || !cursor.take(")"))
    return false;
  operand.value = type == DataType::F16 ? toHalf(*number) : bit_cast<uint32_t>(*number);
  return true;
}

/// Takes an immediate where the form is the one with an immediate, and any other source otherwise.
static bool parseMoved(ParseState &state, const TextPiece &) {
  Operand operand;
  parseModifiers(state.cursor, operand);
  if (state.inst.form().format->name == "move-immediate")
    return parseMovedImmediate(state, operand) && writeSource(state.inst, 0, operand);
  return parsePlace(state.cursor, operand) && agreeSource(state, operand) &&
         writeSource(state.inst, 0, operand);
}

/// A source of swz, gat and sct.
static void printMoveSource(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << (inst.hasHalfSources() ? "h" : "");
  printRegister(os, inst.get(piece.field));
}

/// Takes a register; swz, gat and sct read no other file.
static bool parseMoveSource(ParseState &state, const TextPiece &piece) {
  Operand operand;
  return parsePlace(state.cursor, operand) && operand.file == File::Gpr &&
         agreeSource(state, operand) && state.inst.set(piece.field, operand.number);
}

// alias: a register, a constant or an immediate, whose bits depend on which. The bits above a
// number mean nothing.

/// Prints "h" for halves, then the register, the constant, or the immediate as a float or as bits.
static void printAliased(raw_ostream &os, const Inst &inst, const TextPiece &) {
  uint32_t bits = inst.get(Field::Src1);
  uint32_t kind = inst.get(Field::TableSource);
  bool half = inst.hasHalfSources();
  os << (half && (kind < 2 || inst.get(Field::TableBits)) ? "h" : "");
  if (kind == 0)
    return printRegister(os, bits & 0xff);
  if (kind == 1)
    return printPlainRegister(os, bits & 0x7ff, 'c');
  if (!inst.get(Field::TableBits))
    return printMovedImmediate(os, bits, half ? DataType::F16 : DataType::F32);
  os << "(0x" << utohexstr(half ? bits & 0xffff : bits, /*LowerCase=*/true) << ')';
}

/// Takes a register or constant of the alias's width, or an immediate in parentheses, and sets
/// field tsrc to the kind.
static bool parseAliased(ParseState &state, const TextPiece &) {
  Operand operand;
  Inst &inst = state.inst;
  bool half = inst.hasHalfSources();
  if (parsePlace(state.cursor, operand))
    return operand.half == half && !operand.isRelative() && inst.set(Field::Src1, operand.number) &&
           inst.set(Field::TableSource, operand.file == File::Const);
  if ((half && !state.cursor.take("h")) || !state.cursor.take("("))
    return false;
  inst.set(Field::TableSource, 2);
  if (inst.get(Field::TableBits)) {
    std::optional<uint64_t> bits = state.cursor.takeNumber();
    return bits && *bits <= (half ? 0xffffU : UINT32_MAX) && state.cursor.take(")") &&
           inst.set(Field::Src1, uint32_t(*bits));
  }
  std::optional<float> number = parseFloat(state.cursor);
  return number && state.cursor.take(")") &&
         inst.set(Field::Src1, half ? toHalf(*number) : bit_cast<uint32_t>(*number));
}

/// "multi" is for categories 2 and 4, "third" and "middle" for category 3, "moved" for category 1.
static constexpr SlotKind SourceSlots[] = {
    {"multi", printMulti, parseMulti, isSource},   {"third", printThird, parseThird, isSource},
    {"middle", printThird, parseThird, isSource},  {"moved", printMoved, parseMoved},
    {"movesrc", printMoveSource, parseMoveSource}, {"aliased", printAliased, parseAliased},
};

ArrayRef<SlotKind> adreno::sourceSlots() {
  return SourceSlots;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of registers outside of the sources of categories 1 to 4.
#include "oracles/machine/ir3_isa/Slots.h"

#include "llvm/Support/Format.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// Names of components by the two low bits of a register's number.
static constexpr char Components[] = "xyzw";

void adreno::printPlainRegister(raw_ostream &os, unsigned number, char letter) {
  os << letter << number / 4 << '.' << Components[number % 4];
}

void adreno::printRegister(raw_ostream &os, unsigned number) {
  if (number / 4 == reg::Address / 4)
    os << "a0." << Components[number % 4];
  else if (number / 4 == reg::Predicate / 4)
    os << "p0." << Components[number % 4];
  else
    printPlainRegister(os, number, 'r');
}

/// "r1.x", with \p letter in the place of r.
static std::optional<unsigned> parsePlain(Cursor &cursor, StringRef letter, unsigned limit) {
  Cursor ahead = cursor;
  if (!ahead.take(letter))
    return std::nullopt;
  std::optional<uint64_t> vector =
      ahead.rest().starts_with("<") ? std::nullopt : ahead.takeNumber();
  if (!vector || *vector * 4 >= limit || !ahead.takeHere("."))
    return std::nullopt;
  std::optional<unsigned> component = ahead.takeComponent();
  if (!component)
    return std::nullopt;
  cursor = ahead;
  return unsigned(*vector * 4) + *component;
}

std::optional<unsigned> adreno::parseRegister(Cursor &cursor) {
  if (cursor.take("a1.x"))
    return reg::Address + 1;
  if (cursor.take("a0.")) {
    std::optional<unsigned> component = cursor.takeComponent();
    return component ? std::optional(reg::Address + *component) : std::nullopt;
  }
  if (cursor.take("p0.")) {
    std::optional<unsigned> component = cursor.takeComponent();
    return component ? std::optional(reg::Predicate + *component) : std::nullopt;
  }
  return parsePlain(cursor, "r", 256);
}

/// Says that a register was half or full; false when another one that must agree was not.
static bool agree(std::optional<bool> &half, bool isHalf) {
  bool isFine = !half || *half == isHalf;
  half = isHalf;
  return isFine;
}

// The result: half, and relative in category 1.

/// Prints "r0.x" or "hr0.x", or a result relative to a0.x.
static void printResult(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (inst.hasHalfResult())
    os << 'h';
  uint32_t number = inst.get(piece.field);
  if (!inst.get(Field::DstRelative))
    printRegister(os, number);
  else if (number)
    os << "r<a0.x + " << number << '>';
  else
    os << "r<a0.x>";
}

/// Takes a result register, with 'h' for a half one, or "r<a0.x + N>" in category 1, N < 256.
static bool parseResult(ParseState &state, const TextPiece &piece) {
  bool half = state.cursor.take("h");
  if (!agree(state.halfResult, half))
    return false;
  if (state.cursor.take("r<")) {
    if (!state.inst.has(Field::DstRelative) || !state.cursor.take("a0.x"))
      return false;
    uint64_t offset = state.cursor.take("+") ? state.cursor.takeNumber().value_or(UINT32_MAX) : 0;
    return offset < 256 && state.cursor.take(">") && state.inst.set(Field::DstRelative, 1) &&
           state.inst.set(piece.field, uint32_t(offset));
  }
  std::optional<unsigned> number = parseRegister(state.cursor);
  return number && state.inst.set(piece.field, *number);
}

// A register that is full whatever the type; "plain" names a0 and p0 by their numbers, too.

static void printFull(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  printRegister(os, inst.get(piece.field));
}
/// Takes a register without 'h'.
static bool parseFull(ParseState &state, const TextPiece &piece) {
  std::optional<unsigned> number = parseRegister(state.cursor);
  return number && state.inst.set(piece.field, *number);
}

/// "{plain src2 imm2}": a number where the field imm2 says so.
static void printPlain(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (!piece.argument.empty() && inst.get(findField(piece.argument)))
    os << inst.get(piece.field);
  else
    printPlainRegister(os, inst.get(piece.field), 'r');
}
/// Takes a register or, where the slot names a field for it, a number below 256.
static bool parsePlainSlot(ParseState &state, const TextPiece &piece) {
  if (std::optional<unsigned> number = parsePlain(state.cursor, "r", 256))
    return state.inst.set(piece.field, *number);
  if (piece.argument.empty())
    return false;
  std::optional<uint64_t> value = state.cursor.takeNumber();
  return value && *value < 256 && state.inst.set(piece.field, uint32_t(*value)) &&
         state.inst.set(findField(piece.argument), 1);
}

/// A number in mode imm, else a register.
static void printByMode(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (inst.get(Field::Mode))
    printPlainRegister(os, inst.get(piece.field), 'r');
  else
    os << inst.get(piece.field);
}
/// The mode must have been parsed: it is a suffix of the name.
static bool parseByMode(ParseState &state, const TextPiece &piece) {
  std::optional<uint64_t> value;
  if (!state.inst.get(Field::Mode))
    value = state.cursor.takeNumber();
  else
    value = parsePlain(state.cursor, "r", 256);
  return value && *value < 256 && state.inst.set(piece.field, uint32_t(*value));
}

/// A constant by an eight-bit number: c0.x to c63.w.
static void printConst(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  printPlainRegister(os, inst.get(piece.field), 'c');
}
/// Takes "c0.x" to "c63.w".
static bool parseConst(ParseState &state, const TextPiece &piece) {
  std::optional<unsigned> number = parsePlain(state.cursor, "c", 256);
  return number && state.inst.set(piece.field, *number);
}

/// A register of the type's width.
static void printData(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << (inst.hasHalfResult() ? "h" : "");
  printRegister(os, inst.get(piece.field));
}
/// Takes a register of the width that the instruction's other data registers have.
static bool parseData(ParseState &state, const TextPiece &piece) {
  return agree(state.halfResult, state.cursor.take("h")) && parseFull(state, piece);
}

/// A component of a render target: "rt1.y", in five bits.
static void printTarget(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  os << "rt" << (inst.get(piece.field) >> 2 & 7) << '.' << Components[inst.get(piece.field) % 4];
}
/// Takes "rtN.x" with N below 8.
static bool parseTarget(ParseState &state, const TextPiece &piece) {
  std::optional<unsigned> number = parsePlain(state.cursor, "rt", 32);
  return number && state.inst.set(piece.field, *number);
}

/// "32", "a1.x" or "a1.x+32": the highest of nine bits is a1.x.
static void printConstDst(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  uint32_t value = inst.get(piece.field);
  if (value < 256)
    os << value;
  else if (value == 256)
    os << "a1.x";
  else
    os << "a1.x+" << value - 256;
}
/// Takes "N", "a1.x" or "a1.x+N", N < 256.
static bool parseConstDst(ParseState &state, const TextPiece &piece) {
  bool relative = state.cursor.take("a1.x");
  std::optional<uint64_t> value = 0;
  if (!relative || state.cursor.take("+"))
    value = state.cursor.takeNumber();
  return value && *value < 256 &&
         state.inst.set(piece.field, uint32_t(*value) + (relative ? 256 : 0));
}

/// Slots by the name that texts use.
static constexpr SlotKind RegisterSlots[] = {
    {"dst", printResult, parseResult},          {"register", printFull, parseFull},
    {"plain", printPlain, parsePlainSlot},      {"bymode", printByMode, parseByMode},
    {"const", printConst, parseConst},          {"data", printData, parseData},
    {"constdst", printConstDst, parseConstDst}, {"target5", printTarget, parseTarget},
};

ArrayRef<SlotKind> adreno::registerSlots() {
  return RegisterSlots;
}

bool adreno::finishWidths(ParseState &state) {
  Inst &inst = state.inst;
  bool halfSources = state.halfSources.value_or(state.halfTable.value_or(false));
  Width width = inst.form().format->width;
  if (width == Width::Converted || width == Width::Multiply || width == Width::Texture)
    if (inst.has(Field::Full) && (width != Width::Texture || state.halfSources))
      inst.set(Field::Full, !halfSources);
  if (width == Width::Converted && inst.get(Field::Dst) / 4 != reg::Predicate / 4)
    inst.set(Field::Convert, halfSources != state.halfResult.value_or(false));
  if (width == Width::Multiply)
    inst.set(Field::Convert, !state.halfResult.value_or(false));
  if (width == Width::Texture && !inst.form().hasFlag(rowflags::Typed) && inst.has(Field::Type))
    inst.set(Field::Type, state.halfResult.value_or(false) ? 0 : 1);
  if (state.halfResult && *state.halfResult != inst.hasHalfResult())
    return false;
  return !state.halfSources || *state.halfSources == inst.hasHalfSources();
}

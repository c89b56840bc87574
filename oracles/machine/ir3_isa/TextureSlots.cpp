// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots of category 5: coordinates, samplers, textures, and the ways to name a descriptor.
// Mesa 25.0, ir3-cat5.xml.
#include "oracles/machine/ir3_isa/Slots.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// Values of the field desc.
struct DescriptorMode {
  bool indirect, bindless, usesA1, uniform, nonuniform;
};
/// Indexed by the field desc. Columns as in DescriptorMode.
static constexpr DescriptorMode Modes[8] = {
    {true, false, false, true, false},  // Index in a register that all fibers share.
    {true, true, true, true, false},    // a1.x has the base of the sampler.
    {true, true, false, false, true},   //
    {true, true, true, false, true},    //
    {true, false, false, false, true},  //
    {true, true, false, true, false},   //
    {false, true, false, false, false}, // Sampler and texture are four bits each.
    {false, true, true, false, false},  // a1.x has the one, eight bits the other.
};

/// The mode of an instruction with s2en.
static const DescriptorMode &modeOf(const Inst &inst) {
  return Modes[inst.get(Field::Descriptor)];
}

// "(f32)".

static constexpr StringLiteral TextureTypeNames[] = {"f16", "f32", "u16", "u32",
                                                     "s16", "s32", "u8",  "u8_32"};

/// Prints "(type)" where the row names one.
static void printSampleType(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (inst.form().hasFlag(rowflags::Typed))
    os << '(' << TextureTypeNames[inst.get(piece.field)] << ')';
}

/// Takes "(type)" where the row names one; otherwise the type follows from the width of the result
/// (finishWidths()).
static bool parseSampleType(ParseState &state, const TextPiece &piece) {
  if (!state.inst.form().hasFlag(rowflags::Typed))
    return true;
  if (!state.cursor.take("("))
    return false;
  std::optional<unsigned> type = parseName(state.cursor, TextureTypeNames);
  return type && state.cursor.take(")") && state.inst.set(piece.field, *type);
}

// ", r0.x": the first source, and a second one where the instruction has it or .o asks for it.

/// Whether the row has a first source; getinfo and rgetinfo have none.
static bool hasFirst(const Inst &inst) {
  return inst.form().hasFlag(rowflags::OneSource | rowflags::TwoSources);
}
/// Whether the second source is a register: it is an immediate offset or absent otherwise.
static bool hasSecond(const Inst &inst) {
  return inst.form().hasFlag(rowflags::TwoSources) || inst.get(Field::HasOffset);
}

/// Prints ", r0.x" or ", hr0.x" of field \p field.
static void printCoordinateRegister(raw_ostream &os, const Inst &inst, Field field) {
  os << (inst.hasHalfSources() ? ", h" : ", ");
  printRegister(os, inst.get(field));
}

/// The reverse. Fails where another source had the other width.
static bool parseCoordinateRegister(ParseState &state, Field field) {
  if (!state.cursor.take(","))
    return false;
  bool half = state.cursor.take("h");
  bool isFine = !state.halfSources || *state.halfSources == half;
  state.halfSources = half;
  std::optional<unsigned> number = parseRegister(state.cursor);
  return isFine && number && state.inst.set(field, *number);
}

static void printCoordinate(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (hasFirst(inst))
    printCoordinateRegister(os, inst, piece.field);
}
static bool parseCoordinate(ParseState &state, const TextPiece &piece) {
  return !hasFirst(state.inst) || parseCoordinateRegister(state, piece.field);
}

/// Prints the second register, or a nonzero immediate offset of a load as "+N".
static void printExtra(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (hasSecond(inst))
    printCoordinateRegister(os, inst, piece.field);
  else if (inst.get(Field::ImmediateOffset) && inst.get(piece.field))
    os << '+' << inst.get(piece.field);
}
/// Takes the second register, or an optional immediate offset below 256.
static bool parseExtra(ParseState &state, const TextPiece &piece) {
  if (hasSecond(state.inst))
    return parseCoordinateRegister(state, piece.field);
  if (!state.inst.has(Field::ImmediateOffset) || !state.cursor.take("+"))
    return true;
  std::optional<uint64_t> offset = state.cursor.takeNumber();
  return offset && *offset < 256 && state.inst.set(Field::ImmediateOffset, 1) &&
         state.inst.set(piece.field, uint32_t(*offset));
}

// ", s#1" and ", t#2".

/// Prints ", s#N" or ", t#N".
static void printNumbered(raw_ostream &os, StringRef letters, uint32_t number) {
  os << ", " << letters << number;
}

/// Takes ", s#N" or ", t#N" with N below \p limit. On failure the cursor may have moved.
static std::optional<uint32_t> parseNumbered(Cursor &cursor, StringRef letters, unsigned limit) {
  if (!cursor.take(",") || !cursor.take(letters))
    return std::nullopt;
  std::optional<uint64_t> number = cursor.takeNumber();
  return number && *number < limit ? std::optional(uint32_t(*number)) : std::nullopt;
}

static void printSampler(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (inst.form().hasFlag(rowflags::Sampler))
    printNumbered(os, "s#", inst.get(piece.field));
}
/// Takes ", s#N", N < 16, where the row names a sampler.
static bool parseSampler(ParseState &state, const TextPiece &piece) {
  if (!state.inst.form().hasFlag(rowflags::Sampler))
    return true;
  std::optional<uint32_t> number = parseNumbered(state.cursor, "s#", 16);
  return number && state.inst.set(piece.field, *number);
}
static void printTexture(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  if (inst.form().hasFlag(rowflags::Texture))
    printNumbered(os, "t#", inst.get(piece.field));
}
/// Takes ", t#N", N < 128, where the row names a texture.
static bool parseTexture(ParseState &state, const TextPiece &piece) {
  if (!state.inst.form().hasFlag(rowflags::Texture))
    return true;
  std::optional<uint32_t> number = parseNumbered(state.cursor, "t#", 128);
  return number && state.inst.set(piece.field, *number);
}

// ".s2en.uniform.base1" after the name.

/// Prints the descriptor mode as suffixes of the name.
static void printAccess(raw_ostream &os, const Inst &inst, const TextPiece &) {
  const DescriptorMode &mode = modeOf(inst);
  os << (mode.indirect ? ".s2en" : "") << (mode.uniform ? ".uniform" : "")
     << (mode.nonuniform ? ".nonuniform" : "");
  if (mode.bindless)
    os << ".base" << inst.get(Field::Base);
}

/// Collects the suffixes of the descriptor mode in \p state; parseDescriptor() makes the field of
/// them. Fails where there is neither .s2en nor a base.
static bool parseAccess(ParseState &state, const TextPiece &) {
  state.indirect = state.cursor.takeHere(".s2en");
  state.uniform = state.cursor.takeHere(".uniform");
  state.nonuniform = state.cursor.takeHere(".nonuniform");
  state.bindless = state.cursor.takeHere(".base");
  if (!state.bindless)
    return state.indirect;
  std::optional<uint64_t> base = state.cursor.takeNumber();
  return base && *base < 8 && state.inst.set(Field::Base, uint32_t(*base));
}

// What names the descriptor, and ", a1.x", at the end.

/// Where a1.x has one number, the eight bits are the sampler on a6xx and the texture on a7xx.
static bool eightBitsAreTexture(const Inst &inst) {
  return factsOf(inst.chip()).generation >= 700;
}

/// Prints the register with the descriptor's index, or numbers of sampler and texture, and ", a1.x"
/// where a1.x has a part.
static void printDescriptor(raw_ostream &os, const Inst &inst, const TextPiece &piece) {
  const DescriptorMode &mode = modeOf(inst);
  uint32_t bits = inst.get(piece.field);
  bool hasSampler = inst.form().hasFlag(rowflags::Sampler);
  bool hasTexture = inst.form().hasFlag(rowflags::Texture);
  if (mode.indirect) {
    os << (mode.bindless ? ", " : ", h");
    printRegister(os, bits);
  } else if (mode.usesA1 && factsOf(inst.chip()).generation >= 600) {
    if (eightBitsAreTexture(inst) ? hasTexture : hasSampler)
      printNumbered(os, eightBitsAreTexture(inst) ? "t#" : "s#", bits);
  } else {
    if (hasSampler)
      printNumbered(os, "s#", bits & 15);
    if (hasTexture)
      printNumbered(os, "t#", bits >> 4);
  }
  if (mode.usesA1)
    os << ", a1.x";
}

/// ", s#1, t#2", or one of the two and then ", a1.x".
static bool parseDirect(ParseState &state, uint32_t &bits, bool &usesA1) {
  bool hasSampler = state.inst.form().hasFlag(rowflags::Sampler);
  bool hasTexture = state.inst.form().hasFlag(rowflags::Texture);
  Cursor start = state.cursor;
  std::optional<uint32_t> sampler = hasSampler ? parseNumbered(state.cursor, "s#", 16) : 0;
  std::optional<uint32_t> texture =
      hasTexture && sampler ? parseNumbered(state.cursor, "t#", 16) : 0;
  if (sampler && texture) {
    bits = *sampler | *texture << 4;
    usesA1 = state.cursor.take(",");
    if (!usesA1)
      return true;
    if (factsOf(state.inst.chip()).generation < 600)
      return state.cursor.take("a1.x");
  }
  state.cursor = start;
  bool isTexture = eightBitsAreTexture(state.inst);
  bits = 0;
  if (isTexture ? hasTexture : hasSampler) {
    std::optional<uint32_t> number = parseNumbered(state.cursor, isTexture ? "t#" : "s#", 256);
    bits = number.value_or(0);
    if (!number)
      return false;
  }
  usesA1 = true;
  return state.cursor.take(",") && state.cursor.take("a1.x");
}

/// Takes the descriptor's operands, then looks up the mode that they and the suffixes describe.
/// Fails when no mode fits.
static bool parseDescriptor(ParseState &state, const TextPiece &piece) {
  uint32_t bits = 0;
  bool usesA1 = false;
  if (state.indirect) {
    if (!state.cursor.take(",") || state.cursor.take("h") == state.bindless)
      return false;
    std::optional<unsigned> number = parseRegister(state.cursor);
    if (!number)
      return false;
    bits = *number;
    usesA1 = state.cursor.take(",");
    if (usesA1 && !state.cursor.take("a1.x"))
      return false;
  } else if (!parseDirect(state, bits, usesA1)) {
    return false;
  }
  for (uint32_t i = 0; i < std::size(Modes); ++i) {
    const DescriptorMode &mode = Modes[i];
    if (mode.indirect == state.indirect && mode.bindless == state.bindless &&
        mode.usesA1 == usesA1 && mode.uniform == state.uniform &&
        mode.nonuniform == state.nonuniform)
      return state.inst.set(Field::Descriptor, i) && state.inst.set(piece.field, bits);
  }
  return false;
}

static constexpr SlotKind TextureSlots[] = {
    {"sampletype", printSampleType, parseSampleType},
    {"coordinate", printCoordinate, parseCoordinate},
    {"extra", printExtra, parseExtra},
    {"sampler", printSampler, parseSampler},
    {"texture", printTexture, parseTexture},
    {"access", printAccess, parseAccess},
    {"descriptor", printDescriptor, parseDescriptor},
};

ArrayRef<SlotKind> adreno::textureSlots() {
  return TextureSlots;
}

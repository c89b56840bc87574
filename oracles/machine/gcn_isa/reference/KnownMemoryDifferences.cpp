// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known differences from LLVM's decoder in memory, image and export formats, each explained under
// its heading in docs/errata-amdgpu.md.
#include "oracles/machine/gcn_isa/ImageAddress.h"
#include "oracles/machine/gcn_isa/reference/InstCompare.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// LLVM's.
static StringRef textOf(const Difference &difference) {
  return difference.reference.text;
}

/// The project's decoder refuses the words.
static bool isLlvmAlone(const Difference &difference) {
  return !difference.own.valid;
}

/// LLVM's text is an image instruction.
static bool isImage(const Difference &difference) {
  return textOf(difference).starts_with("image_");
}

/// \p text without vector registers, brackets and the commas between them.
static std::string withoutVectors(StringRef text) {
  std::string result;
  for (StringRef part : split(text, ' ')) {
    StringRef bare = part.trim("[],");
    bool isVector = bare.starts_with("v[") || (bare.consume_front("v") && all_of(bare, isDigit));
    if (!isVector || bare.empty())
      result += (part + " ").str();
  }
  return result;
}

/// Both decoders agree on everything except vector registers.
static bool differInVectorsAlone(const Difference &difference) {
  return difference.own.valid &&
         withoutVectors(difference.own.text) == withoutVectors(difference.reference.text);
}

/// The same words with \p width bits from \p lsb on replaced.
static Inst decodeWith(const Difference &difference,
                       ArrayRef<std::array<unsigned, 3>> replacements) {
  Words words;
  std::copy(std::begin(difference.own.words), std::end(difference.own.words), words.dwords.begin());
  for (auto [lsb, width, value] : replacements)
    words.set(lsb, width, value);
  uint8_t bytes[MaxWords * 4];
  for (unsigned i = 0; i < MaxWords; ++i)
    support::endian::write32le(bytes + 4 * i, words.dwords[i]);
  TableDecoder decoder(difference.chip, contains(chips::Gfx9, difference.chip) ? 64 : 32);
  return decoder.decode(bytes, 0);
}

/// An image whose registers, counted as they are, do not fit: with lower numbers it would decode.
static bool isImageBeyondEnd(const Difference &difference) {
  if (!isLlvmAlone(difference) || !isImage(difference))
    return false;
  if (!contains(chips::Gfx12, difference.chip))
    return decodeWith(difference, {{32, 16, 0}, {64, 32, 0}, {96, 32, 0}, {128, 32, 0}}).valid;
  return decodeWith(difference, {{32, 8, 0}, {64, 24, 0}}).valid ||
         decodeWith(difference, {{32, 8, 0}, {64, 32, 0}}).valid;
}

/// "s[96:103]" on GFX9.
static bool crossesLastScalar(const Difference &difference) {
  static const Regex Crossing("s\\[(8[0-9]|9[0-9]|10[01]):10[2-5]\\]");
  return difference.chip == Chip::Gfx900 && isLlvmAlone(difference) &&
         Crossing.match(textOf(difference));
}

/// LLVM decodes an accumulation register ("a66"), which gfx900 lacks.
static bool hasAccumulator(const Difference &difference) {
  static const Regex Accumulator("[ ,]a(\\[[0-9]+:|[0-9]+)");
  return difference.chip == Chip::Gfx900 && isLlvmAlone(difference) &&
         Accumulator.match(textOf(difference));
}

/// Takes " offset:N" off the text; \p offset is 0 without one.
static std::string withoutOffset(StringRef text, uint64_t &offset) {
  auto [front, rest] = text.split(" offset:");
  offset = 0;
  StringRef digits = rest.take_while(isDigit);
  if (digits.getAsInteger(10, offset))
    return text.str();
  return (front + rest.drop_front(digits.size())).str();
}

/// The texts differ in the offset alone, and the project's is LLVM's without the top bit (up to
/// GFX11).
static bool ignoresTopOfOffset(const Difference &difference) {
  if (!difference.own.valid || !textOf(difference).starts_with("flat_") ||
      contains(chips::Gfx12, difference.chip))
    return false;
  uint64_t offset;
  uint64_t ownOffset;
  std::string own = withoutOffset(difference.own.text, ownOffset);
  uint64_t limit = contains(chips::Gfx10, difference.chip) ? 1 << 11 : 1 << 12;
  return own == withoutOffset(textOf(difference), offset) && ownOffset == offset % limit;
}

/// The scalar offset of a buffer has the code of a literal, which these formats lack.
static bool hasLiteralOffset(const Difference &difference) {
  StringRef text = textOf(difference);
  bool isBuffer = text.starts_with("buffer_") || text.starts_with("tbuffer_");
  constexpr unsigned LiteralCode = 255;
  return isLlvmAlone(difference) && isBuffer && difference.own.words[1] >> 24 == LiteralCode;
}

/// image_get_lod of an array: LLVM's text has the layer's register, the project's has not.
static bool needsNoLayer(const Difference &difference) {
  return textOf(difference).starts_with("image_get_lod ") &&
         textOf(difference).contains("_ARRAY") && differInVectorsAlone(difference);
}

/// ds_add_gs_reg_rtn of a 32-bit register, for which LLVM prints a pair.
static bool hasOneStreamoutDword(const Difference &difference) {
  return textOf(difference).contains("_gs_reg_rtn ") && differInVectorsAlone(difference) &&
         difference.own.operands[0].dwords == 1;
}

/// More dwords of data than LLVM's variants have; its text then has the default of both widths.
static bool hasNoVariant(const Difference &difference) {
  const Inst &own = difference.own;
  if (!own.valid || !isImage(difference) || !differInVectorsAlone(difference))
    return false;
  if (own.mods.tfe)
    return true;
  int components = popcount(unsigned(own.mods.dmask));
  bool isSwap = StringRef(own.mnemonic).ends_with("cmpswap");
  return imageKind(own.form->row->flags) == ImageKind::Atomic &&
         (components > 2 || (isSwap && components < 2));
}

/// With the number of further dwords that the address needs, it would decode.
static bool hasOtherNsaDwords(const Difference &difference) {
  if (!isLlvmAlone(difference) || !isImage(difference))
    return false;
  bool isGfx10 = contains(chips::Gfx10, difference.chip);
  if (!isGfx10 && !contains(chips::Gfx11, difference.chip))
    return false;
  unsigned lsb = isGfx10 ? 1 : 0;
  unsigned width = isGfx10 ? 2 : 1;
  // Low registers, lest a tuple leaves the register file.
  return (difference.own.words[0] >> lsb & ((1u << width) - 1)) != 0 &&
         decodeWith(difference, {{lsb, width, 0}, {32, 16, 0}}).valid;
}

/// LLVM decodes a multisampled dimension in an instruction with a sampler or a mip level.
static bool isMultisampledOtherwise(const Difference &difference) {
  StringRef text = textOf(difference);
  bool needsSingle = text.starts_with("image_sample") || text.starts_with("image_gather") ||
                     text.starts_with("image_get_lod") || text.contains("_mip");
  return isLlvmAlone(difference) && needsSingle && text.contains("_MSAA");
}

/// The texts agree, but LLVM's name of a reserved hint does not say that the atomic returns the old
/// value.
static bool hasReservedReturn(const Difference &difference) {
  constexpr unsigned ReturnBit = 1;
  constexpr unsigned ReservedBit = 4;
  const Modifiers &mods = difference.own.mods;
  return contains(chips::Gfx12, difference.chip) && difference.own.valid &&
         difference.own.text == difference.reference.text && mods.th & ReturnBit &&
         mods.th & ReservedBit && textOf(difference).contains("TH_ATOMIC_");
}

/// The text is the same, and does not say the whole pattern.
static bool isSwizzle(const Difference &difference) {
  return difference.own.valid && difference.own.mnemonic == "ds_swizzle_b32" &&
         difference.own.text == difference.reference.text;
}

/// LLVM decodes saddr code 0x7f on gfx1010, where only later chips have it.
static bool isScratchWithoutRegisters(const Difference &difference) {
  constexpr unsigned Neither = 0x7f;
  return difference.chip == Chip::Gfx1010 && isLlvmAlone(difference) &&
         textOf(difference).starts_with("scratch_load_") && textOf(difference).contains(" lds") &&
         (difference.own.words[1] >> 16 & 127) == Neither;
}

/// A load of three dwords into ttmp registers, which LLVM decodes as eight or refuses; all else is
/// the same.
static bool loadsTrapRegisters(const Difference &difference) {
  static const Regex Destination(" ttmp\\[[0-9]+:[0-9]+\\]"
                                 "(/\\*Invalid register, operand has 'SReg_96' register "
                                 "class\\*/)?,");
  const Inst &own = difference.own;
  bool agrees = Destination.sub("", own.text) == Destination.sub("", textOf(difference));
  return own.valid && StringRef(own.mnemonic).ends_with("load_b96") &&
         own.operands[0].index >= sreg::Ttmp0 && own.operands[0].index < sreg::M0 &&
         (agrees || difference.isOwnAlone());
}

/// Columns: anchor of the heading in docs/errata-amdgpu.md, predicate. Two rows may share a
/// heading.
ArrayRef<KnownDifference> gcn::knownMemoryDifferences() {
  static constexpr KnownDifference Rows[] = {
      {"tuples-that-leave-the-register-file", isImageBeyondEnd},
      {"tuples-that-leave-the-register-file", crossesLastScalar},
      {"accumulation-registers-on-gfx9", hasAccumulator},
      {"flat-ignores-the-top-bit-of-its-offset", ignoresTopOfOffset},
      {"literals-as-buffer-offsets", hasLiteralOffset},
      {"image_get_lod-does-not-read-the-layer", needsNoLayer},
      {"ds_add_gs_reg_rtn-has-two-widths", hasOneStreamoutDword},
      {"widths-of-image-data-and-addresses-without-a-variant-in-llvm", hasNoVariant},
      {"image-addresses-in-dwords-of-their-own-nsa", hasOtherNsaDwords},
      {"multisampled-images-with-a-sampler-or-a-level", isMultisampledOtherwise},
      {"temporal-hints-of-atomics-on-gfx12", hasReservedReturn},
      {"patterns-of-ds_swizzle", isSwizzle},
      {"scratch-loads-into-lds-without-registers-on-gfx101", isScratchWithoutRegisters},
      {"s_load_b96-into-trap-registers", loadsTrapRegisters},
  };
  return Rows;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where LLVM's decoder says something else than the project's, and which is right: one row a fact,
// explained under its heading in docs/errata-amdgpu.md.
#include "oracles/machine/gcn_isa/reference/InstCompare.h"

#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// LLVM's text has the word.
static bool mentions(const Difference &difference, StringRef word) {
  return StringRef(difference.reference.text).contains(word);
}

/// LLVM's text matches the expression.
static bool matches(const Difference &difference, const Regex &regex) {
  return regex.match(difference.reference.text);
}

/// The project's decoder refuses the words.
static bool isLlvmAlone(const Difference &difference) {
  return !difference.own.valid;
}

/// LLVM accepts source codes 230 and 231, which are invalid on every chip of the project.
static bool hasScratchBase(const Difference &difference) {
  return isLlvmAlone(difference) && mentions(difference, "src_flat_scratch_base_");
}

/// "v[255:256]".
static bool hasRegisterBeyondEnd(const Difference &difference) {
  static const Regex Beyond("v\\[[0-9]+:(25[6-9]|2[6-9][0-9])\\]");
  return isLlvmAlone(difference) && matches(difference, Beyond);
}

/// "v_cmp_eq_f32_e64 src_private_limit, v0, v1".
static bool writesSource(const Difference &difference) {
  static const Regex Written("^v_[a-z0-9_]+ (v[0-9:\\[]+\\]?, )?(src_[a-z_]+|-?[0-9.]+), ");
  return isLlvmAlone(difference) && matches(difference, Written);
}

/// dst_unused is in bits 12:11 of the second dword.
static bool hasUnusedThree(const Difference &difference) {
  return isLlvmAlone(difference) && mentions(difference, "_sdwa ") &&
         (difference.own.words[1] >> 11 & 3) == 3;
}

/// Operations whose source must be a vector register.
static bool takesVectorAlone(const Difference &difference) {
  static constexpr StringLiteral Names[] = {
      "v_movrel",   "v_swap",    "v_permlane", "v_interp_p", "v_readfirstlane",
      "v_readlane", "v_fma_mix", "v_wmma",     "v_swmmac",   "v_dot4_f32"};
  return isLlvmAlone(difference) &&
         (mentions(difference, "src_") || mentions(difference, "null")) &&
         any_of(Names, [&](StringRef name) { return mentions(difference, name); });
}

/// LLVM decodes code 125 as null, which GFX9 reserves.
static bool hasNullOnGfx9(const Difference &difference) {
  return difference.chip == Chip::Gfx900 && isLlvmAlone(difference) && mentions(difference, "null");
}

/// "v_cndmask_b32_e64 v0, v1, v2, v3".
static bool readsMaskFromVector(const Difference &difference) {
  static const Regex Mask(
      "^v_(cndmask|addc|subb|subbrev|add_co_ci|sub_co_ci|subrev_co_ci)_[a-z0-9_]+.*, "
      "(v(\\[[0-9:]+\\]|[0-9]+)|src_[a-z_]+|-?[0-9.]+|0x[0-9a-f]+|lit\\(.*\\))( |$)");
  return isLlvmAlone(difference) && matches(difference, Mask);
}

/// The second source of a v_fmac is printed as its code, 255, and its literal is not read.
static bool hasLiteralBesideDpp(const Difference &difference) {
  return isLlvmAlone(difference) && mentions(difference, "_e64_dpp ") &&
         (difference.reference.size == 16 ||
          (mentions(difference, "v_fmac_") && mentions(difference, ", 0xff ")));
}

/// LLVM prints a constant source of a v_fmac as its code. Any hexadecimal number in the text is
/// taken for one.
static bool printsConstantOfTiedDpp(const Difference &difference) {
  return difference.own.valid && StringRef(difference.own.mnemonic).starts_with("v_fmac_") &&
         mentions(difference, "_e64_dpp ") && mentions(difference, "0x");
}

/// \p text without what only registers with halves have: ".l", ".h" and op_sel.
static std::string withoutHalves(StringRef text) {
  static const Regex OpSel(" op_sel:\\[[01,]*\\]");
  std::string result = OpSel.sub("", text);
  for (StringRef half : {".l", ".h"})
    for (size_t at = result.find(half); at != std::string::npos; at = result.find(half, at))
      result.erase(at, half.size());
  return result;
}

/// LLVM's text is the project's without halves and op_sel, and reserved bits are set (GFX11).
static bool fallsBackToWholeRegisters(const Difference &difference) {
  return contains(chips::Gfx11, difference.chip) && difference.own.valid &&
         difference.hasReservedBits &&
         withoutHalves(difference.own.text) == difference.reference.text;
}

/// On gfx1201 LLVM refuses halves of registers, or warns, or drops them from an otherwise equal
/// text.
static bool hasNoHalvesOnGfx12(const Difference &difference) {
  if (difference.chip != Chip::Gfx1201 || !difference.own.valid)
    return false;
  StringRef name = difference.own.mnemonic;
  bool hasHalf =
      StringRef(difference.own.text).contains(".h") || name == "v_mov_b16" || name == "v_swap_b16";
  if (difference.isOwnAlone() || mentions(difference, "_Lo128'"))
    return hasHalf;
  return withoutHalves(difference.own.text) == difference.reference.text;
}

/// LLVM's text of v_cndmask_b16 is the project's without op_sel.
static bool omitsOpSelOfCndmask(const Difference &difference) {
  static const Regex OpSel(" op_sel:\\[[01,]*\\]");
  return mentions(difference, "v_cndmask_b16") && difference.own.valid &&
         OpSel.sub("", difference.own.text) == difference.reference.text;
}

/// LLVM decodes src_lds_direct in a scalar instruction, or, on GFX9, warns about it in
/// v_writelane_b32.
static bool hasLdsDirectAsScalar(const Difference &difference) {
  if (!mentions(difference, "src_lds_direct"))
    return false;
  if (isLlvmAlone(difference))
    return StringRef(difference.reference.text).starts_with("s_");
  return difference.chip == Chip::Gfx900 && mentions(difference, "v_writelane_b32") &&
         mentions(difference, "'SReg_32' register class");
}

/// Both texts are the same without what \p expression finds first in each.
static bool agreeWithout(const Difference &difference, const Regex &expression) {
  return expression.sub("", difference.own.text) == expression.sub("", difference.reference.text);
}

/// LLVM's warning says that its register class lacks M0 or EXEC; all else is the same.
static bool writesSpecialScalar(const Difference &difference) {
  static const Regex Warning("/\\*Invalid register, operand has 'SReg_32_X(M0|EXEC)' register "
                             "class\\*/");
  return difference.own.valid && matches(difference, Warning) && agreeWithout(difference, Warning);
}

/// Operations with quad_perm whose dpp_ctrl LLVM prints wrong; all else is the same.
static bool losesBitOfDppControl(const Difference &difference) {
  StringRef name = difference.own.mnemonic;
  static constexpr StringLiteral Names[] = {"v_fma_mixlo_f16", "v_fma_mixhi_f16",
                                            "v_cvt_pk_fp8_f32", "v_cvt_pk_bf8_f32"};
  static const Regex Control(" (quad_perm:\\[[0-3,]+\\]|/\\* Invalid dpp_ctrl value \\*/)");
  return is_contained(Names, name) && mentions(difference, "_e64_dpp ") &&
         difference.own.mods.dpp == DppControl::QuadPerm && agreeWithout(difference, Control);
}

/// "|v1, vcc|".
static bool printsVccInBars(const Difference &difference) {
  return difference.own.valid && mentions(difference, "v_cndmask_b32_dpp ") &&
         (mentions(difference, ", vcc|") || mentions(difference, ", vcc_lo|"));
}

/// Digits of a double, or of a literal the low half alone; all else is the same.
static bool printsMatrixConstant(const Difference &difference) {
  static const Regex Constant("(0\\.15915494[0-9]*|lit\\(0x[0-9a-f]+\\)|0x[0-9a-f]+)");
  return difference.own.valid && mentions(difference, "v_wmma_") &&
         Constant.sub("", difference.own.text) == Constant.sub("", difference.reference.text);
}

/// VINTERP with reserved bits, among them the ninth bit of a source, which only LLVM reads.
static bool readsScalarInVinterp(const Difference &difference) {
  return difference.own.valid && difference.hasReservedBits &&
         difference.own.form->layout->format == Format::Vinterp;
}

/// LLVM decodes GFX9's encoding on chips that have another.
static bool isMixOfGfx9(const Difference &difference) {
  return difference.chip != Chip::Gfx900 && difference.own.words[0] >> 23 == 0x1a7 &&
         mentions(difference, "v_fma_mix");
}

/// "s[100:107]".
static bool endsInVcc(const Difference &difference) {
  static const Regex Tuple("s\\[[0-9]+:10[67]\\]");
  return contains(chips::Gfx10Plus, difference.chip) && difference.isOwnAlone() &&
         Tuple.match(difference.own.text);
}

/// LLVM has no comparisons with DPP on chips older than GFX11.
static bool comparesWithDpp(const Difference &difference) {
  if (!difference.isOwnAlone() || contains(chips::Gfx11Plus, difference.chip))
    return false;
  Format format = difference.own.form->layout->format;
  return format == Format::VopcDpp16 || format == Format::VopcDpp8;
}

/// What it reads is another v_nop, of four bytes.
static bool cutsNop(const Difference &difference) {
  return difference.own.valid && difference.hasReservedBits && difference.own.size == 8 &&
         difference.reference.size == 4 && difference.own.mnemonic == "v_nop" &&
         difference.reference.text == "v_nop";
}

/// Columns: anchor of the heading in docs/errata-amdgpu.md, predicate.
ArrayRef<KnownDifference> gcn::knownDifferences() {
  static constexpr KnownDifference Rows[] = {
      {"scalar-source-codes-that-later-chips-have", hasScratchBase},
      {"tuples-that-leave-the-register-file", hasRegisterBeyondEnd},
      {"scalar-results-beyond-exec", writesSource},
      {"sdwa-dst_unused-3", hasUnusedThree},
      {"vector-sources-with-scalar-codes", takesVectorAlone},
      {"code-125-on-gfx9", hasNullOnGfx9},
      {"lane-masks-in-vector-registers", readsMaskFromVector},
      {"literals-next-to-dpp", hasLiteralBesideDpp},
      {"constants-of-v_fmac-with-dpp", printsConstantOfTiedDpp},
      {"reserved-bits-of-op_sel", fallsBackToWholeRegisters},
      {"halves-of-registers-on-gfx12", hasNoHalvesOnGfx12},
      {"op_sel-of-v_cndmask_b16", omitsOpSelOfCndmask},
      {"lds-direct-as-a-scalar-source", hasLdsDirectAsScalar},
      {"m0-and-exec-as-scalar-results", writesSpecialScalar},
      {"dpp-controls-of-tied-operations", losesBitOfDppControl},
      {"vcc-of-v_cndmask-with-dpp", printsVccInBars},
      {"constants-of-matrices", printsMatrixConstant},
      {"scalar-sources-of-vinterp", readsScalarInVinterp},
      {"v_fma_mix-of-gfx9-on-later-chips", isMixOfGfx9},
      {"scalar-tuples-that-end-in-vcc", endsInVcc},
      {"comparisons-with-dpp-before-gfx11", comparesWithDpp},
      {"v_nop-with-dpp-or-sdwa", cutsNop},
  };
  return Rows;
}

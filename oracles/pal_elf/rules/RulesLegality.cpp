// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules on single instructions that decode, and yet are none that the hardware takes as meant:
// scalar operands that the vector ALU can't fetch at once (MC-15), masks of image instructions
// (MC-20).
#include "oracles/machine/gcn_isa/IgnoredBits.h"
#include "oracles/machine/gcn_isa/ImageAddress.h"
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// What an instruction of the vector ALU takes over the constant bus.
struct BusUse {
  SmallVector<RegisterSpan, 4> scalars; ///< Each once, by sreg.
  bool literal = false;

  /// Counts a register once, however often it is read; inline constants do not count.
  void add(const Operand &operand);
  unsigned count() const { return static_cast<unsigned>(scalars.size()) + literal; }
};
} // namespace

/// Counts a scalar register once, however often it is read. The null register needs no bus.
void BusUse::add(const Operand &operand) {
  literal |= operand.type == OperandType::Literal;
  bool isScalar = operand.type == OperandType::Sgpr && operand.index != sreg::Null;
  RegisterSpan span = {false, operand.index, std::max<uint16_t>(operand.dwords, 1)};
  if (isScalar && none_of(scalars, [&](const RegisterSpan &known) { return known.overlaps(span); }))
    scalars.push_back(span);
}

/// Scalars that one instruction may take: one on GFX9, two later (RDNA ISA, "Scalar inputs"; LLVM,
/// GCNSubtarget::getConstantBusLimit has the shifts).
static unsigned busLimit(const Inst &inst, unsigned gfxMajor) {
  static constexpr StringLiteral narrow[] = {"v_lshlrev_b64", "v_lshrrev_b64", "v_ashrrev_i64"};
  return gfxMajor < 10 || is_contained(narrow, StringRef(inst.mnemonic)) ? 1 : 2;
}

/// MC-15. Reports instructions of the vector ALU with more scalar registers and literals than the
/// bus provides. All literals of an instruction count as one. v_div_fmas reads VCC as well.
static void checkConstantBus(const FunctionCode &function, uint32_t index, const Inst &inst,
                             unsigned gfxMajor, RuleReporter &out) {
  // v_writelane may have two on any chip (LLVM, SIInstrInfo::verifyInstruction); v_interp has none.
  StringRef name = inst.mnemonic;
  if (!isValu(inst) || name.starts_with("v_writelane") || name.starts_with("v_interp"))
    return;
  BusUse use;
  forEachSource(inst, [&](const Operand &operand) { use.add(operand); });
  if (name.starts_with("v_div_fmas")) {
    Operand vcc;
    vcc.type = OperandType::Sgpr;
    vcc.index = sreg::VccLo;
    vcc.dwords = 2;
    use.add(vcc);
  }
  unsigned limit = busLimit(inst, gfxMajor);
  if (use.count() > limit)
    out.report(codeLocation(function, index), "bus",
               "it takes " + Twine(use.count()) + " scalars and literals, the chip can fetch " +
                   Twine(limit));
}

/// The two halves of a pair read and write different banks of registers (RDNA3 ISA, "Dual issue";
/// LLVM, VOPD::InstInfo::getInvalidCompOperandIndex).
static void checkBanks(const FunctionCode &function, uint32_t index, const Inst &inst,
                       unsigned gfxMajor, RuleReporter &out) {
  if (inst.dual.size() != 1)
    return;
  const Inst &second = inst.dual[0];
  // GFX12 fetches the source of a second v_mov elsewhere.
  bool movesTwice = gfxMajor >= 12 && StringRef(inst.mnemonic).starts_with("v_dual_mov_") &&
                    StringRef(second.mnemonic).starts_with("v_dual_mov_");
  size_t operands =
      std::min<size_t>(movesTwice ? 1 : 3, std::min(inst.operands.size(), second.operands.size()));
  for (size_t i = 0; i < operands; ++i) {
    const Operand &x = inst.operands[i];
    const Operand &y = second.operands[i];
    unsigned banks = i == 0 ? 2 : 4;
    if (x.type == OperandType::Vgpr && y.type == OperandType::Vgpr &&
        x.index % banks == y.index % banks)
      out.report(codeLocation(function, index), "bank",
                 "v" + Twine(x.index) + " and v" + Twine(y.index) + " are " +
                     (i == 0 ? "both even or both odd" : "in one of the four banks"));
  }
}

/// MC-15. Reports, as an info, the first dword of \p inst with bits that the hardware ignores.
static void checkReservedBits(const FunctionCode &function, uint32_t index, const Inst &inst,
                              Chip chip, RuleReporter &out) {
  Words ignored = findIgnoredBits(inst, chip, function.waveSize);
  for (size_t i = 0; i < MaxWords; ++i)
    if (ignored.dwords[i])
      return out.report(RuleLevel::Info, codeLocation(function, index), "reserved",
                        "of its dword " + Twine(i) + " the bits 0x" +
                            Twine::utohexstr(ignored.dwords[i]) + " are set, which mean nothing");
}

/// MC-15. Reserved bits are only checked for chips with instruction tables.
static void checkLegality(const ElfModel &model, RuleReporter &out) {
  unsigned major = getGfxMajor(model);
  forEachReachedInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    checkConstantBus(function, index, inst, major, out);
    checkBanks(function, index, inst, major, out);
    if (std::optional<Chip> chip = findChip(model.code->tables))
      checkReservedBits(function, index, inst, *chip, out);
  });
}

/// Returns true for decoded image instructions.
static bool isImage(const Inst &inst) {
  return StringRef(inst.mnemonic).starts_with("image_") && inst.form;
}

/// MC-20. Compares the number of components in DMASK with the kind of the instruction.
static void checkImageMask(const FunctionCode &function, uint32_t index, const Inst &inst,
                           RuleReporter &out) {
  ImageKind kind = imageKind(inst.form->row->flags);
  unsigned components = static_cast<unsigned>(llvm::popcount(inst.mods.dmask));
  std::string text = "dmask is 0x" + utohexstr(inst.mods.dmask);
  if ((kind == ImageKind::Gather || kind == ImageKind::LoadMsaa) && components != 1)
    out.report(codeLocation(function, index), "gather",
               text + ", but it takes one component of four texels or samples");
  bool isContiguous = inst.mods.dmask == 1 || inst.mods.dmask == 3 || inst.mods.dmask == 15;
  if (kind == ImageKind::Atomic && !isContiguous)
    out.report(codeLocation(function, index), "atomic",
               text + ", expected 1, 3 or 15: it says how wide the value is");
  bool needsOne = kind == ImageKind::Load || kind == ImageKind::Store || kind == ImageKind::Sample;
  if (needsOne && components == 0)
    out.report(RuleLevel::Warning, codeLocation(function, index), "empty",
               "no component is in its dmask; the hardware takes it for the first");
}

/// The register after the data, which says whether all texels were there. Where they were, the
/// hardware leaves it as it is.
static RegisterSpan statusRegister(const Inst &inst) {
  bool hasStatus = inst.mods.tfe || inst.mods.lwe;
  if (!hasStatus || inst.operands.empty() || countResults(inst) == 0)
    return {};
  RegisterSpan data = registersOf(inst.operands[0]);
  return {data.vector, static_cast<uint16_t>(data.first + data.count - 1), 1};
}

/// MC-20. The status registers are followed along all paths only if some instruction has one.
static void checkImages(const ElfModel &model, RuleReporter &out) {
  bool anyStatus = false;
  forEachReachedInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    anyStatus |= statusRegister(inst).count != 0;
    if (isImage(inst))
      checkImageMask(function, index, inst, out);
  });
  if (!anyStatus)
    return;
  for (const auto &function : model.code->functions)
    walkFlow(*function, RegisterBits(), addResults,
             [&](const RegisterBits &set, uint32_t index, const Inst &inst) {
               RegisterSpan status = statusRegister(inst);
               if (status.count && !set.hasAny(status))
                 out.report(RuleLevel::Warning, codeLocation(*function, index), "status",
                            "nothing has set " + nameOf(status) +
                                ", which it writes only where texels are missing");
             });
}

static constexpr RuleInfo legalityRules[] = {
    {"MC-15",
     RuleLevel::Error,
     "The hardware can fetch the operands",
     {EnforcerKind::Hardware,
      "AMD ISA manuals, VALU operands, dual issue (LLVM SIInstrInfo::verifyInstruction)"},
     "An instruction of the vector ALU takes one scalar register or literal on GFX9, two later, "
     "and one in 64-bit shifts; the halves of a VOPD pair are in different banks of registers. "
     "Bits that mean nothing and are not 0 are told as an info.",
     checkLegality,
     RuleScope::Code},
    {"MC-20",
     RuleLevel::Error,
     "Image instructions have a mask that goes with them",
     {EnforcerKind::Hardware, "AMD ISA manuals, MIMG: DMASK (LLVM "
                              "AMDGPUAsmParser::validateMIMGGatherDMask, validateMIMGAtomicDMask)"},
     "Gathers and loads of samples take one component, atomics 1, 2 or 4 dwords from the first on. "
     "Warnings: loads, stores and samples of nothing; a register for missing texels (tfe, lwe) "
     "that no way to the instruction has set, though the hardware writes it only when texels are "
     "missing. Widths of results follow from the mask, so that no second number could differ.",
     checkImages,
     RuleScope::Code},
};

ArrayRef<RuleInfo> assay::getLegalityRules() {
  return legalityRules;
}

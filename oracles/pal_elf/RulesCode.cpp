// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules MC- on the machine code itself: it decodes, control stays inside and ends, registers
// and memory are those that the metadata declare.
#include "oracles/pal_elf/ElfCode.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

using FunctionCheck = function_ref<void(const FunctionCode &function)>;

static void forEachFunction(const ElfModel &model, FunctionCheck check) {
  if (model.code)
    for (const auto &function : model.code->functions)
      check(*function);
}

/// Calls \p check for each instruction that control reaches.
static void forEachInst(const ElfModel &model,
                        function_ref<void(const FunctionCode &, uint32_t, const Inst &)> check) {
  forEachFunction(model, [&](const FunctionCode &function) {
    for (uint32_t i = 0; i < function.insts.size(); ++i)
      if (function.isReached(i))
        check(function, i, function.insts[i]);
  });
}

static void checkDecodes(const ElfModel &model, RuleReporter &out) {
  if (model.code && !model.code->undecoded.empty())
    out.report(RuleLevel::Info, "e_flags", "chip",
               "the code is not looked at: there are no instruction tables for " +
                   model.code->undecoded);
  forEachInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    if (!inst.valid && function.otherChip.empty()) // Else it is MC-24's.
      out.report(codeLocation(function, index), "illegal",
                 "0x" + Twine::utohexstr(inst.words[0]) + " is no instruction of " +
                     model.machine->name + ", and control reaches it");
  });
}

static void checkEnds(const ElfModel &model, RuleReporter &out) {
  forEachFunction(model, [&](const FunctionCode &function) {
    // Where it goes behind an illegal instruction (MC-01) or a wild branch (MC-03) nobody knows.
    static constexpr BlockEnd enough[] = {BlockEnd::Ends, BlockEnd::Leaves, BlockEnd::Illegal,
                                          BlockEnd::BadBranch, BlockEnd::FallsOff};
    bool ends = any_of(function.graph->blocks(),
                       [](const Block &block) { return is_contained(enough, block.leaving); });
    if (!ends)
      out.report(codeLocation(function, 0), "end",
                 "control reaches no s_endpgm and leaves by no s_setpc_b64");
  });
}

static void checkStaysInside(const ElfModel &model, RuleReporter &out) {
  forEachFunction(model, [&](const FunctionCode &function) {
    for (const Block &block : function.graph->blocks()) {
      // A shader that returns values is a part: LLVM expects somebody to put the rest behind it.
      RuleLevel level = model.isPlain ? RuleLevel::Info : RuleLevel::Fatal;
      if (block.leaving == BlockEnd::FallsOff)
        out.report(level, codeLocation(function, block.end - 1), "end",
                   "control goes on behind the end of the function");
      if (block.leaving == BlockEnd::BadBranch)
        out.report(codeLocation(function, block.end - 1), "branch",
                   "it goes to offset 0x" + Twine::utohexstr(block.branchTarget) +
                       ", where no instruction of the function begins");
    }
  });
}

/// Where the last function of '.text' ends.
static uint64_t endOfFunctions(const ElfView &elf, const ElfSection &text) {
  uint64_t end = 0;
  for (const ElfSymbol &symbol : elf.symbols())
    if (symbol.section == text.index)
      end = std::max(end, symbol.value + symbol.size);
  return end;
}

static void checkPadding(const ElfModel &model, RuleReporter &out) {
  constexpr uint32_t CodeEnd = 0xbf9f0000;
  constexpr uint64_t Needed = 3 * 64; // Three lines of 64 bytes are fetched ahead.
  if (!model.code || model.code->functions.empty() || getGfxMajor(model) < 10 || isLibrary(model))
    return;
  const ElfSection *text = model.elf->findSection(".text");
  if (!text)
    return;
  uint64_t begin = endOfFunctions(*model.elf, *text);
  uint64_t count = 0;
  for (uint64_t at = text->offset + alignTo(begin, 4);
       at + 4 <= text->offset + text->size && at + 4 <= model.bytes.size(); at += 4) {
    if (support::endian::read32le(model.bytes.data() + at) != CodeEnd)
      break;
    count += 4;
  }
  if (count < Needed)
    out.report("section '.text'", "padding",
               "behind the last function stand " + Twine(count) +
                   " bytes of s_code_end, expected 192: what is fetched ahead may be anything");
}

namespace {
/// Registers that code names.
struct RegisterUse {
  unsigned end = 0; ///< Behind the highest.
  uint32_t inst = 0;
};
} // namespace

static void addUses(const Inst &inst, uint32_t index, RegisterUse &vector, RegisterUse &scalar) {
  for (const Operand &operand : inst.operands) {
    bool isVector = operand.type == OperandType::Vgpr;
    bool isScalar = operand.type == OperandType::Sgpr && operand.index < sreg::FlatScratchLo;
    if (!isVector && !isScalar)
      continue;
    RegisterUse &use = isVector ? vector : scalar;
    unsigned end = operand.index + operand.dwords;
    if (end > use.end)
      use = {end, index};
  }
  for (const Inst &half : inst.dual)
    addUses(half, index, vector, scalar);
}

static void checkRegisterCounts(const ElfModel &model, RuleReporter &out, bool isVector) {
  StringRef key = isVector ? ".vgpr_count" : ".sgpr_count";
  forEachFunction(model, [&](const FunctionCode &function) {
    std::optional<uint64_t> declared = stageFields(model, function.stage).number(key);
    // An SGPR count of 0 says nothing from GFX10 on, where each wave gets all of them.
    if (!declared || (!isVector && getGfxMajor(model) >= 10 && *declared == 0))
      return;
    RegisterUse vector, scalar;
    for (uint32_t i = 0; i < function.insts.size(); ++i)
      if (function.isReached(i))
        addUses(function.insts[i], i, vector, scalar);
    const RegisterUse &use = isVector ? vector : scalar;
    if (use.end > *declared)
      out.report(codeLocation(function, use.inst), key,
                 "it uses " + Twine(isVector ? "v" : "s") + Twine(use.end - 1) + ", '" + key +
                     "' is " + Twine(*declared));
  });
}

static void checkVectorCount(const ElfModel &model, RuleReporter &out) {
  checkRegisterCounts(model, out, /*isVector=*/true);
}

static void checkScalarCount(const ElfModel &model, RuleReporter &out) {
  checkRegisterCounts(model, out, /*isVector=*/false);
}

static void checkScratchUse(const ElfModel &model, RuleReporter &out) {
  forEachInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    StringRef name = inst.mnemonic;
    if (!name.starts_with("scratch_") && !name.starts_with("s_scratch_"))
      return;
    std::optional<uint64_t> size =
        stageFields(model, function.stage).number(".scratch_memory_size");
    if (size && *size == 0)
      out.report(codeLocation(function, index), "scratch",
                 "it uses scratch, but '.scratch_memory_size' is 0");
  });
}

/// Data-share instructions that touch no LDS of the workgroup.
static bool usesNoLds(const Inst &inst) {
  static constexpr StringLiteral Prefixes[] = {"ds_swizzle",    "ds_bpermute",  "ds_permute",
                                               "ds_gws_",       "ds_nop",       "ds_ordered_count",
                                               "ds_add_gs_reg", "ds_sub_gs_reg"};
  return inst.mods.gds || any_of(Prefixes, [&](StringRef prefix) {
           return StringRef(inst.mnemonic).starts_with(prefix);
         });
}

static void checkLdsUse(const ElfModel &model, RuleReporter &out) {
  forEachInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    if (function.stage != ".cs" || !StringRef(inst.mnemonic).starts_with("ds_") || usesNoLds(inst))
      return;
    std::optional<uint64_t> size = stageFields(model, function.stage).number(".lds_size");
    if (size && *size == 0)
      out.report(codeLocation(function, index), "lds", "it uses LDS, but '.lds_size' is 0");
  });
}

static void checkBarriers(const ElfModel &model, RuleReporter &out) {
  forEachInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    if (StringRef(inst.mnemonic).starts_with("s_barrier") && function.stage == ".ps")
      out.report(codeLocation(function, index), "pixel", "pixel shaders have no workgroups");
  });
}

static void checkDeallocation(const ElfModel &model, RuleReporter &out) {
  constexpr uint16_t DeallocVgprs = 3;
  if (getGfxMajor(model) < 11)
    return;
  forEachInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    if (inst.mnemonic != "s_sendmsg" || (inst.simm16() & 0xff) != DeallocVgprs)
      return;
    uint32_t next = index + 1;
    while (next < function.insts.size() && function.insts[next].mnemonic == "s_nop")
      ++next;
    if (next >= function.insts.size() ||
        !StringRef(function.insts[next].mnemonic).starts_with("s_endpgm"))
      out.report(codeLocation(function, index), "dealloc",
                 "vector registers are given back, but the wave does not end right behind it");
  });
}

static constexpr RuleInfo rules[] = {
    {"MC-01", RuleLevel::Fatal, "What control reaches are instructions of the chip",
     "AMD ISA manuals; LLVM's AMDGPU tables",
     "Every instruction that can be reached from an entry point decodes. Padding and tables that "
     "nothing branches to may be anything. For chips without tables the code rules say nothing "
     "(info).",
     checkDecodes},
    {"MC-02", RuleLevel::Fatal, "Control can come to an end", "AMD ISA manuals",
     "From each entry point some path leads to s_endpgm, or leaves by s_setpc_b64 for code that is "
     "elsewhere.",
     checkEnds},
    {"MC-03", RuleLevel::Fatal, "Control stays inside the function", "AMD ISA manuals",
     "No path runs past the end of the function's symbol, and direct branches go to the beginning "
     "of one of its instructions. In plain LLVM output the first is a note: a shader that returns "
     "values is a part, behind which somebody puts the rest.",
     checkStaysInside},
    {"MC-04", RuleLevel::Error, "Behind the last function stands padding to fetch ahead",
     "LLVM AMDGPUAsmPrinter; PAL gfx9Device (INST_PREF_SIZE)",
     "GFX10 and later fetch three cache lines ahead. LLVM pads with three lines of s_code_end, "
     "AMD's own compiler with 256 bytes; 192 is the least that is accepted.",
     checkPadding},
    {"MC-06", RuleLevel::Error, "Vector registers are within the declared number", "own",
     "The highest VGPR that reachable code names is below '.vgpr_count'.", checkVectorCount},
    {"MC-07", RuleLevel::Error, "Scalar registers are within the declared number", "own",
     "The highest numbered SGPR is below '.sgpr_count'. VCC and the like do not count: compilers "
     "differ in whether they are in it.",
     checkScalarCount},
    {"MC-08", RuleLevel::Error, "Who uses scratch declares it", "own",
     "A scratch instruction that control reaches needs a '.scratch_memory_size'.", checkScratchUse},
    {"MC-09", RuleLevel::Error, "Who uses LDS declares it", "own",
     "In compute shaders; other stages get LDS from the pipeline. Instructions that only move data "
     "between lanes are exempt.",
     checkLdsUse},
    {"MC-18", RuleLevel::Error, "Barriers are where workgroups are", "AMD ISA manuals",
     "A pixel shader has no workgroup to wait for.", checkBarriers},
    {"MC-19", RuleLevel::Warning, "Registers are given back only at the end",
     "AMD RDNA3 ISA, s_sendmsg DEALLOC_VGPRS",
     "Behind the message nothing but s_nop and s_endpgm may stand.", checkDeallocation},
};

ArrayRef<RuleInfo> assay::getCodeRules() {
  return rules;
}

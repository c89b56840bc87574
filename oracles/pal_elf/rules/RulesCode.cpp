// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules MC- on the machine code itself: it decodes, control stays inside and ends, registers
// and memory are those that the metadata declare.
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

using FunctionCheck = function_ref<void(const FunctionCode &function)>;

/// Visits each decoded function, none where code was not read.
static void forEachFunction(const ElfModel &model, FunctionCheck check) {
  if (model.code)
    for (const auto &function : model.code->functions)
      check(*function);
}

/// MC-01. Reports each reachable block that ends in an illegal instruction, and as an info that a
/// chip has no tables. Silent where the code is that of another chip (MC-24).
static void checkDecodes(const ElfModel &model, RuleReporter &out) {
  if (model.code && !model.code->undecoded.empty())
    out.report(RuleLevel::Info, "e_flags", "chip",
               "the code is not looked at: there are no instruction tables for " +
                   model.code->undecoded);
  forEachFunction(model, [&](const FunctionCode &function) {
    if (!function.otherChip.empty())
      return; // MC-24 says so.
    for (const Block &block : function.graph->blocks())
      if (block.leaving == BlockEnd::Illegal)
        out.report(codeLocation(function, block.end - 1), "illegal",
                   "0x" + Twine::utohexstr(function.insts[block.end - 1].words[0]) +
                       " is no instruction of " + model.machine->name + ", and control reaches it");
  });
}

/// MC-02. Reports functions with no reachable block that ends the wave or leaves the function.
/// Blocks that other rules report count as ends.
static void checkEnds(const ElfModel &model, RuleReporter &out) {
  forEachFunction(model, [&](const FunctionCode &function) {
    // Where it goes after an illegal instruction (MC-01) or a wild branch (MC-03) nobody knows.
    static constexpr BlockEnd enough[] = {BlockEnd::Ends, BlockEnd::Leaves, BlockEnd::Illegal,
                                          BlockEnd::BadBranch, BlockEnd::FallsOff};
    bool ends = any_of(function.graph->blocks(),
                       [](const Block &block) { return is_contained(enough, block.leaving); });
    if (!ends)
      out.report(codeLocation(function, 0), "end",
                 "control reaches no s_endpgm and leaves by no s_setpc_b64");
  });
}

/// True when the code of another function begins where that of \p function ends.
static bool isContinued(const ElfModel &model, const FunctionCode &function) {
  if (!model.elf)
    return false;
  uint64_t end = function.symbol->value + function.symbol->size;
  return any_of(model.elf->symbols(), [&](const ElfSymbol &symbol) {
    return symbol.type == elf::SttFunc && symbol.size != 0 &&
           symbol.section == function.symbol->section && symbol.value == end;
  });
}

/// MC-03. Reports paths past the end of a function, and direct branches to offsets outside of it or
/// within an instruction.
static void checkStaysInside(const ElfModel &model, RuleReporter &out) {
  forEachFunction(model, [&](const FunctionCode &function) {
    for (const Block &block : function.graph->blocks()) {
      if (block.leaving == BlockEnd::FallsOff) {
        // A shader that returns values is a part: LLVM expects somebody to append the rest.
        bool isPart = model.isPlain || isContinued(model, function);
        out.report(isPart ? RuleLevel::Info : RuleLevel::Fatal,
                   codeLocation(function, block.end - 1), "end",
                   "control runs past the end of the function");
      }
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

/// MC-04. Counts the s_code_end dwords that follow the last function of '.text', from GFX10 on. Not
/// for libraries, which are linked into other code. One finding for the whole section, as all
/// functions share the padding at its end.
static void checkPadding(const ElfModel &model, RuleReporter &out) {
  constexpr uint32_t CodeEnd = 0xbf9f0000;
  constexpr uint64_t Needed = uint64_t(3) * 64; // Three lines of 64 bytes are fetched ahead.
  if (!model.elf || !model.code || model.code->functions.empty() || getGfxMajor(model) < 10 ||
      isLibrary(model))
    return;
  const ElfSection *text = model.elf->findSection(".text");
  if (!text)
    return;
  uint64_t begin = alignTo(endOfFunctions(*model.elf, *text), 4);
  ArrayRef<uint8_t> padding = text->bytes.drop_front(std::min<uint64_t>(begin, text->bytes.size()));
  uint64_t count = 0;
  for (; padding.size() >= 4 && support::endian::read32le(padding.data()) == CodeEnd; count += 4)
    padding = padding.drop_front(4);
  if (count < Needed)
    out.report("section '.text'", "padding",
               "the last function is followed by " + Twine(count) +
                   " bytes of s_code_end; LLVM writes 192 or more");
}

namespace {
/// Registers that code names.
struct RegisterUse {
  unsigned end = 0; ///< After the highest.
  uint32_t inst = 0;
};
} // namespace

/// Raises the ends in \p vector and \p scalar to the registers of \p inst, both halves of a dual
/// instruction included. SGPRs from FLAT_SCRATCH on, VCC among them, do not count.
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

/// What the use of \p used registers means where \p declared are: the hardware allocates vectors
/// in blocks of 4 in waves of 64 and of 8 in waves of 32 (RSRC1.VGPRS), scalars in sixteens on
/// GFX9, and from GFX10 on all scalars to each wave.
static RuleLevel countLevel(const ElfModel &model, const FunctionCode &function, bool isVector,
                            uint64_t declared, uint64_t used) {
  if (!isVector && getGfxMajor(model) >= 10)
    return RuleLevel::Info;
  uint64_t block = !isVector ? 16 : function.waveSize == 32 ? 8 : 4;
  bool isAllocated = used <= alignTo(std::max<uint64_t>(declared, 1), block);
  return isAllocated ? RuleLevel::Info : RuleLevel::Error;
}

/// Reports the function's highest reachable register when it is not below the declared count. One
/// finding per function, at the instruction that names the register.
static void checkRegisterCounts(const ElfModel &model, RuleReporter &out, bool isVector) {
  StringRef key = isVector ? ".vgpr_count" : ".sgpr_count";
  forEachFunction(model, [&](const FunctionCode &function) {
    std::optional<uint64_t> declared = functionFields(model, function).number(key);
    // An SGPR count of 0 says nothing from GFX10 on, where each wave gets all of them.
    if (!declared || (!isVector && getGfxMajor(model) >= 10 && *declared == 0))
      return;
    RegisterUse vector, scalar;
    for (uint32_t i = 0; i < function.insts.size(); ++i)
      if (function.isReached(i))
        addUses(function.insts[i], i, vector, scalar);
    const RegisterUse &use = isVector ? vector : scalar;
    if (use.end > *declared)
      out.report(countLevel(model, function, isVector, *declared, use.end),
                 codeLocation(function, use.inst), key,
                 "it uses " + Twine(isVector ? "v" : "s") + Twine(use.end - 1) + ", '" + key +
                     "' is " + Twine(*declared));
  });
}

/// MC-06. Stages and functions without '.vgpr_count' are not checked. MC-22 compares these with
/// PGM_RSRC1.
static void checkVectorCount(const ElfModel &model, RuleReporter &out) {
  checkRegisterCounts(model, out, /*isVector=*/true);
}

/// MC-07, and writes to the trap handler's temporaries.
static void checkScalarCount(const ElfModel &model, RuleReporter &out) {
  checkRegisterCounts(model, out, /*isVector=*/false);
  forEachReachedInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    forEachResult(inst, [&](const Operand &operand) {
      if (operand.type == OperandType::Sgpr && operand.index >= sreg::Ttmp0 &&
          operand.index < sreg::M0)
        out.report(codeLocation(function, index), "ttmp",
                   "it writes a register of the trap handler");
    });
  });
}

/// Bytes that a memory instruction moves to or from \p data: what its name says, or whole
/// registers.
static uint64_t bytesOf(const Inst &inst, const Operand &data) {
  struct Row {
    StringLiteral part;
    uint8_t bytes;
  };
  static constexpr Row rows[] = {{"byte", 1}, {"_u8", 1},  {"_i8", 1},  {"_b8", 1}, {"short", 2},
                                 {"_u16", 2}, {"_i16", 2}, {"_b16", 2}, {"d16", 2}};
  StringRef name = inst.mnemonic;
  const auto *row = find_if(rows, [&](const Row &each) { return name.contains(each.part); });
  return row != std::end(rows) ? row->bytes : uint64_t(data.dwords) * 4;
}

/// Reports an access at a constant place, where no register is added, beyond \p size.
static void checkScratchPlace(const FunctionCode &function, uint32_t index, const Inst &inst,
                              uint64_t size, RuleReporter &out) {
  auto isOff = [](const Operand &operand) { return operand.type == OperandType::Off; };
  const auto *data = find_if(
      inst.operands, [](const Operand &operand) { return operand.type == OperandType::Vgpr; });
  bool isScratch = StringRef(inst.mnemonic).starts_with("scratch_");
  if (!isScratch || count_if(inst.operands, isOff) != 2 || data == inst.operands.end())
    return;
  int64_t end = inst.mods.offset + static_cast<int64_t>(bytesOf(inst, *data));
  if (inst.mods.offset < 0 || end > static_cast<int64_t>(size))
    out.report(codeLocation(function, index), "place",
               "it ends at byte " + Twine(end) + " of scratch, '.scratch_memory_size' is " +
                   Twine(size));
}

/// MC-08. Callees of '.shader_functions' have no stage and are not checked. A stage without the key
/// '.scratch_memory_size' is silent too. With a size of 0 each scratch instruction is a finding.
static void checkScratchUse(const ElfModel &model, RuleReporter &out) {
  forEachReachedInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    if (!usesScratch(inst))
      return;
    std::optional<uint64_t> size =
        stageFields(model, function.stage).number(".scratch_memory_size");
    if (size && *size == 0)
      out.report(codeLocation(function, index), "scratch",
                 "it uses scratch, but '.scratch_memory_size' is 0");
    else if (size)
      checkScratchPlace(function, index, inst, *size, out);
  });
}

/// The LDS that the metadata give \p stage; nothing where it comes from elsewhere: from the
/// pipeline, which plain LLVM does not know, or with the attributes of pixels.
static std::optional<uint64_t> ldsOf(const ElfModel &model, StringRef stage) {
  if (stage == ".ps" || (stage != ".cs" && model.isPlain))
    return std::nullopt;
  return stageFields(model, stage).number(".lds_size");
}

namespace {
/// Vector registers that are the same constant in all lanes, on all ways.
struct ConstantState {
  SmallDenseMap<uint16_t, uint32_t, 8> values; ///< By VGPR number.

  /// Keeps the registers with equal values in both states. Returns true when one was dropped.
  bool join(const ConstantState &other) {
    size_t before = values.size();
    SmallDenseMap<uint16_t, uint32_t, 8> both;
    for (auto [number, value] : values)
      if (auto found = other.values.find(number);
          found != other.values.end() && found->second == value)
        both.insert({number, value});
    values = std::move(both);
    return values.size() != before;
  }
};
} // namespace

/// Updates \p state by \p inst. Any change of EXEC clears it: the lanes that become active have
/// other values. Only moves of constants without DPP or SDWA make a register known.
static void stepConstants(ConstantState &state, uint32_t, const Inst &inst) {
  if (isCall(inst) || namesRegistersIndirectly(inst) || execChangeOf(inst) != ExecChange::None)
    return state.values.clear();
  forEachResult(inst, [&](const Operand &operand) {
    for (unsigned i = 0; operand.type == OperandType::Vgpr && i < operand.dwords; ++i)
      state.values.erase(static_cast<uint16_t>(operand.index + i));
  });
  auto take = [&](const Inst &half) {
    bool isConstant = half.operands.size() == 2 && (half.operands[1].type == OperandType::Integer ||
                                                    half.operands[1].type == OperandType::Literal);
    bool isPlain = half.mods.dpp == DppControl::None && !half.mods.sdwa;
    if (isConstant && isPlain &&
        (half.mnemonic == "v_mov_b32" || half.mnemonic == "v_dual_mov_b32"))
      state.values[half.operands[0].index] = static_cast<uint32_t>(half.operands[1].value);
  };
  take(inst);
  for (const Inst &half : inst.dual)
    take(half);
}

/// Where an access of \p inst to LDS ends, relative to its address: for those with two places, the
/// one further on.
static uint64_t endOfAccess(const Inst &inst, const Operand &data) {
  StringRef name = inst.mnemonic;
  bool isPair = name.contains("read2") || name.contains("write2") || name.contains("2addr");
  if (!isPair)
    return static_cast<uint64_t>(inst.mods.offset) + bytesOf(inst, data);
  uint64_t bytes = name.contains("b64") ? 8 : 4;
  uint64_t step = name.contains("st64") || name.contains("stride64") ? bytes * 64 : bytes;
  return std::max(inst.mods.offset0, inst.mods.offset1) * step + bytes;
}

/// Reports plain LDS loads and stores at known constant addresses that end after \p size bytes.
/// Accesses at unknown addresses are not checked.
static void checkLdsPlaces(const FunctionCode &function, uint64_t size, RuleReporter &out) {
  walkFlow(function, ConstantState(), stepConstants,
           [&](const ConstantState &state, uint32_t index, const Inst &inst) {
             StringRef name = inst.mnemonic;
             size_t address = countResults(inst);
             bool isPlain = name.starts_with("ds_") && usesLds(inst) &&
                            (name.contains("load") || name.contains("store") ||
                             name.contains("read") || name.contains("write")) &&
                            !name.contains("addtid") && !name.contains("bvh");
             if (!isPlain || inst.operands.size() < 2 ||
                 inst.operands[address].type != OperandType::Vgpr)
               return;
             auto value = state.values.find(inst.operands[address].index);
             if (value == state.values.end())
               return;
             uint64_t end = value->second + endOfAccess(inst, inst.operands[address ? 0 : 1]);
             if (end > size)
               out.report(codeLocation(function, index), "place",
                          "it ends at byte " + Twine(end) + " of LDS, '.lds_size' is " +
                              Twine(size));
           });
}

/// MC-09. With an LDS size of 0 it reports any use of LDS, else accesses outside of it. ldsOf()
/// decides where the size is known.
static void checkLdsUse(const ElfModel &model, RuleReporter &out) {
  forEachFunction(model, [&](const FunctionCode &function) {
    std::optional<uint64_t> size = ldsOf(model, function.stage);
    if (size && *size)
      return checkLdsPlaces(function, *size, out);
    for (uint32_t i = 0; size && i < function.insts.size(); ++i) {
      const Inst &inst = function.insts[i];
      if (function.isReached(i) && usesLds(inst))
        out.report(codeLocation(function, i), "lds", "it uses LDS, but '.lds_size' is 0");
    }
  });
}

/// MC-18. Only the stage '.ps' is checked: other stages of graphics pipelines may run as
/// workgroups.
static void checkBarriers(const ElfModel &model, RuleReporter &out) {
  forEachReachedInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    if (StringRef(inst.mnemonic).starts_with("s_barrier") && function.stage == ".ps")
      out.report(codeLocation(function, index), "pixel", "pixel shaders have no workgroups");
  });
}

/// MC-19, from GFX11 on. Looks at the instructions in memory order: s_nop, then s_endpgm. Branches
/// to the instruction in between are not considered.
static void checkDeallocation(const ElfModel &model, RuleReporter &out) {
  constexpr uint16_t DeallocVgprs = 3;
  if (getGfxMajor(model) < 11)
    return;
  forEachReachedInst(model, [&](const FunctionCode &function, uint32_t index, const Inst &inst) {
    if (inst.mnemonic != "s_sendmsg" || (inst.simm16() & 0xff) != DeallocVgprs)
      return;
    uint32_t next = index + 1;
    while (next < function.insts.size() && function.insts[next].mnemonic == "s_nop")
      ++next;
    if (next >= function.insts.size() ||
        !StringRef(function.insts[next].mnemonic).starts_with("s_endpgm"))
      out.report(codeLocation(function, index), "dealloc",
                 "vector registers are given back, but the wave does not end right after it");
  });
}

static constexpr RuleInfo codeRules[] = {
    {"MC-01",
     RuleLevel::Fatal,
     "Reachable code consists of instructions of the chip",
     {EnforcerKind::Hardware, "AMD ISA manuals, Microcode Formats; LLVM's AMDGPU tables"},
     "Every instruction that can be reached from an entry point decodes. Padding and tables that "
     "nothing branches to may be anything. For chips without tables the code rules say nothing "
     "(info).",
     checkDecodes,
     RuleScope::Code},
    {"MC-02",
     RuleLevel::Fatal,
     "Control can reach an end",
     {EnforcerKind::Hardware, "AMD ISA manuals, S_ENDPGM: a wave without it never ends"},
     "From each entry point some path leads to s_endpgm, or leaves by s_setpc_b64 for code that is "
     "elsewhere.",
     checkEnds,
     RuleScope::Code},
    {"MC-03",
     RuleLevel::Fatal,
     "Control stays inside the function",
     {EnforcerKind::Hardware,
      "AMD ISA manuals, Program Counter: it continues with whatever follows"},
     "No path runs past the end of the function's symbol, and direct branches go to the beginning "
     "of one of its instructions. The first is an info when the code of another function follows "
     "there, and in plain LLVM output: a shader that returns values is a part, to which somebody "
     "appends the rest.",
     checkStaysInside,
     RuleScope::Code},
    {"MC-04",
     RuleLevel::Info,
     "The last function is followed by prefetch padding",
     {EnforcerKind::Habit, "LLVM (AMDGPUAsmPrinter::doFinalization), AMD's compiler"},
     "GFX10 and later fetch up to three cache lines ahead. LLVM pads with three lines of "
     "s_code_end, AMD's compiler often with 256 bytes or with none. Nobody needs it: PAL's "
     "uploader allocates the distance itself (codeObjectUploader.cpp, CodeObjectUploader::Begin, "
     "shaderPrefetchBytes).",
     checkPadding,
     RuleScope::Code},
    {"MC-06",
     RuleLevel::Error,
     "Vector registers are within the declared number",
     {EnforcerKind::Hardware,
      "AMD ISA manuals, VGPR allocation and out-of-range behavior; RSRC1.VGPRS"},
     "The highest VGPR that reachable code names is below '.vgpr_count' of its stage, or of its "
     "entry in '.shader_functions'. One within the last block that is allocated (of 4 registers in "
     "waves of 64, of 8 in waves of 32) is an info.",
     checkVectorCount,
     RuleScope::Code},
    {"MC-07",
     RuleLevel::Error,
     "Scalar registers are within the declared number",
     {EnforcerKind::Hardware,
      "Vega ISA, SGPR allocation and out-of-range behavior; AMD ISA manuals, Trap temporary SGPRs"},
     "On GFX9 the highest numbered SGPR is below '.sgpr_count', rounded up to 16. Otherwise it is "
     "an info: later chips give each wave all of them. VCC and the like do not count: compilers "
     "differ in whether they are in it. Nothing writes registers of the trap handler.",
     checkScalarCount,
     RuleScope::Code},
    {"MC-08",
     RuleLevel::Error,
     "Code that uses scratch declares it",
     {EnforcerKind::Pal,
      "gfx9AbiToPipelineRegisters.h, ComputePgmRsrc2 (SCRATCH_EN); gfx9ShaderRing.cpp, "
      "ScratchRing::AdjustScratchWaveSize (room for .scratch_memory_size)"},
     "A scratch instruction that control reaches needs a '.scratch_memory_size'; one that adds no "
     "register to its offset stays within it.",
     checkScratchUse,
     RuleScope::Code},
    {"MC-09",
     RuleLevel::Error,
     "Code that uses LDS declares it",
     {EnforcerKind::Hardware,
      "AMD ISA manuals, LDS address range: loads return 0, stores are dropped; RSRC2.LDS_SIZE"},
     "Where the metadata give a stage its '.lds_size' and it is 0, nothing uses LDS but to move "
     "data between lanes; where it is not, loads and stores at constant addresses stay within it. "
     "Pixel shaders are exempt, and stages other than '.cs' of plain LLVM output.",
     checkLdsUse,
     RuleScope::Code},
    {"MC-18",
     RuleLevel::Warning,
     "Barriers are where workgroups are",
     {EnforcerKind::Specification, "Vulkan, VUID-StandaloneSpirv-OpControlBarrier-04682"},
     "A pixel shader has no workgroup to wait for.",
     checkBarriers,
     RuleScope::Code},
    {"MC-19",
     RuleLevel::Warning,
     "Registers are given back only at the end",
     {EnforcerKind::Hardware, "RDNA3 ISA, S_SENDMSG: DEALLOC_VGPRS"},
     "After the message only s_nop and s_endpgm may follow.",
     checkDeallocation,
     RuleScope::Code},
};

ArrayRef<RuleInfo> assay::getCodeRules() {
  return codeRules;
}

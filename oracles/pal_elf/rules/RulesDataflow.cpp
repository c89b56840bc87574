// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules on what flows along the code: registers that nothing has set, the spill table, wave
// size, clauses. They report what is wrong on every way that control may take.
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// What the launch of a compute shader sets.
static RegisterBits launchedRegisters(const ElfModel &model, const HardwareStageMetadata &stage) {
  const ComputeRegisters &compute = model.launch->compute;
  // Ids of the workgroup, its size, the scratch offset; GFX9 may have more for scratch.
  unsigned system = unsigned(compute.tgidXEn) + compute.tgidYEn + compute.tgidZEn +
                    compute.tgSizeEn + (stage.scratchEn ? 2u : 0u);
  RegisterBits known;
  known.add({false, 0, static_cast<uint16_t>(std::min<unsigned>(stage.userSgprs, 128) + system)});
  known.add({true, 0, static_cast<uint16_t>(getGfxMajor(model) >= 11 ? 1 : 3)});
  return known;
}

/// MC-10. For the entry point of '.cs' only, and not where plain LLVM leaves the number of user
/// SGPRs open. A base address is reported when none of its registers may be set.
static void checkInitialRegisters(const ElfModel &model, RuleReporter &out) {
  const FunctionCode *function = model.code ? model.code->find(".cs") : nullptr;
  const HardwareStageMetadata *stage = model.launch ? model.launch->find(".cs") : nullptr;
  // Plain LLVM does not say how many user SGPRs there are.
  if (!function || !stage || isLibrary(model) || model.isPlain)
    return;
  auto visit = [&](const RegisterBits &known, uint32_t index, const Inst &inst) {
    StringRef name = inst.mnemonic;
    bool isAddress = (name.starts_with("s_load_") || name.starts_with("s_buffer_load_")) &&
                     inst.operands.size() > 1;
    RegisterSpan base = isAddress ? registersOf(inst.operands[1]) : RegisterSpan();
    if (base.count && !known.hasAny(base))
      out.report(codeLocation(*function, index), "address",
                 "it reads memory through " + nameOf(base) +
                     ", which neither the launch nor any way to here has set");
  };
  walkFlow(*function, launchedRegisters(model, *stage), addResults, visit);
}

/// True when code that control reaches names \p sgpr, or goes where nobody looks.
static bool mayRead(const FunctionCode &function, unsigned sgpr) {
  RegisterSpan wanted = {false, static_cast<uint16_t>(sgpr), 1};
  for (const Block &block : function.graph->blocks())
    if (block.leaving != BlockEnd::Flows && block.leaving != BlockEnd::Ends)
      return true;
  for (uint32_t i = 0; i < function.insts.size(); ++i) {
    if (!function.isReached(i))
      continue;
    if (isCall(function.insts[i]) || !function.insts[i].valid ||
        any_of(function.insts[i].operands, [&](const Operand &operand) {
          RegisterSpan named = registersOf(operand);
          return named.count && named.overlaps(wanted);
        }))
      return true;
  }
  return false;
}

/// UD-16. Silent as soon as one stage with a mapped spill table may read it.
static void checkSpillTableRead(const ElfModel &model, RuleReporter &out) {
  if (!model.launch || !model.code || isLibrary(model))
    return;
  uint32_t threshold = model.launch->spillThreshold.value_or(0xffff);
  if (threshold >= model.launch->userDataLimit.value_or(0))
    return; // Nothing is spilled.
  std::optional<StageModel> mapped;
  for (const StageModel &stage : getStages(model)) {
    const auto &map = stage.typed->userDataRegMap;
    const auto *place = find(map, uint32_t(user_data::SpillTable));
    if (place == map.end())
      continue;
    const FunctionCode *function = model.code->find(stage.name());
    if (!function || mayRead(*function, static_cast<unsigned>(place - map.begin())))
      return;
    mapped = stage;
  }
  if (mapped)
    out.report(mapped->location(".user_data_reg_map"), "unread",
               "entries from " + Twine(threshold) +
                   " on are spilled, but no code reads the register of SpillTable");
}

/// MC-16. Only the saveexec instructions are looked at, and only where the metadata have a wave
/// size.
static void checkWaveWidth(const ElfModel &model, RuleReporter &out) {
  if (!model.code)
    return;
  for (const auto &function : model.code->functions) {
    unsigned size = function->waveSize;
    if (!function->waveSizeSaid || (size != 32 && size != 64))
      continue;
    StringRef wrong = size == 32 ? "saveexec_b64" : "saveexec_b32";
    for (uint32_t i = 0; i < function->insts.size(); ++i)
      if (function->isReached(i) && StringRef(function->insts[i].mnemonic).contains(wrong))
        out.report(codeLocation(*function, i), "exec",
                   "it is for waves of " + Twine(size == 32 ? 64 : 32) +
                       " lanes, the metadata say " + Twine(size));
  }
}

/// True for what can't be within a clause that begins with \p first.
static bool breaksClause(StringRef first, StringRef name) {
  return (name.starts_with("v_") && !first.starts_with("v_")) || name.starts_with("exp") ||
         name.starts_with("s_branch") || name.starts_with("s_cbranch") ||
         name.starts_with("s_endpgm") || name.starts_with("s_barrier");
}

/// MC-21. Counts instructions in memory order: a clause of n has a value of n - 1 in its low 6
/// bits. One finding per clause.
static void checkClauses(const ElfModel &model, RuleReporter &out) {
  if (!model.code || getGfxMajor(model) < 10)
    return;
  for (const auto &function : model.code->functions)
    for (uint32_t i = 0; i < function->insts.size(); ++i) {
      if (!function->isReached(i) || function->insts[i].mnemonic != "s_clause")
        continue;
      uint32_t end = i + 2 + (function->insts[i].simm16() & 63); // After the clause.
      for (uint32_t k = i + 1; k < end; ++k)
        if (k >= function->insts.size() ||
            breaksClause(function->insts[i + 1].mnemonic, function->insts[k].mnemonic)) {
          out.report(codeLocation(*function, i), "clause",
                     "it announces " + Twine(end - i - 1) + " instructions of one kind, but " +
                         Twine(k - i - 1) + " follow");
          break;
        }
    }
}

static constexpr RuleInfo dataflowRules[] = {
    {"MC-10",
     RuleLevel::Warning,
     "Addresses come from registers that are set",
     {EnforcerKind::Hardware, "AMD ISA manuals, Initial wave state"},
     "In compute shaders: scalar loads through registers that neither the launch nor the code has "
     "set on any way to them. Other reads of unset registers are what compilers make of undefined "
     "values, and accepted.",
     checkInitialRegisters,
     RuleScope::Code},
    {"UD-16",
     RuleLevel::Warning,
     "A pipeline that spills user data reads the spill table",
     {EnforcerKind::Specification, "PAL pipeline ABI, g_palPipelineAbiMetadata.h: "
                                   "PipelineMetadata::userDataLimit (entries that are read)"},
     "Some code names the SGPR that SpillTable is in. A warning, because the spilled entries may "
     "all be unused.",
     checkSpillTableRead,
     RuleScope::Code},
    {"MC-16",
     RuleLevel::Error,
     "Code is for the wave size of its stage",
     {EnforcerKind::Hardware, "AMD ISA manuals, Execute mask: 32 or 64 bits by the wave size"},
     "s_.._saveexec_b32 is for waves of 32 lanes, s_.._saveexec_b64 for 64: the other one leaves "
     "half of the lanes as they were.",
     checkWaveWidth,
     RuleScope::Code},
    {"MC-21",
     RuleLevel::Warning,
     "Clauses are as long as announced",
     {EnforcerKind::Hardware, "AMD ISA manuals, S_CLAUSE"},
     "An s_clause of memory instructions has no vector ALU instruction, and none has an export, "
     "branch, barrier or end. Costs speed only.",
     checkClauses,
     RuleScope::Code},
};

ArrayRef<RuleInfo> assay::getDataflowRules() {
  return dataflowRules;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule MC-22: what 2.x metadata put into PGM_RSRC1 and PGM_RSRC2 of a stage, derived again from
// the counts and from the code.
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// What code needs.
struct CodeNeeds {
  unsigned vgprs = 0; ///< One above the highest in use.
  unsigned sgprs = 0; ///< Without VCC and its like.
  bool scratch = false;
  bool lds = false;
};

/// VGPRs and SGPRs that one register allocates at most. The unit of VGPRs is 4 in waves of 64 on
/// GFX9 and 8 in others; 8 is taken for all.
struct Allocated {
  constexpr explicit Allocated(uint32_t rsrc1)
      : vgprs(((rsrc1 & 0x3f) + 1) * 8), sgprs(((rsrc1 >> 6 & 0xf) + 1) * 8) {}
  unsigned vgprs, sgprs;
};

} // namespace

/// Returns the needs of the reachable instructions. Callees are not included.
static CodeNeeds needsOf(const FunctionCode &function) {
  CodeNeeds needs;
  auto visit = [&](const Operand &operand) {
    RegisterSpan span = registersOf(operand);
    unsigned &end = span.vector ? needs.vgprs : needs.sgprs;
    end = std::max<unsigned>(end, span.first + span.count);
  };
  for (uint32_t i = 0; i < function.insts.size(); ++i) {
    const Inst &inst = function.insts[i];
    if (!function.isReached(i))
      continue;
    forEachSource(inst, visit);
    forEachResult(inst, visit);
    needs.scratch |= usesScratch(inst);
    needs.lds |= usesLds(inst);
  }
  return needs;
}

/// Reports that a register allocates fewer than \p wanted registers of \p kind ("vgprs"). \p who
/// names the source of the number, up to the number itself.
static void reportCount(const std::string &place, StringRef kind, unsigned allocated,
                        uint64_t wanted, StringRef who, RuleReporter &out) {
  if (wanted > allocated)
    out.report(place, kind,
               "it allocates at most " + Twine(allocated) + " " + kind.upper() + ", " + who +
                   Twine(wanted));
}

/// Counts out of range are other rules' business.
static void checkCounts(const ElfModel &model, const StageRegisters &row, uint32_t value,
                        RuleReporter &out) {
  constexpr uint64_t MaxVgprs = 256, MaxSgprs = 108;
  FieldMap stage = stageFields(model, row.stage);
  std::string place = ".registers[0x" + utohexstr(row.rsrc1, true) + "]";
  Allocated allocated(value);
  uint64_t vgprs = stage.numberOr(".vgpr_count"), sgprs = stage.numberOr(".sgpr_count");
  if (vgprs <= MaxVgprs)
    reportCount(place, "vgprs", allocated.vgprs, vgprs, "'.vgpr_count' is ", out);
  if (getGfxMajor(model) == 9 && sgprs <= MaxSgprs)
    reportCount(place, "sgprs", allocated.sgprs, sgprs, "'.sgpr_count' is ", out);
}

/// Compares the registers of \p row with the code, where the metadata have no count to compare
/// with.
static void checkCode(const ElfModel &model, const FunctionCode &function,
                      const StageRegisters &row, RuleReporter &out) {
  FieldMap stage = stageFields(model, row.stage);
  CodeNeeds needs = needsOf(function);
  const auto &registers = model.launch->registers;
  std::string place = ".registers[0x" + utohexstr(row.rsrc1, true) + "]";
  if (auto first = registers.find(row.rsrc1); first != registers.end()) {
    Allocated allocated(first->second);
    if (!stage.has(".vgpr_count")) // Else MC-06 compares with the count.
      reportCount(place, "vgprs", allocated.vgprs, needs.vgprs, "the code uses ", out);
    if (!stage.has(".sgpr_count") && getGfxMajor(model) == 9)
      reportCount(place, "sgprs", allocated.sgprs, needs.sgprs, "the code uses ", out);
  }
  auto second = registers.find(row.rsrc1 + 1);
  if (second == registers.end())
    return;
  place = ".registers[0x" + utohexstr(row.rsrc1 + 1, true) + "]";
  // A size of 0 is MC-08's.
  bool saysScratch = stage.has(".scratch_memory_size") && !stage.flag(".scratch_memory_size");
  if (needs.scratch && !saysScratch && !(second->second & 1))
    out.report(place, "scratch", "SCRATCH_EN is 0, but the code uses scratch");
  bool saysLds = row.stage != ".cs" || stage.has(".lds_size"); // Else MC-09 compares with it.
  if (needs.lds && !saysLds && !(second->second >> 15 & 0x1ff))
    out.report(place, "lds", "LDS_SIZE is 0, but the code uses LDS");
}

/// MC-22. Stages without PGM_RSRC1 in '.registers' are only compared by PGM_RSRC2.
static void checkResourceRegisters(const ElfModel &model, RuleReporter &out) {
  if (!model.launch)
    return;
  for (const StageRegisters &row : getStageRegisters()) {
    if (!stageFields(model, row.stage).exists())
      continue;
    auto found = model.launch->registers.find(row.rsrc1);
    if (found != model.launch->registers.end())
      checkCounts(model, row, found->second, out);
    if (const FunctionCode *function = model.code ? model.code->find(row.stage) : nullptr)
      checkCode(model, *function, row, out);
  }
}

static constexpr RuleInfo rsrcRules[] = {
    {"MC-22",
     RuleLevel::Error,
     "Registers allocate what is counted and used",
     {EnforcerKind::Hardware,
      "COMPUTE_PGM_RSRC1 and 2, SPI_SHADER_PGM_RSRC1 and 2 (LLVM AMDGPUUsage, compute_pgm_rsrc1)"},
     "PGM_RSRC1 in '.registers' against '.vgpr_count' and, on GFX9, '.sgpr_count', or, where these "
     "are missing, against what the code uses; SCRATCH_EN and, for compute shaders, LDS_SIZE of "
     "PGM_RSRC2 against what the code uses. Units of 8 are taken for all; more than is counted is "
     "accepted, as it limits occupancy.",
     checkResourceRegisters},
};

ArrayRef<RuleInfo> assay::getRsrcRules() {
  return rsrcRules;
}

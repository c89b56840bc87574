// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules RES-01 to RES-23 (those that need no look at the code): registers, LDS, scratch, waves.
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;

static constexpr uint64_t maxLdsBytes = 65536; ///< Per workgroup.
static constexpr uint64_t ldsUnit = 512;       ///< Bytes.
static constexpr uint32_t maxVgprs = 256;
static constexpr uint32_t maxThreads = 1024; ///< Per workgroup.

/// Returns the lanes of a wave; PAL's default is 64.
static uint32_t waveSizeOf(const StageModel &stage) {
  return stage.typed->wavefrontSize.value_or(64);
}

/// SGPRs that a shader can have, VCC and (GFX9) XNACK and FLAT_SCRATCH included.
static constexpr uint32_t maxSgprs = 108;

/// Returns the number at \p key; nullopt when it is missing, which differs from 0 in most rules
/// here.
static std::optional<uint64_t> numberAt(const StageModel &stage, StringRef key) {
  const MsgValue *value = stage.map->find(key);
  return value ? value->asUint() : std::nullopt;
}

/// RES-01. A missing size is 64 and fits each chip.
static void checkWaveSize(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    uint32_t size = waveSizeOf(stage);
    if (size != 32 && size != 64)
      out.report(stage.location(".wavefront_size"), "size",
                 "the wave size is " + Twine(size) + ", expected 32 or 64");
    else if (size == 32 && getGfxMajor(model) == 9)
      out.report(stage.location(".wavefront_size"), "gfx9", "GFX9 has waves of 64 lanes only");
  }
}

/// RES-02. '.vgpr_limit' is what the compiler was asked to keep to, so exceeding it is a warning.
static void checkVgprs(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    std::optional<uint64_t> count = numberAt(stage, ".vgpr_count");
    if (!count)
      continue;
    if (*count > maxVgprs)
      out.report(stage.location(".vgpr_count"), "count",
                 "it is " + Twine(*count) + ", a wave can have " + Twine(maxVgprs));
    std::optional<uint64_t> limit = numberAt(stage, ".vgpr_limit");
    if (limit && *count > *limit)
      out.report(RuleLevel::Warning, stage.location(".vgpr_count"), "limit",
                 "it is " + Twine(*count) + ", above '.vgpr_limit' " + Twine(*limit));
  }
}

/// RES-03. Up to GFX9 a count of 0 is fatal as well.
static void checkSgprs(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    std::optional<uint64_t> count = numberAt(stage, ".sgpr_count");
    if (!count)
      continue;
    bool isAllocated = getGfxMajor(model) == 9; // Later chips give each wave all of them.
    if (*count > maxSgprs)
      out.report(isAllocated ? RuleLevel::Fatal : RuleLevel::Info, stage.location(".sgpr_count"),
                 "count", "it is " + Twine(*count) + ", a wave can have " + Twine(maxSgprs));
    if (*count == 0 && isAllocated)
      out.report(stage.location(".sgpr_count"), "zero",
                 "it is 0, for which PAL computes (0 - 1) / 8");
  }
}

/// RES-04. Values that PAL does not use, hence an info.
static void checkLimits(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    std::optional<uint64_t> vgprs = numberAt(stage, ".vgpr_limit");
    std::optional<uint64_t> sgprs = numberAt(stage, ".sgpr_limit");
    if (vgprs && *vgprs > maxVgprs)
      out.report(stage.location(".vgpr_limit"), "vgpr", "it is " + Twine(*vgprs) + ", above 256");
    if (sgprs && *sgprs > 106)
      out.report(stage.location(".sgpr_limit"), "sgpr", "it is " + Twine(*sgprs) + ", above 106");
  }
}

/// RES-05. Sizes are in bytes. The size counts for one workgroup. The stage '.vs' has no LDS on any
/// chip that has the stage.
static void checkLds(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    if (stage.typed->ldsSize > maxLdsBytes)
      out.report(stage.location(".lds_size"), "size",
                 "it is " + Twine(stage.typed->ldsSize) + ", a workgroup can have 65536 bytes");
    if (stage.typed->ldsSize && stage.name() == ".vs")
      out.report(stage.location(".lds_size"), "stage", "a hardware vertex shader has no LDS");
  }
}

/// RES-06. PAL rounds down for compute only; other stages are rounded up and lose nothing.
static void checkLdsUnit(const ElfModel &model, RuleReporter &out) {
  unsigned major = getGfxMajor(model);
  for (const StageModel &stage : getStages(model))
    if (stage.isCompute() && major >= 9 && major <= 11 && stage.typed->ldsSize % ldsUnit)
      out.report(stage.location(".lds_size"), "unit",
                 "it is " + Twine(stage.typed->ldsSize) +
                     ", no multiple of 512: PAL cuts off the rest");
}

/// RES-08. A missing dimension is 0.
static void checkThreads(const ElfModel &model, RuleReporter &out) {
  if (isLibrary(model))
    return;
  for (const StageModel &stage : getStages(model)) {
    if (!stage.isCompute())
      continue;
    const std::array<uint32_t, 3> &threads = stage.typed->threadgroupDimensions;
    uint64_t product = 1;
    for (uint32_t count : threads)
      product = SaturatingMultiply<uint64_t>(product, count);
    if (product == 0 || product > maxThreads)
      out.report(stage.location(".threadgroup_dimensions"), "product",
                 "a workgroup of " + Twine(threads[0]) + " x " + Twine(threads[1]) + " x " +
                     Twine(threads[2]) + " threads, expected 1 to 1024");
  }
}

/// RES-11, up to GFX10. Needed components follow from the highest dimension with more than one
/// thread.
static void checkThreadIds(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    if (!stage.isCompute() || isLibrary(model) || getGfxMajor(model) >= 11)
      continue; // From GFX11 on the three ids come packed in v0 whatever the field says.
    const std::array<uint32_t, 3> &threads = stage.typed->threadgroupDimensions;
    unsigned needed = threads[2] > 1 ? 2 : threads[1] > 1 ? 1 : 0;
    if (model.launch && model.launch->compute.tidigCompCnt < needed)
      out.report(".compute_registers.tidig_comp_cnt", "tidig",
                 "it is " + Twine(model.launch->compute.tidigCompCnt) + ", a workgroup of " +
                     Twine(needed + 1) + " dimensions needs " + Twine(needed) +
                     " if the code reads its thread id");
  }
}

/// RES-12. A stage that does not say '.scratch_en' is not reported.
static void checkScratchEnabled(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    if (stage.typed->scratchMemorySize && stage.has(".scratch_en") && !stage.typed->scratchEn)
      out.report(stage.location(".scratch_en"), "disabled",
                 "it is false, but '.scratch_memory_size' is " +
                     Twine(stage.typed->scratchMemorySize));
    if (!stage.typed->scratchMemorySize && stage.typed->scratchEn)
      out.report(RuleLevel::Warning, stage.location(".scratch_en"), "unused",
                 "it is true, but '.scratch_memory_size' is 0");
  }
}

/// Bytes of scratch per wave that the WAVESIZE field of COMPUTE_TMPRING_SIZE can say.
static uint64_t maxScratchPerWave(unsigned major) {
  return major >= 11 ? uint64_t(0x7fff) * 64 * 4 : uint64_t(0x1fff) * 256 * 4;
}

/// RES-13. The size is in bytes per lane, the limit in bytes per wave.
static void checkScratchSize(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    uint64_t bytes = stage.typed->scratchMemorySize;
    uint64_t limit = maxScratchPerWave(getGfxMajor(model)) / std::max(1u, waveSizeOf(stage));
    if (bytes % 4)
      out.report(stage.location(".scratch_memory_size"), "align",
                 "it is " + Twine(bytes) + ", no multiple of 4");
    if (bytes > limit)
      out.report(stage.location(".scratch_memory_size"), "size",
                 "it is " + Twine(bytes) + " a lane; the register holds at most " + Twine(limit));
  }
}

/// RES-15. Two independent conditions, each with its finding.
static void checkSharedVgprs(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    uint32_t count = stage.typed->sharedVgprCount;
    if (count && waveSizeOf(stage) == 32)
      out.report(stage.location(".shared_vgpr_cnt"), "wave32",
                 "it is " + Twine(count) + ", but waves of 32 lanes share no VGPRs");
    if (count % 8)
      out.report(stage.location(".shared_vgpr_cnt"), "unit",
                 "it is " + Twine(count) + ", no multiple of 8");
  }
}

/// RES-16. Compute has 16, each graphics stage 32.
static void checkUserSgprs(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    uint32_t limit = stage.isCompute() ? 16 : 32;
    if (stage.typed->userSgprs > limit)
      out.report(stage.location(".user_sgprs"), "count",
                 "it is " + Twine(stage.typed->userSgprs) + ", the hardware loads at most " +
                     Twine(limit));
  }
}

/// RES-17, on GFX9. Counts one SGPR for each enabled system value and one for the scratch offset.
static void checkSystemSgprs(const ElfModel &model, RuleReporter &out) {
  if (getGfxMajor(model) != 9 || !model.launch)
    return; // Later chips give every wave the same number of SGPRs.
  const ComputeRegisters &compute = model.launch->compute;
  for (const StageModel &stage : getStages(model)) {
    std::optional<uint64_t> count = numberAt(stage, ".sgpr_count");
    if (!count || !stage.isCompute())
      continue;
    uint64_t needed = uint64_t(stage.typed->userSgprs) + compute.tgidXEn + compute.tgidYEn +
                      compute.tgidZEn + compute.tgSizeEn + stage.typed->scratchEn;
    if (needed > alignTo(*count, 16))
      out.report(stage.location(".sgpr_count"), "system",
                 "it is " + Twine(*count) + ", but the launch loads " + Twine(needed) + " SGPRs");
  }
}

/// RES-20. Silent where dynamic VGPRs are off.
static void checkDynamicVgprs(const ElfModel &model, RuleReporter &out) {
  if (!model.launch || !model.launch->compute.dynamicVgprEn)
    return;
  if (getGfxMajor(model) < 12)
    return out.report(RuleLevel::Info, ".compute_registers.dynamic_vgpr_en", "chip",
                      "only GFX12 and later have it; PAL ignores it");
  for (const StageModel &stage : getStages(model)) {
    if (stage.isCompute() && waveSizeOf(stage) != 32)
      out.report(".compute_registers.dynamic_vgpr_en", "wave64", "it needs waves of 32 lanes");
    std::optional<uint64_t> saved = numberAt(stage, ".dynamic_vgpr_saved_count");
    if (saved && stage.has(".vgpr_count") && *saved > stage.typed->vgprCount)
      out.report(stage.location(".dynamic_vgpr_saved_count"), "saved",
                 "it is " + Twine(*saved) + ", above '.vgpr_count' " +
                     Twine(stage.typed->vgprCount));
  }
}

/// RES-21. One finding for each aid that is on.
static void checkDebugging(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    if (stage.typed->debugMode)
      out.report(stage.location(".debug_mode"), "debug", "it is on");
    if (stage.typed->trapPresent)
      out.report(stage.location(".trap_present"), "trap", "a trap handler is expected");
    if (stage.typed->excpEn)
      out.report(stage.location(".excp_en"), "exceptions",
                 "exceptions 0x" + Twine::utohexstr(stage.typed->excpEn) + " are enabled");
  }
}

/// RES-22, from GFX10 on, where the key is there and false.
static void checkMemoryOrder(const ElfModel &model, RuleReporter &out) {
  if (model.dialect == ElfDialect::Sc && !model.options->strict)
    return; // It never sets it.
  for (const StageModel &stage : getStages(model))
    if (getGfxMajor(model) >= 10 && stage.has(".mem_ordered") && !stage.typed->memOrdered)
      out.report(stage.location(".mem_ordered"), "unordered",
                 "it is false: loads may return out of order, and waits must count with that");
}

/// RES-23. An info in plain LLVM output, where functions have the mode unless they say otherwise.
static void checkIeeeMode(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    if (!stage.typed->ieeeMode)
      continue;
    if (getGfxMajor(model) >= 12)
      out.report(stage.location(".ieee_mode"), "gfx12", "GFX12 has no such mode");
    else
      out.report(model.isPlain ? RuleLevel::Info : RuleLevel::Warning, stage.location(".ieee_mode"),
                 "ieee",
                 "it is on: signalling NaNs and min/max then behave unlike what shaders expect");
  }
}

static constexpr RuleInfo resourcesRules[] = {
    {"RES-01",
     RuleLevel::Fatal,
     "The wave size is 32 or 64, and 64 on GFX9",
     {EnforcerKind::Pal, "gfx9PipelineChunkCs.cpp, PipelineChunkCs::SetupSignatureFromElf "
                         "(assert); Vega ISA: waves have 64 lanes"},
     "Missing means 64. Stock LLVM neither derives nor checks it.",
     checkWaveSize},
    {"RES-02",
     RuleLevel::Fatal,
     "VGPRs are at most 256 and within the limit",
     {EnforcerKind::Pal, "gfx9AbiToPipelineRegisters.h, CalcNumVgprs (RSRC1.VGPRS has 6 bits)"},
     "'.vgpr_count'. Above '.vgpr_limit', which PAL only shows, it is a warning.",
     checkVgprs},
    {"RES-03",
     RuleLevel::Fatal,
     "SGPRs are at most what a wave can have",
     {EnforcerKind::Pal, "gfx9AbiToPipelineRegisters.h, CalcNumSgprs (RSRC1.SGPRS; 0 underflows); "
                         "Vega ISA, SGPR allocation"},
     "At most 108 with VCC and what GFX9 reserves, and not 0. From GFX10 on the hardware ignores "
     "the count (info).",
     checkSgprs},
    {"RES-04",
     RuleLevel::Info,
     "Register limits are those of the hardware",
     {EnforcerKind::Habit, "LGC; PAL only shows them"},
     "'.vgpr_limit' at most 256, '.sgpr_limit' at most 106.",
     checkLimits},
    {"RES-05",
     RuleLevel::Fatal,
     "LDS is at most 64 KiB, and not for a hardware VS",
     {EnforcerKind::Hardware, "AMD ISA manuals, Local Data Share: 64 KiB a workgroup; "
                              "SPI_SHADER_PGM_RSRC2_VS has no LDS_SIZE"},
     "'.lds_size' counts bytes per workgroup.",
     checkLds},
    {"RES-06",
     RuleLevel::Error,
     "LDS of a compute shader is a multiple of 512 bytes",
     {EnforcerKind::Pal, "gfx9AbiToPipelineRegisters.h, ComputePgmRsrc2"},
     "On GFX9 to GFX11 PAL rounds down for compute shaders (and up for others), so that the last "
     "bytes are lost.",
     checkLdsUnit},
    {"RES-08",
     RuleLevel::Fatal,
     "A workgroup has 1 to 1024 threads",
     {EnforcerKind::Hardware,
      "AMD ISA manuals, Work-groups: at most 1024 threads; COMPUTE_NUM_THREAD_X, _Y, _Z"},
     "Libraries are exempt.",
     checkThreads},
    {"RES-11",
     RuleLevel::Warning,
     "The thread id has the dimensions of the workgroup",
     {EnforcerKind::Hardware, "COMPUTE_PGM_RSRC2.TIDIG_COMP_CNT"},
     "'.tidig_comp_cnt' says how many VGPRs the launch fills (GFX9 and GFX10). Fewer than the "
     "workgroup has dimensions is right only if the code does not read the rest, hence a warning.",
     checkThreadIds},
    {"RES-12",
     RuleLevel::Error,
     "Scratch is enabled if it has a size",
     {EnforcerKind::Hardware, "COMPUTE_PGM_RSRC2.SCRATCH_EN; PAL passes it on: "
                              "gfx9AbiToPipelineRegisters.h, ComputePgmRsrc2"},
     "'.scratch_memory_size' above 0 needs '.scratch_en'. Enabled without a size is a warning: "
     "LLVM does so to be safe.",
     checkScratchEnabled},
    {"RES-13",
     RuleLevel::Error,
     "The size of scratch fits its register",
     {EnforcerKind::Pal, "gfx9ComputePipeline.cpp, ComputePipeline::CalcScratchMemSize (bytes / "
                         "4); gfx9ShaderRing.cpp, ScratchRing::AdjustScratchWaveSize (clamps)"},
     "A multiple of 4, and within the WAVESIZE field: 13 bits of 1 KiB a wave, from GFX11 on 15 "
     "bits of 256 bytes.",
     checkScratchSize},
    {"RES-15",
     RuleLevel::Fatal,
     "Shared VGPRs come in eights and in wave64 only",
     {EnforcerKind::Specification,
      "PAL pipeline ABI, g_palPipelineAbiMetadata.h: HardwareStageMetadata::sharedVgprCnt; LLVM "
      "AMDGPUUsage, compute_pgm_rsrc3, SHARED_VGPR_COUNT (blocks of 8)"},
     "PAL divides by 8 for compute shaders.",
     checkSharedVgprs},
    {"RES-16",
     RuleLevel::Error,
     "User SGPRs are at most 16, or 32 for graphics",
     {EnforcerKind::Pal,
      "gfx9PipelineChunkCs.cpp, PipelineChunkCs::SetupSignatureFromMetadata (assert)"},
     "The hardware loads no more.",
     checkUserSgprs},
    {"RES-17",
     RuleLevel::Warning,
     "The SGPRs that the launch loads are allocated",
     {EnforcerKind::Hardware, "Vega ISA, SGPR initialization"},
     "GFX9 only, where SGPRs are allocated in sixteens: user SGPRs, workgroup ids, size and "
     "scratch offset.",
     checkSystemSgprs},
    {"RES-20",
     RuleLevel::Error,
     "Dynamic VGPRs are used where they exist",
     {EnforcerKind::Hardware,
      "RDNA4 ISA, Dynamic VGPRs (waves of 32); PAL: gfx12PipelineChunkCs.cpp, "
      "PipelineChunkCs::ComputeDvgprExtraAceScratch"},
     "Compute shaders of 32 lanes; '.dynamic_vgpr_saved_count' at most '.vgpr_count'. Before GFX12 "
     "PAL ignores the key (info).",
     checkDynamicVgprs},
    {"RES-21",
     RuleLevel::Warning,
     "No debugging aid is left on",
     {EnforcerKind::Hardware,
      "COMPUTE_PGM_RSRC1.DEBUG_MODE, COMPUTE_PGM_RSRC2.TRAP_PRESENT and EXCP_EN"},
     "'.debug_mode', '.trap_present' and '.excp_en' change the state that waves start in.",
     checkDebugging},
    {"RES-22",
     RuleLevel::Info,
     "Memory returns in order from GFX10 on",
     {EnforcerKind::Habit, "LLVM, LGC"},
     "One known compiler never sets '.mem_ordered' and is told so with --strict only.",
     checkMemoryOrder},
    {"RES-23",
     RuleLevel::Warning,
     "IEEE mode is off",
     {EnforcerKind::Hardware, "AMD ISA manuals, IEEE mode"},
     "Graphics and compute shaders of Vulkan do not want it; GFX12 does not have it. A note in "
     "plain LLVM output: functions and kernels have it unless they say otherwise.",
     checkIeeeMode},
};

ArrayRef<RuleInfo> assay::getResourceRules() {
  return resourcesRules;
}

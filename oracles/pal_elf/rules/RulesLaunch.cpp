// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Further rules RES- and UD-: what only shows when several keys are looked at together, such
// as whether a workgroup fits a compute unit. Where compilers differ for good reasons they are
// silent.
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;

/// RES-07. Sizes are in bytes.
static void checkPixelLds(const ElfModel &model, RuleReporter &out) {
  unsigned major = getGfxMajor(model);
  uint64_t unit = major >= 11 ? 1024 : 512;
  uint64_t size = graphicsRegisters(model).numberOr(".ps_extra_lds_size");
  if (major >= 9 && major <= 11 && size % unit)
    out.report(".graphics_registers.ps_extra_lds_size", "unit",
               "it is " + Twine(size) + ", no multiple of " + Twine(unit) +
                   ": PAL cuts off the rest");
}

/// VGPRs of one SIMD in a lane of a wave of 64, as many as any chip of the generation has.
static uint64_t vgprsOfSimd(unsigned major) {
  return major >= 11 ? 768 : major == 10 ? 512 : 256;
}

/// Product of three counts; 0 when nothing is said.
static uint64_t threadsOf(ArrayRef<uint32_t> dimensions) {
  uint64_t product = 1;
  for (uint32_t count : dimensions)
    product = SaturatingMultiply<uint64_t>(product, count);
  return product;
}

/// RES-09. Skipped where other rules report the wave size, threads or VGPRs as out of range.
static void checkLaunchable(const ElfModel &model, RuleReporter &out) {
  unsigned major = getGfxMajor(model);
  if (major < 9 || !model.launch || model.launch->compute.dynamicVgprEn || isLibrary(model))
    return;
  for (const StageModel &stage : getStages(model)) {
    uint64_t waveSize = stage.typed->wavefrontSize.value_or(64);
    uint64_t threads = threadsOf(stage.typed->threadgroupDimensions);
    uint64_t vgprs = stage.typed->vgprCount;
    bool isWrongElsewhere = (waveSize != 32 && waveSize != 64) || threads > 1024 || vgprs > 256;
    if (!stage.isCompute() || !threads || !vgprs || isWrongElsewhere)
      continue;
    // GFX9: four SIMDs a compute unit. Later: two, and four in WGP mode.
    uint64_t simds = major >= 10 && stage.has(".wgp_mode") && !stage.typed->wgpMode ? 2 : 4;
    uint64_t waves = divideCeil(threads, waveSize);
    uint64_t wavesOfSimd = vgprsOfSimd(major) * 64 / waveSize / vgprs;
    if (waves > simds * wavesOfSimd)
      out.report(stage.location(".vgpr_count"), "occupancy",
                 "a workgroup has " + Twine(waves) + " waves of " + Twine(vgprs) +
                     " VGPRs, and where it must fit in there is room for " +
                     Twine(simds * wavesOfSimd));
  }
}

/// RES-10. Compares the products; 0 in either counts as not said.
static void checkOriginalSize(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    uint64_t threads = threadsOf(stage.typed->threadgroupDimensions);
    uint64_t original = 1;
    ArrayRef<MsgValue> items = FieldMap(stage.map).items(".orig_threadgroup_dimensions");
    for (const MsgValue &item : items)
      original = SaturatingMultiply<uint64_t>(original, numberOf(item));
    if (!items.empty() && original && threads && original != threads)
      out.report(stage.location(".orig_threadgroup_dimensions"), "product",
                 "it says " + Twine(original) + " threads, '.threadgroup_dimensions' " +
                     Twine(threads));
  }
}

/// RES-14. Both sizes are in bytes per lane.
static void checkStacks(const ElfModel &model, RuleReporter &out) {
  if (pipelineFields(model).flag(".uses_cps"))
    return; // Its stack is not in scratch, or not in this shader's.
  for (const StageModel &stage : getStages(model)) {
    FieldMap fields(stage.map);
    uint64_t stack = fields.numberOr(".backend_stack_size");
    if (fields.has(".scratch_memory_size") && stack > stage.typed->scratchMemorySize)
      out.report(stage.location(".backend_stack_size"), "stack",
                 "it is " + Twine(stack) + ", above '.scratch_memory_size' " +
                     Twine(stage.typed->scratchMemorySize));
  }
}

/// RES-18. Silent for pipelines without '.shaders': then the API stages are unknown.
static void checkMeshScratch(const ElfModel &model, RuleReporter &out) {
  FieldMap pipeline = pipelineFields(model);
  if (pipeline.numberOr(".mesh_scratch_memory_size") && pipeline.at(".shaders").exists() &&
      !hasApiShader(model, ".mesh"))
    out.report(".mesh_scratch_memory_size", "mesh", "it is not 0, but there is no mesh shader");
}

/// The stage that the pipeline's vertices come into first.
static StringRef firstGraphicsStage(const ElfModel &model) {
  static constexpr StringLiteral order[] = {".ls", ".hs", ".es", ".gs", ".vs"};
  for (StringRef name : order)
    if (stageFields(model, name).exists())
      return name;
  return "";
}

/// Returns true for pipelines with mesh or task shaders, also where only their hardware stages are
/// named.
static bool comesFromTasks(const ElfModel &model) {
  return hasApiShader(model, ".mesh") || hasApiShader(model, ".task") ||
         stageFields(model, ".cs").exists();
}

/// UD-06. The first stage is the earliest of LS, HS, ES, GS and VS in the metadata. Each mapped
/// register in another stage is a finding.
static void checkVertexCodes(const ElfModel &model, RuleReporter &out) {
  StringRef first = firstGraphicsStage(model);
  if (first.empty() || comesFromTasks(model))
    return;
  for (const StageModel &stage : getStages(model))
    for (auto [index, code] : enumerate(stage.typed->userDataRegMap))
      if (code >= user_data::BaseVertex && code <= user_data::DrawIndex && stage.name() != first)
        out.report(stage.location(".user_data_reg_map") + "[" + Twine(index) + "]", "vertex",
                   "the base vertex, base instance and draw index come to stage '" + first +
                       "' only, where vertices come first");
}

/// UD-15. Looks at the entries below the spill threshold, and only when entries from it on are
/// spilled. One finding for each entry.
static void checkLostEntries(const ElfModel &model, RuleReporter &out) {
  if (!model.launch || isLibrary(model))
    return;
  uint32_t threshold = model.launch->spillThreshold.value_or(0);
  if (threshold >= model.launch->userDataLimit.value_or(0) || threshold > user_data::MaxEntries)
    return; // Nothing is spilled.
  for (uint32_t entry = 0; entry < threshold; ++entry)
    if (none_of(getStages(model), [&](const StageModel &stage) {
          return is_contained(stage.typed->userDataRegMap, entry);
        }))
      out.report(".spill_threshold", "lost",
                 "user data entry " + Twine(entry) +
                     " is in no register, and not spilled: no shader sees it");
}

/// UD-17. One finding for each stage that maps the code. GFX12 has no such register, so that any
/// mapping is an error.
static void checkRingSize(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    if (!is_contained(stage.typed->userDataRegMap, uint32_t(user_data::EsGsLdsSize)))
      continue;
    if (getGfxMajor(model) >= 12)
      out.report(stage.location(".user_data_reg_map"), "gfx12",
                 "EsGsLdsSize is mapped, which GFX12 does not have");
    else if (!pipelineFields(model).has(".es_gs_lds_size"))
      out.report(hasApiShader(model, ".geometry") ? RuleLevel::Warning : RuleLevel::Info,
                 stage.location(".user_data_reg_map"), "missing",
                 "EsGsLdsSize is mapped, but '.es_gs_lds_size' is missing: PAL hands in 0");
  }
}

/// UD-18. The register is an offset of the graphics registers; 0 means that there is none. Up to
/// three findings: NGG is off, primitives pass through, or the mapping exists as well.
static void checkCullingData(const ElfModel &model, RuleReporter &out) {
  FieldMap graphics = graphicsRegisters(model);
  FieldMap enabled = graphics.at(".vgt_shader_stages_en");
  if (!graphics.numberOr(".ngg_culling_data_reg") || !enabled.has(".primgen_en"))
    return;
  StringRef place = ".graphics_registers.ngg_culling_data_reg";
  if (!enabled.flag(".primgen_en"))
    out.report(place, "ngg", "it is set, but '.primgen_en' is not: there is nothing to cull");
  else if (enabled.flag(".primgen_passthru_en"))
    out.report(place, "passthrough", "it is set, but primitives pass through unculled");
  if (any_of(getStages(model), [](const StageModel &stage) {
        return is_contained(stage.typed->userDataRegMap, uint32_t(user_data::NggCullingData));
      }))
    out.report(place, "twice", "NggCullingData is mapped as well, and PAL takes the mapping");
}

static constexpr RuleInfo launchRules[] = {
    {"RES-07",
     RuleLevel::Error,
     "Extra LDS of a pixel shader is in the hardware's units",
     {EnforcerKind::Pal, "gfx9AbiToPipelineRegisters.h, SpiShaderPgmRsrc2Ps"},
     "'.ps_extra_lds_size' is a multiple of 512 bytes, on GFX11 of 1024: PAL rounds down. GFX12 is "
     "exempt.",
     checkPixelLds},
    {"RES-09",
     RuleLevel::Error,
     "A workgroup fits where it must run",
     {EnforcerKind::Hardware,
      "AMD ISA manuals, VGPR allocation: all waves of a workgroup run at once"},
     "All waves of a workgroup are resident at once, on four SIMDs (two from GFX10 on, when "
     "'.wgp_mode' is said to be off). The registers are counted without rounding and against the "
     "largest chip of the generation; dynamic VGPRs are exempt.",
     checkLaunchable},
    {"RES-10",
     RuleLevel::Info,
     "The workgroup kept its number of threads",
     {EnforcerKind::Habit, "LGC; PAL does not read it"},
     "'.orig_threadgroup_dimensions' is the shape before the compiler changed it; the number of "
     "threads is the same.",
     checkOriginalSize},
    {"RES-14",
     RuleLevel::Info,
     "The stack is part of scratch",
     {EnforcerKind::Habit, "LGC; PAL only hands it to clients"},
     "'.backend_stack_size' is at most '.scratch_memory_size'. Pipelines with continuations "
     "('.uses_cps') are exempt.",
     checkStacks},
    {"RES-18",
     RuleLevel::Info,
     "Scratch of mesh shaders comes with one",
     {EnforcerKind::Habit, "LGC; PAL makes the ring and nothing uses it"},
     "'.mesh_scratch_memory_size' is a ring of its own, not the scratch of stage '.gs', so that "
     "the two are not compared.",
     checkMeshScratch},
    {"UD-06",
     RuleLevel::Error,
     "Vertex data are mapped in the first stage",
     {EnforcerKind::Pal, "gfx9UniversalCmdBuffer.cpp, UniversalCmdBuffer::DescribeDraw (assert)"},
     "BaseVertex, BaseInstance and DrawIndex. Pipelines with mesh or task shaders are exempt.",
     checkVertexCodes},
    {"UD-15",
     RuleLevel::Info,
     "No entry is lost between registers and spill table",
     {EnforcerKind::Habit, "LGC"},
     "Entries below '.spill_threshold' are in registers or nowhere. Only told when something is "
     "spilled, and no more than an info: who does not read an entry need not map it.",
     checkLostEntries},
    {"UD-17",
     RuleLevel::Error,
     "The size of the ES-GS ring is known where it is mapped",
     {EnforcerKind::Pal, "gfx12GraphicsPipeline.cpp, GraphicsPipeline::GraphicsPipeline (assert)"},
     "EsGsLdsSize is not for GFX12 (error); before, a missing '.es_gs_lds_size' is a warning where "
     "there is an API geometry shader, else an info: LGC mapped it for all of NGG, and without "
     "that shader nothing reads it.",
     checkRingSize},
    {"UD-18",
     RuleLevel::Info,
     "Culling data has one register and a reader",
     {EnforcerKind::Habit, "LGC"},
     "'.ngg_culling_data_reg' is for NGG that does not pass through, and instead of the mapping "
     "NggCullingData.",
     checkCullingData},
};

ArrayRef<RuleInfo> assay::getLaunchRules() {
  return launchRules;
}

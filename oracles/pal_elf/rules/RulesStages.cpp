// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules TOP-01 to TOP-11: stages, entry points, API shaders and the pipeline type go together.
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <set>

using namespace llvm;
using namespace assay;

using NameSet = std::set<StringRef>;

/// Returns "a, b", or "none" for an empty set.
static std::string join(const NameSet &names) {
  std::string text;
  for (StringRef name : names)
    text += (text.empty() ? "" : ", ") + name.str();
  return text.empty() ? "none" : text;
}

/// Returns the hardware stages of the metadata: ".cs", ".ps".
static NameSet stageNames(const ElfModel &model) {
  NameSet names;
  for (const StageModel &stage : getStages(model))
    names.insert(stage.name());
  return names;
}

/// ".cs" -> "_amdgpu_cs_main".
static std::string mainSymbol(StringRef stage) {
  return ("_amdgpu_" + stage.drop_front() + "_main").str();
}

/// TOP-01. Silent for ELFs without symbols, which ELF-12 reports.
static void checkEntrySymbols(const ElfModel &model, RuleReporter &out) {
  if (!model.elf || model.elf->symbols().empty())
    return;
  for (const StageModel &stage : getStages(model))
    if (!model.elf->findSymbol(stage.typed->entryPoint))
      out.report(stage.location(), "entry",
                 "its entry point '" + stage.typed->entryPoint + "' is not defined");
}

/// True when PAL sets up hardware stage \p stage, with zeros where the metadata say nothing of it.
static bool isLaunched(const ElfModel &model, StringRef stage) {
  FieldMap enabled = graphicsRegisters(model).at(".vgt_shader_stages_en");
  bool ngg = enabled.flag(".primgen_en");
  bool isGraphics = enabled.exists();
  if (stage == ".cs")
    return !isGraphics || hasApiShader(model, ".task");
  if (stage == ".hs")
    return enabled.flag(".hs_stage_en");
  if (stage == ".gs")
    return ngg || enabled.flag(".gs_stage_en");
  return (stage == ".ps" && isGraphics) || (stage == ".vs" && isGraphics && !ngg);
}

/// TOP-02. Symbols are found by PAL's fixed names. An error only where PAL would set up the stage.
static void checkStageOfSymbols(const ElfModel &model, RuleReporter &out) {
  if (!model.elf || !model.launch || isLibrary(model))
    return;
  NameSet names = stageNames(model);
  for (StringRef stage : getSchemaEnum(SchemaName::HardwareStageName))
    if (model.elf->findSymbol(mainSymbol(stage)) && !names.contains(stage))
      out.report(isLaunched(model, stage) ? RuleLevel::Error : RuleLevel::Info,
                 "symbol '" + mainSymbol(stage) + "'", "stage",
                 "there is no '.hardware_stages" + stage + "' for it");
}

/// TOP-03. Two keys name the entry point. PAL does not read the older one, and the newer one from
/// version 3.6 on.
static void checkEntryKeys(const ElfModel &model, RuleReporter &out) {
  constexpr unsigned FirstWithNames = 36; // PAL, PipelineSupportsGenericEntryPoint.
  for (const StageModel &stage : getStages(model)) {
    std::string expected = mainSymbol(stage.name());
    const MsgValue *old = stage.map->find(".entry_point");
    if (old && !old->isString(expected))
      out.report(RuleLevel::Info, stage.location(".entry_point"), "entry_point",
                 "it is " + describeMsgValue(*old) + ", expected \"" + expected + "\"");
    const MsgValue *name = stage.map->find(".entry_point_symbol");
    bool isDefined = model.elf && model.elf->findSymbol(stage.typed->entryPoint); // Else TOP-01.
    if (name && isDefined && model.schemaVersion() < FirstWithNames && !name->isString(expected))
      out.report(stage.isCompute() ? RuleLevel::Info : RuleLevel::Fatal,
                 stage.location(".entry_point_symbol"), "entry_point_symbol",
                 "it is " + describeMsgValue(*name) + ", but before version 3.6 PAL launches '" +
                     expected + "'");
  }
}

/// TOP-04. '.ls' and '.es' are reported for every chip, '.vs' only for known ones.
static void checkStagesOfChip(const ElfModel &model, RuleReporter &out) {
  unsigned major = getGfxMajor(model);
  for (const StageModel &stage : getStages(model)) {
    if (stage.name() == ".ls" || stage.name() == ".es")
      out.report(stage.location(), "merged",
                 "GFX9 and later merge this stage into " +
                     Twine(stage.name() == ".ls" ? "'.hs'" : "'.gs'"));
    if (stage.name() == ".vs" && major >= 11)
      out.report(stage.location(), "vs", "GFX11 and later have no hardware stage '.vs'");
  }
}

namespace {

struct TypeStages {
  StringRef type;
  SmallVector<StringRef, 4> stages; ///< `.ps` may be missing.
};

} // namespace

/// The stages of each pipeline type (PAL, palPipelineAbi.h; LGC's hardware mapping).
static const std::vector<TypeStages> &typeTable() {
  static const std::vector<TypeStages> table = {
      {"Cs", {".cs"}},
      {"VsPs", {".vs", ".ps"}},
      {"Gs", {".gs", ".vs", ".ps"}},
      {"Tess", {".hs", ".vs", ".ps"}},
      {"GsTess", {".hs", ".gs", ".vs", ".ps"}},
      {"Ngg", {".gs", ".ps"}},
      {"NggTess", {".hs", ".gs", ".ps"}},
      {"Mesh", {".gs", ".ps"}},
      {"TaskMesh", {".cs", ".gs", ".ps"}},
  };
  return table;
}

/// TOP-05. Compares the sets of hardware stages exactly, except for '.ps'.
static void checkType(const ElfModel &model, RuleReporter &out) {
  if (!model.launch || model.launch->type.empty() || isLibrary(model))
    return;
  auto row =
      find_if(typeTable(), [&](const TypeStages &r) { return r.type == model.launch->type; });
  if (row == typeTable().end())
    return; // MD-09 says so.
  NameSet expected(row->stages.begin(), row->stages.end());
  NameSet actual = stageNames(model);
  if (!actual.contains(".ps"))
    expected.erase(".ps");
  if (actual != expected)
    out.report(".type", row->type,
               "a pipeline of type '" + row->type + "' has the hardware stages " + join(expected) +
                   ", this one has " + join(actual));
}

/// Returns `.shaders`, null unless it is a map.
static const MsgValue *shadersOf(const ElfModel &model) {
  const MsgValue *shaders = model.pipeline ? model.pipeline->find(".shaders") : nullptr;
  return shaders && shaders->kind == MsgKind::Map ? shaders : nullptr;
}

/// TOP-06. Pipelines without any API shader are not checked.
static void checkMapping(const ElfModel &model, RuleReporter &out) {
  const MsgValue *shaders = shadersOf(model);
  if (!shaders || shaders->items.empty() || !model.launch || isLibrary(model))
    return;
  NameSet mapped;
  for (size_t i = 1; i < shaders->items.size(); i += 2)
    if (const MsgValue *mapping = shaders->items[i].find(".hardware_mapping"))
      for (const MsgValue &stage : mapping->items)
        if (stage.kind == MsgKind::String)
          mapped.insert(stage.text);
  NameSet actual = stageNames(model);
  if (actual.contains(".gs") && !mapped.contains(".vs"))
    actual.erase(".vs"); // The copy shader of a legacy geometry shader belongs to no API shader.
  if (mapped != actual)
    out.report(
        llvm::includes(actual, mapped) ? RuleLevel::Info : RuleLevel::Error, ".shaders", "mapping",
        "'.hardware_mapping' names the stages " + join(mapped) + ", there are " + join(actual));
}

/// TOP-07. Shaders that are missing may be in another part of the pipeline, hence infos.
static void checkApiShaders(const ElfModel &model, RuleReporter &out) {
  const MsgValue *shaders = shadersOf(model);
  if (!shaders)
    return;
  auto has = [&](StringRef name) { return shaders->find(name) != nullptr; };
  if (has(".compute") && shaders->mapSize() > 1)
    out.report(".shaders", "compute", "a compute shader is alone in its pipeline");
  // What is not here may be in another part of the pipeline.
  if (has(".task") && !has(".mesh"))
    out.report(RuleLevel::Info, ".shaders", "task", "a task shader needs a mesh shader");
  if (has(".hull") != has(".domain"))
    out.report(RuleLevel::Info, ".shaders", "tessellation",
               "hull and domain shaders come together");
  for (StringRef name : {".vertex", ".hull", ".domain", ".geometry"})
    if (has(".mesh") && has(name))
      out.report(".shaders", "mesh", "a mesh shader does not go with '" + name + "'");
}

/// TOP-08. Compares VGT_SHADER_STAGES_EN with the hardware stages of the metadata. GFX12 has no
/// PRIMGEN_EN.
static void checkStagesEnabled(const ElfModel &model, RuleReporter &out) {
  FieldMap enabled = graphicsRegisters(model).at(".vgt_shader_stages_en");
  if (!enabled.exists() || !model.launch)
    return;
  auto flag = [&](StringRef key) { return enabled.flag(key); };
  NameSet stages = stageNames(model);
  if (flag(".hs_stage_en") != stages.contains(".hs"))
    out.report(".graphics_registers.vgt_shader_stages_en", "hs",
               "'.hs_stage_en' does not agree with the hardware stages " + join(stages));
  // In NGG without an API geometry shader the stage is there and gs_stage_en is not.
  if (flag(".gs_stage_en") && !stages.contains(".gs"))
    out.report(".graphics_registers.vgt_shader_stages_en", "gs",
               "'.gs_stage_en' is set, but there is no stage '.gs'");
  if (getGfxMajor(model) >= 12)
    return; // It has primitive shaders only, and no field for it.
  bool ngg = flag(".primgen_en");
  if (ngg && stages.contains(".vs"))
    out.report(".graphics_registers.vgt_shader_stages_en", "primgen",
               "'.primgen_en' is set, but vertices come from stage '.vs'");
  if (!ngg && stages.contains(".gs") && !stages.contains(".vs"))
    out.report(
        ".graphics_registers.vgt_shader_stages_en", "primgen",
        "'.primgen_en' is not set, and there is no stage '.vs' that vertices could come from");
}

/// TOP-09. PAL asserts that these are 0 on GFX12.
static void checkRemovedEnables(const ElfModel &model, RuleReporter &out) {
  FieldMap enabled = graphicsRegisters(model).at(".vgt_shader_stages_en");
  if (getGfxMajor(model) < 12)
    return;
  for (StringRef key : {".vs_stage_en", ".dynamic_hs", ".ordered_id_mode"})
    if (enabled.numberOr(key))
      out.report((".graphics_registers.vgt_shader_stages_en" + key).str(), key,
                 "it is " + Twine(enabled.numberOr(key)) + ", GFX12 has no such field");
}

namespace {
/// A bit of LGC's that says the wave size of a stage once more.
struct WaveBit {
  StringLiteral stage;
  StringLiteral map; ///< In `.graphics_registers`; empty: that itself.
  StringLiteral key;
};
} // namespace

static constexpr WaveBit waveBits[] = {
    {".hs", ".vgt_shader_stages_en", ".hs_w32_en"},
    {".gs", ".vgt_shader_stages_en", ".gs_w32_en"},
    {".vs", ".vgt_shader_stages_en", ".vs_w32_en"},
    {".ps", ".spi_ps_in_control", ".ps_w32_en"},
    {".hs", "", ".hs_w32_en"},
    {".gs", "", ".gs_w32_en"},
    {".vs", "", ".vs_w32_en"},
    {".ps", "", ".ps_w32_en"},
};

/// TOP-10. Compares only where both the bit and the wave size are there.
static void checkWaveBits(const ElfModel &model, RuleReporter &out) {
  FieldMap graphics = pipelineFields(model).at(".graphics_registers");
  for (const WaveBit &row : waveBits) {
    FieldMap map = row.map.empty() ? graphics : graphics.at(row.map);
    std::optional<uint64_t> size = stageFields(model, row.stage).number(".wavefront_size");
    if (size && map.has(row.key) && map.flag(row.key) != (*size == 32))
      out.report((".graphics_registers" + row.map + row.key).str(), row.key,
                 Twine("it is ") + (map.flag(row.key) ? "true" : "false") +
                     ", but '.wavefront_size' of stage '" + row.stage + "' is " + Twine(*size));
  }
}

/// TOP-11. A library is an ELF with '.shader_functions'. Each of its graphics stages is a finding.
static void checkLibrary(const ElfModel &model, RuleReporter &out) {
  if (!isLibrary(model))
    return;
  for (const StageModel &stage : getStages(model))
    if (!stage.isCompute())
      out.report(stage.location(), "library", "libraries of functions are for compute only");
}

static constexpr RuleInfo stagesRules[] = {
    {"TOP-01",
     RuleLevel::Fatal,
     "Every stage's entry point is defined",
     {EnforcerKind::Pal, "codeObjectUploader.cpp, CodeObjectUploader::GetEntryPointGpuSymbol"},
     "The symbol is '.entry_point_symbol', else '.entry_point', else '_amdgpu_XX_main'.",
     checkEntrySymbols},
    {"TOP-02",
     RuleLevel::Error,
     "Every entry point has a stage",
     {EnforcerKind::Pal,
      "gfx9PipelineChunkCs.cpp, PipelineChunkCs::LateInit and its like for the other stages"},
     "PAL takes a symbol '_amdgpu_XX_main' of a stage that it sets up, and zeros for what "
     "'.hardware_stages.XX' does not say: no threads, no registers. An info where it does not set "
     "up the stage. Libraries ('.shader_functions') are exempt.",
     checkStageOfSymbols},
    {"TOP-03",
     RuleLevel::Fatal,
     "Entry point keys name what PAL launches",
     {EnforcerKind::Pal, "codeObjectUploader.cpp, CodeObjectUploader::GetEntryPointGpuSymbol; "
                         "pipeline.h, PipelineSupportsGenericEntryPoint"},
     "Before version 3.6 PAL launches '_amdgpu_XX_main' and does not read '.entry_point_symbol'. "
     "Another name is an info for compute shaders, whose functions clients look up. '.entry_point' "
     "is read by nobody (info).",
     checkEntryKeys},
    {"TOP-04",
     RuleLevel::Error,
     "The chip has the hardware stages",
     {EnforcerKind::Hardware,
      "SPI_SHADER_PGM_LO_LS and _ES (none from GFX9 on), _VS (none from GFX11 on); PAL: "
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::GetVsUserDataBaseOffset (assert)"},
     "GFX9 merged LS into HS and ES into GS; GFX11 removed VS. LLVM compiles for any of them.",
     checkStagesOfChip},
    {"TOP-05",
     RuleLevel::Info,
     "The type fits the stages",
     {EnforcerKind::Habit, "LGC; PAL does not read it"},
     "Tools believe '.type'. A stage that is missing may be in another part of the pipeline. '.ps' "
     "may be missing.",
     checkType},
    {"TOP-06",
     RuleLevel::Error,
     "API shaders map to stages that are there",
     {EnforcerKind::Specification, "LLVM AMDGPUUsage, AMDPAL, .hardware_mapping; PAL: "
                                   "graphicsPipeline.cpp, GraphicsPipeline::InitFromLibraries"},
     "Each stage in '.hardware_mapping' is in '.hardware_stages'. A stage that no API shader maps "
     "to is an info; the copy shader of a legacy geometry shader is exempt.",
     checkMapping},
    {"TOP-07",
     RuleLevel::Error,
     "The API shaders can be in one pipeline",
     {EnforcerKind::Specification,
      "Vulkan, VUID-VkGraphicsPipelineCreateInfo-pStages-02095 and VkComputePipelineCreateInfo"},
     "Compute alone; mesh without the vertex stages. A task shader without mesh shader, or only "
     "one of hull and domain, is an info: this may be a part of a pipeline.",
     checkApiShaders},
    {"TOP-08",
     RuleLevel::Error,
     "The stage enables agree with the stages",
     {EnforcerKind::Hardware, "VGT_SHADER_STAGES_EN: HS_EN, GS_EN, PRIMGEN_EN"},
     "'.vgt_shader_stages_en': hs_stage_en, gs_stage_en; primgen_en exactly when vertices come "
     "from '.gs' and there is no '.vs'.",
     checkStagesEnabled},
    {"TOP-09",
     RuleLevel::Error,
     "GFX12 gets no stage enables that it does not have",
     {EnforcerKind::Pal, "gfx12GraphicsPipeline.cpp, GraphicsPipeline::InitContextState (assert)"},
     "'.vs_stage_en', '.dynamic_hs' and '.ordered_id_mode' are 0.",
     checkRemovedEnables},
    {"TOP-10",
     RuleLevel::Info,
     "Both keys for a wave size agree",
     {EnforcerKind::Habit,
      "LGC; PAL takes the wave size: gfx9AbiToPipelineRegisters.h, VgtShaderStagesEn"},
     "'.hs_w32_en' and its like, which only LGC writes, against '.wavefront_size', which is what "
     "PAL reads.",
     checkWaveBits},
    {"TOP-11",
     RuleLevel::Info,
     "A library is for compute shaders",
     {EnforcerKind::Habit, "LGC, LLVM"},
     "'.shader_functions' makes an ELF a library: it has no stage but '.cs', and rules on the "
     "pipeline's topology do not apply.",
     checkLibrary},
};

ArrayRef<RuleInfo> assay::getStageRules() {
  return stagesRules;
}

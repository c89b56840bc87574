// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules UD-01 to UD-19 (those that need no look at the code): what the user SGPRs hold.
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace llvm;
using namespace assay;

namespace {

/// Who may have a code in its user SGPRs.
enum class Owner : uint8_t { Any, Graphics, Compute, Pixel, Geometry };

/// One mapping code (PAL, palPipelineAbi.h, UserDataMapping).
struct MappingCode {
  StringRef name;
  uint32_t code;
  Owner owner;
  uint8_t sgprs;            ///< That it takes.
  bool oncePerPipeline;     ///< All stages that have it must have it in the same register.
  unsigned lastVersion = 0; ///< That PAL filled it in for, major * 10 + minor; 0: it still does.
};
/// PAL has only kept the name.
constexpr unsigned deprecated = ~0u;

} // namespace

/// Each code with its number, the stages that may have it, its number of registers, and whether a
/// pipeline has it only once.
static constexpr MappingCode codes[] = {
    {"GlobalTable", 0x10000000, Owner::Any, 1, false},
    {"PerShaderTable", 0x10000001, Owner::Any, 1, false},
    {"SpillTable", 0x10000002, Owner::Any, 1, false},
    {"BaseVertex", 0x10000003, Owner::Graphics, 1, true},
    {"BaseInstance", 0x10000004, Owner::Graphics, 1, true},
    {"DrawIndex", 0x10000005, Owner::Any, 1, true},
    {"Workgroup", 0x10000006, Owner::Compute, 2, false},
    {"GdsRange", 0x10000007, Owner::Any, 1, false, deprecated},
    {"BaseIndex", 0x10000008, Owner::Any, 1, false, deprecated},
    {"Log2IndexSize", 0x10000009, Owner::Any, 1, false, deprecated},
    {"EsGsLdsSize", 0x1000000a, Owner::Graphics, 1, false},
    {"ViewId", 0x1000000b, Owner::Any, 1, false},
    {"StreamOutTable", 0x1000000c, Owner::Graphics, 1, true},
    {"PerShaderPerfData", 0x1000000d, Owner::Any, 1, false},
    {"VertexBufferTable", 0x1000000f, Owner::Graphics, 1, true},
    {"UavExportTable", 0x10000010, Owner::Pixel, 1, false, 35},
    {"NggCullingData", 0x10000011, Owner::Geometry, 2, true},
    {"MeshTaskDispatchDims", 0x10000012, Owner::Any, 3, true},
    {"MeshTaskRingIndex", 0x10000013, Owner::Any, 1, true},
    {"MeshPipeStatsBuf", 0x10000014, Owner::Any, 1, true},
    {"FetchShaderPtr", 0x10000015, Owner::Graphics, 1, false, 30},
    {"StreamOutControlBuf", 0x10000016, Owner::Geometry, 1, true},
    {"EnPrimsNeededCnt", 0x10000017, Owner::Graphics, 1, true},
    {"SampleInfo", 0x10000018, Owner::Pixel, 1, true},
    {"ColorExportAddr", 0x10000020, Owner::Pixel, 1, true},
    {"DynamicDualSrcBlendInfo", 0x10000022, Owner::Pixel, 1, false},
    {"CompositeData", 0x10000023, Owner::Any, 1, false},
};

/// Returns the row of \p code, null for entries, links, indirect tables and unknown codes.
static const MappingCode *findCode(uint32_t code) {
  const auto *found = find_if(codes, [&](const MappingCode &row) { return row.code == code; });
  return found == std::end(codes) ? nullptr : found;
}

/// Returns true for the code of a constant that another pipeline part defines (UD-12).
static bool isLink(uint32_t code) {
  return code >= 0x10001000 && code <= 0x100010ff;
}
/// Returns true for the index of a user data entry.
static bool isEntry(uint32_t code) {
  return code < user_data::MaxEntries;
}

/// Returns the place of user SGPR \p index: ".hardware_stages.cs.user_data_reg_map[2]".
static std::string registerLocation(const StageModel &stage, size_t index) {
  return stage.location(".user_data_reg_map") + "[" + std::to_string(index) + "]";
}

/// Calls \p visit for each register that is mapped.
static void forEachMapped(const ElfModel &model,
                          function_ref<void(const StageModel &, uint32_t, uint32_t)> visit) {
  for (const StageModel &stage : getStages(model))
    for (uint32_t i = 0; i < stage.typed->userDataRegMap.size(); ++i)
      if (stage.typed->userDataRegMap[i] != user_data::NotMapped)
        visit(stage, i, stage.typed->userDataRegMap[i]);
}

/// UD-01. In 2.x metadata the count is in another register that may be missing, so only 3.x is
/// checked.
static void checkMappedRegisters(const ElfModel &model, RuleReporter &out) {
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    // 2.x metadata has a register for each value, and the count in another one.
    if (model.major == 3 && i >= stage.typed->userSgprs)
      out.report(registerLocation(stage, i), "beyond",
                 "it is mapped to 0x" + utohexstr(code, true) + ", but '.user_sgprs' is " +
                     Twine(stage.typed->userSgprs));
  });
}

/// UD-02. Indirect tables (0x2xxxxxxx) are accepted, and so are pipeline links; checkLinks() looks
/// at these.
static void checkCodes(const ElfModel &model, RuleReporter &out) {
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    if (!isEntry(code) && !isLink(code) && !findCode(code) && code >> 28 != 2)
      out.report(registerLocation(stage, i), "code",
                 "0x" + utohexstr(code, true) + " is neither a user data entry nor a mapping code");
  });
}

/// UD-03. PAL writes both tables to fixed registers and does not read the mapping.
static void checkTablePlaces(const ElfModel &model, RuleReporter &out) {
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    if ((code == user_data::GlobalTable && i != 0) || (code == user_data::PerShaderTable && i != 1))
      out.report(registerLocation(stage, i), findCode(code)->name,
                 findCode(code)->name + " belongs into register " +
                     Twine(code == user_data::GlobalTable ? 0 : 1));
  });
}

/// UD-04. Different stages may have the same entry.
static void checkEntryOnce(const ElfModel &model, RuleReporter &out) {
  std::map<std::pair<StringRef, uint32_t>, uint32_t> seen;
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    if (!isEntry(code))
      return;
    auto [known, isNew] = seen.try_emplace({stage.name(), code}, i);
    // From GFX12 on PAL keeps one register for each entry of a compute shader: the last.
    bool isLost = stage.isCompute() && getGfxMajor(model) >= 12;
    if (!isNew)
      out.report(isLost ? RuleLevel::Error : RuleLevel::Info, registerLocation(stage, i), "twice",
                 "user data entry " + Twine(code) + " is already in register " +
                     Twine(known->second));
  });
}

/// UD-05. BaseVertex without BaseInstance is accepted.
static void checkBaseInstance(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    const auto &map = stage.typed->userDataRegMap;
    auto vertex = llvm::find(map, 0x10000003u);
    auto instance = llvm::find(map, 0x10000004u);
    if (instance != map.end() && (vertex == map.end() || instance != vertex + 1))
      out.report(stage.location(".user_data_reg_map"), "base-instance",
                 "BaseInstance must be after BaseVertex");
  }
}

/// UD-07. Compares each stage with the first that has the code.
static void checkOncePerPipeline(const ElfModel &model, RuleReporter &out) {
  std::map<uint32_t, uint32_t> places;
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    const MappingCode *row = findCode(code);
    if (!row || !row->oncePerPipeline || stage.isCompute())
      return; // A task shader has a layout of its own.
    auto [known, isNew] = places.try_emplace(code, i);
    if (!isNew && known->second != i)
      out.report(registerLocation(stage, i), row->name,
                 row->name + " is also in register " + Twine(known->second) +
                     "; a pipeline has one place for it");
  });
}

/// UD-08. Codes that any stage of graphics or compute may have are checkStageKinds()'s.
static void checkOwners(const ElfModel &model, RuleReporter &out) {
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    const MappingCode *row = findCode(code);
    if (!row)
      return;
    bool wrong = (row->owner == Owner::Pixel && stage.name() != ".ps") ||
                 (row->owner == Owner::Geometry && stage.name() != ".gs");
    // From GFX12 on PAL fills them in wherever they are.
    if (wrong)
      out.report(getGfxMajor(model) >= 12 ? RuleLevel::Info : RuleLevel::Error,
                 registerLocation(stage, i), row->name,
                 row->name + " is for '" + Twine(row->owner == Owner::Pixel ? ".ps" : ".gs") +
                     "' only");
  });
}

/// UD-09. Only codes of several registers are checked. The first register has the code; the
/// registers that follow must not be mapped.
static void checkWidths(const ElfModel &model, RuleReporter &out) {
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    const MappingCode *row = findCode(code);
    if (!row || row->sgprs == 1)
      return;
    uint32_t limit = stage.isCompute() ? 16 : 32;
    if (i + row->sgprs > limit)
      out.report(registerLocation(stage, i), row->name,
                 row->name + " takes " + Twine(row->sgprs) + " registers, there are " +
                     Twine(limit));
    for (uint32_t k = i + 1; k < i + row->sgprs && k < stage.typed->userDataRegMap.size(); ++k)
      if (stage.typed->userDataRegMap[k] != user_data::NotMapped)
        out.report(registerLocation(stage, k), row->name,
                   "it is mapped, but " + row->name + " from register " + Twine(i) + " takes it");
  });
}

/// UD-10. PAL does not write the register of a code of the other kind.
static void checkStageKinds(const ElfModel &model, RuleReporter &out) {
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    const MappingCode *row = findCode(code);
    if (!row)
      return;
    if (row->owner == Owner::Compute && !stage.isCompute())
      out.report(registerLocation(stage, i), row->name, row->name + " is for compute shaders only");
    if (row->owner == Owner::Graphics && stage.isCompute())
      out.report(registerLocation(stage, i), row->name, row->name + " is for graphics only");
  });
}

/// UD-11. Metadata of the last version that had the code, or an earlier one, yield infos.
static void checkRemovedCodes(const ElfModel &model, RuleReporter &out) {
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    const MappingCode *row = findCode(code);
    if (row && row->lastVersion)
      out.report(model.schemaVersion() > row->lastVersion ? RuleLevel::Error : RuleLevel::Info,
                 registerLocation(stage, i), row->name,
                 row->name + " is no longer used: today's PAL leaves the register as it is");
  });
}

/// UD-12. Counts each link once for all stages.
static void checkLinks(const ElfModel &model, RuleReporter &out) {
  std::set<uint32_t> links;
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    if (!isLink(code))
      return;
    links.insert(code);
    uint32_t number = code - 0x10001000;
    std::string symbol = "_amdgpu_pipelineLink" + std::to_string(number);
    if (number % 2 == 0 && model.elf && !model.elf->findSymbol(symbol))
      out.report(registerLocation(stage, i), "link",
                 "it asks for '" + symbol + "', which is not defined");
  });
  if (links.size() > 4)
    out.report(".hardware_stages", "links",
               "there are " + Twine(links.size()) + " pipeline links, PAL has room for 4");
}

/// True when user data beyond the registers is in memory; nothing when nothing is said.
static std::optional<bool> spills(const ElfModel &model) {
  if (!model.launch || !model.launch->spillThreshold)
    return std::nullopt;
  uint32_t threshold = *model.launch->spillThreshold;
  if (threshold == 0xffff || threshold == 0xffffffff)
    return false;
  return !model.launch->userDataLimit || threshold < *model.launch->userDataLimit;
}

/// UD-13. Silent without '.spill_threshold', and for libraries. Unmapped but spilled entries are an
/// info if the last entry is in a register.
static void checkSpillTable(const ElfModel &model, RuleReporter &out) {
  std::optional<bool> spilled = spills(model);
  if (!model.launch || !spilled || isLibrary(model))
    return;
  uint32_t limit = model.launch->userDataLimit.value_or(0);
  bool mapped = false, lastIsMapped = false;
  forEachMapped(model, [&](const StageModel &, uint32_t, uint32_t code) {
    mapped |= code == user_data::SpillTable;
    lastIsMapped |= code + 1 == limit;
  });
  if (*spilled && limit == 0)
    return out.report(".user_data_limit", "missing",
                      "entries are spilled, but nothing says how many there are");
  if (*spilled && !mapped)
    out.report(lastIsMapped ? RuleLevel::Info : RuleLevel::Error, ".spill_threshold", "unmapped",
               "entries from " + Twine(model.launch->spillThreshold.value_or(0)) +
                   " on are spilled, but no stage maps SpillTable");
  if (!*spilled && mapped)
    out.report(RuleLevel::Warning, ".spill_threshold", "mapped",
               "a stage maps SpillTable, but nothing is spilled");
}

/// UD-14. Each mapped entry at or above the limit is a finding. Without the key nothing is known.
static void checkUserDataLimit(const ElfModel &model, RuleReporter &out) {
  if (!model.launch || !model.launch->userDataLimit)
    return;
  uint32_t limit = *model.launch->userDataLimit;
  if (limit > user_data::MaxEntries)
    out.report(".user_data_limit", "limit",
               "it is " + Twine(limit) + ", PAL has " + Twine(user_data::MaxEntries) + " entries");
  forEachMapped(model, [&](const StageModel &stage, uint32_t i, uint32_t code) {
    if (isEntry(code) && code >= limit)
      out.report(registerLocation(stage, i), "beyond-limit",
                 "it holds user data entry " + Twine(code) + ", but '.user_data_limit' is " +
                     Twine(limit));
  });
}

/// UD-19. Compared for each stage on its own; a missing size is 0.
static void checkPerfData(const ElfModel &model, RuleReporter &out) {
  for (const StageModel &stage : getStages(model)) {
    bool mapped = is_contained(stage.typed->userDataRegMap, 0x1000000du);
    const MsgValue *size = stage.map->find(".perf_data_buffer_size");
    bool sized = size && size->asUint().value_or(0) != 0;
    if (mapped != sized)
      out.report(stage.location(".perf_data_buffer_size"), "perf",
                 Twine("PerShaderPerfData is ") + (mapped ? "mapped" : "not mapped") +
                     ", but the buffer has " + (sized ? "a size" : "no size"));
  }
}

static constexpr RuleInfo userDataRules[] = {
    {"UD-01",
     RuleLevel::Error,
     "No register beyond .user_sgprs is mapped",
     {EnforcerKind::Hardware,
      "COMPUTE_PGM_RSRC2.USER_SGPR and its like: so many registers are loaded"},
     "The hardware would not load it. Holes below are accepted. 3.x metadata only.",
     checkMappedRegisters},
    {"UD-02",
     RuleLevel::Fatal,
     "Every mapping is an entry or a known code",
     {EnforcerKind::Pal,
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::SetupSignatureForStageFromElf; "
      "gfx9PipelineChunkCs.cpp, PipelineChunkCs::SetupSignatureFromMetadata (assert; the register "
      "is not written)"},
     "Entries are 0 to 159. Indirect tables (0x2xxxxxxx) are deprecated, but accepted.",
     checkCodes},
    {"UD-03",
     RuleLevel::Fatal,
     "GlobalTable is in register 0, PerShaderTable in 1",
     {EnforcerKind::Pal,
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::SetupSignatureForStageFromElf; "
      "gfx9PipelineChunkCs.cpp, PipelineChunkCs::SetupSignatureFromMetadata (assert)"},
     "PAL writes them there whatever the metadata says.",
     checkTablePlaces},
    {"UD-04",
     RuleLevel::Error,
     "An entry is in one register of a stage",
     {EnforcerKind::Pal, "gfx12UserDataLayout.cpp, ComputeUserDataLayout::Create (map[value])"},
     "From GFX12 on PAL keeps one register for each entry of a compute shader, the last. Otherwise "
     "it writes all of them (info).",
     checkEntryOnce},
    {"UD-05",
     RuleLevel::Error,
     "BaseInstance follows BaseVertex",
     {EnforcerKind::Pal,
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::SetupSignatureForStageFromElf (assert); "
      "gfx12UniversalCmdBuffer.h, UniversalCmdBuffer::GetInstanceOffsetRegAddr"},
     "PAL writes both with one packet.",
     checkBaseInstance},
    {"UD-07",
     RuleLevel::Error,
     "What a pipeline has once is in one register",
     {EnforcerKind::Pal,
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::SetupSignatureForStageFromElf (assert); "
      "gfx12UserDataLayout.cpp, GraphicsUserDataLayout::Create (takes the last)"},
     "Draw index, vertex buffer table, stream-out table and their like: PAL remembers one register "
     "for all of HS, GS, VS and PS. A task shader has a layout of its own.",
     checkOncePerPipeline},
    {"UD-08",
     RuleLevel::Error,
     "Codes of pixel and geometry shaders are only there",
     {EnforcerKind::Pal,
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::SetupSignatureForStageFromElf (assert)"},
     "SampleInfo, ColorExportAddr, DynamicDualSrcBlendInfo; NggCullingData, StreamOutControlBuf. "
     "From GFX12 on PAL fills them in wherever they are (info).",
     checkOwners},
    {"UD-09",
     RuleLevel::Error,
     "Codes that take several registers have them",
     {EnforcerKind::Pal, "gfx9ComputeCmdBuffer.cpp, ComputeCmdBuffer::ValidateDispatchPalAbi "
                         "(WriteSetSeqShRegs) and its like"},
     "Workgroup and NggCullingData take two, MeshTaskDispatchDims three; the registers after it "
     "are "
     "not mapped.",
     checkWidths},
    {"UD-10",
     RuleLevel::Error,
     "Compute and graphics keep their codes apart",
     {EnforcerKind::Pal,
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::SetupSignatureForStageFromElf; "
      "gfx9PipelineChunkCs.cpp, PipelineChunkCs::SetupSignatureFromMetadata (alert; the register "
      "is not written)"},
     "Workgroup in compute shaders only, vertex data in graphics only.",
     checkStageKinds},
    {"UD-11",
     RuleLevel::Error,
     "Codes that PAL dropped are not used",
     {EnforcerKind::Pal,
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::SetupSignatureForStageFromElf (assert; the "
      "register is not written)"},
     "UavExportTable up to 3.5, FetchShaderPtr up to 3.0, and GdsRange, BaseIndex and "
     "Log2IndexSize, of which only the names are left, are infos: they were sound when they were "
     "written.",
     checkRemovedCodes},
    {"UD-12",
     RuleLevel::Error,
     "Pipeline links are at most 4 and defined",
     {EnforcerKind::Pal,
      "graphicsPipeline.cpp, GraphicsPipeline::GetPipelineLinkConst (assert); "
      "gfx9GraphicsPipeline.cpp, GraphicsPipeline::SetupSignatureForStageFromElf (assert)"},
     "An even link N needs the symbol '_amdgpu_pipelineLinkN'; an odd one is 0 without it.",
     checkLinks},
    {"UD-13",
     RuleLevel::Error,
     "SpillTable is mapped exactly when entries are spilled",
     {EnforcerKind::Specification,
      "PAL pipeline ABI, g_palPipelineAbiMetadata.h: PipelineMetadata::userDataLimit, "
      "spillThreshold; PAL: gfx9ComputeCmdBuffer.cpp, ComputeCmdBuffer::ValidateUserData (assert)"},
     "'.user_data_limit' counts the entries that shaders read, so that the last of them is in a "
     "register or in the spill table; an info when it is in a register. A '.spill_threshold' of "
     "0xffff (or 0xffffffff) or not below '.user_data_limit' means that nothing is spilled. Then a "
     "mapping is a warning: PAL leaves the register as it is.",
     checkSpillTable},
    {"UD-14",
     RuleLevel::Error,
     "The user data limit covers every entry",
     {EnforcerKind::Specification,
      "PAL pipeline ABI, g_palPipelineAbiMetadata.h: PipelineMetadata::userDataLimit; "
      "gfxCmdBuffer.h, MaxUserDataEntries"},
     "'.user_data_limit' is above each mapped entry and at most 160.",
     checkUserDataLimit},
    {"UD-19",
     RuleLevel::Info,
     "Performance data is mapped exactly when it has a buffer",
     {EnforcerKind::Habit, "LGC; either alone is harmless to PAL"},
     "PerShaderPerfData and '.perf_data_buffer_size'.",
     checkPerfData},
};

ArrayRef<RuleInfo> assay::getUserDataRules() {
  return userDataRules;
}

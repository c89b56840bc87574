// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules MD-01 to MD-14: the structure of the metadata. The table is at the end.
#include "oracles/pal_elf/rules/Rules.h"

#include "oracles/pal_elf/Metadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

static constexpr StringRef metadataLocation = "metadata";

/// Reports the schema problems of one kind.
static void reportSchema(const ElfModel &model, SchemaProblemKind kind, RuleLevel level,
                         RuleReporter &out) {
  for (const SchemaProblem &problem : model.schemaProblems)
    if (problem.kind == kind)
      out.report(level, problem.path, problem.key, problem.text);
}

/// MD-01. Without any note ELF-09 reports.
static void checkEncoding(const ElfModel &model, RuleReporter &out) {
  if (!model.metadataError.empty())
    out.report(metadataLocation, "msgpack", model.metadataError);
}

/// MD-02. Silent for a version that is no array of two: MD-06 and MD-10 report it.
static void checkVersion(const ElfModel &model, RuleReporter &out) {
  if (!model.metadata || model.metadata->kind != MsgKind::Map)
    return;
  const MsgValue *version = model.metadata->find("amdpal.version");
  if (!version)
    return out.report("amdpal.version", "missing",
                      "there is no 'amdpal.version'; PAL takes it for version 0 and refuses it");
  if (version->kind != MsgKind::Array || version->items.size() != 2)
    return; // MD-06 and MD-10 say so.
  std::optional<uint64_t> major = version->items[0].asUint();
  if (major && *major != 2 && *major != 3)
    out.report("amdpal.version", "major", "version " + Twine(*major) + " is neither 2 nor 3");
}

/// MD-03. The order of keys is checked in strict mode only.
static void checkVersionDetails(const ElfModel &model, RuleReporter &out) {
  if (model.major == 3 && model.minor > 6)
    out.report("amdpal.version", "minor",
               "version 3." + Twine(model.minor) + " is above 3.6, the newest known");
  bool first = model.metadata && !model.metadata->items.empty() &&
               model.metadata->items[0].isString("amdpal.version");
  if (model.options->strict && model.major && !first)
    out.report(RuleLevel::Info, "amdpal.version", "order",
               "'amdpal.version' is not the first key of the metadata");
}

/// MD-04. A value that is no array is MD-06's.
static void checkPipelines(const ElfModel &model, RuleReporter &out) {
  if (!model.metadata || model.metadata->kind != MsgKind::Map)
    return;
  const MsgValue *pipelines = model.metadata->find("amdpal.pipelines");
  if (!pipelines)
    return out.report("amdpal.pipelines", "missing", "there is no 'amdpal.pipelines'");
  if (pipelines->kind == MsgKind::Array && pipelines->items.size() != 1)
    out.report("amdpal.pipelines", "count",
               "there are " + Twine(pipelines->items.size()) + " pipelines, expected one");
}

/// MD-05. All findings are those of the schema walk; so are those of the next rules.
static void checkDuplicates(const ElfModel &model, RuleReporter &out) {
  reportSchema(model, SchemaProblemKind::Duplicate, RuleLevel::Fatal, out);
}

/// MD-06. Conversions that PAL makes are infos, those that writers rely on only in strict mode.
static void checkTypes(const ElfModel &model, RuleReporter &out) {
  reportSchema(model, SchemaProblemKind::KeyNotString, RuleLevel::Fatal, out);
  reportSchema(model, SchemaProblemKind::Type, RuleLevel::Fatal, out);
  reportSchema(model, SchemaProblemKind::Converted, RuleLevel::Info, out);
  if (model.options->strict)
    reportSchema(model, SchemaProblemKind::Loose, RuleLevel::Info, out);
}

/// MD-07. A conversion that loses information is a warning.
static void checkRanges(const ElfModel &model, RuleReporter &out) {
  reportSchema(model, SchemaProblemKind::Range, RuleLevel::Error, out);
  reportSchema(model, SchemaProblemKind::Lossy, RuleLevel::Warning, out);
}

/// MD-08. The signature of a probable misspelling names the known key.
static void checkUnknownKeys(const ElfModel &model, RuleReporter &out) {
  bool reportLgcKeys = model.dialect != ElfDialect::Lgc || model.options->strict;
  for (const SchemaProblem &problem : model.schemaProblems) {
    if (problem.kind == SchemaProblemKind::UnknownKey)
      out.report(problem.path, problem.key.empty() ? "unknown" : "misspelt" + problem.key,
                 problem.text);
    else if (problem.kind == SchemaProblemKind::TooNew ||
             problem.kind == SchemaProblemKind::TooOld ||
             (problem.kind == SchemaProblemKind::LgcOnlyKey && reportLgcKeys))
      out.report(RuleLevel::Info, problem.path, problem.key, problem.text);
  }
}

/// MD-09. PAL refuses the whole ELF for one unknown name, hence fatal.
static void checkEnums(const ElfModel &model, RuleReporter &out) {
  reportSchema(model, SchemaProblemKind::EnumValue, RuleLevel::Fatal, out);
}

/// MD-10. The number of pipelines is MD-04's.
static void checkLengths(const ElfModel &model, RuleReporter &out) {
  for (const SchemaProblem &problem : model.schemaProblems)
    if (problem.kind == SchemaProblemKind::Length && problem.key != "amdpal.pipelines")
      out.report(problem.path, problem.key, problem.text);
}

/// MD-13. The limit is a column of Schema.def. Only strings with a limit are checked.
static void checkApiLength(const ElfModel &model, RuleReporter &out) {
  reportSchema(model, SchemaProblemKind::StringLength, RuleLevel::Fatal, out);
}

namespace {

/// A register field of `.registers` that a key of 3.x says too. \p array: the key is an array, and
/// \p index the element.
struct RegisterField {
  StringRef map;  ///< Of the pipeline; ".cs" is the hardware stage.
  StringRef key;  ///< ".float_mode".
  uint32_t reg;   ///< Dword offset.
  unsigned shift; ///< Lowest bit of the field.
  unsigned bits;  ///< Width of the field.
  int index = -1;
};

} // namespace

/// Where a key's value goes in 2.x metadata: the map, the key, the number of the register, first
/// bit and width of the field, and the index for keys with arrays.
static constexpr RegisterField registerFields[] = {
    {".cs", ".threadgroup_dimensions", 0x2e07, 0, 16, 0},
    {".cs", ".threadgroup_dimensions", 0x2e08, 0, 16, 1},
    {".cs", ".threadgroup_dimensions", 0x2e09, 0, 16, 2},
    {".cs", ".float_mode", 0x2e12, 12, 8},
    {".cs", ".mem_ordered", 0x2e12, 30, 1},
    {".cs", ".scratch_en", 0x2e13, 0, 1},
    {".cs", ".user_sgprs", 0x2e13, 1, 5},
    {".compute_registers", ".tgid_x_en", 0x2e13, 7, 1},
    {".compute_registers", ".tgid_y_en", 0x2e13, 8, 1},
    {".compute_registers", ".tgid_z_en", 0x2e13, 9, 1},
    {".compute_registers", ".tg_size_en", 0x2e13, 10, 1},
    {".compute_registers", ".tidig_comp_cnt", 0x2e13, 11, 2},
    {".graphics_registers.spi_ps_input_ena", ".persp_sample_ena", 0xa1b3, 0, 1},
    {".graphics_registers.spi_ps_input_ena", ".persp_center_ena", 0xa1b3, 1, 1},
    {".graphics_registers.spi_ps_input_ena", ".persp_centroid_ena", 0xa1b3, 2, 1},
    {".graphics_registers.spi_ps_input_addr", ".persp_sample_ena", 0xa1b4, 0, 1},
    {".graphics_registers.spi_ps_input_addr", ".persp_center_ena", 0xa1b4, 1, 1},
    {".graphics_registers.spi_ps_input_addr", ".persp_centroid_ena", 0xa1b4, 2, 1},
    {".graphics_registers", ".spi_shader_z_format", 0xa1c4, 0, 4},
};

/// The map at ".a.b" below \p pipeline; ".cs" is short for ".hardware_stages" ".cs". Or null.
static const MsgValue *findMap(const MsgValue &pipeline, StringRef path) {
  const MsgValue *map = &pipeline;
  if (path == ".cs") {
    map = pipeline.find(".hardware_stages");
    return map ? map->find(".cs") : nullptr;
  }
  SmallVector<StringRef, 4> parts;
  path.drop_front().split(parts, '.');
  for (StringRef part : parts)
    if (map)
      map = map->find(("." + part).str());
  return map;
}

/// Returns the value of the register at dword \p reg, the last one if it is there twice. Nullopt
/// when it is missing or no unsigned integer.
static std::optional<uint64_t> findRegister(const MsgValue &pipeline, uint32_t reg) {
  const MsgValue *registers = pipeline.find(".registers");
  if (!registers || registers->kind != MsgKind::Map)
    return std::nullopt;
  for (size_t i = registers->items.size(); i >= 2; i -= 2)
    if (registers->items[i - 2].kind == MsgKind::Uint && registers->items[i - 2].bits == reg)
      return registers->items[i - 1].asUint();
  return std::nullopt;
}

/// Returns a bool or unsigned integer; \p value may be null.
static std::optional<uint64_t> scalarOf(const MsgValue *value) {
  if (value && (value->kind == MsgKind::Uint || value->kind == MsgKind::Bool))
    return value->bits;
  return std::nullopt;
}

/// Returns the element of an array, or \p value itself for a negative \p index. Null when it is
/// missing.
static const MsgValue *itemOf(const MsgValue *value, int index) {
  if (index < 0 || !value)
    return value;
  bool inside = value->kind == MsgKind::Array && static_cast<size_t>(index) < value->items.size();
  return inside ? &value->items[static_cast<size_t>(index)] : nullptr;
}

/// Reports the field when both its register and its key are there and differ.
static void checkOneRegister(const ElfModel &model, const RegisterField &field, RuleReporter &out) {
  std::optional<uint64_t> reg = findRegister(*model.pipeline, field.reg);
  const MsgValue *map = reg ? findMap(*model.pipeline, field.map) : nullptr;
  std::optional<uint64_t> named =
      map ? scalarOf(itemOf(map->find(field.key), field.index)) : std::nullopt;
  if (!reg || !named)
    return;
  uint64_t value = (*reg >> field.shift) & ((uint64_t(1) << field.bits) - 1);
  if (value != *named)
    out.report(".registers", field.key,
               "register 0x" + utohexstr(field.reg, true) + " says " + Twine(value) + " for '" +
                   field.map + field.key + "', which is " + Twine(*named));
}

/// MD-11, for metadata 3.x. In 2.x the register map is the only source.
static void checkRegistersAgree(const ElfModel &model, RuleReporter &out) {
  if (!model.pipeline || model.major != 3)
    return;
  for (const RegisterField &field : registerFields)
    checkOneRegister(model, field, out);
  for (const StageRegisters &row : getStageRegisters())
    for (unsigned i = 0; row.stage == ".cs" && i < row.userDataCount; ++i)
      checkOneRegister(
          model, {row.stage, ".user_data_reg_map", row.userData0 + i, 0, 32, static_cast<int>(i)},
          out);
}

/// The windows of the GRBM space whose registers a pipeline may set, as dword offsets: persistent
/// (SH), context, and user-config state.
static bool isPipelineRegister(uint64_t reg) {
  static constexpr std::pair<uint64_t, uint64_t> windows[] = {
      {0x2c00, 0x2fff}, {0xa000, 0xa3ff}, {0xc000, 0xffff}};
  return any_of(windows,
                [&](const auto &window) { return reg >= window.first && reg <= window.second; });
}

/// Returns true for the dword offset of a user data register of any stage.
static bool isUserDataRegister(uint64_t reg) {
  return any_of(getStageRegisters(),
                [&](const StageRegisters &row) { return row.isUserData(reg); });
}

/// Returns true for values that UserDataMapping allows: entries, no mapping, the codes, pipeline
/// links and indirect tables. Codes within the ranges need not exist; UD-02 checks that.
static bool isMappingCode(uint64_t code) {
  return code < user_data::MaxEntries || code == user_data::NotMapped ||
         (code >= 0x10000000 && code <= 0x10000023) || (code >= 0x10001000 && code <= 0x100010ff) ||
         (code >= 0x20000000 && code <= 0x2fffffff);
}

/// MD-12. One finding for each entry. Metadata of version 2.x hold values in user data registers,
/// 3.x mapping codes.
static void checkRegisterKeys(const ElfModel &model, RuleReporter &out) {
  const MsgValue *registers = model.pipeline ? model.pipeline->find(".registers") : nullptr;
  if (!registers || registers->kind == MsgKind::Nil)
    return;
  if (registers->kind != MsgKind::Map)
    return out.report(".registers", "type",
                      "it is " + describeMsgValue(*registers) + ", expected a map");
  for (size_t i = 0; i + 1 < registers->items.size(); i += 2) {
    const MsgValue &key = registers->items[i];
    const MsgValue &value = registers->items[i + 1];
    if (key.kind != MsgKind::Uint || value.kind != MsgKind::Uint || value.bits > UINT32_MAX) {
      out.report(".registers", "entry",
                 describeMsgValue(key) + " is set to " + describeMsgValue(value) +
                     ", expected 32-bit unsigned integers");
      continue;
    }
    if (key.bits >= 0x10000000)
      out.report(".registers", "pseudo",
                 "key 0x" + utohexstr(key.bits, true) +
                     " is a pseudo register of the legacy note, not a register");
    else if (!isPipelineRegister(key.bits))
      out.report(".registers", "register",
                 "key 0x" + utohexstr(key.bits, true) + " is no register of a pipeline");
    else if (model.major == 3 && isUserDataRegister(key.bits) && !isMappingCode(value.bits))
      out.report(".registers", "user-data",
                 "user data register 0x" + utohexstr(key.bits, true) + " is 0x" +
                     utohexstr(value.bits, true) + ", which is no mapping code");
  }
}

/// Returns true for a non-empty array of zeros; \p hash may be null.
static bool isZeroHash(const MsgValue *hash) {
  return hash && hash->kind == MsgKind::Array && !hash->items.empty() &&
         all_of(hash->items, [](const MsgValue &half) { return half.asUint() == 0u; });
}

/// MD-14. A missing hash is accepted. Each API shader with a zero hash is an info.
static void checkHashes(const ElfModel &model, RuleReporter &out) {
  if (!model.pipeline)
    return;
  if (isZeroHash(model.pipeline->find(".internal_pipeline_hash")))
    out.report(".internal_pipeline_hash", "pipeline", "the hash is zero");
  const MsgValue *shaders = model.pipeline->find(".shaders");
  for (size_t i = 0; shaders && shaders->kind == MsgKind::Map && i + 1 < shaders->items.size();
       i += 2)
    if (isZeroHash(shaders->items[i + 1].find(".api_shader_hash")))
      out.report(RuleLevel::Info, ".shaders" + shaders->items[i].text + ".api_shader_hash",
                 "shader", "the hash is zero");
}

static constexpr RuleInfo metadataRules[] = {
    {"MD-01",
     RuleLevel::Fatal,
     "The metadata is one well-formed msgpack value",
     {EnforcerKind::Specification,
      "MessagePack specification; LLVM AMDGPUUsage, AMDPAL, Code Object Metadata"},
     "No byte is left over, nothing is nested deeper than 8, and no count is above what the bytes "
     "that are left can hold.",
     checkEncoding},
    {"MD-02",
     RuleLevel::Fatal,
     "amdpal.version is there and says 2 or 3",
     {EnforcerKind::Pal, "palPipelineAbiUtils.h, DeserializeCodeObjectMetadata "
                         "(ErrorUnsupportedPipelineElfAbiVersion)"},
     "Without it PAL assumes version 0 and returns ErrorUnsupportedPipelineElfAbiVersion. LLVM "
     "writes none unless the front-end gives metadata.",
     checkVersion},
    {"MD-03",
     RuleLevel::Warning,
     "The minor version is known",
     {EnforcerKind::Pal, "palPipelineAbiUtils.h, PalMetadataVersionAtLeast"},
     "At most 6 for major version 3. With --strict, also that the version is the first key (info): "
     "LLVM sorts keys, which puts it after 'amdpal.pipelines', and PAL reads it all the same.",
     checkVersionDetails},
    {"MD-04",
     RuleLevel::Fatal,
     "There is exactly one pipeline",
     {EnforcerKind::Pal, "g_palPipelineAbiMetadataImpl.h, DeserializeCodeObjectMetadata"},
     "'amdpal.pipelines' is an array that PAL reads as a single struct.",
     checkPipelines},
    {"MD-05",
     RuleLevel::Fatal,
     "No key is twice in a map",
     {EnforcerKind::Pal,
      "g_palPipelineAbiMetadataImpl.h, DeserializePipelineMetadata and its like (assert)"},
     "Of two equal keys the last one counts.",
     checkDuplicates},
    {"MD-06",
     RuleLevel::Fatal,
     "Every value has the type of its key, every key is a string",
     {EnforcerKind::Pal,
      "palMsgPackImpl.h, MsgPackReader::UnpackScalar, Unpack (ErrorInvalidValue)"},
     "Types are those of PAL's metadata structs. PAL takes any scalar for any other, nil, an array "
     "of one or bytes of the right size for a scalar, a scalar for an array of numbers, and nil "
     "for a string: infos; 0 and 1 for bools, bools and whole numbers for numbers, and a number "
     "for an array, LGC's habits, only with --strict. `.registers` has integers as keys; "
     "'.shader_functions', '.usage' and what only LGC writes are not looked into.",
     checkTypes},
    {"MD-07",
     RuleLevel::Error,
     "Every integer fits its type and its register field",
     {EnforcerKind::Pal, "gfx9AbiToPipelineRegisters.h, ComputePgmRsrc1 and its like; "
                         "palMsgPackImpl.h, MsgPackReader::UnpackScalar"},
     "PAL cuts off what does not fit, without a word. What a cast to the type of the key changes, "
     "such as 2 for a bool, is a warning.",
     checkRanges},
    {"MD-08",
     RuleLevel::Warning,
     "Every key is known to PAL",
     {EnforcerKind::Pal,
      "g_palPipelineAbiMetadataImpl.h, DeserializePipelineMetadata and its like (skip)"},
     "PAL skips unknown keys. The message says so if a known key that is missing is within an edit "
     "distance of 2: probably a misspelling. Keys that came with a newer metadata version than the "
     "ELF claims, or that PAL dropped before it, are infos, told once for a whole map; so are keys "
     "that only LGC writes, which in LGC's own ELFs are told with --strict only.",
     checkUnknownKeys},
    {"MD-09",
     RuleLevel::Fatal,
     "Every enumeration string is known",
     {EnforcerKind::Pal, "g_palPipelineAbiMetadataImpl.h, DeserializeEnum (NotFound)"},
     "'.type', '.shader_subtype', '.entry_point', the keys of '.shaders' and '.hardware_stages', "
     "'.hardware_mapping' and the enumerations of registers: PAL refuses the whole ELF.",
     checkEnums},
    {"MD-10",
     RuleLevel::Fatal,
     "No array is longer than PAL's, or of the wrong fixed length",
     {EnforcerKind::Pal, "g_palPipelineAbiMetadataImpl.h, DeserializePsInputSemanticMetadata and "
                         "its like (no bounds check); palMsgPackImpl.h, MsgPackReader::Unpack"},
     "PAL does not bound the arrays of structs ('.ps_input_semantic', "
     "'.preraster_output_semantic', '.spi_ps_input_cntl'): longer ones overwrite its memory.",
     checkLengths},
    {"MD-11",
     RuleLevel::Error,
     "Registers by number and by name agree",
     {EnforcerKind::Pal, "gfx9Device.cpp, ConvertAbiRegistersToMetadata (assert)"},
     "3.x metadata may have '.registers' next to '.compute_registers', '.graphics_registers' and "
     "the keys of a stage. What both say must be equal. Compared are the compute launch state, its "
     "user data, and the first pixel inputs.",
     checkRegistersAgree},
    {"MD-12",
     RuleLevel::Error,
     "Keys of .registers are registers of a pipeline",
     {EnforcerKind::Pal, "gfx9Device.cpp, ConvertAbiRegistersToMetadata; palSparseVector.h, "
                         "SparseVector::GetKeyIndex (assert; writes out of bounds)"},
     "Keys are dword offsets in persistent (0x2c00), context (0xa000) or user-config (0xc000) "
     "space; 0x10000000 and above belong to the legacy note. In 3.x metadata, user data registers "
     "hold mapping codes; for 2.x see UD-02.",
     checkRegisterKeys},
    {"MD-13",
     RuleLevel::Fatal,
     ".api has at most 15 characters",
     {EnforcerKind::Pal,
      "palMsgPackImpl.h, MsgPackReader::Unpack(char*, uint32) (ErrorOutOfMemory)"},
     "PipelineMetadata::api is char[16] with its end; the pipeline does not load.",
     checkApiLength},
    {"MD-14",
     RuleLevel::Warning,
     "Hashes that are present are not zero",
     {EnforcerKind::Pal, "pipeline.cpp, Pipeline::ExtractPipelineInfo (alert)"},
     "Drivers find replacement shaders and caches by '.internal_pipeline_hash' and "
     "'.api_shader_hash'; of the latter, zero is an info: LGC's null pixel shader has it.",
     checkHashes},
};

ArrayRef<RuleInfo> assay::getMetadataRules() {
  return metadataRules;
}

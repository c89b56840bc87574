// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/Metadata.h"

#include "oracles/pal_elf/Conversion.h"
#include "oracles/pal_elf/ElfView.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace assay;

namespace {

/// Dword offsets of the 2.x `.registers` map that, with those of stage `.cs`, decide a compute
/// launch (LLVM, SIDefines.h and AMDGPUPALMetadata.cpp name the same ones).
enum ComputeRegister : uint32_t {
  DispatchInitiator = 0x2e00,
  NumThreadX = 0x2e07,
};

/// One row per hardware stage with 2.x registers. LS and ES have none: they are merged into HS and
/// GS.
constexpr StageRegisters stageRegisters[] = {
    {".ps", 0x2c0a, 0x2c0c, 32},         {".vs", 0x2c4a, 0x2c4c, 32},
    {".gs", 0x2c8a, 0x2c8c, 32, 0x2ccc}, // SPI_SHADER_USER_DATA_ES_0
    {".hs", 0x2d0a, 0x2d0c, 32},         {".cs", 0x2e12, 0x2e40, 16},
};

/// Reads scalars out of one map and keeps the first error.
class MapReader {
public:
  MapReader(const MsgValue &map, StringRef path) : m_map(map), m_path(path) {}

  /// Of a number that does not fit an 8-bit \p out the low bits, as PAL has it.
  template <typename T> void number(StringRef key, T &out) {
    const MsgValue *value = m_map.find(key);
    if (!value)
      return;
    std::optional<uint32_t> number = asNumber(*value, sizeof(T));
    if (!number)
      return fail(key, *value, "a 32-bit unsigned integer");
    out = static_cast<T>(*number);
  }
  /// Leaves \p out empty when there is no \p key, so that a missing number differs from 0.
  void number(StringRef key, std::optional<uint32_t> &out) {
    if (!m_map.find(key))
      return;
    uint32_t value = 0;
    number(key, value);
    out = value;
  }
  /// Accepts what PAL converts to a bool. Like the other readers it leaves \p out alone without \p
  /// key.
  void flag(StringRef key, bool &out) {
    const MsgValue *value = m_map.find(key);
    if (!value)
      return;
    MsgValue taken = *value;
    if (convertScalar(taken, MsgKind::Bool, 1) == Conversion::Refused)
      return fail(key, *value, "a bool");
    out = taken.bits != 0;
  }
  /// Accepts nil as an empty string, as PAL does.
  void string(StringRef key, std::string &out) {
    const MsgValue *value = m_map.find(key);
    if (!value)
      return;
    MsgValue taken = *value;
    if (convertScalar(taken, MsgKind::String, 1) == Conversion::Refused)
      return fail(key, *value, "a string");
    out = taken.text.str();
  }
  /// Fills the first elements of \p out; a shorter array in the file leaves the rest as it is, a
  /// longer one is an error.
  void numbers(StringRef key, MutableArrayRef<uint32_t> out) {
    const MsgValue *value = m_map.find(key);
    if (!value)
      return;
    MsgValue taken = *value;
    if (convertArray(taken, sizeof(uint32_t)) == Conversion::Refused ||
        taken.items.size() > out.size())
      return fail(key, *value, "an array of at most " + Twine(out.size()) + " integers");
    for (const auto &[slot, item] : zip(out, taken.items)) {
      std::optional<uint32_t> number = asNumber(item, sizeof(uint32_t));
      if (!number)
        return fail(key, item, "a 32-bit unsigned integer");
      slot = *number;
    }
  }
  /// Records that \p key has \p value where \p expected is needed. Only the first failure is kept.
  void fail(StringRef key, const MsgValue &value, const Twine &expected) {
    if (m_error.empty())
      m_error = ("metadata: '" + m_path + key + "' is " + describeMsgValue(value) + ", expected " +
                 expected)
                    .str();
  }
  /// Returns the first error as InvalidInput, or success.
  Error take() { return m_error.empty() ? Error::success() : invalidInput(m_error); }

private:
  /// As PAL reads it into \p bytes.
  static std::optional<uint32_t> asNumber(MsgValue value, unsigned bytes) {
    if (convertScalar(value, MsgKind::Uint, bytes) == Conversion::Refused ||
        value.kind != MsgKind::Uint || value.bits > UINT32_MAX)
      return std::nullopt;
    return static_cast<uint32_t>(value.bits);
  }

  const MsgValue &m_map;
  std::string m_path;
  std::string m_error;
};

} // namespace

ArrayRef<StageRegisters> assay::getStageRegisters() {
  return stageRegisters;
}

/// Returns null for stages that are not there.
const HardwareStageMetadata *PalMetadata::find(StringRef name) const {
  auto found =
      find_if(stages, [&](const HardwareStageMetadata &stage) { return stage.name == name; });
  return found == stages.end() ? nullptr : &*found;
}

/// Decodes the map of one hardware stage. \p name is its key, ".cs". The entry point defaults to
/// "_amdgpu_cs_main" and its like. InvalidInput for a value that PAL would refuse.
static Expected<HardwareStageMetadata> decodeStage(StringRef name, const MsgValue &map) {
  if (map.kind != MsgKind::Map)
    return invalidInput("metadata: '.hardware_stages" + name + "' is " + describeMsgValue(map) +
                        ", expected a map");
  HardwareStageMetadata stage;
  stage.name = name.str();
  stage.entryPoint = ("_amdgpu_" + name.ltrim('.') + "_main").str();
  MapReader reader(map, (".hardware_stages" + name).str());
  reader.string(".entry_point", stage.entryPoint);
  reader.string(".entry_point_symbol", stage.entryPoint);
  reader.number(".wavefront_size", stage.wavefrontSize);
  reader.numbers(".threadgroup_dimensions", stage.threadgroupDimensions);
  reader.number(".lds_size", stage.ldsSize);
  reader.number(".scratch_memory_size", stage.scratchMemorySize);
  reader.number(".vgpr_count", stage.vgprCount);
  reader.number(".sgpr_count", stage.sgprCount);
  reader.number(".shared_vgpr_cnt", stage.sharedVgprCount);
  reader.number(".user_sgprs", stage.userSgprs);
  reader.numbers(".user_data_reg_map", stage.userDataRegMap);
  reader.number(".float_mode", stage.floatMode);
  reader.number(".excp_en", stage.excpEn);
  reader.flag(".ieee_mode", stage.ieeeMode);
  reader.flag(".scratch_en", stage.scratchEn);
  reader.flag(".wgp_mode", stage.wgpMode);
  reader.flag(".mem_ordered", stage.memOrdered);
  reader.flag(".forward_progress", stage.forwardProgress);
  reader.flag(".fp16_overflow", stage.fp16Overflow);
  reader.flag(".debug_mode", stage.debugMode);
  reader.flag(".trap_present", stage.trapPresent);
  if (Error error = reader.take())
    return std::move(error);
  return stage;
}

/// Decodes `.compute_registers` of metadata 3.x.
static Error decodeComputeRegisters(const MsgValue &map, ComputeRegisters &out) {
  if (map.kind != MsgKind::Map)
    return invalidInput("metadata: '.compute_registers' is " + describeMsgValue(map) +
                        ", expected a map");
  MapReader reader(map, ".compute_registers");
  reader.flag(".tgid_x_en", out.tgidXEn);
  reader.flag(".tgid_y_en", out.tgidYEn);
  reader.flag(".tgid_z_en", out.tgidZEn);
  reader.flag(".tg_size_en", out.tgSizeEn);
  reader.flag(".dynamic_vgpr_en", out.dynamicVgprEn);
  reader.number(".tidig_comp_cnt", out.tidigCompCnt);
  return reader.take();
}

/// Decodes `.registers` of metadata 2.x into \p out, by dword offset. InvalidInput for any entry
/// that is not a pair of 32-bit unsigned integers.
static Error decodeRegisterMap(const MsgValue &map, std::map<uint32_t, uint32_t> &out) {
  if (map.kind == MsgKind::Nil) // LLVM writes nil for an empty one.
    return Error::success();
  if (map.kind != MsgKind::Map)
    return invalidInput("metadata: '.registers' is " + describeMsgValue(map) + ", expected a map");
  for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const MsgValue &key = map.items[i];
    const MsgValue &value = map.items[i + 1];
    if (key.kind != MsgKind::Uint || key.bits > UINT32_MAX || value.kind != MsgKind::Uint ||
        value.bits > UINT32_MAX)
      return invalidInput("metadata: '.registers' maps " + describeMsgValue(key) + " to " +
                          describeMsgValue(value) + ", expected 32-bit unsigned integers");
    out[static_cast<uint32_t>(key.bits)] = static_cast<uint32_t>(value.bits);
  }
  return Error::success();
}

using RegisterMap = std::map<uint32_t, uint32_t>;

/// Returns the value of the register at dword \p offset, nullopt if the metadata do not set it.
static std::optional<uint32_t> findRegister(const RegisterMap &registers, uint32_t offset) {
  auto found = registers.find(offset);
  return found == registers.end() ? std::nullopt : std::optional<uint32_t>(found->second);
}

/// What all stages have in the same bits. Fields: LLVM's AMDGPUUsage ("compute_pgm_rsrc1 for
/// GFX6-GFX12"); Mesa's register descriptions of SPI_SHADER_PGM_RSRC1 and 2.
static void applyStageRegisters(const RegisterMap &registers, const StageRegisters &row,
                                HardwareStageMetadata &stage) {
  if (std::optional<uint32_t> rsrc1 = findRegister(registers, row.rsrc1)) {
    stage.floatMode = static_cast<uint8_t>(*rsrc1 >> 12);
    stage.ieeeMode = (*rsrc1 >> 23) & 1;
  }
  if (std::optional<uint32_t> rsrc2 = findRegister(registers, row.rsrc1 + 1)) {
    stage.scratchEn = *rsrc2 & 1;
    stage.userSgprs = (*rsrc2 >> 1) & 0x1f;
    if (row.userDataCount > 0x1f && stage.userSgprs == 0 && *rsrc2 >> 27 & 3)
      stage.userSgprs = 32; // USER_SGPR_MSB: bit 27, on GFX9's merged stages 28.
  }
  for (uint32_t base : {row.oldUserData0, row.userData0})
    for (uint32_t i = 0; base && i < row.userDataCount; ++i)
      if (std::optional<uint32_t> code = findRegister(registers, base + i))
        stage.userDataRegMap[i] = *code;
}

/// Takes over the fields that only compute has. A wave size and an LDS size that the metadata have
/// under their names take precedence over the registers.
static void applyComputeRegisters(const RegisterMap &registers, const StageRegisters &row,
                                  HardwareStageMetadata &stage, ComputeRegisters &compute) {
  if (std::optional<uint32_t> initiator = findRegister(registers, DispatchInitiator);
      initiator && !stage.wavefrontSize)
    stage.wavefrontSize = *initiator & 0x8000 ? 32 : 64;
  for (unsigned i = 0; i < 3; ++i)
    if (std::optional<uint32_t> threads = findRegister(registers, NumThreadX + i))
      stage.threadgroupDimensions[i] = *threads & 0xffff;
  if (std::optional<uint32_t> rsrc1 = findRegister(registers, row.rsrc1)) {
    stage.fp16Overflow = (*rsrc1 >> 26) & 1;
    stage.wgpMode = (*rsrc1 >> 29) & 1;
    stage.memOrdered = (*rsrc1 >> 30) & 1;
    stage.forwardProgress = *rsrc1 >> 31;
  }
  if (std::optional<uint32_t> rsrc2 = findRegister(registers, row.rsrc1 + 1)) {
    compute.tgidXEn = (*rsrc2 >> 7) & 1;
    compute.tgidYEn = (*rsrc2 >> 8) & 1;
    compute.tgidZEn = (*rsrc2 >> 9) & 1;
    compute.tgSizeEn = (*rsrc2 >> 10) & 1;
    compute.tidigCompCnt = (*rsrc2 >> 11) & 3;
    if (stage.ldsSize == 0) // LDS_SIZE, in units of 128 dwords.
      stage.ldsSize = ((*rsrc2 >> 15) & 0x1ff) * 512;
  }
}

/// Fills in from the 2.x registers what 3.x says by name.
static void applyRegisterMap(PalMetadata &metadata) {
  if (metadata.major >= 3)
    return;
  for (const StageRegisters &row : stageRegisters)
    for (HardwareStageMetadata &stage : metadata.stages) {
      if (row.stage != stage.name)
        continue;
      applyStageRegisters(metadata.registers, row, stage);
      if (row.stage == ".cs")
        applyComputeRegisters(metadata.registers, row, stage, metadata.compute);
    }
}

/// Reads `amdpal.version`, two integers. InvalidInput for a major version other than 2 and 3.
static Error decodeVersion(const MsgValue &root, PalMetadata &metadata) {
  const MsgValue *version = root.find("amdpal.version");
  if (!version)
    return invalidInput("metadata: there is no 'amdpal.version'");
  if (version->kind != MsgKind::Array || version->items.size() != 2 ||
      !version->items[0].asUint() || !version->items[1].asUint())
    return invalidInput("metadata: 'amdpal.version' is " + describeMsgValue(*version) +
                        ", expected two integers");
  uint64_t major = version->items[0].bits;
  if (major != 2 && major != 3)
    return invalidInput("metadata: version " + Twine(major) + " is neither 2 nor 3");
  metadata.major = static_cast<uint32_t>(major);
  metadata.minor = static_cast<uint32_t>(version->items[1].bits);
  return Error::success();
}

/// Appends the stages of `.hardware_stages` in the order of the file. Equal keys make two stages.
static Error decodeStages(const MsgValue &stages, PalMetadata &metadata) {
  if (stages.kind != MsgKind::Map)
    return invalidInput("metadata: '.hardware_stages' is " + describeMsgValue(stages) +
                        ", expected a map");
  for (size_t i = 0; i + 1 < stages.items.size(); i += 2) {
    if (stages.items[i].kind != MsgKind::String)
      return invalidInput("metadata: a key of '.hardware_stages' is " +
                          describeMsgValue(stages.items[i]) + ", expected a string");
    Expected<HardwareStageMetadata> stage = decodeStage(stages.items[i].text, stages.items[i + 1]);
    if (!stage)
      return stage.takeError();
    metadata.stages.push_back(std::move(*stage));
  }
  return Error::success();
}

/// Decodes the only map of `amdpal.pipelines`. All keys are optional.
static Error decodePipeline(const MsgValue &pipeline, PalMetadata &metadata) {
  MapReader reader(pipeline, "");
  reader.string(".api", metadata.api);
  reader.string(".type", metadata.type);
  reader.number(".user_data_limit", metadata.userDataLimit);
  reader.number(".spill_threshold", metadata.spillThreshold);
  if (Error error = reader.take())
    return error;
  if (const MsgValue *registers = pipeline.find(".registers"))
    if (Error error = decodeRegisterMap(*registers, metadata.registers))
      return error;
  if (const MsgValue *stages = pipeline.find(".hardware_stages"))
    if (Error error = decodeStages(*stages, metadata))
      return error;
  if (const MsgValue *compute = pipeline.find(".compute_registers"))
    if (Error error = decodeComputeRegisters(*compute, metadata.compute))
      return error;
  applyRegisterMap(metadata);
  return Error::success();
}

/// PAL's pipelines array always has one element; anything else is InvalidInput.
static Error decodePipelines(const MsgValue &root, PalMetadata &metadata) {
  const MsgValue *pipelines = root.find("amdpal.pipelines");
  if (!pipelines || pipelines->kind != MsgKind::Array || pipelines->items.size() != 1 ||
      pipelines->items[0].kind != MsgKind::Map)
    return invalidInput("metadata: 'amdpal.pipelines' is not an array of one map");
  return decodePipeline(pipelines->items[0], metadata);
}

/// InvalidInput for other roots than maps, and for versions and values that cannot be read.
Expected<PalMetadata> assay::decodePalMetadata(const MsgValue &root) {
  if (root.kind != MsgKind::Map)
    return invalidInput("metadata: the root is " + describeMsgValue(root) + ", expected a map");
  PalMetadata metadata;
  if (Error error = decodeVersion(root, metadata))
    return std::move(error);
  if (Error error = decodePipelines(root, metadata))
    return std::move(error);
  return metadata;
}

/// For plain LLVM output, which has no version: 2.6 is assumed.
Expected<PalMetadata> assay::decodePlainMetadata(const MsgValue &root) {
  PalMetadata metadata;
  metadata.major = 2;
  metadata.minor = 6;
  if (Error error = decodePipelines(root, metadata))
    return std::move(error);
  return metadata;
}

/// Looks in section '.note' only.
Expected<ArrayRef<uint8_t>> assay::findMetadataNote(const ElfView &elf) {
  for (const ElfNote &note : elf.notes())
    if (note.type == elf::NoteAmdgpuMetadata && elf.sections()[note.section].name == ".note")
      return note.desc;
  return invalidInput("there is no NT_AMDGPU_METADATA note in '.note'");
}

Expected<PalMetadata> assay::readPalMetadata(const ElfView &elf) {
  Expected<ArrayRef<uint8_t>> note = findMetadataNote(elf);
  if (!note)
    return note.takeError();
  Expected<MsgValue> root = readMsgPack(*note);
  if (!root)
    return root.takeError();
  return decodePalMetadata(*root);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets and bits of registers: Mesa, src/amd/registers; LLVM's AMDGPUUsage, compute_pgm_rsrc2.
#include "compiler/pal/RegisterMetadata.h"

#include "compiler/pal/GraphicsTable.h"
#include "compiler/pal/Metadata.h"
#include "compiler/pal/Nodes.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {

/// Dword offsets of a hardware stage's registers.
struct StageRegisters {
  StringLiteral stage;
  unsigned rsrc2, userData;
};

/// A field of '.compute_registers' and its lowest bit.
struct ComputeField {
  StringLiteral key; ///< In '.compute_registers'.
  unsigned low;      ///< In COMPUTE_PGM_RSRC2.
};

/// A register that is elsewhere in the generations \p since to \p until, both included. \p to is 0
/// where it does not exist.
struct Move {
  unsigned offset, since, until, to;
};

/// Collects the values of registers by dword offset. Fields of one register are combined by or.
class Converter {
public:
  explicit Converter(unsigned generation) : m_generation(generation) {}
  /// Returns the metadata in version 2.6. InvalidInput for malformed metadata.
  Expected<std::string> convert(StringRef blob);

private:
  /// Adds bits to the register at a dword offset, or to where the generation has it.
  void add(unsigned offset, uint64_t value);
  /// Adds values that LLVM has written, at their offsets.
  void addWritten(msgpack::MapDocNode registers);
  /// Adds all fields of '.graphics_registers'.
  void addFields(msgpack::MapDocNode registers);
  /// Adds one register for each interpolant.
  void addInputControls(ArrayRef<msgpack::DocNode> controls);
  /// Adds the bits of COMPUTE_PGM_RSRC2.
  void addComputeFields(msgpack::MapDocNode fields);
  /// Adds the registers of a hardware stage and removes its new keys.
  void addStage(StringRef name, msgpack::MapDocNode stage);

  unsigned m_generation;
  std::map<unsigned, uint32_t> m_values;
};

} // namespace

/// Dword offsets of registers that are no plain fields.
static constexpr unsigned inputControl0 = 0xa191, positionFormat = 0xa1c3, outputPrimitive = 0xa29b,
                          interpControl0 = 0xa1b5, iaMultiVgtParam = 0xa2aa, computeRsrc2 = 0x2e13,
                          numThreadX = 0x2e07;

/// SPI_INTERP_CONTROL_0: FLAT_SHADE_ENA, PNT_SPRITE_ENA, and of a point S, T, 0, 1.
static constexpr uint32_t pointControl = 1 | 1 << 1 | 2 << 2 | 3 << 5 | 0 << 8 | 1 << 11;

/// Hardware stages that PAL pipelines of this compiler have.
static constexpr StageRegisters stageRegisters[] = {{".vs", 0x2c4b, 0x2c4c},
                                                    {".gs", 0x2c8b, 0x2c8c},
                                                    {".ps", 0x2c0b, 0x2c0c},
                                                    {".cs", computeRsrc2, 0x2e40}};

static constexpr ComputeField computeFields[] = {{".tgid_x_en", 7},
                                                 {".tgid_y_en", 8},
                                                 {".tgid_z_en", 9},
                                                 {".tg_size_en", 10},
                                                 {".tidig_comp_cnt", 11}};

static constexpr Move moves[] = {{iaMultiVgtParam, 90, 90, 0xc258},
                                 {iaMultiVgtParam, 110, 115, 0},
                                 {outputPrimitive, 110, 115, 0xc266}};

/// Keys of a hardware stage that version 2.6 lacks.
static constexpr StringLiteral newStageKeys[] = {".user_sgprs", ".user_data_reg_map", ".float_mode",
                                                 ".mem_ordered", ".wgp_mode"};
/// Keys of a pipeline that version 2.6 lacks.
static constexpr StringLiteral newPipelineKeys[] = {
    ".graphics_registers", ".compute_registers", ".ps_sample_mask",
    ".ps_dummy_export",    ".ps_input_semantic", ".preraster_output_semantic"};

/// Returns a number or flag as a number, anything else as 0.
static uint64_t numberOf(const msgpack::DocNode &node) {
  if (node.getKind() == msgpack::Type::Boolean)
    return node.getBool();
  return node.getKind() == msgpack::Type::UInt ? node.getUInt() : 0;
}

/// Returns the number or flag at \p key, or 0.
static uint64_t numberAt(msgpack::MapDocNode map, StringRef key) {
  auto found = map.find(key);
  return found == map.end() ? 0 : numberOf(found->second);
}

/// Returns the map at \p key, or a new empty one that is not added.
static msgpack::MapDocNode mapAt(msgpack::MapDocNode map, StringRef key) {
  auto found = map.find(key);
  bool isMap = found != map.end() && found->second.isMap();
  return isMap ? found->second.getMap() : map.getDocument()->getMapNode();
}

/// Returns the elements of the array at \p key; empty when there is no array.
static std::vector<msgpack::DocNode> arrayAt(msgpack::MapDocNode map, StringRef key) {
  auto found = map.find(key);
  if (found == map.end() || !found->second.isArray())
    return {};
  msgpack::ArrayDocNode array = found->second.getArray();
  return {array.begin(), array.end()};
}

/// Removes the entries of \p map with these keys.
static void eraseAll(msgpack::MapDocNode map, ArrayRef<StringLiteral> keys) {
  for (StringRef key : keys)
    map.erase(map.getDocument()->getNode(key));
}

void Converter::add(unsigned offset, uint64_t value) {
  for (const Move &move : moves)
    if (move.offset == offset && m_generation >= move.since && m_generation <= move.until)
      offset = move.to;
  if (offset)
    m_values[offset] |= static_cast<uint32_t>(value);
}

void Converter::addWritten(msgpack::MapDocNode registers) {
  for (auto &[offset, value] : registers)
    if (offset.getKind() == msgpack::Type::UInt)
      m_values[static_cast<unsigned>(offset.getUInt())] |= static_cast<uint32_t>(numberOf(value));
}

/// Returns true for context registers, which have a value in every pipeline. Others belong to one
/// hardware stage.
static bool isContext(unsigned offset) {
  return offset >= 0xa000;
}

void Converter::addFields(msgpack::MapDocNode registers) {
  for (const FieldRow &row : getFieldRows()) {
    bool isThere = row.map.empty() ? registers.find(row.key) != registers.end()
                                   : registers.find(row.map) != registers.end();
    uint64_t value = numberAt(row.map.empty() ? registers : mapAt(registers, row.map), row.key);
    if (isThere && hasField(row, m_generation) && (value || isContext(row.offset)))
      add(row.offset, value << row.low);
  }
  addInputControls(arrayAt(registers, ".spi_ps_input_cntl"));
  if (registers.find(".spi_interp_control") != registers.end())
    add(interpControl0, pointControl);
  for (auto [i, format] : enumerate(arrayAt(registers, ".spi_shader_pos_format")))
    add(positionFormat, numberOf(format) << (4 * i));
  static constexpr StringLiteral primitives[] = {"PointList", "LineStrip", "TriStrip"};
  msgpack::MapDocNode primitive = mapAt(registers, ".vgt_gs_out_prim_type");
  for (auto [i, name] : enumerate(primitives))
    if (auto found = primitive.find(".outprim_type");
        found != primitive.end() && found->second.getString() == name)
      add(outputPrimitive, i);
}

void Converter::addInputControls(ArrayRef<msgpack::DocNode> controls) {
  for (size_t i = 0; i < controls.size(); ++i) {
    msgpack::DocNode control = controls[i];
    for (const InputControlRow &row : getInputControlRows())
      if (hasField(row, m_generation))
        add(inputControl0 + i, numberAt(control.getMap(), row.key) << row.low);
  }
}

void Converter::addComputeFields(msgpack::MapDocNode fields) {
  for (const ComputeField &field : computeFields)
    add(computeRsrc2, numberAt(fields, field.key) << field.low);
}

/// Adds what LLVM's back-end does not know of a stage: user SGPRs in RSRC2, the user data and the
/// workgroup's size. It knows the float mode from the code itself. User data that is not mapped and
/// stages without a row are left out.
void Converter::addStage(StringRef name, msgpack::MapDocNode stage) {
  const StageRegisters *registers = find_if(
      stageRegisters, [&](const StageRegisters &candidate) { return candidate.stage == name; });
  if (registers == std::end(stageRegisters))
    return;
  uint64_t userSgprs = numberAt(stage, ".user_sgprs");
  unsigned highBit = m_generation < 100 ? 28 : 27; // USER_SGPR_MSB
  add(registers->rsrc2, (userSgprs & 31) << 1 | (userSgprs >> 5) << highBit);
  for (auto [i, value] : enumerate(arrayAt(stage, ".user_data_reg_map")))
    if (i < userSgprs && numberOf(value) != NotMapped)
      add(registers->userData + i, numberOf(value));
  for (auto [i, size] : enumerate(arrayAt(stage, ".threadgroup_dimensions")))
    add(numThreadX + i, numberOf(size));
  eraseAll(stage, newStageKeys);
}

Expected<std::string> Converter::convert(StringRef blob) {
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) || !document.getRoot().isMap())
    return invalidInput("the module's metadata are no msgpack map");
  std::vector<msgpack::DocNode> pipelines =
      arrayAt(document.getRoot().getMap(), "amdpal.pipelines");
  if (pipelines.size() != 1 || !pipelines[0].isMap())
    return invalidInput("the module's metadata do not have one pipeline");
  msgpack::MapDocNode pipeline = pipelines[0].getMap();
  addWritten(mapAt(pipeline, ".registers"));
  addFields(mapAt(pipeline, ".graphics_registers"));
  if (pipeline.find(".compute_registers") != pipeline.end())
    addComputeFields(mapAt(pipeline, ".compute_registers"));
  for (auto &[name, stage] : mapAt(pipeline, ".hardware_stages"))
    addStage(name.getString(), stage.getMap());
  eraseAll(pipeline, newPipelineKeys);
  msgpack::MapDocNode registers = document.getMapNode();
  for (auto [offset, value] : m_values)
    registers[offset] = value;
  pipeline[".registers"] = registers;
  return finishMetadata(document, pipeline, {2, 6});
}

Expected<std::string> pal::convertToRegisters(StringRef blob, const TargetInfo &target) {
  assert(target.major < 12 && "PAL's versions that read 2.x do not know GFX12");
  return Converter(getGeneration(target)).convert(blob);
}

/// Returns whether \p blob says that it is of version 2.
static bool saysVersion2(StringRef blob) {
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) || !document.getRoot().isMap())
    return false;
  std::vector<msgpack::DocNode> version = arrayAt(document.getRoot().getMap(), "amdpal.version");
  return !version.empty() && numberOf(version[0]) == 2;
}

/// InvalidInput where the module has no metadata or they are malformed.
Error pal::useRegisterMetadata(Module &module, const TargetInfo &target) {
  std::optional<StringRef> blob = getModuleBlob(module);
  if (!blob)
    return invalidInput("the module has no metadata");
  if (saysVersion2(*blob))
    return Error::success();
  Expected<std::string> converted = convertToRegisters(*blob, target);
  if (!converted)
    return converted.takeError();
  setModuleBlob(module, *converted);
  return Error::success();
}

Expected<std::vector<uint8_t>> pal::useRegisterMetadata(ArrayRef<uint8_t> elf,
                                                        const TargetInfo &target) {
  Expected<std::string> blob = readMetadataNote(elf);
  if (!blob)
    return blob.takeError();
  Expected<std::string> converted = convertToRegisters(*blob, target);
  if (!converted)
    return converted.takeError();
  return replaceMetadata(elf, *converted);
}

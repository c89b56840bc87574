// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/GraphicsMetadata.h"

#include "compiler/pal/GraphicsTable.h"
#include "compiler/pal/Nodes.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {

/// Writes a pipeline's metadata in version 3.0.
class Writer {
public:
  Writer(const GraphicsMetadata &metadata, const TargetInfo &target)
      : m_metadata(metadata), m_generation(getGeneration(target)) {}
  /// Returns the metadata as msgpack. May be called once.
  std::string write();

private:
  bool hasPart(Part part) const { return pal::hasPart(m_metadata, part); }
  /// '.shaders': hashes and hardware stages of the API shaders.
  msgpack::DocNode makeShaders();
  /// '.hardware_stages'.
  msgpack::DocNode makeStages();
  /// A hardware stage, without the keys that LLVM writes.
  msgpack::DocNode makeStage(const GraphicsStage &stage);
  /// '.graphics_registers'.
  msgpack::DocNode makeRegisters();
  /// Adds formats of positions, and for NGG the output primitive.
  void addVertexRegisters(msgpack::MapDocNode &registers);
  /// '.spi_interp_control'.
  msgpack::DocNode makePointControl();
  /// '.spi_ps_input_cntl', with one element at least.
  msgpack::DocNode makeInputControls();
  /// The fields of an interpolant that the generation has, zeros included.
  msgpack::DocNode makeInputControl(const SpiPsInputCntl &control);
  /// Adds what parts are linked by.
  void addSemantics(msgpack::MapDocNode &pipeline);

  const GraphicsMetadata &m_metadata;
  unsigned m_generation;
  msgpack::Document m_document;
};

} // namespace

StringRef pal::getEntryPointName(HardwareStage stage) {
  return getStageRow(stage).entryPoint;
}

/// \p target is from 0 to 7.
void GraphicsRegisters::setColorFormat(unsigned target, ExportFormat format) {
  static constexpr uint32_t SpiShaderColFormat::*fields[] = {
      &SpiShaderColFormat::col0ExportFormat, &SpiShaderColFormat::col1ExportFormat,
      &SpiShaderColFormat::col2ExportFormat, &SpiShaderColFormat::col3ExportFormat,
      &SpiShaderColFormat::col4ExportFormat, &SpiShaderColFormat::col5ExportFormat,
      &SpiShaderColFormat::col6ExportFormat, &SpiShaderColFormat::col7ExportFormat};
  spiShaderColFormat.*fields[target] = static_cast<uint32_t>(format);
}

/// \p target is from 0 to 7; \p channels has a bit for each of the four channels.
void GraphicsRegisters::setColorMask(unsigned target, uint32_t channels) {
  static constexpr uint32_t CbShaderMask::*fields[] = {
      &CbShaderMask::output0Enable, &CbShaderMask::output1Enable, &CbShaderMask::output2Enable,
      &CbShaderMask::output3Enable, &CbShaderMask::output4Enable, &CbShaderMask::output5Enable,
      &CbShaderMask::output6Enable, &CbShaderMask::output7Enable};
  cbShaderMask.*fields[target] = channels;
}

const GraphicsStage *GraphicsMetadata::find(HardwareStage stage) const {
  auto found = find_if(stages, [&](const GraphicsStage &one) { return one.stage == stage; });
  return found == stages.end() ? nullptr : &*found;
}

/// Returns the key of an API shader in '.shaders'.
static StringRef getApiKey(ShaderStage stage) {
  assert(stage == ShaderStage::Vertex || stage == ShaderStage::Fragment);
  return stage == ShaderStage::Vertex ? ".vertex" : ".pixel";
}

msgpack::DocNode Writer::makeShaders() {
  msgpack::MapDocNode shaders = m_document.getMapNode();
  for (const ApiShader &shader : m_metadata.shaders) {
    msgpack::MapDocNode map = m_document.getMapNode();
    map[".api_shader_hash"] = makeHash(m_document, shader.hash);
    map[".hardware_mapping"] = makeArray(m_document, ArrayRef(getStageRow(shader.hardware).key));
    shaders[getApiKey(shader.stage)] = map;
  }
  return shaders;
}

msgpack::DocNode Writer::makeStage(const GraphicsStage &stage) {
  const StageRow &row = getStageRow(stage.stage);
  msgpack::MapDocNode map = m_document.getMapNode();
  map[".entry_point"] = row.entryPoint;
  map[".entry_point_symbol"] = row.entryPoint;
  map[".wavefront_size"] = stage.wavefrontSize;
  map[".sgpr_limit"] = stage.sgprLimit;
  map[".vgpr_limit"] = stage.vgprLimit;
  map[".user_sgprs"] = stage.userSgprs;
  map[".user_data_reg_map"] = makeArray(m_document, stage.userDataRegMap);
  map[".float_mode"] = unsigned(stage.floatMode);
  map[".mem_ordered"] = true;
  if (stage.stage == HardwareStage::Gs)
    map[".wgp_mode"] = stage.wgpMode;
  if (stage.ldsSize)
    map[".lds_size"] = stage.ldsSize;
  if (row.part == Part::Pixel) {
    map[".uses_uavs"] = stage.usesUavs;
    map[".writes_uavs"] = stage.writesUavs;
    map[".writes_depth"] = stage.writesDepth;
  }
  return map;
}

msgpack::DocNode Writer::makeStages() {
  msgpack::MapDocNode stages = m_document.getMapNode();
  for (const GraphicsStage &stage : m_metadata.stages)
    stages[getStageRow(stage.stage).key] = makeStage(stage);
  return stages;
}

/// Returns \p value as a number, or with \p isFlag as a boolean.
static msgpack::DocNode makeValue(msgpack::Document &document, bool isFlag, uint32_t value) {
  return isFlag ? document.getNode(value != 0) : document.getNode(value);
}

/// Returns all registers of the parts that the pipeline has. Fields that are 0 are left out,
/// because PAL takes 0 for a missing field.
msgpack::DocNode Writer::makeRegisters() {
  msgpack::MapDocNode registers = m_document.getMapNode();
  for (const RegisterRow &row : getRegisterRows())
    if (hasPart(row.part))
      registers[row.key].getMap(/*Convert=*/true);
  for (const FieldRow &row : getFieldRows()) {
    uint32_t value = row.read(m_metadata.registers);
    if (value == 0 || !hasPart(row.part))
      continue;
    assert(hasField(row, m_generation) && "verifyGraphicsMetadata was not asked");
    msgpack::MapDocNode &map = row.map.empty() ? registers : registers[row.map].getMap();
    map[row.key] = makeValue(m_document, row.isFlag, value);
  }
  if (hasPart(Part::Vertex))
    addVertexRegisters(registers);
  if (hasPart(Part::Pixel)) {
    registers[".spi_ps_input_cntl"] = makeInputControls();
    registers[".aa_coverage_to_shader_select"] = "InputCoverage";
    bool hasPoint = any_of(m_metadata.registers.spiPsInputCntl,
                           [](const SpiPsInputCntl &control) { return control.pointSprite; });
    if (hasPoint)
      registers[".spi_interp_control"] = makePointControl();
  }
  return registers;
}

void Writer::addVertexRegisters(msgpack::MapDocNode &registers) {
  msgpack::ArrayDocNode formats = m_document.getArrayNode();
  for (PositionFormat format : m_metadata.registers.spiShaderPosFormat)
    formats.push_back(m_document.getNode(static_cast<unsigned>(format)));
  registers[".spi_shader_pos_format"] = formats;
  if (m_metadata.type != GraphicsPipelineType::Ngg)
    return;
  static constexpr StringLiteral names[] = {"PointList", "LineStrip", "TriStrip"};
  msgpack::MapDocNode map = m_document.getMapNode();
  map[".outprim_type"] = names[static_cast<unsigned>(m_metadata.registers.vgtGsOutPrimType)];
  registers[".vgt_gs_out_prim_type"] = map;
}

/// Replaces the components of a point sprite's interpolant by S, T, 0 and 1.
msgpack::DocNode Writer::makePointControl() {
  static constexpr std::pair<StringLiteral, StringLiteral> rows[] = {
      {".point_sprite_override_x", "S"},
      {".point_sprite_override_y", "T"},
      {".point_sprite_override_z", "Zero"},
      {".point_sprite_override_w", "One"}};
  msgpack::MapDocNode map = m_document.getMapNode();
  map[".point_sprite_ena"] = true;
  for (const auto &[key, value] : rows)
    map[key] = value;
  return map;
}

msgpack::DocNode Writer::makeInputControl(const SpiPsInputCntl &control) {
  msgpack::MapDocNode map = m_document.getMapNode();
  for (const InputControlRow &row : getInputControlRows())
    if (hasField(row, m_generation))
      map[row.key] = makeValue(m_document, row.isFlag, row.read(control));
  return map;
}

msgpack::DocNode Writer::makeInputControls() {
  msgpack::ArrayDocNode controls = m_document.getArrayNode();
  for (const SpiPsInputCntl &control : m_metadata.registers.spiPsInputCntl)
    controls.push_back(makeInputControl(control));
  if (controls.empty())
    controls.push_back(makeInputControl({}));
  return controls;
}

void Writer::addSemantics(msgpack::MapDocNode &pipeline) {
  for (uint32_t input : m_metadata.semantics.psInputs) {
    msgpack::MapDocNode map = m_document.getMapNode();
    map[".semantic"] = input;
    pipeline[".ps_input_semantic"].getArray(/*Convert=*/true).push_back(map);
  }
  for (const Semantics::Output &output : m_metadata.semantics.preraster) {
    msgpack::MapDocNode map = m_document.getMapNode();
    map[".semantic"] = output.semantic;
    map[".index"] = output.index;
    pipeline[".preraster_output_semantic"].getArray(/*Convert=*/true).push_back(map);
  }
}

/// Which keys there are depends on the parts of the pipeline.
std::string Writer::write() {
  msgpack::MapDocNode pipeline = m_document.getMapNode();
  pipeline[".api"] = "Vulkan";
  if (hasPart(Part::Vertex))
    pipeline[".type"] = m_metadata.type == GraphicsPipelineType::Ngg ? "Ngg" : "VsPs";
  pipeline[".internal_pipeline_hash"] = makeHash(m_document, m_metadata.pipelineHash);
  pipeline[".user_data_limit"] = m_metadata.userDataLimit;
  pipeline[".spill_threshold"] = m_metadata.spillThreshold;
  pipeline[".shaders"] = makeShaders();
  pipeline[".hardware_stages"] = makeStages();
  if (hasPart(Part::Vertex))
    pipeline[".uses_viewport_array_index"] = m_metadata.usesViewportArrayIndex;
  if (m_metadata.type == GraphicsPipelineType::Ngg && hasPart(Part::Vertex))
    pipeline[".nggSubgroupSize"] = m_metadata.nggSubgroupSize;
  if (hasPart(Part::Pixel)) {
    pipeline[".num_interpolants"] =
        std::max<unsigned>(m_metadata.registers.spiPsInputCntl.size(), 1);
  }
  if (hasPart(Part::Pixel))
    pipeline[".ps_sample_mask"] = m_metadata.psSampleMask;
  if (m_metadata.psDummyExport)
    pipeline[".ps_dummy_export"] = true;
  pipeline[".graphics_registers"] = makeRegisters();
  addSemantics(pipeline);
  if (!m_metadata.glue.empty())
    pipeline[".glue"] = makeArray(m_document, m_metadata.glue);
  return finishMetadata(m_document, pipeline, {3, 0});
}

/// Returns an error where the hardware stages do not go with the type or the target, or have too
/// many user SGPRs.
static Error verifyStages(const GraphicsMetadata &metadata, const TargetInfo &target) {
  bool isNgg = metadata.type == GraphicsPipelineType::Ngg;
  if (!isNgg && target.major >= 11)
    return unsupported("hardware vertex shaders on " + target.name);
  if (isNgg && target.major < 10)
    return unsupported("NGG on " + target.name);
  if (metadata.has(isNgg ? HardwareStage::Vs : HardwareStage::Gs))
    return invalidInput("a hardware stage that a pipeline of its type does not have");
  for (const GraphicsStage &stage : metadata.stages)
    if (stage.userSgprs > maxGraphicsUserSgprs)
      return limitExceeded(Twine(stage.userSgprs) + " user SGPRs of a stage");
  return Error::success();
}

/// Returns Unsupported for a field that the generation lacks and that is not 0, and Limit for a
/// value with too many bits.
template <typename Row, typename Fields>
static Error verifyField(const Row &row, const Fields &fields, unsigned generation) {
  uint32_t value = row.read(fields);
  if (value != 0 && !hasField(row, generation))
    return unsupported("'" + row.key + "' on this target");
  if (!isUIntN(row.width, value))
    return limitExceeded("'" + row.key + "' is " + Twine(value) + ", which needs more than " +
                         Twine(row.width) + " bits");
  return Error::success();
}

/// Returns the first problem of stages, register fields and interpolants.
Error pal::verifyGraphicsMetadata(const GraphicsMetadata &metadata, const TargetInfo &target) {
  if (Error bad = verifyStages(metadata, target))
    return bad;
  unsigned generation = getGeneration(target);
  for (const FieldRow &row : getFieldRows())
    if (Error bad = verifyField(row, metadata.registers, generation))
      return bad;
  if (metadata.registers.spiPsInputCntl.size() > maxInterpolants)
    return limitExceeded(Twine(metadata.registers.spiPsInputCntl.size()) + " interpolants");
  for (const SpiPsInputCntl &control : metadata.registers.spiPsInputCntl)
    for (const InputControlRow &row : getInputControlRows())
      if (Error bad = verifyField(row, control, generation))
        return bad;
  return Error::success();
}

std::string pal::writeMetadata(const GraphicsMetadata &metadata, const TargetInfo &target) {
  return Writer(metadata, target).write();
}

void pal::setModuleMetadata(Module &module, const GraphicsMetadata &metadata,
                            const TargetInfo &target) {
  setModuleBlob(module, writeMetadata(metadata, target));
}

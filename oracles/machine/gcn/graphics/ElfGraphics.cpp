// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graphics pipeline from a PAL ELF. Sources: PAL's palPipelineAbi.h and
// g_palPipelineAbiMetadata.h for the keys, AMD's register reference for what they set.
#include "oracles/machine/gcn/graphics/GraphicsProgram.h"
#include "oracles/machine/gcn/launch/ElfImage.h"
#include "oracles/pal_elf/ArtifactViews.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/radv/RadvGraphics.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Dword offsets of registers (Mesa's src/amd/registers).
enum RegisterOffset : uint32_t {
  SpiPsInputControl0 = 0xa191,
  SpiPsInputEna = 0xa1b3,
  SpiPsInputAddr = 0xa1b4,
  SpiBarycControl = 0xa1b8,
  SpiShaderPosFormat = 0xa1c3,
  SpiShaderZFormat = 0xa1c4,
  SpiShaderColFormat = 0xa1c5,
  DbShaderControl = 0xa203,
  PaClVsOutControl = 0xa207,
  CbShaderMask = 0xa08f,
  VgtPrimitiveIdEn = 0xa2a1,
};

/// Registers of a pipeline, from 2.x metadata (`.registers`) or from 3.x.
class RegisterReader {
public:
  /// From the map of 3.x metadata. \p graphicsRegisters outlives this.
  explicit RegisterReader(const MsgValue &graphicsRegisters) : m_graphics(&graphicsRegisters) {}
  /// From the first pipeline of an ELF's metadata. Without registers all reads give 0. The
  /// arguments outlive this.
  RegisterReader(const PalMetadata &metadata, const MsgValue &root)
      : m_old(metadata.major < 3 ? &metadata : nullptr) {
    FieldMap pipelines(&root);
    ArrayRef<MsgValue> all = pipelines.items("amdpal.pipelines");
    if (all.empty())
      return;
    FieldMap pipeline(&all.front());
    const MsgValue *registers = pipeline.find(".registers");
    if (!m_old) {
      m_graphics = pipeline.at(".graphics_registers");
    } else if (registers && registers->kind == MsgKind::Map) {
      m_decoded = decodeGraphicsRegisters(*registers);
      m_graphics = FieldMap(&m_decoded);
    }
  }
  RegisterReader(const RegisterReader &) = delete;

  /// The whole register at a dword offset; 0 when the metadata does not set it.
  uint32_t read(uint32_t offset) const {
    if (!m_old)
      return encodeGraphicsRegister(m_graphics, offset);
    auto found = m_old->registers.find(offset);
    return found == m_old->registers.end() ? 0 : found->second;
  }
  /// Field \p key of the register whose map is \p map; of the registers themselves if it is empty.
  uint32_t field(StringRef map, StringRef key) const {
    FieldMap fields = map.empty() ? m_graphics : m_graphics.at(map);
    return static_cast<uint32_t>(fields.numberOr(key));
  }
  /// VGT_GS_OUT_PRIM_TYPE, of metadata 3.x alone; 0 where they do not say.
  std::optional<uint32_t> outputPrimitive() const {
    if (m_old)
      return std::nullopt;
    static constexpr StringLiteral names[] = {"PointList", "LineStrip", "TriStrip", "Rect2d",
                                              "RectList"};
    const MsgValue *type = m_graphics.at(".vgt_gs_out_prim_type").find(".outprim_type");
    auto *found = type ? find(names, StringRef(type->text)) : std::begin(names);
    return found == std::end(names) ? std::nullopt
                                    : std::optional(uint32_t(found - std::begin(names)));
  }

private:
  const PalMetadata *m_old = nullptr; ///< Of version 2.x.
  MsgValue m_decoded;
  FieldMap m_graphics;
};

} // namespace

/// Parameters of vertices and of primitives; one at least where there is an attribute ring.
static unsigned countParameters(const RegisterReader &registers) {
  constexpr StringLiteral config = ".spi_vs_out_config";
  unsigned primitives = registers.field(config, ".prim_export_count");
  if (registers.field(config, ".no_pc_export"))
    return std::max(primitives, 1u);
  return registers.field(config, ".vs_export_count") + 1 + primitives;
}

/// Sets what only NGG stages have. From GFX12 on every pipeline counts as passthrough.
static void readNgg(const RegisterReader &registers, const TargetInfo &target,
                    VertexRegisters &vertex) {
  constexpr StringLiteral stages = ".vgt_shader_stages_en", limits = ".vgt_gs_onchip_cntl";
  vertex.isNgg = true;
  vertex.hasPalRing = true;
  vertex.isPassthrough = target.major >= 12 || registers.field(stages, ".primgen_passthru_en");
  vertex.sendsNoRequest = registers.field(stages, ".primgen_passthru_no_msg");
  vertex.verticesPerGroup = registers.field(limits, ".es_verts_per_subgroup");
  vertex.primitivesPerGroup = registers.field(limits, ".gs_inst_prims_per_subgrp");
  vertex.outputPrimitive = registers.outputPrimitive();
  vertex.primitiveParameters = registers.field(".spi_vs_out_config", ".prim_export_count");
  vertex.vgprComponents = registers.field("", ".es_vgpr_comp_cnt");
  vertex.gsVgprComponents = registers.field("", ".gs_vgpr_comp_cnt");
}

/// Sets what all vertex stages have.
static VertexRegisters readVertex(const RegisterReader &registers) {
  VertexRegisters vertex;
  vertex.posFormat = registers.read(SpiShaderPosFormat);
  vertex.outControl = registers.read(PaClVsOutControl);
  vertex.parameterExports = countParameters(registers);
  vertex.vgprComponents = registers.field("", ".vs_vgpr_comp_cnt");
  vertex.usesPrimitiveId = registers.read(VgtPrimitiveIdEn) & 1;
  // The table has an entry for each binding that there may be.
  for (uint32_t binding = 0; binding < 32; ++binding)
    vertex.vertexTable.push_back(binding);
  return vertex;
}

/// Reads the registers of the pixel stage. At most MaxParameters inputs are kept.
static PixelRegisters readPixel(const RegisterReader &registers) {
  PixelRegisters pixel;
  pixel.inputEna = registers.read(SpiPsInputEna);
  pixel.inputAddr = registers.read(SpiPsInputAddr);
  constexpr StringLiteral inputs = ".spi_ps_in_control";
  unsigned vertexInputs = registers.field(inputs, ".num_interps");
  pixel.primitiveInputs = registers.field(inputs, ".num_prim_interp");
  pixel.inputCount = std::min<unsigned>(vertexInputs + pixel.primitiveInputs, MaxParameters);
  for (unsigned i = 0; i < pixel.inputCount; ++i)
    pixel.inputControl[i] = registers.read(SpiPsInputControl0 + i);
  pixel.barycentrics = registers.read(SpiBarycControl);
  pixel.colorFormat = registers.read(SpiShaderColFormat);
  pixel.colorMask = registers.read(CbShaderMask);
  pixel.depthFormat = registers.read(SpiShaderZFormat);
  pixel.shaderControl = registers.read(DbShaderControl);
  pixel.isPerSample = registers.field("", ".ps_iter_sample");
  return pixel;
}

VertexRegisters gcn::readVertexRegisters(const MsgValue &graphicsRegisters) {
  return readVertex(RegisterReader(graphicsRegisters));
}

PixelRegisters gcn::readPixelRegisters(const MsgValue &graphicsRegisters) {
  return readPixel(RegisterReader(graphicsRegisters));
}

/// The stage that positions vertices. Unsupported: tessellation and geometry shaders.
static Expected<const HardwareStageMetadata *> findVertexStage(const PalMetadata &metadata,
                                                               const RegisterReader &registers,
                                                               const TargetInfo &target) {
  for (StringRef stage : {".ls", ".hs", ".es"})
    if (metadata.find(stage))
      return unsupported("gcn machine: the hardware stage " + stage);
  const HardwareStageMetadata *geometry = metadata.find(".gs");
  const HardwareStageMetadata *vertex = metadata.find(".vs");
  if (geometry) {
    constexpr StringLiteral stages = ".vgt_shader_stages_en";
    bool isNgg = target.major >= 11 || registers.field(stages, ".primgen_en");
    if (!isNgg || vertex || registers.field(stages, ".gs_stage_en"))
      return unsupported("gcn machine: geometry shaders");
    if (registers.field("", ".ngg_culling_data_reg") ||
        is_contained(geometry->userDataRegMap, uint32_t(user_data::NggCullingData)))
      return unsupported("gcn machine: NGG that reads culling data");
    return geometry;
  }
  if (!vertex)
    return invalidInput("metadata: there is no hardware stage for vertices");
  if (target.major >= 11)
    return invalidInput("metadata: the hardware stage .vs, which " + target.name + " lacks");
  return vertex;
}

/// Loads the vertex stage and, if there is one, the pixel stage. Fails for ELFs without metadata
/// and for stages that the machine does not model.
Expected<GraphicsProgram> gcn::loadGraphicsElf(const Artifact &artifact, const TargetInfo &target) {
  Expected<const ElfView &> view = viewElf(artifact);
  if (!view)
    return view.takeError();
  Expected<const MsgValue &> root = viewMetadataTree(artifact);
  if (!root)
    return root.takeError();
  Expected<const PalMetadata &> metadata = viewMetadata(artifact);
  if (!metadata)
    return metadata.takeError();
  RegisterReader registers(*metadata, *root);
  Expected<const HardwareStageMetadata *> vertex = findVertexStage(*metadata, registers, target);
  if (!vertex)
    return vertex.takeError();
  const HardwareStageMetadata *pixel = metadata->find(".ps");
  std::vector<EntryPoint> entryPoints;
  for (const HardwareStageMetadata *stage : {*vertex, pixel}) {
    if (!stage)
      continue;
    Expected<LaunchState> launch = launchStateFor(*stage, target);
    if (!launch)
      return addContext(launch.takeError(), stage->name);
    entryPoints.push_back({stage->entryPoint, std::move(*launch)});
  }
  Expected<std::vector<CodeImage>> images = loadEntryPoints(*view, target, entryPoints);
  if (!images)
    return images.takeError();
  bool isNgg = (*vertex)->name == ".gs";
  GraphicsProgram program{
      std::move(images->front()), readVertex(registers), {}, readPixel(registers)};
  if (isNgg)
    readNgg(registers, target, program.vertexRegisters);
  if (isNgg)
    if (Error error = setGroupSize(program.vertexRegisters, program.vertex.launch))
      return std::move(error);
  if (pixel)
    program.pixel = std::move(images->back());
  return program;
}

/// Sets the threads of an NGG workgroup: enough whole waves for its vertices and its primitives.
/// Invalid input for sizes that the hardware does not have.
Error gcn::setGroupSize(const VertexRegisters &registers, LaunchState &launch) {
  constexpr unsigned most = 256;
  unsigned lanes = std::max(registers.verticesPerGroup, registers.primitivesPerGroup);
  if (registers.verticesPerGroup < 3 || registers.primitivesPerGroup < 1 || lanes > most)
    return invalidInput("NGG with " + Twine(registers.verticesPerGroup) + " vertices and " +
                        Twine(registers.primitivesPerGroup) + " primitives in a workgroup");
  launch.threads = {(lanes + launch.waveSize - 1) / launch.waveSize * launch.waveSize, 1, 1};
  return Error::success();
}

Expected<GraphicsProgram> gcn::loadGraphics(const Artifact &artifact, const TargetInfo &target) {
  return artifact.type() == ArtifactType::RadvGraphics ? loadGraphicsRadv(artifact, target)
                                                       : loadGraphicsElf(artifact, target);
}

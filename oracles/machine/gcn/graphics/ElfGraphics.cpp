// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graphics pipeline from a PAL ELF. Sources: PAL's palPipelineAbi.h and
// g_palPipelineAbiMetadata.h for the keys, AMD's register reference for what they set.
#include "oracles/machine/gcn/ElfImage.h"
#include "oracles/machine/gcn/graphics/GraphicsProgram.h"
#include "oracles/pal_elf/ElfView.h"
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
  SpiVsOutConfig = 0xa1b1,
  SpiPsInputEna = 0xa1b3,
  SpiPsInputAddr = 0xa1b4,
  SpiPsInControl = 0xa1b6,
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
  RegisterReader(const PalMetadata &metadata, const MsgValue &root) : m_metadata(metadata) {
    FieldMap pipelines(&root);
    ArrayRef<MsgValue> all = pipelines.items("amdpal.pipelines");
    if (!all.empty())
      m_graphics = FieldMap(&all.front()).at(".graphics_registers");
  }
  uint32_t read(uint32_t offset) const {
    if (m_metadata.major >= 3)
      return encodeGraphicsRegister(m_graphics, offset);
    auto found = m_metadata.registers.find(offset);
    return found == m_metadata.registers.end() ? 0 : found->second;
  }
  const FieldMap &graphics() const { return m_graphics; }

private:
  const PalMetadata &m_metadata;
  FieldMap m_graphics;
};

} // namespace

static VertexRegisters readVertex(const RegisterReader &registers) {
  VertexRegisters vertex;
  vertex.posFormat = registers.read(SpiShaderPosFormat);
  vertex.outControl = registers.read(PaClVsOutControl);
  vertex.parameterExports = (registers.read(SpiVsOutConfig) >> 1 & 31) + 1;
  vertex.usesPrimitiveId = registers.read(VgtPrimitiveIdEn) & 1;
  // The table has an entry for each binding that there may be.
  for (uint32_t binding = 0; binding < 32; ++binding)
    vertex.vertexTable.push_back(binding);
  return vertex;
}

static PixelRegisters readPixel(const RegisterReader &registers) {
  PixelRegisters pixel;
  pixel.inputEna = registers.read(SpiPsInputEna);
  pixel.inputAddr = registers.read(SpiPsInputAddr);
  pixel.inputCount = std::min<unsigned>(registers.read(SpiPsInControl) & 63, MaxParameters);
  for (unsigned i = 0; i < pixel.inputCount; ++i)
    pixel.inputControl[i] = registers.read(SpiPsInputControl0 + i);
  pixel.barycentrics = registers.read(SpiBarycControl);
  pixel.colorFormat = registers.read(SpiShaderColFormat);
  pixel.colorMask = registers.read(CbShaderMask);
  pixel.depthFormat = registers.read(SpiShaderZFormat);
  pixel.shaderControl = registers.read(DbShaderControl);
  pixel.isPerSample = registers.graphics().flag(".ps_iter_sample");
  return pixel;
}

static Error refuseStages(const PalMetadata &metadata) {
  for (StringRef stage : {".ls", ".hs", ".es"})
    if (metadata.find(stage))
      return unsupported("gcn machine: the hardware stage " + stage);
  return Error::success();
}

Expected<GraphicsProgram> gcn::loadGraphicsElf(ArrayRef<uint8_t> bytes, const TargetInfo &target) {
  Expected<ElfView> view = ElfView::read(bytes);
  if (!view)
    return view.takeError();
  Expected<ArrayRef<uint8_t>> note = findMetadataNote(*view);
  if (!note)
    return note.takeError();
  Expected<MsgValue> root = readMsgPack(*note);
  if (!root)
    return root.takeError();
  Expected<PalMetadata> metadata = decodePalMetadata(*root);
  if (!metadata)
    return metadata.takeError();
  if (Error error = refuseStages(*metadata))
    return std::move(error);
  const HardwareStageMetadata *vertex = metadata->find(".vs");
  const HardwareStageMetadata *pixel = metadata->find(".ps");
  if (!vertex && metadata->find(".gs"))
    return unsupported("gcn machine: NGG");
  if (!vertex)
    return invalidInput("metadata: there is no hardware stage for vertices");
  std::vector<EntryPoint> entryPoints;
  for (const HardwareStageMetadata *stage : {vertex, pixel}) {
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
  RegisterReader registers(*metadata, *root);
  GraphicsProgram program{
      std::move(images->front()), readVertex(registers), {}, readPixel(registers)};
  if (pixel)
    program.pixel = std::move(images->back());
  return program;
}

Expected<GraphicsProgram> gcn::loadGraphics(ArrayRef<uint8_t> bytes, const TargetInfo &target) {
  return radv::isRadvGraphicsFile(bytes) ? loadGraphicsRadv(bytes, target)
                                         : loadGraphicsElf(bytes, target);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graphics pipeline from a file of oracles/radv. Sources: AMD's register reference for the
// fields, Mesa 25's radv_shader.c (radv_postprocess_binary_config) for what RADV sets.
#include "oracles/machine/gcn/RadvImage.h"
#include "oracles/machine/gcn/graphics/GraphicsProgram.h"
#include "oracles/radv/RadvGraphics.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static VertexRegisters readVertex(const radv::RadvGraphics &pipeline) {
  const radv::VertexRegisters &source = pipeline.vertexRegisters;
  VertexRegisters vertex;
  vertex.vgprComponents = pipeline.vertex.rsrc1 >> 24 & 3; // VGPR_COMP_CNT.
  vertex.posFormat = source.positionFormat;
  vertex.outControl = source.outControl;
  vertex.parameterExports = source.parameters;
  vertex.vertexTable = source.vertexBindings;
  return vertex;
}

static PixelRegisters readPixel(const radv::PixelRegisters &source) {
  PixelRegisters pixel;
  pixel.inputEna = source.inputEna;
  pixel.inputAddr = source.inputAddr;
  pixel.inputCount = static_cast<unsigned>(source.inputs.size());
  std::copy(source.inputs.begin(), source.inputs.end(), pixel.inputControl.begin());
  pixel.barycentrics = source.barycentrics;
  pixel.colorFormat = source.colorFormat;
  pixel.depthFormat = source.depthFormat;
  pixel.shaderControl = source.shaderControl;
  pixel.isPerSample = source.barycentrics != 0; // POS_FLOAT_LOCATION: of the sample.
  return pixel;
}

/// Whether a target without an export precedes one with an export: then SPI_SHADER_COL_FORMAT
/// numbers exports, not targets.
static bool hasGap(uint32_t mask) {
  bool hasEnded = false;
  for (unsigned i = 0; i < 32; i += 4) {
    const bool isWritten = (mask >> i & 0xf) != 0;
    if (isWritten && hasEnded)
      return true;
    hasEnded |= !isWritten;
  }
  return false;
}

static Error refuse(const radv::RadvGraphics &pipeline) {
  if (pipeline.vertexRegisters.isNgg)
    return unsupported("gcn machine: NGG");
  if (pipeline.vertexRegisters.primitiveId & 1) // PRIMITIVEID_EN.
    return unsupported("gcn machine: primitive ids from hardware stage VS");
  if (pipeline.pixelRegisters.loadsProvokingVertex)
    return unsupported("gcn machine: the provoking vertex in an SGPR");
  if (hasGap(pipeline.pixelRegisters.colorMask))
    return unsupported("gcn machine: colour targets with a gap");
  return Error::success();
}

static Expected<CodeImage> loadStage(radv::RadvShader &shader, const TargetInfo &target) {
  Expected<LaunchState> launch = graphicsStateFor(shader, target);
  if (!launch)
    return launch.takeError();
  return loadRadvShader(std::move(shader), std::move(*launch), target);
}

Expected<GraphicsProgram> gcn::loadGraphicsRadv(ArrayRef<uint8_t> bytes, const TargetInfo &target) {
  Expected<radv::RadvGraphics> pipeline = radv::readRadvGraphics(bytes);
  if (!pipeline)
    return pipeline.takeError();
  if (pipeline->vertex.target != target.name)
    return invalidInput("the RADV pipeline is for " + pipeline->vertex.target + ", not for " +
                        target.name);
  if (Error error = refuse(*pipeline))
    return std::move(error);
  VertexRegisters vertexRegisters = readVertex(*pipeline);
  Expected<CodeImage> vertex = loadStage(pipeline->vertex, target);
  if (!vertex)
    return addContext(vertex.takeError(), "vertex shader");
  GraphicsProgram program{
      std::move(*vertex), std::move(vertexRegisters), {}, readPixel(pipeline->pixelRegisters)};
  if (!pipeline->pixel)
    return program;
  Expected<CodeImage> pixel = loadStage(*pipeline->pixel, target);
  if (!pixel)
    return addContext(pixel.takeError(), "fragment shader");
  program.pixel = std::move(*pixel);
  return program;
}

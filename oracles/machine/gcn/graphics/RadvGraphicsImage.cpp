// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graphics pipeline from a file of RADV's. Sources: Mesa 25.0's radv_shader_args.c,
// radv_shader.c (radv_postprocess_binary_config) and AMD's register reference for RSRC1 and RSRC2.
#include "oracles/machine/gcn/graphics/GraphicsProgram.h"
#include "oracles/machine/gcn/launch/RadvImage.h"
#include "oracles/radv/RadvGraphics.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// \p bits bits of \p word from bit \p low on; fewer than 32.
static constexpr uint32_t field(uint32_t word, unsigned low, unsigned bits) {
  return word >> low & ((1u << bits) - 1);
}

/// Converts what RADV would write to registers of the vertex stage.
static VertexRegisters convertVertex(const radv::RadvShader &shader,
                                     const radv::VertexRegisters &from, const TargetInfo &target) {
  VertexRegisters to;
  to.isNgg = from.isNgg;
  to.isPassthrough = from.isPassthrough;
  // PRIMGEN_PASSTHRU_NO_MSG, from Navi 23 on (radv_get_vgt_shader_stages_en).
  to.sendsNoRequest = from.isPassthrough && target.major >= 11;
  to.verticesPerGroup = from.verticesPerGroup;
  to.primitivesPerGroup = from.primitivesPerGroup;
  // SPI_SHADER_PGM_RSRC1_VS.VGPR_COMP_CNT; SPI_SHADER_PGM_RSRC2_GS.ES_VGPR_COMP_CNT and
  // SPI_SHADER_PGM_RSRC1_GS.GS_VGPR_COMP_CNT.
  to.vgprComponents = from.isNgg ? field(shader.rsrc2, 16, 2) : field(shader.rsrc1, 24, 2);
  to.gsVgprComponents = field(shader.rsrc1, 29, 2);
  to.posFormat = from.positionFormat;
  to.outControl = from.outControl;
  // SPI_VS_OUT_CONFIG.VS_EXPORT_COUNT is one less: the ring has room for a parameter at least.
  to.parameterExports = from.parameters + from.primitiveParameters;
  if (target.major >= 11)
    to.parameterExports = std::max(from.parameters, 1u) + from.primitiveParameters;
  to.parameterExports = std::max(to.parameterExports, 1u);
  to.primitiveParameters = from.primitiveParameters;
  to.usesPrimitiveId = from.primitiveId & 1;
  to.vertexTable = from.vertexBindings;
  return to;
}

/// Converts what RADV would write to registers of the pixel stage. At most MaxParameters inputs are
/// kept.
static PixelRegisters convertPixel(const radv::PixelRegisters &from) {
  PixelRegisters to;
  to.inputEna = from.inputEna;
  to.inputAddr = from.inputAddr;
  to.inputCount = static_cast<unsigned>(std::min<size_t>(from.inputs.size(), MaxParameters));
  for (unsigned i = 0; i < to.inputCount; ++i)
    to.inputControl[i] = from.inputs[i];
  to.primitiveInputs = std::min(from.primitiveInputs, to.inputCount);
  to.barycentrics = from.barycentrics;
  to.colorFormat = from.colorFormat;
  to.colorMask = from.colorMask;
  to.depthFormat = from.depthFormat;
  to.shaderControl = from.shaderControl;
  // A shader that runs for each sample gets the sample's position (POS_FLOAT_LOCATION), or inputs
  // there: PERSP_SAMPLE_ENA, LINEAR_SAMPLE_ENA.
  to.isPerSample = field(from.barycentrics, 16, 2) == 2 || from.inputEna & (1u << 0 | 1u << 4);
  return to;
}

/// Unsupported for pixel shaders that read the provoking vertex from an SGPR. Errors name the
/// stage.
Expected<GraphicsProgram> gcn::loadGraphicsRadv(const Artifact &artifact,
                                                const TargetInfo &target) {
  Expected<const radv::RadvGraphics &> source =
      artifact.view<radv::RadvGraphics>(radv::readRadvGraphics);
  if (!source)
    return source.takeError();
  if (source->pixel && source->pixelRegisters.loadsProvokingVertex)
    return unsupported("gcn machine: the provoking vertex in an SGPR");
  GraphicsProgram program;
  program.vertexRegisters = convertVertex(source->vertex, source->vertexRegisters, target);
  if (Error error = loadRadvShader(source->vertex, target).moveInto(program.vertex))
    return addContext(std::move(error), "vertex shader");
  if (program.vertexRegisters.isNgg) {
    program.vertex.launch.firstUserSgpr = 8;
    if (Error error = setGroupSize(program.vertexRegisters, program.vertex.launch))
      return std::move(error);
  }
  if (!source->pixel)
    return program;
  program.pixelRegisters = convertPixel(source->pixelRegisters);
  Expected<CodeImage> pixel = loadRadvShader(*source->pixel, target);
  if (!pixel)
    return addContext(pixel.takeError(), "fragment shader");
  program.pixel = std::move(*pixel);
  return program;
}

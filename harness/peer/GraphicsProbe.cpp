// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphics pipelines whose registers are known, for Probe.cpp: what they are follows from Vulkan's
// state and AMD's register reference, not from the binaries.
#include "harness/peer/RadvPeer.h"
#include "oracles/input/Glsl.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using radv::RadvGraphics;
using radv::UserData;

/// VkFormat.
static constexpr auto formatRgba8 = TexelFormat(37), formatRgba32Uint = TexelFormat(107),
                      formatRgba32Float = TexelFormat(109), formatR32Float = TexelFormat(100),
                      formatDepth32 = TexelFormat(126);

namespace {
/// A pipeline and what its registers must be.
struct GraphicsProbe {
  StringLiteral name;
  /// GLSL.
  StringLiteral vertex, fragment;
  void (*setState)(GraphicsState &state);
  std::vector<radv::SetBinding> bindings;
  uint32_t pushConstantBytes;
  uint32_t positionFormat, outControl; ///< Of outControl the low 17 bits.
  uint32_t parameters, vertexDescriptors;
  uint32_t colorFormat, colorMask, depthFormat;
  uint32_t shaderControl; ///< Bits 0 to 3, 6 and 8: what is exported, KILL_ENABLE, MASK_EXPORT.
  std::vector<uint32_t> inputs;
  std::vector<UserData> vertexData, pixelData; ///< Apart from those of rings and culling.
  uint32_t inputEna;                           ///< Of SPI_PS_INPUT_ENA what the shader reads.
};
} // namespace

/// Z_EXPORT, STENCIL_EXPORT, KILL_ENABLE, MASK_EXPORT_ENABLE of DB_SHADER_CONTROL.
static constexpr uint32_t comparedControl = 1 | 2 | 1 << 6 | 1 << 8;

/// Points: for other primitives RADV drops the point size.
static void setTwoBuffers(GraphicsState &state) {
  state.input.topology = PrimitiveTopology::PointList;
  state.input.bindings = {{.binding = 1, .stride = 16},
                          {.binding = 4, .stride = 8, .perInstance = true}};
  state.input.attributes = {{0, 1, formatRgba32Float, 0}, {3, 4, formatR32Float, 4}};
  state.colorTargets = {{.format = formatRgba8}, {}, {.format = formatRgba32Uint}};
}

/// One colour target, and a depth buffer that is tested and written.
static void setDepth(GraphicsState &state) {
  state.depthStencilFormat = formatDepth32;
  state.depthStencil.depthTest = state.depthStencil.depthWrite = true;
  state.colorTargets = {{.format = formatR32Float}};
}

/// Returns pipelines that together use each field which is compared, with at least two different
/// values.
static std::vector<GraphicsProbe> makeProbes() {
  return {
      {.name = "vertex buffers and three exports",
       .vertex = R"(#version 450
layout(location = 0) in vec4 a;
layout(location = 3) in float b;
layout(location = 1) out vec4 smoothed;
layout(location = 6) flat out vec4 flatted;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
layout(push_constant) uniform P { layout(offset = 8) float x; } p;
void main() {
  gl_Position = a;
  gl_PointSize = b;
  gl_ClipDistance[0] = a.x;
  gl_ClipDistance[1] = b + float(gl_InstanceIndex);
  smoothed = a * b * p.x;
  flatted = a + b;
})",
       .fragment = R"(#version 450
layout(location = 1) in vec4 smoothed;
layout(location = 6) flat in vec4 flatted;
layout(location = 0) out vec4 first;
layout(location = 2) out uvec4 third;
layout(set = 2, binding = 0) uniform U { vec4 scale; } u;
void main() { first = smoothed * u.scale; third = floatBitsToUint(flatted); })",
       .setState = setTwoBuffers,
       .bindings = {{2, 0, radv::DescriptorType::UniformBuffer, 1}},
       .pushConstantBytes = 12,
       .positionFormat = 0x444,
       // Clip distances 0 and 1; point size.
       .outControl = 1 << 16 | 3 << 8 | 3,
       .parameters = 2,
       .vertexDescriptors = 1 << 0 | 1 << 3,
       .colorFormat = 0x94, // FP16_ABGR, 32_ABGR.
       .colorMask = 0xf0f,
       .depthFormat = 0,
       .shaderControl = 0,
       .inputs = {0, 1 | 1 << 10},
       .vertexData = {UserData::VertexBuffers, UserData::BaseVertex, UserData::StartInstance,
                      UserData::InlinePushConstants},
       .pixelData = {UserData::DescriptorSet},
       .inputEna = 1 << 1},
      {.name = "depth, discard and coordinates",
       .vertex = R"(#version 450
void main() { gl_Position = vec4(gl_VertexIndex & 1, gl_VertexIndex & 2, 0, 1); })",
       .fragment = R"(#version 450
layout(location = 0) out float result;
void main() {
  if (gl_FragCoord.y > 7.5) discard;
  gl_FragDepth = gl_FragCoord.x * 0.125;
  result = gl_FrontFacing ? 1 : 2;
})",
       .setState = setDepth,
       .bindings = {},
       .pushConstantBytes = 0,
       .positionFormat = 4,
       .outControl = 0,
       .parameters = 0,
       .vertexDescriptors = 0,
       .colorFormat = 1,
       .colorMask = 1,
       .depthFormat = 1,
       .shaderControl = 1 | 1 << 6,
       .inputs = {},
       .vertexData = {UserData::BaseVertex},
       .pixelData = {},
       .inputEna = 1 << 8 | 1 << 9 | 1 << 12},
  };
}

/// Unsupported: a layout that is not known is no fault of the case.
static Error differs(const GraphicsProbe &probe, const Twine &what) {
  return unsupported("this Mesa lays out shaders in a way that is not known: with " + probe.name +
                     ", " + what);
}

/// The same for a register or count called \p name.
static Error differs(const GraphicsProbe &probe, StringRef name, uint32_t value,
                     uint32_t expected) {
  return differs(probe, name + " is 0x" + utohexstr(value) + ", not 0x" + utohexstr(expected));
}

/// User data other than those that depend on the hardware stage.
static std::vector<UserData> collectData(const radv::RadvShader &shader) {
  std::vector<UserData> data;
  for (const radv::UserRange &range : shader.userData)
    if (range.data != UserData::RingTable && range.data != UserData::NggCulling &&
        range.data != UserData::NggViewport)
      data.push_back(range.data);
  llvm::sort(data);
  return data;
}

/// Compares what is in the user SGPRs of \p shader with \p expected, as sets: the order is that of
/// the stage.
static Error checkData(const GraphicsProbe &probe, const radv::RadvShader &shader,
                       std::vector<UserData> expected) {
  llvm::sort(expected);
  if (collectData(shader) == expected)
    return Error::success();
  return differs(probe, Twine(shader.userData.size()) + " things are in user SGPRs of the " +
                            (shader.stage == radv::Stage::Vertex ? "vertex" : "fragment") +
                            " shader");
}

/// Unsupported with the first register of \p pipeline that is not as \p probe says. Which hardware
/// stage the vertex shader has follows from the generation, except on GFX10, which has both.
static Error check(const GraphicsProbe &probe, const RadvGraphics &pipeline,
                   const TargetInfo &target) {
  const radv::VertexRegisters &vertex = pipeline.vertexRegisters;
  const radv::PixelRegisters &pixel = pipeline.pixelRegisters;
  struct Row {
    StringLiteral name;
    uint32_t value, expected;
  };
  const Row rows[] = {
      {"SPI_SHADER_POS_FORMAT", vertex.positionFormat, probe.positionFormat},
      {"PA_CL_VS_OUT_CNTL", vertex.outControl & 0x1ffff, probe.outControl},
      {"the count of parameters", vertex.parameters, probe.parameters},
      {"the mask of vertex descriptors", vertex.vertexDescriptors, probe.vertexDescriptors},
      {"SPI_SHADER_COL_FORMAT", pixel.colorFormat, probe.colorFormat},
      {"CB_SHADER_MASK", pixel.colorMask, probe.colorMask},
      {"SPI_SHADER_Z_FORMAT", pixel.depthFormat, probe.depthFormat},
      {"DB_SHADER_CONTROL", pixel.shaderControl & comparedControl, probe.shaderControl},
      {"SPI_PS_INPUT_ENA", pixel.inputEna & probe.inputEna, probe.inputEna},
  };
  for (const Row &row : rows)
    if (row.value != row.expected)
      return differs(probe, row.name, row.value, row.expected);
  if (pixel.inputs != probe.inputs)
    return differs(probe, Twine(pixel.inputs.size()) + " inputs have other controls");
  if (vertex.isNgg != (target.major >= 11) && target.major != 10)
    return differs(probe, "the vertex shader is on another hardware stage");
  if (Error error = checkData(probe, pipeline.vertex, probe.vertexData))
    return error;
  return checkData(probe, *pipeline.pixel, probe.pixelData);
}

/// Appends the stage with \p source, which is GLSL, compiled to SPIR-V.
static Error compileStage(ShaderStage stage, StringRef source, RadvPipeline &pipeline) {
  auto spirv = input::compileGlsl(stage, source, 1, input::ScriptFiles(""));
  if (!spirv)
    return spirv.takeError();
  pipeline.stages.emplace_back();
  pipeline.stages.back().stage = stage;
  pipeline.stages.back().spirv = std::move(*spirv);
  return Error::success();
}

Error assay::probeGraphicsLayout(RadvPeer &peer, const TargetInfo &target) {
  for (const GraphicsProbe &probe : makeProbes()) {
    RadvPipeline pipeline;
    if (Error error = compileStage(ShaderStage::Vertex, probe.vertex, pipeline))
      return error;
    if (Error error = compileStage(ShaderStage::Fragment, probe.fragment, pipeline))
      return error;
    probe.setState(pipeline.graphics);
    pipeline.width = pipeline.height = 16;
    pipeline.graphics.viewport.width = pipeline.graphics.viewport.height = 16;
    pipeline.bindings = probe.bindings;
    pipeline.pushConstantBytes = probe.pushConstantBytes;
    Expected<RadvGraphics> shaders = peer.compileGraphics(pipeline);
    if (!shaders)
      return addContext(shaders.takeError(), "probe of " + probe.name);
    if (!shaders->pixel)
      return differs(probe, "there is no fragment shader");
    for (const radv::RadvShader *shader : {&shaders->vertex, &*shaders->pixel})
      if (shader->waveSize != peer.settings().graphicsWaveSize)
        return differs(probe, "waves have " + Twine(shader->waveSize) + " lanes");
    if (Error error = check(probe, *shaders, target))
      return error;
  }
  return Error::success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections and settings of LLPC's pipeline files, and what is not read.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string glsl = "[CsGlsl]\n#version 450\nlayout(constant_id = 3) const uint f = 1;\n"
                         "layout(set = 1, binding = 2) buffer B { uint b[]; };\n"
                         "void main() { b[0] = f; }\n\n";

Case good(const std::string &text) {
  Expected<Case> result = readCaseFromText(text, "t.pipe", "t");
  if (result)
    return std::move(*result);
  ADD_FAILURE() << assay::takeError(result.takeError()).message << "\n" << text;
  return {};
}

ErrorParts bad(const std::string &text) {
  Expected<Case> result = readCaseFromText(text, "t.pipe", "t");
  if (!result)
    return assay::takeError(result.takeError());
  ADD_FAILURE() << "accepted:\n" << text;
  return {ErrorKind::Environment, ""};
}

TEST(PipeReader, ReadsAPipeline) {
  Case result = good("; RUN: something\n\n[Version]\nversion = 40\n\n" + glsl +
                     "[CsInfo]\nentryPoint = main\n; a comment\n"
                     "specConst.mapEntry[0].constantID = 3\nspecConst.mapEntry[0].offset = 4\n"
                     "specConst.mapEntry[0].size = 4\nspecConst.uintData = 7, 9,\n"
                     "specConst.floatData = 1.0\noptions.waveSize = 64\n"
                     "userDataNode[0].type = DescriptorTableVaPtr\n"
                     "[ResourceMapping]\nuserDataNode[0].visibility = 32\n"
                     "[ComputePipelineState]\ndeviceIndex = 0\noptions.includeIr = 0\n"
                     "options.robustBufferAccess = 1\n");
  ASSERT_EQ(result.pipelines.size(), 1u);
  const PipelineDescription &description = result.pipelines[0].description;
  ASSERT_EQ(description.getShader(ShaderStage::Compute).specialization.size(), 1u);
  EXPECT_EQ(description.getShader(ShaderStage::Compute).specialization[0].id, 3u);
  EXPECT_EQ(description.getShader(ShaderStage::Compute).specialization[0].bits, 9u);
  EXPECT_NE(description.layout.find(1, 2), nullptr);
  EXPECT_EQ(description.robustness, Robustness::Access);
  EXPECT_EQ(description.getShader(ShaderStage::Compute).requiredSubgroupSize, 0u);
  EXPECT_TRUE(result.commands.empty() && result.unsupported.empty());
}

TEST(PipeReader, ReadsAssemblyAndOptions) {
  Case result = good("[CsSpirv]\n; SPIR-V\n; Version: 1.3\nOpCapability Shader\n"
                     "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %f \"go\"\n"
                     "OpExecutionMode %f LocalSize 1 1 1\n%v = OpTypeVoid\n"
                     "%t = OpTypeFunction %v\n%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\n"
                     "OpFunctionEnd\n[CsInfo]\nentryPoint = go\noptions.subgroupSize = 64\n"
                     "[ComputePipelineState]\noptions.extendedRobustness.robustBufferAccess = 1\n"
                     "options.overrideShaderThreadGroupSizeX = 0\n");
  const PipelineDescription &description = result.pipelines.at(0).description;
  EXPECT_EQ(description.getShader(ShaderStage::Compute).spirv[1], 0x00010300u);
  EXPECT_EQ(description.getShader(ShaderStage::Compute).entryPoint, "go");
  EXPECT_EQ(description.getShader(ShaderStage::Compute).requiredSubgroupSize, 64u);
  EXPECT_EQ(description.robustness, Robustness::Access2);
}

TEST(PipeReader, OverridesTheWorkgroupSize) {
  auto sizeOf = [](const std::string &options) {
    const Case result = good("[CsGlsl]\n#version 450\nlayout(local_size_x = 3, local_size_y = 5) "
                             "in;\nvoid main() {}\n[CsInfo]\nentryPoint = main\n"
                             "[ComputePipelineState]\n" +
                             options);
    const std::vector<uint32_t> &words =
        result.pipelines.at(0).description.getShader(ShaderStage::Compute).spirv;
    std::vector<uint32_t> size;
    // OpExecutionMode, six words long, mode LocalSize (17).
    for (size_t i = 5; i < words.size(); i += words[i] >> 16)
      if (words[i] == (6u << 16 | 16u) && words[i + 2] == 17)
        size.assign(words.begin() + static_cast<ptrdiff_t>(i) + 3,
                    words.begin() + static_cast<ptrdiff_t>(i) + 6);
    return size;
  };
  EXPECT_EQ(sizeOf("options.overrideShaderThreadGroupSizeZ = 1\n"),
            (std::vector<uint32_t>{3, 5, 1}));
  EXPECT_EQ(sizeOf("options.overrideShaderThreadGroupSizeX = 8\n"
                   "options.overrideShaderThreadGroupSizeY = 0\n"
                   "options.overrideShaderThreadGroupSizeZ = 2\n"),
            (std::vector<uint32_t>{8, 5, 2}));
}

TEST(PipeReader, SaysWhatIsBeyondIt) {
  const std::pair<std::string, const char *> rows[] = {
      {"[TcsGlsl]\n", "tessellation control shaders (line 1)"},
      {"[GeometryShaderSpirv]\n", "geometry shaders (line 1)"},
      {"[MeshInfo]\n", "mesh shaders (line 1)"},
      {"[GraphicsLibrary]\n", "graphics pipelines of libraries (line 1)"},
      {"[VsHlsl]\n", "HLSL shaders (line 1)"},
      {"[rgenGlsl]\n", "ray tracing pipelines (line 1)"},
      {"[CsHlsl]\n", "HLSL shaders (line 1)"},
      {"[CsGlsl]\n#version 450\nlayout(local_size_x_id = 1) in;\nvoid main() {}\n[CsInfo]\n"
       "options.overrideShaderThreadGroupSizeY = 8\n",
       "overrideShaderThreadGroupSize of"},
  };
  for (const auto &[text, reason] : rows) {
    ErrorParts parts = bad(text);
    EXPECT_EQ(parts.kind, ErrorKind::Unsupported) << text;
    EXPECT_NE(parts.message.find(reason), std::string::npos) << parts.message;
  }
}

TEST(PipeReader, RefusesBrokenText) {
  const std::pair<std::string, const char *> rows[] = {
      {"", "the file has no shader"},
      {"hello\n", "line 1: expected a section"},
      {"[CsSoup]\n", "line 1: expected a section"},
      {glsl + glsl, "has a compute shader already"},
      {"[CsGlsl]\n#version 450\nvoid main() { x = 1; }\n", "line 3: GLSL: 'x'"},
      {"[Version]\n40\n" + glsl, "line 2: expected 'key = value'"},
      {"[Version]\nversion =\n" + glsl, "expected a value after 'version ='"},
      {glsl + "[CsInfo]\nentryPoint = other\n", "no compute entry point 'other'"},
      {glsl + "[CsInfo]\nanswer = 42\n", "unknown setting 'answer'"},
      {glsl + "[CsInfo]\nspecConst.count = 1\n", "unknown setting 'specConst.count'"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[x].size = 1\n", "an index"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[0].stride = 1\n", "unknown member 'stride'"},
      {glsl + "[CsInfo]\nspecConst.uintData = 4294967296\n", "does not fit in uint32"},
      {glsl + "[CsInfo]\noptions.overrideShaderThreadGroupSizeW = 1\n", "unknown option"},
      {glsl + "[CsInfo]\noptions.overrideShaderThreadGroupSizeX = 1025\n", "is above 1024"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[0].constantID = 3\n", "outside the data"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[0].constantID = 3\nspecConst.uintData = 1\n"
              "specConst.mapEntry[0].offset = 4294967295\n",
       "outside the data"},
      {glsl + "[CsInfo]\nspecConst.mapEntry[0].constantID = 3\nspecConst.uintData = 1\n"
              "specConst.mapEntry[1].constantID = 3\n",
       "specialized twice"},
      {glsl + "[CsInfo]\noptions.subgroupSize = 48\n", "no power of two"},
      {"[CsGlslFile]\nx.comp\n", "expected 'fileName"},
      {"[CsGlslFile]\nfileName = not-there.comp\n", "does not exist"},
      {"[CsGlslFile]", "expected 'fileName"},
  };
  for (const auto &[text, message] : rows) {
    ErrorParts parts = bad(text);
    EXPECT_EQ(parts.kind, ErrorKind::InvalidInput) << text << parts.message;
    EXPECT_NE(parts.message.find(message), std::string::npos) << parts.message;
  }
}

const std::string vertex = "// before the first section\n[VsGlsl]\n#version 450\n"
                           "layout(location = 1) in vec2 a; layout(location = 0) out vec4 o;\n"
                           "void main() { gl_Position = a.xyxy; o = vec4(1); }\n";
const std::string fragment = "[FsGlsl]\n#version 450\nlayout(constant_id = 2) const float f = 1;\n"
                             "layout(location = 0) in vec4 i; layout(location = 0) out vec4 c;\n"
                             "void main() { c = i * f; }\n";

TEST(PipeReader, ReadsAGraphicsPipeline) {
  Case result =
      good(vertex + "[VsInfo]\nentryPoint = main\ntrapPresent = 0\n" + fragment +
           "[FsInfo]\nspecConst.mapEntry[0].constantID = 2\nspecConst.uintData = 3\n"
           "[GraphicsPipelineState]\ntopology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ; a comment\n"
           "numSamples = 4\nperSampleShading = 1\nalphaToCoverageEnable = 1\ndepthClipEnable = 0\n"
           "rasterizerDiscardEnable = 1\nprovokingVertexMode = "
           "VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT\npolygonMode = VK_POLYGON_MODE_LINE\n"
           "cullMode = VK_CULL_MODE_BACK_BIT\nfrontFace = VK_FRONT_FACE_CLOCKWISE\n"
           "nggState.enableNgg = 1\noptions.robustBufferAccess = 1\nenableMultiView = 0\n"
           "colorBuffer[1].format = VK_FORMAT_R8G8B8A8_UNORM\ncolorBuffer[1].channelWriteMask = 7\n"
           "colorBuffer[1].blendEnable = 1\ncolorBuffer[1].blendSrcAlphaToColor = 1\n"
           "[VertexInputState]\nbinding[0].binding = 3\nbinding[0].stride = 24\n"
           "binding[0].inputRate = VK_VERTEX_INPUT_RATE_INSTANCE\nattribute[0].location = 1\n"
           "attribute[0].binding = 3\nattribute[0].format = VK_FORMAT_R32G32_SFLOAT\n"
           "attribute[0].offset = 8\ndivisor[0].binding = 3\ndivisor[0].divisor = 5\n");
  ASSERT_EQ(result.pipelines.size(), 1u);
  const PipelineDescription &description = result.pipelines[0].description;
  ASSERT_EQ(description.stages.size(), 2u);
  EXPECT_EQ(description.getShader(ShaderStage::Fragment).specialization.size(), 1u);
  EXPECT_TRUE(description.getShader(ShaderStage::Vertex).specialization.empty());
  EXPECT_EQ(description.robustness, Robustness::Access);
  const GraphicsState &state = description.graphics;
  EXPECT_EQ(state.input.topology, PrimitiveTopology::TriangleStrip);
  EXPECT_EQ(state.multisample.samples, 4u);
  EXPECT_TRUE(state.multisample.sampleShading && state.multisample.alphaToCoverage);
  EXPECT_TRUE(state.rasterization.discard && !state.rasterization.depthClip);
  EXPECT_EQ(state.rasterization.provokingVertex, ProvokingVertex::Last);
  EXPECT_EQ(state.rasterization.polygonMode, PolygonMode::Line);
  EXPECT_EQ(state.rasterization.cullMode, CullBack);
  EXPECT_EQ(state.rasterization.frontFace, FrontFace::Clockwise);
  ASSERT_EQ(state.colorTargets.size(), 2u);
  EXPECT_EQ(state.colorTargets[0].format, TexelFormat::Undefined);
  EXPECT_EQ(static_cast<int>(state.colorTargets[1].format), 37); // VK_FORMAT_R8G8B8A8_UNORM
  EXPECT_EQ(state.colorTargets[1].writeMask, 7);
  EXPECT_TRUE(state.colorTargets[1].blend);
  EXPECT_EQ(state.colorTargets[1].srcColor, BlendFactor::SrcAlpha);
  ASSERT_EQ(state.input.bindings.size(), 1u);
  EXPECT_EQ(state.input.bindings[0],
            (VertexInputBinding{.binding = 3, .stride = 24, .perInstance = true, .divisor = 5}));
  ASSERT_EQ(state.input.attributes.size(), 1u);
  EXPECT_EQ(state.input.attributes[0].offset, 8u);
  EXPECT_TRUE(result.unsupported.empty());
}

TEST(PipeReader, KeepsWhatAPipelineNeedsBeyondItsState) {
  Case result = good(vertex + "[GraphicsPipelineState]\nenableMultiView = 1\n"
                              "colorBuffer[0].format = VK_FORMAT_A8_UNORM_KHR\n"
                              "[VertexInputState]\nattribute[0].binding = 7\n");
  ASSERT_EQ(result.unsupported.size(), 2u);
  EXPECT_EQ(result.unsupported[0].reason, "multiview");
  EXPECT_EQ(result.unsupported[1].reason, "VK_FORMAT_A8_UNORM_KHR");
  const GraphicsState &state = result.pipelines[0].description.graphics;
  ASSERT_EQ(state.input.bindings.size(), 1u) << "LLPC's files leave bindings out";
  EXPECT_EQ(state.input.bindings[0], (VertexInputBinding{.binding = 7}));
  EXPECT_EQ(state.input.topology, PrimitiveTopology::PointList) << "LLPC's default";
}

TEST(PipeReader, MarksDualSourceBlending) {
  Case result = good(vertex + fragment +
                     "[GraphicsPipelineState]\ndualSourceBlendEnable = 1\n"
                     "colorBuffer[0].format = VK_FORMAT_R8G8B8A8_UNORM\n");
  const ColorTarget &target = result.pipelines[0].description.graphics.colorTargets.at(0);
  EXPECT_TRUE(target.blend);
  EXPECT_EQ(target.dstColor, BlendFactor::Src1Color);
}

TEST(PipeReader, RefusesBrokenGraphicsState) {
  const std::string state = vertex + "[GraphicsPipelineState]\n";
  const std::string input = vertex + "[VertexInputState]\n";
  const std::pair<std::string, const char *> rows[] = {
      {state + "topologie = 1\n", "line 7: unknown setting 'topologie' of a graphics pipeline"},
      {state + "topology = 3\n", "line 7: unknown value '3' of 'topology'"},
      {state + "topology = VK_PRIMITIVE_TOPOLOGY_RECT\n", "unknown value"},
      {state + "depthClipEnable = maybe\n", "unknown value 'maybe' of 'depthClipEnable'"},
      {state + "numSamples = 3\n", "3 samples are no power of two"},
      {state + "numSamples = 128\n", "is above 64"},
      {state + "colorBuffer[8].format = VK_FORMAT_R8_UNORM\n", "an index of colorBuffer[]"},
      {state + "colorBuffer[0].format = R8\n", "unknown value 'R8' of 'format'"},
      {state + "colorBuffer[0].channelWriteMask = 16\n", "is above 15"},
      {state + "colorBuffer[0].colour = 1\n", "unknown member 'colour' of a color buffer"},
      {input + "binding[0].rate = 1\n", "unknown member 'rate' of a binding"},
      {input + "binding[64].stride = 1\n", "an index of binding[]"},
      {input + "binding[0].inputRate = EACH\n", "unknown value 'EACH' of 'inputRate'"},
      {input + "binding[0].binding = 1\nbinding[1].binding = 1\n", "binding 1 of the vertex input"},
      {input + "attribute[0].location = 2\nattribute[1].location = 2\n",
       "location 2 of the vertex"},
      {input + "attribute[0].place = 2\n", "unknown member 'place' of an attribute"},
      {input + "divisor[0].by = 2\n", "unknown member 'by' of a divisor"},
      {input + "stride = 2\n", "unknown setting 'stride' of the vertex input"},
      {vertex + vertex.substr(vertex.find('[')), "the file has a vertex shader already"},
      {vertex + glsl, "a compute shader and shaders of a graphics pipeline"},
      {vertex + "[VsInfo]\nentryPoint = other\n", "no vertex entry point 'other'"},
      {"[FsInfo]\nentryPoint = main\n", "the file has no shader"},
      {"[FsGlsl]\n#version 450\nvoid main() { gl_Position = vec4(1); }\n", "GLSL:"},
  };
  for (const auto &[text, message] : rows) {
    ErrorParts parts = bad(text);
    EXPECT_EQ(parts.kind, ErrorKind::InvalidInput) << text << parts.message;
    EXPECT_NE(parts.message.find(message), std::string::npos) << parts.message << "\n" << text;
  }
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphics part of AmberScript: pipelines, attachments, vertices, state, draws and clears.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/bit.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string shaders = R"(SHADER vertex v PASSTHROUGH
SHADER vertex colored GLSL
#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 result;
void main() { gl_Position = vec4(position, 1); result = color; }
END
SHADER fragment f GLSL
#version 450
layout(set = 0, binding = 3) uniform U { vec4 value; };
layout(location = 0) out vec4 color;
void main() { color = value; }
END
SHADER fragment plain GLSL
#version 450
layout(location = 0) out vec4 color;
void main() { color = vec4(1); }
END
)";

std::string script(const std::string &rest) {
  return "#!amber\n" + shaders + rest;
}

Case good(const std::string &text) {
  Expected<Case> result = readCaseFromText(text, "t.amber", "t");
  if (result)
    return std::move(*result);
  ADD_FAILURE() << assay::takeError(result.takeError()).message << "\n" << text;
  return {};
}

std::string bad(const std::string &text) {
  Expected<Case> result = readCaseFromText(text, "t.amber", "t");
  if (!result)
    return assay::takeError(result.takeError()).message;
  ADD_FAILURE() << "accepted " << text;
  return "";
}

TexelFormat formatNamed(StringRef name) {
  return *findTexelFormat(name);
}

std::vector<float> floatsOf(const Buffer &buffer) {
  std::vector<float> values(buffer.bytes.size() / sizeof(float));
  std::memcpy(values.data(), buffer.bytes.data(), buffer.bytes.size());
  return values;
}

/// The n-th command, which must be a \p T.
template <typename T> T commandAt(const Case &input, size_t n) {
  if (n >= input.commands.size() || !std::holds_alternative<T>(input.commands[n])) {
    ADD_FAILURE() << "command " << n << " is another";
    return T();
  }
  return std::get<T>(input.commands[n]);
}

const std::string target = "BUFFER color FORMAT R8G8B8A8_UNORM\n";
const std::string simple = target + "PIPELINE graphics p\nATTACH v\nATTACH plain\n"
                                    "BIND BUFFER color AS color LOCATION 0\n"
                                    "FRAMEBUFFER_SIZE 64 32\n";

TEST(AmberGraphics, DrawsARectangle) {
  Case result = good(script(simple + "END\nCLEAR_COLOR p 255 0 51 255\nCLEAR p\n"
                                     "RUN p DRAW_RECT POS 16 8 SIZE 32 16\n"
                                     "EXPECT color IDX 16 8 SIZE 32 16 EQ_RGBA 255 255 255 255\n"));
  EXPECT_TRUE(result.unsupported.empty());
  ASSERT_EQ(result.pipelines.size(), 1u);
  const CasePipeline &pipeline = result.pipelines[0];
  ASSERT_EQ(pipeline.description.stages.size(), 2u);
  EXPECT_TRUE(pipeline.description.isGraphics());
  EXPECT_EQ(pipeline.description.stages[0].stage, ShaderStage::Vertex);
  EXPECT_EQ(pipeline.description.stages[1].stage, ShaderStage::Fragment);
  EXPECT_EQ(pipeline.draw.width, 64u);
  EXPECT_EQ(pipeline.draw.height, 32u);
  ASSERT_EQ(pipeline.draw.color.size(), 1u);
  EXPECT_EQ(result.buffers[pipeline.draw.color[0]->buffer].name, "color");
  ASSERT_TRUE(result.buffers[0].image);
  EXPECT_EQ(result.buffers[0].bytes.size(), 64u * 32 * 4);
  const GraphicsState &state = pipeline.description.graphics;
  EXPECT_EQ(state.viewport, (Viewport{0, 0, 64, 32, 0, 1}));
  ASSERT_EQ(state.colorTargets.size(), 1u);
  EXPECT_EQ(state.colorTargets[0].format, formatNamed("R8G8B8A8_UNORM"));
  EXPECT_FALSE(state.colorTargets[0].blend);
  EXPECT_EQ(state.depthStencil.depthCompare, CompareOp::Always);
  EXPECT_EQ(state.input.topology, PrimitiveTopology::TriangleStrip);
  ASSERT_EQ(state.input.bindings.size(), 1u);
  EXPECT_EQ(state.input.bindings[0].stride, 8u);
  ASSERT_EQ(state.input.attributes.size(), 1u);
  EXPECT_EQ(state.input.attributes[0].format, formatNamed("R32G32_SFLOAT"));
  ASSERT_EQ(pipeline.draw.vertexBuffers.size(), 1u);
  EXPECT_EQ(floatsOf(result.buffers[pipeline.draw.vertexBuffers[0].buffer]),
            (std::vector<float>{-0.5, 0.5, -0.5, -0.5, 0.5, 0.5, 0.5, -0.5}));
  Clear clear = commandAt<Clear>(result, 0);
  EXPECT_EQ(clear.color[0], 1.0f);
  EXPECT_EQ(clear.color[2], 51.0f / 255.0f);
  Draw draw = commandAt<Draw>(result, 1);
  EXPECT_EQ(draw.pipeline, 0u);
  EXPECT_EQ(draw.vertexCount, 4u);
  EXPECT_FALSE(draw.indexed);
  EXPECT_EQ(result.commands.size(), 2u + 2 * 16);
}

TEST(AmberGraphics, MakesOnePipelineOfEachTopologyAndVertices) {
  Case result = good(script(
      "BUFFER data DATA_TYPE vec2<float> DATA 0 0 1 0 0 1 1 1 END\n" + simple +
      "VERTEX_DATA data LOCATION 0\nEND\nRUN p DRAW_RECT POS 0 0 SIZE 64 32\n"
      "RUN p DRAW_RECT POS 0 0 SIZE 32 32\nRUN p DRAW_RECT POS 0 0 SIZE 64 32\n"
      "RUN p DRAW_ARRAY AS POINT_LIST\nRUN p DRAW_ARRAY AS LINE_STRIP START_IDX 1\n"
      "RUN p DRAW_ARRAY AS POINT_LIST START_IDX 1 COUNT 2 START_INSTANCE 3 INSTANCE_COUNT 4\n"));
  ASSERT_EQ(result.pipelines.size(), 4u);
  ASSERT_EQ(result.commands.size(), 6u);
  unsigned expected[] = {0, 1, 0, 2, 3, 2};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(commandAt<Draw>(result, i).pipeline, expected[i]) << i;
  EXPECT_EQ(result.pipelines[2].description.graphics.input.topology, PrimitiveTopology::PointList);
  EXPECT_EQ(result.pipelines[3].description.graphics.input.topology, PrimitiveTopology::LineStrip);
  EXPECT_EQ(result.buffers[result.pipelines[2].draw.vertexBuffers.at(0).buffer].name, "data");
  EXPECT_EQ(commandAt<Draw>(result, 3).vertexCount, 4u);
  EXPECT_EQ(commandAt<Draw>(result, 4).vertexCount, 3u);
  EXPECT_EQ(commandAt<Draw>(result, 4).firstVertex, 1u);
  Draw last = commandAt<Draw>(result, 5);
  EXPECT_EQ(last.vertexCount, 2u);
  EXPECT_EQ(last.firstInstance, 3u);
  EXPECT_EQ(last.instanceCount, 4u);
}

TEST(AmberGraphics, ReadsVertexAndIndexData) {
  Case result =
      good(script("BUFFER positions DATA_TYPE vec3<float> DATA 0 0 0 1 0 0 0 1 0 END\n"
                  "BUFFER colors DATA_TYPE R8G8B8A8_UNORM DATA 1 2 3 4 5 6 7 8 END\n"
                  "BUFFER raw DATA_TYPE uint32 SIZE 16 FILL 0\n"
                  "BUFFER indices DATA_TYPE uint16 DATA 2 1 0 1 END\n" +
                  target +
                  "PIPELINE graphics p\nATTACH colored\nATTACH plain\n"
                  "BIND BUFFER color AS color LOCATION 0\n"
                  "VERTEX_DATA colors LOCATION 2 RATE instance\nVERTEX_DATA positions LOCATION 0\n"
                  "VERTEX_DATA raw LOCATION 1 FORMAT R32G32B32A32_SFLOAT OFFSET 4 STRIDE 20\n"
                  "INDEX_DATA indices\nEND\n"
                  "RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED COUNT 3\n"
                  "RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED START_IDX 1\n"));
  ASSERT_EQ(result.pipelines.size(), 1u);
  const CasePipeline &pipeline = result.pipelines[0];
  const InputAssemblyState &input = pipeline.description.graphics.input;
  EXPECT_EQ(input.bindings,
            (std::vector<VertexInputBinding>{{0, 4, true}, {1, 16, false}, {2, 20, false}}));
  EXPECT_EQ(input.attributes,
            (std::vector<VertexInputAttribute>{{0, 1, formatNamed("R32G32B32_SFLOAT"), 0},
                                               {1, 2, formatNamed("R32G32B32A32_SFLOAT"), 4},
                                               {2, 0, formatNamed("R8G8B8A8_UNORM"), 0}}));
  ASSERT_TRUE(pipeline.draw.indexBuffer);
  EXPECT_EQ(pipeline.draw.indexBuffer->indexBytes, 2u);
  EXPECT_EQ(result.buffers[pipeline.draw.indexBuffer->buffer].name, "indices");
  EXPECT_TRUE(commandAt<Draw>(result, 0).indexed);
  EXPECT_EQ(commandAt<Draw>(result, 0).vertexCount, 3u);
  // As in Amber.
  EXPECT_EQ(commandAt<Draw>(result, 1).vertexCount, 3u);
  EXPECT_EQ(commandAt<Draw>(result, 1).vertexOffset, 1);
  EXPECT_EQ(commandAt<Draw>(result, 1).firstVertex, 0u);
}

TEST(AmberGraphics, ReadsState) {
  Case result = good(script(
      "BUFFER depth FORMAT D24_UNORM_S8_UINT\n" + simple +
      "BIND BUFFER depth AS depth_stencil\nVIEWPORT 1.5 2 SIZE 30 20.5 MIN_DEPTH 0.25 MAX_DEPTH 1\n"
      "POLYGON_MODE line\nPATCH_CONTROL_POINTS 5\n"
      "DEPTH\nTEST on\nWRITE on\nCLAMP on\nCOMPARE_OP less_or_equal\nBOUNDS min 0.25 max 0.75\n"
      "BIAS constant 1 clamp 2 slope 0.5\nEND\n"
      "STENCIL front_and_back\nTEST on COMPARE_OP equal\nFAIL_OP zero\nREFERENCE 7\nEND\n"
      "STENCIL back\nPASS_OP increment_and_wrap\nDEPTH_FAIL_OP invert\nCOMPARE_MASK 15\n"
      "WRITE_MASK 4294967295\nEND\n"
      "BLEND\nSRC_COLOR_FACTOR src_alpha\nDST_COLOR_FACTOR one_minus_src_alpha\nCOLOR_OP "
      "substract\n"
      "SRC_ALPHA_FACTOR zero\nDST_ALPHA_FACTOR costant_alpha\nALPHA_OP max\nEND\nEND\n"
      "CLEAR_DEPTH p 0.5\nCLEAR_STENCIL p 9\nCLEAR p\n"));
  ASSERT_EQ(result.pipelines.size(), 1u);
  const CasePipeline &pipeline = result.pipelines[0];
  const GraphicsState &state = pipeline.description.graphics;
  EXPECT_EQ(state.viewport, (Viewport{1.5, 2, 30, 20.5, 0.25, 1}));
  EXPECT_EQ(state.input.patchControlPoints, 5u);
  RasterizationState rasterization;
  rasterization.depthClamp = true;
  rasterization.depthClip = false;
  rasterization.polygonMode = PolygonMode::Line;
  rasterization.depthBias = true;
  rasterization.depthBiasConstant = 1;
  rasterization.depthBiasClamp = 2;
  rasterization.depthBiasSlope = 0.5;
  EXPECT_EQ(state.rasterization, rasterization);
  DepthStencilState depth;
  depth.depthTest = depth.depthWrite = depth.depthBoundsTest = depth.stencilTest = true;
  depth.depthCompare = CompareOp::LessOrEqual;
  depth.minDepthBounds = 0.25;
  depth.maxDepthBounds = 0.75;
  depth.front = {
      StencilOp::Zero, StencilOp::Keep, StencilOp::Keep, CompareOp::Equal, 0xff, 0xff, 7};
  depth.back = {StencilOp::Zero,
                StencilOp::IncrementAndWrap,
                StencilOp::Invert,
                CompareOp::Equal,
                15,
                0xff,
                7};
  EXPECT_EQ(state.depthStencil, depth);
  EXPECT_EQ(state.depthStencilFormat, formatNamed("D24_UNORM_S8_UINT"));
  ColorTarget blend{formatNamed("R8G8B8A8_UNORM"),
                    true,
                    BlendFactor::SrcAlpha,
                    BlendFactor::OneMinusSrcAlpha,
                    BlendOp::Subtract,
                    BlendFactor::Zero,
                    BlendFactor::ConstantAlpha,
                    BlendOp::Max};
  ASSERT_EQ(state.colorTargets.size(), 1u);
  EXPECT_EQ(state.colorTargets[0], blend);
  ASSERT_TRUE(pipeline.draw.depthStencil);
  EXPECT_EQ(result.buffers[pipeline.draw.depthStencil->buffer].bytes.size(), 64u * 32 * 4);
  Clear clear = commandAt<Clear>(result, 0);
  EXPECT_EQ(clear.depth, 0.5f);
  EXPECT_EQ(clear.stencil, 9u);
}

TEST(AmberGraphics, ReadsAdvancedBlending) {
  Case result = good(script(simple + "BLEND\nCOLOR_OP hsl_hue ALPHA_OP hsl_hue\nEND\nEND\n"));
  const ColorTarget &blended = result.pipelines.at(0).description.graphics.colorTargets.at(0);
  EXPECT_EQ(blended.advancedOp, AdvancedBlendOp::HslHue);
  EXPECT_NE(bad(script(simple + "BLEND\nCOLOR_OP hsl_hue\nEND\nEND\n")).find("same advanced"),
            std::string::npos);
}

TEST(AmberGraphics, SharesTheDefaultFramebuffer) {
  Case result = good(script("PIPELINE graphics p\nATTACH v\nATTACH plain\nEND\n"
                            "PIPELINE graphics q\nATTACH v\nATTACH plain\nEND\n"));
  ASSERT_EQ(result.pipelines.size(), 2u);
  ASSERT_EQ(result.buffers.size(), 1u);
  EXPECT_EQ(result.buffers[0].name, "framebuffer");
  EXPECT_EQ(result.buffers[0].texelFormat, formatNamed("B8G8R8A8_UNORM"));
  EXPECT_EQ(result.buffers[0].image->width, 250u);
  EXPECT_EQ(result.buffers[0].image->height, 250u);
  EXPECT_EQ(result.pipelines[1].draw.color.at(0)->buffer, 0u);
}

TEST(AmberGraphics, ReadsSeveralAttachmentsSamplesAndResolves) {
  Case result = good(
      script("BUFFER a FORMAT R8G8B8A8_UNORM SAMPLES 4\nBUFFER b FORMAT R32_UINT SAMPLES 4\n"
             "BUFFER d FORMAT D32_SFLOAT SAMPLES 4\n"
             "BUFFER ra FORMAT R8G8B8A8_UNORM\nBUFFER rb FORMAT R32_UINT\n"
             "PIPELINE graphics p\nATTACH v\nATTACH plain\nBIND BUFFER b AS color LOCATION 1\n"
             "BIND BUFFER a AS color LOCATION 0\nBIND BUFFER d AS depth_stencil\n"
             "BIND BUFFER ra AS resolve\nBIND BUFFER rb AS resolve\nFRAMEBUFFER_SIZE 8 4\nEND\n"));
  ASSERT_EQ(result.pipelines.size(), 1u);
  const CasePipeline &pipeline = result.pipelines[0];
  EXPECT_EQ(pipeline.description.graphics.multisample.samples, 4u);
  ASSERT_EQ(pipeline.draw.color.size(), 2u);
  auto name = [&](unsigned buffer) { return result.buffers[buffer].name; };
  EXPECT_EQ(name(pipeline.draw.color[0]->buffer), "a");
  EXPECT_EQ(name(pipeline.draw.color[0]->resolve.value()), "ra");
  EXPECT_EQ(name(pipeline.draw.color[1]->resolve.value()), "rb");
  EXPECT_EQ(pipeline.description.graphics.colorTargets.at(1).format, formatNamed("R32_UINT"));
  EXPECT_EQ(result.buffers[0].bytes.size(), 8u * 4 * 4 * 4);
  EXPECT_EQ(result.buffers[3].bytes.size(), 8u * 4 * 4);
}

TEST(AmberGraphics, SizesLevelsOfAttachments) {
  Case result =
      good(script("BUFFER a FORMAT R8G8B8A8_UNORM MIP_LEVELS 3\nPIPELINE graphics p\nATTACH v\n"
                  "ATTACH plain\nBIND BUFFER a AS color LOCATION 0 BASE_MIP_LEVEL 2\n"
                  "FRAMEBUFFER_SIZE 4 4\nEND\n"));
  EXPECT_EQ(result.buffers.at(0).image->width, 16u);
  EXPECT_EQ(result.pipelines.at(0).draw.color.at(0)->mipLevel, 2u);
}

TEST(AmberGraphics, BindsDescriptorsOfAllStages) {
  Case result = good(script("BUFFER u DATA_TYPE vec4<float> DATA 1 0 0 1 END\n" + target +
                            "PIPELINE graphics p\nATTACH v\nATTACH f\n"
                            "BIND BUFFER color AS color LOCATION 0\n"
                            "BIND BUFFER u AS uniform DESCRIPTOR_SET 0 BINDING 3\nEND\n"
                            "DERIVE_PIPELINE q FROM p\nATTACH plain\nBLEND\nEND\nEND\n"));
  ASSERT_EQ(result.pipelines.size(), 2u);
  EXPECT_EQ(result.pipelines[0].bindings.at(0).binding, 3u);
  EXPECT_TRUE(result.pipelines[0].description.layout.find(0, 3));
  EXPECT_TRUE(result.pipelines[1].description.graphics.colorTargets.at(0).blend);
  EXPECT_EQ(result.pipelines[1].draw.color.at(0)->buffer,
            result.pipelines[0].draw.color[0]->buffer);
  EXPECT_NE(result.pipelines[1].description.getShader(ShaderStage::Fragment).spirv,
            result.pipelines[0].description.getShader(ShaderStage::Fragment).spirv);
}

TEST(AmberGraphics, DerivesStatedViewportsAndBlending) {
  Case result = good(
      script("BUFFER b FORMAT B8G8R8A8_UNORM\nPIPELINE graphics p\nATTACH v\nATTACH f\n"
             "BIND BUFFER b AS color LOCATION 1\nFRAMEBUFFER_SIZE 32 32\n"
             "VIEWPORT 0 0 SIZE 32 32\nBLEND\nEND\nEND\n"
             "BUFFER c FORMAT B8G8R8A8_UNORM\nDERIVE_PIPELINE q FROM p\nFRAMEBUFFER_SIZE 64 64\n"
             "BIND BUFFER c AS color LOCATION 1\nEND\n"));
  ASSERT_EQ(result.pipelines.size(), 2u);
  const GraphicsState &derived = result.pipelines[1].description.graphics;
  EXPECT_EQ(derived.viewport.width, 32.0F);
  EXPECT_EQ(result.pipelines[1].draw.width, 64u);
  EXPECT_TRUE(derived.colorTargets.at(1).blend);
}

TEST(AmberGraphics, DrawsAGrid) {
  Case result = good(script(simple + "END\nRUN p DRAW_GRID POS 0 0 SIZE 64 32 CELLS 2 1\n"));
  EXPECT_EQ(commandAt<Draw>(result, 0).vertexCount, 12u);
  const CasePipeline &pipeline = result.pipelines.at(0);
  EXPECT_EQ(pipeline.description.graphics.input.topology, PrimitiveTopology::TriangleList);
  EXPECT_EQ(floatsOf(result.buffers[pipeline.draw.vertexBuffers.at(0).buffer]),
            (std::vector<float>{0, 1, -1, 1, -1, -1, 0, 1, -1, -1, 0, -1,
                                1, 1, 0,  1, 0,  -1, 1, 1, 0,  -1, 1, -1}));
}

TEST(AmberGraphics, KeepsWhatClearWritesBetweenRepetitions) {
  Case result = good(script(simple + "END\nREPEAT 3\nCLEAR p\nCLEAR_COLOR p 255 0 0 0\nEND\n"));
  ASSERT_EQ(result.commands.size(), 3u);
  EXPECT_EQ(commandAt<Clear>(result, 0).color[0], 0.0f);
  EXPECT_EQ(commandAt<Clear>(result, 1).color[0], 1.0f);
  EXPECT_EQ(commandAt<Clear>(result, 2).color[0], 1.0f);
}

TEST(AmberGraphics, RefusesWhatIsWrong) {
  const std::string depth = "BUFFER depth FORMAT D32_SFLOAT\n";
  const std::pair<std::string, const char *> rows[] = {
      {"PIPELINE graphics p\nATTACH plain\nEND\n", "has no vertex shader"},
      {"PIPELINE graphics p\nATTACH v TYPE compute ENTRY_POINT main\nEND\n", "can't be attached"},
      {"PIPELINE graphics p\nATTACH v ENTRY_POINT other\nEND\n", "no vertex entry point 'other'"},
      {simple + "BIND BUFFER color AS color LOCATION 1\nEND\n", "attachment of this pipeline"},
      {depth + simple + "BIND BUFFER depth AS color LOCATION 1\nEND\n", "has no colours"},
      {simple + "BIND BUFFER color AS depth_stencil\nEND\n", "neither depth nor stencil"},
      {simple + "BIND BUFFER color AS color\nEND\n", "expected LOCATION"},
      {simple + "VIEWPORT 0 0\nEND\n", "expected SIZE"},
      {simple + "VIEWPORT 0 0 SIZE 0 1\nEND\n", "must be positive"},
      {simple + "DEPTH\nHELLO on\nEND\nEND\n", "option 'HELLO' of DEPTH"},
      {simple + "DEPTH\nTEST on\n", "DEPTH has no END"},
      {simple + "STENCIL side\nEND\nEND\n", "unknown value 'side' of STENCIL"},
      {simple + "BLEND\nSRC_COLOR_FACTOR half\nEND\nEND\n", "value 'half' of SRC_COLOR_FACTOR"},
      {simple + "POLYGON_MODE dots\nEND\n", "value 'dots' of POLYGON_MODE"},
      {simple + "PATCH_CONTROL_POINTS 0\nEND\n", "at least one control point"},
      {simple + "VERTEX_DATA color LOCATION 0\nEND\n", "is an image"},
      {simple + "END\nCLEAR_DEPTH p 1\n", "no depth attachment"},
      {simple + "END\nCLEAR_COLOR p 1 2 3\n", "a channel"},
      {simple + "END\nRUN p 1 1 1\n", "expected DRAW_RECT, DRAW_GRID or DRAW_ARRAY"},
      {simple + "END\nRUN p DRAW_RECT POS 0 0 SIZE 1\n", "a number of pixels"},
      {simple + "END\nRUN p DRAW_ARRAY AS TRIANGLE_LIST\n", "needs VERTEX_DATA"},
      {simple + "END\nRUN p DRAW_ARRAY AS SQUARES\n", "value 'SQUARES' of DRAW_ARRAY"},
      {simple + "END\nRUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED COUNT 3\n", "needs INDEX_DATA"},
      {"BUFFER b DATA_TYPE vec2<float> DATA 0 0 1 1 END\n" + simple +
           "VERTEX_DATA b LOCATION 0\nEND\nRUN p DRAW_ARRAY AS LINE_LIST COUNT 3\n",
       "leave the vertices, of which there are 2"},
      {"BUFFER b DATA_TYPE float DATA 0 END\n" + simple + "INDEX_DATA b\nEND\n",
       "indices must be uint8, uint16 or uint32"},
      {simple + "END\nPIPELINE graphics q\nATTACH v\nBIND BUFFER color AS color LOCATION 0\nEND\n",
       "64 x 32 texels, but FRAMEBUFFER_SIZE needs 250 x 250"},
  };
  for (const auto &[text, message] : rows) {
    std::string error = bad(script(text));
    EXPECT_NE(error.find(message), std::string::npos) << error << "\n" << text;
    EXPECT_NE(error.find("line "), std::string::npos) << error;
  }
}

} // namespace

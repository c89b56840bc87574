// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphics part of VkScript: shaders, vertex data, state, draws, clears and pixels.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string shaders = "[vertex shader passthrough]\n\n[fragment shader]\n#version 450\n"
                            "layout(location = 0) out vec4 color;\n"
                            "layout(set = 0, binding = 1) uniform U { vec4 value; };\n"
                            "void main() { color = value; }\n\n";

Case good(const std::string &text) {
  Expected<Case> result = readCaseFromText(text, "t.shader_test", "t");
  if (result)
    return std::move(*result);
  ADD_FAILURE() << assay::takeError(result.takeError()).message << "\n" << text;
  return {};
}

std::string bad(const std::string &text) {
  Expected<Case> result = readCaseFromText(text, "t.shader_test", "t");
  if (!result)
    return assay::takeError(result.takeError()).message;
  ADD_FAILURE() << "accepted " << text;
  return "";
}

template <typename T> T commandAt(const Case &input, size_t n) {
  if (n >= input.commands.size() || !std::holds_alternative<T>(input.commands[n])) {
    ADD_FAILURE() << "command " << n << " is another";
    return T();
  }
  return std::get<T>(input.commands[n]);
}

std::vector<float> positionsOf(const Case &input, const CasePipeline &pipeline) {
  const Buffer &buffer = input.buffers[pipeline.draw.vertexBuffers.at(0).buffer];
  std::vector<float> values(buffer.bytes.size() / sizeof(float));
  std::memcpy(values.data(), buffer.bytes.data(), buffer.bytes.size());
  return values;
}

TEST(VkScriptGraphics, DrawsRectangles) {
  Case result = good(shaders + "[require]\nfbsize 32 16\nframebuffer R8G8B8A8_UNORM\n"
                               "depthstencil D32_SFLOAT\n[test]\n"
                               "clear color 0 0.5 1 1\nclear depth 0.25\nclear stencil 3\nclear\n"
                               "uniform ubo 1 vec4 0 1 0 0 1\ndraw rect -1 -1 2 2\n"
                               "uniform ubo 1 vec4 0 0 1 0 1\ndraw rect ortho 0 0 16 16\n"
                               "probe rect rgb (4, 8, 2, 1) (0, 1, 0)\n");
  EXPECT_TRUE(result.unsupported.empty());
  ASSERT_EQ(result.pipelines.size(), 2u);
  Clear clear = commandAt<Clear>(result, 0);
  EXPECT_EQ(clear.pipeline, 0u);
  EXPECT_EQ(clear.color[1], 0.5f);
  EXPECT_EQ(clear.depth, 0.25f);
  EXPECT_EQ(clear.stencil, 3u);
  EXPECT_EQ(commandAt<Draw>(result, 1).pipeline, 0u);
  EXPECT_EQ(commandAt<Draw>(result, 2).pipeline, 1u);
  EXPECT_EQ(commandAt<Draw>(result, 2).vertexCount, 4u);
  const CasePipeline &pipeline = result.pipelines[1];
  EXPECT_EQ(positionsOf(result, pipeline), (std::vector<float>{-1, 1, -1, -1, 0, 1, 0, -1}));
  // A uniform buffer that was written between the draws.
  EXPECT_NE(result.pipelines[0].bindings.at(0).buffer, pipeline.bindings.at(0).buffer);
  const GraphicsState &state = pipeline.description.graphics;
  EXPECT_EQ(state.viewport, (Viewport{0, 0, 32, 16, 0, 1}));
  EXPECT_EQ(state.colorTargets.at(0).format, *findTexelFormat(StringRef("R8G8B8A8_UNORM")));
  EXPECT_EQ(state.depthStencilFormat, *findTexelFormat(StringRef("D32_SFLOAT")));
  ASSERT_EQ(result.commands.size(), 5u);
  Expectation probe = commandAt<Expectation>(result, 3);
  EXPECT_EQ(probe.byteOffset, (8u * 32 + 4) * 4);
  EXPECT_EQ(probe.values.size(), 6u);
}

TEST(VkScriptGraphics, DrawsVertexData) {
  Case result = good(shaders + "[vertex data]\n# rows\n1/R8G8_UNORM 0/R32G32B32_SFLOAT\n"
                               "1 2  0 0 0\n3 4  1 0 0  5 6  0 1 0\n\n[indices]\n0 1\n2\n[test]\n"
                               "draw arrays TRIANGLE_LIST 0 3\n"
                               "draw arrays indexed instanced GL_LINES 1 2 5\n");
  ASSERT_EQ(result.pipelines.size(), 2u);
  const InputAssemblyState &input = result.pipelines[0].description.graphics.input;
  ASSERT_EQ(input.attributes.size(), 2u);
  EXPECT_EQ(input.attributes[0].binding, 1u);
  EXPECT_EQ(input.bindings.at(0).stride, 2u);
  EXPECT_EQ(input.bindings.at(1).stride, 12u);
  EXPECT_EQ(result.buffers[result.pipelines[0].draw.vertexBuffers.at(0).buffer].bytes,
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(result.pipelines[0].draw.indexBuffer->indexBytes, 4u);
  Draw indexed = commandAt<Draw>(result, 1);
  EXPECT_TRUE(indexed.indexed);
  EXPECT_EQ(indexed.vertexOffset, 1);
  EXPECT_EQ(indexed.vertexCount, 2u);
  EXPECT_EQ(indexed.instanceCount, 5u);
  EXPECT_EQ(result.pipelines[1].description.graphics.input.topology, PrimitiveTopology::LineList);
}

TEST(VkScriptGraphics, SwitchesTheLogicOperationByItsOwnKey) {
  const std::string draw = "draw rect 0 0 1 1\n";
  Case result = good(shaders + "[test]\nlogicOp VK_LOGIC_OP_XOR\n" + draw + "logicOpEnable true\n" +
                     draw + "logicOpEnable false\n" + "logicOp VK_LOGIC_OP_OR\n" + draw +
                     "logicOpEnable true\n" + draw);
  std::vector<std::optional<LogicOp>> operations;
  for (const Command &command : result.commands) {
    const auto &pipeline = result.pipelines[std::get<Draw>(command).pipeline];
    operations.push_back(pipeline.description.graphics.logicOp);
  }
  EXPECT_EQ(operations, (std::vector<std::optional<LogicOp>>{std::nullopt, LogicOp::Xor,
                                                             std::nullopt, LogicOp::Or}));
}

TEST(VkScriptGraphics, ReadsState) {
  Case result = good(
      shaders +
      "[require]\ndepthstencil D24_UNORM_S8_UINT\n[test]\nprimitiveRestartEnable true\n"
      "depthClampEnable TRUE\nrasterizerDiscardEnable false\ndepthBiasEnable true\n"
      "logicOpEnable true\nlogicOp VK_LOGIC_OP_AND_INVERTED\nblendEnable true\n"
      "depthTestEnable true\ndepthWriteEnable true\ndepthBoundsTestEnable true\n"
      "stencilTestEnable true\npolygonMode VK_POLYGON_MODE_LINE\n"
      "frontFace VK_FRONT_FACE_CLOCKWISE\ncullMode VK_CULL_MODE_BACK_BIT | VK_CULL_MODE_FRONT_BIT\n"
      "depthBiasConstantFactor 1\ndepthBiasClamp 2\ndepthBiasSlopeFactor -3\nlineWidth 1.5\n"
      "minDepthBounds 0.25\nmaxDepthBounds 0.5\nsrcColorBlendFactor VK_BLEND_FACTOR_SRC1_COLOR\n"
      "dstColorBlendFactor VK_BLEND_FACTOR_CONSTANT_ALPHA\n"
      "srcAlphaBlendFactor VK_BLEND_FACTOR_ZERO\n"
      "dstAlphaBlendFactor VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA\n"
      "colorBlendOp VK_BLEND_OP_REVERSE_SUBTRACT\nalphaBlendOp VK_BLEND_OP_MIN\n"
      "depthCompareOp VK_COMPARE_OP_NOT_EQUAL\nfront.compareOp VK_COMPARE_OP_LESS\n"
      "back.failOp VK_STENCIL_OP_DECREMENT_AND_WRAP\nfront.reference 5\nback.writeMask 15\n"
      "colorWriteMask VK_COLOR_COMPONENT_R_BIT|VK_COLOR_COMPONENT_A_BIT\n"
      "patch parameter vertices 7\ndraw rect 0 0 1 1\n");
  const GraphicsState &state = result.pipelines.at(0).description.graphics;
  EXPECT_TRUE(state.input.primitiveRestart);
  EXPECT_EQ(state.input.patchControlPoints, 7u);
  const RasterizationState &rasterization = state.rasterization;
  EXPECT_TRUE(rasterization.depthClamp && !rasterization.depthClip && rasterization.depthBias);
  EXPECT_EQ(rasterization.polygonMode, PolygonMode::Line);
  EXPECT_EQ(rasterization.frontFace, FrontFace::Clockwise);
  EXPECT_EQ(rasterization.cullMode, CullFrontAndBack);
  EXPECT_EQ(rasterization.depthBiasSlope, -3.0f);
  EXPECT_EQ(rasterization.lineWidth, 1.5f);
  EXPECT_EQ(state.logicOp, LogicOp::AndInverted);
  const DepthStencilState &depth = state.depthStencil;
  EXPECT_TRUE(depth.depthTest && depth.depthWrite && depth.depthBoundsTest && depth.stencilTest);
  EXPECT_EQ(depth.depthCompare, CompareOp::NotEqual);
  EXPECT_EQ(depth.front.compare, CompareOp::Less);
  EXPECT_EQ(depth.front.reference, 5u);
  EXPECT_EQ(depth.back.fail, StencilOp::DecrementAndWrap);
  EXPECT_EQ(depth.back.writeMask, 15u);
  EXPECT_EQ(depth.maxDepthBounds, 0.5f);
  const ColorTarget &target = state.colorTargets.at(0);
  EXPECT_TRUE(target.blend);
  EXPECT_EQ(target.srcColor, BlendFactor::Src1Color);
  EXPECT_EQ(target.dstColor, BlendFactor::ConstantAlpha);
  EXPECT_EQ(target.dstAlpha, BlendFactor::OneMinusDstAlpha);
  EXPECT_EQ(target.colorOp, BlendOp::ReverseSubtract);
  EXPECT_EQ(target.alphaOp, BlendOp::Min);
  EXPECT_EQ(target.writeMask, 9u);
  Case advanced = good(shaders + "[test]\ncolorBlendOp VK_BLEND_OP_HARDLIGHT_EXT\n"
                                 "alphaBlendOp VK_BLEND_OP_HARDLIGHT_EXT\ndraw rect 0 0 1 1\n");
  EXPECT_EQ(advanced.pipelines.at(0).description.graphics.colorTargets.at(0).advancedOp,
            AdvancedBlendOp::HardLight);
}

TEST(VkScriptGraphics, ProbesPartsOfTheFramebuffer) {
  Case result = good(shaders + "[require]\nfbsize 10 10\n[test]\ntolerance 0 0 0 50%\n"
                               "relative probe rect rgba (0.5, 0.2, 0.3, 0.1) (1 1 1 1)\n"
                               "probe rgb 3, 4 0 0 0\nprobe all rgba 0 0 0 0\n");
  ASSERT_EQ(result.commands.size(), 2u + 2 + 20);
  Expectation relative = commandAt<Expectation>(result, 0);
  EXPECT_EQ(relative.byteOffset, (2u * 10 + 5) * 4);
  EXPECT_EQ(relative.values.size(), 3u * 4);
  EXPECT_EQ(relative.values[0], 255u); // Blue of B8G8R8A8_UNORM.
  EXPECT_EQ(relative.values[3], 128u); // Alpha.
  EXPECT_EQ(commandAt<Expectation>(result, 2).byteOffset, (4u * 10 + 3) * 4);
}

TEST(VkScriptGraphics, RefusesBrokenScripts) {
  const std::pair<std::string, const char *> rows[] = {
      {"[fragment shader]\n#version 450\nvoid main() {}\n[test]\ndraw rect 0 0 1 1\n",
       "draw without a vertex shader"},
      {"[test]\nclear\n", "clear without a vertex shader"},
      {"[test]\nprobe all rgb 0 0 0\n", "there is no framebuffer"},
      {shaders + "[require]\nframebuffer D32_SFLOAT\n[test]\n", "has no colours"},
      {shaders + "[require]\ndepthstencil R8_UNORM\n[test]\n", "neither depth nor stencil"},
      {shaders + "[require]\nframebuffer R9_UNORM\n[test]\n", "unknown format 'R9_UNORM'"},
      {shaders + "[require]\nfbsize 0 4\n[test]\n", "must be positive"},
      {shaders + "[vertex data]\nposition\n[test]\n", "expected columns such as"},
      {shaders + "[vertex data]\n0/R32_SFLOAT 0/R8_UNORM\n[test]\n", "given twice"},
      {shaders + "[vertex data]\n0/R32G32_SFLOAT\n1 2 3\n[test]\n", "a value for each component"},
      {shaders + "[indices]\n65536\n[test]\n", "an index"},
      {shaders + "[indices]\n0 1 2\n[indices]\n3\n[test]\n", "has [indices] already"},
      {shaders + "[test]\ndraw circle\n", "expected rect or arrays"},
      {shaders + "[test]\ndraw rect 0 0 1\n", "the rectangle"},
      {shaders + "[test]\ndraw arrays TRIANGLES 0 3\n", "unknown value 'TRIANGLES'"},
      {shaders + "[vertex data]\n0/R32_SFLOAT\n1\n[test]\ndraw arrays POINT_LIST 0 2\n",
       "vertices up to 2 of 1"},
      {shaders + "[test]\ndraw arrays indexed POINT_LIST 0 2\n", "without [indices]"},
      {shaders + "[test]\nclear color 1 1 1\n", "a channel"},
      {shaders + "[test]\nclear stencil 256\n", "a stencil value"},
      {shaders + "[test]\ncullMode VK_X\n", "unknown value 'VK_X' of cullMode"},
      {shaders + "[test]\nblendEnable yes\n", "expected true or false"},
      {shaders + "[test]\nprobe rgb (1, 1 (1, 1, 1)\n", "expected )"},
      {shaders + "[test]\nprobe rect rgba (0, 0, 1, 251) (1, 1, 1, 1)\n", "leave the image"},
      {shaders + "[test]\nrelative draw rect 0 0 1 1\n", "expected probe"},
      {shaders + "[test]\nfragment entrypoint other\ndraw rect 0 0 1 1\n",
       "no fragment entry point 'other'"},
      {shaders + "[test]\npatch parameter vertices 0\n", "at least one control point"},
      {shaders + shaders + "[test]\n", "has a vertex shader already"},
  };
  for (const auto &[text, message] : rows) {
    std::string error = bad(text);
    EXPECT_NE(error.find(message), std::string::npos) << error << "\n" << text;
    EXPECT_NE(error.find("line "), std::string::npos) << error;
  }
}

} // namespace

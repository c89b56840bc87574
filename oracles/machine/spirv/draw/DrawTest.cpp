// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws: inputs, interpolation, quads, ends of fragments. The fixed functions have their tests in
// oracles/raster.
#include "oracles/machine/spirv/draw/DrawCaseTesting.h"

#include <gmock/gmock.h>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;
using ::testing::Each;
using ::testing::HasSubstr;

/// A triangle over all pixels whose corners are numbered by gl_VertexIndex.
static const std::string wholeTriangle =
    "vec2 corner() { return vec2(gl_VertexIndex == 1 ? 3 : -1, "
    "gl_VertexIndex == 2 ? 3 : -1); }\n";
static const std::string plainVertex =
    wholeTriangle + "void main() { gl_Position = vec4(corner(), 0.25, 1); }\n";

/// What a fragment shader that writes \p expression to red leaves.
static std::vector<uint8_t> shade(const std::string &expression,
                                  const std::string &vertex = plainVertex,
                                  const std::string &declarations = "") {
  return DrawCase(vertex, declarations +
                              "layout(location = 0) out vec4 color;\nvoid main() { color "
                              "= vec4(" +
                              expression + ", 0, 0, 1); }\n")
      .runRed();
}

static uint8_t at(ArrayRef<uint8_t> red, unsigned x, unsigned y) {
  return red[y * DrawCase::Width + x];
}

TEST(SpirvDraw, DrawsAllPixels) {
  EXPECT_THAT(shade("1"), Each(255));
}

TEST(SpirvDraw, KnowsThePlaceOfAFragment) {
  std::vector<uint8_t> red =
      shade("floor(gl_FragCoord.x) / 255 + floor(gl_FragCoord.y) * 16 / 255");
  EXPECT_EQ(at(red, 0, 0), 0);
  EXPECT_EQ(at(red, 5, 0), 5);
  EXPECT_EQ(at(red, 7, 3), 55);
  EXPECT_THAT(shade("gl_FragCoord.z == 0.25 && gl_FragCoord.w == 1 ? 1 : 0"), Each(255));
}

static const std::string varyingVertex =
    wholeTriangle + "layout(location = 1) out vec2 place;\nvoid main() { gl_Position = "
                    "vec4(corner(), 0, 1); place = corner() * 0.5 + 0.5; }\n";
static const std::string placeInput = "layout(location = 1) in vec2 place;\n";

TEST(SpirvDraw, InterpolatesOutputsOfVertices) {
  std::vector<uint8_t> red =
      shade("floor(place.x * 8) / 255 + floor(place.y * 8) * 16 / 255", varyingVertex, placeInput);
  EXPECT_EQ(at(red, 2, 0), 2);
  EXPECT_EQ(at(red, 6, 5), 86);
}

TEST(SpirvDraw, InterpolatesWithPerspective) {
  // w goes from 1 to 3, so that the middle of the screen is a quarter of the way.
  std::string vertex =
      "layout(location = 0) out float x;\nvoid main() { vec2 p = vec2(gl_VertexIndex "
      "== 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1); float w = gl_VertexIndex == 1 ? "
      "5 : 1; gl_Position = vec4(p * w, 0, w); x = gl_VertexIndex == 1 ? 1 : 0; }\n";
  for (const char *mode : {"", "noperspective "}) {
    std::vector<uint8_t> red = shade("x", std::string(vertex).insert(21, mode),
                                     "layout(location = 0) " + std::string(mode) + "in float x;\n");
    // At 4.5 pixels: 9/32 of the triangle's width.
    double linear = 9.0 / 32, perspective = linear / 5 / (1 - linear + linear / 5);
    EXPECT_NEAR(at(red, 4, 4), 255 * (*mode ? linear : perspective), 1.01) << mode;
  }
}

TEST(SpirvDraw, TakesFlatInputsFromTheProvokingVertex) {
  std::string vertex = wholeTriangle +
                       "layout(location = 0) out flat int n;\nvoid main() { "
                       "gl_Position = vec4(corner(), 0, 1); n = gl_VertexIndex + 7; }\n";
  std::string fragment = "layout(location = 0) in flat int n;\nlayout(location = 0) out vec4 "
                         "color;\nvoid main() { color = vec4(n / 255.0, 0, 0, 1); }\n";
  DrawCase first(vertex, fragment);
  EXPECT_THAT(first.runRed(), Each(7));
  DrawCase last(vertex, fragment);
  last.state().rasterization.provokingVertex = ProvokingVertex::Last;
  EXPECT_THAT(last.runRed(), Each(9));
}

TEST(SpirvDraw, DifferentiatesInQuads) {
  EXPECT_THAT(shade("dFdx(gl_FragCoord.x * 3) / 255"), Each(3));
  EXPECT_THAT(shade("dFdy(gl_FragCoord.y * 5) / 255"), Each(5));
  EXPECT_THAT(shade("fwidth(gl_FragCoord.x * 3 - gl_FragCoord.y * 5) / 255"), Each(8));
  std::vector<uint8_t> red = shade("dFdxFine(gl_FragCoord.x * floor(gl_FragCoord.y)) / 255");
  for (unsigned y = 0; y < 8; ++y)
    EXPECT_EQ(at(red, 3, y), y);
}

TEST(SpirvDraw, DiscardsFragments) {
  std::string body = "layout(location = 0) out vec4 color;\nvoid main() { if (gl_FragCoord.x < 4) "
                     "discard; color = vec4(1); }\n";
  std::vector<uint8_t> red = DrawCase(plainVertex, body).runRed();
  EXPECT_EQ(at(red, 3, 3), 0);
  EXPECT_EQ(at(red, 4, 3), 255);
}

TEST(SpirvDraw, DemotedFragmentsStillHaveDerivatives) {
  std::string text =
      "#extension GL_EXT_demote_to_helper_invocation : enable\n"
      "layout(location = 0) out vec4 color;\nvoid main() { if (mod(gl_FragCoord.x, 2) "
      "< 1) demote; color = vec4(dFdx(gl_FragCoord.x) * 9 / 255); }\n";
  std::vector<uint8_t> red = DrawCase(plainVertex, text).runRed();
  EXPECT_EQ(at(red, 2, 1), 0);
  EXPECT_EQ(at(red, 3, 1), 9);
}

/// A triangle that covers one pixel of a quad, and fragments that count themselves.
static const std::string helperVertex =
    "void main() { vec2 p = vec2(gl_VertexIndex == 1 ? 1 : 0, gl_VertexIndex == 2 ? 1 : 0); "
    "gl_Position = vec4(p * 0.5 - 1, 0, 1); }\n";
static const std::string helperFragment =
    "layout(binding = 0) buffer B { uint count; uint other; };\nlayout(location = 0) out vec4 "
    "color;\nvoid main() { atomicAdd(count, 1); color = vec4(dFdx(gl_FragCoord.x)); }\n";

TEST(SpirvDraw, HelpersStoreNothing) {
  DrawCase draw(helperVertex, helperFragment);
  draw.bind(BindingKind::Storage, 0, draw.addBuffer(std::vector<uint8_t>(8)));
  Outcome outcome = draw.run();
  ASSERT_EQ(outcome.reason, "");
  unsigned covered = 0;
  for (size_t i = 0; i < 64; ++i)
    covered += outcome.checkpoints.back()[0].bytes[4 * i] != 0;
  EXPECT_GT(covered, 0u);
  EXPECT_NE(covered % 4, 0u);
  EXPECT_EQ(outcome.checkpoints.back()[1].bytes[0], covered);
}

/// A draw of \p instances with one float attribute a vertex or instance.
static DrawCase makeAttributeDraw(bool perInstance) {
  std::string vertex = wholeTriangle +
                       "layout(location = 3) in vec4 value;\nlayout(location = 0) out "
                       "flat vec4 v;\nvoid main() { gl_Position = vec4(corner(), 0, 1); "
                       "v = value; }\n";
  DrawCase draw(vertex, "layout(location = 0) in flat vec4 v;\nlayout(location = 0) out vec4 "
                        "color;\nvoid main() { color = vec4(v.x, v.y, v.z, v.w); }\n");
  std::vector<uint8_t> bytes = {10, 20, 30, 40, 50, 60, 70, 80};
  unsigned buffer = draw.addBuffer(bytes);
  draw.pipeline().draw.vertexBuffers.push_back({2, buffer, 0});
  draw.state().input.bindings.push_back({2, 2, perInstance, 1});
  draw.state().input.attributes.push_back({3, 2, *findTexelFormat(StringRef("R8G8_UNORM")), 0});
  return draw;
}

TEST(SpirvDraw, FetchesAttributesWithDefaults) {
  Outcome outcome = makeAttributeDraw(false).run();
  ASSERT_EQ(outcome.reason, "");
  const std::vector<uint8_t> &bytes = outcome.checkpoints.back()[0].bytes;
  EXPECT_EQ((std::vector<uint8_t>(bytes.begin(), bytes.begin() + 4)),
            (std::vector<uint8_t>{10, 20, 0, 255}));
}

TEST(SpirvDraw, StepsThroughInstances) {
  DrawCase draw = makeAttributeDraw(true);
  draw.draw().firstInstance = 1;
  draw.draw().instanceCount = 3;
  EXPECT_THAT(draw.runRed(), Each(70)); // The last instance covers the others.
}

TEST(SpirvDraw, DrawsByIndices) {
  DrawCase draw = makeAttributeDraw(false);
  unsigned indices = draw.addBuffer({1, 0, 2, 0, 3, 0});
  draw.pipeline().draw.indexBuffer = IndexBuffer{indices, 2};
  draw.draw().indexed = true;
  draw.draw().vertexOffset = -1;
  draw.state().rasterization.provokingVertex = ProvokingVertex::Last;
  EXPECT_THAT(draw.runRed(), Each(50));
}

TEST(SpirvDraw, WritesDepthAndTestsIt) {
  std::string fragment = "layout(location = 0) out vec4 color;\nvoid main() { gl_FragDepth = "
                         "gl_FragCoord.x / 8; color = vec4(1); }\n";
  DrawCase draw(plainVertex, fragment);
  unsigned depth = draw.addImage("D32_SFLOAT");
  draw.pipeline().draw.depthStencil = Attachment{depth, 0, std::nullopt};
  draw.state().depthStencilFormat = *findTexelFormat(StringRef("D32_SFLOAT"));
  draw.state().depthStencil.depthTest = draw.state().depthStencil.depthWrite = true;
  Clear clear;
  clear.depth = 0.5;
  draw.input().commands.insert(draw.input().commands.begin(), clear);
  std::vector<uint8_t> red = draw.runRed();
  EXPECT_EQ(at(red, 3, 0), 255);
  EXPECT_EQ(at(red, 4, 0), 0);
}

TEST(SpirvDraw, RunsPerSample) {
  std::string fragment = "layout(location = 0) out vec4 color;\nvoid main() { color = "
                         "vec4(gl_SampleID * 10 / 255.0); }\n";
  DrawCase draw(plainVertex, fragment);
  unsigned image = draw.addImage("R8G8B8A8_UNORM", 4);
  draw.pipeline().draw.color[0] = Attachment{image, 0, 0u};
  draw.state().multisample.samples = 4;
  EXPECT_THAT(draw.runRed(), Each(15)); // (0 + 10 + 20 + 30) / 4, resolved.
}

TEST(SpirvDraw, SamplesWithDerivatives) {
  // A level of 1/8 of the size, where the coordinates span the image once.
  DrawCase draw(plainVertex,
                "layout(binding = 0) uniform sampler2D image;\nlayout(location = 0) out "
                "vec4 color;\nvoid main() { color = texture(image, gl_FragCoord.xy / 8); }\n");
  Buffer mips;
  mips.name = "mips";
  mips.texelFormat = findTexelFormat(StringRef("R8G8B8A8_UNORM"));
  ImageShape shape;
  shape.width = shape.height = 32;
  shape.mipLevels = 6;
  mips.image = shape;
  uint64_t offset = 0;
  for (uint32_t level = 0; level < 6; ++level) {
    offset += getLevelBytes(shape, *mips.texelFormat, level);
    mips.bytes.resize(offset, static_cast<uint8_t>(level * 20));
  }
  draw.input().buffers.push_back(mips);
  Sampler sampler;
  sampler.minFilter = sampler.magFilter = Filter::Nearest;
  draw.input().samplers.push_back(sampler);
  draw.bind(BindingKind::CombinedImageSampler, 0, 1);
  // 4 texels a pixel are level 2. The scale factor may be sqrt(2) times as large, and 2.5 is either
  // level 2 or 3.
  Outcome outcome = draw.run();
  ASSERT_EQ(outcome.reason, "");
  const BufferState &image = outcome.checkpoints.back()[0];
  ASSERT_EQ(image.alternatives.count(0), 1u);
  std::set<uint8_t> values;
  for (const BufferState &texel : image.alternatives.at(0))
    values.insert(texel.bytes[0]);
  EXPECT_EQ(values, (std::set<uint8_t>{40, 60}));
}

/// A draw that reads an image of 8 x 8 texels, each with its number as red, as an input attachment.
static DrawCase makeInputAttachmentDraw(const std::string &fragment) {
  DrawCase draw(plainVertex, "layout(input_attachment_index = 0, binding = 0) uniform subpassInput "
                             "image;\nlayout(location = 0) out vec4 color;\n" +
                                 fragment);
  unsigned input = draw.addImage("R8G8B8A8_UNORM");
  std::vector<uint8_t> &bytes = draw.input().buffers[input].bytes;
  for (size_t i = 0; i < bytes.size() / 4; ++i)
    bytes[4 * i] = static_cast<uint8_t>(i);
  draw.bind(BindingKind::SampledImage, 0, input);
  return draw;
}

TEST(SpirvDraw, ReadsInputAttachmentsAtItsPixel) {
  std::vector<uint8_t> red =
      makeInputAttachmentDraw("void main() { color = subpassLoad(image); }\n").runRed();
  for (size_t i = 0; i < red.size(); ++i)
    EXPECT_EQ(red[i], i);
}

TEST(SpirvDraw, RefusesAnInputAttachmentThatItDraws) {
  DrawCase draw = makeInputAttachmentDraw("void main() { color = subpassLoad(image); }\n");
  draw.pipeline().bindings[0].buffer = 0;
  Outcome outcome = draw.run();
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, HasSubstr("input attachment"));
}

TEST(SpirvDraw, RefusesOtherStages) {
  DrawCase draw(plainVertex, "void main() {}\n");
  std::vector<uint32_t> words = draw.pipeline().description.getShader(ShaderStage::Vertex).spirv;
  draw.pipeline().description.addShader(ShaderStage::Geometry).spirv = std::move(words);
  Outcome outcome = draw.run();
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_THAT(outcome.reason, HasSubstr("geometry shaders"));
}

static DrawCase makeDraw(const std::string &vertex, const std::string &fragment) {
  return DrawCase(vertex, "layout(location = 0) out vec4 color;\n" + fragment);
}

TEST(SpirvDrawFaults, ChangeWhatIsDrawn) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  auto expectChange = [](const char *fault, function_ref<DrawCase()> make) {
    EXPECT_EXIT(checkFault(fault, make), ::testing::ExitedWithCode(0), "") << fault;
  };
  expectChange("reference-derivative-sign", [] {
    return makeDraw(plainVertex, "void main() { color = vec4(dFdx(gl_FragCoord.x) * 3 / 255); }\n");
  });
  expectChange("reference-keeps-killed", [] {
    return makeDraw(plainVertex,
                    "void main() { color = vec4(1); if (gl_FragCoord.x < 4) discard; }\n");
  });
  expectChange("reference-flat-from-last", [] {
    return makeDraw(
        wholeTriangle + "layout(location = 0) out flat int n;\nvoid main() { gl_Position = "
                        "vec4(corner(), 0, 1); n = gl_VertexIndex; }\n",
        "layout(location = 0) in flat int n;\nvoid main() { color = vec4(n / 255.0); }\n");
  });
  expectChange("reference-swaps-weights", [] {
    return makeDraw(varyingVertex, placeInput + "void main() { color = vec4(place.x); }\n");
  });
  expectChange("reference-swaps-colors",
               [] { return makeDraw(plainVertex, "void main() { color = vec4(1, 0, 0, 1); }\n"); });
  expectChange("reference-ignores-rate", [] {
    DrawCase draw = makeAttributeDraw(true);
    draw.draw().instanceCount = 2;
    return draw;
  });
  expectChange("reference-ignores-centroid", [] {
    std::string vertex = wholeTriangle +
                         "layout(location = 0) out float x;\nvoid main() { vec2 p = "
                         "corner() * 0.3; gl_Position = vec4(p, 0, 1); x = p.x * 0.5 + 0.5; }\n";
    DrawCase draw =
        makeDraw(vertex, "layout(location = 0) centroid in float x;\nvoid main() { color = "
                         "vec4(x); }\n");
    unsigned image = draw.addImage("R8G8B8A8_UNORM", 4);
    draw.pipeline().draw.color[0] = Attachment{image, 0, 0u};
    draw.state().multisample.samples = 4;
    return draw;
  });
}

/// The count that HelpersStoreNothing looks at, with the fault.
[[noreturn]] static void countWithFault() {
  cantFail(plantFault("reference-helpers-store"));
  DrawCase draw(helperVertex, helperFragment);
  draw.bind(BindingKind::Storage, 0, draw.addBuffer(std::vector<uint8_t>(8)));
  Outcome outcome = draw.run();
  bool isGood = outcome.kind == OutcomeKind::Completed;
  exit(isGood && outcome.checkpoints.back()[1].bytes[0] % 4 == 0 ? 0 : 1);
}

TEST(SpirvDrawFaults, LetHelpersStore) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  EXPECT_EXIT(countWithFault(), ::testing::ExitedWithCode(0), "");
}

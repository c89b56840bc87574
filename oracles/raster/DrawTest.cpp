// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/DrawTesting.h"

#include "support/Error.h"
#include "support/Random.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

static void draw(TestDraw &test) {
  Error error = test.run();
  std::string message = error ? takeError(std::move(error)).message : "";
  EXPECT_EQ(message, "");
}

static void setDepthTest(TestDraw &test, bool writes, CompareOp op) {
  test.state.depthStencil.depthTest = true;
  test.state.depthStencil.depthWrite = writes;
  test.state.depthStencil.depthCompare = op;
}

TEST(Draw, FillsARectangleOnce) {
  TestDraw test;
  test.addRect(3, 2, 9, 5);
  draw(test);
  EXPECT_EQ(test.count(255), 18u);
  EXPECT_EQ(test.count(0), 256u - 18);
  EXPECT_EQ(test.get(3, 2), 255);
  EXPECT_EQ(test.get(8, 4), 255);
  EXPECT_EQ(test.shaders.fragmentRuns, 18u);
}

TEST(Draw, ClipsToTheViewport) {
  TestDraw test;
  test.state.viewport = {4, 4, 8, 4, 0, 1};
  // Larger than the guard band of any implementation.
  test.shaders.vertices = {makeVertex(-9, -9), makeVertex(27, -9), makeVertex(-9, 27)};
  draw(test);
  EXPECT_EQ(test.count(255), 32u);
  EXPECT_EQ(test.get(4, 4), 255);
  EXPECT_EQ(test.get(11, 7), 255);
  EXPECT_EQ(test.get(12, 7), 0);
}

TEST(Draw, FlipsWithNegativeHeight) {
  TestDraw test;
  test.state.viewport = {0, 16, 16, -16, 0, 1};
  test.addRect(0, 0, 16, 4);
  draw(test);
  EXPECT_EQ(test.get(0, 0), 0);
  EXPECT_EQ(test.get(0, 15), 255);
  EXPECT_EQ(test.count(255), 64u);
}

TEST(Draw, ClipsDepth) {
  for (bool clamps : {false, true}) {
    TestDraw test;
    test.state.rasterization.depthClamp = clamps;
    // Depth goes from -1 at the left to 1 at the right.
    test.addRect(0, 0, 16, 16);
    for (VertexOutput &vertex : test.shaders.vertices)
      vertex.position[2] = vertex.position[0];
    draw(test);
    EXPECT_EQ(test.count(255), clamps ? 256u : 128u);
    EXPECT_EQ(test.get(7, 3), clamps ? 255 : 0);
    EXPECT_EQ(test.get(8, 3), 255);
  }
}

TEST(Draw, ClipsBehindTheViewer) {
  // A plane that passes the viewer: w goes from -1 at the bottom to 1.
  TestDraw test;
  test.shaders.vertices = {makeVertex(-1, 1, 0, 1), makeVertex(1, 1, 0, 1),
                           makeVertex(0, 1, 0, -1)};
  draw(test);
  // In front are points with y / w >= 1: above the lower border nothing is drawn.
  EXPECT_EQ(test.count(255), 0u);
  test.shaders.vertices = {makeVertex(-4, 0, 0, 1), makeVertex(4, 0, 0, 1),
                           makeVertex(0, 4, 0, -1)};
  draw(test);
  // The lower half: y / w goes from 0 to infinity.
  EXPECT_EQ(test.get(7, 7), 0);
  EXPECT_EQ(test.get(7, 12), 255);
  EXPECT_EQ(test.get(1, 9), 255);
}

TEST(Draw, UsesClipDistances) {
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  for (VertexOutput &vertex : test.shaders.vertices)
    vertex.clipDistances = {vertex.position[0], Range::point(1)};
  draw(test);
  EXPECT_EQ(test.count(255), 128u);
  EXPECT_EQ(test.get(8, 0), 255);
}

TEST(Draw, CullsByDistances) {
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  for (auto [i, vertex] : enumerate(test.shaders.vertices))
    vertex.cullDistances = {Range::point(i < 3 ? -1 : i == 4 ? 1 : -1)};
  draw(test);
  // The first triangle has none that is not negative.
  EXPECT_EQ(test.get(0, 0), 0);
  EXPECT_EQ(test.get(15, 15), 255);
}

TEST(Draw, CullsFaces) {
  struct Row {
    CullFaces cull;
    FrontFace front;
    bool isDrawn;
  };
  // addRect's triangles turn clockwise on the screen.
  for (const Row &row : {Row{CullNone, FrontFace::Clockwise, true},
                         {CullFront, FrontFace::Clockwise, false},
                         {CullBack, FrontFace::Clockwise, true},
                         {CullFront, FrontFace::CounterClockwise, true},
                         {CullBack, FrontFace::CounterClockwise, false},
                         {CullFrontAndBack, FrontFace::Clockwise, false}}) {
    TestDraw test;
    test.addRect(0, 0, 16, 16);
    test.state.rasterization.cullMode = row.cull;
    test.state.rasterization.frontFace = row.front;
    bool isFront = row.front == FrontFace::Clockwise;
    test.shaders.shade = [&](const FragmentPrimitive &primitive, const Quad &, unsigned) {
      EXPECT_EQ(primitive.isFrontFacing, isFront ? Answer::Yes : Answer::No);
      return writeColor(makeColor(1, 1, 1, 1));
    };
    draw(test);
    EXPECT_EQ(test.count(255), row.isDrawn ? 256u : 0u);
  }
}

TEST(Draw, KeepsAnUncertainTriangleOpen) {
  TestDraw test;
  test.addRect(4, 4, 12, 12);
  // One corner's x is anywhere in two pixels.
  for (VertexOutput &vertex : test.shaders.vertices)
    if (vertex.position[0].lo > 0)
      vertex.position[0] = widen(vertex.position[0], 1.0 / 8);
  draw(test);
  EXPECT_EQ(test.count(255) + test.count(0) + test.color->openTexels().size(), 256u);
  TexelAlternatives texel = test.color->getTexel(test.color->indexOf(12, 8, 0, 0));
  ASSERT_EQ(texel.size(), 2u);
  EXPECT_EQ(texel[0][0].range.lo + texel[1][0].range.lo, 255);
  EXPECT_EQ(test.get(4, 8), 255);
  EXPECT_EQ(test.get(14, 8), 0);
}

TEST(Draw, ImprecisePositionsAtTheBorderCutNothing) {
  // The diagonal goes through all pixels' centres; corners are off by the rounding of a float.
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  for (VertexOutput &vertex : test.shaders.vertices)
    for (unsigned i : {0, 1})
      vertex.position[i] = widen(vertex.position[i], 0x1p-23);
  draw(test);
  EXPECT_EQ(test.count(255), 256u);
}

TEST(Draw, RunsHelpersInQuads) {
  TestDraw test;
  test.addRect(1, 1, 2, 2);
  unsigned helpers = 0;
  test.shaders.shade = [&](const FragmentPrimitive &, const Quad &quad, unsigned f) {
    EXPECT_EQ(quad.x, 0);
    EXPECT_EQ(quad.y, 0);
    helpers += quad.fragments[f].isHelper;
    return writeColor(makeColor(1, 1, 1, 1));
  };
  draw(test);
  EXPECT_EQ(test.shaders.fragmentRuns, 1u);
  EXPECT_EQ(helpers, 3u);
  EXPECT_EQ(test.count(255), 1u);
}

TEST(Draw, DrawsInOrderOfInstances) {
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  test.input.instanceCount = 3;
  test.shaders.shade = [&](const FragmentPrimitive &primitive, const Quad &, unsigned) {
    return writeColor(
        makeColor(double(primitive.instance * 2 + primitive.primitiveId) / 255, 0, 0, 0));
  };
  draw(test);
  EXPECT_EQ(test.get(0, 0), 4);
  EXPECT_EQ(test.get(15, 15), 5);
}

TEST(Draw, DiscardsAndKeepsOpen) {
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  test.shaders.shade = [&](const FragmentPrimitive &, const Quad &quad, unsigned f) {
    FragmentOutput output = writeColor(makeColor(1, 1, 1, 1));
    int x = quad.x + int(f % 2);
    output.isKept = x < 4 ? Answer::No : x < 8 ? Answer::Maybe : Answer::Yes;
    return output;
  };
  draw(test);
  EXPECT_EQ(test.count(0), 64u);
  EXPECT_EQ(test.count(255), 128u);
  EXPECT_EQ(test.color->openTexels().size(), 64u);
  EXPECT_EQ(test.color->countUncertain(), 64u);
}

TEST(Draw, RasterizerDiscardRunsVerticesOnly) {
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  test.state.rasterization.discard = true;
  draw(test);
  EXPECT_EQ(test.shaders.fragmentRuns, 0u);
}

TEST(Draw, NamesWhatItLacks) {
  auto messageOf = [](TestDraw &test) {
    Error error = test.run();
    return error ? takeError(std::move(error)).message : "";
  };
  TestDraw patches;
  patches.addRect(0, 0, 16, 16);
  patches.state.input.topology = PrimitiveTopology::PatchList;
  EXPECT_EQ(messageOf(patches), "tessellation");
  TestDraw advanced;
  advanced.addRect(0, 0, 16, 16);
  advanced.state.colorTargets[0].blend = true;
  advanced.state.colorTargets[0].advancedOp = AdvancedBlendOp::Screen;
  EXPECT_EQ(messageOf(advanced), "advanced blend operations");
  TestDraw layer;
  layer.addRect(0, 0, 16, 16);
  for (VertexOutput &vertex : layer.shaders.vertices)
    vertex.layer = 1;
  EXPECT_EQ(messageOf(layer), "layer 1 of a framebuffer that lacks it");
  TestDraw position;
  position.addRect(0, 0, 16, 16);
  position.shaders.vertices[0].position[0] = {0, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(messageOf(position), "imprecise: a vertex position is not finite");
  for (const char *name : {"R8_USCALED", "R64_SFLOAT", "E5B9G9R9_UFLOAT_PACK32"})
    EXPECT_EQ(whyNotRenderable(formatOf(name)), std::string("attachments of ") + name);
}

TEST(Draw, DepthTestKeepsTheNearest) {
  for (bool early : {false, true}) {
    TestDraw test;
    test.addDepthStencil("D16_UNORM");
    clearDepthStencil(*test.depthStencil, 1, 0);
    test.state.depthStencil.depthTest = test.state.depthStencil.depthWrite = true;
    test.input.earlyTests = early;
    test.addRect(0, 0, 16, 16, 0.5);
    test.addRect(0, 0, 8, 16, 0.25);
    test.addRect(4, 0, 12, 16, 0.375);
    test.shaders.shade = [](const FragmentPrimitive &primitive, const Quad &, unsigned) {
      unsigned rect = primitive.primitiveId / 2;
      return writeColor(makeColor((rect + 1) / 255.0, 0, 0, 0));
    };
    draw(test);
    EXPECT_EQ(test.get(5, 5), 2);
    EXPECT_EQ(test.get(9, 5), 3);
    EXPECT_EQ(test.get(13, 5), 1);
    EXPECT_EQ(test.shaders.fragmentRuns, 256u + 128 + (early ? 64 : 128));
    TexelFields stored = test.depthStencil->getTexel(0)[0];
    EXPECT_EQ(stored[0].range, (Range{0.25 * 65535 - 0.75, 0.25 * 65535 + 0.25}));
  }
}

TEST(Draw, SecondPassOfTheSameTrianglesIsEqual) {
  // The depth of a slope is a range, but the same both times ("Invariance").
  TestDraw test;
  test.addDepthStencil("D32_SFLOAT");
  clearDepthStencil(*test.depthStencil, 1, 0);
  setDepthTest(test, true, CompareOp::LessOrEqual);
  auto at = [&](double x, double y, double z) { return makeVertex(x, y, z); };
  for (int i = 0; i < 2; ++i)
    for (const VertexOutput &vertex : {at(-1.1, -1, 0.1), at(1, -1.3, 0.7), at(-1, 1.2, 0.33)})
      test.shaders.vertices.push_back(vertex);
  test.shaders.shade = [](const FragmentPrimitive &primitive, const Quad &, unsigned) {
    return writeColor(makeColor(double(primitive.primitiveId + 1) / 255, 0, 0, 0));
  };
  draw(test);
  EXPECT_EQ(test.count(1), 0u);
  EXPECT_GT(test.count(2), 100u);
}

TEST(Draw, ShaderDepthReplacesTheInterpolated) {
  TestDraw test;
  test.addDepthStencil("D32_SFLOAT");
  clearDepthStencil(*test.depthStencil, 0.5, 0);
  setDepthTest(test, true, CompareOp::Less);
  test.addRect(0, 0, 16, 16, 0.75);
  test.shaders.shade = [](const FragmentPrimitive &, const Quad &quad, unsigned) {
    FragmentOutput output = writeColor(makeColor(1, 1, 1, 1));
    output.depth = Component::point(quad.x < 8 ? 0.25 : 0.625);
    return output;
  };
  draw(test);
  EXPECT_EQ(test.count(255), 128u);
  EXPECT_EQ(test.depthStencil->getTexel(0)[0][0], Field::point(0.25));
  EXPECT_EQ(test.depthStencil->getTexel(15)[0][0], Field::point(0.5));
}

TEST(Draw, StencilWithoutDepth) {
  TestDraw test;
  test.addDepthStencil("S8_UINT");
  test.state.depthStencil.stencilTest = true;
  test.state.depthStencil.front.pass = StencilOp::IncrementAndClamp;
  test.state.depthStencil.back = test.state.depthStencil.front;
  test.addRect(0, 0, 16, 8);
  test.addRect(0, 0, 8, 16);
  draw(test);
  EXPECT_EQ(test.depthStencil->bytes()[0], 2);
  EXPECT_EQ(test.depthStencil->bytes()[15], 1);
  EXPECT_EQ(test.depthStencil->bytes()[255], 0);
}

TEST(Draw, DepthBiasMovesDepth) {
  TestDraw test;
  test.addDepthStencil("D16_UNORM");
  clearDepthStencil(*test.depthStencil, 0.5, 0);
  setDepthTest(test, false, CompareOp::Less);
  test.addRect(0, 0, 16, 16, 0.5);
  draw(test);
  EXPECT_EQ(test.count(255), 0u);
  test.state.rasterization.depthBias = true;
  test.state.rasterization.depthBiasConstant = -4;
  draw(test);
  EXPECT_EQ(test.count(255), 256u);
}

TEST(Draw, SamplesOfAnEdge) {
  TestDraw test(4, 4, "R8_UNORM", 4);
  test.addRect(0, 0, 2.5, 4);
  draw(test);
  // Sample positions x: 6/16, 14/16, 2/16, 10/16.
  EXPECT_EQ(test.get(1, 1, 1), 255);
  EXPECT_EQ(test.get(2, 1, 0), 255);
  EXPECT_EQ(test.get(2, 1, 1), 0);
  EXPECT_EQ(test.get(2, 1, 2), 255);
  EXPECT_EQ(test.get(2, 1, 3), 0);
  RenderTarget resolved(formatOf("R8_UNORM"), 4, 4, 1, 1);
  resolve(*test.color, resolved);
  EXPECT_EQ(resolved.getTexel(0)[0][0], Field::point(255));
  EXPECT_EQ(resolved.getTexel(2)[0][0].range, (Range{127, 128}));
}

TEST(Draw, SampleMaskAndPerSampleRuns) {
  TestDraw test(4, 4, "R8_UNORM", 2);
  test.addRect(0, 0, 4, 4);
  test.state.multisample.sampleMask = 2;
  draw(test);
  EXPECT_EQ(test.get(1, 1, 0), 0);
  EXPECT_EQ(test.get(1, 1, 1), 255);
  test.state.multisample.sampleMask = ~0ull;
  test.shaders.fragmentRuns = 0;
  test.input.perSample = true;
  test.shaders.shade = [](const FragmentPrimitive &, const Quad &quad, unsigned) {
    return writeColor(makeColor((*quad.sample + 1) / 255.0, 0, 0, 0));
  };
  draw(test);
  EXPECT_EQ(test.shaders.fragmentRuns, 32u);
  EXPECT_EQ(test.get(3, 3, 0), 1);
  EXPECT_EQ(test.get(3, 3, 1), 2);
}

TEST(Draw, AlphaToCoverageAndOne) {
  TestDraw test(4, 4, "R8G8B8A8_UNORM", 4);
  test.addRect(0, 0, 4, 4);
  test.state.multisample.alphaToCoverage = true;
  test.state.multisample.alphaToOne = true;
  test.shaders.shade = [](const FragmentPrimitive &, const Quad &quad, unsigned f) {
    int x = quad.x + int(f % 2);
    return writeColor(makeColor(1, 0, 0, x < 1 ? 0 : x < 2 ? 0.5 : 1));
  };
  draw(test);
  EXPECT_EQ(test.get(0, 0), 0);
  EXPECT_EQ(test.get(1, 0), -1);
  EXPECT_EQ(test.get(2, 0), 255);
  EXPECT_EQ(test.color->getTexel(test.color->indexOf(2, 0, 0, 0))[0][3], Field::point(255));
}

TEST(Draw, DrawsBigTrianglesFast) {
  // No assertion about time; a loop over pixels that allocates would be seen in the test's time.
  TestDraw test(256, 256, "R8G8B8A8_UNORM");
  test.shaders.vertices = {makeVertex(-1, -1), makeVertex(3, -1), makeVertex(-1, 3)};
  draw(test);
  EXPECT_EQ(test.count(255), 65536u);
}

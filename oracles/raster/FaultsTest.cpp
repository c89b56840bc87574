// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each planted fault of the model makes a difference to what the other tests check.
#include "oracles/raster/Blend.h"
#include "oracles/raster/DepthStencil.h"
#include "oracles/raster/DrawTesting.h"
#include "support/Fault.h"

#include <cstdlib>
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

static std::vector<Primitive> assembleStrip(bool restart) {
  InputAssemblyState state;
  state.topology = PrimitiveTopology::TriangleStrip;
  const uint32_t indices[] = {0, 1, 2, 3, 0xffff, 4, 5, 6};
  return assemblePrimitives(listVertices(ArrayRef(indices).drop_back(restart ? 0 : 4), 2, true, 0),
                            state, ProvokingVertex::First);
}

static bool restarts() {
  return assembleStrip(true).size() == 3;
}
static bool provokesFirst() {
  return assembleStrip(false)[0].provoking == 0;
}
static bool keepsWinding() {
  return assembleStrip(false)[1].vertices[1] == 3;
}
static bool dividesInstances() {
  return getElement({0, 16, true, 2}, 0, 5, 0) == 2;
}
static bool coversTopLeft() {
  const SnappedVertex square[] = {{{128, 128}, {128, 128}},
                                  {{384, 384}, {128, 128}},
                                  {{384, 384}, {384, 384}},
                                  {{128, 128}, {384, 384}}};
  return coverPixel(square, 0, 0, getSamplePositions(1)).certain == 1 &&
         coverPixel(square, 1, 1, getSamplePositions(1)).possible == 0;
}
static bool comparesEqual() {
  return compare(CompareOp::LessOrEqual, 1u, 1u);
}
static bool clampsStencil() {
  return updateStencil(StencilOp::IncrementAndClamp, {}, 255) == 255;
}
static bool masksStencil() {
  StencilFaceState state;
  state.writeMask = 0x0f;
  return updateStencil(StencilOp::Invert, state, 0) == 0x0f;
}

static bool draws(TestDraw &test, uint32_t x, uint32_t y, double value) {
  cantFail(test.run());
  return test.get(x, y) == value;
}
static bool flipsViewport() {
  TestDraw test;
  test.state.viewport = {0, 16, 16, -16, 0, 1};
  test.addRect(0, 0, 16, 4);
  return draws(test, 0, 15, 255);
}
static bool clipsDepth() {
  TestDraw test;
  test.addRect(0, 0, 16, 16, -0.5);
  return draws(test, 0, 0, 0);
}
static bool clipsByDistance() {
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  for (VertexOutput &vertex : test.shaders.vertices)
    vertex.clipDistances = {vertex.position[0]};
  return draws(test, 0, 0, 0);
}
static bool cullsByDistance() {
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  for (VertexOutput &vertex : test.shaders.vertices)
    vertex.cullDistances = {Range::point(-1)};
  return draws(test, 0, 0, 0);
}
static bool cullsFront() {
  TestDraw test;
  test.addRect(0, 0, 16, 16);
  test.state.rasterization.cullMode = CullFront;
  test.state.rasterization.frontFace = FrontFace::Clockwise;
  return draws(test, 0, 0, 0);
}
// The weight of the second vertex, in halves.
static bool weighsSecond(double w, double expected) {
  TestDraw test;
  test.shaders.vertices = {makeVertex(-1, -1), makeVertex(w, -w, 0, w), makeVertex(-1, 1)};
  test.shaders.shade = [](const FragmentPrimitive &primitive, const Quad &quad, unsigned f) {
    Place place = quad.getPlace(f, 1);
    double weight = primitive.interpolation.getPerspective(place)[1].middle();
    return writeColor(makeColor(std::floor(weight * 16 + 0.5) / 255, 0, 0, 0));
  };
  return draws(test, 7, 0, expected);
}
static bool ordersWeights() {
  return weighsSecond(1, 8); // 7.5 of 16 pixels, rounded.
}
static bool weighsByW() {
  return weighsSecond(7, 2);
}
static bool widensLines() {
  TestDraw test;
  test.state.input.topology = PrimitiveTopology::LineList;
  test.state.rasterization.lineWidth = 4;
  test.shaders.vertices = {makeVertex(-1, 0), makeVertex(1, 0)};
  return draws(test, 5, 6, 255);
}
static bool sizesPoints() {
  TestDraw test;
  test.state.input.topology = PrimitiveTopology::PointList;
  test.shaders.vertices = {makeVertex(0, 0)};
  test.shaders.vertices[0].pointSize = Range::point(6);
  return draws(test, 5, 10, 255);
}
static bool biasesDepth() {
  TestDraw test;
  test.addDepthStencil("D16_UNORM");
  clearDepthStencil(*test.depthStencil, 0.5, 0);
  test.state.depthStencil.depthTest = true;
  test.state.rasterization.depthBias = true;
  test.state.rasterization.depthBiasConstant = -4;
  test.addRect(0, 0, 16, 16, 0.5);
  return draws(test, 0, 0, 255);
}
static bool masksSamples() {
  TestDraw test;
  test.state.multisample.sampleMask = 0;
  test.addRect(0, 0, 16, 16);
  return draws(test, 0, 0, 0);
}
static bool helpersWriteNothing() {
  TestDraw test;
  test.addRect(1, 1, 2, 2);
  return draws(test, 0, 0, 0);
}
static bool setsAlphaToOne() {
  TestDraw test(4, 4, "A8B8G8R8_UNORM_PACK32");
  test.state.multisample.alphaToOne = true;
  test.addRect(0, 0, 4, 4);
  test.shaders.shade = [](const FragmentPrimitive &, const Quad &, unsigned) {
    return writeColor(makeColor(0, 0, 0, 0));
  };
  cantFail(test.run());
  return test.color->bytes()[3] == 255;
}

/// The first component after (0.2, 0, 0, 0.4) was blended with 0.6, in 255 parts.
static double blend(ColorTarget target, std::optional<LogicOp> logicOp = std::nullopt) {
  target.format = formatOf("R8G8B8A8_UNORM");
  const TexelFormatInfo &format = getTexelFormatInfo(target.format);
  TexelFields old = encodeColor(format, makeColor(0.6, 0.6, 0.6, 0.6));
  const float constants[4] = {};
  BlendSource source{makeColor(0.2, 0, 0, 0.4), makeColor(1, 1, 1, 1)};
  return blendTexel(target, format, source, constants, logicOp, old)[0].range.middle();
}
static bool blendsByInverseAlpha() {
  ColorTarget target;
  target.blend = true;
  target.srcColor = BlendFactor::Zero;
  target.dstColor = BlendFactor::OneMinusSrcAlpha;
  return std::fabs(blend(target) - 0.36 * 255) < 2;
}
static bool blendsMinimum() {
  ColorTarget target;
  target.blend = true;
  target.colorOp = BlendOp::Min;
  return blend(target) == 51;
}
static bool usesSecondSource() {
  ColorTarget target;
  target.blend = true;
  target.srcColor = BlendFactor::Src1Color;
  return blend(target) == 51;
}
static bool appliesXor() {
  return blend(ColorTarget(), LogicOp::Xor) == (51 ^ 153);
}
static bool masksWrites() {
  ColorTarget target;
  target.writeMask = 0xe;
  return blend(target) == 153;
}
static double encode(StringRef name, double x) {
  return encodeColor(getTexelFormatInfo(formatOf(name)), makeColor(x, x, x, x))[0].range.middle();
}
static bool roundsUnorm() {
  return encode("R8G8B8A8_UNORM", 100.999 / 255) == 101;
}
static bool encodesSrgbTarget() {
  return std::fabs(encode("R8G8B8A8_SRGB", 0.5) - 187.5) < 1;
}
static bool averagesSamples() {
  RenderTarget from(formatOf("R8_UNORM"), 1, 1, 1, 2), to(formatOf("R8_UNORM"), 1, 1, 1, 1);
  const uint8_t bytes[] = {100, 200};
  from.load(bytes);
  resolve(from, to);
  return to.bytes()[0] == 150;
}

TEST(Faults, AreDetected) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  struct Row {
    const char *fault;
    bool (*isRight)();
  };
  const Row rows[] = {
      {"raster-lost-restart", restarts},
      {"raster-wrong-provoking", provokesFirst},
      {"raster-strip-winding", keepsWinding},
      {"raster-divisor-ignored", dividesInstances},
      {"raster-bottom-right-rule", coversTopLeft},
      {"raster-depth-strict", comparesEqual},
      {"raster-stencil-wraps", clampsStencil},
      {"raster-stencil-mask", masksStencil},
      {"raster-viewport-flip", flipsViewport},
      {"raster-depth-clip-ignored", clipsDepth},
      {"raster-clip-distance-ignored", clipsByDistance},
      {"raster-cull-distance-ignored", cullsByDistance},
      {"raster-cull-swapped", cullsFront},
      {"raster-swapped-weights", ordersWeights},
      {"raster-no-perspective", weighsByW},
      {"raster-thin-lines", widensLines},
      {"raster-point-size", sizesPoints},
      {"raster-depth-bias-ignored", biasesDepth},
      {"raster-sample-mask-ignored", masksSamples},
      {"raster-helper-stores", helpersWriteNothing},
      {"raster-alpha-to-one", setsAlphaToOne},
      {"raster-blend-factor", blendsByInverseAlpha},
      {"raster-blend-min-max", blendsMinimum},
      {"raster-dual-source", usesSecondSource},
      {"raster-logic-xor", appliesXor},
      {"raster-write-mask", masksWrites},
      {"raster-unorm-truncates", roundsUnorm},
      {"raster-srgb-linear", encodesSrgbTarget},
      {"raster-resolve-first", averagesSamples},
  };
  for (const Row &row : rows) {
    EXPECT_TRUE(row.isRight()) << row.fault;
    // In a child: a fault is planted for the rest of a process.
    auto checkPlanted = [&] {
      cantFail(plantFault(row.fault));
      std::exit(row.isRight() ? 1 : 0);
    };
    EXPECT_EXIT(checkPlanted(), testing::ExitedWithCode(0), "") << row.fault;
  }
  // And no fault of the model lacks a row.
  size_t count = 0;
  for (const FaultInfo &fault : listFaults())
    count += fault.name.starts_with("raster-");
  EXPECT_EQ(count, std::size(rows));
}

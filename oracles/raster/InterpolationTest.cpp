// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Interpolation.h"

#include "oracles/raster/Shape.h"
#include "support/Random.h"
#include <gmock/gmock.h>

using namespace assay;
using namespace assay::raster;

static const Viewport area{0, 0, 64, 64, 0, 1};

static double getNumber(Random &random, double lo, double hi) {
  return float(lo + (hi - lo) * double(random.below(1 << 20)) / (1 << 20));
}

static VertexOutput getVertex(Random &random, double leastW) {
  VertexOutput vertex;
  for (unsigned i = 0; i < 3; ++i)
    vertex.position[i] = Range::point(getNumber(random, -1, 1));
  vertex.position[3] = Range::point(getNumber(random, leastW, 2));
  return vertex;
}

/// Clip coordinates are themselves interpolated: what is found at a pixel must lead to that pixel.
static void checkTriangles(double leastW, unsigned &checked) {
  Random random(7);
  for (int round = 0; round < 400; ++round) {
    VertexOutput vertices[3];
    WindowVertex windows[3];
    for (unsigned i = 0; i < 3; ++i) {
      vertices[i] = getVertex(random, leastW);
      windows[i] = transformVertex(vertices[i], area);
    }
    Interpolation interpolation(windows);
    Place place{Range::point(getNumber(random, 0, 64)), Range::point(getNumber(random, 0, 64))};
    Weights weights = interpolation.getPerspective(place);
    Range values[4];
    for (unsigned k = 0; k < 4; ++k)
      values[k] = interpolate(
          weights, {vertices[0].position[k], vertices[1].position[k], vertices[2].position[k]});
    // Not near a pole, and not a sliver.
    if (values[3].lo < 0.05 || values[3].hi - values[3].lo > 0.01)
      continue;
    ++checked;
    Range x = {values[0].lo / (values[0].lo > 0 ? values[3].hi : values[3].lo),
               values[0].hi / (values[0].hi > 0 ? values[3].lo : values[3].hi)};
    EXPECT_LE(32 + 32 * x.lo, place.x.lo + 1e-6);
    EXPECT_GE(32 + 32 * x.hi, place.x.lo - 1e-6);
    Range inverse = interpolation.getInverseW(place);
    EXPECT_LE(inverse.lo * values[3].lo, 1 + 1e-9);
    EXPECT_GE(inverse.hi * values[3].hi, 1 - 1e-9);
  }
}

TEST(Interpolation, PerspectiveLeadsBackToThePixel) {
  unsigned checked = 0;
  checkTriangles(0.25, checked);
  EXPECT_GT(checked, 100u);
}

TEST(Interpolation, WorksForVerticesBehindTheViewer) {
  unsigned checked = 0;
  checkTriangles(-2, checked);
  EXPECT_GT(checked, 50u);
}

static WindowVertex at(double x, double y, double z, double w) {
  VertexOutput output;
  output.position = {Range::point((x / 32 - 1) * w), Range::point((y / 32 - 1) * w),
                     Range::point(z * w), Range::point(w)};
  return transformVertex(output, area);
}

TEST(Interpolation, LinearByHand) {
  const WindowVertex windows[] = {at(0, 0, 0.25, 1), at(32, 0, 0.5, 4), at(0, 64, 0.75, 2)};
  Interpolation interpolation(windows);
  Weights weights = interpolation.getLinear({Range::point(8), Range::point(16)});
  const double expected[] = {0.5, 0.25, 0.25};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_TRUE(weights[i].contains(expected[i]));
    EXPECT_LT(weights[i].hi - weights[i].lo, 1e-5);
  }
  EXPECT_TRUE(interpolation.getDepth({Range::point(8), Range::point(16)}).contains(0.4375));
  // (0.25 / 4) / (0.5 / 1 + 0.25 / 4 + 0.25 / 2)
  EXPECT_NEAR(interpolation.getPerspective({Range::point(8), Range::point(16)})[1].middle(),
              1.0 / 11, 1e-6);
  EXPECT_NEAR(interpolation.getInverseW({Range::point(8), Range::point(16)}).middle(), 0.6875,
              1e-6);
}

TEST(Interpolation, EqualValuesStayEqual) {
  const WindowVertex windows[] = {at(1.3, 0.7, 0.25, 1), at(33.1, 5, 0.25, 1),
                                  at(9, 61.9, 0.25, 1)};
  Interpolation interpolation(windows);
  Place place{Range::point(10.5), Range::point(20.5)};
  Range value = Range::point(0.7);
  EXPECT_EQ(interpolate(interpolation.getPerspective(place), {value, value, value}), value);
  EXPECT_TRUE(interpolation.getDepth(place).isPoint());
}

TEST(Interpolation, LinesProjectOnThemselves) {
  const WindowVertex windows[] = {at(10, 10, 0, 1), at(30, 10, 1, 3)};
  Interpolation interpolation(windows);
  Place place{Range::point(15), Range::point(12)};
  EXPECT_NEAR(interpolation.getLinear(place)[1].middle(), 0.25, 1e-6);
  EXPECT_NEAR(interpolation.getDepth(place).middle(), 0.25, 1e-6);
  EXPECT_NEAR(interpolation.getPerspective(place)[1].middle(), (0.25 / 3) / (0.75 + 0.25 / 3),
              1e-6);
}

TEST(Interpolation, SlopeOfDepthIsBetweenItsBounds) {
  const WindowVertex windows[] = {at(0, 0, 0, 1), at(32, 0, 0.75, 1), at(0, 32, 1, 1)};
  Range slope = Interpolation(windows).getDepthSlope();
  EXPECT_NEAR(slope.lo, 1.0 / 32, 1e-6);
  EXPECT_NEAR(slope.hi, 1.25 / 32, 1e-6);
}

TEST(Interpolation, BoxesWidenTheWeights) {
  WindowVertex windows[] = {at(0, 0, 0, 1), at(32, 0, 0, 1), at(0, 32, 0, 1)};
  windows[1].x = widen(windows[1].x, 0.5);
  Interpolation interpolation(windows);
  Range weight = interpolation.getLinear({Range::point(16), Range::point(4)})[1];
  EXPECT_LE(weight.lo, 16 / 32.5);
  EXPECT_GE(weight.hi, 16 / 31.5);
  EXPECT_LT(weight.hi - weight.lo, 0.1);
}

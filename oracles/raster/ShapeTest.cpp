// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points, lines, polygon modes and clipping, against plain formulas at each sample.
#include "oracles/raster/Shape.h"
#include "oracles/raster/DrawTesting.h"

#include "support/Random.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

static constexpr uint32_t Size = 32;

static double getNumber(Random &random, double lo, double hi) {
  return float(lo + (hi - lo) * double(random.below(1 << 20)) / (1 << 20));
}

/// What the model says of a pixel: 0 not drawn, 1 drawn, -1 open.
static int getState(const TestDraw &test, uint32_t x, uint32_t y) {
  double value = test.get(x, y);
  return value < 0 ? -1 : value > 0;
}

TEST(Shape, LinesAreRectangles) {
  Random random(11);
  unsigned drawn = 0, open = 0;
  for (int round = 0; round < 60; ++round) {
    TestDraw test(Size, Size);
    test.state.input.topology = PrimitiveTopology::LineList;
    double width = round % 3 ? getNumber(random, 1, 6) : 1;
    test.state.rasterization.lineWidth = float(width);
    double ends[4];
    for (double &end : ends)
      end = getNumber(random, -0.9, 0.9);
    test.shaders.vertices = {makeVertex(ends[0], ends[1]), makeVertex(ends[2], ends[3])};
    cantFail(test.run());
    double ax = (ends[0] + 1) * 16, ay = (ends[1] + 1) * 16;
    double dx = (ends[2] + 1) * 16 - ax, dy = (ends[3] + 1) * 16 - ay;
    double length = std::sqrt(dx * dx + dy * dy);
    for (uint32_t y = 0; y < Size; ++y)
      for (uint32_t x = 0; x < Size; ++x) {
        double px = x + 0.5 - ax, py = y + 0.5 - ay;
        double along = (px * dx + py * dy) / length, across = (px * dy - py * dx) / length;
        // How far inside.
        double depth = std::min({along, length - along, width / 2 - across, width / 2 + across});
        int state = getState(test, x, y);
        drawn += state == 1;
        open += state == -1;
        if (std::fabs(depth) > 1.0 / 64) {
          ASSERT_EQ(state, depth > 0) << round << ' ' << x << ' ' << y;
        }
      }
  }
  EXPECT_GT(drawn, 1000u);
  EXPECT_LT(open, drawn / 50);
}

/// How often the triangles of a square that is cut along a diagonal cover each sample.
TEST(Shape, DefiniteTrianglesWithACommonEdgeLeaveNoGap) {
  constexpr int32_t Pixels = 61; // No power of two: positions are not exact in floats.
  Random random(17);
  GraphicsState state;
  state.viewport = {0, 0, float(Pixels), float(Pixels), 0, 1};
  unsigned open = 0;
  for (int round = 0; round < 400; ++round) {
    // Between two subpixel positions, so that either may be chosen.
    auto choose = [&](uint64_t low, uint64_t high) {
      double units = double(low + random.below(high - low)) * SubpixelUnits +
                     double(random.below(SubpixelUnits)) + 0.5;
      return double(float(units / SubpixelUnits / Pixels * 2 - 1));
    };
    double left = choose(2, 15), top = choose(2, 15);
    double right = choose(45, 58), bottom = choose(45, 58);
    std::array<VertexOutput, 2> common = {makeVertex(left, bottom), makeVertex(right, top)};
    for (bool isDefinite : {true, false}) {
      std::vector<Shape> shapes;
      for (const VertexOutput &corner : {makeVertex(left, top), makeVertex(right, bottom)}) {
        const VertexOutput corners[] = {common[0], common[1], corner};
        for (Shape &shape : cantFail(makeShapes(state, corners, {}, isDefinite)))
          shapes.push_back(std::move(shape));
      }
      for (int32_t y = Pixels / 3; y < 2 * Pixels / 3; ++y)
        for (int32_t x = Pixels / 3; x < 2 * Pixels / 3; ++x) {
          unsigned certain = 0, possible = 0;
          for (const Shape &shape : shapes) {
            Coverage coverage = coverPixel(shape, x, y, getSamplePositions(1));
            certain += coverage.certain;
            possible += coverage.possible;
          }
          open += certain != possible;
          ASSERT_TRUE(!isDefinite || (certain == 1 && possible == 1)) << x << ' ' << y;
        }
    }
  }
  EXPECT_GT(open, 0u);
}

TEST(Shape, PointsAreSquares) {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    TestDraw test(Size, Size);
    test.state.input.topology = PrimitiveTopology::PointList;
    double cx = getNumber(random, 6, 26), cy = getNumber(random, 6, 26);
    double size = getNumber(random, 1, 9);
    test.shaders.vertices = {makeVertex(cx / 16 - 1, cy / 16 - 1)};
    test.shaders.vertices[0].pointSize = Range::point(size);
    test.shaders.shade = [&](const FragmentPrimitive &primitive, const Quad &quad, unsigned f) {
      Place coord = primitive.getPointCoord(quad.getPlace(f, 1));
      double expected = 0.5 + (quad.x + int(f % 2) + 0.5 - cx) / size;
      EXPECT_NEAR(coord.x.middle(), expected, 0.001);
      return writeColor(makeColor(1, 1, 1, 1));
    };
    cantFail(test.run());
    for (uint32_t y = 0; y < Size; ++y)
      for (uint32_t x = 0; x < Size; ++x) {
        double inside = size / 2 - std::max(std::fabs(x + 0.5 - cx), std::fabs(y + 0.5 - cy));
        if (std::fabs(inside) > 1.0 / 64) {
          ASSERT_EQ(getState(test, x, y), inside > 0) << round << ' ' << x << ' ' << y;
        }
      }
  }
}

TEST(Shape, PointsOutsideOfTheViewAreOpen) {
  TestDraw test(Size, Size);
  test.state.input.topology = PrimitiveTopology::PointList;
  test.shaders.vertices = {makeVertex(1.1, 0)};
  test.shaders.vertices[0].pointSize = Range::point(20);
  cantFail(test.run());
  EXPECT_EQ(getState(test, Size - 1, Size / 2), -1);
  EXPECT_EQ(getState(test, 0, Size / 2), 0);
  // But not before the near plane.
  TestDraw outside(Size, Size);
  outside.state.input.topology = PrimitiveTopology::PointList;
  outside.shaders.vertices = {makeVertex(0, 0, -0.1)};
  cantFail(outside.run());
  EXPECT_EQ(outside.count(0), Size * Size);
}

TEST(Shape, PolygonModesDrawCornersAndEdges) {
  for (PolygonMode mode : {PolygonMode::Line, PolygonMode::Point}) {
    TestDraw test(Size, Size);
    test.state.rasterization.polygonMode = mode;
    test.shaders.vertices = {makeVertex(-0.5 + 1.0 / 32, -0.5 + 1.0 / 32),
                             makeVertex(0.5 + 1.0 / 32, -0.5 + 1.0 / 32),
                             makeVertex(-0.5 + 1.0 / 32, 0.5 + 1.0 / 32)};
    cantFail(test.run());
    EXPECT_EQ(test.get(8, 8), 255);
    EXPECT_EQ(test.get(16, 8), mode == PolygonMode::Line ? 255 : 0);
    EXPECT_EQ(test.get(11, 11), 0);
    if (mode == PolygonMode::Point) {
      EXPECT_EQ(test.count(255), 3u);
    }
  }
}

/// The diagonal of a rectangle that is cut at the border of the viewport, a whole number of pixels
/// away: clipping leaves it where it is, though the corners are rounded.
TEST(Shape, AnEdgeThatIsCutAtASubpixelStaysWhereItIs) {
  TestDraw test(250, 250);
  const double corner = double(float(128.0 / 250 * 2 - 1)),
               far = double(float(256.0 / 250 * 2 - 1));
  test.shaders.vertices = {makeVertex(corner, corner), makeVertex(far, corner),
                           makeVertex(far, far),       makeVertex(corner, corner),
                           makeVertex(far, far),       makeVertex(corner, far)};
  cantFail(test.run());
  for (uint32_t i = 128; i < 249; ++i)
    EXPECT_EQ(getState(test, i, i), 1) << i;
}

/// Twice the area of this triangle is 2 y - 2 of its last vertex, which is behind the viewer.
TEST(Shape, MayFaceEitherWayWhereTheAreaMayHaveEitherSign) {
  auto countOpen = [](Range y, CullFaces cull) {
    TestDraw test(Size, Size);
    test.state.rasterization.cullMode = cull;
    test.shaders.vertices = {makeVertex(-1, -1), makeVertex(1, -1), makeVertex(0, 0, 0, -1)};
    test.shaders.vertices[2].position[1] = y;
    cantFail(test.run());
    return Size * Size - test.count(0) - test.count(255);
  };
  for (CullFaces cull : {CullFront, CullBack}) {
    EXPECT_GT(countOpen({0.9, 1.4}, cull), 0u);
    EXPECT_EQ(countOpen({1.9, 2.1}, CullFrontAndBack), 0u);
  }
}

/// Clip planes by the interpolated distance at each pixel.
TEST(Shape, ClipsAtTheDistance) {
  Random random(13);
  unsigned drawn = 0, open = 0;
  for (int round = 0; round < 60; ++round) {
    TestDraw test(Size, Size);
    double distances[3], depths[3], position[3][2];
    for (unsigned i = 0; i < 3; ++i) {
      for (double &p : position[i])
        p = getNumber(random, -1.5, 1.5);
      depths[i] = getNumber(random, -0.5, 1.5);
      distances[i] = getNumber(random, -1, 1);
      test.shaders.vertices.push_back(makeVertex(position[i][0], position[i][1], depths[i]));
      test.shaders.vertices.back().clipDistances = {Range::point(distances[i])};
    }
    cantFail(test.run());
    auto area = [&](const double *a, const double *b, const double *c) {
      return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    };
    double whole = area(position[0], position[1], position[2]);
    for (uint32_t y = 0; y < Size; ++y)
      for (uint32_t x = 0; x < Size; ++x) {
        const double p[2] = {(x + 0.5) / 16 - 1, (y + 0.5) / 16 - 1};
        double inside = 1, z = 0, distance = 0;
        for (unsigned i = 0; i < 3; ++i) {
          double weight = area(p, position[(i + 1) % 3], position[(i + 2) % 3]) / whole;
          inside = std::min(inside, weight);
          z += weight * depths[i];
          distance += weight * distances[i];
        }
        inside = std::min({inside, z, 1 - z, distance});
        int state = getState(test, x, y);
        drawn += state == 1;
        open += state == -1;
        if (std::fabs(inside) > 0.02 && std::fabs(whole) > 0.2) {
          ASSERT_EQ(state, inside > 0) << round << ' ' << x << ' ' << y;
        }
      }
  }
  EXPECT_GT(drawn, 2000u);
  EXPECT_LT(open, drawn / 50);
}

TEST(Shape, TransformsByTheViewport) {
  const Viewport viewport{10, 20, 40, -30, 0.25f, 0.75f};
  WindowVertex window = transformVertex(makeVertex(1, -2, 1, 2), viewport);
  EXPECT_EQ(window.x, Range::point(10 + 20 + 10));
  EXPECT_EQ(window.y, Range::point(20 - 15 + 15));
  EXPECT_EQ(window.z, Range::point(0.5));
  // A third is no float: the result has an error.
  window = transformVertex(makeVertex(1, 0, 0, 3), viewport);
  EXPECT_FALSE(window.x.isPoint());
  EXPECT_TRUE(window.x.contains(30 + 20.0 / 3));
  EXPECT_LT(window.x.hi - window.x.lo, 1e-4);
}

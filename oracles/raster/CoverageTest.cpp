// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Coverage.h"

#include "support/Random.h"
#include <gmock/gmock.h>
#include <map>

using namespace assay;
using namespace assay::raster;

static constexpr PixelRect Area{0, 0, 16, 16};

static SnappedVertex at(int64_t x, int64_t y) {
  return {{x, x}, {y, y}};
}

static SnappedVertex randomVertex(Random &random) {
  // Many coincide with samples, so that edges go through them.
  int64_t grid = random.oneIn(2) ? 128 : 1;
  return at(int64_t(random.below(16 * 256 / grid)) * grid,
            int64_t(random.below(16 * 256 / grid)) * grid);
}

/// The top-left rule said differently: the sample is moved right by a tiny amount and down by one
/// that is tiny next to that; then it is on no edge, and must be strictly inside.
static bool isInsideExactly(const SnappedVertex *triangle, int64_t x, int64_t y) {
  using Wide = __int128;
  constexpr Wide Scale = Wide(1) << 30, Right = Wide(1) << 15, Down = 1;
  Wide px = x * Scale + Right, py = y * Scale + Down;
  int positive = 0, negative = 0;
  for (int i = 0; i < 3; ++i) {
    const SnappedVertex &a = triangle[i], &b = triangle[(i + 1) % 3];
    Wide edge =
        (b.x.lo - a.x.lo) * (py - a.y.lo * Scale) - (b.y.lo - a.y.lo) * (px - a.x.lo * Scale);
    (edge > 0 ? positive : negative) += 1;
  }
  return positive == 3 || negative == 3;
}

TEST(Coverage, FollowsTheTopLeftRule) {
  Random random(1);
  auto samples = getSamplePositions(4);
  for (int round = 0; round < 200; ++round) {
    const SnappedVertex triangle[] = {randomVertex(random), randomVertex(random),
                                      randomVertex(random)};
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) {
        Coverage coverage = coverPixel(triangle, x, y, samples);
        EXPECT_EQ(coverage.certain, coverage.possible);
        for (size_t i = 0; i < samples.size(); ++i)
          ASSERT_EQ(
              coverage.certain >> i & 1,
              isInsideExactly(triangle, x * 256 + samples[i].x * 16, y * 256 + samples[i].y * 16));
      }
  }
}

TEST(Coverage, SamplesOfOnePixelByHand) {
  // The square from pixel centre to pixel centre: top and left samples belong to it.
  const SnappedVertex square[] = {at(128, 128), at(640, 128), at(640, 640), at(128, 640)};
  int count = 0;
  coverPolygon(square, Area, getSamplePositions(1), [&](int32_t x, int32_t y, Coverage) {
    EXPECT_LT(x, 2);
    EXPECT_LT(y, 2);
    ++count;
  });
  EXPECT_EQ(count, 4);
}

TEST(Coverage, MeshCoversEachSampleOnce) {
  Random random(2);
  for (unsigned samples : {1u, 2u, 4u, 8u, 16u}) {
    // A grid of 4 x 4 cells with random inner corners, each cell two triangles.
    SnappedVertex corners[5][5];
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i) {
        bool isInner = i % 4 && j % 4;
        int64_t dx = isInner ? int64_t(random.below(400)) - 200 : 0;
        int64_t dy = isInner ? int64_t(random.below(400)) - 200 : 0;
        corners[j][i] = at(i * 1024 + dx, j * 1024 + dy);
      }
    std::map<std::pair<int, int>, std::vector<unsigned>> hits;
    auto draw = [&](SnappedVertex a, SnappedVertex b, SnappedVertex c) {
      const SnappedVertex triangle[] = {a, b, c};
      coverPolygon(triangle, Area, getSamplePositions(samples),
                   [&](int32_t x, int32_t y, Coverage c) {
                     auto &counts = hits[{x, y}];
                     counts.resize(samples);
                     for (unsigned i = 0; i < samples; ++i)
                       counts[i] += c.certain >> i & 1;
                   });
    };
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) {
        draw(corners[j][i], corners[j][i + 1], corners[j + 1][i]);
        draw(corners[j + 1][i], corners[j][i + 1], corners[j + 1][i + 1]);
      }
    ASSERT_EQ(hits.size(), 256u);
    for (const auto &[pixel, counts] : hits)
      EXPECT_THAT(counts, testing::Each(1u)) << pixel.first << ' ' << pixel.second;
  }
}

TEST(Coverage, DoesNotDependOnTheOrderOfVertices) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    SnappedVertex a = randomVertex(random), b = randomVertex(random), c = randomVertex(random);
    const SnappedVertex orders[][3] = {{a, b, c}, {b, c, a}, {c, a, b},
                                       {a, c, b}, {c, b, a}, {b, a, c}};
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x)
        for (const auto &order : orders)
          ASSERT_EQ(coverPixel(order, x, y, getSamplePositions(8)),
                    coverPixel(orders[0], x, y, getSamplePositions(8)));
  }
}

TEST(Coverage, BoundsHoldForAllPositions) {
  Random random(4);
  uint32_t open = 0;
  for (int round = 0; round < 60; ++round) {
    SnappedVertex boxes[3];
    for (SnappedVertex &box : boxes) {
      box = randomVertex(random);
      box.x.hi += int64_t(random.below(3));
      box.y.hi += int64_t(random.below(3));
    }
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) {
        Coverage bounds = coverPixel(boxes, x, y, getSamplePositions(4));
        EXPECT_EQ(bounds.certain & ~bounds.possible, 0u);
        open += bounds.certain != bounds.possible;
        for (int choice = 0; choice < 4; ++choice) {
          SnappedVertex exact[3];
          for (int i = 0; i < 3; ++i)
            exact[i] = at(int64_t(random.between(boxes[i].x.lo, boxes[i].x.hi)),
                          int64_t(random.between(boxes[i].y.lo, boxes[i].y.hi)));
          Coverage coverage = coverPixel(exact, x, y, getSamplePositions(4));
          ASSERT_EQ(bounds.certain & ~coverage.certain, 0u);
          ASSERT_EQ(coverage.certain & ~bounds.possible, 0u);
        }
      }
  }
  EXPECT_GT(open, 0u);
  EXPECT_LT(open, 60u * 256 / 4); // Only near edges.
}

TEST(Coverage, SnapsToTheNearestSubpixel) {
  EXPECT_EQ(snap(Range::point(1.5)), (SnappedRange{384, 384}));
  EXPECT_EQ(snap(Range::point(-1.0 / 1024)), (SnappedRange{0, 0}));
  EXPECT_EQ(snap(Range::point(3.0 / 1024)), (SnappedRange{1, 1}));
  EXPECT_EQ(snap(Range::point(1.0 / 512)), (SnappedRange{0, 1}));
  EXPECT_EQ(snap({0.9, 1.1}), (SnappedRange{230, 282}));
}

TEST(Coverage, KnowsOrientation) {
  const SnappedVertex triangle[] = {at(0, 0), at(10, 0), at(0, 10)};
  EXPECT_EQ(getOrientation(triangle).isPositive, Answer::Yes);
  const SnappedVertex turned[] = {at(0, 0), at(0, 10), at(10, 0)};
  EXPECT_EQ(getOrientation(turned).isPositive, Answer::No);
  EXPECT_FALSE(getOrientation(turned).isZero);
  const SnappedVertex flat[] = {at(0, 0), at(5, 5), at(10, 10)};
  EXPECT_TRUE(getOrientation(flat).isZero);
  const SnappedVertex open[] = {at(0, 0), at(5, 5), {{9, 11}, {10, 10}}};
  EXPECT_EQ(getOrientation(open).isPositive, Answer::Maybe);
}

TEST(Coverage, SamplePositionsAreTheStandardOnes) {
  // Vulkan 1.3, Rasterization, "Multisampling", table of standard sample locations.
  using Table = std::vector<std::pair<double, double>>;
  const Table tables[] = {{{0.5, 0.5}},
                          {{0.75, 0.75}, {0.25, 0.25}},
                          {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}},
                          {{0.5625, 0.3125},
                           {0.4375, 0.6875},
                           {0.8125, 0.5625},
                           {0.3125, 0.1875},
                           {0.1875, 0.8125},
                           {0.0625, 0.4375},
                           {0.6875, 0.9375},
                           {0.9375, 0.0625}},
                          {{0.5625, 0.5625},
                           {0.4375, 0.3125},
                           {0.3125, 0.625},
                           {0.75, 0.4375},
                           {0.1875, 0.375},
                           {0.625, 0.8125},
                           {0.8125, 0.6875},
                           {0.6875, 0.1875},
                           {0.375, 0.875},
                           {0.5, 0.0625},
                           {0.25, 0.125},
                           {0.125, 0.75},
                           {0, 0.5},
                           {0.9375, 0.25},
                           {0.875, 0.9375},
                           {0.0625, 0}}};
  for (const Table &table : tables) {
    Table actual;
    for (SamplePosition position : getSamplePositions(static_cast<unsigned>(table.size())))
      actual.emplace_back(position.x / 16.0, position.y / 16.0);
    EXPECT_EQ(actual, table);
  }
  EXPECT_TRUE(getSamplePositions(3).empty());
}

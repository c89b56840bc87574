// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/InputAssembly.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::raster;
using testing::ElementsAre;
using Lists = std::vector<std::vector<uint32_t>>;

/// The lists of vertices are written out from the specification's formula of each topology.
struct TopologyCase {
  PrimitiveTopology topology;
  uint32_t count;
  Lists vertices;                    ///< Of each primitive.
  std::vector<uint32_t> first, last; ///< Provoking vertices.
  Lists adjacent = {};
};

static const TopologyCase topologyCases[] = {
    {PrimitiveTopology::PointList, 2, {{0}, {1}}, {0, 1}, {0, 1}},
    {PrimitiveTopology::LineList, 5, {{0, 1}, {2, 3}}, {0, 2}, {1, 3}},
    {PrimitiveTopology::LineStrip, 3, {{0, 1}, {1, 2}}, {0, 1}, {1, 2}},
    {PrimitiveTopology::TriangleList, 7, {{0, 1, 2}, {3, 4, 5}}, {0, 3}, {2, 5}},
    {PrimitiveTopology::TriangleStrip, 5, {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}, {0, 1, 2}, {2, 3, 4}},
    {PrimitiveTopology::TriangleFan, 5, {{1, 2, 0}, {2, 3, 0}, {3, 4, 0}}, {1, 2, 3}, {2, 3, 4}},
    {PrimitiveTopology::LineListWithAdjacency,
     9,
     {{1, 2}, {5, 6}},
     {1, 5},
     {2, 6},
     {{0, 3}, {4, 7}}},
    {PrimitiveTopology::LineStripWithAdjacency,
     5,
     {{1, 2}, {2, 3}},
     {1, 2},
     {2, 3},
     {{0, 3}, {1, 4}}},
    {PrimitiveTopology::TriangleListWithAdjacency, 8, {{0, 2, 4}}, {0}, {4}, {{1, 3, 5}}},
    {PrimitiveTopology::TriangleStripWithAdjacency, 6, {{0, 2, 4}}, {0}, {4}, {{1, 5, 3}}},
    {PrimitiveTopology::TriangleStripWithAdjacency,
     8,
     {{0, 2, 4}, {4, 2, 6}},
     {0, 2},
     {4, 6},
     {{1, 6, 3}, {0, 5, 7}}},
    {PrimitiveTopology::TriangleStripWithAdjacency,
     11,
     {{0, 2, 4}, {4, 2, 6}, {4, 6, 8}},
     {0, 2, 4},
     {4, 6, 8},
     {{1, 6, 3}, {0, 5, 8}, {2, 9, 7}}},
    {PrimitiveTopology::PatchList, 7, {{0, 1, 2}, {3, 4, 5}}, {0, 3}, {0, 3}},
};

TEST(InputAssembly, FollowsTheFormulaOfEachTopology) {
  for (const TopologyCase &row : topologyCases)
    for (ProvokingVertex convention : {ProvokingVertex::First, ProvokingVertex::Last}) {
      InputAssemblyState state;
      state.topology = row.topology;
      auto primitives = assemblePrimitives(listVertices(0, row.count), state, convention);
      SCOPED_TRACE(testing::Message() << int(row.topology) << " of " << row.count);
      ASSERT_EQ(primitives.size(), row.vertices.size());
      for (size_t i = 0; i < primitives.size(); ++i) {
        EXPECT_THAT(primitives[i].vertices, testing::ElementsAreArray(row.vertices[i]));
        if (!row.adjacent.empty())
          EXPECT_THAT(primitives[i].adjacent, testing::ElementsAreArray(row.adjacent[i]));
        uint32_t provoking = (convention == ProvokingVertex::First ? row.first : row.last)[i];
        EXPECT_EQ(primitives[i].vertices[primitives[i].provoking], provoking);
        EXPECT_EQ(primitives[i].primitiveId, i);
      }
    }
}

TEST(InputAssembly, DropsIncompletePrimitives) {
  for (unsigned topology = 0; topology <= unsigned(PrimitiveTopology::PatchList); ++topology)
    for (uint32_t count = 0; count < 20; ++count) {
      InputAssemblyState state;
      state.topology = PrimitiveTopology(topology);
      for (const Primitive &primitive :
           assemblePrimitives(listVertices(0, count), state, ProvokingVertex::First))
        for (uint32_t vertex : primitive.vertices)
          EXPECT_LT(vertex, count);
    }
}

TEST(InputAssembly, RestartsStrips) {
  for (unsigned bytes : {1u, 2u, 4u}) {
    uint32_t ones = bytes == 4 ? ~0u : (1u << bytes * 8) - 1;
    const uint32_t indices[] = {0, 1, 2, 3, ones, ones, 5, 6, 7, 8};
    auto vertices = listVertices(indices, bytes, true, 10);
    InputAssemblyState state;
    state.topology = PrimitiveTopology::TriangleStrip;
    auto primitives = assemblePrimitives(vertices, state, ProvokingVertex::First);
    ASSERT_EQ(primitives.size(), 4u);
    // The winding begins again, PrimitiveId goes on.
    EXPECT_THAT(primitives[2].vertices, ElementsAre(6, 7, 8));
    EXPECT_THAT(primitives[3].vertices, ElementsAre(7, 9, 8));
    EXPECT_EQ(primitives[3].primitiveId, 3u);
    EXPECT_EQ(vertices[6].vertexIndex, 15u);
    // Without restart the value is an index like any other.
    vertices = listVertices(indices, bytes, false, 0);
    EXPECT_EQ(vertices[4].vertexIndex, ones);
    EXPECT_EQ(assemblePrimitives(vertices, state, ProvokingVertex::First).size(), 8u);
  }
}

TEST(InputAssembly, DividesInstances) {
  EXPECT_EQ(getElement({0, 16, false, 3}, 7, 5, 100), 7u);
  EXPECT_EQ(getElement({0, 16, true, 1}, 7, 5, 100), 105u);
  EXPECT_EQ(getElement({0, 16, true, 2}, 7, 5, 100), 102u);
  EXPECT_EQ(getElement({0, 16, true, 0}, 7, 5, 100), 100u);
}

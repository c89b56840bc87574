// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/DepthStencil.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::raster;

TEST(DepthStencil, ComparesAsTheOperatorSays) {
  struct Row {
    CompareOp op;
    bool less, equal, greater;
  };
  const Row rows[] = {
      {CompareOp::Never, false, false, false},        {CompareOp::Less, true, false, false},
      {CompareOp::Equal, false, true, false},         {CompareOp::LessOrEqual, true, true, false},
      {CompareOp::Greater, false, false, true},       {CompareOp::NotEqual, true, false, true},
      {CompareOp::GreaterOrEqual, false, true, true}, {CompareOp::Always, true, true, true},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(compare(row.op, 1u, 2u), row.less) << int(row.op);
    EXPECT_EQ(compare(row.op, 2u, 2u), row.equal) << int(row.op);
    EXPECT_EQ(compare(row.op, 3u, 2u), row.greater) << int(row.op);
  }
}

/// A comparison of ranges is what all comparisons of their members are, or Maybe.
TEST(DepthStencil, ComparesRanges) {
  for (unsigned op = 0; op <= unsigned(CompareOp::Always); ++op)
    for (unsigned code = 0; code < 256; ++code) {
      unsigned a[] = {code & 3, code >> 2 & 3}, b[] = {code >> 4 & 3, code >> 6 & 3};
      if (a[0] > a[1] || b[0] > b[1])
        continue;
      bool some = false, all = true;
      for (unsigned i = a[0]; i <= a[1]; ++i)
        for (unsigned j = b[0]; j <= b[1]; ++j) {
          bool result = compare(CompareOp(op), i, j);
          some |= result;
          all &= result;
        }
      Answer expected = all ? Answer::Yes : some ? Answer::Maybe : Answer::No;
      Range left{double(a[0]), double(a[1])}, right{double(b[0]), double(b[1])};
      EXPECT_EQ(compare(CompareOp(op), left, right), expected) << op << ' ' << code;
    }
}

TEST(DepthStencil, UpdatesStencil) {
  struct Row {
    StencilOp op;
    uint8_t of0, of9, of255; ///< With reference 0x5a.
  };
  const Row rows[] = {
      {StencilOp::Keep, 0, 9, 255},
      {StencilOp::Zero, 0, 0, 0},
      {StencilOp::Replace, 0x5a, 0x5a, 0x5a},
      {StencilOp::IncrementAndClamp, 1, 10, 255},
      {StencilOp::DecrementAndClamp, 0, 8, 254},
      {StencilOp::Invert, 255, 0xf6, 0},
      {StencilOp::IncrementAndWrap, 1, 10, 0},
      {StencilOp::DecrementAndWrap, 255, 8, 254},
  };
  StencilFaceState state;
  state.reference = 0x5a;
  for (const Row &row : rows) {
    state.writeMask = 0xff;
    EXPECT_EQ(updateStencil(row.op, state, 0), row.of0);
    EXPECT_EQ(updateStencil(row.op, state, 9), row.of9);
    EXPECT_EQ(updateStencil(row.op, state, 255), row.of255);
    state.writeMask = 0x0f;
    EXPECT_EQ(updateStencil(row.op, state, 255), 0xf0 | (row.of255 & 0x0f));
  }
}

static DepthStencilState makeState() {
  DepthStencilState state;
  state.depthTest = state.depthWrite = state.stencilTest = true;
  state.front = {StencilOp::Zero,
                 StencilOp::IncrementAndWrap,
                 StencilOp::Invert,
                 CompareOp::Equal,
                 0x0f,
                 0xff,
                 3};
  return state;
}

static DepthStencilInput makeInput(Range depth) {
  return {depth, 3, true};
}

TEST(DepthStencil, ChoosesTheOperationByTheTests) {
  DepthStencilState state = makeState();
  auto run = [&](double depth, uint8_t stencil) {
    auto results = testDepthStencil(state, makeInput(Range::point(depth)),
                                    {Range::point(0.5), stencil}, true, true);
    EXPECT_EQ(results.size(), 1u);
    return results.front();
  };
  DepthStencilResult result = run(0.25, 0x13); // Both pass; the compare mask hides bit 4.
  EXPECT_TRUE(result.pass);
  EXPECT_EQ(result.stored, (DepthStencilValue{Range::point(0.25), 0x14}));
  result = run(0.75, 0x13); // Depth fails.
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.stored, (DepthStencilValue{Range::point(0.5), 0xec}));
  result = run(0.25, 0x14); // Stencil fails.
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.stored, (DepthStencilValue{Range::point(0.5), 0}));
  state.depthWrite = false;
  EXPECT_EQ(run(0.25, 3).stored.depth, Range::point(0.5));
  state.depthTest = false; // Passes, and writes no depth.
  state.depthWrite = true;
  EXPECT_EQ(run(0.75, 3).stored, (DepthStencilValue{Range::point(0.5), 4}));
  state.depthBoundsTest = true;
  state.minDepthBounds = 0.625f;
  result = run(0.25, 3);
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.stored, (DepthStencilValue{Range::point(0.5), 3}));
}

TEST(DepthStencil, GivesBothOutcomesOfAnOpenComparison) {
  auto results =
      testDepthStencil(makeState(), makeInput({0.25, 0.75}), {Range::point(0.5), 3}, true, true);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_FALSE(results[0].pass);
  EXPECT_EQ(results[0].stored, (DepthStencilValue{Range::point(0.5), 0xfc}));
  EXPECT_TRUE(results[1].pass);
  EXPECT_EQ(results[1].stored.stencil, 4);
  EXPECT_EQ(results[1].stored.depth, (Range{0.25, 0.75}));
}

TEST(DepthStencil, MissingAspectsPass) {
  DepthStencilValue old{Range::point(0.5), 9};
  auto results = testDepthStencil(makeState(), makeInput(Range::point(1)), old, false, false);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].pass);
  EXPECT_EQ(results[0].stored, old);
}

TEST(DepthStencil, BiasesDepth) {
  const Range unit = Range::point(0x1p-16);
  RasterizationState state;
  EXPECT_EQ(getDepthBias(state, Range::point(1), Range::point(1)), Range{});
  state.depthBias = true;
  state.depthBiasConstant = 3;
  state.depthBiasSlope = 2;
  EXPECT_EQ(getDepthBias(state, Range::point(0.25), unit), Range::point(0.5 + 3 * 0x1p-16));
  state.depthBiasClamp = 0.125;
  EXPECT_EQ(getDepthBias(state, Range::point(0.25), unit), Range::point(0.125));
  state.depthBiasSlope = -2;
  state.depthBiasClamp = -0.125;
  EXPECT_EQ(getDepthBias(state, Range::point(0.25), unit), Range::point(-0.125));
  EXPECT_EQ(getDepthUnit(16, 1), (Range{0x1p-16, 0x1p-15}));
  EXPECT_EQ(getDepthUnit(0, 0.75), Range::point(0x1p-24));
}

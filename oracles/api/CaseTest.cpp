// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Case.h"
#include "oracles/api/Verdict.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(DataFormat, FollowsVulkansLayouts) {
  DataFormat vec3 = makeDataFormat(ScalarKind::Float32, 3, 1, BlockLayout::Std430);
  EXPECT_EQ(vec3.stride, 16u);
  DataFormat vec2 = makeDataFormat(ScalarKind::Float32, 2, 1, BlockLayout::Std430);
  EXPECT_EQ(vec2.stride, 8u);
  DataFormat scalar140 = makeDataFormat(ScalarKind::Uint32, 1, 1, BlockLayout::Std140);
  EXPECT_EQ(scalar140.stride, 16u);
  DataFormat mat2x3 = makeDataFormat(ScalarKind::Float32, 3, 2, BlockLayout::Std430);
  EXPECT_EQ(mat2x3.columnStride, 16u);
  EXPECT_EQ(mat2x3.stride, 32u);
  EXPECT_EQ(mat2x3.componentOffset(1, 2), 24u);
  DataFormat mat2x2 = makeDataFormat(ScalarKind::Float32, 2, 2, BlockLayout::Std140);
  EXPECT_EQ(mat2x2.stride, 32u);
}

TEST(State, NamesRoundTrip) {
  for (unsigned i = 0; i < stateCount; ++i)
    EXPECT_EQ(parseState(stateName(static_cast<State>(i))), static_cast<State>(i));
  EXPECT_FALSE(parseState("passed").has_value());
}

TEST(Checkpoints, OnePerRunOfExpectationsAndOneAtTheEnd) {
  Case input;
  EXPECT_EQ(countCheckpoints(input), 1u);
  input.commands = {Dispatch{}, Expectation{}, Expectation{}, Dispatch{}, Expectation{}};
  EXPECT_EQ(countCheckpoints(input), 3u);
}

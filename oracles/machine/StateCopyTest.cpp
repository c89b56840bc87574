// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/StateCopy.h"

#include <gtest/gtest.h>

using namespace assay;

/// 16 bytes: a float range at 0, open bytes 4 to 7, a field of 8 bits at byte 9, a texel "A or B"
/// at 12.
static BufferState makeState() {
  BufferState state;
  for (uint8_t byte = 0; byte < 16; ++byte)
    state.bytes.push_back(byte);
  state.intervals[0] = {1, 2, 4, false};
  state.indeterminate[4] = 4;
  state.fields[72] = {1, 3, 8, false};
  BufferState texel;
  texel.bytes = {12, 13, 14, 15};
  BufferState other;
  other.bytes = {0, 0, 0, 0};
  state.alternatives[12] = {texel, other};
  return state;
}

TEST(StateCopy, TakesBytesWithTheirFreedom) {
  BufferState part = takeBytes(makeState(), 4, 12);
  EXPECT_EQ(part.bytes.size(), 12u);
  EXPECT_EQ(part.bytes[0], 4);
  EXPECT_TRUE(part.intervals.empty());
  EXPECT_EQ(part.indeterminate, (std::map<uint64_t, uint64_t>{{0, 4}}));
  ASSERT_EQ(part.fields.count(40), 1u);
  ASSERT_EQ(part.alternatives.count(8), 1u);
}

TEST(StateCopy, OpensPartsOfRangesAndTexels) {
  BufferState part = takeBytes(makeState(), 2, 12);
  EXPECT_TRUE(part.intervals.empty());
  EXPECT_TRUE(part.alternatives.empty());
  // The range's bytes 2 and 3 with the open ones that follow; the texel's bytes 12 and 13.
  EXPECT_EQ(part.indeterminate, (std::map<uint64_t, uint64_t>{{0, 6}, {10, 2}}));
  EXPECT_EQ(part.fields.count(56), 1u);
}

TEST(StateCopy, OverwritesFreedom) {
  BufferState part;
  part.bytes.assign(12, 0xee);
  part.intervals[0] = {5, 6, 4, false};
  BufferState state = makeState();
  pasteBytes(part, 2, state);
  EXPECT_EQ(state.bytes[1], 1);
  EXPECT_EQ(state.bytes[2], 0xee);
  EXPECT_EQ(state.bytes[13], 0xee);
  EXPECT_EQ(state.bytes[14], 14);
  EXPECT_EQ(state.intervals.size(), 1u);
  EXPECT_EQ(state.intervals.count(2), 1u);
  EXPECT_TRUE(state.fields.empty());
  EXPECT_TRUE(state.alternatives.empty());
  // What is left of the range and of the texel.
  EXPECT_EQ(state.indeterminate, (std::map<uint64_t, uint64_t>{{0, 2}, {14, 2}}));
}

TEST(StateCopy, KeepsFreedomOutside) {
  BufferState part;
  part.bytes.assign(2, 0);
  part.indeterminate[0] = 2;
  BufferState state = makeState();
  pasteBytes(part, 10, state);
  EXPECT_EQ(state.intervals.size(), 1u);
  EXPECT_EQ(state.fields.size(), 1u);
  EXPECT_EQ(state.alternatives.size(), 1u);
  EXPECT_EQ(state.indeterminate, (std::map<uint64_t, uint64_t>{{4, 4}, {10, 2}}));
}

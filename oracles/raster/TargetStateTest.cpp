// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/TargetState.h"

#include "oracles/raster/TexelCodec.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

static RenderTarget makeTarget(const char *format) {
  return RenderTarget(*findTexelFormat(StringRef(format)), 4, 1, 1, 1);
}

/// What is stored in the middle of a buffer, loaded again into another target.
static RenderTarget loadAgain(const RenderTarget &target, BufferState &state) {
  storeTarget(target, state, 8);
  RenderTarget result(target.format().format, 4, 1, 1, 1);
  loadTarget(result, state, 8);
  return result;
}

TEST(TargetState, KeepsRangesAlternativesAndOpenComponents) {
  for (const char *format :
       {"R8G8B8A8_UNORM", "R8G8B8A8_SINT", "A2B10G10R10_UNORM_PACK32", "R5G6B5_UNORM_PACK16",
        "B10G11R11_UFLOAT_PACK32", "R16G16B16A16_SFLOAT", "R32_SFLOAT", "D32_SFLOAT",
        "X8_D24_UNORM_PACK32", "R16_SNORM"}) {
    SCOPED_TRACE(format);
    RenderTarget target = makeTarget(format);
    unsigned count = target.format().componentCount;
    TexelFields range = {}, other = {}, open = {};
    for (unsigned i = 0; i < count; ++i) {
      if (target.format().components[i].channel == 'X')
        continue;
      range[i] = {{1, 2}};
      other[i] = Field::point(3);
      open[i] = i ? Field::point(1) : Field::open();
    }
    target.setTexel(0, {range});
    target.setTexel(1, {other, range});
    target.setTexel(3, {open});
    BufferState state{std::vector<uint8_t>(8 + target.bytes().size() + 8, 0xee)};
    RenderTarget again = loadAgain(target, state);
    EXPECT_EQ(again.getTexel(0), TexelAlternatives{range});
    EXPECT_EQ(again.getTexel(1), (TexelAlternatives{other, range}));
    EXPECT_EQ(again.getTexel(2), target.getTexel(2));
    EXPECT_EQ(again.openTexels().size(), 3u);
    // An open component of packed bits comes back as the range of all its numbers.
    TexelFields loaded = again.getTexel(3)[0];
    EXPECT_TRUE(loaded[0].isOpen || loaded[0].range.hi > 30) << loaded[0].range.hi;
    EXPECT_EQ(state.alternatives.size(), 1u);
    EXPECT_EQ(state.bytes.front(), 0xee);
    EXPECT_EQ(state.bytes.back(), 0xee);
  }
}

TEST(TargetState, KeepsNan) {
  RenderTarget target = makeTarget("R32_SFLOAT");
  target.setTexel(1, {TexelFields{Field{{1, 2}, true}}});
  target.setTexel(2, {TexelFields{Field{{1, -1}, true}}});
  BufferState state{std::vector<uint8_t>(24)};
  RenderTarget again = loadAgain(target, state);
  EXPECT_EQ(again.getTexel(1), target.getTexel(1));
  EXPECT_EQ(again.getTexel(2), target.getTexel(2));
  EXPECT_TRUE(state.intervals.at(12).mayBeNan);
}

TEST(TargetState, ReplacesWhatWasKnownOfTheLevelAlone) {
  RenderTarget target = makeTarget("R8G8B8A8_UNORM");
  BufferState state{std::vector<uint8_t>(32)};
  state.indeterminate[4] = 24; // From before the level to after it.
  state.fields[8 * 8] = {1, 2, 8, false};
  state.fields[28 * 8] = {1, 2, 8, false};
  state.alternatives[12] = {BufferState{{1, 2, 3, 4}}, BufferState{{5, 6, 7, 8}}};
  storeTarget(target, state, 8);
  EXPECT_EQ(state.indeterminate, (std::map<uint64_t, uint64_t>{{4, 4}, {24, 4}}));
  EXPECT_EQ(state.fields.size(), 1u);
  EXPECT_TRUE(state.alternatives.empty());
}

TEST(TargetState, TakesWhatOthersLeftOpen) {
  RenderTarget target = makeTarget("R8G8B8A8_UNORM");
  BufferState state{std::vector<uint8_t>(16, 7)};
  state.indeterminate[3] = 2;                  // A of texel 0, R of texel 1.
  state.intervals[8] = {1, 2, 4, false};       // A float over texel 2.
  state.fields[12 * 8 + 4] = {1, 2, 8, false}; // Over R and G of texel 3.
  loadTarget(target, state, 0);
  auto isOpen = [&](uint64_t texel, unsigned component) {
    return target.getTexel(texel)[0][component].isOpen;
  };
  EXPECT_TRUE(isOpen(0, 3));
  EXPECT_FALSE(isOpen(0, 2));
  EXPECT_TRUE(isOpen(1, 0));
  EXPECT_TRUE(isOpen(2, 0) && isOpen(2, 3));
  EXPECT_TRUE(isOpen(3, 0) && isOpen(3, 1));
  EXPECT_FALSE(isOpen(3, 2));
  EXPECT_EQ(target.getTexel(3)[0][2], Field::point(7));
}

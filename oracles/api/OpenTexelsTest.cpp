// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/OpenTexels.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace assay;

static Buffer makeImage(const char *format) {
  Buffer image;
  image.texelFormat = findTexelFormat(llvm::StringRef(format));
  image.image = ImageShape();
  image.image->width = 4;
  image.bytes.resize(getImageBytes(*image.image, *image.texelFormat));
  return image;
}

TEST(OpenTexels, CountEachTexelOnce) {
  Buffer image = makeImage("R8G8B8A8_UNORM");
  BufferState state{image.bytes};
  EXPECT_EQ(countOpenTexels(image, state).open, 0u);
  EXPECT_EQ(countOpenTexels(image, state).all, 4u);
  state.alternatives[4] = {BufferState{{1, 2, 3, 4}}, BufferState{{5, 6, 7, 8}}};
  state.indeterminate[11] = 2; // The end of texel 2, the begin of texel 3.
  state.fields[8 * 8] = {0, 200, 8, false};
  EXPECT_EQ(countOpenTexels(image, state).open, 3u);
}

TEST(OpenTexels, IgnoreRangesThatSaySomething) {
  Buffer image = makeImage("R8G8B8A8_UNORM");
  BufferState state{image.bytes};
  state.fields[0] = {10, 16, 8, false};
  state.fields[32] = {10, 136, 8, false};
  EXPECT_EQ(countOpenTexels(image, state).open, 0u);
  state.fields[32].hi = 137; // 128 of 256 numbers.
  EXPECT_EQ(countOpenTexels(image, state).open, 1u);

  Buffer floats = makeImage("R32_SFLOAT");
  BufferState values{floats.bytes};
  values.intervals[0] = {100, 103, 4};
  values.intervals[4] = {INFINITY, INFINITY, 4};
  values.intervals[8] = {1, -1, 4, true}; // Only NaN.
  EXPECT_EQ(countOpenTexels(floats, values).open, 0u);
  values.intervals[0].hi = INFINITY;
  values.intervals[8] = {1, 1, 4, true};
  EXPECT_EQ(countOpenTexels(floats, values).open, 2u);
}

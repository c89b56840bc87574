// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/Overlay.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace assay;
using namespace assay::simt;

TEST(Overlay, KnowsByTheByteWhatWasReadAndWritten) {
  std::vector<uint8_t> memory(5000, 7);
  Overlay first, second;
  OverlayRange &a = first.rangeFor(memory);
  OverlayRange &b = second.rangeFor(memory);
  *a.find(1023, 1, Access::Write) = 1;
  EXPECT_EQ(*a.find(1023, 1, Access::Read), 1);
  EXPECT_EQ(memory[1023], 7) << "memory itself is as it was";
  (void)b.find(1022, 1, Access::Read);
  (void)b.find(1024, 8, Access::Read);
  EXPECT_FALSE(second.reads(first)) << "neighbours are no conflict";
  (void)b.find(1020, 8, Access::Read); // over the end of a page
  EXPECT_TRUE(second.reads(first));
  EXPECT_FALSE(first.reads(second));
  first.commit();
  EXPECT_EQ(memory[1023], 1);
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 7), 4999);
  second.clear();
  EXPECT_FALSE(second.reads(first));
}

TEST(Overlay, ReadingWhatOneHasWrittenIsNoDependence) {
  std::vector<uint8_t> memory(100, 0);
  Overlay first, second;
  *first.rangeFor(memory).find(10, 1, Access::Write) = 1;
  OverlayRange &b = second.rangeFor(memory);
  uint8_t *across = b.find(8, 8, Access::Write); // A write may have read before.
  across[2] = 9;
  EXPECT_TRUE(second.reads(first));
  second.clear();
  EXPECT_EQ(*b.find(10, 1, Access::Read), 0) << "clear() forgets writes, too";
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Count.h"
#include <gtest/gtest.h>

using namespace assay;

TEST(Count, OneHasTheSingular) {
  EXPECT_EQ(countOf(0, "run"), "0 runs");
  EXPECT_EQ(countOf(1, "run"), "1 run");
  EXPECT_EQ(countOf(2, "run"), "2 runs");
  EXPECT_EQ(countOf(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(countOf(3, "entry", "entries"), "3 entries");
}

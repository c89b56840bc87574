// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/Choices.h"
#include <gtest/gtest.h>
#include <set>

using namespace assay;
using namespace assay::simt;

TEST(Order, IsAPermutation) {
  for (uint64_t count : {1, 2, 7, 64, 100})
    for (uint64_t seed : {0, 1, 2, 3}) {
      std::set<uint64_t> seen;
      Order order(count, seed);
      for (uint64_t i = 0; i < count; ++i)
        EXPECT_LT(order[i], count);
      for (uint64_t i = 0; i < count; ++i)
        seen.insert(order[i]);
      EXPECT_EQ(seen.size(), count);
    }
}

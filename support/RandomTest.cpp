// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Random.h"

#include "gtest/gtest.h"

using namespace assay;

TEST(Random, GivesTheSameEverywhere) {
  Random random(1234567); // The numbers of splitmix64's authors' own program.
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(Random, StaysInRange) {
  Random random(1);
  bool seen[5] = {};
  for (unsigned i = 0; i < 1000; ++i) {
    EXPECT_LT(random.below(5), 5u);
    uint64_t value = random.between(3, 7);
    ASSERT_GE(value, 3u);
    ASSERT_LE(value, 7u);
    seen[value - 3] = true;
  }
  for (bool each : seen)
    EXPECT_TRUE(each);
}

TEST(Random, PartsDoNotDisturbEachOther) {
  EXPECT_EQ(Random::derive(1, 2).next(), Random::derive(1, 2).next());
  EXPECT_NE(Random::derive(1, 2).next(), Random::derive(1, 3).next());
  EXPECT_NE(Random::derive(1, 2).next(), Random::derive(2, 2).next());
}

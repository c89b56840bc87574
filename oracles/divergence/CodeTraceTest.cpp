// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/CodeTrace.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

TEST(CodeTrace, ReadsWhatLanesAccess) {
  std::vector<TracedStep> steps =
      readCodeTrace("group 1,0,0 wave 2 pc 0x58: s_nop 0\n"
                    "group 1,0,0 wave 2 pc 0x5c: global_load_dwordx3 v[0:2], v[4:5], off\n"
                    "    reads global 0x100 step 0x10, 8 bytes, lanes 2-6 step 2: 1 2 3\n"
                    "    reads global 0x108, 4 bytes, lane 2: 7\n"
                    "  v0 lanes 2-6: 1\n"
                    "    atomic global 0x200, 4 bytes, lane 3, 2 times: 1\n");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].wave, 2u);
  EXPECT_TRUE(steps[0].accesses.empty());
  EXPECT_EQ(steps[1].group, "group 1,0,0");
  ASSERT_EQ(steps[1].accesses.size(), 5u);
  const TracedAccess &six = steps[1].accesses[2], &rest = steps[1].accesses[3];
  EXPECT_EQ(six.lane, 6u);
  EXPECT_TRUE(six.holds(0x127) && !six.holds(0x128) && !six.holds(0x11f));
  // Parts of another size have an entry of their own.
  EXPECT_EQ(std::pair(rest.lane, rest.bytes), std::pair(2u, uint64_t(4)));
  EXPECT_TRUE(rest.holds(0x10b) && !rest.holds(0x10c));
  EXPECT_TRUE(steps[1].accesses[4].reads && steps[1].accesses[4].writes);
  EXPECT_EQ(steps[1].accesses[4].addresses.size(), 2u);
}

TEST(CodeTrace, LeavesOutWhatIsNone) {
  EXPECT_TRUE(readCodeTrace("").empty());
  EXPECT_TRUE(readCodeTrace("    reads global 0x100, 4 bytes, lane 2: 7\n").empty());
  std::vector<TracedStep> steps = readCodeTrace("group 0,0,0 wave 0 pc 0x0: s_nop 0\n"
                                                "    reads global 100, 4 bytes, lane 2: 7\n"
                                                "    reads global 0x100, four bytes, lane 2: 7\n"
                                                "    reads lds 0x100, 4 bytes, lane 2: 7\n");
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_TRUE(steps[0].accesses.empty());
}

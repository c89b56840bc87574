// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/StoreTrace.h"
#include <gtest/gtest.h>

using namespace assay;

static const char *const trace = R"(group 0,0,0 wave 0 pc 0x0: v_lshlrev_b32_e32 v0, 2, v0
    v0[1-15]: 0x1 step 0x1 -> 0x4 step 0x4
group 0,0,0 wave 1 pc 0x0: v_lshlrev_b32_e32 v0, 2, v0
group 0,0,0 wave 0 pc 0x4: v_mov_b32_e32 v7, v0
group 0,0,0 wave 0 pc 0x8: buffer_load_b64 v[2:3], v0, s[4:7], 0 offen
    reads global 0x1000 step 0x4, 4 bytes, lanes 0-15
group 0,0,0 wave 0 pc 0x10: v_fmac_f32_e32 v2, s1, v1
group 0,0,0 wave 0 pc 0x14: buffer_store_b32 v2, v0, s[8:11], 0 offen
    writes global 0x2000 step 0x4, 4 bytes, lanes 0-1: 0x0 -> 0x1
    writes global 0x2010, 4 bytes, lane 4: 0x0 -> 0x1
group 0,0,0 wave 1 pc 0x14: buffer_store_b32 v2, v0, s[8:11], 0 offen
    writes global 0x2100 step 0x4, 4 bytes, lanes 0-1: 0x0 -> 0x1
)";

TEST(StoreTrace, FindsTheLastWriterAndWhatItsOperandsCameFrom) {
  auto origin = findStore(trace, 0x2006);
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->place, "group 0,0,0 wave 0 lane 1");
  EXPECT_EQ(origin->store, "pc 0x14: buffer_store_b32 v2, v0, s[8:11], 0 offen");
  std::vector<std::string> slice = {"pc 0x0: v_lshlrev_b32_e32 v0, 2, v0",
                                    "pc 0x8: buffer_load_b64 v[2:3], v0, s[4:7], 0 offen",
                                    "pc 0x10: v_fmac_f32_e32 v2, s1, v1"};
  EXPECT_EQ(origin->slice, slice);
  EXPECT_EQ(findStore(trace, 0x2013)->place, "group 0,0,0 wave 0 lane 4");
  EXPECT_EQ(findStore(trace, 0x2104)->place, "group 0,0,0 wave 1 lane 1");
}

/// All forms of a line that oracles/machine/gcn/Trace.cpp prints.
TEST(StoreTrace, ReadsStepsOfLanesRepetitionsAndAtomics) {
  const char *text = R"(group 0,0,0 wave 0 pc 0x0: v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v2
group 0,0,0 wave 0 pc 0x8: buffer_store_b32 v5, v0, s[8:11], 0 offen
    writes global 0x100 step 0x10, 4 bytes, lanes 0-6 step 2: 0x0 -> 0x1
group 0,0,0 wave 0 pc 0x10: buffer_store_b128 v[4:7], v0, s[8:11], 0 offen
    writes global 0x200 step 0x4, 4 bytes, lane 3, 4 times: 0x0 -> 0x1
group 0,0,0 wave 0 pc 0x18: buffer_atomic_add_u32 v5, v0, s[8:11], 0 offen
    atomic global 0x300, 4 bytes, lane 1: 0x0 -> 0x1
)";
  EXPECT_EQ(findStore(text, 0x130)->place, "group 0,0,0 wave 0 lane 6");
  EXPECT_FALSE(findStore(text, 0x140));
  EXPECT_EQ(findStore(text, 0x20f)->place, "group 0,0,0 wave 0 lane 3");
  EXPECT_FALSE(findStore(text, 0x210));
  auto atomic = findStore(text, 0x300);
  ASSERT_TRUE(atomic);
  EXPECT_EQ(atomic->store, "pc 0x18: buffer_atomic_add_u32 v5, v0, s[8:11], 0 offen");
  std::vector<std::string> slice = {"pc 0x0: v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v2"};
  EXPECT_EQ(atomic->slice, slice);
}

TEST(StoreTrace, FindsNothingWhereNobodyWrites) {
  EXPECT_FALSE(findStore(trace, 0x2008));
  EXPECT_FALSE(findStore(trace, 0x1fff));
  EXPECT_FALSE(findStore("", 0x2000));
}

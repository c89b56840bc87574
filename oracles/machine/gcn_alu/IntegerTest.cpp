// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer operations whose results are easily checked by hand: flags, carries, bits. Every row is
// compared with a definition of its own in the folder definitions.
#include "oracles/machine/gcn_alu/AluTesting.h"
#include <gtest/gtest.h>

using namespace assay::gcn;

using Wide = __int128;

/// \p bits of \p width bits as a number.
static Wide numberOf(uint64_t bits, unsigned width, bool isSigned) {
  Wide value = bits;
  if (isSigned && (bits >> (width - 1)) & 1)
    value -= Wide(1) << width;
  return value;
}

static uint64_t lowBits(Wide value, unsigned width) {
  return uint64_t(value) & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
}

TEST(AluInteger, ScalarFlagsFollowTheExactResult) {
  AluMode mode = testMode(11);
  for (uint64_t a : vectorsOf(32, 8))
    for (uint64_t b : vectorsOf(32, 8)) {
      Wide sa = numberOf(a, 32, true), sb = numberOf(b, 32, true);
      auto overflows = [](Wide value) { return numberOf(lowBits(value, 32), 32, true) != value; };
      ASSERT_EQ(runOp("s_add_i32", {a, b}, mode).carry, overflows(sa + sb)) << a << " " << b;
      ASSERT_EQ(runOp("s_sub_i32", {a, b}, mode).carry, overflows(sa - sb)) << a << " " << b;
      ASSERT_EQ(runOp("s_add_u32", {a, b}, mode).carry, a + b > 0xffffffff);
      ASSERT_EQ(runOp("s_sub_u32", {a, b}, mode).carry, a < b);
      ASSERT_EQ(runOp("s_lshl2_add_u32", {a, b}, mode).carry, a * 4 + b > 0xffffffff);
      ASSERT_EQ(runOp("s_and_b32", {a, b}, mode).carry, (a & b) != 0);
      ASSERT_EQ(runOp("s_min_i32", {a, b}, mode).carry, sa < sb);
      ASSERT_EQ(runOp("s_max_u32", {a, b}, mode).carry, a >= b);
      ASSERT_EQ(runOp("s_cmp_lt_i32", {a, b}, mode).carry, sa < sb);
      ASSERT_EQ(runOp("s_cmp_gt_u32", {a, b}, mode).carry, a > b);
      ASSERT_EQ(runOp("s_absdiff_i32", {a, b}, mode).carry, a != b);
      Wide difference = numberOf(lowBits(sa - sb, 32), 32, true);
      ASSERT_EQ(runOp("s_absdiff_i32", {a, b}, mode).value,
                lowBits(difference < 0 ? -difference : difference, 32));
    }
}

TEST(AluInteger, CarriesChain) {
  AluMode mode = testMode(11);
  for (bool carry : {false, true})
    for (uint64_t a : vectorsOf(32, 8))
      for (uint64_t b : vectorsOf(32, 8)) {
        AluInput input;
        input.carry = carry;
        uint64_t sum = a + b + carry;
        for (const char *name : {"s_addc_u32", "v_add_co_ci_u32"}) {
          AluOutput output = runOp(name, {a, b}, mode, input);
          ASSERT_EQ(output.value | uint64_t(output.carry) << 32, sum) << name;
        }
        AluOutput difference = runOp("v_sub_co_ci_u32", {a, b}, mode, input);
        ASSERT_EQ(difference.value, lowBits(Wide(a) - Wide(b) - carry, 32));
        ASSERT_EQ(difference.carry, Wide(a) - Wide(b) - carry < 0);
        ASSERT_EQ(runOp("s_subb_u32", {a, b}, mode, input).carry, difference.carry);
        ASSERT_EQ(runOp("v_subrev_co_ci_u32", {b, a}, mode, input).value, difference.value);
      }
  EXPECT_TRUE(runOp("v_mad_u64_u32", {~0u, ~0u, ~uint64_t(0)}, mode).carry);
  EXPECT_FALSE(runOp("v_mad_u64_u32", {~0u, ~0u, 0}, mode).carry);
}

TEST(AluInteger, ConditionalOperationsReadScc) {
  AluInput set;
  set.carry = true;
  AluMode mode = testMode(9);
  EXPECT_EQ(runOp("s_cselect_b32", {1, 2}, mode, set).value, 1u);
  EXPECT_EQ(runOp("s_cselect_b32", {1, 2}, mode).value, 2u);
  EXPECT_EQ(runOp("s_cmov_b64", {1, 2}, mode, set).value, 1u);
  EXPECT_EQ(runOp("s_cmov_b64", {1, 2}, mode).value, 2u);
  EXPECT_EQ(runOp("s_cmovk_i32", {0x8000, 2}, mode, set).value, 0xffff8000u);
  EXPECT_EQ(runOp("v_cndmask_b32", {1, 2}, mode, set).value, 2u);
  EXPECT_EQ(runOp("v_cndmask_b32", {1, 2}, mode).value, 1u);
  EXPECT_EQ(runOp("s_addk_i32", {0xffff, 0x80000000}, mode).value, 0x7fffffffu);
  EXPECT_TRUE(runOp("s_addk_i32", {0xffff, 0x80000000}, mode).carry);
  EXPECT_TRUE(runOp("s_cmpk_lt_i32", {0, 1}, mode).carry);
  EXPECT_TRUE(runOp("s_cmpk_gt_i32", {0, 0xffff}, mode).carry);
  EXPECT_FALSE(runOp("s_cmpk_gt_u32", {0, 0xffff}, mode).carry);
}

TEST(AluInteger, BitSearchesCountOneByOne) {
  AluMode mode = testMode(11);
  for (uint64_t a : vectorsOf(64, 50)) {
    int ones = 0, lowest = -1, highest = -1, signs = -1;
    uint64_t reversed = 0;
    for (int bit = 0; bit < 64; ++bit) {
      bool isSet = (a >> bit) & 1;
      ones += isSet;
      lowest = lowest < 0 && isSet ? bit : lowest;
      highest = isSet ? bit : highest;
      signs = isSet != bool(a >> 63) ? 63 - bit : signs;
      reversed |= uint64_t(isSet) << (63 - bit);
    }
    EXPECT_EQ(runOp("s_bcnt1_i32_b64", {a}, mode).value, uint64_t(ones));
    EXPECT_EQ(runOp("s_bcnt0_i32_b64", {a}, mode).value, uint64_t(64 - ones));
    EXPECT_EQ(runOp("s_ctz_i32_b64", {a}, mode).value, uint32_t(lowest));
    EXPECT_EQ(runOp("s_clz_i32_u64", {a}, mode).value, uint32_t(highest < 0 ? -1 : 63 - highest));
    EXPECT_EQ(runOp("s_cls_i32_i64", {a}, mode).value, uint32_t(signs)) << std::hex << a;
    EXPECT_EQ(runOp("s_brev_b64", {a}, mode).value, reversed);
  }
  EXPECT_EQ(resultOf("v_ffbh_u32", {0}, 9), 0xffffffffu);
  EXPECT_EQ(resultOf("v_ffbh_u32", {1}, 9), 31u);
  EXPECT_EQ(resultOf("v_cls_i32", {0xfffffffe}), 31u);
  EXPECT_EQ(resultOf("v_cls_i32", {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(resultOf("v_ctz_i32_b32", {0x100}), 8u);
  EXPECT_EQ(resultOf("s_ff0_i32_b32", {0xff}, 9), 8u);
  EXPECT_EQ(resultOf("v_bcnt_u32_b32", {0xff, 10}), 18u);
  EXPECT_EQ(resultOf("v_bfrev_b32", {1}), 0x80000000u);
}

TEST(AluInteger, FieldExtraction) {
  AluMode mode = testMode(9);
  for (uint64_t a : vectorsOf(32, 10))
    for (unsigned offset = 0; offset < 32; ++offset)
      for (unsigned width = 0; width <= 32; ++width) {
        // 64 bits hold the source sign- or zero-extended: the field is then a plain slice.
        uint64_t mask = (uint64_t(1) << width) - 1;
        uint64_t slice = (a >> offset) & mask;
        int64_t extended = int64_t(int32_t(a)) >> offset & int64_t(mask);
        uint32_t asSigned =
            width ? uint32_t(int64_t(uint64_t(extended) << (64 - width)) >> (64 - width)) : 0;
        uint64_t field = offset | width << 16;
        ASSERT_EQ(runOp("s_bfe_u32", {a, field}, mode).value, slice);
        ASSERT_EQ(runOp("s_bfe_u32", {a, field}, mode).carry, slice != 0);
        ASSERT_EQ(runOp("s_bfe_i32", {a, field}, mode).value, asSigned);
        if (width < 32) {
          ASSERT_EQ(runOp("v_bfe_u32", {a, offset, width}, mode).value, slice);
          ASSERT_EQ(runOp("v_bfe_i32", {a, offset, width}, mode).value, asSigned);
        }
      }
  EXPECT_EQ(runOp("s_bfe_i64", {0x8000000000000000ull, 60 | 4 << 16}, mode).value,
            0xfffffffffffffff8ull);
  EXPECT_EQ(runOp("s_bfe_u64", {0x8000000000000000ull, 60 | 4 << 16}, mode).value, 8u);
}

TEST(AluInteger, QuadsAndSingleBits) {
  EXPECT_EQ(resultOf("s_wqm_b32", {0x10000402}), 0xf0000f0fu);
  EXPECT_EQ(resultOf("s_wqm_b64", {0x8000000000000001ull}), 0xf00000000000000full);
  EXPECT_EQ(resultOf("s_quadmask_b32", {0x10000402}), 0x85u);
  EXPECT_EQ(resultOf("s_quadmask_b64", {0x8000000000000001ull}), 0x8001u);
  EXPECT_EQ(resultOf("s_bitset1_b32", {33, 0}), 2u);
  EXPECT_EQ(resultOf("s_bitset0_b64", {63, ~0ull}), 0x7fffffffffffffffull);
  EXPECT_EQ(resultOf("s_bitreplicate_b64_b32", {0x80000005}), 0xc000000000000033ull);
  EXPECT_TRUE(runOp("s_bitcmp1_b32", {8, 35}, testMode(9)).carry);
  EXPECT_FALSE(runOp("s_bitcmp0_b64", {8, 3}, testMode(9)).carry);
}

TEST(AluInteger, PermuteSelectsBytesAndSigns) {
  uint64_t high = 0x87654321, low = 0xfedcba98;
  EXPECT_EQ(resultOf("v_perm_b32", {high, low, 0x03020100}), low);
  EXPECT_EQ(resultOf("v_perm_b32", {high, low, 0x07060504}), high);
  EXPECT_EQ(resultOf("v_perm_b32", {high, low, 0x0d0c0b0a}), 0xff00ff00u);
  EXPECT_EQ(resultOf("v_perm_b32", {high, low, 0x09080704}), 0xffff8721u);
}

TEST(AluInteger, LanesBelow) {
  AluInput input;
  AluMode mode = testMode(9);
  for (unsigned lane = 0; lane < 64; ++lane) {
    input.lane = uint8_t(lane);
    uint64_t below = runOp("v_mbcnt_lo_u32_b32", {~0u, 0}, mode, input).value;
    EXPECT_EQ(runOp("v_mbcnt_hi_u32_b32", {~0u, below}, mode, input).value, lane);
  }
}

TEST(AluInteger, SumsOfByteDifferences) {
  EXPECT_EQ(resultOf("v_sad_u8", {0x01ff0003, 0x02000005, 100}), 100u + 1 + 255 + 0 + 2);
  EXPECT_EQ(resultOf("v_msad_u8", {0x01ff0903, 0x02000005, 100}), 100u + 1 + 2);
  EXPECT_EQ(resultOf("v_sad_hi_u8", {3, 5, 7}), 0x20007u);
  EXPECT_EQ(resultOf("v_sad_u16", {0x00030009, 0x00050001, 1}), 11u);
  EXPECT_EQ(resultOf("v_lerp_u8", {0x01ff0204, 0x02ff0305, 0x01000001}), 0x02ff0205u);
  uint64_t window = 0x0807060504030201ull;
  EXPECT_EQ(resultOf("v_qsad_pk_u16_u8", {window, 0x04030201, 0x0001000200030000ull}),
            0x000d000a00070000ull);
  EXPECT_EQ(resultOf("v_mqsad_pk_u16_u8", {window, 0x04000000, 0}), 0x0003000200010000ull);
}

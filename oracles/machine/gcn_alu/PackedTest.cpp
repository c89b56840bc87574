// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed operations against two single ones, and dot products of floats.
#include "oracles/machine/gcn_alu/AluTesting.h"
#include "llvm/ADT/APFloat.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay::gcn;

namespace {
struct Pair {
  const char *packed;
  const char *single;
  unsigned gfxMajor;
  unsigned sources;
};

} // namespace

static constexpr Pair pairs[] = {
    {"v_pk_add_f16", "v_add_f16", 9, 2},          {"v_pk_mul_f16", "v_mul_f16", 10, 2},
    {"v_pk_fma_f16", "v_fma_f16", 11, 3},         {"v_pk_min_f16", "v_min_f16", 9, 2},
    {"v_pk_max_f16", "v_max_f16", 11, 2},         {"v_pk_min_num_f16", "v_min_num_f16", 12, 2},
    {"v_pk_maximum_f16", "v_maximum_f16", 12, 2}, {"v_pk_add_u16", "v_add_nc_u16", 11, 2},
    {"v_pk_add_i16", "v_add_nc_i16", 11, 2},      {"v_pk_sub_u16", "v_sub_nc_u16", 12, 2},
    {"v_pk_sub_i16", "v_sub_i16", 9, 2},          {"v_pk_mul_lo_u16", "v_mul_lo_u16", 9, 2},
    {"v_pk_min_u16", "v_min_u16", 9, 2},          {"v_pk_min_i16", "v_min_i16", 9, 2},
    {"v_pk_max_u16", "v_max_u16", 9, 2},          {"v_pk_max_i16", "v_max_i16", 9, 2},
    {"v_pk_lshlrev_b16", "v_lshlrev_b16", 9, 2},  {"v_pk_lshrrev_b16", "v_lshrrev_b16", 9, 2},
    {"v_pk_ashrrev_i16", "v_ashrrev_i16", 9, 2},  {"v_pk_mad_u16", "v_mad_u16", 9, 3},
    {"v_pk_mad_i16", "v_mad_i16", 9, 3},
};

static uint64_t single(const Pair &pair, const uint64_t *sources, unsigned shift, bool clamp) {
  AluInput input;
  input.clamp = clamp;
  for (unsigned index = 0; index < pair.sources; ++index)
    input.src[index] = (sources[index] >> shift) & 0xffff;
  return findValuOp(pair.single, pair.gfxMajor)->function(input, testMode(pair.gfxMajor)).value;
}

static float halfValue(uint64_t bits) {
  return APFloat(APFloat::IEEEhalf(), APInt(16, bits & 0xffff)).convertToFloat();
}

TEST(AluPacked, HalvesAreIndependent) {
  std::mt19937 random = numbersFrom(7);
  std::vector<uint64_t> halves = vectorsOf(16, 20);
  auto pick = [&] {
    return halves[random() % halves.size()] | halves[random() % halves.size()] << 16;
  };
  for (const Pair &pair : pairs) {
    const AluOp *row = findValuOp(pair.packed, pair.gfxMajor);
    ASSERT_NE(row, nullptr) << pair.packed;
    ASSERT_NE(findValuOp(pair.single, pair.gfxMajor), nullptr) << pair.single;
    EXPECT_TRUE(row->flags & Packed);
    for (unsigned count = 0; count < 2000; ++count) {
      AluInput input;
      for (unsigned index = 0; index < pair.sources; ++index)
        input.src[index] = pick();
      input.clamp = count & 1;
      uint64_t expected =
          single(pair, input.src, 0, input.clamp) | single(pair, input.src, 16, input.clamp) << 16;
      ASSERT_EQ(row->function(input, testMode(pair.gfxMajor)).value, expected)
          << pair.packed << std::hex << " " << input.src[0] << " " << input.src[1];
    }
  }
}

TEST(AluPacked, MixedPrecisionRoundsToHalfLast) {
  // 1 + 2^-11 is a tie in f16; a little more in f32 breaks it upwards only if f32 keeps it.
  AluMode mode = testMode(11);
  uint64_t tie = bits32(0x1p-11f), more = bits32(0x1.8p-11f), one = bits32(1.0f);
  EXPECT_EQ(runOp("v_fma_mixlo_f16", {one, one, tie}, mode).value, 0x3c00u);
  EXPECT_EQ(runOp("v_fma_mixhi_f16", {one, one, more}, mode).value, 0x3c01u);
  EXPECT_EQ(runOp("v_fma_mix_f32", {bits32(3.0f), bits32(5.0f), one}, mode).value, bits32(16.0f));
  EXPECT_EQ(runOp("v_mad_mixlo_f16", {bits32(3.0f), one, one}, testMode(9)).value, 0x4400u);
}

TEST(AluDot, FloatTermsAddInOrder) {
  std::mt19937 random = numbersFrom(5);
  for (unsigned count = 0; count < 2000; ++count) {
    uint64_t a = random() & 0x3fff3fff, b = random() & 0xbfffbfff;
    float c = halfValue(random() & 0x3fff);
    float expected = c;
    for (unsigned shift : {0u, 16u})
      expected = float(double(halfValue(a >> shift)) * halfValue(b >> shift) + double(expected));
    ASSERT_EQ(resultOf("v_dot2_f32_f16", {a, b, bits32(c)}, 10), bits32(expected));
    ASSERT_EQ(resultOf("v_dot2c_f32_f16", {a, b, bits32(c)}, 9), bits32(expected));
  }
  // bf16 is the top half of f32.
  EXPECT_EQ(resultOf("v_dot2_f32_bf16", {0x40003f80, 0x40404040, bits32(1.0f)}), bits32(10.0f));
  EXPECT_EQ(resultOf("v_dot2_bf16_bf16", {0x40003f80, 0x40404040, 0x3f80}), 0x4120u);
}

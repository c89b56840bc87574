// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minimum and maximum: order of zeros, and what NaNs do by generation and IEEE mode.
#include "oracles/machine/gcn_alu/AluTesting.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay::gcn;

static constexpr uint64_t quiet = 0x7fc00001, signalling = 0x7f800001, quietened = 0x7fc00001;

static constexpr uint64_t one = 0x3f800000, two = 0x40000000, negativeZero = 0x80000000;

static AluMode ieeeMode() {
  AluMode mode = testMode(9);
  mode.ieee = true;
  return mode;
}

TEST(AluMinMax, OrdersNumbersAndZeros) {
  for (uint64_t a : vectorsOf(32, 20))
    for (uint64_t b : vectorsOf(32, 20)) {
      APFloat x(APFloat::IEEEsingle(), APInt(32, a)), y(APFloat::IEEEsingle(), APInt(32, b));
      if (x.isNaN() || y.isNaN())
        continue;
      uint64_t low = minimum(x, y).bitcastToAPInt().getZExtValue();
      uint64_t high = maximum(x, y).bitcastToAPInt().getZExtValue();
      ASSERT_EQ(resultOf("v_min_f32", {a, b}, 9), low) << std::hex << a << " " << b;
      ASSERT_EQ(resultOf("v_max_f32", {a, b}, 11), high);
      ASSERT_EQ(resultOf("v_min_num_f32", {a, b}, 12), low);
      ASSERT_EQ(resultOf("v_maximum_f32", {a, b}, 12), high);
      ASSERT_EQ(resultOf("s_min_f32", {a, b}, 11), low);
      ASSERT_EQ(resultOf("s_max_num_f32", {a, b}, 12), high);
    }
  EXPECT_EQ(resultOf("v_min_f32", {0, negativeZero}), negativeZero);
  EXPECT_EQ(resultOf("v_max_f32", {negativeZero, 0}), 0u);
}

TEST(AluMinMax, NansByGeneration) {
  EXPECT_EQ(resultOf("v_min_f32", {quiet, one}, 9), one);
  EXPECT_EQ(resultOf("v_min_f32", {signalling, one}, 9), one);
  EXPECT_EQ(runOp("v_min_f32", {signalling, one}, ieeeMode()).value, quietened);
  EXPECT_EQ(runOp("v_max_f32", {one, signalling}, ieeeMode()).value, quietened);
  EXPECT_EQ(runOp("v_max_f32", {quiet, one}, ieeeMode()).value, one);
  EXPECT_EQ(resultOf("v_max_num_f32", {signalling, one}, 12), one);
  EXPECT_EQ(resultOf("v_max_num_f32", {signalling, quiet}, 12), quietened);
  EXPECT_EQ(resultOf("v_maximum_f32", {one, signalling}, 12), quietened);
  EXPECT_EQ(resultOf("v_minimum_f32", {quiet, one}, 12), quiet);
  EXPECT_EQ(resultOf("v_minimum_f16", {0x3c00, 0x7e00}, 12), 0x7e00u);
  EXPECT_EQ(resultOf("v_min_num_f64", {bits64(1.0), 0x7ff8000000000000}, 12), bits64(1.0));
}

TEST(AluMinMax, ThreeSourcesAreTwoSteps) {
  std::vector<uint64_t> vectors = vectorsOf(16, 6);
  for (uint64_t a : vectors)
    for (uint64_t b : vectors)
      for (uint64_t c : vectors) {
        auto two = [](const char *name, uint64_t x, uint64_t y, unsigned gfx) {
          return resultOf(name, {x, y}, gfx);
        };
        ASSERT_EQ(resultOf("v_min3_f16", {a, b, c}),
                  two("v_min_f16", two("v_min_f16", a, b, 11), c, 11));
        ASSERT_EQ(resultOf("v_maxmin_f16", {a, b, c}),
                  two("v_min_f16", two("v_max_f16", a, b, 11), c, 11));
        ASSERT_EQ(resultOf("v_minimummaximum_f16", {a, b, c}, 12),
                  two("v_maximum_f16", two("v_minimum_f16", a, b, 12), c, 12));
        ASSERT_EQ(resultOf("v_maximum3_f16", {a, b, c}, 12),
                  two("v_maximum_f16", two("v_maximum_f16", a, b, 12), c, 12));
      }
}

TEST(AluMinMax, MedianIsTheMiddleValue) {
  std::vector<float> values = {-2.0f, -1.0f, 0.5f, 3.0f, 1e-40f, 1e30f};
  for (float a : values)
    for (float b : values)
      for (float c : values) {
        std::array<float, 3> sorted = {a, b, c};
        std::sort(sorted.begin(), sorted.end());
        for (auto [name, gfx] : {std::pair("v_med3_f32", 11u), std::pair("v_med3_num_f32", 12u)})
          ASSERT_EQ(resultOf(name, {bits32(a), bits32(b), bits32(c)}, gfx), bits32(sorted[1]));
      }
  EXPECT_EQ(resultOf("v_med3_f32", {quiet, two, one}), one);
}

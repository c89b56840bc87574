// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendental operations against libm in long double, and whole divisions built as a compiler
// builds them against the exactly rounded quotient.
#include "oracles/machine/gcn_alu/AluTesting.h"
#include "oracles/machine/gcn_alu/Transcendental.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay::gcn;

static constexpr long double twoPi = 6.283185307179586476925286766559L;

using Reference = long double (*)(long double);

namespace {
struct Elementary {
  const char *stem;
  Reference reference;
};

} // namespace

static constexpr Elementary elementary[] = {
    {"rcp", [](long double x) { return 1 / x; }},
    {"rsq", [](long double x) { return x == 0 ? 1 / x : 1 / std::sqrt(x); }},
    {"sqrt", [](long double x) { return std::sqrt(x); }},
    {"exp", [](long double x) { return std::exp2(x); }},
    {"log", [](long double x) { return std::log2(x); }},
};

/// The distance of \p actual from \p expected in units in the last place of f32.
static long double ulps(float actual, long double expected) {
  int exponent = std::max(std::ilogb(expected), -126);
  return std::fabs(actual - expected) / std::ldexp(1.0L, exponent - 23);
}

static bool sameDouble(double a, double b) {
  return bits64(a) == bits64(b) || (a != a && b != b);
}

TEST(AluElementary, SingleResultsAreCorrectlyRounded) {
  for (const Elementary &function : elementary)
    for (uint64_t bits : vectorsOf(32, 3000)) {
      float x = float32(bits);
      float actual = float32(resultOf(std::string("v_") + function.stem + "_f32", {bits}));
      if (std::isnan(x) || std::fpclassify(x) == FP_SUBNORMAL)
        continue;
      long double expected = function.reference(x);
      if (std::isnan(expected) || std::isinf(expected) || std::fabs(expected) > 3.5e38L) {
        ASSERT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == float(expected))
            << function.stem << " " << x;
        continue;
      }
      if (std::fabs(expected) < 0x1p-126L)
        ASSERT_EQ(actual, 0.0f) << function.stem << " " << x;
      else
        ASSERT_LE(ulps(actual, expected), 0.5000001L) << function.stem << " " << x;
    }
}

TEST(AluElementary, HalfResultsAreCorrectlyRounded) {
  for (const Elementary &function : elementary)
    for (uint64_t bits = 0; bits < 0x10000; bits += 7) {
      APFloat x(APFloat::IEEEhalf(), APInt(16, bits));
      uint64_t actual = resultOf(std::string("v_") + function.stem + "_f16", {bits});
      if (x.isNaN())
        continue;
      bool lost = false;
      APFloat wide = x;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      APFloat expected(double(function.reference(wide.convertToDouble())));
      expected.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
      APFloat got(APFloat::IEEEhalf(), APInt(16, actual));
      ASSERT_TRUE(expected.isNaN() ? got.isNaN() : got.bitwiseIsEqual(expected))
          << function.stem << std::hex << " " << bits << " " << actual;
    }
}

TEST(AluElementary, TurnsCountRevolutions) {
  std::mt19937 random = numbersFrom(1);
  for (unsigned count = 0; count < 5000; ++count) {
    float x = std::ldexp(float(int32_t(random())), -31 + int(count % 39) - 30);
    if (std::fpclassify(x) == FP_SUBNORMAL)
      continue;
    long double angle =
        twoPi * (static_cast<long double>(x) - std::floor(static_cast<long double>(x)));
    ASSERT_NEAR(SinTurns::quick(x), double(std::sin(angle)), 1e-15) << x;
    ASSERT_NEAR(CosTurns::quick(x), double(std::cos(angle)), 1e-15) << x;
    if (std::fabs(x) < 0.01f && x != 0)
      ASSERT_LE(ulps(float32(resultOf("v_sin_f32", {bits32(x)})), std::sin(twoPi * x)), 0.5001L)
          << x;
  }
  EXPECT_EQ(resultOf("v_sin_f32", {bits32(0.25f)}), bits32(1.0f));
  EXPECT_EQ(resultOf("v_sin_f32", {bits32(-0.5f)}) & 0x7fffffff, 0u);
  EXPECT_EQ(resultOf("v_cos_f32", {bits32(0.5f)}), bits32(-1.0f));
  EXPECT_EQ(resultOf("v_sin_f32", {bits32(300.25f)}), bits32(1.0f));
  EXPECT_EQ(resultOf("v_cos_f16", {0x7bff}), 0x3c00u); // 65504 whole turns
  EXPECT_EQ(resultOf("v_sin_f32", {0x7f800000}), 0xffc00000u);
}

TEST(AluElementary, SingleTranscendentalsFlushDenormals) {
  EXPECT_EQ(resultOf("v_rcp_f32", {0x00400000}), 0x7f800000u);
  EXPECT_EQ(resultOf("v_rcp_f32", {0x80000001}), 0xff800000u);
  EXPECT_EQ(resultOf("v_rcp_f32", {0x7f000001}), 0u);
  EXPECT_EQ(resultOf("v_log_f32", {1}), 0xff800000u);
  EXPECT_EQ(resultOf("v_exp_f32", {bits32(-127.0f)}), 0u);
  EXPECT_EQ(resultOf("v_sqrt_f32", {1}), 0u);
  EXPECT_EQ(resultOf("v_rcp_f16", {0x0200}), 0x7800u);
  EXPECT_EQ(resultOf("v_rcp_f64", {bits64(3.0)}), bits64(1.0 / 3.0));
  EXPECT_EQ(resultOf("v_sqrt_f64", {bits64(2.0)}), bits64(std::sqrt(2.0)));
}

/// f32 division as LLVM expands it for exactly rounded results.
static float divideF32(float numerator, float denominator, const AluMode &mode) {
  auto run = [&](const char *name, std::initializer_list<float> sources, bool carry = false) {
    const AluOp *op = findValuOp(name, mode.gfxMajor);
    AluInput input;
    input.carry = carry;
    unsigned next = 0;
    for (float source : sources)
      input.src[next++] = bits32(source);
    return op->function(input, mode);
  };
  auto value = [](AluOutput output) { return float32(output.value); };
  float denominatorScaled = value(run("v_div_scale_f32", {denominator, denominator, numerator}));
  AluOutput scaled = run("v_div_scale_f32", {numerator, denominator, numerator});
  float numeratorScaled = value(scaled);
  float approximate = value(run("v_rcp_f32", {denominatorScaled}));
  float negative = -denominatorScaled;
  float error = value(run("v_fma_f32", {negative, approximate, 1.0f}));
  float refined = value(run("v_fma_f32", {error, approximate, approximate}));
  float quotient = value(run("v_mul_f32", {numeratorScaled, refined}));
  float rest = value(run("v_fma_f32", {negative, quotient, numeratorScaled}));
  float better = value(run("v_fma_f32", {rest, refined, quotient}));
  float last = value(run("v_fma_f32", {negative, better, numeratorScaled}));
  float result = value(run("v_div_fmas_f32", {last, refined, better}, scaled.carry));
  return value(run("v_div_fixup_f32", {result, denominator, numerator}));
}

/// f64 division as LLVM expands it.
static double divideF64(double numerator, double denominator, const AluMode &mode) {
  auto run = [&](const char *name, std::initializer_list<double> sources, bool carry = false) {
    const AluOp *op = findValuOp(name, mode.gfxMajor);
    AluInput input;
    input.carry = carry;
    unsigned next = 0;
    for (double source : sources)
      input.src[next++] = bits64(source);
    return op->function(input, mode);
  };
  auto value = [](AluOutput output) { return float64(output.value); };
  double scaledDown = value(run("v_div_scale_f64", {denominator, denominator, numerator}));
  AluOutput scaled = run("v_div_scale_f64", {numerator, denominator, numerator});
  double rcp = value(run("v_rcp_f64", {scaledDown}));
  double first = value(run("v_fma_f64", {-scaledDown, rcp, 1.0}));
  double second = value(run("v_fma_f64", {rcp, first, rcp}));
  double third = value(run("v_fma_f64", {-scaledDown, second, 1.0}));
  double fourth = value(run("v_fma_f64", {second, third, second}));
  double product = value(run("v_mul_f64", {value(scaled), fourth}));
  double rest = value(run("v_fma_f64", {-scaledDown, product, value(scaled)}));
  double result = value(run("v_div_fmas_f64", {rest, fourth, product}, scaled.carry));
  return value(run("v_div_fixup_f64", {result, denominator, numerator}));
}

TEST(AluDivision, WholeDivisionsAreExactlyRounded) {
  AluMode mode = testMode(11);
  std::vector<uint64_t> vectors = vectorsOf(32, 150);
  for (uint64_t a : vectors)
    for (uint64_t b : vectors) {
      float x = float32(a), y = float32(b), expected = x / y, actual = divideF32(x, y, mode);
      ASSERT_TRUE(bits32(actual) == bits32(expected) || (actual != actual && expected != expected))
          << x << " / " << y << " = " << expected << " not " << actual;
    }
  for (uint64_t a : vectorsOf(64, 80))
    for (uint64_t b : vectorsOf(64, 80)) {
      double x = float64(a), y = float64(b);
      ASSERT_TRUE(sameDouble(divideF64(x, y, mode), x / y))
          << x << " / " << y << " = " << x / y << " not " << divideF64(x, y, mode);
    }
}

TEST(AluDivision, ScaleAndFmasDoAsRdna3Chips) {
  // Facts: docs/errata-amdgpu.md.
  AluMode mode = testMode(11);
  AluOutput zero = runOp("v_div_scale_f32", {0, bits32(1.0f), 0}, mode);
  EXPECT_TRUE(zero.carry && std::isnan(float32(zero.value)));
  AluOutput large = runOp("v_div_scale_f32", {bits32(1.0f), bits32(1.0f), 0x7f7fffff}, mode);
  EXPECT_TRUE(large.carry && float32(large.value) == 0x1p64f);
  AluOutput tiny = runOp("v_div_scale_f32", {0x00800000, bits32(1.0f), 0x00800000}, mode);
  EXPECT_TRUE(tiny.carry && float32(tiny.value) == 0x1p-62f);
  AluOutput kept = runOp("v_div_scale_f32", {bits32(1.0f), 0x7f000000, bits32(1.0f)}, mode);
  EXPECT_TRUE(kept.carry && float32(kept.value) == 1.0f);
  EXPECT_TRUE(runOp("v_div_scale_f32", {1, 1, bits32(1.0f)}, testMode(11, false)).carry);
  AluInput scaled;
  scaled.carry = true;
  auto fmas = [&](float a, float b, float c) {
    return float32(runOp("v_div_fmas_f32", {bits32(a), bits32(b), bits32(c)}, mode, scaled).value);
  };
  EXPECT_EQ(fmas(1, 1, 2), 3 * 0x1p64f);
  EXPECT_EQ(fmas(2, 3, 1), 7 * 0x1p-64f);
  EXPECT_EQ(resultOf("v_div_fixup_f32", {0x7fc00000, bits32(-3.0f), bits32(2.0f)}), 0xff800000u);
}

TEST(AluDivision, SegmentsOfTwoOverPiAddUp) {
  long double sum = 0;
  for (uint64_t segment = 0; segment < 2; ++segment)
    sum += float64(resultOf("v_trig_preop_f64", {bits64(1.0), segment}));
  EXPECT_EQ(sum, 0.636619772367581343075535053490057L);
  // Beyond exponent 1077 the segments begin later: these are the digits after the first 20.
  double skipped = float64(resultOf("v_trig_preop_f64", {bits64(0x1p74), 0}));
  long double expected = std::ldexp(0.636619772367581343075535053490057L, 20);
  EXPECT_NEAR(double(std::ldexp(static_cast<long double>(skipped), 20)),
              double(expected - std::floor(expected)), 1e-15);
}

TEST(AluDivision, CubeFacesCoverAllDirections) {
  struct Direction {
    float x, y, z, id, s, t, major;
  };
  // Face, s, t and 2 * major axis by the table of the Vulkan specification, "Cube Map Face
  // Selection".
  constexpr Direction directions[] = {
      {1, .2f, .3f, 0, -.3f, -.2f, 2}, {-1, .2f, .3f, 1, .3f, -.2f, -2},
      {.2f, 1, .3f, 2, .2f, .3f, 2},   {.2f, -1, .3f, 3, .2f, -.3f, -2},
      {.2f, .3f, 1, 4, .2f, -.3f, 2},  {.2f, .3f, -1, 5, -.2f, -.3f, -2}};
  for (const Direction &d : directions) {
    std::initializer_list<uint64_t> sources = {bits32(d.x), bits32(d.y), bits32(d.z)};
    EXPECT_EQ(float32(resultOf("v_cubeid_f32", sources)), d.id);
    EXPECT_EQ(float32(resultOf("v_cubesc_f32", sources)), d.s);
    EXPECT_EQ(float32(resultOf("v_cubetc_f32", sources)), d.t);
    EXPECT_EQ(float32(resultOf("v_cubema_f32", sources)), d.major);
  }
}

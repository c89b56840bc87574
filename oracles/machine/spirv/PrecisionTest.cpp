// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each Precision assumes of floats.
#include "oracles/machine/spirv/math/FloatMath.h"
#include "oracles/machine/spirv/math/FloatModes.h"

#include "oracles/api/OpenTexels.h"
#include "oracles/machine/spirv/draw/DrawCaseTesting.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using assay::reference::testing::DrawCase;

static FloatRules rulesOf(Precision precision, unsigned width = 32) {
  FloatRules rules = FloatModes(precision).rulesFor(spv::Op::OpFDiv, 0, width);
  rules.contract = !rules.isIeee; // As Decoder does.
  return rules;
}

static const FloatRules vulkan = rulesOf(Precision::Vulkan);
static const FloatRules practical = rulesOf(Precision::Practical), ieee = rulesOf(Precision::Ieee);

static Interval point(double x) {
  return Interval::point(x);
}

TEST(Precision, VulkanPromisesNothingOfSinesOutsideOfPi) {
  Interval sine = sinInterval(point(100), vulkan);
  EXPECT_LE(sine.lo, -1);
  EXPECT_GE(sine.hi, 1);
}

TEST(Precision, SinesOfLargeArgumentsAreAsGoodAsTheirReduction) {
  for (double x : {4.0, -5.5, 100.0, 3000.0, 65536.5}) {
    double error = 0x1p-11 + std::fabs(x) * 0x1p-23;
    Interval sine = sinInterval(point(x), practical), cosine = cosInterval(point(x), practical);
    EXPECT_NEAR(sine.lo, std::max(std::sin(x) - error, -1 - 0x1p-11), 1e-6) << x;
    EXPECT_NEAR(sine.hi, std::min(std::sin(x) + error, 1 + 0x1p-11), 1e-6) << x;
    EXPECT_NEAR(cosine.lo, std::max(std::cos(x) - error, -1 - 0x1p-11), 1e-6) << x;
    EXPECT_NEAR(cosine.hi, std::min(std::cos(x) + error, 1 + 0x1p-11), 1e-6) << x;
  }
  // Of half floats a hundred radians are known to a tenth.
  Interval half = sinInterval(point(100), rulesOf(Precision::Practical, 16));
  EXPECT_NEAR(half.hi - half.lo, 2 * (0x1p-7 + 100 * 0x1p-10), 2e-3);
}

TEST(Precision, IeeeSinesAreThoseOfAPolynomial) {
  Interval sine = sinInterval(point(1), ieee);
  EXPECT_NEAR(sine.hi - sine.lo, 2 * 0x1p-20, 1e-6);
  EXPECT_TRUE(sine.contains(std::sin(1.0)));
  EXPECT_FALSE(sinInterval(point(0), vulkan).isPoint());
  EXPECT_TRUE(sinInterval(point(0), practical).isExactly(0));
}

TEST(Precision, SinesHaveTheirPeaksEverywhere) {
  Interval low = sinInterval({98.9, 99.1, false}, practical); // 31.5 pi is 98.96.
  EXPECT_LE(low.lo, -1);
  EXPECT_LT(low.hi, -0.98);
  Interval high = cosInterval({-12.6, -12.5, false}, practical); // -4 pi is -12.566.
  EXPECT_GE(high.hi, 1);
  EXPECT_GT(high.lo, 0.99);
  Interval all = sinInterval({10, 17, false}, practical);
  EXPECT_TRUE(all.lo <= -1 && all.hi >= 1);
}

TEST(Precision, NothingIsKnownOfSinesOfHugeArguments) {
  for (const FloatRules &rules : {practical, ieee}) {
    Interval sine = sinInterval(point(1e9), rules);
    EXPECT_TRUE(sine.lo <= -1 && sine.hi >= 1);
  }
}

TEST(Precision, DivisionByAPowerOfTwoIsExactInPractice) {
  EXPECT_FALSE(divide(point(3), point(8), vulkan).isPoint());
  EXPECT_TRUE(divide(point(3), point(8), practical).isExactly(0.375));
  EXPECT_TRUE(divide(point(3), point(-0.25), practical).isExactly(-12));
  EXPECT_FALSE(divide(point(3), point(6), practical).isPoint()); // 3 times a rounded 1 / 6.
  EXPECT_FALSE(divide(point(1), point(0x1p-149), practical).isPoint());
}

TEST(Precision, IeeeRoundsQuotientsAndRoots) {
  EXPECT_TRUE(divide(point(1), point(3), ieee).isExactly(1.0f / 3.0f));
  EXPECT_TRUE(divide(point(1), point(0), ieee).isExactly(HUGE_VAL));
  EXPECT_TRUE(divide(point(0), point(0), ieee).isEmpty());
  EXPECT_TRUE(squareRoot(point(2), ieee).isExactly(std::sqrt(2.0f)));
  Interval inverse = inverseSqrt(point(3), ieee);
  EXPECT_TRUE(inverse.contains(1 / std::sqrt(3.0f)));
  EXPECT_LE(inverse.hi - inverse.lo, 3 * ulpOf(inverse.lo));
  Interval range = divide({1, 2, false}, {3, 4, false}, ieee);
  EXPECT_EQ(range.lo, 0.25);
  EXPECT_EQ(range.hi, 2.0f / 3.0f);
  EXPECT_FALSE(std::isfinite(divide({1, 2, false}, {-1, 1, false}, ieee).hi));
}

TEST(Precision, IeeeSumsProductsInOneOfTwoOrders) {
  Interval x[3] = {point(0x1p24), point(1), point(1)}, one[3] = {point(1), point(1), point(1)};
  Interval sum = dotProduct(x, one, 3, ieee);
  EXPECT_EQ(sum.lo, 0x1p24);     // Each 1 is lost.
  EXPECT_EQ(sum.hi, 0x1p24 + 2); // Both are added first.
  Interval y[2] = {point(0x1.000002p0), point(3)}, z[2] = {point(0x1.000002p0), point(5)};
  EXPECT_TRUE(dotProduct(y, z, 2, ieee).isPoint()); // Not fused.
  EXPECT_FALSE(dotProduct(y, z, 2, vulkan).isPoint());
}

static Outcome drawWith(Precision precision, const std::string &expression) {
  DrawCase draw(
      "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 "
      "? 3 : -1, 0.25, 1); }",
      "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(" + expression +
          ", 0, 0, 1); }\n");
  SpirvMachineOptions options;
  options.precision = precision;
  Expected<Outcome> outcome = createSpirvMachine(options)->run(draw.input(), {}, {});
  if (outcome)
    return std::move(*outcome);
  ADD_FAILURE() << takeError(outcome.takeError()).message;
  return {};
}

TEST(Precision, DrawsWhatVulkanLeavesOpen) {
  const std::string wave = "sin(gl_FragCoord.x * 40.0) > 0.7 ? 1.0 : 0.5";
  EXPECT_EQ(drawWith(Precision::Vulkan, wave).kind, OutcomeKind::Unsupported);
  Outcome outcome = drawWith(Precision::Practical, wave);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  for (uint32_t x = 0; x < DrawCase::Width; ++x)
    EXPECT_EQ(outcome.checkpoints.back()[0].bytes[size_t(4) * x],
              std::sin((x + 0.5f) * 40) > 0.7f ? 255 : 128)
        << x;
}

TEST(Precision, IeeeNeverFuses) {
  // One product fused with the subtraction leaves the error of the other.
  const std::string zero =
      "gl_FragCoord.x * 1.1 - gl_FragCoord.x * 1.1 == 0.0 ? 1.0 : gl_FragCoord.x / 16.0";
  EXPECT_EQ(drawWith(Precision::Practical, zero).kind, OutcomeKind::Unsupported);
  Outcome outcome = drawWith(Precision::Ieee, zero);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  for (uint32_t x = 0; x < DrawCase::Width; ++x)
    EXPECT_EQ(outcome.checkpoints.back()[0].bytes[size_t(4) * x], 255) << x;
}

/// The red byte of the first pixel.
static int drawRed(Precision precision, const std::string &expression) {
  Outcome outcome = drawWith(precision, expression);
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  return outcome.checkpoints.empty() ? -1 : outcome.checkpoints.back()[0].bytes[0];
}

TEST(Precision, IeeeTakesDerivativesOfTheOwnRow) {
  // x y changes by 0.5 in the first row of the quad, and by 1.5 in the second.
  const std::string slope = "dFdx(gl_FragCoord.x * gl_FragCoord.y) < 1.0 ? 1.0 : 0.5";
  EXPECT_EQ(drawWith(Precision::Practical, slope).kind, OutcomeKind::Unsupported);
  Outcome outcome = drawWith(Precision::Ieee, slope);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  const std::vector<uint8_t> &bytes = outcome.checkpoints.back()[0].bytes;
  EXPECT_EQ(bytes[0], 255);
  EXPECT_EQ(bytes[size_t(4) * DrawCase::Width], 128);
}

TEST(Precision, SmoothStepsMayFallInPractice) {
  const std::string falls = "smoothstep(8.0, 0.0, gl_FragCoord.x) > 0.9 ? 1.0 : 0.0";
  EXPECT_EQ(drawWith(Precision::Vulkan, falls).kind, OutcomeKind::Unsupported);
  EXPECT_EQ(drawRed(Precision::Practical, falls), 255);
  // Of a division by zero nothing is known, but it is no undefined behaviour.
  const std::string oneEdge = "smoothstep(0.5, 0.5, gl_FragCoord.x)";
  EXPECT_EQ(drawWith(Precision::Ieee, oneEdge).kind, OutcomeKind::Unsupported);
}

TEST(Precision, ClampsBetweenSwappedBoundsAreOneOfThemInPractice) {
  const std::string swapped = "clamp(gl_FragCoord.x, 1.0, 0.25) < 0.5 ? 1.0 : 0.5";
  EXPECT_EQ(drawWith(Precision::Vulkan, swapped).kind, OutcomeKind::Unsupported);
  EXPECT_EQ(drawWith(Precision::Practical, swapped).kind, OutcomeKind::Unsupported);
  EXPECT_EQ(drawRed(Precision::Ieee, swapped), 255);
}

TEST(Precision, IeeeSquaresByAConstantPower) {
  const std::string square = "pow(gl_FragCoord.x - 16.0, 2.0) > 0.0 ? 1.0 : 0.0";
  EXPECT_EQ(drawWith(Precision::Vulkan, square).kind, OutcomeKind::Unsupported);
  EXPECT_EQ(drawWith(Precision::Practical, square).kind, OutcomeKind::Unsupported);
  EXPECT_EQ(drawRed(Precision::Ieee, square), 255);
}

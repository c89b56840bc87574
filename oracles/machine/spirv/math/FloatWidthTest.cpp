// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 and 64 bits, and rounding toward zero: against the compiler's own wider types.
#include "oracles/machine/spirv/math/FloatMath.h"
#include "oracles/machine/spirv/math/Interval.h"
#include "oracles/machine/spirv/ops/Ops.h"
#include "llvm/ADT/bit.h"
#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay::reference;

static const double infinity = HUGE_VAL;

static FloatRules rulesOf(unsigned width, bool towardZero = false) {
  FloatRules rules;
  rules.width = static_cast<uint8_t>(width);
  rules.towardZero = towardZero;
  rules.mayFlush = false;
  rules.signedZero = true;
  return rules;
}

/// Doubles of all exponents, and of exponents near one another.
static double randomDouble(std::mt19937_64 &random, int exponents) {
  auto exponent = static_cast<int>(random() % unsigned(2 * exponents + 1)) - exponents;
  double mantissa = 1 + double(random() >> 12) * 0x1p-52;
  return std::ldexp(random() & 1 ? mantissa : -mantissa, exponent);
}

TEST(FloatMath, HalvesSurviveTheWayThroughDouble) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double value = fromBits(bits, 16);
    bool isNan = (bits & 0x7fff) > 0x7c00;
    EXPECT_EQ(value != value, isNan) << bits;
    if (isNan)
      continue;
    EXPECT_EQ(double(bit_cast<_Float16>(uint16_t(bits))), value) << bits;
    EXPECT_EQ(toBits(value, 16), bits);
    bool ordinary = value == 0 || (std::fabs(value) >= 0x1p-14 && std::fabs(value) <= 65504);
    EXPECT_EQ(isOrdinaryBits(bits, 16), ordinary) << bits;
  }
}

TEST(FloatMath, RoundsToHalvesAsTheCompilerDoes) {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 200000; ++i) {
    double x = randomDouble(random, 27);
    EXPECT_EQ(roundToWidth(x, 16), double(static_cast<_Float16>(x))) << x;
    double cut = roundToWidth(x, 16, true);
    EXPECT_LE(std::fabs(cut), std::fabs(x));
    EXPECT_EQ(x < 0 ? ceilToWidth(x, 16) : floorToWidth(x, 16), cut);
    double below = floorToWidth(x, 16), above = ceilToWidth(x, 16);
    EXPECT_LE(below, x);
    EXPECT_GE(above, x);
    if (below != above && std::isfinite(below) && std::isfinite(above)) {
      EXPECT_EQ(above - below, ulpOf(x, 16)) << x;
      EXPECT_EQ(double(static_cast<_Float16>(below)), below);
      EXPECT_EQ(double(static_cast<_Float16>(above)), above);
    }
  }
  EXPECT_EQ(roundToWidth(1e300, 16), infinity);
  EXPECT_EQ(roundToWidth(-1e300, 16, true), -65504);
  EXPECT_EQ(roundToWidth(65519.99, 16), 65504);
  EXPECT_EQ(roundToWidth(65520, 16), infinity);
}

TEST(FloatMath, CutsFloatsAsTheProcessorDoes) {
  std::mt19937_64 random(2);
  std::fesetround(FE_TOWARDZERO);
  for (unsigned i = 0; i < 100000; ++i) {
    volatile double x = randomDouble(random, 160);
    volatile float cut = static_cast<float>(x);
    EXPECT_EQ(roundToWidth(x, 32, true), double(cut)) << x;
  }
  std::fesetround(FE_TONEAREST);
}

/// Product and sum of doubles without rounding: 113 bits, when exponents are near.
using Wide = __float128;

TEST(FloatMath, ProductsOfDoublesAreEnclosed) {
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 200000; ++i) {
    double a = randomDouble(random, 520), b = randomDouble(random, 520);
    if (i % 3 == 0) // Short ones, that fit.
      a = static_cast<float>(std::ldexp(a, i % 5 ? 0 : -400)), b = std::ldexp(float(i), 3);
    Wide exact = Wide(a) * b;
    double down = productDown(a, b), up = -productDown(-a, b);
    if (!std::isfinite(a * b))
      continue;
    EXPECT_TRUE(Wide(down) <= exact && exact <= Wide(up)) << a << ' ' << b;
    EXPECT_EQ(down == up, Wide(a * b) == exact) << a << ' ' << b;
    EXPECT_LE(up, nextUp(down));
  }
  EXPECT_EQ(productDown(1e300, 1e300), std::numeric_limits<double>::max());
  EXPECT_EQ(productDown(-1e300, 1e300), -infinity);
  EXPECT_EQ(productDown(1e-300, 1e-300), 0);
  EXPECT_EQ(productDown(-1e-300, 1e-300), -0x1p-1074);
}

/// The set of values that three operands give by plain and by fused arithmetic lies inside.
static void expectInside(Interval interval, double value, const char *what) {
  EXPECT_TRUE(interval.contains(value))
      << what << ' ' << value << " not in [" << interval.lo << ", " << interval.hi << ']';
}

TEST(Interval, OfHalvesHoldsWhatHalvesGive) {
  std::mt19937_64 random(4);
  FloatRules rules = rulesOf(16);
  for (unsigned i = 0; i < 100000; ++i) {
    auto a = static_cast<_Float16>(randomDouble(random, 7));
    auto b = static_cast<_Float16>(randomDouble(random, 7));
    auto c = static_cast<_Float16>(randomDouble(random, 7));
    Interval x = Interval::point(a), y = Interval::point(b), z = Interval::point(c);
    Interval sum = add(x, y, rules), product = mul(x, y, rules);
    EXPECT_TRUE(sum.isExactly(double(_Float16(a + b)))) << double(a) << ' ' << double(b);
    EXPECT_TRUE(product.isExactly(double(_Float16(a * b)))) << double(a) << ' ' << double(b);
    Interval fused = add(mulUnrounded(x, y, rules), z, rules);
    // A double holds the product of two halves, and the sum with a third is rounded once there.
    expectInside(fused, double(_Float16(double(a) * double(b) + double(c))), "fused");
    expectInside(fused, double(_Float16(_Float16(a * b) + c)), "apart");
    expectInside(divide(x, y, rules), double(_Float16(a / b)), "quotient");
    auto positive = static_cast<double>(a < 0 ? -a : a);
    expectInside(squareRoot(Interval::point(positive), rules),
                 double(static_cast<_Float16>(std::sqrt(positive))), "root");
    expectInside(exp2Interval(Interval::point(double(a) / 16), rules),
                 double(static_cast<_Float16>(std::exp2(double(a) / 16))), "power");
  }
}

TEST(Interval, OfDoublesHoldsWhatDoublesGive) {
  std::mt19937_64 random(5);
  FloatRules rules = rulesOf(64);
  for (unsigned i = 0; i < 100000; ++i) {
    double a = randomDouble(random, 30), b = randomDouble(random, 30), c = -a * b;
    if (i & 1)
      c = randomDouble(random, 60);
    Interval x = Interval::point(a), y = Interval::point(b), z = Interval::point(c);
    EXPECT_TRUE(add(x, y, rules).isExactly(a + b));
    EXPECT_TRUE(mul(x, y, rules).isExactly(a * b));
    Interval fused = add(mulUnrounded(x, y, rules), z, rules);
    expectInside(fused, std::fma(a, b, c), "fused");
    expectInside(fused, a * b + c, "apart");
    // Not wider than one rounding of the product and one of the sum.
    EXPECT_LE(fused.hi - fused.lo, 2 * ulpOf(a * b, 64) + 2 * ulpOf(fused.hi, 64));
    expectInside(divide(x, y, rules), a / b, "quotient");
    EXPECT_LE(divide(x, y, rules).hi - divide(x, y, rules).lo, 12 * ulpOf(a / b, 64));
    expectInside(squareRoot(absolute(x), rules), std::sqrt(std::fabs(a)), "root");
  }
}

TEST(Interval, OfDoublesRoundsTowardZeroAsTheProcessorDoes) {
  std::mt19937_64 random(6);
  FloatRules rules = rulesOf(64, true);
  for (unsigned i = 0; i < 50000; ++i) {
    volatile double a = randomDouble(random, 40), b = randomDouble(random, 40);
    std::fesetround(FE_TOWARDZERO);
    volatile double sum = a + b, product = a * b;
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(add(Interval::point(a), Interval::point(b), rules).isExactly(sum));
    EXPECT_TRUE(mul(Interval::point(a), Interval::point(b), rules).isExactly(product));
  }
  double huge = std::numeric_limits<double>::max();
  EXPECT_TRUE(add(Interval::point(huge), Interval::point(huge), rules).isExactly(huge));
  EXPECT_TRUE(mul(Interval::point(-huge), Interval::point(2), rules).isExactly(-huge));
}

TEST(Interval, OfFloatsRoundsTowardZeroAsTheProcessorDoes) {
  std::mt19937_64 random(7);
  FloatRules rules = rulesOf(32, true);
  for (unsigned i = 0; i < 50000; ++i) {
    volatile auto a = static_cast<float>(randomDouble(random, 40));
    volatile auto b = static_cast<float>(randomDouble(random, 40));
    std::fesetround(FE_TOWARDZERO);
    volatile float sum = a + b, product = a * b;
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(add(Interval::point(a), Interval::point(b), rules).isExactly(sum)) << a << ' ' << b;
    EXPECT_TRUE(mul(Interval::point(a), Interval::point(b), rules).isExactly(product));
  }
}

TEST(Interval, SumsOfProductsMayOverflowInSomeOrder) {
  FloatRules rules = rulesOf(16);
  // The exact sum is -65516, but the first two products alone are too large.
  Interval x[3] = {Interval::point(-32768), Interval::point(-32800), Interval::point(52)};
  Interval y[3] = {Interval::point(1), Interval::point(1), Interval::point(1)};
  EXPECT_EQ(dotProduct(x, y, 3, rules).lo, -infinity);
  EXPECT_TRUE(dotProduct(x, y, 1, rules).isExactly(-32768));
}

TEST(Interval, FlushingTakesDenormalsOfTheWidth) {
  FloatRules rules = rulesOf(16);
  rules.mayFlush = true;
  Interval flushed = flush(Interval::point(0x1p-15), rules);
  EXPECT_EQ(flushed.lo, 0);
  EXPECT_EQ(flushed.hi, 0x1p-15);
  EXPECT_TRUE(flush(Interval::point(0x1p-14), rules).isPoint());
  rules.mustFlush = true;
  Scalar result = scalarOf(Interval::point(0x1p-15), rules);
  EXPECT_EQ(result.bits, 0u);
  EXPECT_EQ(result.flags, 0);
}

TEST(Interval, AFusableProductOfDoublesIsRoundedForOthers) {
  FloatRules rules = rulesOf(64);
  Scalar a = Scalar::exact(toBits(1.1, 64)), b = Scalar::exact(toBits(1.3, 64));
  Scalar product = fusableProduct(a, b, rules);
  EXPECT_TRUE(product.flags & Fusable);
  EXPECT_TRUE(intervalOf(product, rules).isExactly(1.1 * 1.3));
  EXPECT_LT(intervalOf(product, rules, true).lo, intervalOf(product, rules, true).hi);
  EXPECT_EQ(settle(product, 64).flags, 0);
  EXPECT_EQ(settle(product, 64).bits, toBits(1.1 * 1.3, 64));
}

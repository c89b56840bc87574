// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interval arithmetic by its own law: every result an implementation may give lies inside.
#include "oracles/machine/spirv/math/Interval.h"

#include "oracles/machine/spirv/math/FloatMath.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay::reference;

namespace {
/// splitmix64: the same numbers everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : m_state(seed) {}
  uint32_t operator()() {
    uint64_t z = m_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>(z >> 32);
  }

private:
  uint64_t m_state;
};
} // namespace

static const double infinity = HUGE_VAL;

/// Floats of all magnitudes that don't overflow when multiplied or divided.
static float randomFloat(Random &random) {
  auto exponent = static_cast<int>(random() % 120) - 60;
  auto mantissa = static_cast<float>(1 + (random() >> 9) * 0x1p-23);
  return std::ldexp(random() & 1 ? mantissa : -mantissa, exponent);
}

/// [x, x'] with x' a few floats above x.
static Interval around(Random &random, float &inside) {
  float lo = randomFloat(random), hi = lo;
  inside = lo;
  for (unsigned i = random() % 4; i; --i) {
    hi = std::nextafterf(hi, HUGE_VALF);
    if (random() & 1)
      inside = hi;
  }
  return {lo, hi, false};
}

TEST(Interval, HoldsEveryRoundedResultOfItsOperands) {
  Random random(1);
  for (unsigned i = 0; i < 20000; ++i) {
    float x, y;
    Interval a = around(random, x), b = around(random, y);
    EXPECT_TRUE(add(a, b).contains(x + y)) << x << " " << y;
    EXPECT_TRUE(sub(a, b).contains(x - y)) << x << " " << y;
    EXPECT_TRUE(mul(a, b).contains(x * y)) << x << " " << y;
    EXPECT_TRUE(mulUnrounded(a, b).contains(static_cast<double>(x) * y)) << x << " " << y;
    EXPECT_TRUE(divide(a, b).contains(x / y)) << x << " " << y;
    EXPECT_TRUE(minimum(a, b).contains(std::fmin(x, y)));
    EXPECT_TRUE(maximum(a, b).contains(std::fmax(x, y)));
    EXPECT_TRUE(roundDown(a).contains(std::floor(x)));
    EXPECT_TRUE(roundUp(a).contains(std::ceil(x)));
    EXPECT_TRUE(roundToZero(a).contains(std::trunc(x)));
    EXPECT_TRUE(roundToEven(a).contains(std::nearbyint(x)));
  }
}

TEST(Interval, OfPointsIsAPointWhereIeeeIsExact) {
  Random random(2);
  for (unsigned i = 0; i < 20000; ++i) {
    float x = randomFloat(random), y = randomFloat(random);
    EXPECT_TRUE(add(Interval::point(x), Interval::point(y)).isExactly(x + y));
    EXPECT_TRUE(mul(Interval::point(x), Interval::point(y)).isExactly(x * y));
  }
}

TEST(Interval, HoldsSumsOfProductsInAnyOrderAndFused) {
  Random random(3);
  for (unsigned i = 0; i < 5000; ++i) {
    float x[3], y[3];
    Interval a[3], b[3];
    for (unsigned k = 0; k < 3; ++k) {
      x[k] = static_cast<float>(random() % 4096) / 37;
      y[k] = static_cast<float>(random() % 4096) / 91 - 20;
      a[k] = Interval::point(x[k]);
      b[k] = Interval::point(y[k]);
    }
    Interval dot = dotProduct(a, b, 3);
    EXPECT_TRUE(dot.contains((x[0] * y[0] + x[1] * y[1]) + x[2] * y[2]));
    EXPECT_TRUE(dot.contains(x[0] * y[0] + (x[1] * y[1] + x[2] * y[2])));
    EXPECT_TRUE(dot.contains(std::fmaf(x[0], y[0], std::fmaf(x[1], y[1], x[2] * y[2]))));
    EXPECT_LT(dot.hi - dot.lo, 1e-2);
  }
}

TEST(Interval, DotProductsOfSmallWholeNumbersAreExact) {
  Interval a[3] = {Interval::point(1), Interval::point(-2), Interval::point(3)};
  EXPECT_TRUE(dotProduct(a, a, 3).isExactly(14));
  Interval large[2] = {Interval::point(0x1p12), Interval::point(1)};
  EXPECT_FALSE(dotProduct(large, large, 2).isPoint()); // 2^24 + 1 needs a rounding.
}

TEST(Interval, DivisionHasTwoAndAHalfUlpAndABoundedDivisor) {
  Interval third = divide(Interval::point(1), Interval::point(3));
  double ulp = 0x1p-25;
  EXPECT_NEAR(third.hi - 1.0 / 3, 2.5 * ulp, ulp);
  EXPECT_NEAR(1.0 / 3 - third.lo, 2.5 * ulp, ulp);
  EXPECT_TRUE(divide(Interval::point(1), Interval::point(0)).nan);
  EXPECT_EQ(divide(Interval::point(1), {-1, 1, false}).hi, infinity);
  FloatRules ieee;
  ieee.isPractical = ieee.isIeee = true;
  EXPECT_TRUE(divide({1, 2, false}, Interval::point(0), ieee).isExactly(infinity));
  EXPECT_TRUE(divide({1, 2, false}, Interval::point(-0.0), ieee).isExactly(-infinity));
  EXPECT_TRUE(divide({0, 2, false}, Interval::point(0), ieee).nan);
  EXPECT_TRUE(divide({1, 2, false}, {-0.0, 0, false}, ieee).nan);
  EXPECT_TRUE(divide(Interval::point(1), Interval::point(0x1p127)).nan);
}

TEST(Interval, AbsoluteTakesTheSignOfZeroAway) {
  Interval result = absolute({-0.0, -0.0, false});
  EXPECT_FALSE(std::signbit(result.lo));
  EXPECT_FALSE(std::signbit(result.hi));
}

TEST(Interval, NanOfOneOperandLeavesTheOther) {
  Interval result = minimum(Interval::onlyNan(), Interval::point(3));
  EXPECT_TRUE(result.contains(3));
  EXPECT_TRUE(result.nan);
}

TEST(Interval, InfinitiesOfOppositeSignsGiveNan) {
  EXPECT_TRUE(add(Interval::point(infinity), Interval::point(-infinity)).isEmpty());
  EXPECT_TRUE(mul(Interval::point(infinity), Interval::point(0)).isEmpty());
  EXPECT_TRUE(add(Interval::point(infinity), Interval::point(1)).isExactly(infinity));
}

TEST(Interval, SineOfARangeHoldsItsPeak) {
  Interval result = sinInterval({1, 2, false});
  EXPECT_GE(result.hi, 1);
  EXPECT_LE(result.lo, std::sin(1.0));
  result = cosInterval({-0.5, 0.5, false});
  EXPECT_GE(result.hi, 1);
  EXPECT_LE(sinInterval(Interval::point(100)).lo, -1);
}

TEST(Interval, ArcTangentCrossesItsCut) {
  Interval result = atan2Interval({-0.5, 0.5, false}, Interval::point(-1));
  EXPECT_LE(result.lo, -Pi);
  EXPECT_GE(result.hi, Pi);
  EXPECT_TRUE(atan2Interval(Interval::point(0), Interval::point(0)).nan);
}

TEST(Interval, ElementaryFunctionsHoldTheExactValue) {
  Random random(4);
  for (unsigned i = 0; i < 5000; ++i) {
    auto x = static_cast<float>(random() % 100000) / 1000 + 0.001f;
    Interval a = Interval::point(x);
    EXPECT_TRUE(logInterval(a).contains(std::log(static_cast<double>(x)))) << x;
    EXPECT_TRUE(log2Interval(a).contains(std::log2(static_cast<double>(x)))) << x;
    EXPECT_TRUE(squareRoot(a).contains(std::sqrt(static_cast<double>(x)))) << x;
    EXPECT_TRUE(atanInterval(a).contains(std::atan(static_cast<double>(x)))) << x;
    Interval small = Interval::point(x / 32);
    EXPECT_TRUE(expInterval(small).contains(std::exp(small.lo))) << x;
    EXPECT_TRUE(powInterval(a, small).contains(std::pow(static_cast<double>(x), small.lo))) << x;
  }
}

TEST(Interval, UnspecifiedOutsideTheDomain) {
  EXPECT_TRUE(squareRoot(Interval::point(-1)).nan);
  EXPECT_TRUE(logInterval(Interval::point(-1)).nan);
  EXPECT_TRUE(powInterval(Interval::point(-1), Interval::point(2)).nan);
}

TEST(Interval, KeepsBothSignsOfZeroWhereBothOccur) {
  Interval zero = Interval::point(0.0), negative = Interval::point(-0.0);
  for (Interval result : {hull(zero, negative), minimum(zero, negative), maximum(zero, negative)}) {
    EXPECT_TRUE(std::signbit(result.lo));
    EXPECT_FALSE(std::signbit(result.hi));
  }
  EXPECT_TRUE(std::signbit(divide(zero, Interval::point(-3)).hi));
  EXPECT_TRUE(std::signbit(mul(zero, Interval::point(-3)).hi));
  Interval one = Interval::point(1);
  EXPECT_TRUE(std::signbit(dotProduct(&negative, &one, 1).lo));
}

TEST(Interval, ExponentialsOverflowToInfinityAlone) {
  for (Interval result : {expInterval(Interval::point(1e30)), exp2Interval(Interval::point(2000)),
                          powInterval(Interval::point(1.75), Interval::point(1e30))}) {
    EXPECT_EQ(result.lo, infinity);
    EXPECT_EQ(result.hi, infinity);
  }
  EXPECT_EQ(expInterval(Interval::point(-1e30)).lo, 0);
}

TEST(Interval, SumsOfProductsMayLoseTheirDenormals) {
  Interval a[2] = {Interval::point(0x1p-70), Interval::point(0x1p-60)};
  Interval b[2] = {Interval::point(0x1.8p-60), Interval::point(0x1.000002p-60)};
  Interval dot = dotProduct(a, b, 2);
  EXPECT_LE(dot.lo, 0x1.000002p-120); // The first product is denormal.
  EXPECT_GE(dot.hi, 0x1.000002p-120 + 0x1.8p-130);
}

TEST(ScalarOf, AZeroHasEitherSignUnlessSignsAreKept) {
  FloatRules rules;
  Scalar positive = scalarOf(Interval::point(0.0), rules);
  EXPECT_TRUE(positive.flags & Ranged);
  EXPECT_EQ(positive.bits, 0u);
  EXPECT_TRUE(std::signbit(positive.lo));
  Scalar negative = scalarOf(Interval::point(-0.0), rules);
  EXPECT_TRUE(negative.flags & Ranged);
  EXPECT_EQ(negative.bits, 0x80000000u);
  EXPECT_FALSE(std::signbit(negative.hi));
  rules.signedZero = true;
  EXPECT_EQ(scalarOf(Interval::point(-0.0), rules).flags, 0);
}

TEST(ScalarOf, OneOfTwoZerosIsEitherThoughSignsAreKept) {
  FloatRules rules;
  rules.signedZero = true;
  using Function = Interval(Interval, Interval); // There are others of these names.
  for (Function *function : std::initializer_list<Function *>{minimum, maximum})
    for (double sign : {1.0, -1.0}) {
      Scalar either =
          scalarOf(function(Interval::point(sign * 0.0), Interval::point(sign * -0.0)), rules);
      EXPECT_TRUE(either.flags & Ranged);
      EXPECT_TRUE(std::signbit(either.lo));
      EXPECT_FALSE(std::signbit(either.hi));
      EXPECT_EQ(scalarOf(function(Interval::point(-0.0), Interval::point(-0.0)), rules).flags, 0);
    }
}

TEST(ScalarOf, PutsTheNominalValueInside) {
  Scalar value = scalarOf({1, 2, false}, {}, 5);
  EXPECT_EQ(value.bits, bit_cast<uint32_t>(2.0f));
  EXPECT_EQ(value.lo, 1);
  EXPECT_EQ(value.hi, 2);
}

TEST(FloatMath, AgreesWithTheMathLibraryToItsLastDigits) {
  Random random(5);
  auto close = [](double mine, double theirs) {
    EXPECT_NEAR(mine, theirs, std::fabs(theirs) * ElementaryError) << theirs;
  };
  for (unsigned i = 0; i < 20000; ++i) {
    double x = (random() / 0x1p32 - 0.5) * 200, positive = std::fabs(x) + 1e-3;
    close(exp2Of(x), std::exp2(x));
    close(expOf(x), std::exp(x));
    close(atanOf(x), std::atan(x));
    if (positive < 0.9 || positive > 1.1) {
      close(logOf(positive), std::log(positive));
      close(log2Of(positive), std::log2(positive));
    }
    double angle = x / 30;
    EXPECT_NEAR(sinOf(angle), std::sin(angle), 4e-16);
    EXPECT_NEAR(cosOf(angle), std::cos(angle), 4e-16);
    close(atan2Of(x, angle), std::atan2(x, angle));
    close(atan2Of(angle, -x), std::atan2(angle, -x));
    EXPECT_EQ(floorOf(x), std::floor(x));
    EXPECT_EQ(roundEvenOf(x), std::nearbyint(x));
  }
  // Close to one a logarithm needs its relative accuracy most.
  for (double delta : {1e-3, 1e-5, -1e-4, -1e-6})
    EXPECT_NEAR(logOf(1 + delta), std::log1p((1 + delta) - 1), std::fabs(delta) * 1e-15);
  EXPECT_EQ(log2Of(0x1p-149), -149);
}

TEST(FloatMath, StepsToNeighbouringFloats) {
  for (float x : {1.0f, -1.0f, 0.0f, 0x1p-149f, 0x1.fffffep127f}) {
    EXPECT_EQ(ceilToWidth(x, 32), x);
    EXPECT_EQ(floorToWidth(x, 32), x);
    EXPECT_EQ(ceilToWidth(nextUp(x), 32), std::nextafterf(x, HUGE_VALF)) << x;
    EXPECT_EQ(floorToWidth(nextDown(x), 32), std::nextafterf(x, -HUGE_VALF)) << x;
  }
  EXPECT_EQ(ulpOf(1), 0x1p-23);
  EXPECT_EQ(ulpOf(0), 0x1p-149);
}

TEST(FloatMath, ConvertsEveryHalfThereAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double value = fromHalf(static_cast<uint16_t>(bits));
    if (value == value) {
      EXPECT_EQ(toHalf(value), bits);
    }
  }
  EXPECT_EQ(toHalf(65519.9), 0x7bff);
  EXPECT_EQ(toHalf(65520), 0x7c00);
  EXPECT_EQ(toHalf(1 + 0x1p-11), 0x3c00); // Ties to even.
  EXPECT_EQ(toHalf(1 + 0x1.8p-10), 0x3c02);
}

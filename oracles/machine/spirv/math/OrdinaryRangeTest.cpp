// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The short ways must give what the long ones do, bit for bit.
#include "oracles/machine/spirv/math/OrdinaryRange.h"

#include "oracles/machine/spirv/math/FloatMath.h"
#include <gtest/gtest.h>
#include <random>

using namespace assay;
using namespace assay::reference;

static bool operator==(const Scalar &a, const Scalar &b) {
  if (a.bits != b.bits || a.flags != b.flags)
    return false;
  return !(a.flags & Ranged) || (a.lo == b.lo && a.hi == b.hi);
}

static Scalar longSum(const Scalar &a, const Scalar &b, const FloatRules &rules) {
  Interval sum =
      add(intervalOf(a, rules, rules.contract), intervalOf(b, rules, rules.contract), rules);
  return scalarOf(sum, rules, roundToWidth(fromFloat(a.bits) + fromFloat(b.bits), 32));
}

static Scalar longProduct(const Scalar &a, const Scalar &b, const FloatRules &rules) {
  Interval x = intervalOf(a, rules), y = intervalOf(b, rules);
  Scalar result =
      scalarOf(mul(x, y, rules), rules, roundToWidth(fromFloat(a.bits) * fromFloat(b.bits), 32));
  Interval exact = mulUnrounded(x, y, rules), rounded = intervalOf(result, rules);
  if (!rules.contract || (rounded.isPoint() && exact.lo == rounded.lo && exact.hi == rounded.hi))
    return result;
  Interval both = hull(rounded, exact);
  result.lo = both.lo;
  result.hi = both.hi;
  result.flags = Ranged | Fusable | (rounded.isPoint() ? RoundedBits : 0);
  return result;
}

namespace {
class Numbers {
public:
  /// A float of any exponent near to 0, or of the ends; zeros and denormals too.
  float number() {
    static const float Special[] = {0.0f, -0.0f, 1e-40f, 0x1p-126f, 0x1.fffffep127f, 1.0f, 0.1f};
    if (m_random() % 16 == 0)
      return Special[m_random() % std::size(Special)];
    auto exponent =
        static_cast<uint32_t>(m_random() % 8 ? 117 + m_random() % 20 : m_random() % 255);
    uint32_t mantissa = m_random() % 4 ? m_random() & 0x7fffff : m_random() << 12 & 0x7fffff;
    return llvm::bit_cast<float>(uint32_t(m_random() & 1) << 31 | exponent << 23 | mantissa);
  }
  /// An exact number, a range, or a product.
  Scalar scalar(const FloatRules &rules) {
    Scalar first = Scalar::exact(llvm::bit_cast<uint32_t>(number()));
    switch (m_random() % 4) {
    case 0:
      return first;
    case 1:
      return longProduct(first, Scalar::exact(llvm::bit_cast<uint32_t>(number())), rules);
    default:
      double a = fromFloat(first.bits), b = m_random() % 2 ? a * (1 + 0x1p-20) : number();
      return scalarOf({std::min(a, b), std::max(a, b), false}, rules);
    }
  }

private:
  std::mt19937 m_random{1};
};
} // namespace

TEST(OrdinaryRange, SumsAsTheLongWay) {
  Numbers numbers;
  unsigned taken = 0;
  for (bool contract : {true, false}) {
    FloatRules rules;
    rules.contract = contract;
    for (unsigned i = 0; i < 200000; ++i) {
      Scalar a = numbers.scalar(rules), b = numbers.scalar(rules), result;
      if (!addOrdinary(a, b, contract, result))
        continue;
      ++taken;
      ASSERT_TRUE(result == longSum(a, b, rules)) << fromFloat(a.bits) << " " << fromFloat(b.bits);
    }
  }
  EXPECT_GT(taken, 150000u);
}

TEST(OrdinaryRange, MultipliesAsTheLongWay) {
  Numbers numbers;
  unsigned taken = 0;
  for (bool contract : {true, false}) {
    FloatRules rules;
    rules.contract = contract;
    for (unsigned i = 0; i < 200000; ++i) {
      Scalar a = numbers.scalar(rules), b = numbers.scalar(rules), result;
      if (!multiplyOrdinary(a, b, contract, result))
        continue;
      ++taken;
      ASSERT_TRUE(result == longProduct(a, b, rules))
          << fromFloat(a.bits) << " " << fromFloat(b.bits);
    }
  }
  EXPECT_GT(taken, 150000u);
}

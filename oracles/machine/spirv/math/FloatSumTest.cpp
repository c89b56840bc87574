// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in any order: every order lies inside, and the answer depends on none. Atomics on floats.
#include "oracles/machine/spirv/math/FloatSum.h"

#include "oracles/machine/spirv/AssembledCase.h"
#include "oracles/machine/spirv/math/FloatMath.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

static double downOf(const std::vector<double> &terms) {
  ExactSum sum;
  for (double term : terms)
    sum.add(term);
  return sum.down();
}

TEST(ExactSum, ForgetsNothing) {
  EXPECT_EQ(downOf({0x1p1000, 1, -0x1p1000}), 1);
  EXPECT_EQ(downOf({0x1p-1074, 0x1p-1074}), 0x1p-1073);
  EXPECT_EQ(downOf({1, 0x1p-60}), 1);
  EXPECT_EQ(downOf({1, -0x1p-60}), 1 - 0x1p-53);
  EXPECT_EQ(downOf({-1, -0x1p-60}), -1 - 0x1p-52);
  EXPECT_EQ(downOf({-1, 0x1p-60}), -1);
  EXPECT_EQ(downOf({std::numeric_limits<double>::max(), -1}),
            nextDown(std::numeric_limits<double>::max()));
  EXPECT_EQ(downOf({}), 0);
}

TEST(FloatSums, HoldEveryOrderAndDependOnNone) {
  std::mt19937 random(1);
  FloatRules rules;
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<float> terms(5);
    for (float &term : terms)
      term =
          std::ldexp(static_cast<float>(random() % 4001) - 2000, static_cast<int>(random() % 9)) /
          7.0f;
    std::sort(terms.begin(), terms.end());
    Scalar first = Scalar::exact(0);
    bool isFirst = true;
    std::vector<float> results;
    do {
      FloatSums sums;
      Scalar value = Scalar::exact(toFloat(terms[0]));
      float plain = terms[0];
      for (size_t i = 1; i < terms.size(); ++i) {
        value = sums.add({}, value, Scalar::exact(toFloat(terms[i])), rules);
        plain += terms[i];
      }
      if (isFirst)
        first = value;
      isFirst = false;
      EXPECT_EQ(value.bits, first.bits);
      EXPECT_EQ(value.flags, first.flags);
      if (value.flags & Ranged) {
        EXPECT_EQ(value.lo, first.lo);
        EXPECT_EQ(value.hi, first.hi);
      }
      results.push_back(plain);
    } while (std::next_permutation(terms.begin(), terms.end()));
    Interval interval = intervalOf(first, rules);
    for (float result : results)
      EXPECT_TRUE(interval.contains(result)) << result;
  }
}

TEST(FloatSums, AreExactWhereNothingRounds) {
  FloatSums sums;
  Scalar value = Scalar::exact(toFloat(0.5));
  for (unsigned i = 1; i <= 100; ++i)
    value = sums.add({}, value, Scalar::exact(toFloat(i * 0.25)), {});
  EXPECT_EQ(value.flags, 0);
  EXPECT_EQ(fromFloat(value.bits), 0.5 + 5050 * 0.25);
}

TEST(FloatSums, BeginAnewWhereSomethingElseWrote) {
  FloatSums sums;
  Scalar third = Scalar::exact(toFloat(1.0 / 3)), value = third;
  for (unsigned i = 0; i < 4; ++i)
    value = sums.add({}, value, third, {});
  EXPECT_TRUE(value.flags & Ranged);
  value = sums.add({}, Scalar::exact(toFloat(1)), Scalar::exact(toFloat(2)), {});
  EXPECT_EQ(value.flags, 0);
  EXPECT_EQ(fromFloat(value.bits), 3);
}

namespace {
/// 32 invocations do \p operation with %v, which is their number plus one over \p divisor, on
/// element 1 of %fout.
Snippet floatAtomic(const std::string &operation, const char *divisor) {
  Snippet snippet;
  snippet.capabilities = "OpCapability AtomicFloat32AddEXT\nOpCapability AtomicFloat32MinMaxEXT\n"
                         "OpExtension \"SPV_EXT_shader_atomic_float_add\"\n"
                         "OpExtension \"SPV_EXT_shader_atomic_float_min_max\"\n";
  snippet.localSize = 8;
  snippet.groups = 4;
  snippet.fin = {8, 3};
  snippet.body = std::string("%n = OpIAdd %uint %gid %u_1\n%f = OpConvertUToF %float %n\n"
                             "%v = OpFDiv %float %f ") +
                 divisor +
                 "\n%scaled = OpFMul %float %f %fa\n"
                 "%p = OpAccessChain %p_float %fout %u_0 %u_1\n%old = " +
                 operation + "\n" + storeFloat("%old", "%gid");
  return snippet;
}
} // namespace

TEST(FloatAtomics, AddsUpWhatIsExact) {
  Snippet snippet = floatAtomic("OpAtomicFAddEXT %float %p %u_1 %u_0 %scaled", "%fa");
  snippet.body.resize(snippet.body.find("%fsp")); // Old values depend on the order; drop them.
  Outcome outcome = run(snippet);
  EXPECT_EQ(bit_cast<float>(word(finalState(outcome, 3), 1)), 8.0f * 33 * 16);
  EXPECT_TRUE(finalState(outcome, 3).intervals.empty());
  EXPECT_TRUE(finalState(outcome, 3).indeterminate.empty());
}

TEST(FloatAtomics, BoundsWhatRounds) {
  Snippet snippet = floatAtomic("OpAtomicFAddEXT %float %p %u_1 %u_0 %v", "%fb");
  snippet.body.resize(snippet.body.find("%fsp"));
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome, 3);
  ASSERT_TRUE(state.intervals.contains(4));
  EXPECT_TRUE(state.indeterminate.empty());
  EXPECT_LT(state.intervals.at(4).lo, 176);
  EXPECT_GT(state.intervals.at(4).hi, 176);
  EXPECT_LT(state.intervals.at(4).hi - state.intervals.at(4).lo, 0.01);
}

TEST(FloatAtomics, ReturnsWhatDependsOnTheOrder) {
  Snippet snippet = floatAtomic("OpAtomicFAddEXT %float %p %u_1 %u_0 %scaled", "%fa");
  snippet.body = snippet.body.replace(snippet.body.find("%u_0 %u_1\n"), 10, "%u_0 %u_40\n");
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome, 3);
  EXPECT_FALSE(state.indeterminate.empty());
  EXPECT_EQ(bit_cast<float>(word(state, 40)), 8.0f * 33 * 16);
}

TEST(FloatAtomics, TakesTheLeastAndTheGreatest) {
  Snippet snippet = floatAtomic("OpAtomicFMaxEXT %float %p %u_1 %u_0 %scaled", "%fa");
  snippet.body.resize(snippet.body.find("%fsp"));
  EXPECT_EQ(bit_cast<float>(word(finalState(run(snippet), 3), 1)), 256.0f);
  snippet = floatAtomic("OpAtomicFMinEXT %float %p %u_1 %u_0 %scaled", "%fa");
  snippet.body.resize(snippet.body.find("%fsp"));
  EXPECT_EQ(bit_cast<float>(word(finalState(run(snippet), 3), 1)), 0.0f);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of floats that round: whatever order an implementation takes lies in the interval, and
// the interval is no wider than the rounding of so many steps.
#include "oracles/machine/spirv/AssembledCase.h"
#include "oracles/machine/spirv/math/FloatMath.h"

#include <bit>
#include <cmath>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

namespace {
struct ReductionRow {
  const char *name; ///< "FAdd" or "FMul".
  unsigned width;
  double low, high; ///< Of the magnitudes that are reduced.
  double slack;     ///< Units of the width's precision that the interval may be wide, relative to
                    ///< the sum of magnitudes (FAdd) or to the result (FMul).
};
class FloatReduction : public ::testing::TestWithParam<ReductionRow> {};
} // namespace

static constexpr uint32_t Lanes = 32;

static double rounded(double value, unsigned width) {
  return width == 16 ? fromHalf(toHalf(value)) : double(float(value));
}

static double combine(const ReductionRow &row, double a, double b) {
  return rounded(row.name[1] == 'A' ? a + b : a * b, row.width);
}

/// Combines random pairs until one value is left: any order and any tree.
static double inSomeOrder(const ReductionRow &row, std::vector<double> values,
                          std::mt19937_64 &random) {
  while (values.size() > 1) {
    std::swap(values[random() % values.size()], values.back());
    double last = values.back();
    values.pop_back();
    double &other = values[random() % values.size()];
    other = random() % 2 ? combine(row, last, other) : combine(row, other, last);
  }
  return values.front();
}

static Snippet reductionSnippet(const ReductionRow &row, const std::vector<double> &values) {
  Snippet snippet;
  snippet.capabilities = "OpCapability GroupNonUniform\nOpCapability GroupNonUniformArithmetic\n";
  std::string type = "%float";
  if (row.width == 16) {
    snippet.capabilities += "OpCapability Float16\n";
    snippet.globals = "%half = OpTypeFloat 16\n";
    type = "%half";
  }
  std::string v = row.width == 16 ? "%h = OpFConvert %half %x\n" : "%h = OpCopyObject %float %x\n";
  std::string back =
      row.width == 16 ? "%r = OpFConvert %float %s\n" : "%r = OpCopyObject %float %s\n";
  snippet.body = "%px = OpAccessChain %p_float %fin %u_0 %lid\n%x = OpLoad %float %px\n" + v +
                 "%s = OpGroupNonUniform" + row.name + " " + type + " %u_3 InclusiveScan %h\n" +
                 back + storeFloat("%r", "%lid");
  snippet.localSize = Lanes;
  for (double value : values)
    snippet.fin.push_back(float(value));
  return snippet;
}

/// The allowed values of lane \p lane, a point where there is one.
static FloatInterval allowed(const BufferState &state, uint32_t lane) {
  if (auto found = state.intervals.find(lane * 4); found != state.intervals.end())
    return found->second;
  double value = std::bit_cast<float>(word(state, lane));
  return {value, value};
}

TEST_P(FloatReduction, HoldsEveryOrder) {
  const ReductionRow &row = GetParam();
  std::mt19937_64 random(row.width);
  std::uniform_real_distribution<double> pick(row.low, row.high);
  double unit = std::ldexp(1.0, row.width == 16 ? -11 : -24);
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<double> values;
    for (uint32_t i = 0; i < Lanes; ++i)
      values.push_back(rounded(pick(random) * (random() % 2 ? 1 : -1), row.width));
    Outcome outcome = run(reductionSnippet(row, values));
    const BufferState &state = finalState(outcome, 3);
    ASSERT_TRUE(state.indeterminate.empty());
    double total = 0;
    for (uint32_t lane = 0; lane < Lanes; ++lane) {
      FloatInterval interval = allowed(state, lane);
      std::vector<double> some(values.begin(), values.begin() + lane + 1);
      total = row.name[1] == 'A' ? total + std::abs(values[lane])
                                 : std::max(std::abs(interval.lo), std::abs(interval.hi));
      for (unsigned order = 0; order < 50; ++order) {
        double result = inSomeOrder(row, some, random);
        EXPECT_LE(interval.lo, result);
        EXPECT_GE(interval.hi, result);
      }
      EXPECT_LE(interval.hi - interval.lo, total * row.slack * (lane + 2) * unit) << lane;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Table, FloatReduction,
                         ::testing::Values(ReductionRow{"FAdd", 32, 0.001, 1000, 4},
                                           ReductionRow{"FMul", 32, 0.5, 2, 6},
                                           ReductionRow{"FAdd", 16, 0.01, 4, 4},
                                           ReductionRow{"FMul", 16, 0.8, 1.25, 6}));

TEST(SubgroupFloats, AProductThatMayOverflowIsOpen) {
  ReductionRow row{"FMul", 32, 0, 0, 0};
  Outcome outcome = run(reductionSnippet(row, std::vector<double>(Lanes, 1e20)));
  const BufferState &state = finalState(outcome, 3);
  EXPECT_EQ(allowed(state, 0).lo, double(1e20f));
  EXPECT_FALSE(state.indeterminate.contains(0));
  EXPECT_TRUE(state.indeterminate.contains(4)); // Infinite, in whatever order.
}

TEST(SubgroupFloats, MinimumPassesOverNan) {
  Snippet snippet = reductionSnippet({"FMin", 32, 0, 0, 0}, std::vector<double>(Lanes, 5));
  snippet.fin[3] = std::nanf("");
  snippet.fin[7] = -2;
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome, 3);
  EXPECT_EQ(allowed(state, 3).lo, 5);
  EXPECT_EQ(allowed(state, 3).hi, 5);
  EXPECT_EQ(allowed(state, 31).lo, -2);
  EXPECT_EQ(allowed(state, 31).hi, -2);
}

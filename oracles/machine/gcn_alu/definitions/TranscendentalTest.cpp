// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendental operations where they are hard: every f16 source, the f32 sources whose results
// come nearest to a tie, and the accuracy on which the machine relies when it decides that a source
// is not one of those.
#include "oracles/machine/gcn_alu/Transcendental.h"
#include "oracles/machine/gcn_alu/definitions/Floats.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// The row and its definition say the same of \p bits.
static void compareRow(const std::string &name, uint64_t bits, const AluMode &mode) {
  const AluOp *row = findValuOp(name, mode.gfxMajor);
  const ReadyDefinition *ready = findDefinition(name, mode.gfxMajor);
  ASSERT_TRUE(row && ready) << name;
  AluInput input;
  input.src[0] = bits;
  ASSERT_EQ(row->function(input, mode).value, define(*ready, input, mode).value)
      << name << " 0x" << std::hex << bits;
}

TEST(Transcendental, EveryHalfIsCorrectlyRounded) {
  for (std::string name : {"rcp", "rsq", "sqrt", "exp", "log", "sin", "cos"})
    for (bool denormals : {true, false})
      for (uint64_t bits = 0; bits < 0x10000; ++bits) {
        AluMode mode;
        mode.gfxMajor = 11;
        mode.f16f64DenormIn = mode.f16f64DenormOut = denormals;
        ASSERT_NO_FATAL_FAILURE(compareRow("v_" + name + "_f16", bits, mode));
      }
}

namespace {
struct HardCases {
  const char *name;
  std::initializer_list<uint32_t> sources;
};
} // namespace

/// Found by a search of all sources (one period, two binades and the like): the nearer to a tie,
/// the earlier. The first of v_exp_f32 is 2^-58 of the result away from one.
static const HardCases hardCases[] = {
    {"v_rsq_f32", {0x403a18e3, 0x4009f038, 0x407ffffe, 0x3fba2a39, 0x3fd2208f, 0x3fed3230}},
    {"v_exp_f32",
     {0xb52d1f9a, 0xbcf3a937, 0x3b429d37, 0xb8d3d026, 0xbaec2b40, 0x3a07857c, 0x3c02a9ad}},
    {"v_log_f32", {0x00914a90, 0x00eb8090, 0x00974467, 0x3feddffd, 0x3f442160, 0x3f7e3274}},
    {"v_sin_f32",
     {0x3d7d7f58, 0x3ee05015, 0x3c6eb990, 0x3d00c8a4, 0x3c490961, 0x39e61359, 0x3ca73e15}},
    {"v_cos_f32",
     {0x3e40a02a, 0x3e9fafeb, 0x3e711467, 0x3e5fcdd7, 0x3aa5bca6, 0x3be25b7c, 0x3d33021a}},
};

TEST(Transcendental, HardSinglesAreCorrectlyRounded) {
  AluMode mode;
  mode.gfxMajor = 12;
  for (const HardCases &each : hardCases)
    for (uint32_t bits : each.sources)
      for (uint32_t neighbour : {bits - 1, bits, bits + 1})
        ASSERT_NO_FATAL_FAILURE(compareRow(each.name, neighbour, mode));
}

using Quick = double (*)(double);
using Exactly = int (*)(mpfr_ptr result, mpfr_srcptr x);

namespace {
struct Pair {
  Quick quick;
  Exactly exactly;
  double low, high; ///< Magnitudes of sources.
  bool onlyPositive;
};
} // namespace

static constexpr Pair pairs[] = {
    {Exp2::quick, [](mpfr_ptr y, mpfr_srcptr x) { return mpfr_exp2(y, x, MPFR_RNDN); }, 0x1p-26,
     127, false},
    {Log2::quick, [](mpfr_ptr y, mpfr_srcptr x) { return mpfr_log2(y, x, MPFR_RNDN); }, 0x1p-126,
     0x1p127, true},
    {Log2::quick, [](mpfr_ptr y, mpfr_srcptr x) { return mpfr_log2(y, x, MPFR_RNDN); }, 0.9, 1.1,
     true},
    {SinTurns::quick, [](mpfr_ptr y, mpfr_srcptr x) { return mpfr_sinu(y, x, 1, MPFR_RNDN); },
     0x1p-126, 0x1p22, false},
    {CosTurns::quick, [](mpfr_ptr y, mpfr_srcptr x) { return mpfr_cosu(y, x, 1, MPFR_RNDN); },
     0x1p-126, 0x1p22, false},
    {InverseRoot::quick, [](mpfr_ptr y, mpfr_srcptr x) { return mpfr_rec_sqrt(y, x, MPFR_RNDN); },
     0x1p-126, 0x1p127, true},
};

/// A float between \p low and \p high, exponents evenly.
static float between(double low, double high, std::mt19937_64 &random) {
  uint32_t first = bit_cast<uint32_t>(float(low)), last = bit_cast<uint32_t>(float(high));
  return bit_cast<float>(uint32_t(first + random() % (last - first)));
}

/// nearsMidpoint() allows for 64 units in the last place of the quick result.
TEST(Transcendental, QuickResultsAreWithinTheirMargin) {
  std::mt19937_64 random(4);
  for (const Pair &pair : pairs)
    for (unsigned count = 0; count < 20000; ++count) {
      double x = between(pair.low, pair.high, random);
      x = pair.onlyPositive || random() & 1 ? x : -x;
      Real source(Real::BitsForFunctions), exact(Real::BitsForFunctions);
      mpfr_set_d(source.get(), x, MPFR_RNDN);
      pair.exactly(exact.get(), source.get());
      double quick = pair.quick(x);
      if (exact.isZero()) {
        ASSERT_EQ(quick, 0);
        continue;
      }
      Real given(Real::BitsForFunctions);
      mpfr_set_d(given.get(), quick, MPFR_RNDN);
      Real error = (given - exact).magnitude().scaled(52 - exact.top());
      ASSERT_LT(mpfr_get_d(error.get(), MPFR_RNDU), 16) << "source " << x;
    }
}

TEST(Transcendental, PreciseResultsHaveNinetyBits) {
  std::mt19937_64 random(5);
  auto check = [&](Twofold (*precise)(double), Exactly exactly, double low, double high) {
    for (unsigned count = 0; count < 2000; ++count) {
      double x = between(low, high, random);
      Real source(Real::BitsForFunctions), exact(Real::BitsForFunctions);
      mpfr_set_d(source.get(), x, MPFR_RNDN);
      exactly(exact.get(), source.get());
      Twofold given = precise(x);
      Real sum(Real::BitsForFunctions), low(Real::BitsForFunctions);
      mpfr_set_d(sum.get(), given.high, MPFR_RNDN);
      mpfr_set_d(low.get(), given.low, MPFR_RNDN);
      Real error = (sum + low - exact).magnitude();
      ASSERT_TRUE(error.isZero() || error.top() < exact.top() - 90) << "source " << x;
    }
  };
  check(Exp2::precise, pairs[0].exactly, 0x1p-20, 100);
  check(Log2::precise, pairs[1].exactly, 0x1p-100, 0x1p100);
  check(SinTurns::precise, pairs[3].exactly, 0x1p-20, 0.49);
  check(CosTurns::precise, pairs[4].exactly, 0x1p-20, 0.24);
  check(InverseRoot::precise, pairs[5].exactly, 0x1p-100, 0x1p100);
}

TEST(Transcendental, DoubleRootsAreCorrectlyRounded) {
  std::mt19937_64 random(6);
  AluMode mode;
  mode.gfxMajor = 10;
  for (unsigned count = 0; count < 20000; ++count)
    for (std::string name : {"v_rsq_f64", "v_rcp_f64", "v_sqrt_f64"})
      ASSERT_NO_FATAL_FAILURE(compareRow(name, random() >> (count & 1), mode));
}

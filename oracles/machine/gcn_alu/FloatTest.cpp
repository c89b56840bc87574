// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float arithmetic, conversions and comparisons against APFloat in every rounding mode and with and
// without denormals.
#include "oracles/machine/gcn_alu/AluTesting.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay::gcn;

static constexpr APFloat::roundingMode apRounding[] = {
    APFloat::rmNearestTiesToEven, APFloat::rmTowardPositive, APFloat::rmTowardNegative,
    APFloat::rmTowardZero};

static const fltSemantics &semanticsOf(unsigned width) {
  return width == 16   ? APFloat::IEEEhalf()
         : width == 32 ? APFloat::IEEEsingle()
                       : APFloat::IEEEdouble();
}

static APFloat apOf(uint64_t bits, unsigned width) {
  return APFloat(semanticsOf(width), APInt(width, bits));
}

static uint64_t bitsOfAp(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

namespace {
/// A rounding mode and what happens to denormals, for one width.
struct Setting {
  unsigned round;
  bool denormals;
};

} // namespace

static AluMode modeOf(unsigned width, Setting setting, unsigned gfxMajor = 11) {
  AluMode mode = testMode(gfxMajor);
  (width == 32 ? mode.f32Round : mode.f16f64Round) = uint8_t(setting.round);
  (width == 32 ? mode.f32DenormIn : mode.f16f64DenormIn) = setting.denormals;
  (width == 32 ? mode.f32DenormOut : mode.f16f64DenormOut) = setting.denormals;
  return mode;
}

static APFloat flushedAp(const APFloat &value, bool denormals) {
  return !denormals && value.isDenormal()
             ? APFloat::getZero(value.getSemantics(), value.isNegative())
             : value;
}

/// The first NaN among \p values as it is (modeOf() has no IEEE mode), else the default NaN, which
/// is negative. An invalid product comes before the NaN of an addend.
static uint64_t expectedNan(ArrayRef<APFloat> values, unsigned width) {
  bool invalid = (values[0].isZero() && values[1].isInfinity()) ||
                 (values[0].isInfinity() && values[1].isZero());
  for (const APFloat &value : values)
    if (value.isNaN() && !invalid)
      return bitsOfAp(value);
  return bitsOfAp(APFloat::getQNaN(semanticsOf(width), /*Negative=*/true));
}

using Operation = void (*)(APFloat &a, const APFloat &b, const APFloat &c,
                           APFloat::roundingMode round);

static uint64_t expectedResult(std::vector<APFloat> values, unsigned width, Setting setting,
                               Operation operation) {
  APFloat result = flushedAp(values[0], setting.denormals);
  APFloat b = flushedAp(values[1], setting.denormals);
  APFloat c = flushedAp(values[values.size() - 1], setting.denormals);
  operation(result, b, c, apRounding[setting.round]);
  for (APFloat &value : values)
    value = flushedAp(value, setting.denormals);
  if (result.isNaN() || any_of(values, [](const APFloat &value) { return value.isNaN(); }))
    return expectedNan(values, width);
  return bitsOfAp(flushedAp(result, setting.denormals));
}

static constexpr Operation apAdd = [](APFloat &a, const APFloat &b, const APFloat &,
                                      APFloat::roundingMode round) { a.add(b, round); };

static constexpr Operation apSub = [](APFloat &a, const APFloat &b, const APFloat &,
                                      APFloat::roundingMode round) { a.subtract(b, round); };

static constexpr Operation apMul = [](APFloat &a, const APFloat &b, const APFloat &,
                                      APFloat::roundingMode round) { a.multiply(b, round); };

static constexpr Operation apFma = [](APFloat &a, const APFloat &b, const APFloat &c,
                                      APFloat::roundingMode round) {
  a.fusedMultiplyAdd(b, c, round);
};

namespace {
struct FloatOp {
  const char *name;
  unsigned width;
  unsigned sources;
  Operation operation;
};

} // namespace

static constexpr FloatOp floatOps[] = {
    {"v_add_f16", 16, 2, apAdd},   {"v_add_f32", 32, 2, apAdd}, {"v_add_f64", 64, 2, apAdd},
    {"v_sub_f16", 16, 2, apSub},   {"v_sub_f32", 32, 2, apSub}, {"v_mul_f16", 16, 2, apMul},
    {"v_mul_f32", 32, 2, apMul},   {"v_mul_f64", 64, 2, apMul}, {"v_fma_f16", 16, 3, apFma},
    {"v_fma_f32", 32, 3, apFma},   {"v_fma_f64", 64, 3, apFma}, {"v_fmac_f32", 32, 3, apFma},
    {"v_fmaak_f16", 16, 3, apFma}, {"s_add_f32", 32, 2, apAdd}, {"s_mul_f16", 16, 2, apMul},
    {"s_fmac_f32", 32, 3, apFma},
};

static void checkFloatOp(const FloatOp &op, Setting setting, ArrayRef<uint64_t> bits) {
  std::vector<APFloat> values;
  AluInput input;
  for (unsigned index = 0; index < op.sources; ++index) {
    values.push_back(apOf(bits[index], op.width));
    input.src[index] = bits[index];
  }
  uint64_t expected = expectedResult(values, op.width, setting, op.operation);
  // Whether a result that is rounded up to the smallest normal number was tiny, needs exponents
  // that APFloat has not; the definitions decide it.
  if (!setting.denormals && apOf(expected, op.width).isSmallestNormalized())
    return;
  const AluOp *row = anyOp(op.name, 11);
  ASSERT_EQ(row->function(input, modeOf(op.width, setting)).value, expected)
      << op.name << " round " << setting.round << " denormals " << setting.denormals << std::hex
      << " " << bits[0] << " " << bits[1] << " " << bits[bits.size() - 1];
}

static constexpr Setting settings[] = {{0, true},  {1, true},  {2, true},  {3, true},
                                       {0, false}, {1, false}, {2, false}, {3, false}};

TEST(AluFloat, ArithmeticRoundsOnce) {
  for (const FloatOp &op : floatOps) {
    ASSERT_NE(anyOp(op.name, 11), nullptr) << op.name;
    std::vector<uint64_t> vectors = vectorsOf(op.width, op.sources == 3 ? 6 : 40);
    for (Setting setting : settings)
      for (uint64_t a : vectors)
        for (uint64_t b : vectors) {
          if (op.sources == 2) {
            ASSERT_NO_FATAL_FAILURE(checkFloatOp(op, setting, {a, b}));
            continue;
          }
          for (uint64_t c : vectors)
            ASSERT_NO_FATAL_FAILURE(checkFloatOp(op, setting, {a, b, c}));
        }
  }
}

TEST(AluFloat, MadRoundsTwiceAndFlushes) {
  AluMode mode = testMode(9);
  std::vector<uint64_t> vectors = vectorsOf(32, 8);
  for (uint64_t a : vectors)
    for (uint64_t b : vectors)
      for (uint64_t c : vectors) {
        Setting setting{0, false};
        uint64_t product = expectedResult({apOf(a, 32), apOf(b, 32)}, 32, setting, apMul);
        uint64_t expected = expectedResult({apOf(product, 32), apOf(c, 32)}, 32, setting, apAdd);
        if (apOf(product, 32).isSmallestNormalized())
          continue;
        ASSERT_EQ(runOp("v_mad_f32", {a, b, c}, mode).value, expected)
            << std::hex << a << " " << b << " " << c;
      }
}

TEST(AluFloat, ConversionsBetweenFormats) {
  struct Conversion {
    const char *name;
    unsigned from, to;
  };
  constexpr Conversion conversions[] = {{"v_cvt_f16_f32", 32, 16}, {"v_cvt_f32_f16", 16, 32},
                                        {"v_cvt_f32_f64", 64, 32}, {"v_cvt_f64_f32", 32, 64},
                                        {"s_cvt_f16_f32", 32, 16}, {"s_cvt_f32_f16", 16, 32}};
  for (const Conversion &conversion : conversions)
    for (unsigned round = 0; round < 4; ++round)
      for (uint64_t bits : vectorsOf(conversion.from, 2000)) {
        AluMode mode = testMode(11);
        (conversion.to == 32 ? mode.f32Round : mode.f16f64Round) = uint8_t(round);
        mode.ieee = true;
        APFloat value = apOf(bits, conversion.from);
        bool lost = false;
        value.convert(semanticsOf(conversion.to), apRounding[round], &lost);
        if (value.isNaN())
          value = value.makeQuiet();
        ASSERT_EQ(runOp(conversion.name, {bits}, mode).value, bitsOfAp(value))
            << conversion.name << " round " << round << std::hex << " " << bits;
      }
}

TEST(AluFloat, ConversionsToIntegersSaturate) {
  struct Conversion {
    const char *name;
    unsigned from, to;
    bool isSigned;
  };
  constexpr Conversion conversions[] = {
      {"v_cvt_i32_f32", 32, 32, true}, {"v_cvt_u32_f32", 32, 32, false},
      {"v_cvt_i32_f64", 64, 32, true}, {"v_cvt_u32_f64", 64, 32, false},
      {"v_cvt_i16_f16", 16, 16, true}, {"v_cvt_u16_f16", 16, 16, false},
      {"s_cvt_i32_f32", 32, 32, true}, {"s_cvt_u32_f32", 32, 32, false}};
  for (const Conversion &conversion : conversions) {
    std::vector<uint64_t> vectors = vectorsOf(conversion.from, 2000);
    for (double edge : {2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.0,
                        4294967296.0, -0.5, -1.0, 0.99})
      if (conversion.from != 16)
        vectors.push_back(conversion.from == 64 ? bits64(edge) : bits32(float(edge)));
    for (uint64_t bits : vectors) {
      APFloat value = apOf(bits, conversion.from);
      APSInt integer(conversion.to, !conversion.isSigned);
      bool exact = false;
      value.convertToInteger(integer, APFloat::rmTowardZero, &exact); // saturates; 0 for NaN
      ASSERT_EQ(resultOf(conversion.name, {bits}), integer.getZExtValue())
          << conversion.name << std::hex << " " << bits;
    }
  }
}

TEST(AluFloat, ConversionsFromIntegersRound) {
  for (unsigned round = 0; round < 4; ++round)
    for (uint64_t bits : vectorsOf(32, 2000)) {
      AluMode mode = testMode(11);
      mode.f32Round = mode.f16f64Round = uint8_t(round);
      auto expected = [&](unsigned width, unsigned source, bool isSigned) {
        APFloat value(semanticsOf(width));
        value.convertFromAPInt(APInt(source, bits, false, true), isSigned, apRounding[round]);
        return bitsOfAp(value);
      };
      ASSERT_EQ(runOp("v_cvt_f32_i32", {bits}, mode).value, expected(32, 32, true));
      ASSERT_EQ(runOp("v_cvt_f32_u32", {bits}, mode).value, expected(32, 32, false));
      ASSERT_EQ(runOp("v_cvt_f64_i32", {bits}, mode).value, expected(64, 32, true));
      ASSERT_EQ(runOp("v_cvt_f64_u32", {bits}, mode).value, expected(64, 32, false));
      ASSERT_EQ(runOp("v_cvt_f16_i16", {bits & 0xffff}, mode).value, expected(16, 16, true));
      ASSERT_EQ(runOp("v_cvt_f16_u16", {bits & 0xffff}, mode).value, expected(16, 16, false));
    }
}

TEST(AluFloat, PackedConversions) {
  EXPECT_EQ(resultOf("v_cvt_pk_rtz_f16_f32", {bits32(65519.9f), bits32(-1.0009f)}), 0xbc007bffu);
  EXPECT_EQ(resultOf("v_cvt_pkrtz_f16_f32", {bits32(1e9f), bits32(1e-9f)}, 9), 0x00007bffu);
  EXPECT_EQ(resultOf("v_cvt_pk_norm_i16_f32", {bits32(-1.0f), bits32(2.0f)}), 0x7fff8001u);
  EXPECT_EQ(resultOf("v_cvt_pknorm_u16_f32", {bits32(0.5f), bits32(-3.0f)}, 9), 0x00008000u);
  EXPECT_EQ(resultOf("v_cvt_pk_i16_i32", {0xffff0000, 70000}), 0x7fff8000u);
  EXPECT_EQ(resultOf("v_cvt_pk_u16_u32", {5, 70000}), 0xffff0005u);
  EXPECT_EQ(resultOf("v_cvt_pk_u8_f32", {bits32(300.0f), 2, 0x11223344}), 0x11ff3344u);
  EXPECT_EQ(resultOf("v_sat_pk_u8_i16", {0xfff00123}), 0x00ffu);
  EXPECT_EQ(resultOf("v_cvt_f32_ubyte2", {0x00ab0000}), bits32(171.0f));
  EXPECT_EQ(resultOf("v_cvt_off_f32_i4", {0x8}), bits32(-0.5f));
  EXPECT_EQ(resultOf("v_cvt_off_f32_i4", {0xf7}), bits32(0.4375f));
  EXPECT_EQ(resultOf("v_cvt_rpi_i32_f32", {bits32(-0.5f)}, 9), 0u);
  EXPECT_EQ(resultOf("v_cvt_rpi_i32_f32", {0x3effffff}, 9), 0u); // not 1: the sum is exact
  EXPECT_EQ(resultOf("v_cvt_floor_i32_f32", {bits32(-0.5f)}), 0xffffffffu);
  EXPECT_EQ(resultOf("v_pack_b32_f16", {0x1234, 0x5678}), 0x56781234u);
  EXPECT_EQ(resultOf("s_cvt_hi_f32_f16", {0x3c000000}), bits32(1.0f));
}

TEST(AluFloat, RoundingToIntegersIsExact) {
  struct Rounding {
    const char *stem;
    APFloat::roundingMode mode;
  };
  constexpr Rounding roundings[] = {{"floor", APFloat::rmTowardNegative},
                                    {"ceil", APFloat::rmTowardPositive},
                                    {"trunc", APFloat::rmTowardZero},
                                    {"rndne", APFloat::rmNearestTiesToEven}};
  for (const Rounding &rounding : roundings)
    for (unsigned width : {16, 32, 64})
      for (uint64_t bits : vectorsOf(width, 2000)) {
        APFloat value = apOf(bits, width);
        value.roundToIntegral(rounding.mode);
        if (value.isNaN())
          value = value.makeQuiet();
        std::string name = std::string("v_") + rounding.stem + "_f" + std::to_string(width);
        ASSERT_EQ(resultOf(name, {bits}, 12), bitsOfAp(value)) << name << std::hex << " " << bits;
      }
  EXPECT_EQ(resultOf("v_fract_f32", {bits32(-1e-30f)}), 0x3f7fffffu);
  EXPECT_EQ(resultOf("v_fract_f32", {bits32(2.75f)}), bits32(0.75f));
  EXPECT_EQ(resultOf("v_fract_f64", {bits64(-0.25)}), bits64(0.75));
  EXPECT_EQ(resultOf("v_fract_f16", {0x8001}), 0x3bffu);
}

TEST(AluFloat, MantissaAndExponentRebuildTheNumber) {
  for (unsigned width : {16, 32, 64})
    for (uint64_t bits : vectorsOf(width, 500)) {
      APFloat value = apOf(bits, width);
      std::string type = "f" + std::to_string(width);
      std::string exponentType = width == 16 ? "i16" : "i32";
      uint64_t mantissa = resultOf("v_frexp_mant_" + type, {bits});
      uint64_t exponent = resultOf("v_frexp_exp_" + exponentType + "_" + type, {bits});
      if (value.isNaN() || value.isInfinity() || value.isZero()) {
        EXPECT_EQ(exponent, 0u);
        continue;
      }
      int expected = ilogb(value) + 1;
      ASSERT_EQ(exponent, uint64_t(width == 16 ? uint16_t(expected) : uint32_t(expected)));
      ASSERT_EQ(ilogb(apOf(mantissa, width)), -1);
      ASSERT_EQ(resultOf("v_ldexp_" + type, {mantissa, exponent}), bits) << type;
    }
}

TEST(AluFloat, LdexpRoundsOnce) {
  for (unsigned width : {16, 32, 64})
    for (unsigned round = 0; round < 4; ++round)
      for (uint64_t bits : vectorsOf(width, 100))
        for (int exponent : {-2000, -1030, -150, -30, -14, -1, 0, 1, 20, 120, 1000, 2200}) {
          APFloat value = scalbn(apOf(bits, width), exponent, apRounding[round]);
          if (value.isNaN())
            value = value.makeQuiet();
          uint64_t source = width == 16 ? uint16_t(exponent) : uint32_t(exponent);
          ASSERT_EQ(runOp("v_ldexp_f" + std::to_string(width), {bits, source},
                          modeOf(width, {round, true}, 12))
                        .value,
                    bitsOfAp(value))
              << width << " " << round << std::hex << " " << bits << " " << exponent;
        }
}

TEST(AluFloat, ComparisonsKnowEveryRelation) {
  struct Relation {
    const char *name;
    bool less, equal, greater, unordered;
  };
  constexpr Relation relations[] = {
      {"f", false, false, false, false}, {"lt", true, false, false, false},
      {"eq", false, true, false, false}, {"le", true, true, false, false},
      {"gt", false, false, true, false}, {"lg", true, false, true, false},
      {"ge", false, true, true, false},  {"o", true, true, true, false},
      {"u", false, false, false, true},  {"nge", true, false, false, true},
      {"nlg", false, true, false, true}, {"ngt", true, true, false, true},
      {"nle", false, false, true, true}, {"neq", true, false, true, true},
      {"nlt", false, true, true, true},  {"t", true, true, true, true}};
  for (const Relation &relation : relations)
    for (unsigned width : {16, 32, 64}) {
      std::string name = (Twine("v_cmp_") + relation.name + "_f" + Twine(width)).str();
      for (uint64_t a : vectorsOf(width, 4))
        for (uint64_t b : vectorsOf(width, 4)) {
          APFloat::cmpResult order = apOf(a, width).compare(apOf(b, width));
          bool expected = order == APFloat::cmpLessThan      ? relation.less
                          : order == APFloat::cmpEqual       ? relation.equal
                          : order == APFloat::cmpGreaterThan ? relation.greater
                                                             : relation.unordered;
          ASSERT_EQ(resultOf(name, {a, b}), uint64_t(expected)) << name << std::hex << a << b;
          if (width != 64 && findSaluOp("s" + name.substr(1), 11))
            ASSERT_EQ(runOp("s" + name.substr(1), {a, b}, testMode(11)).carry, expected);
        }
    }
  EXPECT_EQ(resultOf("v_cmp_lt_i64", {~uint64_t(0), 0}), 1u);
  EXPECT_EQ(resultOf("v_cmp_lt_u64", {~uint64_t(0), 0}), 0u);
  EXPECT_EQ(resultOf("v_cmpx_ge_i16", {0x8000, 0}), 0u);
  AluMode flushing = testMode(11, false);
  EXPECT_EQ(runOp("v_cmp_eq_f32", {1, 0x80000001}, flushing).value, 1u);
}

TEST(AluFloat, ClassesAreDisjoint) {
  struct Member {
    uint64_t bits;
    unsigned classBit;
  };
  constexpr Member members[] = {{0x7f800001, 0}, {0xffc00000, 1}, {0xff800000, 2}, {0xbf800000, 3},
                                {0x80000001, 4}, {0x80000000, 5}, {0, 6},          {0x007fffff, 7},
                                {0x00800000, 8}, {0x7f800000, 9}};
  for (const Member &member : members)
    for (unsigned bit = 0; bit < 10; ++bit)
      EXPECT_EQ(resultOf("v_cmp_class_f32", {member.bits, uint64_t(1) << bit}),
                uint64_t(bit == member.classBit));
  EXPECT_EQ(resultOf("v_cmp_class_f16", {0x0001, 1 << 7}), 1u);
  EXPECT_EQ(resultOf("v_cmp_class_f64", {bits64(-1.0), 1 << 3}), 1u);
}

TEST(AluFloat, ZeroWinsUnderDirectX9Rules) {
  uint64_t infinity = 0x7f800000, nan = 0xffc00000;
  EXPECT_EQ(resultOf("v_mul_legacy_f32", {0x80000000, infinity}, 9), 0u);
  EXPECT_EQ(resultOf("v_mul_dx9_zero_f32", {nan, 0}), 0u);
  EXPECT_EQ(resultOf("v_mul_dx9_zero_f32", {bits32(2.0f), bits32(3.0f)}), bits32(6.0f));
  EXPECT_EQ(resultOf("v_fma_dx9_zero_f32", {0, infinity, bits32(5.0f)}), bits32(5.0f));
  EXPECT_EQ(resultOf("v_mul_f32", {0, infinity}), nan);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/Literals.h"

#include "support/Error.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

/// The bits, or all ones minus one where the literal is refused.
uint64_t bitsOf(StringRef text, ScalarKind kind) {
  Expected<uint64_t> bits = parseScalar(text, kind);
  if (bits)
    return *bits;
  EXPECT_EQ(assay::takeError(bits.takeError()).kind, ErrorKind::InvalidInput) << text.str();
  return ~1ull;
}
constexpr uint64_t refused = ~1ull;

TEST(Literals, TakeIntegersOfEveryWidthToTheirLimits) {
  EXPECT_EQ(bitsOf("-128", ScalarKind::Int8), 0x80u);
  EXPECT_EQ(bitsOf("127", ScalarKind::Int8), 0x7fu);
  EXPECT_EQ(bitsOf("65535", ScalarKind::Uint16), 0xffffu);
  EXPECT_EQ(bitsOf("-1", ScalarKind::Int32), 0xffffffffu);
  EXPECT_EQ(bitsOf("-9223372036854775808", ScalarKind::Int64), 0x8000000000000000u);
  EXPECT_EQ(bitsOf("18446744073709551615", ScalarKind::Uint64), ~0ull);
  EXPECT_EQ(bitsOf("0xDeadBeef", ScalarKind::Uint32), 0xdeadbeefu);
}

TEST(Literals, TakeHexadecimalAsBitsOfSignedTypes) {
  EXPECT_EQ(bitsOf("0xff", ScalarKind::Int8), 0xffu);
  EXPECT_EQ(bitsOf("0x80000000", ScalarKind::Int32), 0x80000000u);
}

/// As Amber does.
TEST(Literals, TakeTheLowerBitsOfLargeIntegers) {
  EXPECT_EQ(bitsOf("128", ScalarKind::Int8), 0x80u);
  EXPECT_EQ(bitsOf("-129", ScalarKind::Int8), 0x7fu);
  EXPECT_EQ(bitsOf("256", ScalarKind::Uint8), 0u);
  EXPECT_EQ(bitsOf("0x1ff", ScalarKind::Int8), 0xffu);
  EXPECT_EQ(bitsOf("4294967295", ScalarKind::Int32), 0xffffffffu);
  EXPECT_EQ(bitsOf("-1", ScalarKind::Uint32), 0xffffffffu);
  EXPECT_EQ(bitsOf("-128", ScalarKind::Uint8), 0x80u);
  EXPECT_EQ(bitsOf("-129", ScalarKind::Uint8), 0x7fu);
  EXPECT_EQ(bitsOf("-9223372036854775809", ScalarKind::Uint64), 0x7fffffffffffffffu);
  EXPECT_EQ(bitsOf("4294967296", ScalarKind::Uint32), 0u);
  EXPECT_EQ(bitsOf("18446744073709551616", ScalarKind::Uint64), ~0ull);
  EXPECT_EQ(bitsOf("18446744073709551616", ScalarKind::Uint16), 0xffffu);
}

TEST(Literals, AreRefusedBeyondTheirRangeWhereItMatters) {
  auto isRefused = [](StringRef text, ScalarKind kind) {
    Expected<uint64_t> bits = parseInRange(text, kind);
    bool refused = !bits;
    consumeError(bits.takeError());
    return refused;
  };
  for (StringRef text : {"128", "-129", "0x100", "99999999999999999999999999999999999999999999"})
    EXPECT_TRUE(isRefused(text, ScalarKind::Int8)) << text.str();
  for (StringRef text : {"127", "-128", "0xff", "0"})
    EXPECT_FALSE(isRefused(text, ScalarKind::Int8)) << text.str();
  EXPECT_TRUE(isRefused("18446744073709551616", ScalarKind::Uint64));
  EXPECT_FALSE(isRefused("18446744073709551615", ScalarKind::Uint64));
  EXPECT_FALSE(isRefused("1.5", ScalarKind::Float32));
}

TEST(Literals, TakeWholeNumbersWithAPoint) {
  EXPECT_EQ(bitsOf("0.0", ScalarKind::Int32), 0u);
  EXPECT_EQ(bitsOf("-2.00", ScalarKind::Int8), 0xfeu);
  EXPECT_EQ(bitsOf("7.", ScalarKind::Uint64), 7u);
}

TEST(Literals, RefuseWhatTheTypeCannotHold) {
  EXPECT_EQ(bitsOf("1e39", ScalarKind::Float32), refused);
  EXPECT_EQ(bitsOf("65520", ScalarKind::Float16), refused);
}

TEST(Literals, RefuseWhatIsNoNumber) {
  for (StringRef text : {"", "-", "abc", "1.5", "0.01", ".0", ".", "0x1.0", "1.0.0", "1e3", "0x",
                         "0xg", "1-", "+1", "nan", "--1", "1,2"})
    EXPECT_EQ(bitsOf(text, ScalarKind::Int32), refused) << text.str();
  for (StringRef text : {"", "-", ".", "e5", "1e", "1e+", "0x1.8p3", "1.2.3", "nano", "1f", "--1"})
    EXPECT_EQ(bitsOf(text, ScalarKind::Float32), refused) << text.str();
}

TEST(Literals, RoundFloatsToNearestEvenInTheirOwnType) {
  EXPECT_EQ(bitsOf("1.0", ScalarKind::Float32), 0x3f800000u);
  EXPECT_EQ(bitsOf(".5", ScalarKind::Float32), 0x3f000000u);
  EXPECT_EQ(bitsOf("-2.", ScalarKind::Float64), 0xc000000000000000u);
  EXPECT_EQ(bitsOf("16777217", ScalarKind::Float32), 0x4b800000u);
  // By way of double this would round twice, to 0x3f800000.
  EXPECT_EQ(bitsOf("1.000000059604644775390626", ScalarKind::Float32), 0x3f800001u);
  EXPECT_EQ(bitsOf("1e-45", ScalarKind::Float32), 1u);
  EXPECT_EQ(bitsOf("1e-60", ScalarKind::Float32), 0u);
  EXPECT_EQ(bitsOf("0.1", ScalarKind::Float16), 0x2e66u);
  EXPECT_EQ(bitsOf("-0.0", ScalarKind::Float32), 0x80000000u);
}

TEST(Literals, KnowSpecialFloatsAndHexadecimalNumbers) {
  EXPECT_EQ(bitsOf("inf", ScalarKind::Float32), 0x7f800000u);
  EXPECT_EQ(bitsOf("-inf", ScalarKind::Float64), 0xfff0000000000000u);
  EXPECT_EQ(bitsOf("NaN", ScalarKind::Float32), 0x7fc00000u);
  EXPECT_EQ(bitsOf("0x10", ScalarKind::Float32), 0x41800000u);
}

TEST(Literals, ReadTolerances) {
  Expected<Tolerance> percent = parseTolerance("0.5%");
  ASSERT_TRUE(!!percent);
  EXPECT_TRUE(percent->percent);
  EXPECT_EQ(percent->value, 0.5);
  for (StringRef text : {"-1", "nan", "%", "a%", "1%%"}) {
    Expected<Tolerance> bad = parseTolerance(text);
    EXPECT_FALSE(!!bad) << text.str();
    consumeError(bad.takeError());
  }
}

TEST(Literals, StoreLittleEndian) {
  std::vector<uint8_t> bytes(6, 0xee);
  storeScalar(bytes, 1, ScalarKind::Uint32, 0x11223344);
  EXPECT_EQ(bytes, (std::vector<uint8_t>{0xee, 0x44, 0x33, 0x22, 0x11, 0xee}));
}

} // namespace

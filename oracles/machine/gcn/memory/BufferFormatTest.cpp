// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All formats of typed buffer accesses against their names (definitions/Texel.h), and conversions
// against what the names mean.
#include "oracles/machine/gcn/definitions/Texel.h"
#include "oracles/machine/gcn/image/TexelCodec.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using definitions::BufferTexel;
using definitions::bufferTexels;

namespace {

constexpr StringLiteral Letters = "nsuiUIF"; ///< In the order of TexelClass.

/// A float of \p width bits; those of 10 and 11 bits have no sign.
double floatValue(uint64_t bits, unsigned width) {
  if (width == 32)
    return double(llvm::bit_cast<float>(uint32_t(bits)));
  unsigned mantissa = width == 16 ? 10 : width - 5;
  double sign = width == 16 && bits >> 15 ? -1 : 1;
  auto exponent = static_cast<int>(bits >> mantissa & 31);
  double fraction = double(bits & ((1u << mantissa) - 1)) / double(1u << mantissa);
  if (exponent == 31)
    return fraction == 0 ? sign * INFINITY : NAN;
  return sign * (exponent ? std::ldexp(1 + fraction, exponent - 15) : std::ldexp(fraction, -14));
}

/// What a component of \p width bits is worth; integers as numbers.
double valueOf(uint64_t bits, unsigned width, char letter) {
  int64_t number = int64_t(bits << (64 - width)) >> (64 - width);
  switch (letter) {
  case 'n':
    return double(bits) / (std::ldexp(1, int(width)) - 1);
  case 's':
    return std::max(-1.0, double(number) / (std::ldexp(1, int(width) - 1) - 1));
  case 'u':
  case 'U':
    return double(bits);
  case 'F':
    return floatValue(bits, width);
  default:
    return double(number);
  }
}

} // namespace

TEST(BufferFormats, NumbersMeanWhatTheirNamesSay) {
  for (unsigned gfxMajor : {9u, 10u, 11u, 12u})
    for (const BufferTexel &each : bufferTexels(gfxMajor)) {
      std::optional<HardwareFormat> format = decodeBufferFormat(each.number, gfxMajor);
      ASSERT_TRUE(format) << "GFX" << gfxMajor << " " << each.number;
      for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(format->bits[i], i < each.bits.size() ? each.bits[i] : 0) << each.number;
      EXPECT_EQ(format->kind, static_cast<TexelClass>(Letters.find(each.letter))) << each.number;
      EXPECT_FALSE(format->sharesExponent);
      EXPECT_EQ(encodeBufferFormat(*format, gfxMajor), each.number);
    }
}

TEST(BufferFormats, OtherNumbersAreNone) {
  EXPECT_FALSE(decodeBufferFormat(0, 10));
  EXPECT_FALSE(decodeBufferFormat(78, 10));
  EXPECT_FALSE(decodeBufferFormat(127, 10));
  EXPECT_FALSE(decodeBufferFormat(0, 11));
  EXPECT_FALSE(decodeBufferFormat(1 << 3 | 6, 9));
}

TEST(BufferFormats, LoadsGiveTheComponentsValues) {
  std::mt19937_64 random(9);
  for (const BufferTexel &each : bufferTexels(10)) {
    HardwareFormat format = *decodeBufferFormat(each.number, 10);
    for (unsigned round = 0; round < 200; ++round) {
      unsigned __int128 texel = random() | static_cast<unsigned __int128>(random()) << 64;
      if (round < 2)
        texel = round ? ~texel | texel : 0;
      uint8_t bytes[16];
      std::memcpy(bytes, &texel, 16);
      TexelWords words = decodeTexel(format, bytes);
      unsigned first = 0;
      for (unsigned i = 0; i < each.bits.size(); first += each.bits[i++]) {
        auto bits = uint64_t(texel >> first) & ((uint64_t(1) << each.bits[i]) - 1);
        double wanted = valueOf(bits, each.bits[i], each.letter);
        if (each.letter == 'U' || each.letter == 'I')
          EXPECT_EQ(words[i], static_cast<uint32_t>(static_cast<int64_t>(wanted)));
        else if (std::isnan(wanted))
          EXPECT_TRUE(std::isnan(llvm::bit_cast<float>(words[i])));
        else
          EXPECT_EQ(llvm::bit_cast<float>(words[i]), static_cast<float>(wanted)) << each.number;
      }
    }
  }
}

/// The nearest number that the format has; of two, either may be meant to be it, but not a third.
TEST(BufferFormats, StoresTakeTheNearestValue) {
  std::mt19937 random(10);
  std::uniform_real_distribution<float> numbers(-1.25f, 1.25f);
  for (const BufferTexel &each : bufferTexels(10)) {
    if (each.letter == 'U' || each.letter == 'I')
      continue;
    HardwareFormat format = *decodeBufferFormat(each.number, 10);
    for (unsigned round = 0; round < 100; ++round) {
      bool isScaled = each.letter == 'u' || each.letter == 'i';
      float number = numbers(random) * (isScaled ? 300 : 1);
      TexelWords words;
      words.fill(llvm::bit_cast<uint32_t>(number));
      uint8_t bytes[16] = {};
      encodeTexel(format, words, bytes);
      unsigned __int128 texel;
      std::memcpy(&texel, bytes, 16);
      unsigned first = 0;
      for (unsigned i = 0; i < each.bits.size(); first += each.bits[i++]) {
        unsigned width = each.bits[i];
        uint64_t mask = (uint64_t(1) << width) - 1;
        auto bits = uint64_t(texel >> first) & mask;
        double target = isScaled ? std::trunc(number) : number;
        double distance = std::abs(valueOf(bits, width, each.letter) - target);
        for (uint64_t other : {(bits + 1) & mask, (bits - 1) & mask}) {
          double value = valueOf(other, width, each.letter);
          EXPECT_TRUE(std::isnan(value) || std::abs(value - target) >= distance)
              << each.number << ": " << number << " as " << bits;
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of texels against definitions that are written down here in another way.
#include "oracles/machine/spirv/image/Texel.h"
#include "oracles/machine/spirv/math/FloatMath.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
constexpr double Inf = INFINITY;

const TexelFormatInfo &formatNamed(StringRef name) {
  std::optional<TexelFormat> format = findTexelFormat(name);
  EXPECT_TRUE(format) << name.str();
  return getTexelFormatInfo(*format);
}

Scalar floatScalar(double value) {
  return Scalar::exact(toFloat(value));
}

TexelValue colour(double r, double g = 0, double b = 0, double a = 1) {
  return {floatScalar(r), floatScalar(g), floatScalar(b), floatScalar(a)};
}

TexelValue integers(uint64_t r, uint64_t g = 0, uint64_t b = 0, uint64_t a = 1) {
  return {Scalar::exact(r), Scalar::exact(g), Scalar::exact(b), Scalar::exact(a)};
}

TexelValue readBytes(StringRef format, std::vector<uint8_t> bytes) {
  BufferState state;
  state.bytes = std::move(bytes);
  return readTexel(BufferMemory(state, 0), 0, formatNamed(format), {});
}

BufferState writeBytes(StringRef format, const TexelValue &value) {
  const TexelFormatInfo &info = formatNamed(format);
  BufferState state;
  state.bytes.resize(info.bytes);
  BufferMemory memory(state, 0);
  writeTexel(memory, 0, info, value, {});
  memory.exportTo(state);
  return state;
}

/// "5", "5..6" or "open": the field of the bits from \p first.
std::string fieldText(const BufferState &state, uint64_t first, unsigned bits) {
  for (const auto &[offset, length] : state.indeterminate)
    if (first / 8 >= offset && first / 8 < offset + length)
      return "open";
  if (auto found = state.fields.find(first); found != state.fields.end()) {
    EXPECT_EQ(found->second.bits, bits);
    return std::to_string(found->second.lo) + ".." + std::to_string(found->second.hi);
  }
  uint64_t number = 0;
  for (unsigned i = 0; i < bits; ++i)
    number |= uint64_t(state.bytes[(first + i) / 8] >> (first + i) % 8 & 1) << i;
  return std::to_string(number);
}

Interval intervalIn(const Scalar &value) {
  FloatRules exact;
  exact.mayFlush = false;
  return intervalOf(value, exact);
}

struct DecodeRow {
  const char *format;
  std::vector<uint8_t> bytes;
  std::vector<double> channels; ///< R, G, B, A.
};
} // namespace

TEST(Texel, DecodesEachKindOfFormat) {
  const DecodeRow rows[] = {
      {"R8G8B8A8_UNORM", {0, 255, 51, 102}, {0, 1, 0.2, 0.4}},
      {"D24_UNORM_S8_UINT", {255, 255, 255, 7}, {1, 0, 0, 1}},
      {"D32_SFLOAT_S8_UINT", {0, 0, 0, 0x3f, 9, 0, 0, 0}, {0.5, 0, 0, 1}},
      {"B8G8R8A8_UNORM", {0, 255, 51, 102}, {0.2, 1, 0, 0.4}},
      {"A8B8G8R8_UNORM_PACK32", {0, 255, 51, 102}, {0, 1, 0.2, 0.4}},
      {"R8_SNORM", {0x80}, {-1, 0, 0, 1}},
      {"R8_SNORM", {0x81}, {-1, 0, 0, 1}},
      {"R8G8_SNORM", {0x7f, 0xc0}, {1, -64.0 / 127, 0, 1}},
      {"R16G16_SNORM", {0x00, 0x80, 0xff, 0x7f}, {-1, 1, 0, 1}},
      {"R16_UNORM", {0x34, 0x12}, {0x1234 / 65535.0, 0, 0, 1}},
      {"R8_USCALED", {200}, {200, 0, 0, 1}},
      {"R8_SSCALED", {200}, {-56, 0, 0, 1}},
      {"R5G6B5_UNORM_PACK16", {0x1f, 0x04}, {0, 32.0 / 63, 1, 1}},
      {"B5G6R5_UNORM_PACK16", {0x1f, 0x04}, {1, 32.0 / 63, 0, 1}},
      {"R4G4_UNORM_PACK8", {0x3c}, {0.2, 0.8, 0, 1}},
      {"R4G4B4A4_UNORM_PACK16", {0x69, 0x3c}, {0.2, 0.8, 0.4, 0.6}},
      {"A1R5G5B5_UNORM_PACK16", {0x1f, 0x80}, {0, 0, 1, 1}},
      {"R5G5B5A1_UNORM_PACK16", {0x01, 0xf8}, {1, 0, 0, 1}},
      {"A2B10G10R10_UNORM_PACK32", {0xff, 0x03, 0x00, 0x40}, {1, 0, 0, 1.0 / 3}},
      {"A2R10G10B10_UNORM_PACK32", {0xff, 0x03, 0x00, 0x40}, {0, 0, 1, 1.0 / 3}},
      {"A2B10G10R10_SNORM_PACK32", {0x00, 0x02, 0x00, 0xc0}, {-1, 0, 0, -1}},
      {"R16G16_SFLOAT", {0x00, 0x3c, 0x01, 0x00}, {1, std::ldexp(1, -24), 0, 1}},
      {"R32_SFLOAT", {0, 0, 0x28, 0x42}, {42, 0, 0, 1}},
      {"B10G11R11_UFLOAT_PACK32", {0xc0, 0x03, 0x1e, 0x80}, {1, 1, 2, 1}},
      {"E5B9G9R9_UFLOAT_PACK32", {0x01, 0x04, 0x10, 0xc0}, {1, 2, 4, 1}},
      {"D16_UNORM", {0xff, 0xff}, {1, 0, 0, 1}},
      {"X8_D24_UNORM_PACK32", {0, 0, 0x80, 0xab}, {0x800000 / 16777215.0, 0, 0, 1}},
      {"D32_SFLOAT", {0, 0, 0, 0x3f}, {0.5, 0, 0, 1}},
      {"R8G8B8A8_SRGB", {0, 255, 0, 51}, {0, 1, 0, 0.2}},
  };
  for (const DecodeRow &row : rows) {
    TexelValue value = readBytes(row.format, row.bytes);
    for (unsigned i = 0; i < 4; ++i) {
      double expected = row.channels[i];
      Interval interval = intervalIn(value[i]);
      EXPECT_LE(interval.lo, expected) << row.format << " channel " << i;
      EXPECT_GE(interval.hi, expected) << row.format << " channel " << i;
      EXPECT_LE(interval.hi - interval.lo, std::fabs(expected) * 0x1p-20) << row.format;
    }
  }
}

TEST(Texel, DecodesIntegersOfEverySignAndSize) {
  auto text = [](StringRef format, std::vector<uint8_t> bytes) {
    std::string result;
    for (const Scalar &value : readBytes(format, std::move(bytes)))
      result += std::to_string(value.bits) + (value.flags ? "? " : " ");
    return result;
  };
  EXPECT_EQ(text("R8_UINT", {200}), "200 0 0 1 ");
  EXPECT_EQ(text("R8_SINT", {0xfe}), "4294967294 0 0 1 ");
  EXPECT_EQ(text("R16G16_SINT", {0xff, 0xff, 0xff, 0x7f}), "4294967295 32767 0 1 ");
  EXPECT_EQ(text("R32_SINT", {0xff, 0xff, 0xff, 0xff}), "4294967295 0 0 1 ");
  EXPECT_EQ(text("A2B10G10R10_UINT_PACK32", {0x01, 0x08, 0x30, 0xc0}), "1 2 3 3 ");
  EXPECT_EQ(text("R64_UINT", {1, 0, 0, 0, 2, 0, 0, 0}), "8589934593 0 0 1 ");
  EXPECT_EQ(text("B8G8R8A8_UINT", {1, 2, 3, 4}), "3 2 1 4 ");
}

TEST(Texel, ReadsAndWritesEveryNormalizedNumber) {
  for (unsigned number = 0; number < 65536; number += number < 256 ? 1 : 37) {
    std::vector<uint8_t> bytes = {uint8_t(number), uint8_t(number >> 8)};
    TexelValue value = readBytes("R16_UNORM", bytes);
    EXPECT_TRUE(intervalIn(value[0]).contains(number / 65535.0) || number == 0) << number;
    EXPECT_EQ(fieldText(writeBytes("R16_UNORM", value), 0, 16), std::to_string(number));
    value = readBytes("R16_SNORM", bytes);
    unsigned back = number == 0x8000 ? 0x8001 : number; // Both are -1.
    EXPECT_EQ(fieldText(writeBytes("R16_SNORM", value), 0, 16), std::to_string(back));
    if (number > 255)
      continue;
    value = readBytes("R8_UNORM", bytes);
    EXPECT_EQ(fieldText(writeBytes("R8_UNORM", value), 0, 8), std::to_string(number));
  }
}

TEST(Texel, RoundsToEitherNeighbour) {
  auto unorm = [](double value) { return fieldText(writeBytes("R8_UNORM", colour(value)), 0, 8); };
  EXPECT_EQ(unorm(0.5), "127..128");
  EXPECT_EQ(unorm(0.3), "76..77");
  EXPECT_EQ(unorm(0.2), "51"); // 0.2 is 51 / 255, except for the rounding of the float.
  EXPECT_EQ(unorm(0.0), "0");
  EXPECT_EQ(unorm(1.0), "255");
  EXPECT_EQ(unorm(7.0), "255");
  EXPECT_EQ(unorm(-7.0), "0");
  EXPECT_EQ(unorm(NAN), "open");
  EXPECT_EQ(unorm(-Inf), "0");
  auto snorm = [](double value) { return fieldText(writeBytes("R8_SNORM", colour(value)), 0, 8); };
  EXPECT_EQ(snorm(-1.0), "129");
  EXPECT_EQ(snorm(-3.0), "129");
  EXPECT_EQ(snorm(-0.5), "-64..-63");
  EXPECT_EQ(snorm(0.25), "31..32");
  BufferState packed = writeBytes("R5G6B5_UNORM_PACK16", colour(0.5, 1, 0.25));
  EXPECT_EQ(fieldText(packed, 0, 5), "7..8");
  EXPECT_EQ(fieldText(packed, 5, 6), "63");
  EXPECT_EQ(fieldText(packed, 11, 5), "15..16");
}

TEST(Texel, WritesFloatsWithOneOfTheirNeighbours) {
  auto half = [](double value) -> std::pair<double, double> {
    BufferState state = writeBytes("R16_SFLOAT", colour(value));
    if (state.intervals.empty()) {
      double exact = fromHalf(uint16_t(state.bytes[0] | state.bytes[1] << 8));
      return {exact, exact};
    }
    return {state.intervals[0].lo, state.intervals[0].hi};
  };
  using Pair = std::pair<double, double>;
  EXPECT_EQ(half(1.5), Pair(1.5, 1.5));
  EXPECT_EQ(half(1 + 0x1p-12), Pair(1, 1 + 0x1p-10));
  EXPECT_EQ(half(-1 - 0x1p-12), Pair(-1 - 0x1p-10, -1));
  EXPECT_EQ(half(70000), Pair(65504, Inf));
  EXPECT_EQ(half(-Inf), Pair(-Inf, -Inf));
  EXPECT_EQ(half(0x1p-24), Pair(0, 0x1p-24)); // Denormals may be flushed.
  auto small = [](double value) {
    return fieldText(writeBytes("B10G11R11_UFLOAT_PACK32", colour(value)), 0, 11);
  };
  EXPECT_EQ(small(1), "960");
  EXPECT_EQ(small(-1), "0");
  EXPECT_EQ(small(1 + 0x1p-8), "960..961");
  EXPECT_EQ(small(1e30), "1983..1984");
  EXPECT_EQ(small(Inf), "1984");
  EXPECT_EQ(small(NAN), "1985..2047");
}

TEST(Texel, SmallFloatsAreInTheOrderOfTheirBits) {
  for (unsigned width : {10u, 11u}) {
    double last = -1;
    for (unsigned bits = 0; bits < 31u << (width - 5); ++bits) {
      int mantissaBits = int(width) - 5, exponent = int(bits >> mantissaBits);
      double mantissa = bits & ((1u << mantissaBits) - 1);
      double expected =
          exponent ? std::ldexp(mantissa + (1 << mantissaBits), exponent - 15 - mantissaBits)
                   : std::ldexp(mantissa, -14 - mantissaBits);
      EXPECT_EQ(fromSmallFloat(bits, width), expected);
      EXPECT_GT(expected, last);
      last = expected;
    }
  }
}

TEST(Texel, ConvertsSrgbBothWays) {
  for (unsigned number = 0; number < 256; ++number) {
    TexelValue value = readBytes("R8G8B8A8_SRGB", {uint8_t(number), 0, 0, uint8_t(number)});
    double encoded = number / 255.0;
    double linear = encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
    Interval interval = intervalIn(value[0]);
    EXPECT_TRUE(interval.lo <= linear + 1e-9 && linear - 1e-9 <= interval.hi) << number;
    EXPECT_TRUE(intervalIn(value[3]).contains(encoded) || number == 0) << number;
    EXPECT_EQ(fieldText(writeBytes("R8G8B8A8_SRGB", colour(linear)), 0, 8), std::to_string(number));
  }
}

TEST(Texel, SharesAnExponent) {
  auto text = [](const TexelValue &value) {
    BufferState state = writeBytes("E5B9G9R9_UFLOAT_PACK32", value);
    return fieldText(state, 0, 9) + " " + fieldText(state, 9, 9) + " " + fieldText(state, 18, 9) +
           " " + fieldText(state, 27, 5);
  };
  EXPECT_EQ(text(colour(1, 0.5, 0.25)), "256 128 64 16");
  EXPECT_EQ(text(colour(511.75, 0, 0)), "256 0 0 25"); // Rounds up to the next exponent.
  EXPECT_EQ(text(colour(1e9, -1, 65408)), "511 0 511 31");
  EXPECT_EQ(text(colour(0)), "0 0 0 0");
  EXPECT_EQ(text(colour(0x1p-24, 0, 0)), "1 0 0 0");
}

TEST(Texel, LeavesOpenWhatAComponentCannotHold) {
  auto text = [](StringRef format, uint64_t value, unsigned bits) {
    return fieldText(writeBytes(format, integers(value)), 0, bits);
  };
  EXPECT_EQ(text("R8_UINT", 255, 8), "255");
  EXPECT_EQ(text("R8_UINT", 256, 8), "open");
  EXPECT_EQ(text("R8_SINT", 0xffffff80, 8), "128");
  EXPECT_EQ(text("R8_SINT", 0xffffff7f, 8), "open");
  EXPECT_EQ(text("R8_SINT", 127, 8), "127");
  EXPECT_EQ(text("R8_SINT", 128, 8), "open");
  EXPECT_EQ(text("R16_UINT", 65535, 16), "65535");
  EXPECT_EQ(text("R32_UINT", 0xdeadbeef, 32), std::to_string(0xdeadbeefu));
  EXPECT_EQ(text("A2B10G10R10_UINT_PACK32", 1024, 10), "open");
}

TEST(Texel, KeepsIntervalsOverAWriteAndARead) {
  const TexelFormatInfo &format = formatNamed("R8G8B8A8_UNORM");
  BufferState state;
  state.bytes.resize(8);
  BufferMemory memory(state, 0);
  writeTexel(memory, 0, format, colour(0.5, 1, 0.3, 0), {});
  TexelValue value = readTexel(memory, 0, format, {});
  Interval red = intervalIn(value[0]);
  EXPECT_LE(red.lo, 127 / 255.0);
  EXPECT_GE(red.hi, 128 / 255.0);
  EXPECT_LT(red.hi - red.lo, 1.01 / 255);
  EXPECT_EQ(value[1].bits, 0x3f800000u);
  memory.exportTo(state);
  // What the next dispatch gets is the same.
  BufferMemory next(state, 0);
  EXPECT_EQ(intervalIn(readTexel(next, 0, format, {})[0]).hi, red.hi);
  // A plain write of one byte takes its field's interval away, and no other's.
  next.store(0, 1, Scalar::exact(7));
  next.exportTo(state);
  EXPECT_EQ(fieldText(state, 0, 8), "7");
  EXPECT_EQ(fieldText(state, 16, 8), "76..77");
  EXPECT_FALSE(next.load(0, 1, false).flags);
  EXPECT_TRUE(next.load(2, 1, false).flags & Ambiguous);
}

TEST(Texel, LosesPackedFieldsTogether) {
  const TexelFormatInfo &format = formatNamed("R5G6B5_UNORM_PACK16");
  BufferState state;
  state.bytes.resize(2);
  BufferMemory memory(state, 0);
  writeTexel(memory, 0, format, colour(0.5, 0.3, 0.5), {});
  memory.store(0, 1, Scalar::exact(0));
  memory.exportTo(state);
  EXPECT_TRUE(state.fields.empty());
  EXPECT_EQ(fieldText(state, 0, 8), "0");
  EXPECT_EQ(fieldText(state, 8, 8), "open");
  writeTexel(memory, 0, format, {Scalar::undefined(Cause::Math), floatScalar(0.3), floatScalar(0)},
             {});
  memory.exportTo(state);
  EXPECT_EQ(fieldText(state, 0, 5), "open");
  EXPECT_EQ(fieldText(state, 5, 6), "open");
  EXPECT_TRUE(readTexel(memory, 0, format, {})[1].isPoison());
}

TEST(Texel, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(whyNotReadable(formatNamed("S8_UINT")).empty());
  EXPECT_FALSE(whyNotReadable(formatNamed("R64_SFLOAT")).empty());
  EXPECT_TRUE(whyNotReadable(formatNamed("R64_UINT")).empty());
  EXPECT_FALSE(whyNotWritable(formatNamed("R8_USCALED")).empty());
  EXPECT_FALSE(whyNotWritable(formatNamed("D16_UNORM")).empty());
  EXPECT_TRUE(whyNotWritable(formatNamed("B10G11R11_UFLOAT_PACK32")).empty());
}

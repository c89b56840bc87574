// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/TexelCodec.h"

#include "support/Random.h"
#include <array>
#include <cstring>
#include <gmock/gmock.h>

using namespace assay;
using namespace assay::raster;

static const TexelFormatInfo &infoOf(llvm::StringRef name) {
  return getTexelFormatInfo(findTexelFormat(name).value_or(TexelFormat::Undefined));
}

static bool isColor(const TexelFormatInfo &format) {
  return !format.find('D') && !format.find('S');
}

/// All formats that can be targets.
static std::vector<const TexelFormatInfo *> listTargets() {
  std::vector<const TexelFormatInfo *> result;
  for (uint32_t number = 1; number < 200; ++number)
    if (auto format = findTexelFormat(number); format && whyNotRenderable(*format).empty())
      result.push_back(&getTexelFormatInfo(*format));
  return result;
}

static bool contains(const Field &field, const Field &number) {
  if (field.isOpen || number.mayBeNan)
    return field.isOpen || field.mayBeNan;
  return field.range.contains(number.range.lo);
}

TEST(TexelCodec, LoadsWhatItStored) {
  Random random(1);
  for (const TexelFormatInfo *format : listTargets())
    for (int round = 0; round < 50; ++round) {
      uint8_t bytes[16], copy[16];
      for (uint8_t &byte : bytes)
        byte = uint8_t(random.below(256));
      TexelFields fields = loadFields(*format, bytes);
      storeFields(*format, fields, copy);
      TexelFields again = loadFields(*format, copy);
      EXPECT_EQ(fields, again) << format->name.str();
      bool hasNan = llvm::any_of(fields, [](const Field &field) { return field.mayBeNan; });
      unsigned usedBits = 0;
      for (const TexelComponent &component : format->components)
        usedBits += component.channel == 'X' ? 0 : component.bits;
      if (!hasNan && usedBits == format->bytes * 8) {
        EXPECT_EQ(std::memcmp(bytes, copy, format->bytes), 0) << format->name.str();
      }
    }
}

TEST(TexelCodec, EncodesWhatItDecoded) {
  Random random(2);
  for (const TexelFormatInfo *format : listTargets())
    for (int round = 0; round < 50 && isColor(*format); ++round) {
      uint8_t bytes[16];
      for (uint8_t &byte : bytes)
        byte = uint8_t(random.below(256));
      TexelFields fields = loadFields(*format, bytes);
      TexelFields again = encodeColor(*format, decodeColor(*format, fields));
      for (unsigned i = 0; i < format->componentCount; ++i) {
        Field field = fields[i];
        if (format->numeric == TexelNumeric::Snorm) // It has a second number for -1.
          field.range =
              maximum(field.range, Range::point(-getMaxCode(format->components[i].bits, true)));
        EXPECT_TRUE(contains(again[i], field)) << format->name.str();
      }
    }
}

TEST(TexelCodec, ConvertsByHand) {
  struct Row {
    const char *format;
    double value;
    Range expected; ///< Of the first component that is R.
  };
  const Row rows[] = {
      {"R8_UNORM", 0.5, {127, 128}},
      {"R8_UNORM", 1.5, {255, 255}},
      {"R8_UNORM", -1, {0, 0}},
      {"R8_UNORM", 0.2, {51, 51}},
      {"R8_SNORM", -2, {-127, -127}},
      {"R8_SNORM", 0.5, {63, 64}},
      {"R8_SRGB", 1, {255, 255}},
      {"R8_SRGB", 0.21404114, {127, 128}}, // 0.5 encoded.
      {"R8_SRGB", 0.0015, {4, 5}},         // On the linear part: 4.94.
      {"R5G6B5_UNORM_PACK16", 1, {31, 31}},
      {"A2B10G10R10_UNORM_PACK32", 0.5, {511, 512}},
      {"R16_UNORM", 0.25, {16383, 16384}},
      {"R16_SFLOAT", 1 + 0x1p-11, {1, 1 + 0x1p-10}},
      {"R16_SFLOAT", 70000, {65504, std::numeric_limits<double>::infinity()}},
      {"R16_SFLOAT", -0x1p-24, {-0x1p-24, 0}},
      {"R32_SFLOAT", 0.1f, {0.1f, 0.1f}},
      {"B10G11R11_UFLOAT_PACK32", 1, {15 << 6, 15 << 6}},
      {"B10G11R11_UFLOAT_PACK32", -1, {0, 0}},
      {"B10G11R11_UFLOAT_PACK32", 1 + 0x1p-7, {15 << 6, (15 << 6) + 1}},
      {"R8_UINT", 255, {255, 255}},
      {"R32_SINT", -5, {-5, -5}},
  };
  for (const Row &row : rows) {
    const TexelFormatInfo &format = infoOf(row.format);
    Color color;
    color.fill(Component::point(row.value));
    TexelFields fields = encodeColor(format, color);
    for (unsigned i = 0; i < format.componentCount; ++i)
      if (format.components[i].channel == 'R') {
        EXPECT_EQ(fields[i].range, row.expected) << row.format << ' ' << row.value;
      }
  }
}

TEST(TexelCodec, ShowsTheNearestNumber) {
  const TexelFormatInfo &format = infoOf("R8_UNORM");
  for (double code : {0.25, 0.75, 99.375, 254.625}) {
    Color color;
    color.fill(Component::point(code / 255));
    uint8_t byte = 0;
    storeFields(format, encodeColor(format, color), &byte);
    EXPECT_EQ(byte, std::floor(code + 0.5));
  }
}

TEST(TexelCodec, KeepsWhatIsOpen) {
  Color color;
  color.fill(Component::open());
  EXPECT_TRUE(encodeColor(infoOf("R8_UNORM"), color)[0].isOpen);
  color.fill(Component{{1, -1}, true});
  EXPECT_TRUE(encodeColor(infoOf("R8_UNORM"), color)[0].isOpen);
  EXPECT_TRUE(encodeColor(infoOf("R32_SFLOAT"), color)[0].mayBeNan);
  color.fill(Component::point(256));
  EXPECT_TRUE(encodeColor(infoOf("R8_UINT"), color)[0].isOpen);
  // Only NaN: the numbers above infinity.
  color.fill(Component{{1, -1}, true});
  EXPECT_EQ(encodeColor(infoOf("B10G11R11_UFLOAT_PACK32"), color)[0].range, (Range{1985, 2047}));
}

TEST(TexelCodec, SrgbIsItsOwnInverse) {
  for (int i = 0; i <= 255; ++i)
    EXPECT_NEAR(encodeSrgb(decodeSrgb(i / 255.0)) * 255, i, 1e-4);
  EXPECT_NEAR(decodeSrgb(0.5), 0.21404114048, 1e-10);
  EXPECT_NEAR(encodeSrgb(0.5), 0.73535698305, 1e-10);
}

TEST(TexelCodec, ConvertsDepth) {
  EXPECT_EQ(encodeDepth(Range::point(0.5), 16).range, (Range{32767, 32768}));
  EXPECT_EQ(encodeDepth(Range::point(1), 24), Field::point(0xffffff));
  EXPECT_EQ(encodeDepth({0.25, 0.75}, 32).range, (Range{0.25, 0.75}));
  EXPECT_EQ(decodeDepth(Field::point(65535), 16), Range::point(1));
}

static TexelFields oneNumber(double lo, double hi) {
  TexelFields fields = {};
  fields[0].range = {lo, hi};
  return fields;
}

TEST(RenderTarget, DropsSpareAlternatives) {
  RenderTarget target(infoOf("R8_UNORM").format, 4, 4, 2, 1);
  uint64_t index = target.indexOf(1, 2, 1, 0);
  EXPECT_EQ(index, 16u + 2 * 4 + 1);
  target.setTexel(index, {oneNumber(3, 9), oneNumber(5, 5), oneNumber(3, 9), oneNumber(12, 12)});
  EXPECT_EQ(target.getTexel(index), (TexelAlternatives{oneNumber(3, 9), oneNumber(12, 12)}));
  EXPECT_EQ(target.openTexels().size(), 1u);
  TexelAlternatives many;
  for (int i = 0; i < 20; ++i)
    many.push_back(oneNumber(i * 2, i * 2));
  target.setTexel(index, many);
  EXPECT_EQ(target.getTexel(index), (TexelAlternatives{oneNumber(0, 38)}));
  target.setTexel(index, {oneNumber(7, 7)});
  EXPECT_TRUE(target.openTexels().empty());
  EXPECT_EQ(target.bytes()[index], 7);
}

TEST(RenderTarget, ResolvesByFormat) {
  auto resolveOf = [](llvm::StringRef format, const std::vector<uint8_t> &bytes) {
    RenderTarget from(infoOf(format).format, 1, 1, 1, 4), to(from.format().format, 1, 1, 1, 1);
    from.load(bytes);
    resolve(from, to);
    return to.getTexel(0)[0][0].range;
  };
  EXPECT_EQ(resolveOf("R8_UNORM", {10, 20, 30, 40}), Range::point(25));
  EXPECT_EQ(resolveOf("R8_UNORM", {10, 20, 30, 41}), (Range{25, 26}));
  EXPECT_EQ(resolveOf("R8_UINT", {10, 20, 30, 40}), Range::point(10));
  EXPECT_EQ(resolveOf("S8_UINT", {10, 20, 30, 40}), Range::point(10));
  EXPECT_EQ(resolveOf("D16_UNORM", {1, 0, 2, 0, 3, 0, 4, 0}), Range::point(1));
  // Floats may be rounded at each step, whose error depends on the samples and not on their sum.
  auto resolveFloats = [&](std::array<float, 4> samples) {
    std::vector<uint8_t> bytes(sizeof(samples));
    std::memcpy(bytes.data(), samples.data(), sizeof(samples));
    return resolveOf("R32_SFLOAT", bytes);
  };
  EXPECT_EQ(resolveFloats({1, 2, 3, 4}), Range::point(2.5));
  Range positive = resolveFloats({0.1f, 1000, 0.3f, -1000}),
        negative = resolveFloats({-0.1f, -1000, -0.3f, 1000});
  EXPECT_TRUE(positive.contains((0.1f + 1000 + 0.3f - 1000) / 4))
      << positive.lo << ' ' << positive.hi;
  EXPECT_EQ(negative, (Range{-positive.hi, -positive.lo}));
  // sRGB averages linear colours: half of the samples white is 188, not 127.
  EXPECT_EQ(resolveOf("R8_SRGB", {255, 255, 0, 0}), (Range{187, 188}));
}

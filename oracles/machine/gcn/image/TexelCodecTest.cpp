// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/image/TexelCodec.h"

#include "support/Error.h"
#include "llvm/ADT/bit.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static uint32_t bitsOf(float number) {
  return llvm::bit_cast<uint32_t>(number);
}

static TexelFormat formatNamed(StringRef name) {
  std::optional<TexelFormat> format = findTexelFormat(name);
  EXPECT_TRUE(format) << name.str();
  return format.value_or(TexelFormat::Undefined);
}

static TexelView viewOf(StringRef name) {
  Expected<TexelView> view = describeTexel(formatNamed(name));
  if (view)
    return *view;
  ADD_FAILURE() << takeError(view.takeError()).message;
  return {};
}

/// What registers get of the texel whose bytes are those of \p value, low byte first.
static TexelWords read(StringRef name, uint64_t value) {
  uint8_t bytes[16] = {};
  for (unsigned i = 0; i < 8; ++i)
    bytes[i] = uint8_t(value >> (8 * i));
  TexelView view = viewOf(name);
  return selectComponents(view, decodeTexel(view.format, bytes));
}

static uint64_t write(StringRef name, const TexelWords &words) {
  uint8_t bytes[16] = {};
  TexelView view = viewOf(name);
  encodeTexel(view.format, arrangeComponents(view, words), bytes);
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

TEST(TexelCodec, ViewsOfDepthAndStencilAreOfDepth) {
  TexelWords words = read("D24_UNORM_S8_UINT", 0x07ffffff);
  EXPECT_EQ(words[0], bit_cast<uint32_t>(1.0f));
  EXPECT_FALSE(viewOf("D24_UNORM_S8_UINT").isStencil);
  EXPECT_TRUE(viewOf("S8_UINT").isStencil);
}

TEST(TexelCodec, NumbersAreThoseOfTheManuals) {
  struct Row {
    const char *name;
    uint32_t gfx9, gfx10, gfx11;
  };
  constexpr Row rows[] = {
      {"R8_UNORM", 1 << 4, 1, 1},
      {"R32_SFLOAT", 4 << 4 | 7, 22, 22},
      {"B10G11R11_UFLOAT_PACK32", 6 << 4 | 7, 36, 30},
      {"A2B10G10R10_UNORM_PACK32", 9 << 4, 50, 36},
      {"R8G8B8A8_UINT", 10 << 4 | 4, 60, 46},
      {"R8G8B8A8_SRGB", 10 << 4 | 9, 130, 66},
      {"R16G16B16A16_SFLOAT", 12 << 4 | 7, 71, 57},
      {"R32G32B32A32_SFLOAT", 14 << 4 | 7, 77, 63},
      {"E5B9G9R9_UFLOAT_PACK32", 34 << 4 | 7, 132, 67},
      {"R5G6B5_UNORM_PACK16", 16 << 4, 133, 68},
  };
  for (const Row &row : rows) {
    HardwareFormat format = viewOf(row.name).format;
    EXPECT_EQ(encodeFormat(format, 9), row.gfx9) << row.name;
    EXPECT_EQ(encodeFormat(format, 10), row.gfx10) << row.name;
    EXPECT_EQ(encodeFormat(format, 11), row.gfx11) << row.name;
    EXPECT_EQ(encodeFormat(format, 12), row.gfx11) << row.name;
  }
}

TEST(TexelCodec, EveryNumberNamesItsFormat) {
  for (unsigned major : {9, 10, 11, 12})
    for (uint32_t number = 0; number < 1024; ++number)
      if (std::optional<HardwareFormat> format = decodeFormat(number, major))
        EXPECT_EQ(encodeFormat(*format, major), number) << "GFX" << major;
}

TEST(TexelCodec, ReadsComponentsInTheirPlaces) {
  EXPECT_EQ(read("R8G8B8A8_UINT", 0x44332211), (TexelWords{0x11, 0x22, 0x33, 0x44}));
  EXPECT_EQ(read("B8G8R8A8_UNORM", 0x00ff0000), (TexelWords{bitsOf(1), 0, 0, 0}));
  EXPECT_EQ(read("R16_SINT", 0xfffe), (TexelWords{0xfffffffe, 0, 0, 1}));
  EXPECT_EQ(read("A1R5G5B5_UNORM_PACK16", 0xfc00), (TexelWords{bitsOf(1), 0, 0, bitsOf(1)}));
  EXPECT_EQ(read("R64_UINT", 0x1122334455667788)[1], 0x11223344u);
}

TEST(TexelCodec, ReadsNormalizedNumbers) {
  EXPECT_EQ(read("R8G8_UNORM", 0x33ff), (TexelWords{bitsOf(1), bitsOf(0.2f), 0, bitsOf(1)}));
  EXPECT_EQ(read("R8G8_SNORM", 0x8081)[0], bitsOf(-1));
  EXPECT_EQ(read("R8G8_SNORM", 0x8081)[1], bitsOf(-1));
  EXPECT_EQ(read("R8G8B8A8_SRGB", 0xffff00ff)[3], bitsOf(1));
  float middle = llvm::bit_cast<float>(read("R8_SRGB", 188)[0]);
  EXPECT_NEAR(middle, 0.5029f, 1e-4f);
}

TEST(TexelCodec, ReadsSmallFloats) {
  EXPECT_EQ(read("R16_SFLOAT", 0xc500)[0], bitsOf(-5));
  TexelWords packed = read("B10G11R11_UFLOAT_PACK32", 0x3c0u | 0x400u << 11 | 0x3e0u << 22);
  EXPECT_EQ(packed[0], bitsOf(1));
  EXPECT_EQ(packed[1], bitsOf(2));
  EXPECT_EQ(packed[2], bitsOf(INFINITY));
  // 2^(16 - 15 - 9) units of 256, 128 and 1.
  TexelWords shared = read("E5B9G9R9_UFLOAT_PACK32", 256u | 128u << 9 | 1u << 18 | 16u << 27);
  EXPECT_EQ(shared[0], bitsOf(1));
  EXPECT_EQ(shared[1], bitsOf(0.5));
  EXPECT_EQ(shared[2], bitsOf(1.0f / 256));
}

TEST(TexelCodec, WritesClampAndRound) {
  EXPECT_EQ(write("R8G8B8A8_UNORM", {bitsOf(-1), bitsOf(2), bitsOf(NAN), bitsOf(0.5)}),
            0x8000ff00u);
  EXPECT_EQ(write("R8_SNORM", {bitsOf(-5)}), 0x81u);
  EXPECT_EQ(write("R16_SFLOAT", {bitsOf(1.0f + 0x1p-12f)}), 0x3c00u);
  EXPECT_EQ(write("B10G11R11_UFLOAT_PACK32", {bitsOf(-3), bitsOf(2), bitsOf(1e9f)}),
            0x400u << 11 | 0x3e0u << 22);
  EXPECT_EQ(write("E5B9G9R9_UFLOAT_PACK32", {bitsOf(1), bitsOf(0.5), 0}),
            256u | 128u << 9 | 16u << 27);
}

/// Whatever fits into a texel comes back.
TEST(TexelCodec, WritingWhatWasReadChangesNothing) {
  constexpr const char *names[] = {"R8_UNORM",
                                   "R16G16_SNORM",
                                   "R8G8B8A8_UINT",
                                   "R16G16B16A16_SINT",
                                   "R8G8B8A8_SRGB",
                                   "B8G8R8A8_UNORM",
                                   "A2B10G10R10_UINT_PACK32",
                                   "R5G6B5_UNORM_PACK16",
                                   "R16G16_USCALED",
                                   "B5G5R5A1_UNORM_PACK16",
                                   "R64_SINT",
                                   "R8G8_SSCALED",
                                   "D16_UNORM",
                                   "A2R10G10B10_UNORM_PACK32"};
  std::mt19937_64 random(5);
  for (const char *name : names)
    for (unsigned i = 0; i < 200; ++i) {
      unsigned bytes = getTexelFormatInfo(formatNamed(name)).bytes;
      uint64_t value = random() >> (64 - 8 * bytes);
      uint64_t back = write(name, read(name, value));
      // -128 and -127 are one number.
      if (StringRef(name).contains("SNORM"))
        EXPECT_EQ(read(name, back), read(name, value)) << name;
      else
        EXPECT_EQ(back, value) << name;
    }
}

TEST(TexelCodec, FormatsThatNoHardwareHasAreUnsupported) {
  Expected<TexelView> view = describeTexel(formatNamed("R8G8B8_UNORM"));
  ASSERT_FALSE(bool(view));
  EXPECT_EQ(takeError(view.takeError()).message, "gcn: texel format R8G8B8_UNORM");
  // A number is not a format everywhere.
  HardwareFormat scaled{{11, 11, 10, 0}, TexelClass::Unorm, false};
  EXPECT_EQ(encodeFormat(scaled, 10), 30u);
  EXPECT_FALSE(encodeFormat(scaled, 11));
}

TEST(TexelCodec, StoresOfFewComponentsAreCompletedByGeneration) {
  TexelWords old = {7, 0, 0, 0};
  completeStored(old, 1, 11);
  EXPECT_EQ(old, (TexelWords{7, 0, 0, 0}));
  TexelWords broadcast = {7, 8, 0, 0};
  completeStored(broadcast, 2, 12);
  EXPECT_EQ(broadcast, (TexelWords{7, 8, 7, 7}));
}

/// RADV: dst_sel X, Y, 1, 0 (radv_compose_swizzle), so that z and w together are a 1 of 64 bits.
TEST(TexelCodec, SelectsWideComponentsAsRadvDoes) {
  for (llvm::StringRef name : {"R64_UINT", "R64_SINT"}) {
    auto view = gcn::describeTexel(*findTexelFormat(name));
    ASSERT_TRUE(bool(view));
    EXPECT_EQ(view->select[0], SelectX);
    EXPECT_EQ(view->select[1], SelectX + 1);
    EXPECT_EQ(view->select[2], SelectOne);
    EXPECT_EQ(view->select[3], SelectZero);
  }
}

TEST(TexelCodec, HasSrgbOnlyInBuffersOfGfx10) {
  auto view = gcn::describeTexel(*findTexelFormat(llvm::StringRef("R8G8B8A8_SRGB")));
  ASSERT_TRUE(bool(view));
  EXPECT_TRUE(gcn::encodeFormat(view->format, 9));
  EXPECT_FALSE(gcn::encodeBufferFormat(view->format, 9)); // Its three bits would say SNORM.
  EXPECT_TRUE(gcn::encodeBufferFormat(view->format, 10));
  for (unsigned gfxMajor : {11u, 12u}) // Its six bits would say that there is no format.
    EXPECT_FALSE(gcn::encodeBufferFormat(view->format, gfxMajor));
  auto plain = gcn::describeTexel(*findTexelFormat(llvm::StringRef("R8G8B8A8_SNORM")));
  ASSERT_TRUE(bool(plain));
  for (unsigned gfxMajor : {9u, 10u, 11u, 12u}) {
    auto number = gcn::encodeBufferFormat(plain->format, gfxMajor);
    ASSERT_TRUE(number);
    auto back = gcn::decodeBufferFormat(*number, gfxMajor);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->kind, plain->format.kind);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Case.h"
#include <gtest/gtest.h>

using namespace assay;

static const TexelFormatInfo &infoOf(const char *name) {
  std::optional<TexelFormat> format = findTexelFormat(llvm::StringRef(name));
  EXPECT_TRUE(format) << name;
  return getTexelFormatInfo(*format);
}

TEST(TexelFormat, ReadsBytesFromTheFirstOn) {
  const TexelFormatInfo &info = infoOf("B8G8R8A8_UNORM");
  EXPECT_EQ(uint32_t(info.format), 44u);
  EXPECT_EQ(info.bytes, 4u);
  EXPECT_EQ(info.find('B')->firstBit, 0u);
  EXPECT_EQ(info.find('R')->firstBit, 16u);
  EXPECT_EQ(info.find('A')->firstBit, 24u);
  EXPECT_EQ(info.find('D'), nullptr);
}

TEST(TexelFormat, ReadsPackedWordsFromTheMostSignificantBit) {
  const TexelFormatInfo &info = infoOf("VK_FORMAT_A2B10G10R10_UINT_PACK32");
  EXPECT_EQ(info.find('R')->firstBit, 0u);
  EXPECT_EQ(info.find('A')->firstBit, 30u);
  EXPECT_EQ(info.find('A')->bits, 2u);
  EXPECT_TRUE(info.isInteger());
  EXPECT_EQ(infoOf("R5G6B5_UNORM_PACK16").find('R')->firstBit, 11u);
}

TEST(TexelFormat, ReadsEveryGroupOfComponents) {
  const TexelFormatInfo &info = infoOf("X8_D24_UNORM_PACK32");
  EXPECT_EQ(info.bytes, 4u);
  EXPECT_EQ(info.find('D')->firstBit, 0u);
  EXPECT_EQ(info.find('D')->bits, 24u);
  EXPECT_EQ(info.find('X')->firstBit, 24u);
  EXPECT_EQ(info.numeric, TexelNumeric::Unorm);
  EXPECT_EQ(infoOf("D32_SFLOAT").numeric, TexelNumeric::Sfloat);
  for (uint32_t number = 1; number <= 130; ++number)
    EXPECT_GT(getTexelFormatInfo(*findTexelFormat(number)).bytes, 0u) << number;
}

TEST(TexelFormat, PlacesStencilAfterDepth) {
  struct {
    const char *name;
    unsigned bytes, depthBits;
    TexelNumeric numeric;
  } const rows[] = {{"D16_UNORM_S8_UINT", 4, 16, TexelNumeric::Unorm},
                    {"D24_UNORM_S8_UINT", 4, 24, TexelNumeric::Unorm},
                    {"D32_SFLOAT_S8_UINT", 8, 32, TexelNumeric::Sfloat}};
  for (const auto &row : rows) {
    const TexelFormatInfo &info = infoOf(row.name);
    EXPECT_EQ(info.bytes, row.bytes) << row.name;
    EXPECT_EQ(info.numeric, row.numeric) << row.name;
    ASSERT_TRUE(info.find('D') && info.find('S')) << row.name;
    EXPECT_EQ(info.find('D')->firstBit, 0u) << row.name;
    EXPECT_EQ(info.find('D')->bits, row.depthBits) << row.name;
    EXPECT_EQ(info.find('S')->firstBit, row.depthBits) << row.name;
    EXPECT_EQ(info.find('S')->bits, 8u) << row.name;
  }
  EXPECT_EQ(uint32_t(infoOf("D32_SFLOAT_S8_UINT").format), 130u);
}

TEST(TexelFormat, KnowsTheFormatsThatShadersName) {
  EXPECT_EQ(getTexelFormatInfo(*findTexelFormat(spv::ImageFormat::R11fG11fB10f)).name,
            "B10G11R11_UFLOAT_PACK32");
  EXPECT_EQ(getTexelFormatInfo(*findTexelFormat(spv::ImageFormat::R64i)).bytes, 8u);
  EXPECT_FALSE(findTexelFormat(spv::ImageFormat::Unknown));
  EXPECT_FALSE(findTexelFormat(131u));
  EXPECT_FALSE(findTexelFormat(llvm::StringRef("R8G8B8A8_PURPLE")));
}

TEST(TexelFormat, CountsTheBytesOfImages) {
  ImageShape shape;
  shape.width = 5, shape.height = 3, shape.layers = 2, shape.mipLevels = 3;
  TexelFormat format = *findTexelFormat(llvm::StringRef("R16_UINT"));
  EXPECT_EQ(getLevelBytes(shape, format, 0), 5u * 3 * 2 * 2);
  EXPECT_EQ(getLevelBytes(shape, format, 1), 2u * 1 * 2 * 2);
  EXPECT_EQ(getImageBytes(shape, format), (15u + 2 + 1) * 2 * 2);
}

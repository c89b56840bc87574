// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts and bits, put together by hand from Mesa's sources.
#include "oracles/ir3_variant/ImageDescriptors.h"

#include "oracles/api/TexelFormat.h"
#include "support/Error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3_variant;
using testing::ElementsAre;

static Buffer makeImage(StringRef format, ImageShape shape) {
  Buffer buffer;
  buffer.name = "image";
  buffer.texelFormat = *findTexelFormat(format);
  buffer.image = shape;
  return buffer;
}

static turnip::ResourcePlace placeOf(const Buffer &buffer) {
  turnip::ResourcePlace place = layOutImage(*buffer.image, *buffer.texelFormat);
  place.address = uint64_t(3) << 32;
  return place;
}

static std::vector<uint64_t> offsetsOf(const turnip::ResourcePlace &place) {
  std::vector<uint64_t> offsets;
  for (const turnip::LevelPlace &level : place.levels)
    offsets.push_back(level.offset);
  return offsets;
}

TEST(ImageLayout, RowsAreOf64Texels) {
  Buffer image = makeImage("R8G8B8A8_UNORM", {ImageDimension::Dim2D, 100, 5, 1, 2, 3, 1});
  turnip::ResourcePlace place = placeOf(image);
  // Rows of 512, 256 and 256 bytes; the last level has four of them.
  EXPECT_THAT(offsetsOf(place), ElementsAre(0, 5 * 512, 5 * 512 + 2 * 256));
  EXPECT_EQ(place.levels[0].rowPitch, 512u);
  EXPECT_EQ(place.levels[2].rowPitch, 256u);
  EXPECT_EQ(place.levels[1].arrayPitch, 4096u) << "a layer has whole pages, with all levels";
  EXPECT_EQ(place.bytes, 2 * 4096u);
}

static std::vector<uint64_t> sliceSizesOf(StringRef format, uint32_t width, uint32_t height,
                                          uint32_t levels) {
  Buffer image = makeImage(format.str(), {ImageDimension::Dim3D, width, height, 4, 1, levels, 1});
  std::vector<uint64_t> sizes;
  for (const turnip::LevelPlace &level : placeOf(image).levels)
    sizes.push_back(level.depthPitch);
  return sizes;
}

// Except for the last, these are the sizes that turnip of Mesa 25.0.7 reports.
TEST(ImageLayout, SlicesShrinkAsFarAsRowsDo) {
  EXPECT_THAT(sliceSizesOf("R32_UINT", 128, 128, 5),
              ElementsAre(0x10000, 0x4000, 0x2000, 0x2000, 0x2000));
  EXPECT_THAT(sliceSizesOf("R32_UINT", 64, 64, 3), ElementsAre(0x4000, 0x2000, 0x2000));
  EXPECT_THAT(sliceSizesOf("R32G32B32A32_UINT", 4, 8, 3), ElementsAre(0x2000, 0x1000, 0x1000));
  EXPECT_THAT(sliceSizesOf("R32G32B32A32_UINT", 255, 64, 3), ElementsAre(0x40000, 0x10000, 0x4000));
  EXPECT_THAT(sliceSizesOf("R8_UINT", 100, 100, 3), ElementsAre(0x4000, 0x1000, 0x1000));
  EXPECT_THAT(sliceSizesOf("R32G32B32A32_UINT", 4, 190, 4),
              ElementsAre(0x30000, 0x18000, 0xc000, 0xc000))
      << "0x18000 is too large for the descriptor";
}

// Copies fetch four rows of the last level, but 0x12000 bytes would not fit the descriptor.
TEST(ImageLayout, LargeLastSlicesAreNotPadded) {
  EXPECT_THAT(sliceSizesOf("R32G32B32A32_UINT", 256, 66, 2), ElementsAre(0x42000, 0x11000));
}

TEST(ImageLayout, LevelsFollowEachOther) {
  Buffer image = makeImage("R32_UINT", {ImageDimension::Dim3D, 128, 128, 4, 1, 3, 1});
  EXPECT_THAT(offsetsOf(placeOf(image)), ElementsAre(0, 0x40000, 0x40000 + 2 * 0x4000));
}

TEST(ImageDescriptor, LeastSliceHasFourBits) {
  auto wordOf = [](uint32_t levels) {
    Buffer image = makeImage("R32_UINT", {ImageDimension::Dim3D, 128, 128, 4, 1, levels, 1});
    return cantFail(describeImage(image, placeOf(image), ImageView()))[3];
  };
  EXPECT_EQ(wordOf(3), 0x10u | 2 << 23);
  EXPECT_EQ(wordOf(1), 0x10u) << "16 pages do not fit, and are not needed";
}

TEST(ImageDescriptor, HasSizesAndPitches) {
  Buffer image = makeImage("R8G8B8A8_UNORM", {ImageDimension::Dim2D, 100, 5, 1, 2, 3, 1});
  ImageView view;
  view.type.arrayed = true;
  view.type.sampled = 1;
  view.baseLevel = 1;
  Descriptor words = cantFail(describeImage(image, placeOf(image), view));
  EXPECT_EQ(words[0] >> 22 & 0xff, 0x30u);
  EXPECT_EQ(words[0] >> 4 & 0xfff, 0u | 1 << 3 | 2 << 6 | 3 << 9);
  EXPECT_EQ(words[0] >> 16 & 0xf, 1u) << "two levels";
  EXPECT_EQ(words[1], 50u | 2 << 15);
  EXPECT_EQ(words[2], 2u | 256 << 7 | 1u << 29);
  EXPECT_EQ(words[3], 1u);
  EXPECT_EQ(words[4], 5 * 512u);
  EXPECT_EQ(words[5], 3u | 2 << 17);
  view.isStorage = true;
  words = cantFail(describeImage(image, placeOf(image), view));
  EXPECT_EQ(words[0] >> 16 & 0xf, 0u);
  EXPECT_EQ(words[2] & 0xf, 0u);
}

TEST(ImageDescriptor, CubesOfStorageAreLayers) {
  Buffer image = makeImage("R32_SFLOAT", {ImageDimension::Dim2D, 4, 4, 1, 12, 1, 1});
  ImageView view;
  view.type.dim = spv::Dim::Cube;
  view.type.arrayed = true;
  Descriptor sampled = cantFail(describeImage(image, placeOf(image), view));
  view.isStorage = true;
  Descriptor storage = cantFail(describeImage(image, placeOf(image), view));
  EXPECT_EQ(sampled[2] >> 29, 2u);
  EXPECT_EQ(sampled[5] >> 17, 2u);
  EXPECT_EQ(storage[2] >> 29, 1u);
  EXPECT_EQ(storage[5] >> 17, 12u);
  EXPECT_EQ(sampled[0] >> 13 & 7, 5u) << "without alpha, w is one";
}

TEST(ImageDescriptor, NamesFormatsWithoutANumber) {
  Buffer image = makeImage("R4G4_UNORM_PACK8", {});
  Expected<Descriptor> words = describeImage(image, placeOf(image), {});
  ASSERT_FALSE(bool(words));
  EXPECT_THAT(toString(words.takeError()), testing::HasSubstr("R4G4_UNORM_PACK8"));
}

TEST(ImageDescriptor, ExchangesRedAndBlue) {
  Buffer image = makeImage("B8G8R8A8_SRGB", {});
  Descriptor words = cantFail(describeImage(image, placeOf(image), {}));
  EXPECT_EQ(words[0] >> 30, 1u);
  EXPECT_EQ(words[0] >> 2 & 1, 1u);
}

TEST(TexelBufferDescriptor, BeginsInsideOfALine) {
  Descriptor words =
      cantFail(describeTexelBuffer(*findTexelFormat("R16G16_SINT"), 0x100000050, 40));
  EXPECT_EQ(words[0] >> 22 & 0xff, 0x47u);
  EXPECT_EQ(words[1], 10u);
  EXPECT_EQ(words[2], 1u << 4 | 4u << 16 | 4u << 29);
  EXPECT_EQ(words[4], 0x40u);
  EXPECT_EQ(words[5], 1u);
}

TEST(SamplerDescriptor, HasFixedPointLevels) {
  Sampler sampler;
  sampler.magFilter = Filter::Linear;
  sampler.address[1] = AddressMode::ClampToBorder;
  sampler.border = BorderColor::FloatOpaqueWhite;
  sampler.minLod = 0.5f;
  sampler.maxLod = 1000;
  sampler.lodBias = -1;
  sampler.compare = CompareOp::LessOrEqual;
  Descriptor words = describeSampler(sampler);
  EXPECT_EQ(words[0], 1u << 1 | 3u << 8 | static_cast<uint32_t>(-256) << 19);
  EXPECT_EQ(words[1], 3u << 1 | 4095u << 8 | 128u << 20);
  EXPECT_EQ(words[2], 3u << 2 | 1u << 4 | 4u << 7);
}

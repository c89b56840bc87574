// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image and sampler descriptors, and where texels lie. What instructions do with them is shown by
// the image cases of corpora/compute.
#include "oracles/machine/gcn/KernelTesting.h"
#include "oracles/machine/gcn/image/ImageDescriptor.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static ImageDescriptor makeImage(ImageType kind, uint32_t width, uint32_t height, uint32_t depth) {
  ImageDescriptor image;
  image.base = 0x234500000100;
  image.width = width;
  image.height = height;
  image.depth = depth;
  image.kind = kind;
  image.texel.format = {{8, 8, 8, 8}, TexelClass::Uint, false};
  return image;
}

TEST(ImageDescriptor, SurvivesEncoding) {
  for (unsigned major : {9, 10, 11, 12}) {
    ImageDescriptor image = makeImage(ImageType::Dim2DArray, 1023, 517, 12);
    image.levels = 10;
    image.baseLevel = 2;
    image.lastLevel = 9;
    image.texel.select = {6, 5, 4, 7};
    Expected<ImageWords> words = encodeImage(image, major);
    ASSERT_TRUE(bool(words)) << takeError(words.takeError()).message;
    std::optional<ImageDescriptor> back = decodeImage(*words, major);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->base, image.base);
    EXPECT_EQ(back->width, 1023u);
    EXPECT_EQ(back->height, 517u);
    EXPECT_EQ(back->depth, 12u);
    EXPECT_EQ(back->levels, 10u);
    EXPECT_EQ(back->baseLevel, 2u);
    EXPECT_EQ(back->lastLevel, 9u);
    EXPECT_EQ(back->kind, ImageType::Dim2DArray);
    EXPECT_EQ(back->texel.format, image.texel.format);
    EXPECT_EQ(back->texel.select, image.texel.select);
  }
}

TEST(ImageDescriptor, MultisampledImagesHaveTheirSamplesInThePlaceOfTheLastLevel) {
  ImageDescriptor image = makeImage(ImageType::Dim2DMsaa, 4, 4, 1);
  image.samples = 8;
  for (unsigned major : {9, 10, 11, 12}) {
    Expected<ImageWords> words = encodeImage(image, major);
    ASSERT_TRUE(bool(words));
    unsigned shift = major >= 12 ? 15 : 16;
    EXPECT_EQ((*words)[3] >> shift & 15, 3u);
    EXPECT_EQ(decodeImage(*words, major)->samples, 8u);
  }
}

TEST(ImageDescriptor, OtherWordsAreNone) {
  const uint32_t buffer[8] = {0, 0, 64, 22 << 12};
  for (unsigned major : {9, 10, 11, 12})
    EXPECT_FALSE(decodeImage(buffer, major));
  ImageDescriptor levels = makeImage(ImageType::Dim2D, 8, 8, 1);
  levels.baseLevel = 1; // After the last.
  for (unsigned major : {9, 10, 11, 12})
    EXPECT_FALSE(decodeImage(*encodeImage(levels, major), major));
}

TEST(ImageDescriptor, TexelsLieLevelAfterLevel) {
  ImageDescriptor image = makeImage(ImageType::Dim2DArray, 5, 4, 3);
  image.levels = 3;
  image.lastLevel = 2;
  auto offset = [&](const TexelPlace &place) { return *findTexel(image, place) - image.base; };
  EXPECT_EQ(offset({4, 3, 0, 2, 0, 0}), (5 * 4 * 3 - 1) * 4u);
  EXPECT_EQ(offset({0, 0, 0, 0, 0, 1}), 5 * 4 * 3 * 4u);
  EXPECT_EQ(offset({1, 1, 0, 1, 0, 1}), (60 + 4 + 2 + 1) * 4u);
  EXPECT_EQ(offset({0, 0, 0, 0, 0, 2}), (60 + 12) * 4u);
  image.baseLevel = 1;
  EXPECT_EQ(offset({0, 0, 0, 0, 0, 1}), (60 + 12) * 4u);
}

TEST(ImageDescriptor, NothingLiesOutside) {
  ImageDescriptor image = makeImage(ImageType::Dim3D, 2, 2, 2);
  EXPECT_TRUE(findTexel(image, {1, 1, 1}));
  for (const TexelPlace &place : {TexelPlace{2, 0, 0},
                                  {-1, 0, 0},
                                  {0, 2, 0},
                                  {0, 0, 2},
                                  {0, 0, 0, 1},
                                  {0, 0, 0, 0, 1},
                                  {0, 0, 0, 0, 0, 1},
                                  {0, 0, 0, 0, 0, -1}})
    EXPECT_FALSE(findTexel(image, place));
}

TEST(SamplerDescriptor, SurvivesEncoding) {
  for (unsigned major : {9, 10, 11, 12}) {
    SamplerDescriptor sampler;
    sampler.clamp = {AddressClamp::Mirror, AddressClamp::Border, AddressClamp::LastTexel};
    sampler.compare = 5;
    sampler.isUnnormalized = true;
    sampler.minLod = 1.5;
    sampler.maxLod = 1000; // As many levels as an image can have.
    sampler.lodBias = -2.25;
    sampler.isMinLinear = true;
    sampler.mipFilter = 2;
    sampler.border = 2;
    SamplerDescriptor back = decodeSampler(encodeSampler(sampler, major), major);
    EXPECT_EQ(back.clamp, sampler.clamp);
    EXPECT_EQ(back.compare, 5);
    EXPECT_TRUE(back.isUnnormalized);
    EXPECT_EQ(back.minLod, 1.5);
    EXPECT_EQ(back.maxLod, major == 12 ? 17 : 15);
    EXPECT_EQ(back.lodBias, -2.25);
    EXPECT_FALSE(back.isMagLinear);
    EXPECT_TRUE(back.isMinLinear);
    EXPECT_EQ(back.mipFilter, 2);
    EXPECT_EQ(back.border, 2);
  }
}

TEST(ImageInstructions, WordsThatAreNoImageTrap) {
  for (const char *target : {"gfx1030", "gfx1100"}) {
    KernelOptions options;
    options.target = target;
    Outcome outcome = runOrFail(
        options,
        "image_load v[4:7], v[0:1], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\ns_endpgm\n",
        makeCase({makeBuffer({0})}, 1));
    ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
    EXPECT_EQ(outcome.findings.back().rule, "BAD-DESCRIPTOR");
  }
}

TEST(ImageInstructions, AddressesBeyondTheRegistersTrap) {
  KernelOptions options;
  options.vgprs = 8;
  Outcome outcome = runOrFail(
      options, "image_load v[4:7], v[7:8], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\ns_endpgm\n",
      makeCase({makeBuffer({0})}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.findings.back().rule, "REG-RANGE");
}

TEST(ImageInstructions, HorizontalGathersAreUnsupported) {
  KernelOptions options;
  options.vgprs = 32;
  const char *body = "image_gather4h v[4:7], v[8:9], s[8:15], s[16:19] dmask:0x1 "
                     "dim:SQ_RSRC_IMG_2D\ns_endpgm\n";
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer({0})}, 1));
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported) << outcome.reason;
}

/// GFX9's encoding names the first register of an address only; the descriptor says how many
/// follow.
TEST(ImageInstructions, AddressesInFlightAreHazardsOnGfx9) {
  KernelOptions options;
  options.target = "gfx900";
  options.waveSize = 64;
  Expected<ImageWords> words = encodeImage(makeImage(ImageType::Dim2D, 4, 4, 1), 9);
  ASSERT_TRUE(bool(words));
  AsmText body = prologue("gfx900");
  for (unsigned i = 0; i < 8; ++i)
    body = std::move(body) + "s_mov_b32 s" + std::to_string(16 + i).c_str() + ", 0x" +
           llvm::utohexstr((*words)[i]).c_str() + "\n";
  body = std::move(body) + loadWord("gfx900") + " v3, v1, s[4:7], 0 offen\n" +
         "v_mov_b32 v2, -1\nimage_load v[4:7], v2, s[16:23] dmask:0xf unorm\ns_endpgm\n";
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer({0}), makeBuffer({0})}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Hazard) << outcome.reason;
  EXPECT_EQ(outcome.findings.at(0).rule, "WAIT-RAW");
}

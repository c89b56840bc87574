// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images, samplers, texel buffers, structures and pixels of AmberScript.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string shader = "#!amber\nSHADER compute s GLSL\n#version 450\nvoid main() {}\nEND\n";

Case good(const std::string &text) {
  Expected<Case> result = readCaseFromText(shader + text, "t.amber", "t");
  if (result)
    return std::move(*result);
  ADD_FAILURE() << assay::takeError(result.takeError()).message << "\n" << text;
  return {};
}

std::string bad(const std::string &text) {
  Expected<Case> result = readCaseFromText(shader + text, "t.amber", "t");
  if (!result)
    return assay::takeError(result.takeError()).message;
  ADD_FAILURE() << "accepted " << text;
  return "";
}

template <typename T> std::vector<T> contents(const Buffer &buffer) {
  std::vector<T> values(buffer.bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), buffer.bytes.data(), values.size() * sizeof(T));
  return values;
}

std::string formatName(const Buffer &buffer) {
  return getTexelFormatInfo(buffer.texelFormat.value()).name.str();
}

TEST(AmberImages, HaveShapesAndFormats) {
  Case result = good("IMAGE a FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 4 HEIGHT 3 FILL 9\n"
                     "IMAGE b DATA_TYPE vec2<float> DIM_1D WIDTH 5 SERIES_FROM 1 INC_BY 0.5\n"
                     "IMAGE c DIM_3D WIDTH 2 HEIGHT 2 DEPTH 2 DATA_TYPE uint32 \\\n DATA\n"
                     "1 2 3 4 5 6 7 8\nEND\n"
                     "IMAGE d FORMAT R16_SFLOAT DIM_2D WIDTH 8 HEIGHT 4 MIP_LEVELS 3\n"
                     "IMAGE e FORMAT R8_UINT DIM_2D WIDTH 2 HEIGHT 2 ARRAY_LAYERS 6 FILL 3\n"
                     "IMAGE f FORMAT R32_SINT SAMPLES 4 DIM_2D WIDTH 2 HEIGHT 2 FILL -1\n");
  ASSERT_EQ(result.buffers.size(), 6u);
  EXPECT_EQ(formatName(result.buffers[0]), "R8G8B8A8_UNORM");
  EXPECT_EQ(result.buffers[0].bytes, std::vector<uint8_t>(48, 9));
  EXPECT_EQ(formatName(result.buffers[1]), "R32G32_SFLOAT");
  EXPECT_EQ(result.buffers[1].image->dimension, ImageDimension::Dim1D);
  EXPECT_EQ(contents<float>(result.buffers[1])[9], 5.5f);
  EXPECT_EQ(result.buffers[2].image->depth, 2u);
  EXPECT_EQ(contents<uint32_t>(result.buffers[2])[7], 8u);
  EXPECT_EQ(result.buffers[3].image->mipLevels, 3u);
  EXPECT_EQ(result.buffers[3].bytes.size(), 2u * (32 + 8 + 2));
  EXPECT_EQ(result.buffers[4].image->layers, 6u);
  EXPECT_EQ(result.buffers[4].bytes, std::vector<uint8_t>(24, 3));
  EXPECT_EQ(result.buffers[5].image->samples, 4u);
  EXPECT_EQ(contents<int32_t>(result.buffers[5]), std::vector<int32_t>(16, -1));
  EXPECT_TRUE(result.unsupported.empty());
}

TEST(AmberImages, TakeDataForOneLevelOrAll) {
  const std::string head = "IMAGE i FORMAT R8_UINT DIM_2D WIDTH 2 HEIGHT 2 MIP_LEVELS 2 DATA ";
  EXPECT_EQ(good(head + "1 2 3 4 END\n").buffers.at(0).bytes,
            (std::vector<uint8_t>{1, 2, 3, 4, 0}));
  EXPECT_EQ(good(head + "1 2 3 4 5 END\n").buffers.at(0).bytes,
            (std::vector<uint8_t>{1, 2, 3, 4, 5}));
}

const std::string pipe = "PIPELINE compute p\nATTACH s\n";

TEST(AmberImages, OfAFramebuffersSizeGetItFromThePipeline) {
  Case result = good("BUFFER f FORMAT R8_UNORM\nBUFFER g FORMAT R8_UNORM MIP_LEVELS 2\n"
                     "BUFFER h FORMAT R8_UNORM\n" +
                     pipe +
                     "BIND BUFFER f AS storage_image DESCRIPTOR_SET 0 BINDING 0\n"
                     "BIND BUFFER g AS storage_image DESCRIPTOR_SET 0 BINDING 1 BASE_MIP_LEVEL 1\n"
                     "FRAMEBUFFER_SIZE 6 4\nEND\nCOPY f TO h\n");
  EXPECT_EQ(result.buffers.at(0).bytes.size(), 24u);
  EXPECT_EQ(result.buffers[1].image->width, 12u);
  EXPECT_EQ(result.buffers[1].bytes.size(), 96u + 24u);
  EXPECT_EQ(result.buffers[2].image->height, 4u);
  EXPECT_EQ(result.commands.size(), 1u);
}

TEST(AmberImages, OfAFramebuffersSizeHaveNoMoreLevelsThanThatAllows) {
  auto script = [](const std::string &options, const std::string &binding) {
    return "BUFFER f FORMAT R8_UNORM " + options + "\n" + pipe +
           "BIND BUFFER f AS storage_image DESCRIPTOR_SET 0 BINDING 0" + binding +
           "\nFRAMEBUFFER_SIZE 6 4\nEND\n";
  };
  EXPECT_EQ(good(script("MIP_LEVELS 3", "")).buffers.at(0).image->mipLevels, 3u);
  const std::pair<std::string, const char *> rows[] = {
      {script("SAMPLES 3", ""), "SAMPLES must be"},
      {script("MIP_LEVELS 4", ""), "at most 3 mip levels"},
      {script("MIP_LEVELS 1000", ""), "at most 3 mip levels"},
      {script("MIP_LEVELS 17", " BASE_MIP_LEVEL 16"), "393216 x 262144 texels"},
      {script("MIP_LEVELS 1000", " BASE_MIP_LEVEL 31"), "a mip level"}};
  for (const auto &[text, message] : rows)
    EXPECT_NE(bad(text).find(message), std::string::npos) << bad(text);
}

TEST(AmberImages, MayBeTypedBuffersWithTwoExtents) {
  const std::string head = "BUFFER i DATA_TYPE vec4<uint8> WIDTH 3 HEIGHT 2 FILL 1\n" + pipe;
  Case image = good(head + "BIND BUFFER i AS sampled_image DESCRIPTOR_SET 0 BINDING 0\nEND\n");
  EXPECT_EQ(image.buffers.at(0).image->width, 3u);
  EXPECT_EQ(formatName(image.buffers[0]), "R8G8B8A8_UINT");
  Case buffer = good(head + "BIND BUFFER i AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n");
  EXPECT_FALSE(buffer.buffers.at(0).image.has_value());
  EXPECT_EQ(buffer.buffers[0].bytes.size(), 24u);
}

TEST(AmberImages, AreBoundWithSamplers) {
  Case result =
      good("IMAGE i FORMAT R8_UNORM DIM_2D WIDTH 4 HEIGHT 4 MIP_LEVELS 3 FILL 0\n"
           "IMAGE j FORMAT R8_UNORM DIM_2D WIDTH 4 HEIGHT 4 FILL 0\n"
           "SAMPLER x MAG_FILTER linear MIN_FILTER linear MIP_FILTER linear ADDRESS_MODE_U "
           "clamp_to_border ADDRESS_MODE_V mirrored_repeat ADDRESS_MODE_W mirror_clamp_to_edge \\\n"
           "BORDER_COLOR int_opaque_white MIN_LOD 0.5 MAX_LOD 2 LOD_BIAS -1 COMPARE on COMPARE_OP "
           "greater_or_equal\nSAMPLER y UNNORMALIZED_COORDS\n" +
           pipe +
           "BIND BUFFER_ARRAY i j AS combined_image_sampler SAMPLER y DESCRIPTOR_SET 1 BINDING 2\n"
           "BIND BUFFER i AS sampled_image DESCRIPTOR_SET 0 BINDING 3 BASE_MIP_LEVEL 2\n"
           "BIND SAMPLER_ARRAY x y DESCRIPTOR_SET 0 BINDING 4\n"
           "BIND SAMPLER x DESCRIPTOR_SET 0 BINDING 5\nEND\n");
  ASSERT_EQ(result.samplers.size(), 2u);
  const Sampler &full = result.samplers[0];
  EXPECT_EQ(full.mipFilter, Filter::Linear);
  EXPECT_EQ(full.address[0], AddressMode::ClampToBorder);
  EXPECT_EQ(full.address[1], AddressMode::MirroredRepeat);
  EXPECT_EQ(full.address[2], AddressMode::MirrorClampToEdge);
  EXPECT_EQ(full.border, BorderColor::IntOpaqueWhite);
  EXPECT_EQ(full.minLod, 0.5f);
  EXPECT_EQ(full.maxLod, 2.0f);
  EXPECT_EQ(full.lodBias, -1.0f);
  EXPECT_EQ(full.compare, CompareOp::GreaterOrEqual);
  EXPECT_FALSE(result.samplers[1].normalized);
  EXPECT_EQ(result.samplers[1].maxLod, 0.0f);
  EXPECT_FALSE(result.samplers[1].compare.has_value());
  const std::vector<BufferBinding> &bindings = result.pipelines.at(0).bindings;
  ASSERT_EQ(bindings.size(), 6u);
  EXPECT_EQ(bindings[1].kind, BindingKind::CombinedImageSampler);
  EXPECT_EQ(bindings[1].buffer, 1u);
  EXPECT_EQ(bindings[1].sampler, 1u);
  EXPECT_EQ(bindings[1].arrayElement, 1u);
  EXPECT_EQ(bindings[2].baseMipLevel, 2u);
  EXPECT_EQ(bindings[4].kind, BindingKind::Sampler);
  EXPECT_EQ(bindings[4].sampler, 1u);
}

TEST(AmberImages, TexelBuffersHaveTheFormatOfTheirElements) {
  Case result = good("BUFFER a DATA_TYPE R8G8B8A8_SNORM DATA -1 2 3 4 END\n"
                     "BUFFER b DATA_TYPE vec4<float> SIZE 2 FILL 0\n"
                     "BUFFER c DATA_TYPE A2B10G10R10_UINT_PACK32 DATA 0xC0000001 END\n" +
                     pipe +
                     "BIND BUFFER a AS uniform_texel_buffer DESCRIPTOR_SET 0 BINDING 0\n"
                     "BIND BUFFER b AS storage_texel_buffer DESCRIPTOR_SET 0 BINDING 1\n"
                     "BIND BUFFER c AS uniform_texel_buffer DESCRIPTOR_SET 0 BINDING 2\nEND\n");
  EXPECT_EQ(formatName(result.buffers.at(0)), "R8G8B8A8_SNORM");
  EXPECT_EQ(contents<int8_t>(result.buffers[0]), (std::vector<int8_t>{-1, 2, 3, 4}));
  EXPECT_EQ(formatName(result.buffers.at(1)), "R32G32B32A32_SFLOAT");
  EXPECT_EQ(contents<uint32_t>(result.buffers.at(2))[0], 0xC0000001u);
  EXPECT_EQ(result.pipelines.at(0).bindings[1].kind, BindingKind::StorageTexelBuffer);
}

/// The bounds of one expected pixel: the stored values that are allowed.
std::pair<uint64_t, uint64_t> bounds(const std::string &format, const std::string &rest,
                                     size_t component) {
  Case result = good("IMAGE i FORMAT " + format + " DIM_2D WIDTH 2 HEIGHT 2\nEXPECT i IDX 1 1 " +
                     "SIZE 1 1 " + rest + "\n");
  EXPECT_EQ(result.commands.size(), 2u);
  const auto &low = std::get<Expectation>(result.commands.at(0));
  const auto &high = std::get<Expectation>(result.commands.at(1));
  EXPECT_EQ(low.comparator, Comparator::Ge);
  EXPECT_EQ(high.comparator, Comparator::Le);
  EXPECT_EQ(low.byteOffset, 3u * getTexelFormatInfo(*findTexelFormat(format)).bytes);
  return {low.values.at(component), high.values.at(component)};
}

using Pair = std::pair<uint64_t, uint64_t>;

TEST(AmberPixels, BecomeBoundsOfStoredValues) {
  // 0.002 is a little more than half of 1/255: the byte must be met.
  EXPECT_EQ(bounds("R8G8B8A8_UNORM", "EQ_RGBA 10 20 30 255", 2), Pair(30, 30));
  EXPECT_EQ(bounds("R8G8B8A8_UNORM", "EQ_RGBA 10 20 30 255", 3), Pair(255, 255));
  EXPECT_EQ(bounds("B8G8R8A8_UNORM", "EQ_RGB 10 20 30", 0), Pair(30, 30));
  EXPECT_EQ(bounds("R8G8B8A8_UNORM", "EQ_RGB 100 0 0 TOLERANCE 0.01", 0), Pair(98, 102));
  EXPECT_EQ(bounds("R8G8B8A8_UNORM", "EQ_RGB 100 50 0 TOLERANCE 0 11% 0", 1), Pair(45, 55));
  // 51/255 = 0.2: 0.198 to 0.202 of 65535.
  EXPECT_EQ(bounds("R16_UNORM", "EQ_RGB 51 0 0", 0), Pair(12976, 13238));
  // 0.498 to 0.502 of 127, about 127/255 = 0.49804.
  EXPECT_EQ(bounds("R8_SNORM", "EQ_RGB 127 0 0", 0), Pair(63, 63));
  // Integers are not scaled: only 0 and 1 can be said.
  EXPECT_EQ(bounds("R8_UINT", "EQ_RGB 255 0 0", 0), Pair(1, 1));
  // Linear 0.2 is sRGB 0.4845: byte 124 is 0.2016, and 123 is 0.1981.
  EXPECT_EQ(bounds("R8G8B8A8_SRGB", "EQ_RGB 51 0 0", 0), Pair(123, 124));
}

TEST(AmberPixels, OfFloatsAreRoundedInwards) {
  auto [low, high] = bounds("R32_SFLOAT", "EQ_RGB 255 0 0 TOLERANCE 0.25", 0);
  EXPECT_EQ(low, 0x3f400000u);
  EXPECT_EQ(high, 0x3fa00000u);
  auto [halfLow, halfHigh] = bounds("R16_SFLOAT", "EQ_RGB 255 0 0", 0);
  // 0.998 and 1.002 lie between halves; the next inside are 0x3BFC (0.99805) and 0x3C02 (1.00195).
  EXPECT_EQ(halfLow, 0x3bfcu);
  EXPECT_EQ(halfHigh, 0x3c02u);
}

TEST(AmberPixels, CoverRowsOfTheRectangle) {
  Case result = good("IMAGE i FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 8 HEIGHT 8\n"
                     "EXPECT i IDX 2 3 SIZE 4 2 EQ_RGB 1 2 3\n");
  ASSERT_EQ(result.commands.size(), 4u);
  const auto &second = std::get<Expectation>(result.commands[2]);
  EXPECT_EQ(second.byteOffset, (4u * 8 + 2) * 4);
  EXPECT_EQ(second.format.rows, 3u);
  EXPECT_EQ(second.format.stride, 4u);
  EXPECT_EQ(second.values.size(), 12u);
}

TEST(AmberStructs, FollowTheLayoutRules) {
  const std::string type = "STRUCT inner\nvec3<float> v\nfloat w\nEND\n"
                           "STRUCT t\nint8 a\nint16 b\ninner c\nmat2x2<float> m\ndouble d\nEND\n";
  // std430: a 0, b 2, c 16 (v 16, w 28), m 32 (columns 32, 40), d 48; size 64.
  Case r430 = good(type + "BUFFER x DATA_TYPE t SIZE 2 FILL 1\nBUFFER y DATA_TYPE t DATA\n"
                          "1 2 3 4 5 6 7 8 9 10 11\nEND\n");
  EXPECT_EQ(r430.buffers.at(0).bytes.size(), 128u);
  const std::vector<uint8_t> &bytes = r430.buffers.at(1).bytes;
  ASSERT_EQ(bytes.size(), 64u);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[2], 2);
  std::vector<float> floats = contents<float>(r430.buffers[1]);
  EXPECT_EQ((std::vector<float>(floats.begin() + 4, floats.begin() + 12)),
            (std::vector<float>{3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(contents<double>(r430.buffers[1])[6], 11.0);
  // std140: columns are 16 apart: m 32 (32, 48), d 64; size 80.
  Case r140 = good(type + "BUFFER y DATA_TYPE t STD140 DATA\n1 2 3 4 5 6 7 8 9 10 11\nEND\n");
  ASSERT_EQ(r140.buffers.at(0).bytes.size(), 80u);
  EXPECT_EQ(contents<float>(r140.buffers[0])[12], 9.0f);
  EXPECT_EQ(contents<double>(r140.buffers[0])[8], 11.0);
}

TEST(AmberStructs, TakeOffsetsAndStrides) {
  Case result = good("STRUCT t STRIDE 40\nfloat a OFFSET 8\nmat2x2<float> m MATRIX_STRIDE 12\n"
                     "END\nBUFFER x DATA_TYPE t DATA 1 2 3 4 5 6 7 8 9 10 END\n");
  ASSERT_EQ(result.buffers.at(0).bytes.size(), 80u);
  std::vector<float> values = contents<float>(result.buffers[0]);
  EXPECT_EQ(values[2], 1.0f);
  EXPECT_EQ(values[4], 2.0f);
  EXPECT_EQ(values[5], 3.0f);
  EXPECT_EQ(values[7], 4.0f);
  EXPECT_EQ(values[12], 6.0f);
}

TEST(AmberStructs, HaveArraysOfOneElement) {
  const std::string text = "STRUCT t\nint32 n\nfloat[] a ARRAY_STRIDE 64\nint32 m\nEND\n"
                           "BUFFER x DATA_TYPE t";
  Case r430 = good(text + " DATA 1 2.5 3 4 5.5 6 END\n");
  EXPECT_EQ(r430.buffers.at(0).bytes.size(), 24u);
  EXPECT_EQ(contents<float>(r430.buffers[0])[4], 5.5f);
  Case r140 = good(text + " STD140 DATA 1 2.5 3 END\n");
  ASSERT_EQ(r140.buffers.at(0).bytes.size(), 48u);
  EXPECT_EQ(contents<float>(r140.buffers[0])[4], 2.5f);
  EXPECT_EQ(contents<int32_t>(r140.buffers[0])[8], 3);
}

TEST(AmberStructs, AreExpectedMemberByMember) {
  Case result = good("STRUCT t\nint32 a\nfloat b\nEND\n"
                     "BUFFER x DATA_TYPE t DATA 1 2.5 3 4.5 END\n"
                     "EXPECT x IDX 0 TOLERANCE 0.5 EQ 1 2.5 3 4.5\nEXPECT x IDX 8 LT 4\n"
                     "EXPECT x EQ_BUFFER x\n");
  ASSERT_EQ(result.commands.size(), 4u);
  const auto &floats = std::get<Expectation>(result.commands[1]);
  EXPECT_EQ(floats.format.scalar, ScalarKind::Float32);
  EXPECT_EQ(floats.format.stride, 8u);
  EXPECT_EQ(floats.byteOffset, 4u);
  EXPECT_EQ(floats.values, (std::vector<uint64_t>{0x40200000, 0x40900000}));
  EXPECT_EQ(floats.tolerances.size(), 1u);
  EXPECT_EQ(std::get<Expectation>(result.commands[2]).byteOffset, 8u);
}

TEST(AmberImages, AreComparedByHistograms) {
  Case result = good("IMAGE a FORMAT B8G8R8A8_UNORM DIM_2D WIDTH 4 HEIGHT 4 FILL 1\n"
                     "IMAGE b FORMAT B8G8R8A8_UNORM DIM_2D WIDTH 4 HEIGHT 4 FILL 2\n"
                     "EXPECT a EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE 0.25\n");
  ASSERT_EQ(result.commands.size(), 1u);
  const auto &expectation = std::get<Expectation>(result.commands[0]);
  EXPECT_EQ(expectation.kind, ExpectationKind::HistogramBuffers);
  EXPECT_EQ(expectation.rmse, 0.25);
}

} // namespace

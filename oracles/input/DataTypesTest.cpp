// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/DataTypes.h"

#include "support/Error.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

std::string shapeOf(std::optional<DataType> type) {
  if (!type)
    return "none";
  return std::string(scalarName(type->scalar)) + " " + std::to_string(type->columns) + "x" +
         std::to_string(type->rows);
}

TEST(DataTypes, ReadAmberNames) {
  EXPECT_EQ(shapeOf(parseAmberType("uint8")), "uint8 1x1");
  EXPECT_EQ(shapeOf(parseAmberType("double")), "float64 1x1");
  EXPECT_EQ(shapeOf(parseAmberType("vec3<float16>")), "float16 1x3");
  EXPECT_EQ(shapeOf(parseAmberType("mat2x3<float>")), "float32 2x3");
  for (StringRef name : {"", "vec3", "vec5<float>", "vec1<int8>", "mat2<float>", "mat2x5<float>",
                         "vec3<vec3<float>>", "vec3<float", "Float", "int", "mat2x3x4<float>"})
    EXPECT_EQ(shapeOf(parseAmberType(name)), "none") << name.str();
}

std::string texelShape(StringRef name) {
  DataFormat format = dataFormatOf(*findTexelFormat(name));
  return std::string(scalarName(format.scalar)) + " x" + std::to_string(format.rows) + " in " +
         std::to_string(format.stride);
}

TEST(DataTypes, WriteTexelsByComponentOrWhole) {
  EXPECT_EQ(texelShape("R32G32B32A32_SFLOAT"), "float32 x4 in 16");
  EXPECT_EQ(texelShape("B8G8R8A8_SRGB"), "uint8 x4 in 4");
  EXPECT_EQ(texelShape("R16G16_SNORM"), "int16 x2 in 4");
  EXPECT_EQ(texelShape("R8G8B8_UINT"), "uint8 x3 in 3");
  EXPECT_EQ(texelShape("R64_SINT"), "int64 x1 in 8");
  EXPECT_EQ(texelShape("D32_SFLOAT"), "float32 x1 in 4");
  EXPECT_EQ(texelShape("A2B10G10R10_UNORM_PACK32"), "uint32 x1 in 4");
  EXPECT_EQ(texelShape("B10G11R11_UFLOAT_PACK32"), "uint32 x1 in 4");
  EXPECT_EQ(texelShape("R5G6B5_UNORM_PACK16"), "uint16 x1 in 2");
  EXPECT_EQ(texelShape("R4G4_UNORM_PACK8"), "uint8 x1 in 1");
}

TEST(DataTypes, GiveEveryTexelFormatASize) {
  unsigned formats = 0;
  for (uint32_t number = 1; number < 200; ++number)
    if (std::optional<TexelFormat> format = findTexelFormat(number)) {
      DataFormat data = dataFormatOf(*format);
      const TexelFormatInfo &info = getTexelFormatInfo(*format);
      EXPECT_EQ(data.rows * scalarBytes(data.scalar), info.bytes) << info.name.str();
      EXPECT_EQ(data.stride, info.bytes) << info.name.str();
      ++formats;
    }
  EXPECT_GT(formats, 100u);
}

TEST(DataTypes, FindTheTexelsThatDataIs) {
  auto name = [](StringRef type) -> std::string {
    std::optional<TexelFormat> format =
        texelFormatOf(amberFormat(*parseAmberType(type), BlockLayout::Std430));
    return format ? getTexelFormatInfo(*format).name.str() : "none";
  };
  EXPECT_EQ(name("float"), "R32_SFLOAT");
  EXPECT_EQ(name("vec4<int32>"), "R32G32B32A32_SINT");
  EXPECT_EQ(name("vec2<uint8>"), "R8G8_UINT");
  EXPECT_EQ(name("vec4<float16>"), "R16G16B16A16_SFLOAT");
  EXPECT_EQ(name("uint64"), "R64_UINT");
  EXPECT_EQ(name("vec3<float>"), "none");
  EXPECT_EQ(name("mat2x2<float>"), "none");
}

TEST(DataTypes, SpreadOnlyArraysAndMatricesInStd140) {
  auto stride = [](StringRef type) {
    return amberFormat(*parseAmberType(type), BlockLayout::Std140).stride;
  };
  EXPECT_EQ(stride("float"), 4u);
  EXPECT_EQ(stride("float[]"), 16u);
  EXPECT_EQ(stride("vec2<int8>"), 2u);
  EXPECT_EQ(stride("vec2<int8>[]"), 16u);
  EXPECT_EQ(stride("vec3<float>"), 16u);
  EXPECT_EQ(stride("mat2x2<float>"), 32u);
}

TEST(DataTypes, ReadVkScriptNames) {
  EXPECT_EQ(shapeOf(parseVkScriptType("int")), "int32 1x1");
  EXPECT_EQ(shapeOf(parseVkScriptType("uint16_t")), "uint16 1x1");
  EXPECT_EQ(shapeOf(parseVkScriptType("vec4")), "float32 1x4");
  EXPECT_EQ(shapeOf(parseVkScriptType("i8vec2")), "int8 1x2");
  EXPECT_EQ(shapeOf(parseVkScriptType("u64vec3")), "uint64 1x3");
  EXPECT_EQ(shapeOf(parseVkScriptType("dmat3x2")), "float64 3x2");
  EXPECT_EQ(shapeOf(parseVkScriptType("mat3")), "float32 3x3");
  for (StringRef name : {"", "vec", "vec5", "imat2", "u8mat2x2", "int32", "xvec2", "vec2<int>"})
    EXPECT_EQ(shapeOf(parseVkScriptType(name)), "none") << name.str();
}

/// Offsets by hand from the Vulkan specification, 15.6.4.
TEST(DataTypes, PlaceValuesByLayout) {
  DataFormat vec3 = makeDataFormat(ScalarKind::Float32, 3, 1, BlockLayout::Std430);
  EXPECT_EQ(valueOffset(vec3, 2), 8u);
  EXPECT_EQ(valueOffset(vec3, 3), 16u);
  EXPECT_EQ(valuesExtent(vec3, 6), 28u);
  DataFormat scalar140 = makeDataFormat(ScalarKind::Float32, 1, 1, BlockLayout::Std140);
  EXPECT_EQ(valueOffset(scalar140, 2), 32u);
  DataFormat mat2x3 = makeDataFormat(ScalarKind::Float32, 3, 2, BlockLayout::Std430);
  EXPECT_EQ(valueOffset(mat2x3, 3), 16u);
  EXPECT_EQ(valueOffset(mat2x3, 6), 32u);
  DataFormat mat2x2 = makeDataFormat(ScalarKind::Float32, 2, 2, BlockLayout::Std140);
  EXPECT_EQ(valueOffset(mat2x2, 2), 16u);
  EXPECT_EQ(valueOffset(mat2x2, 4), 32u);
  DataFormat dvec3 = makeDataFormat(ScalarKind::Float64, 3, 1, BlockLayout::Std140);
  EXPECT_EQ(valueOffset(dvec3, 3), 32u);
  EXPECT_EQ(valuesExtent(dvec3, 0), 0u);
}

TEST(DataTypes, SpreadTolerancesOverColumns) {
  DataFormat mat2x3 = makeDataFormat(ScalarKind::Float32, 3, 2, BlockLayout::Std430);
  std::vector<Tolerance> spread =
      spreadTolerances({{1, false}, {2, false}, {3, true}, {4, false}}, mat2x3);
  ASSERT_EQ(spread.size(), 6u);
  EXPECT_EQ(spread[4].value, 2);
  EXPECT_TRUE(spread[5].percent);
  std::vector<Tolerance> few = spreadTolerances({{1, false}, {2, false}}, mat2x3);
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(few[0].value, 1);
}

} // namespace

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

TEST(DataTypes, ReadFormatsThatAreVectors) {
  EXPECT_EQ(shapeOf(parseAmberType("R32_SFLOAT")), "float32 1x1");
  EXPECT_EQ(shapeOf(parseAmberType("R32G32B32A32_SFLOAT")), "float32 1x4");
  EXPECT_EQ(shapeOf(parseAmberType("R8G8_UINT")), "uint8 1x2");
  EXPECT_EQ(shapeOf(parseAmberType("R16_SINT")), "int16 1x1");
  for (StringRef name : {"R32G32B32_SFLOAT", "R8_UNORM", "B8G8R8A8_UINT", "R8G16_UINT", "_UINT",
                         "R8G8B8A8R8_UINT", "R24_UINT", "R32_SFLOAT_PACK32"})
    EXPECT_EQ(shapeOf(parseAmberType(name)), "none") << name.str();
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

TEST(DataTypes, TellForeignTypesFromTypingErrors) {
  EXPECT_TRUE(isForeignAmberType("R8G8B8A8_UNORM"));
  EXPECT_TRUE(isForeignAmberType("D32_SFLOAT_S8_UINT"));
  EXPECT_TRUE(isForeignAmberType("int32[4]"));
  EXPECT_FALSE(isForeignAmberType("flaot"));
  EXPECT_FALSE(isForeignAmberType("INT32"));
}

// Offsets by hand from the Vulkan specification, 15.6.4.
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

TEST(DataTypes, RefuseArraysThatOverflow) {
  DataFormat vec4 = makeDataFormat(ScalarKind::Float32, 4, 1, BlockLayout::Std430);
  EXPECT_EQ(arrayBytes(vec4, 3), 48u);
  EXPECT_EQ(arrayBytes(vec4, ~0ull), std::nullopt);
}

TEST(DataTypes, SpreadTolerancesOverColumns) {
  DataFormat mat2x3 = makeDataFormat(ScalarKind::Float32, 3, 2, BlockLayout::Std430);
  Expected<std::vector<Tolerance>> spread =
      spreadTolerances({{1, false}, {2, false}, {3, true}, {4, false}}, mat2x3);
  ASSERT_TRUE(!!spread);
  ASSERT_EQ(spread->size(), 6u);
  EXPECT_EQ((*spread)[4].value, 2);
  EXPECT_TRUE((*spread)[5].percent);
  Expected<std::vector<Tolerance>> few = spreadTolerances({{1, false}, {2, false}}, mat2x3);
  EXPECT_FALSE(!!few);
  consumeError(few.takeError());
}

} // namespace

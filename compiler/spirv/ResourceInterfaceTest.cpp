// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which descriptors a module's images and samplers are.
#include "compiler/spirv/ResourceInterface.h"

#include "support/Error.h"

#include <gtest/gtest.h>
#include <variant>

using namespace llvm;
using namespace assay;

static const char *const Types = R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%u3 = OpConstant %uint 3
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%storage = OpTypeImage %float 2D 0 0 0 2 Rgba8
%buffer = OpTypeImage %float Buffer 0 0 0 1 Unknown
%sampler = OpTypeSampler
%both = OpTypeSampledImage %image
%block = OpTypeStruct %uint
%samplers = OpTypeArray %sampler %u3
%boths = OpTypeRuntimeArray %both
)";

/// A module with one variable for each of \p variables: type, binding.
static spirv::Module moduleWith(ArrayRef<std::pair<const char *, unsigned>> variables) {
  std::string decorations, declarations;
  for (size_t i = 0; i < variables.size(); ++i) {
    std::string name = "%v" + std::to_string(i);
    decorations += "OpDecorate " + name + " DescriptorSet 0\nOpDecorate " + name + " Binding " +
                   std::to_string(variables[i].second) + "\n";
    declarations += "%p" + std::to_string(i) + " = OpTypePointer UniformConstant %" +
                    variables[i].first + "\n" + name + " = OpVariable %p" + std::to_string(i) +
                    " UniformConstant\n";
  }
  auto words = spirv::assemble("OpCapability Shader\nOpCapability SampledBuffer\n"
                               "OpMemoryModel Logical GLSL450\n"
                               "OpEntryPoint GLCompute %main \"main\"\n"
                               "OpExecutionMode %main LocalSize 1 1 1\n" +
                               decorations + Types + declarations +
                               "%main = OpFunction %void None %fn\n%start = OpLabel\nOpReturn\n"
                               "OpFunctionEnd\n");
  EXPECT_TRUE(bool(words)) << (words ? "" : takeError(words.takeError()).message);
  auto module = spirv::decode(*words);
  EXPECT_TRUE(bool(module)) << (module ? "" : takeError(module.takeError()).message);
  return std::move(*module);
}

static ResourceLayout layoutOf(ArrayRef<std::pair<const char *, unsigned>> variables) {
  return cantFail(spirv::layoutFor(moduleWith(variables)));
}

TEST(ResourceInterface, KnowsWhatADescriptorIs) {
  ResourceLayout layout =
      layoutOf({{"image", 0}, {"storage", 1}, {"buffer", 2}, {"samplers", 3}, {"boths", 4}});
  const DescriptorKind kinds[] = {DescriptorKind::Image, DescriptorKind::Image,
                                  DescriptorKind::TexelBuffer, DescriptorKind::Sampler,
                                  DescriptorKind::CombinedImageSampler};
  const uint32_t strides[] = {8, 8, 4, 4, 12};
  const uint32_t offsets[] = {0, 8, 16, 20, 32};
  for (unsigned i = 0; i < 5; ++i) {
    const DescriptorNode *node = layout.find(0, i);
    ASSERT_TRUE(node) << i;
    EXPECT_EQ(node->kind, kinds[i]) << i;
    EXPECT_EQ(node->strideInDwords, strides[i]) << i;
    EXPECT_EQ(node->offsetInDwords, offsets[i]) << i;
  }
  EXPECT_EQ(layout.find(0, 3)->count, 3u);
  EXPECT_EQ(layout.find(0, 4)->count, runtimeDescriptorCount);
}

// A combined descriptor may be seen by its parts alone: the S# is after the T# all the same.
TEST(ResourceInterface, GivesASharedBindingRoomForAll) {
  for (auto variables : {std::pair("image", "sampler"), std::pair("sampler", "image"),
                         std::pair("both", "sampler"), std::pair("image", "both")}) {
    ResourceLayout layout = layoutOf({{variables.first, 7}, {variables.second, 7}});
    const DescriptorNode *node = layout.find(0, 7);
    ASSERT_TRUE(node);
    EXPECT_EQ(node->kind, DescriptorKind::CombinedImageSampler) << variables.first;
    EXPECT_EQ(node->strideInDwords, 12u);
  }
  EXPECT_EQ(layoutOf({{"image", 7}, {"storage", 7}}).find(0, 7)->kind, DescriptorKind::Image);
}

TEST(ResourceInterface, MergesTheBindingsOfAllStages) {
  spirv::Module first = moduleWith({{"image", 3}, {"buffer", 1}});
  spirv::Module second = moduleWith({{"samplers", 3}, {"sampler", 0}});
  ResourceLayout layout = cantFail(spirv::layoutFor({{first, {}}, {second, {}}}));
  ASSERT_EQ(layout.tables.size(), 1u);
  ASSERT_EQ(layout.tables[0].nodes.size(), 3u);
  EXPECT_EQ(layout.find(0, 0)->kind, DescriptorKind::Sampler);
  EXPECT_EQ(layout.find(0, 1)->kind, DescriptorKind::TexelBuffer);
  EXPECT_EQ(layout.find(0, 3)->kind, DescriptorKind::CombinedImageSampler);
  EXPECT_EQ(layout.find(0, 3)->count, 3u);
}

TEST(ResourceInterface, RefusesABindingOfTwoKinds) {
  spirv::Module first = moduleWith({{"image", 3}});
  spirv::Module second = moduleWith({{"buffer", 3}});
  Expected<ResourceLayout> layout = spirv::layoutFor({{first, {}}, {second, {}}});
  ASSERT_FALSE(bool(layout));
  ErrorParts parts = takeError(layout.takeError());
  EXPECT_EQ(parts.kind, ErrorKind::InvalidInput);
  EXPECT_EQ(parts.message,
            "set 0, binding 3: the stages declare it as an image and as a texel buffer");
}

TEST(ResourceInterface, RefusesPushConstantsOf4GiB) {
  // 0x40000001 words: 4 bytes, when cut to 32 bits.
  auto words = spirv::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%count = OpConstant %uint 0x40000001
%array = OpTypeArray %uint %count
%block = OpTypeStruct %array
%pointer = OpTypePointer PushConstant %block
%push = OpVariable %pointer PushConstant
%main = OpFunction %void None %fn
%start = OpLabel
OpReturn
OpFunctionEnd
)");
  ASSERT_TRUE(bool(words)) << takeError(words.takeError()).message;
  spirv::Module module = cantFail(spirv::decode(*words));
  Expected<ResourceLayout> layout = spirv::layoutFor(module);
  ASSERT_FALSE(bool(layout));
  EXPECT_EQ(takeError(layout.takeError()).kind, ErrorKind::Limit);
}

/// A module with an array of samplers of length %length, which is among \p constants.
static spirv::Module moduleOfLength(StringRef constants) {
  auto words = spirv::assemble("OpCapability Shader\nOpCapability Int16\nOpCapability Int64\n"
                               "OpMemoryModel Logical GLSL450\n"
                               "OpEntryPoint GLCompute %main \"main\"\n"
                               "OpExecutionMode %main LocalSize 1 1 1\n"
                               "OpDecorate %count SpecId 7\nOpDecorate %flag SpecId 8\n"
                               "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
                               "%bool = OpTypeBool\n%int = OpTypeInt 32 1\n"
                               "%short = OpTypeInt 16 0\n%long = OpTypeInt 64 1\n"
                               "%two = OpConstant %int 2\n%zero = OpConstant %int 0\n"
                               "%least = OpConstant %int -2\n"
                               "%flag = OpSpecConstantTrue %bool\n"
                               "%count = OpSpecConstant %int 5\n" +
                               constants.str() +
                               "\n%sampler = OpTypeSampler\n%array = OpTypeArray %sampler %length\n"
                               "%pointer = OpTypePointer UniformConstant %array\n"
                               "%samplers = OpVariable %pointer UniformConstant\n"
                               "%main = OpFunction %void None %fn\n%start = OpLabel\nOpReturn\n"
                               "OpFunctionEnd\n");
  EXPECT_TRUE(bool(words)) << (words ? "" : takeError(words.takeError()).message);
  return cantFail(spirv::decode(*words));
}

/// The length, or the kind of the Error.
static std::variant<uint32_t, ErrorKind> lengthOf(StringRef constants,
                                                  ArrayRef<SpecializationValue> values = {}) {
  spirv::Module module = moduleOfLength(constants);
  auto resources = spirv::collectResources({module, values});
  if (resources)
    return resources->bindings[0].count;
  return takeError(resources.takeError()).kind;
}

TEST(ResourceInterface, ComputesLengthsOfSpecializationConstants) {
  struct Row {
    const char *operation;
    uint32_t length;
  };
  const Row rows[] = {{"IAdd %count %zero", 5},
                      {"ISub %count %two", 3},
                      {"IMul %count %two", 10},
                      {"SDiv %count %two", 2},
                      {"SRem %count %two", 1},
                      {"ShiftLeftLogical %count %two", 20},
                      {"ShiftRightArithmetic %count %two", 1},
                      {"BitwiseXor %count %two", 7},
                      {"SNegate %least", 2},
                      {"Select %flag %count %two", 5}};
  for (const Row &row : rows)
    EXPECT_EQ(lengthOf(std::string("%length = OpSpecConstantOp %int ") + row.operation),
              (std::variant<uint32_t, ErrorKind>(row.length)))
        << row.operation;
  std::variant<uint32_t, ErrorKind> four = 4u, six = 6u, two = 2u;
  EXPECT_EQ(lengthOf("%length = OpConstant %short 4"), four);
  EXPECT_EQ(lengthOf("%length = OpSpecConstantOp %int IMul %count %two", SpecializationValue{7, 3}),
            six);
  EXPECT_EQ(lengthOf("%length = OpSpecConstantOp %int Select %flag %count %two",
                     SpecializationValue{8, 0}),
            two);
  EXPECT_EQ(lengthOf("%less = OpSpecConstantOp %bool SLessThan %count %two\n"
                     "%length = OpSpecConstantOp %int Select %less %count %two"),
            two);
}

TEST(ResourceInterface, RefusesLengthsWithoutAValue) {
  std::variant<uint32_t, ErrorKind> invalid = ErrorKind::InvalidInput,
                                    unsupported = ErrorKind::Unsupported;
  EXPECT_EQ(lengthOf("%length = OpSpecConstantOp %int UDiv %count %zero"), invalid);
  EXPECT_EQ(lengthOf("%length = OpSpecConstantOp %int ISub %two %two"), invalid);
  EXPECT_EQ(lengthOf("%length = OpSpecConstantOp %int SDiv %least %two"), unsupported);
  EXPECT_EQ(lengthOf("%length = OpConstant %long 2"), unsupported);
  EXPECT_EQ(lengthOf("%half = OpSpecConstantOp %short UConvert %count\n"
                     "%length = OpSpecConstantOp %int UConvert %half"),
            unsupported);
}

TEST(ResourceInterface, EndsWhereALengthDependsOnManyOthers) {
  // Each is the sum of the one before with itself.
  std::string constants = "%c0 = OpSpecConstantOp %int IAdd %count %zero\n";
  for (int i = 1; i <= 40; ++i)
    constants += "%c" + std::to_string(i) + " = OpSpecConstantOp %int IAdd %c" +
                 std::to_string(i - 1) + " %c" + std::to_string(i - 1) + "\n";
  EXPECT_EQ(lengthOf(constants + "%length = OpSpecConstantOp %int IAdd %c40 %two"),
            (std::variant<uint32_t, ErrorKind>(ErrorKind::Limit)));
}

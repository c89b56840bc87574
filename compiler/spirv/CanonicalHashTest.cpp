// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/CanonicalHash.h"

#include "compiler/spirv/Module.h"
#include "support/Error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

/// Places in the text: what a test replaces.
static constexpr StringLiteral shaderText = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 4 1 1
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %buffer DescriptorSet 0
               OpDecorate %buffer Binding 1
               OpDecorate %factor SpecId 7
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
       %zero = OpConstant %uint 0
     %factor = OpSpecConstant %uint 3
      %block = OpTypeStruct %uint
    %pointer = OpTypePointer Uniform %block
%uintPointer = OpTypePointer Uniform %uint
     %shared = OpTypePointer Workgroup %uint
      %first = OpVariable %shared Workgroup
     %second = OpVariable %shared Workgroup
     %buffer = OpVariable %pointer Uniform
       %main = OpFunction %void None %function
      %label = OpLabel
     %access = OpAccessChain %uintPointer %buffer %zero
      %value = OpLoad %uint %access
    %product = OpIMul %uint %value %factor
               OpStore %first %product
               OpStore %second %value
               OpReturn
               OpFunctionEnd
)";

static ShaderDescription makeShader(StringRef text) {
  ShaderDescription shader;
  Expected<std::vector<uint32_t>> words = spirv::assemble(text);
  EXPECT_TRUE(bool(words)) << takeError(words.takeError()).message;
  if (words)
    shader.spirv = *words;
  return shader;
}

/// The hash of the shader with \p from replaced by \p to.
static Hash128 hashWith(StringRef from = "", StringRef to = "") {
  std::string text = shaderText.str();
  if (!from.empty()) {
    size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from.str();
    text.replace(place, from.size(), to);
  }
  return cantFail(spirv::hashMeaning(makeShader(text)));
}

TEST(CanonicalHash, LeavesOutWhatNoCodeDependsOn) {
  const std::pair<StringRef, StringRef> changes[] = {
      {"OpDecorate %block Block", "OpName %main \"x\"\nOpDecorate %block Block"},
      {"OpDecorate %block Block",
       "%s = OpString \"f\"\nOpSource GLSL 450 %s\nOpDecorate %block Block"},
      {"OpDecorate %buffer DescriptorSet 0\n               OpDecorate %buffer Binding 1",
       "OpDecorate %buffer Binding 1\nOpDecorate %buffer DescriptorSet 0"},
      {"OpDecorate %buffer Binding", "OpDecorate %buffer NonWritable\nOpDecorate %buffer Binding"},
      {"OpDecorate %block Block", "OpMemberDecorate %block 0 NonReadable\nOpDecorate %block Block"},
      {"SpecId 7", "SpecId 8"},
      {"%uint = OpTypeInt 32 0", "%int = OpTypeInt 32 1\n%uint = OpTypeInt 32 0"},
      {"%first = OpVariable", "%unused = OpVariable %shared Workgroup\n%first = OpVariable"},
      {"OpFunctionEnd",
       "OpFunctionEnd\n%f = OpFunction %void None %function\n%l = OpLabel\nOpReturn\n"
       "OpFunctionEnd"},
  };
  for (const auto &[from, to] : changes)
    EXPECT_EQ(hashWith(from, to), hashWith()) << to.str();
}

TEST(CanonicalHash, HoldsEverythingElse) {
  const std::pair<StringRef, StringRef> changes[] = {
      {"Shader", "Shader\nOpCapability Int64"},
      {"LocalSize 4", "LocalSize 5"},
      {"Offset 0", "Offset 4"},
      {"Binding 1", "Binding 2"},
      {"DescriptorSet 0", "DescriptorSet 1"},
      {"OpDecorate %buffer Binding", "OpDecorate %buffer Coherent\nOpDecorate %buffer Binding"},
      {"OpSpecConstant %uint 3", "OpSpecConstant %uint 4"},
      {"OpIMul", "OpIAdd"},
      {"%value = OpLoad", "%other = OpLoad %uint %access\n%value = OpLoad"},
      {"OpIMul %uint %value %factor", "OpIMul %uint %factor %value"},
      {"OpStore %second %value", "OpStore %second %product"},
      {"OpStore %second %value", "OpStore %first %value"},
  };
  for (const auto &[from, to] : changes)
    EXPECT_NE(hashWith(from, to), hashWith()) << to.str();
}

// Variables have the order of their first use.
TEST(CanonicalHash, LeavesOutTheOrderOfVariables) {
  constexpr StringLiteral swapped =
      "%second = OpVariable %shared Workgroup\n     %first = OpVariable";
  EXPECT_EQ(hashWith("%first = OpVariable %shared Workgroup\n     %second = OpVariable", swapped),
            hashWith());
  for (bool isSwapped : {false, true}) {
    std::string text = shaderText.str();
    if (isSwapped)
      text.replace(text.find("%first = OpVariable"), swapped.size(), swapped);
    ShaderDescription shader = makeShader(text);
    spirv::Module module = cantFail(spirv::decode(shader.spirv));
    module.orderVariables(cantFail(spirv::readMeaning(shader)).variables);
    std::vector<spirv::Id> ids;
    for (const spirv::Instruction &global : module.globals)
      if (global.opcode == spv::Op::OpVariable) {
        ids.push_back(global.resultId);
        EXPECT_EQ(module.findGlobal(global.resultId), &global);
      }
    EXPECT_EQ(ids, cantFail(spirv::readMeaning(shader)).variables);
    EXPECT_EQ(module.type(module.globals.back().typeId).storageClass, spv::StorageClass::Workgroup)
        << "the buffer is used first";
  }
}

/// A graphics stage that exchanges two scalars with another one.
static Hash128 hashExchange(ShaderStage stage, StringRef first, StringRef second) {
  bool isVertex = stage == ShaderStage::Vertex;
  std::string text =
      std::string("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint ") +
      (isVertex ? "Vertex" : "Fragment") + " %main \"main\" %a %b\n" +
      (isVertex ? "" : "OpExecutionMode %main OriginUpperLeft\n") + "OpDecorate %a " + first.str() +
      "\nOpDecorate %b " + second.str() + R"(
       %void = OpTypeVoid
   %function = OpTypeFunction %void
      %float = OpTypeFloat 32
    %pointer = OpTypePointer )" +
      (isVertex ? "Output" : "Input") + R"( %float
          %a = OpVariable %pointer )" +
      (isVertex ? "Output" : "Input") + R"(
          %b = OpVariable %pointer )" +
      (isVertex ? "Output" : "Input") + R"(
       %main = OpFunction %void None %function
      %label = OpLabel
         %va = OpLoad %float %a
         %vb = OpLoad %float %b
               OpReturn
               OpFunctionEnd
)";
  ShaderDescription shader = makeShader(text);
  shader.stage = stage;
  return cantFail(spirv::hashMeaning(shader));
}

// Linking chooses places, where each is of one variable.
TEST(CanonicalHash, LeavesOutPlacesThatLinkingChooses) {
  for (ShaderStage stage : {ShaderStage::Vertex, ShaderStage::Fragment}) {
    Hash128 usual = hashExchange(stage, "Location 0", "Location 1");
    EXPECT_EQ(hashExchange(stage, "Location 7", "Location 3"), usual);
    EXPECT_NE(hashExchange(stage, "Location 1", "Location 1"), usual) << "one place";
    EXPECT_NE(hashExchange(stage, "Location 1", "Location 1"),
              hashExchange(stage, "Location 2", "Location 2"))
        << "two variables have it";
    EXPECT_NE(hashExchange(stage, "BuiltIn PointSize", "Location 1"), usual);
  }
}

TEST(CanonicalHash, TakesTheValueOfASpecialization) {
  ShaderDescription shader = makeShader(shaderText);
  shader.specialization = {{7, 5}};
  EXPECT_NE(cantFail(spirv::hashMeaning(shader)), hashWith());
  shader.specialization = {{8, 5}}; // No such constant.
  EXPECT_EQ(cantFail(spirv::hashMeaning(shader)), hashWith());
}

/// A fragment shader with an input that no function uses.
static Hash128 hashUnusedInput(StringRef decoration, StringRef interface = " %unused") {
  std::string text = R"(
               OpCapability Shader
               OpCapability SampleRateShading
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main")" +
                     interface.str() + R"(
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %unused Location 0
               OpDecorate %unused )" +
                     decoration.str() + R"(
       %void = OpTypeVoid
   %function = OpTypeFunction %void
      %float = OpTypeFloat 32
      %input = OpTypePointer Input %float
     %unused = OpVariable %input Input
       %main = OpFunction %void None %function
      %label = OpLabel
               OpReturn
               OpFunctionEnd
)";
  return cantFail(spirv::hashMeaning([&] {
    ShaderDescription shader = makeShader(text);
    shader.stage = ShaderStage::Fragment;
    return shader;
  }()));
}

// The front-end reads all inputs of the interface.
TEST(CanonicalHash, HoldsUnusedInputsOfTheInterface) {
  EXPECT_NE(hashUnusedInput("Sample"), hashUnusedInput("Centroid"));
  EXPECT_NE(hashUnusedInput("Sample"), hashUnusedInput("Sample", ""));
  EXPECT_EQ(hashUnusedInput("Sample", ""), hashUnusedInput("Centroid", ""));
}

TEST(CanonicalHash, EntryPointIsFoundByItsName) {
  ShaderDescription renamed = makeShader(shaderText);
  renamed.entryPoint = "nobody";
  EXPECT_THAT(takeError(spirv::hashMeaning(renamed).takeError()).message,
              testing::HasSubstr("no compute entry point is called 'nobody'"));
  ShaderDescription broken = makeShader(shaderText);
  broken.spirv.resize(20);
  EXPECT_THAT(takeError(spirv::hashMeaning(broken).takeError()).message,
              testing::HasSubstr("SPIR-V module"));
}

/// The hash of the shader with a second member in its block, one of which is volatile by a group.
static Hash128 hashOfGroup(StringRef member) {
  std::string text = shaderText.str();
  auto replace = [&](StringRef from, const std::string &to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("OpMemberDecorate %block 0 Offset 0",
          "OpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 4\n"
          "OpDecorate %group Volatile\n%group = OpDecorationGroup\n"
          "OpGroupMemberDecorate %group %block " +
              member.str());
  replace("OpTypeStruct %uint", "OpTypeStruct %uint %uint");
  return cantFail(spirv::hashMeaning(makeShader(text)));
}

TEST(CanonicalHash, DependsOnTheMembersOfAGroup) {
  EXPECT_EQ(hashOfGroup("0"), hashOfGroup("0"));
  EXPECT_NE(hashOfGroup("0"), hashOfGroup("1"));
}

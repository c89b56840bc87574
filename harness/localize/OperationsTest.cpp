// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Operations.h"

#include "compiler/spirv/Module.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static constexpr const char *text = R"(
OpCapability Shader
OpCapability VariablePointers
OpExtension "SPV_KHR_variable_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %first %second %kept %canvas
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %first DescriptorSet 0
OpDecorate %first Binding 0
OpDecorate %second DescriptorSet 0
OpDecorate %second Binding 1
OpDecorate %canvas DescriptorSet 0
OpDecorate %canvas Binding 2
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%vec3 = OpTypeVector %uint 3
%vec2 = OpTypeVector %int 2
%texel = OpTypeVector %uint 4
%block = OpTypeStruct %uint
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%to_image = OpTypePointer UniformConstant %image
%to_vec3 = OpTypePointer Input %vec3
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %uint
%to_pointer = OpTypePointer Private %to_word
%id = OpVariable %to_vec3 Input
%first = OpVariable %to_block StorageBuffer
%second = OpVariable %to_block StorageBuffer
%kept = OpVariable %to_pointer Private
%canvas = OpVariable %to_image UniformConstant
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%place = OpConstantNull %vec2
%main = OpFunction %void None %type
%v30 = OpLabel
%v31 = OpLoad %vec3 %id
%v32 = OpCompositeExtract %uint %v31 0
%v33 = OpAccessChain %to_word %first %zero
%v34 = OpLoad %uint %v33
OpStore %kept %v33
%v35 = OpLoad %to_word %kept
%v36 = OpLoad %uint %v35
%v37 = OpISub %uint %v34 %v32
%v38 = OpAccessChain %to_word %second %zero
%v39 = OpAtomicIAdd %uint %v38 %one %zero %one
%v40 = OpLoad %image %canvas
%v41 = OpImageRead %texel %v40 %place
OpImageWrite %v40 %place %v41
OpStore %v33 %v37
%v42 = OpIEqual %bool %v37 %v36
OpSelectionMerge %v45 None
OpSwitch %v37 %v44 1 %v43
%v43 = OpLabel
OpBranch %v44
%v44 = OpLabel
OpBranch %v45
%v45 = OpLabel
OpReturn
OpFunctionEnd
)";

static fuzz::Program makeProgram() {
  return cantFail(fuzz::decode(cantFail(spirv::assemble(text))));
}

/// The value that instruction number \p number of \p opcode gives, from 0 on.
static fuzz::ProbePoint valueOf(const fuzz::Program &program, spv::Op opcode, unsigned number = 0) {
  fuzz::Id found = 0;
  forEachInstruction(program, [&](const fuzz::Instruction &each) {
    if (each.opcode == opcode && number-- == 0)
      found = each.result;
  });
  EXPECT_NE(found, 0u);
  return {fuzz::ProbeKind::Value, found};
}

static fuzz::ProbePoint blockOf(const fuzz::Program &program, size_t number) {
  return {fuzz::ProbeKind::Block, program.functions.front().blocks[number].label};
}

TEST(Operations, OfLoadsSayWhatTheyLoadFrom) {
  fuzz::Program program = makeProgram();
  ASSERT_FALSE(static_cast<bool>(spirv::validate(encode(program))));
  auto name = [&](unsigned load) {
    return describePoint(program, valueOf(program, spv::Op::OpLoad, load), {});
  };
  EXPECT_EQ(name(0), "OpLoad GlobalInvocationId");
  EXPECT_EQ(name(1), "OpLoad StorageBuffer");
  EXPECT_EQ(name(2), "OpLoad Private");
  EXPECT_EQ(name(3), "OpLoad Private") << "through a pointer that nobody has judged";
  EXPECT_EQ(findLoadedBuiltIn(program, valueOf(program, spv::Op::OpLoad, 0)),
            spv::BuiltIn::GlobalInvocationId);
  EXPECT_EQ(findLoadedBuiltIn(program, valueOf(program, spv::Op::OpLoad, 1)), std::nullopt);
}

TEST(Operations, OfValuesLookBehindWhatNobodyHasJudged) {
  fuzz::Program program = makeProgram();
  fuzz::ProbePoint sub = valueOf(program, spv::Op::OpISub);
  fuzz::Id word = valueOf(program, spv::Op::OpLoad, 1).id;
  fuzz::Id component = valueOf(program, spv::Op::OpCompositeExtract).id;
  EXPECT_EQ(describePoint(program, sub, {word, component}), "OpISub");
  EXPECT_EQ(describePoint(program, sub, {component}), "OpLoad StorageBuffer");
  EXPECT_EQ(describePoint(program, sub, {word}), "OpLoad GlobalInvocationId");
  EXPECT_EQ(describePoint(program, valueOf(program, spv::Op::OpImageRead), {}), "OpImageRead")
      << "an image has no value of its own";
}

TEST(Operations, OfBlocksAreTheBranchesThatDecide) {
  fuzz::Program program = makeProgram();
  EXPECT_EQ(describePoint(program, blockOf(program, 1), {}), "OpSwitch");
  EXPECT_EQ(describePoint(program, blockOf(program, 3), {}), "OpSwitch") << "where its parts meet";
  EXPECT_EQ(describePoint(program, blockOf(program, 0), {}), "OpBranch");
}

TEST(Operations, OfWritesAreThoseOfTheBuffer) {
  fuzz::Program program = makeProgram();
  Case input;
  input.pipelines.resize(1);
  for (uint32_t i = 0; i < 3; ++i) {
    BufferBinding binding;
    binding.buffer = binding.binding = i;
    input.pipelines.front().bindings.push_back(binding);
  }
  EXPECT_EQ(describeWrites(program, input, 0), "OpStore StorageBuffer");
  EXPECT_EQ(describeWrites(program, input, 1), "OpAtomicIAdd");
  EXPECT_EQ(describeWrites(program, input, 2), "OpImageWrite");
  EXPECT_EQ(describeWrites(program, input, 3), "OpAtomicIAdd") << "the first of what is written";
}

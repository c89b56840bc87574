// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which words of a case's buffers are known.
#include "fuzz/transform/Opaque.h"

#include "compiler/spirv/Module.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Reads a word of variable %a, of binding 0, and stores it to %b, whose binding is \p binding.
static GeneratedCase makeCase(unsigned binding) {
  std::string text = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %Words Block
OpMemberDecorate %Words 0 Offset 0
OpDecorate %array ArrayStride 4
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding )" +
                     std::to_string(binding) + R"(
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%array = OpTypeRuntimeArray %uint
%Words = OpTypeStruct %array
%toWords = OpTypePointer StorageBuffer %Words
%toWord = OpTypePointer StorageBuffer %uint
%a = OpVariable %toWords StorageBuffer
%b = OpVariable %toWords StorageBuffer
%main = OpFunction %void None %function
%begin = OpLabel
%from = OpAccessChain %toWord %a %zero %zero
%value = OpLoad %uint %from
%to = OpAccessChain %toWord %b %zero %zero
OpStore %to %value
OpReturn
OpFunctionEnd
)";
  GeneratedCase made;
  made.program = cantFail(decode(cantFail(spirv::assemble(text))));
  for (uint32_t i = 0; i < 2; ++i) {
    GeneratedBuffer buffer;
    buffer.name = "buffer" + std::to_string(i);
    buffer.dataType = "uint32";
    buffer.binding = i;
    buffer.words = {70 + i, 80 + i};
    made.buffers.push_back(buffer);
  }
  return made;
}

TEST(Opaque, KnowsTheWordsOfABufferThatNobodyWrites) {
  Context context(makeCase(1));
  std::vector<KnownWord> words = knownWords(context);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].bits, 70u);
  EXPECT_EQ(words[1].bits, 80u);
}

TEST(Opaque, KnowsNothingOfABindingThatAnotherVariableWrites) {
  Context context(makeCase(0));
  EXPECT_TRUE(knownWords(context).empty());
}

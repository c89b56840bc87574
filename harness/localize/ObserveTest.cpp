// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left out where the reference objects; test_localize.py has what is observed then.
#include "harness/localize/Observe.h"

#include "compiler/spirv/Module.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

/// Two functions, one with parameters, and blocks after one another.
static constexpr const char *text = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%binary = OpTypeFunction %uint %uint %uint
%block = OpTypeStruct %uint
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %uint
%data = OpVariable %to_block StorageBuffer
%zero = OpConstant %uint 0
%seven = OpConstant %uint 7
%divide = OpFunction %uint None %binary
%x = OpFunctionParameter %uint
%y = OpFunctionParameter %uint
%f = OpLabel
%quotient = OpUDiv %uint %x %y
OpReturnValue %quotient
OpFunctionEnd
%main = OpFunction %void None %type
%entry = OpLabel
%word = OpAccessChain %to_word %data %zero
%a = OpLoad %uint %word
%b = OpFunctionCall %uint %divide %a %seven
%t = OpULessThan %bool %a %b
OpSelectionMerge %end None
OpBranchConditional %t %less %end
%less = OpLabel
%rest = OpUMod %uint %a %b
OpStore %word %rest
OpBranch %end
%end = OpLabel
OpStore %word %seven
OpReturn
OpFunctionEnd
)";

static fuzz::Program makeProgram() {
  return cantFail(fuzz::decode(cantFail(spirv::assemble(text))));
}

/// Where instruction number \p number of \p opcode begins, from 0 on.
static size_t wordOf(const fuzz::Program &program, spv::Op opcode, unsigned number = 0) {
  std::vector<uint32_t> words = encode(program);
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if (static_cast<spv::Op>(words[at] & 0xffff) == opcode && number-- == 0)
      return at;
  ADD_FAILURE() << spirv::opcodeName(opcode) << " is missing";
  return 0;
}

static std::vector<spv::Op> listBodies(const fuzz::Program &program) {
  std::vector<spv::Op> opcodes;
  for (const fuzz::Function &function : program.functions)
    for (const fuzz::Block &block : function.blocks)
      for (const fuzz::Instruction &each : block.body)
        opcodes.push_back(each.opcode);
  return opcodes;
}

TEST(Observe, LeavesOutTheInstructionAtAWord) {
  using spv::Op;
  const std::vector<Op> whole = listBodies(makeProgram());
  struct Row {
    Op opcode;
    unsigned number;
    size_t place; ///< In whole.
  };
  const Row rows[] = {{Op::OpUDiv, 0, 0}, {Op::OpLoad, 0, 3},  {Op::OpFunctionCall, 0, 4},
                      {Op::OpUMod, 0, 8}, {Op::OpStore, 0, 9}, {Op::OpStore, 1, 11}};
  for (const Row &row : rows) {
    fuzz::Program program = makeProgram();
    ASSERT_EQ(whole[row.place], row.opcode);
    EXPECT_TRUE(leaveOutAtWord(program, wordOf(program, row.opcode, row.number)));
    std::vector<Op> rest = whole;
    rest.erase(rest.begin() + static_cast<ptrdiff_t>(row.place));
    EXPECT_EQ(listBodies(program), rest) << spirv::opcodeName(row.opcode) << " " << row.number;
    Error error = spirv::validate(encode(program));
    EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  }
}

TEST(Observe, MakesZeroOfWhatIsLeftOut) {
  fuzz::Program program = makeProgram();
  fuzz::Id zero = program.functions[1].blocks[0].body[0].word(1);
  ASSERT_TRUE(leaveOutAtWord(program, wordOf(program, spv::Op::OpUMod)));
  const fuzz::Instruction &store = program.functions[1].blocks[1].body[0];
  ASSERT_EQ(store.opcode, spv::Op::OpStore);
  EXPECT_EQ(store.word(1), zero);
}

TEST(Observe, LeavesEverythingElseAlone) {
  const fuzz::Program whole = makeProgram();
  size_t load = wordOf(whole, spv::Op::OpLoad);
  const std::pair<const char *, size_t> words[] = {
      {"a type", wordOf(whole, spv::Op::OpTypeInt)},
      {"a constant", wordOf(whole, spv::Op::OpConstant)},
      {"a function", wordOf(whole, spv::Op::OpFunction, 1)},
      {"a parameter", wordOf(whole, spv::Op::OpFunctionParameter)},
      {"a label", wordOf(whole, spv::Op::OpLabel, 2)},
      {"a return of a value", wordOf(whole, spv::Op::OpReturnValue)},
      {"a branch", wordOf(whole, spv::Op::OpBranch)},
      {"the end of a function", wordOf(whole, spv::Op::OpFunctionEnd)},
      {"no instruction", load + 1},
      {"nothing", encode(whole).size()}};
  for (const auto &[name, word] : words) {
    fuzz::Program program = whole;
    EXPECT_FALSE(leaveOutAtWord(program, word)) << name;
    EXPECT_EQ(program, whole) << name;
  }
}

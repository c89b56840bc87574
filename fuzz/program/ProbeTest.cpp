// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program/Probe.h"

#include "compiler/spirv/Module.h"
#include "fuzz/program/Definitions.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace assay::fuzz {

static constexpr const char *text = R"(
OpCapability Shader
OpCapability Int16
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %special SpecId 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%short = OpTypeInt 16 1
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%mat2 = OpTypeMatrix %vec2 2
%pair = OpTypeStruct %uint %uint
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %to_block StorageBuffer
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%half = OpConstant %float 0.5
%special = OpSpecConstant %uint 3
%main = OpFunction %void None %type
%entry = OpLabel
%place = OpAccessChain %to_uint %data %zero %zero
%word = OpLoad %uint %place
%less = OpULessThan %bool %word %special
%small = OpSConvert %short %word
%sum = OpIAddCarry %pair %word %one
%column = OpCompositeConstruct %vec2 %half %half
%matrix = OpCompositeConstruct %mat2 %column %column
OpSelectionMerge %end None
OpBranchConditional %less %then %end
%then = OpLabel
OpBranch %end
%end = OpLabel
%which = OpPhi %uint %zero %entry %one %then
OpCopyMemory %place %place
OpStore %place %which
OpReturn
OpFunctionEnd
)";

static Program makeProgram() {
  return cantFail(decode(cantFail(spirv::assemble(text))));
}

static std::string nameOf(const Definitions &definitions, ProbePoint point) {
  if (point.kind == ProbeKind::Block)
    return "block";
  return point.kind == ProbeKind::Copied ? "copy"
                                         : spirv::opcodeName(definitions.find(point.id)->opcode);
}

/// The number of each probe that can be made, by what it looks at; all of them are valid modules.
static std::vector<std::pair<std::string, unsigned>> probeAll(const Program &program) {
  std::vector<std::pair<std::string, unsigned>> made;
  Definitions definitions(program);
  for (ProbePoint point : listProbePoints(program)) {
    std::optional<Probe> probe = addProbe(program, point, {0, 7});
    if (!probe)
      continue;
    std::string name = nameOf(definitions, point);
    Error error = spirv::validate(encode(probe->program));
    EXPECT_FALSE(static_cast<bool>(error)) << name << ": " << toString(std::move(error));
    made.emplace_back(name, probe->perInvocation);
  }
  return made;
}

TEST(Probe, LooksAtEveryNumberAndBlockInTheirOrder) {
  using Row = std::pair<std::string, unsigned>;
  EXPECT_EQ(probeAll(makeProgram()), (std::vector<Row>{{"OpSpecConstant", 1},
                                                       {"block", 1},
                                                       {"OpLoad", 1},
                                                       {"OpULessThan", 1},
                                                       {"OpSConvert", 1},
                                                       {"OpIAddCarry", 2},
                                                       {"OpCompositeConstruct", 2},
                                                       {"OpCompositeConstruct", 4},
                                                       {"block", 1},
                                                       {"block", 1},
                                                       {"OpPhi", 1},
                                                       {"copy", 1}}));
}

TEST(Probe, SaysWhatItsBufferHolds) {
  Program program = makeProgram();
  for (ProbePoint point : listProbePoints(program)) {
    std::optional<Probe> probe = addProbe(program, point, {0, 7});
    const Instruction *made =
        point.kind == ProbeKind::Value ? Definitions(program).find(point.id) : nullptr;
    if (!probe || !made)
      continue;
    EXPECT_EQ(probe->isFloat, made->opcode == spv::Op::OpCompositeConstruct);
    EXPECT_EQ(probe->width, 32u) << "what is narrower is widened";
  }
}

TEST(Probe, NumbersTheEdgesOfAPhi) {
  Program program = makeProgram();
  Id phi = program.functions.front().blocks.back().body.front().result;
  std::optional<Probe> probe = addProbe(program, {ProbeKind::Edge, phi}, {0, 7});
  ASSERT_TRUE(probe);
  Error error = spirv::validate(encode(probe->program));
  EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  const std::vector<Block> &blocks = probe->program.functions.front().blocks;
  EXPECT_EQ(blocks.front().body.front().opcode, spv::Op::OpVariable);
  EXPECT_EQ(blocks.front().body.rbegin()[2].opcode, spv::Op::OpStore) << "before merge and branch";
  EXPECT_EQ(blocks[1].body.front().opcode, spv::Op::OpStore);
  Id sum = program.functions.front().blocks.front().body[0].result;
  EXPECT_FALSE(addProbe(program, {ProbeKind::Edge, sum}, {0, 7})) << "no phi";
}

static size_t countOf(const Program &program, spv::Op opcode) {
  size_t count = 0;
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      count += count_if(block.body, [&](const Instruction &each) { return each.opcode == opcode; });
  return count;
}

TEST(Probe, HasRoomForSeveralTimes) {
  Program program = makeProgram();
  const Instruction made = program.functions.front().blocks.front().body[4];
  ASSERT_EQ(made.opcode, spv::Op::OpIAddCarry) << "two numbers";
  ProbePoint point{ProbeKind::Value, made.result};
  point.isTimed = true;
  std::optional<Probe> probe = addProbe(program, point, {0, 7});
  ASSERT_TRUE(probe);
  Error error = spirv::validate(encode(probe->program));
  EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  EXPECT_EQ(probe->perInvocation, 2 * probedTimes);
  EXPECT_EQ(probe->numbers, 1024u * 2 * probedTimes);
}

TEST(Probe, CountsInvocationsWithoutABuiltIn) {
  Program probed = addProbe(makeProgram(), {ProbeKind::Invocations}, {0, 7})->program;
  Error error = spirv::validate(encode(probed));
  EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  EXPECT_EQ(findBuiltIn(probed, spv::BuiltIn::LocalInvocationIndex), 0u);
  EXPECT_EQ(countOf(probed, spv::Op::OpAtomicIAdd), 1u);
}

TEST(Probe, CountsValuesOfABuiltInWithoutAnother) {
  ProbePoint point{ProbeKind::BuiltIn, 0, spv::BuiltIn::WorkgroupId};
  std::optional<Probe> probe = addProbe(makeProgram(), point, {0, 7, {3, 2, 1}});
  ASSERT_TRUE(probe);
  Error error = spirv::validate(encode(probe->program));
  EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  EXPECT_NE(findBuiltIn(probe->program, spv::BuiltIn::WorkgroupId), 0u);
  EXPECT_EQ(findBuiltIn(probe->program, spv::BuiltIn::LocalInvocationIndex), 0u);
  EXPECT_EQ(countOf(probe->program, spv::Op::OpStore), countOf(makeProgram(), spv::Op::OpStore));
}

TEST(Probe, HasRoomForEveryWorkgroup) {
  Program program = makeProgram();
  ProbePoint last = listProbePoints(program).back();
  std::optional<Probe> one = addProbe(program, last, {0, 7});
  std::optional<Probe> six = addProbe(program, last, {0, 7, {3, 2, 1}});
  ASSERT_TRUE(one && six);
  EXPECT_EQ(six->numbers, 6 * one->numbers);
  EXPECT_EQ(findBuiltIn(one->program, spv::BuiltIn::WorkgroupId), 0u);
  EXPECT_NE(findBuiltIn(six->program, spv::BuiltIn::WorkgroupId), 0u);
  Error error = spirv::validate(encode(six->program));
  EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
}

/// Instructions of the last block, with \p point looked at.
static std::vector<spv::Op> lastOpcodes(ProbePoint point) {
  Program probed = addProbe(makeProgram(), point, {0, 7})->program;
  std::vector<spv::Op> opcodes;
  for (const Instruction &each : probed.functions.front().blocks.back().body)
    opcodes.push_back(each.opcode);
  return opcodes;
}

TEST(Probe, IsRightAfterWhatItLooksAtAndBeforeACopy) {
  std::vector<ProbePoint> points = listProbePoints(makeProgram());
  auto phi = points.rbegin()[1], copy = points.back();
  ASSERT_EQ(copy.kind, ProbeKind::Copied);
  using enum spv::Op;
  EXPECT_EQ(lastOpcodes(phi), (std::vector<spv::Op>{OpPhi, OpLoad, OpAccessChain, OpStore,
                                                    OpCopyMemory, OpStore, OpReturn}));
  EXPECT_EQ(lastOpcodes(copy), (std::vector<spv::Op>{OpPhi, OpLoad, OpLoad, OpAccessChain, OpStore,
                                                     OpCopyMemory, OpStore, OpReturn}));
}

} // namespace assay::fuzz

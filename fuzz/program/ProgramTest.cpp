// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program/Program.h"

#include "compiler/spirv/Module.h"
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Flow.h"
#include "fuzz/program/Pool.h"
#include "support/Error.h"
#include "support/Random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace assay::fuzz {
using testing::ElementsAre;
using testing::HasSubstr;

static constexpr const char *loopText = R"(
OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data
OpExecutionMode %main LocalSize 8 1 1
OpName %main "main"
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %to_block StorageBuffer
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c8 = OpConstant %uint 8
%main = OpFunction %void None %type
%entry = OpLabel
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %c0 %entry %next %continue
OpLoopMerge %end %continue None
OpBranch %test
%test = OpLabel
%go = OpULessThan %bool %i %c8
OpBranchConditional %go %body %end
%body = OpLabel
%odd = OpBitwiseAnd %uint %i %c1
%is_odd = OpINotEqual %bool %odd %c0
OpSelectionMerge %join None
OpSwitch %odd %join 1 %then
%then = OpLabel
%p = OpAccessChain %to_uint %data %c0 %i
OpStore %p %i
OpBranch %join
%join = OpLabel
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %i %c1
OpBranch %head
%end = OpLabel
OpReturn
OpFunctionEnd
)";

static std::vector<uint32_t> loopWords() {
  return cantFail(spirv::assemble(loopText));
}

TEST(Program, EncodesToWhatItWasDecodedFrom) {
  std::vector<uint32_t> words = loopWords();
  Program program = cantFail(decode(words));
  std::vector<uint32_t> again = encode(program);
  again[2] = words[2]; // The generator.
  EXPECT_EQ(again, words);
  EXPECT_EQ(cantFail(decode(encode(program))), program);
}

TEST(Program, EncodesAsTheAssemblerDoes) {
  Program program = cantFail(decode(loopWords()));
  Id bound = program.bound; // From here on, ids are in another order than in the text.
  forEachId(program, [&](Id &id) { id = bound - id; });
  std::vector<uint32_t> words =
      cantFail(spirv::assemble(cantFail(spirv::disassemble(encode(program)))));
  EXPECT_EQ(encodeAsAssembled(program), words);
  EXPECT_NE(encode(program), words);
}

TEST(Program, KnowsBlocksAndTheirEnds) {
  Program program = cantFail(decode(loopWords()));
  ASSERT_EQ(program.functions.size(), 1u);
  const Function &main = program.functions[0];
  ASSERT_EQ(main.blocks.size(), 8u);
  EXPECT_FALSE(main.blocks[0].merge());
  ASSERT_TRUE(main.blocks[1].merge());
  EXPECT_EQ(main.blocks[1].merge()->opcode, spv::Op::OpLoopMerge);
  EXPECT_EQ(main.blocks[1].firstOrdinary(), 1u);
  // The selector is no label, nor is the literal of the switch.
  EXPECT_THAT(main.blocks[3].successors(), ElementsAre(main.blocks[5].label, main.blocks[4].label));
  EXPECT_TRUE(main.blocks[7].successors().empty());
  EXPECT_EQ(program.entryPoints[0].string(2), "main");
}

TEST(Program, RefusesWhatIsOutOfOrder) {
  auto refuse = [](std::vector<uint32_t> words) {
    Expected<Program> program = decode(words);
    EXPECT_FALSE(static_cast<bool>(program));
    return program ? "" : takeError(program.takeError()).message;
  };
  EXPECT_NE(refuse({}), "");
  std::vector<uint32_t> words = loopWords();
  std::vector<uint32_t> cut(words.begin(), words.end() - 1);
  EXPECT_THAT(refuse(cut), HasSubstr("end"));
  cut.pop_back(); // OpReturn goes too.
  cut.push_back(1 << 16 | uint32_t(spv::Op::OpFunctionEnd));
  EXPECT_THAT(refuse(cut), HasSubstr("terminator"));
  words[3] = 5;
  EXPECT_THAT(refuse(words), HasSubstr("bound"));
  Random random(1);
  for (unsigned i = 0; i < 2000; ++i) { // Whatever comes, no crash.
    std::vector<uint32_t> broken = loopWords();
    for (unsigned change = 0; change < 3; ++change)
      broken[random.below(broken.size())] = uint32_t(random.next());
    Expected<Program> program = decode(broken);
    if (!program)
      consumeError(program.takeError());
    else
      (void)encode(*program);
  }
}

TEST(Flow, FindsDominatorsAndConstructs) {
  Program program = cantFail(decode(loopWords()));
  Flow flow(program.functions[0]);
  enum { Entry, Head, Test, Body, Then, Join, Continue, End };
  EXPECT_TRUE(flow.dominates(Head, End));
  EXPECT_TRUE(flow.dominates(Body, Continue));
  EXPECT_FALSE(flow.dominates(Then, Join));
  EXPECT_FALSE(flow.dominates(End, Head));
  EXPECT_THAT(flow.predecessors(Head), ElementsAre(Entry, Continue));
  ASSERT_EQ(flow.constructs().size(), 2u);
  const Flow::Construct &loop = flow.constructs()[0];
  EXPECT_TRUE(loop.isLoop);
  EXPECT_EQ(loop.blocks.count(), 6u);
  EXPECT_FALSE(loop.blocks[End]);
  EXPECT_EQ(flow.innermost(Then)->header, size_t(Body));
  EXPECT_EQ(flow.innermost(Join)->header, size_t(Head));
  EXPECT_EQ(flow.innermost(End), nullptr);
  EXPECT_TRUE(flow.isInContinue(Continue));
  EXPECT_FALSE(flow.isInContinue(Join));
}

TEST(Pool, FindsWhatIsThere) {
  Program program = cantFail(decode(loopWords()));
  Pool pool(program);
  size_t before = program.globals.size();
  Id uint = pool.intType(32, false);
  EXPECT_EQ(pool.number(8), program.globals[before - 1].result);
  EXPECT_EQ(pool.runtimeArrayType(uint, 4), program.globals[4].result);
  EXPECT_EQ(program.globals.size(), before);
  EXPECT_NE(pool.runtimeArrayType(uint, 16), program.globals[4].result);
  EXPECT_NE(pool.structType({uint}), pool.structType({uint}));
  Id minusOne = pool.constant(pool.intType(16, true), 0xffff);
  EXPECT_EQ(pool.definition(minusOne).word(0), 0xffffffffu);
  EXPECT_EQ(pool.constant(pool.intType(16, true), 0xffff), minusOne);
  EXPECT_EQ(pool.definition(pool.constant(pool.intType(64, false), 1ull << 40)).word(1), 256u);
}

TEST(Pool, WhatItAddsIsValid) {
  Program program = cantFail(decode(loopWords()));
  Pool pool(program);
  Id v3 = pool.vectorType(pool.floatType(32), 3);
  Id half = pool.constant(pool.floatType(32), 0x3f000000);
  pool.constantComposite(v3, {half, half, half});
  pool.variable(pool.pointerType(spv::StorageClass::Workgroup, pool.arrayType(v3, pool.number(7))),
                spv::StorageClass::Workgroup);
  pool.constantNull(v3);
  pool.require(spv::Capability::Int64);
  pool.constantBool(true);
  EXPECT_EQ(pool.import("GLSL.std.450"), program.imports[0].result);
  Error error = spirv::validate(encode(program));
  EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
}

TEST(Pool, HasABuiltInOnce) {
  Program program = cantFail(decode(loopWords()));
  Pool pool(program);
  constexpr auto builtIn = spv::BuiltIn::LocalInvocationIndex;
  ASSERT_EQ(findBuiltIn(program, builtIn), 0u);
  Id index = pool.builtIn(builtIn, pool.intType(32, false));
  EXPECT_EQ(findBuiltIn(program, builtIn), index);
  EXPECT_EQ(program.entryPoints[0].operands.back(), id(index));
  EXPECT_EQ(pool.builtIn(builtIn, pool.intType(32, true)), index) << "of the type that it has";
  Error error = spirv::validate(encode(program));
  EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
}

TEST(Definitions, KnowWhereAndHowOften) {
  Program program = cantFail(decode(loopWords()));
  Definitions definitions(program);
  const Instruction &phi = program.functions[0].blocks[1].body[0];
  EXPECT_EQ(definitions.find(phi.result), &phi);
  EXPECT_EQ(definitions.typeInstruction(phi.result)->opcode, spv::Op::OpTypeInt);
  ASSERT_TRUE(definitions.place(phi.result));
  EXPECT_EQ(definitions.place(phi.result)->block, 1u);
  EXPECT_EQ(definitions.uses(phi.result), 5u);
  EXPECT_EQ(definitions.place(phi.type), nullptr);
  EXPECT_EQ(definitions.find(program.functions[0].blocks[1].label), nullptr);
}

TEST(Definitions, FindDecorationsOfIdsAndOfTheirMembers) {
  using D = spv::Decoration;
  Program program;
  constexpr Id buffer = 1, block = 2;
  auto decorate = [&](spv::Op opcode, ArrayRef<uint32_t> numbers, Id target) {
    Instruction &made = program.decorations.emplace_back(Instruction{opcode, 0, 0, {id(target)}});
    for (uint32_t number : numbers)
      made.operands.push_back(literal(number));
  };
  decorate(spv::Op::OpMemberDecorate, {0, uint32_t(D::NonWritable)}, block);
  decorate(spv::Op::OpMemberDecorate, {1, uint32_t(D::Offset), 8}, block);
  decorate(spv::Op::OpDecorate, {uint32_t(D::Block)}, block);
  decorate(spv::Op::OpDecorate, {uint32_t(D::Binding), 7}, buffer);
  EXPECT_EQ(findDecoration(program, buffer, D::Binding), 7u);
  EXPECT_EQ(findDecoration(program, block, D::Binding), std::nullopt);
  EXPECT_EQ(findDecoration(program, block, D::Block), 0u);
  EXPECT_EQ(findDecoration(program, block, D::Offset), std::nullopt);
  EXPECT_EQ(findDecoration(program, block, D::Offset, 0), std::nullopt);
  EXPECT_EQ(findDecoration(program, block, D::Offset, 1), 8u);
  EXPECT_EQ(findDecoration(program, block, D::NonWritable, 0), 0u);
}

TEST(Definitions, TakeLiteralsForNothingElse) {
  Program program = cantFail(decode(loopWords()));
  for (uint32_t number : {~0u, ~0u - 1}) // What DenseMap keeps to itself.
    program.globals.push_back({spv::Op::OpConstant,
                               Pool(program).intType(32, false),
                               program.fresh(),
                               {literal(number)}});
  EXPECT_EQ(Definitions(program).uses(program.bound - 1), 0u);
}

} // namespace assay::fuzz

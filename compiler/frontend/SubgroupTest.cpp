// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the front-end makes of subgroup operations and of the loops around them. That the results
// are right is the matter of harness/system/subgroups.

#include "compiler/frontend/TestShaders.h"
#include "compiler/frontend/Translator.h"

using namespace llvm;
using namespace assay;

static Expected<std::string> translate(StringRef body, StringRef functions = "") {
  std::string text = test::makeShader(body, "", functions);
  constexpr StringLiteral shader = "OpCapability Shader\n";
  text.insert(text.find(shader) + shader.size(), R"(OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformQuad
OpCapability GroupNonUniformRotateKHR
OpCapability SubgroupBallotKHR
OpCapability SubgroupVoteKHR
)");
  text.insert(text.find("%glsl = "), R"(OpExtension "SPV_KHR_subgroup_rotate"
OpExtension "SPV_KHR_shader_ballot"
OpExtension "SPV_KHR_subgroup_vote"
)");
  return test::translateText(text);
}

static std::string translateOrFail(StringRef body, StringRef functions = "") {
  Expected<std::string> ir = translate(body, functions);
  if (ir)
    return *ir;
  ADD_FAILURE() << takeError(ir.takeError()).message;
  return "";
}

/// Lines that hold \p part, declarations aside.
static size_t countCalls(StringRef text, StringRef part) {
  SmallVector<StringRef, 64> lines;
  text.split(lines, '\n');
  return static_cast<size_t>(count_if(
      lines, [&](StringRef line) { return !line.starts_with("declare") && line.contains(part); }));
}

namespace {
/// One instruction, and how often its IR calls an op.
struct Row {
  const char *instruction; ///< Result type and operands after the opcode; 3 is Subgroup.
  const char *call;
  size_t calls;
};
} // namespace

static constexpr Row rows[] = {
    {"OpGroupNonUniformElect %bool %u3", "@lgc.subgroup.count.below(", 1},
    {"OpGroupNonUniformAll %bool %u3 %b", "@lgc.subgroup.ballot(", 1},
    {"OpGroupNonUniformAny %bool %u3 %b", "@lgc.subgroup.ballot(", 1},
    {"OpGroupNonUniformAllEqual %bool %u3 %v3", "@lgc.subgroup.broadcast.first.f32(", 3},
    {"OpGroupNonUniformBroadcast %v4float %u3 %v4 %u", "@lgc.subgroup.broadcast.f32(", 4},
    {"OpGroupNonUniformBroadcastFirst %bool %u3 %b", "@lgc.subgroup.broadcast.first.i32(", 1},
    {"OpGroupNonUniformBallot %v4uint %u3 %b", "@lgc.subgroup.ballot(i1 %", 1},
    {"OpGroupNonUniformInverseBallot %bool %u3 %uv4", "@lgc.read.built.in.i32(i32 7)", 1},
    {"OpGroupNonUniformBallotBitExtract %bool %u3 %uv4 %u", "lshr i32 %", 1},
    {"OpGroupNonUniformBallotBitCount %uint %u3 Reduce %uv4", "@llvm.ctpop.i64(", 1},
    {"OpGroupNonUniformBallotBitCount %uint %u3 InclusiveScan %uv4", "@lgc.subgroup.count.below(",
     1},
    {"OpGroupNonUniformBallotBitCount %uint %u3 ExclusiveScan %uv4", "@lgc.subgroup.count.below(",
     1},
    {"OpGroupNonUniformBallotFindLSB %uint %u3 %uv4", "@llvm.cttz.i64(", 1},
    {"OpGroupNonUniformBallotFindMSB %uint %u3 %uv4", "@llvm.ctlz.i64(", 1},
    {"OpGroupNonUniformShuffle %float %u3 %f %u", "@lgc.subgroup.shuffle.f32(", 1},
    {"OpGroupNonUniformShuffleXor %uint %u3 %u %u2", "@lgc.subgroup.shuffle.xor.i32(", 1},
    {"OpGroupNonUniformShuffleUp %uint %u3 %u %u2", "@lgc.subgroup.shuffle.i32(", 1},
    {"OpGroupNonUniformShuffleDown %uint %u3 %u %u2", "@lgc.subgroup.shuffle.i32(", 1},
    {"OpGroupNonUniformRotateKHR %uint %u3 %u %u2", "@lgc.read.built.in.i32(i32 6)", 1},
    {"OpGroupNonUniformRotateKHR %uint %u3 %u %u2 %u4", "@lgc.subgroup.shuffle.i32(", 1},
    {"OpGroupNonUniformQuadBroadcast %uint %u3 %u %u2c", "@lgc.subgroup.quad.permute.i32(", 1},
    {"OpGroupNonUniformQuadBroadcast %uint %u3 %u %u2", "@lgc.subgroup.shuffle.i32(", 1},
    {"OpGroupNonUniformQuadSwap %uint %u3 %u %u2c", ", i32 27)", 1},
    {"OpGroupNonUniformIAdd %uint %u3 Reduce %u", "reduce.i32(i32 %", 1},
    {"OpGroupNonUniformFAdd %v4float %u3 ExclusiveScan %v4", ", i32 1, i1 true)", 4},
    {"OpGroupNonUniformIMul %uint %u3 InclusiveScan %u", ", i32 2, i1 false)", 1},
    {"OpGroupNonUniformFMul %float %u3 ClusteredReduce %f %u4", ", i32 3, i32 4)", 1},
    {"OpGroupNonUniformSMin %int %u3 Reduce %i", ", i32 4, i32 0)", 1},
    {"OpGroupNonUniformUMin %uint %u3 Reduce %u", ", i32 5, i32 0)", 1},
    {"OpGroupNonUniformFMin %float %u3 Reduce %f", ", i32 6, i32 0)", 1},
    {"OpGroupNonUniformSMax %int %u3 Reduce %i", ", i32 7, i32 0)", 1},
    {"OpGroupNonUniformUMax %uint %u3 Reduce %u", ", i32 8, i32 0)", 1},
    {"OpGroupNonUniformFMax %float %u3 Reduce %f", ", i32 9, i32 0)", 1},
    {"OpGroupNonUniformBitwiseAnd %uint %u3 Reduce %u", ", i32 10, i32 0)", 1},
    {"OpGroupNonUniformBitwiseOr %uint %u3 Reduce %u", ", i32 11, i32 0)", 1},
    {"OpGroupNonUniformBitwiseXor %uint %u3 Reduce %u", ", i32 12, i32 0)", 1},
    {"OpGroupNonUniformLogicalAnd %bool %u3 Reduce %b", ", i32 10, i32 0)", 1},
    {"OpGroupNonUniformLogicalOr %bool %u3 Reduce %b", ", i32 11, i32 0)", 1},
    {"OpGroupNonUniformLogicalXor %bool %u3 Reduce %b", ", i32 12, i32 0)", 1},
    {"OpSubgroupBallotKHR %v4uint %b", "@lgc.subgroup.ballot(i1 %", 1},
    {"OpSubgroupFirstInvocationKHR %uint %u", "@lgc.subgroup.broadcast.first.i32(i32 %", 1},
    {"OpSubgroupReadInvocationKHR %uint %u %u2", "@lgc.subgroup.broadcast.i32(i32 %", 1},
    {"OpSubgroupAllKHR %bool %b", "@lgc.subgroup.ballot(i1 %", 1},
    {"OpSubgroupAnyKHR %bool %b", "@lgc.subgroup.ballot(i1 %", 1},
    {"OpSubgroupAllEqualKHR %bool %b", "@lgc.subgroup.broadcast.first.i32(i32 %", 1},
};

TEST(Subgroups, BecomeOps) {
  for (const Row &row : rows) {
    std::string ir = translateOrFail(std::string("%r = ") + row.instruction);
    EXPECT_EQ(countCalls(ir, row.call), row.calls) << row.instruction << "\n" << ir;
  }
}

TEST(Subgroups, EveryRowIsTested) {
  std::string text;
  for (const Row &row : rows)
    text += std::string(row.instruction) + "\n";
  for (const OpcodeRow &row : subgroupOpcodes())
    EXPECT_NE(text.find(spirv::opcodeName(row.opcode) + " "), std::string::npos)
        << spirv::opcodeName(row.opcode);
}

TEST(Subgroups, OtherScopesAreUnsupported) {
  Expected<std::string> ir = translate("%r = OpGroupNonUniformElect %bool %u2c");
  ASSERT_FALSE(bool(ir));
  ErrorParts parts = takeError(ir.takeError());
  EXPECT_NE(parts.message.find("scope"), std::string::npos) << parts.message;
}

/// A loop that is left in a block of its own, which begins with \p inside.
static std::string makeLoop(StringRef inside, StringRef leave = "OpBranch %done") {
  return ("OpBranch %head\n%head = OpLabel\n%n = OpPhi %uint %u %start %n2 %next\n"
          "OpLoopMerge %done %next None\nOpBranch %test\n%test = OpLabel\n"
          "%stop = OpIEqual %bool %n %u2\nOpSelectionMerge %stay None\n"
          "OpBranchConditional %stop %leave %stay\n%leave = OpLabel\n" +
          inside + "\n" + leave +
          "\n%stay = OpLabel\nOpBranch %next\n%next = OpLabel\n%n2 = OpIAdd %uint %n %u1\n"
          "OpBranch %head\n%done = OpLabel")
      .str();
}

static constexpr StringLiteral guard = "@lgc.opaque.true()";
static constexpr StringLiteral anchor = "@lgc.anchor()";

TEST(LoopExits, AreHeldWhereSubgroupOperationsStand) {
  std::string ir = translateOrFail(makeLoop("%r = OpGroupNonUniformIAdd %uint %u3 Reduce %u"));
  EXPECT_EQ(countCalls(ir, guard), 1u) << ir;
  EXPECT_EQ(countCalls(ir, anchor), 1u) << ir;
  ir = translateOrFail(makeLoop("%r = OpGroupNonUniformIAdd %uint %u3 Reduce %u", "OpReturn"));
  EXPECT_EQ(countCalls(ir, guard), 1u) << ir;
}

TEST(LoopExits, AreHeldWhereACallMayHoldThem) {
  constexpr StringLiteral function = R"(%callee = OpFunction %uint None %UintFn
%calleeEntry = OpLabel
%sum = OpGroupNonUniformIAdd %uint %u3 Reduce %u1
OpReturnValue %sum
OpFunctionEnd
)";
  std::string text = makeLoop("%r = OpFunctionCall %uint %callee");
  std::string shader = test::makeShader(text, "%UintFn = OpTypeFunction %uint\n", function);
  constexpr StringLiteral first = "OpCapability Shader\n";
  shader.insert(shader.find(first) + first.size(), "OpCapability GroupNonUniform\n"
                                                   "OpCapability GroupNonUniformArithmetic\n");
  Expected<std::string> ir = test::translateText(shader);
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  EXPECT_EQ(countCalls(*ir, guard), 1u) << *ir;
}

TEST(LoopExits, AreHeldAroundGroupOperationsOfAmd) {
  std::string shader =
      test::makeShader(makeLoop("%r = OpGroupIAddNonUniformAMD %uint %u3 Reduce %u"));
  constexpr StringLiteral first = "OpCapability Shader\n";
  shader.insert(shader.find(first) + first.size(), "OpCapability Groups\n");
  shader.insert(shader.find("OpExtension"), "OpExtension \"SPV_AMD_shader_ballot\"\n");
  Expected<std::string> ir = test::translateText(shader);
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  EXPECT_EQ(countCalls(*ir, guard), 1u) << *ir;
}

TEST(LoopExits, AreLeftAloneElsewhere) {
  std::string plain = translateOrFail(makeLoop("%r = OpIAdd %uint %u %u2"));
  EXPECT_EQ(countCalls(plain, guard), 0u);
  EXPECT_EQ(countCalls(plain, anchor), 0u);
  // Around the loop, but not in it.
  std::string around = translateOrFail("%s = OpGroupNonUniformIAdd %uint %u3 Reduce %u\n" +
                                       makeLoop("%r = OpIAdd %uint %u %s"));
  EXPECT_EQ(countCalls(around, guard), 0u);
  EXPECT_EQ(countCalls(around, anchor), 0u);
}

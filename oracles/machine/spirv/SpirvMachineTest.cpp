// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow, memory, schedules and the machine's door.
#include "oracles/machine/spirv/AssembledCase.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

TEST(SpirvMachine, RunsALoopWithPhis) {
  Snippet snippet;
  snippet.in = {10};
  snippet.body = "OpBranch %head\n%head = OpLabel\n"
                 "%i = OpPhi %uint %u_0 %entry %next %cont\n"
                 "%x = OpPhi %uint %u_0 %entry %y %cont\n"
                 "%y = OpPhi %uint %u_1 %entry %sum %cont\n"
                 "%more = OpULessThan %bool %i %a\nOpLoopMerge %done %cont None\n"
                 "OpBranchConditional %more %loop %done\n%loop = OpLabel\nOpBranch %cont\n"
                 "%cont = OpLabel\n%sum = OpIAdd %uint %x %y\n%next = OpIAdd %uint %i %u_1\n"
                 "OpBranch %head\n%done = OpLabel\n" +
                 storeUint("%x", "%u_0");
  EXPECT_EQ(word(finalState(run(snippet)), 0), 55u); // Fibonacci; swaps need parallel phis.
}

TEST(SpirvMachine, SwitchesByValueAndFallsBackToDefault) {
  Snippet snippet;
  snippet.localSize = 3;
  snippet.body = "OpSelectionMerge %end None\nOpSwitch %lid %other 0 %zero 1 %oneb\n"
                 "%zero = OpLabel\nOpBranch %end\n%oneb = OpLabel\nOpBranch %end\n"
                 "%other = OpLabel\nOpBranch %end\n%end = OpLabel\n"
                 "%r = OpPhi %uint %u_10 %zero %u_20 %oneb %u_30 %other\n" +
                 storeUint("%r", "%lid");
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome);
  EXPECT_EQ(word(state, 0), 10u);
  EXPECT_EQ(word(state, 1), 20u);
  EXPECT_EQ(word(state, 2), 30u);
}

TEST(SpirvMachine, CallsFunctionsWithPointersAndResults) {
  Snippet snippet;
  snippet.in = {5};
  snippet.globals = "%ft = OpTypeFunction %uint %pf_uint %uint\n";
  snippet.locals = "%v = OpVariable %pf_uint Function %u_3\n";
  snippet.body = "%r = OpFunctionCall %uint %addto %v %a\n%after = OpLoad %uint %v\n" +
                 storeUint("%r", "%u_0") + storeUint("%after", "%u_1");
  snippet.functions = "%addto = OpFunction %uint None %ft\n%p = OpFunctionParameter %pf_uint\n"
                      "%n = OpFunctionParameter %uint\n%fe = OpLabel\n%old = OpLoad %uint %p\n"
                      "%new = OpIAdd %uint %old %n\nOpStore %p %new\nOpReturnValue %old\n"
                      "OpFunctionEnd\n";
  Outcome outcome = run(snippet);
  EXPECT_EQ(word(finalState(outcome), 0), 3u);
  EXPECT_EQ(word(finalState(outcome), 1), 8u);
}

TEST(SpirvMachine, KnowsItsBuiltIns) {
  Snippet snippet;
  snippet.localSize = 4;
  snippet.groups = 3;
  snippet.body =
      "%v = OpIMul %uint %lid %u_10\n%w = OpIAdd %uint %v %gid\n" + storeUint("%w", "%gid");
  Outcome outcome = run(snippet);
  for (uint32_t i = 0; i < 12; ++i)
    EXPECT_EQ(word(finalState(outcome), i), i % 4 * 10 + i);
}

TEST(SpirvMachine, LaysOutBlocksByTheirDecorations) {
  Snippet snippet;
  snippet.interface = "%block";
  // struct { float a; row-major mat2 m at 16, stride 8; uint array[2] at 32, stride 16 }
  snippet.decorations =
      "OpDecorate %sarr ArrayStride 16\nOpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0\n"
      "OpMemberDecorate %s 1 Offset 16\nOpMemberDecorate %s 1 RowMajor\n"
      "OpMemberDecorate %s 1 MatrixStride 8\nOpMemberDecorate %s 2 Offset 32\n"
      "OpDecorate %block DescriptorSet 0\nOpDecorate %block Binding 2\n";
  snippet.globals =
      "%sarr = OpTypeArray %uint %u_2\n%s = OpTypeStruct %float %mat2 %sarr\n"
      "%p_s = OpTypePointer StorageBuffer %s\n%block = OpVariable %p_s StorageBuffer\n"
      "%p_mat = OpTypePointer StorageBuffer %mat2\n"
      "%p_vec = OpTypePointer StorageBuffer %fvec2\n";
  snippet.fin = {1, 0, 0, 0, 2, 3, 4, 5, 6, 0, 0, 0, 7};
  snippet.body = "%pm = OpAccessChain %p_mat %block %i_1\n%m = OpLoad %mat2 %pm\n"
                 "%m01 = OpCompositeExtract %float %m 0 1\n"
                 "%pc = OpAccessChain %p_vec %block %i_1 %u_1\n%col = OpLoad %fvec2 %pc\n"
                 "%c1 = OpCompositeExtract %float %col 1\n"
                 "%pe = OpAccessChain %p_float %block %i_1 %u_1 %u_0\n%e = OpLoad %float %pe\n"
                 "%pu = OpAccessChain %p_uint %block %i_2 %u_1\n%u = OpLoad %uint %pu\n"
                 "%uf = OpBitcast %float %u\n" +
                 storeFloat("%m01", "%u_0") + storeFloat("%c1", "%u_1") + storeFloat("%e", "%u_2") +
                 storeFloat("%uf", "%u_3");
  Case input = makeCase(snippet);
  ASSERT_FALSE(input.pipelines.empty());
  Outcome outcome = runCase(input);
  const BufferState &state = finalState(outcome, 3);
  EXPECT_EQ(bit_cast<float>(word(state, 0)), 4.0f); // Row 1, column 0.
  EXPECT_EQ(bit_cast<float>(word(state, 1)), 5.0f);
  EXPECT_EQ(bit_cast<float>(word(state, 2)), 3.0f);
  EXPECT_EQ(bit_cast<float>(word(state, 3)), 7.0f);
}

TEST(SpirvMachine, ReadsPushConstantsAndUniformArrays) {
  Snippet snippet;
  snippet.in = {7, 8};
  snippet.interface = "%push %ubos";
  snippet.decorations =
      "OpDecorate %pc Block\nOpMemberDecorate %pc 0 Offset 0\nOpMemberDecorate %pc 1 Offset 4\n"
      "OpDecorate %ub Block\nOpMemberDecorate %ub 0 Offset 0\n"
      "OpDecorate %ubos DescriptorSet 1\nOpDecorate %ubos Binding 0\n";
  snippet.globals =
      "%pc = OpTypeStruct %uint %uint\n%p_pc = OpTypePointer PushConstant %pc\n"
      "%p_pcu = OpTypePointer PushConstant %uint\n%push = OpVariable %p_pc PushConstant\n"
      "%ub = OpTypeStruct %uint\n%ubarr = OpTypeArray %ub %u_2\n"
      "%p_ubarr = OpTypePointer Uniform %ubarr\n%p_ubu = OpTypePointer Uniform %uint\n"
      "%ubos = OpVariable %p_ubarr Uniform\n";
  snippet.body = "%pp = OpAccessChain %p_pcu %push %u_1\n%pv = OpLoad %uint %pp\n"
                 "%pu = OpAccessChain %p_ubu %ubos %gid %u_0\n%uv = OpLoad %uint %pu\n"
                 "%pu1 = OpAccessChain %p_ubu %ubos %u_1 %u_0\n%uv1 = OpLoad %uint %pu1\n" +
                 storeUint("%pv", "%u_0") + storeUint("%uv", "%u_1") + storeUint("%uv1", "%u_2");
  Case input = makeCase(snippet);
  auto &bindings = input.pipelines[0].bindings;
  bindings.push_back({BindingKind::PushConstant, 0});
  bindings.push_back({BindingKind::Uniform, 0, 1, 0, 0, 0, 4});
  bindings.push_back({BindingKind::Uniform, 0, 1, 0, 1, 4, 4});
  Outcome outcome = runCase(input);
  EXPECT_EQ(word(finalState(outcome), 0), 8u);
  EXPECT_EQ(word(finalState(outcome), 1), 7u);
  EXPECT_EQ(word(finalState(outcome), 2), 8u);
}

TEST(SpirvMachine, AppliesSpecialization) {
  Snippet snippet;
  snippet.decorations = "OpDecorate %sc SpecId 7\n";
  snippet.globals = "%sc = OpSpecConstant %uint 2\n%twice = OpSpecConstantOp %uint IMul %sc %u_2\n"
                    "%sarr = OpTypeArray %uint %twice\n%pf_arr = OpTypePointer Function %sarr\n";
  snippet.locals = "%arr = OpVariable %pf_arr Function\n";
  snippet.body =
      "%e = OpAccessChain %pf_uint %arr %u_5\nOpStore %e %twice\n%v = OpLoad %uint %e\n" +
      storeUint("%v", "%u_0");
  EXPECT_EQ(ruleOf(run(snippet)), "UB-OOB");
  snippet.specialization = {{7, 3}};
  EXPECT_EQ(word(finalState(run(snippet)), 0), 6u);
}

TEST(SpirvMachine, TakesTheWorkgroupSizeFromTheBuiltInConstant) {
  Snippet snippet;
  snippet.localSize = 1; // Overridden.
  snippet.decorations = "OpDecorate %sx SpecId 0\nOpDecorate %size BuiltIn WorkgroupSize\n";
  snippet.globals = "%sx = OpSpecConstant %uint 2\n"
                    "%size = OpSpecConstantComposite %uvec3 %sx %u_1 %u_1\n";
  snippet.body = "%w = OpCompositeExtract %uint %size 0\n" + storeUint("%w", "%gid");
  snippet.specialization = {{0, 3}};
  Outcome outcome = run(snippet);
  EXPECT_EQ(word(finalState(outcome), 2), 3u);
  EXPECT_EQ(word(finalState(outcome), 3), 0u);
}

TEST(SpirvMachine, SpecializesBooleansAndSelectsByThem) {
  Snippet snippet;
  snippet.decorations = "OpDecorate %flag SpecId 1\n";
  snippet.globals = "%flag = OpSpecConstantTrue %bool\n"
                    "%pick = OpSpecConstantOp %uint Select %flag %u_5 %u_6\n";
  snippet.body = storeUint("%pick", "%u_0");
  EXPECT_EQ(word(finalState(run(snippet)), 0), 5u);
  snippet.specialization = {{1, 0}};
  EXPECT_EQ(word(finalState(run(snippet)), 0), 6u);
}

TEST(SpirvMachine, RefusesVariablesBeyondItsMemory) {
  Snippet snippet;
  snippet.globals =
      "%u_million = OpConstant %uint 4000000\n"
      "%huge = OpTypeArray %uint %u_million\n%pf_huge = OpTypePointer Function %huge\n";
  snippet.localSize = 16;
  snippet.locals = "%x = OpVariable %pf_huge Function\n";
  snippet.body = "OpControlBarrier %u_2 %u_2 %u_264\n";
  Outcome outcome = run(snippet);
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_NE(outcome.reason.find("1 GiB"), std::string::npos) << outcome.reason;
}

TEST(SpirvMachine, MeasuresRuntimeArrays) {
  Snippet snippet;
  snippet.in = {1, 2, 3, 4, 5};
  snippet.body = "%n = OpArrayLength %uint %in 0\n" + storeUint("%n", "%u_0");
  EXPECT_EQ(word(finalState(run(snippet)), 0), 5u);
}

TEST(SpirvMachine, SelectsAndMovesVariablePointers) {
  Snippet snippet;
  snippet.in = {10, 20, 30, 40};
  snippet.capabilities = "OpCapability VariablePointers\n";
  snippet.decorations = "OpDecorate %p_uint ArrayStride 4\n";
  snippet.body = "%first = OpAccessChain %p_uint %in %u_0 %u_1\n"
                 "%other = OpAccessChain %p_uint %in %u_0 %u_3\n"
                 "%is = OpIEqual %bool %a %u_10\n%p = OpSelect %p_uint %is %first %other\n"
                 "%minus = OpISub %int %i_0 %i_1\n%q = OpPtrAccessChain %p_uint %p %minus\n"
                 "%r = OpPtrAccessChain %p_uint %q %i_2\n%v = OpLoad %uint %q\n"
                 "%w = OpLoad %uint %r\n%same = OpPtrEqual %bool %p %first\n"
                 "%s = OpSelect %uint %same %u_1 %u_0\n" +
                 storeUint("%v", "%u_0") + storeUint("%w", "%u_1") + storeUint("%s", "%u_2");
  Outcome outcome = run(snippet);
  EXPECT_EQ(word(finalState(outcome), 0), 10u);
  EXPECT_EQ(word(finalState(outcome), 1), 30u);
  EXPECT_EQ(word(finalState(outcome), 2), 1u);
}

TEST(SpirvMachine, CopiesCompositesThroughMemory) {
  Snippet snippet;
  snippet.globals = "%farr2 = OpTypeArray %uint %u_2\n%pf_arr = OpTypePointer Function %farr2\n"
                    "%init = OpConstantComposite %farr2 %u_8 %u_9\n";
  snippet.locals = "%x = OpVariable %pf_arr Function %init\n%y = OpVariable %pf_arr Function\n";
  snippet.body = "OpCopyMemory %y %x\n%p = OpAccessChain %pf_uint %y %u_1\n%v = OpLoad %uint %p\n" +
                 storeUint("%v", "%u_0");
  EXPECT_EQ(word(finalState(run(snippet)), 0), 9u);
}

static Snippet reduction(const std::string &barrier) {
  Snippet snippet;
  snippet.localSize = 4;
  snippet.body = "%p = OpAccessChain %pw_uint %shared %lid\nOpStore %p %lid\n" + barrier +
                 "%other = OpBitwiseXor %uint %lid %u_1\n"
                 "%q = OpAccessChain %pw_uint %shared %other\n%v = OpLoad %uint %q\n" +
                 storeUint("%v", "%lid");
  return snippet;
}

TEST(SpirvMachine, ExchangesThroughWorkgroupMemoryAtABarrier) {
  Outcome outcome = run(reduction("OpControlBarrier %u_2 %u_2 %u_264\n"));
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(word(finalState(outcome), i), i ^ 1);
}

TEST(SpirvMachine, FindsTheRaceOfAMissingBarrier) {
  EXPECT_EQ(ruleOf(run(reduction(""))), "UB-RACE");
}

TEST(SpirvMachine, FindsTheRaceOfABarrierWithoutMemorySemantics) {
  EXPECT_EQ(ruleOf(run(reduction("OpControlBarrier %u_2 %u_2 %u_0\n"))), "UB-RACE");
}

static Snippet throughBuffer(const std::string &barrier) {
  Snippet snippet = reduction(barrier);
  snippet.body = storeUint("%lid", "%lid") + barrier +
                 "%other = OpBitwiseXor %uint %lid %u_1\n"
                 "%q = OpAccessChain %p_uint %out %u_0 %other\n%v = OpLoad %uint %q\n"
                 "%far = OpIAdd %uint %lid %u_16\n" +
                 storeUint("%v", "%far");
  return snippet;
}

TEST(SpirvMachine, OrdersBuffersByABarrierThatNamesThem) {
  // 72 = AcquireRelease | UniformMemory.
  Outcome outcome = run(throughBuffer("OpControlBarrier %u_2 %u_2 %u_72\n"));
  EXPECT_EQ(word(finalState(outcome), 16), 1u);
  outcome = run(throughBuffer("OpMemoryBarrier %u_1 %u_72\nOpControlBarrier %u_2 %u_2 %u_264\n"));
  EXPECT_EQ(word(finalState(outcome), 17), 0u);
  EXPECT_EQ(ruleOf(run(throughBuffer("OpControlBarrier %u_2 %u_2 %u_264\n"))), "UB-RACE");
}

TEST(SpirvMachine, FindsRacesBetweenWorkgroups) {
  Snippet snippet;
  snippet.groups = 2;
  snippet.body = storeUint("%gid", "%u_0");
  EXPECT_EQ(ruleOf(run(snippet)), "UB-RACE");
  snippet.body = storeUint("%gid", "%gid");
  EXPECT_EQ(run(snippet).kind, OutcomeKind::Completed);
}

TEST(SpirvMachine, TakesStoresOfOneValueForNoRaceWhereItAssumesWhatDriversKeep) {
  SpirvMachineOptions practical;
  practical.precision = Precision::Practical;
  for (const char *value : {"%u_1", "%gid"}) {
    Snippet snippet;
    snippet.groups = 2;
    snippet.body = storeUint(value, "%u_0");
    EXPECT_EQ(ruleOf(run(snippet)), "UB-RACE");
    Expected<Outcome> outcome = createSpirvMachine(practical)->run(makeCase(snippet), {}, {});
    ASSERT_TRUE(static_cast<bool>(outcome));
    if (StringRef(value) == "%u_1")
      EXPECT_EQ(word(finalState(*outcome), 0), 1u);
    else
      EXPECT_EQ(ruleOf(*outcome), "UB-RACE");
  }
}

namespace {
struct AtomicRow {
  const char *op; ///< With the pointer %p; scope and semantics are written out.
  uint32_t before, after;
};
class Atomics : public ::testing::TestWithParam<AtomicRow> {};
} // namespace

TEST_P(Atomics, ChangeMemoryAndGiveTheOldValue) {
  Snippet snippet;
  snippet.in = {GetParam().before};
  snippet.body = std::string("%p = OpAccessChain %p_uint %in %u_0 %u_0\n%old = ") + GetParam().op +
                 "\n" + storeUint("%old", "%u_0");
  Outcome outcome = run(snippet);
  EXPECT_EQ(word(finalState(outcome, 1), 0), GetParam().before) << GetParam().op;
  EXPECT_EQ(word(finalState(outcome, 0), 0), GetParam().after) << GetParam().op;
}

static std::vector<AtomicRow> atomicRows() {
  return {
      {"OpAtomicLoad %uint %p %u_1 %u_0", 5, 5},
      {"OpAtomicExchange %uint %p %u_1 %u_0 %u_9", 5, 9},
      {"OpAtomicCompareExchange %uint %p %u_1 %u_0 %u_0 %u_9 %u_5", 5, 9},
      {"OpAtomicCompareExchange %uint %p %u_1 %u_0 %u_0 %u_9 %u_4", 5, 5},
      {"OpAtomicIIncrement %uint %p %u_1 %u_0", 0xffffffff, 0},
      {"OpAtomicIDecrement %uint %p %u_1 %u_0", 0, 0xffffffff},
      {"OpAtomicIAdd %uint %p %u_1 %u_0 %u_3", 5, 8},
      {"OpAtomicISub %uint %p %u_1 %u_0 %u_3", 5, 2},
      {"OpAtomicSMin %uint %p %u_1 %u_0 %u_3", 0xffffffff, 0xffffffff},
      {"OpAtomicUMin %uint %p %u_1 %u_0 %u_3", 0xffffffff, 3},
      {"OpAtomicSMax %uint %p %u_1 %u_0 %u_3", 0xffffffff, 3},
      {"OpAtomicUMax %uint %p %u_1 %u_0 %u_3", 0xffffffff, 0xffffffff},
      {"OpAtomicAnd %uint %p %u_1 %u_0 %u_6", 12, 4},
      {"OpAtomicOr %uint %p %u_1 %u_0 %u_6", 12, 14},
      {"OpAtomicXor %uint %p %u_1 %u_0 %u_6", 12, 10},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, Atomics, ::testing::ValuesIn(atomicRows()));

TEST(SpirvMachine, MarksWhatDependsOnTheScheduleAndKeepsTheRest) {
  Snippet snippet;
  snippet.localSize = 16;
  snippet.in.resize(9); // The first eight are loaded by everybody.
  snippet.body = "%p = OpAccessChain %p_uint %in %u_0 %u_8\n"
                 "%old = OpAtomicIAdd %uint %p %u_1 %u_0 %u_1\n" +
                 storeUint("%old", "%lid");
  Outcome outcome = run(snippet);
  EXPECT_EQ(word(finalState(outcome, 0), 8), 16u); // The sum is the same in every order.
  EXPECT_TRUE(finalState(outcome, 0).indeterminate.empty());
  EXPECT_FALSE(finalState(outcome, 1).indeterminate.empty());
  EXPECT_FALSE(finalState(outcome, 1).indeterminate.contains(64));
}

/// Each workgroup of one writes its part; the one that counts to four adds all parts up.
static Snippet lastGroupAdds(const std::string &before, const std::string &semantics,
                             const std::string &after) {
  Snippet snippet;
  snippet.groups = 4;
  snippet.in.resize(9);
  snippet.body = "%part = OpIAdd %uint %gid %u_1\n" + storeUint("%part", "%gid") + before +
                 "%count = OpAccessChain %p_uint %in %u_0 %u_8\n"
                 "%old = OpAtomicIAdd %uint %count %u_1 " +
                 semantics + " %u_1\n" + after +
                 "%last = OpIEqual %bool %old %u_3\nOpSelectionMerge %m None\n"
                 "OpBranchConditional %last %t %m\n%t = OpLabel\n";
  std::string sum = "%u_0";
  for (const char *i : {"0", "1", "2", "3"}) {
    std::string n(i);
    snippet.body += "%q" + n + " = OpAccessChain %p_uint %out %u_0 %u_" + n + "\n%w" + n +
                    " = OpLoad %uint %q" + n + "\n%s" + n + " = OpIAdd %uint " + sum + " %w" + n +
                    "\n";
    sum = "%s" + n;
  }
  snippet.body += storeUint(sum, "%u_16") + "OpBranch %m\n%m = OpLabel\n";
  return snippet;
}

TEST(SpirvMachine, FollowsOrderThroughAtomics) {
  const std::string fence = "OpMemoryBarrier %u_1 %u_72\n";
  for (const Snippet &snippet :
       {lastGroupAdds("", "%u_72", ""), lastGroupAdds(fence, "%u_0", fence)}) {
    Outcome outcome = run(snippet);
    EXPECT_EQ(word(finalState(outcome), 16), 10u) << outcome.reason;
    EXPECT_TRUE(finalState(outcome).indeterminate.empty()); // Whoever is last adds the same up.
  }
}

TEST(SpirvMachine, MissesOrderThatIsNotThere) {
  const std::string fence = "OpMemoryBarrier %u_1 %u_72\n";
  EXPECT_EQ(ruleOf(run(lastGroupAdds("", "%u_0", ""))), "UB-RACE");
  EXPECT_EQ(run(lastGroupAdds(fence, "%u_0", "")).kind, OutcomeKind::Unsupported);
  EXPECT_EQ(run(lastGroupAdds("", "%u_0", fence)).kind, OutcomeKind::Unsupported);
}

TEST(SpirvMachine, RefusesToJudgeOrderThroughAtomics) {
  Snippet snippet;
  snippet.localSize = 2;
  snippet.in.resize(9);
  snippet.body = "%flag = OpAccessChain %p_uint %in %u_0 %u_8\n"
                 "%taken = OpAtomicIAdd %uint %flag %u_1 %u_72 %u_1\n" +
                 storeUint("%taken", "%u_0");
  Outcome outcome = run(snippet);
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_NE(outcome.reason.find("atomics"), std::string::npos) << outcome.reason;
}

TEST(SpirvMachine, EndsEndlessLoops) {
  Snippet snippet;
  snippet.body = "OpBranch %head\n%head = OpLabel\nOpLoopMerge %done %cont None\nOpBranch %loop\n"
                 "%loop = OpLabel\nOpBranchConditional %true %cont %done\n%cont = OpLabel\n"
                 "OpBranch %head\n%done = OpLabel\n";
  RunOptions options;
  options.maxInstructions = 10000;
  Outcome outcome = runCase(makeCase(snippet), options);
  EXPECT_EQ(outcome.kind, OutcomeKind::Timeout);
  EXPECT_LE(outcome.instructions, 10000u);
}

TEST(SpirvMachine, NamesWhatItLacks) {
  Snippet snippet;
  snippet.capabilities =
      "OpCapability FragmentMaskAMD\nOpExtension \"SPV_AMD_shader_fragment_mask\"\n";
  Outcome outcome = run(snippet);
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_NE(outcome.reason.find("OpCapability FragmentMaskAMD"), std::string::npos)
      << outcome.reason;
}

TEST(SpirvMachine, RefusesInvalidModules) {
  Snippet snippet;
  Case input = makeCase(snippet);
  input.pipelines[0].description.getShader(ShaderStage::Compute).spirv.back() = 0xffff0000;
  Expected<Outcome> outcome = createSpirvMachine()->run(input, {}, {});
  ASSERT_FALSE(bool(outcome));
  EXPECT_EQ(takeError(outcome.takeError()).kind, ErrorKind::InvalidInput);
}

TEST(SpirvMachine, GivesTheSameOutcomeTwice) {
  Snippet snippet;
  snippet.localSize = 16;
  snippet.in.resize(9); // The first eight are loaded by everybody.
  snippet.body = "%p = OpAccessChain %p_uint %in %u_0 %u_8\n"
                 "%old = OpAtomicIAdd %uint %p %u_1 %u_0 %u_1\n" +
                 storeUint("%lid", "%old");
  Case input = makeCase(snippet);
  Outcome first = runCase(input), second = runCase(input);
  EXPECT_EQ(finalState(first).bytes, finalState(second).bytes);
  EXPECT_EQ(finalState(first).indeterminate, finalState(second).indeterminate);
  EXPECT_EQ(first.instructions, second.instructions);
}

// A guard against accidents, not a benchmark: ten times slower than measured would still pass.
TEST(SpirvMachine, RunsMillionsOfInstructionsInASecond) {
  Snippet snippet;
  snippet.localSize = 1024;
  snippet.outWords = 1024;
  snippet.in = {1000};
  snippet.body = "OpBranch %head\n%head = OpLabel\n%i = OpPhi %uint %u_0 %entry %next %cont\n"
                 "%x = OpPhi %uint %lid %entry %y %cont\n%more = OpULessThan %bool %i %a\n"
                 "OpLoopMerge %done %cont None\nOpBranchConditional %more %loop %done\n"
                 "%loop = OpLabel\n%m = OpIMul %uint %x %u_13\n%s = OpShiftRightLogical %uint %m "
                 "%u_3\n%y = OpBitwiseXor %uint %s %i\nOpBranch %cont\n%cont = OpLabel\n"
                 "%next = OpIAdd %uint %i %u_1\nOpBranch %head\n%done = OpLabel\n" +
                 storeUint("%x", "%lid");
  Outcome outcome = run(snippet);
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed);
  EXPECT_GT(outcome.instructions, 8'000'000u);
}

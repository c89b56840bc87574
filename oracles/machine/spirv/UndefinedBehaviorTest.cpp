// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What undefined values may do, and what imprecise ones may not decide. UndefinedTableTest.cpp
// plants each kind of undefined behaviour.
#include "oracles/machine/spirv/AssembledCase.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

#define BRANCH_ON(CONDITION)                                                                       \
  "OpSelectionMerge %m None\nOpBranchConditional " CONDITION                                       \
  " %t %m\n%t = OpLabel\nOpBranch %m\n%m = OpLabel\n"

TEST(UndefinedValues, StoredOnesAreIndeterminateNotAnError) {
  Snippet snippet;
  snippet.in = {32};
  snippet.body = "%x = OpShiftLeftLogical %uint %u_1 %a\n%y = OpIAdd %uint %x %u_1\n" +
                 storeUint("%y", "%u_1") + storeUint("%u_5", "%u_2");
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome);
  std::map<uint64_t, uint64_t> expected = {{4, 4}};
  EXPECT_EQ(state.indeterminate, expected);
  EXPECT_EQ(word(state, 2), 5u);
}

TEST(UndefinedValues, ADecidedOperandHidesThem) {
  Snippet snippet;
  snippet.globals = "%ub = OpUndef %bool\n";
  snippet.body = "%x = OpLogicalAnd %bool %ub %false\n%r = OpSelect %uint %x %u_1 %u_2\n"
                 "%s = OpSelect %uint %ub %u_7 %u_7\n" +
                 storeUint("%r", "%u_0") + storeUint("%s", "%u_1");
  Outcome outcome = run(snippet);
  EXPECT_EQ(word(finalState(outcome), 0), 2u);
  EXPECT_EQ(word(finalState(outcome), 1), 7u);
  EXPECT_TRUE(finalState(outcome).indeterminate.empty());
}

TEST(UndefinedBehavior, NothingBoundIsReported) {
  Snippet snippet;
  snippet.in = {1};
  Case input = makeCase(snippet);
  auto &bindings = input.pipelines[0].bindings;
  bindings.erase(bindings.begin());
  EXPECT_EQ(ruleOf(runCase(input)), "UB-NULLDESC");
}

TEST(UndefinedBehavior, RecursionIsRefusedByTheValidatorOrReported) {
  Snippet snippet;
  snippet.functions = "%again = OpFunction %void None %fn\n%l = OpLabel\n"
                      "%x = OpFunctionCall %void %again\nOpReturn\nOpFunctionEnd\n";
  snippet.body = "%c = OpFunctionCall %void %again\n";
  Case input = makeCase(snippet);
  Expected<Outcome> outcome = createSpirvMachine()->run(input, {}, {});
  if (outcome)
    EXPECT_EQ(ruleOf(*outcome), "UB-RECURSION");
  else
    EXPECT_EQ(takeError(outcome.takeError()).kind, ErrorKind::InvalidInput);
}

// Precision that matters to control flow can't be judged; precision that does not, can.
static Snippet divisionSnippet(const std::string &limit) {
  Snippet snippet;
  snippet.fin = {6, 3};
  snippet.body =
      "%q = OpFDiv %float %fa %fb\n%c = OpFOrdLessThan %bool %q " + limit + "\n" BRANCH_ON("%c");
  return snippet;
}

TEST(Precision, AnAmbiguousBranchIsUnsupported) {
  Outcome outcome = run(divisionSnippet("%f_2"));
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_EQ(outcome.reason.find("imprecise: "), 0u) << outcome.reason;
}

TEST(Precision, AClearBranchIsTaken) {
  EXPECT_EQ(run(divisionSnippet("%f_3")).kind, OutcomeKind::Completed);
}

static Snippet contraction(const std::string &decoration) {
  Snippet snippet;
  // a * a needs 25 bits; the addition cancels all but the part that rounding dropped.
  snippet.fin = {0x1.000002p0f, -0x1.000004p0f};
  snippet.decorations = decoration;
  snippet.body = "%m = OpFMul %float %fa %fa\n%s = OpFAdd %float %m %fb\n" +
                 storeFloat("%m", "%u_0") + storeFloat("%s", "%u_1");
  return snippet;
}

TEST(Precision, AProductMayBeFusedWithAnAddition) {
  Outcome outcome = run(contraction(""));
  const BufferState &state = finalState(outcome, 3);
  EXPECT_FALSE(state.intervals.contains(0)); // Stored, the product is rounded.
  EXPECT_EQ(bit_cast<float>(word(state, 0)), 0x1.000004p0f);
  ASSERT_TRUE(state.intervals.contains(4));
  EXPECT_EQ(state.intervals.at(4).lo, 0);
  EXPECT_EQ(state.intervals.at(4).hi, 0x1p-46); // The exact square's last bit.
}

TEST(Precision, NoContractionForbidsIt) {
  for (const char *id : {"%m", "%s"}) {
    Outcome outcome = run(contraction(std::string("OpDecorate ") + id + " NoContraction\n"));
    const BufferState &state = finalState(outcome, 3);
    ASSERT_EQ(state.intervals.size(), 1u) << id;
    EXPECT_EQ(state.intervals.at(4).lo, 0) << id; // Of either sign.
    EXPECT_EQ(state.intervals.at(4).hi, 0) << id;
  }
}

static Snippet denormal(const std::string &modes, const std::string &capabilities) {
  Snippet snippet;
  snippet.fin = {0x1p-130f};
  snippet.modes = modes;
  snippet.capabilities = capabilities;
  snippet.body =
      "%s = OpFAdd %float %fa %fa\n" + storeFloat("%s", "%u_0") + storeFloat("%fa", "%u_1");
  return snippet;
}

TEST(Precision, DenormalsMayBeFlushed) {
  Outcome outcome = run(denormal("", ""));
  const BufferState &state = finalState(outcome, 3);
  ASSERT_TRUE(state.intervals.contains(0));
  EXPECT_EQ(state.intervals.at(0).lo, 0);
  EXPECT_EQ(state.intervals.at(0).hi, 0x1p-129);
  EXPECT_FALSE(state.intervals.contains(4)); // A copy is no arithmetic.
}

TEST(Precision, DenormPreserveKeepsThem) {
  Outcome outcome =
      run(denormal("OpExecutionMode %main DenormPreserve 32\n", "OpCapability DenormPreserve\n"));
  const BufferState &state = finalState(outcome, 3);
  EXPECT_TRUE(state.intervals.empty());
  EXPECT_EQ(bit_cast<float>(word(state, 0)), 0x1p-129f);
}

TEST(Precision, IntervalsSurviveMemoryAndLaterDispatches) {
  Snippet snippet;
  snippet.fin = {1, 3};
  snippet.body = "%q = OpFDiv %float %fa %fb\n" + storeFloat("%q", "%u_0") +
                 "%back = OpAccessChain %p_float %fout %u_0 %u_1\n%old = OpLoad %float %back\n"
                 "%pp = OpAccessChain %p_float %fout %u_0 %u_0\n%again = OpLoad %float %pp\n" +
                 storeFloat("%again", "%u_1") + storeFloat("%old", "%u_2");
  Case input = makeCase(snippet);
  input.commands.push_back(input.commands[0]);
  Outcome outcome = runCase(input);
  const BufferState &state = finalState(outcome, 3);
  for (uint64_t offset : {0, 4, 8}) {
    ASSERT_TRUE(state.intervals.contains(offset)) << offset;
    EXPECT_LT(state.intervals.at(offset).lo, 1.0 / 3);
    EXPECT_GT(state.intervals.at(offset).hi, 1.0 / 3);
    EXPECT_LT(state.intervals.at(offset).hi - state.intervals.at(offset).lo, 0x1p-22);
  }
}

TEST(Precision, NanIsKnownAndFreeInItsBits) {
  Snippet snippet;
  snippet.fin = {bit_cast<float>(0x7f800000u)};
  snippet.body = "%n = OpFSub %float %fa %fa\n%c = OpIsNan %bool %n\n"
                 "%r = OpSelect %uint %c %u_1 %u_0\n" +
                 storeUint("%r", "%u_0") + storeFloat("%n", "%u_0");
  Outcome outcome = run(snippet);
  EXPECT_EQ(word(finalState(outcome), 0), 1u);
  const auto &intervals = finalState(outcome, 3).intervals;
  ASSERT_TRUE(intervals.contains(0));
  EXPECT_TRUE(intervals.at(0).mayBeNan);
  EXPECT_GT(intervals.at(0).lo, intervals.at(0).hi);
}

TEST(Precision, AFormulaThatOverflowsPromisesNothing) {
  Snippet snippet;
  snippet.fin = {89}; // The exponential overflows, half of it would not.
  snippet.body = "%s = OpExtInst %float %glsl Sinh %fa\n" + storeFloat("%s", "%u_0");
  std::map<uint64_t, uint64_t> expected = {{0, 4}};
  EXPECT_EQ(finalState(run(snippet), 3).indeterminate, expected);
}

TEST(Precision, RelaxedPrecisionWidens) {
  Snippet snippet;
  snippet.fin = {1.5f, 2.25f};
  snippet.decorations = "OpDecorate %s RelaxedPrecision\n";
  snippet.body = "%s = OpFAdd %float %fa %fb\n" + storeFloat("%s", "%u_0");
  Outcome outcome = run(snippet);
  const auto &intervals = finalState(outcome, 3).intervals;
  ASSERT_TRUE(intervals.contains(0));
  EXPECT_LT(intervals.at(0).lo, 3.75 - 0x1p-9);
  EXPECT_GT(intervals.at(0).hi, 3.75 + 0x1p-9);
}

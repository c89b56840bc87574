// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assumptions, expectations, clocks, instruction sets without meaning, modes of floats in whole
// modules, and the memory operands of the Vulkan memory model.
#include "oracles/machine/spirv/AssembledCase.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

static Snippet hintSnippet(const std::string &body, std::vector<uint32_t> in) {
  Snippet snippet;
  snippet.capabilities = "OpCapability ExpectAssumeKHR\nOpCapability ShaderClockKHR\n"
                         "OpCapability Int64\nOpExtension \"SPV_KHR_expect_assume\"\n"
                         "OpExtension \"SPV_KHR_shader_clock\"\n";
  snippet.globals = "%ulong = OpTypeInt 64 0\n";
  snippet.in = std::move(in);
  snippet.body = body;
  return snippet;
}

TEST(Hints, AreFollowedOrUndefined) {
  const char *assume = "%c = OpIEqual %bool %a %u_3\nOpAssumeTrueKHR %c\n";
  EXPECT_EQ(run(hintSnippet(assume, {3})).kind, OutcomeKind::Completed);
  EXPECT_EQ(ruleOf(run(hintSnippet(assume, {4}))), "UB-ASSUME");
  Outcome outcome =
      run(hintSnippet("%x = OpExpectKHR %uint %a %u_9\n" + storeUint("%x", "%u_0"), {4}));
  EXPECT_EQ(word(finalState(outcome), 0), 4u);
}

TEST(Clock, IsOpen) {
  Outcome outcome = run(hintSnippet("%t = OpReadClockKHR %uvec2 %u_3\n"
                                    "%x = OpCompositeExtract %uint %t 0\n" +
                                        storeUint("%x", "%u_2"),
                                    {}));
  std::map<uint64_t, uint64_t> expected = {{8, 4}};
  EXPECT_EQ(finalState(outcome).indeterminate, expected);
  outcome = run(hintSnippet("%t = OpReadClockKHR %ulong %u_1\n%s = OpReadClockKHR %ulong %u_1\n"
                            "%c = OpULessThan %bool %t %s\nOpSelectionMerge %m None\n"
                            "OpBranchConditional %c %y %m\n%y = OpLabel\nOpBranch %m\n"
                            "%m = OpLabel\n",
                            {}));
  EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_EQ(outcome.reason.find("imprecise: "), 0u) << outcome.reason;
}

TEST(NonSemantic, InstructionsMeanNothing) {
  Snippet snippet;
  snippet.capabilities = "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                         "%ns = OpExtInstImport \"NonSemantic.Assay.Nothing\"\n";
  snippet.in = {6};
  snippet.body = "%d = OpExtInst %void %ns 7 %a\n" + storeUint("%a", "%u_0");
  EXPECT_EQ(word(finalState(run(snippet)), 0), 6u);
}

TEST(DeviceGroup, HasOneDevice) {
  Snippet snippet;
  snippet.capabilities = "OpCapability DeviceGroup\n";
  snippet.decorations = "OpDecorate %device BuiltIn DeviceIndex\n";
  snippet.globals = "%pi_int = OpTypePointer Input %int\n%device = OpVariable %pi_int Input\n";
  snippet.interface = "%device ";
  snippet.body = "%d = OpLoad %int %device\n%u = OpBitcast %uint %d\n%n = OpIAdd %uint %u %u_5\n" +
                 storeUint("%n", "%u_0");
  EXPECT_EQ(word(finalState(run(snippet)), 0), 5u);
}

// Precision that reaches an address or a branch as an integer can't be judged; what is stored keeps
// the interval.
TEST(Precision, BitsOfAnIntervalAreOpenButKeptInMemory) {
  Snippet snippet;
  snippet.fin = {1, 3};
  snippet.body =
      "%q = OpFDiv %float %fa %fb\n%bits = OpBitcast %uint %q\n" + storeUint("%bits", "%u_0");
  BufferState state = finalState(run(snippet));
  EXPECT_TRUE(state.indeterminate.empty());
  ASSERT_EQ(state.intervals.size(), 1u);
  EXPECT_EQ(state.intervals[0].bytes, 4u);
  EXPECT_LT(state.intervals[0].lo, 1.0 / 3);
  EXPECT_GT(state.intervals[0].hi, 1.0 / 3);
  for (const char *use : {"%i = OpBitwiseAnd %uint %bits %u_1\n"
                          "%p = OpAccessChain %p_uint %out %u_0 %i\nOpStore %p %u_1\n",
                          "%c = OpIEqual %bool %bits %u_0\nOpSelectionMerge %m None\n"
                          "OpBranchConditional %c %y %m\n%y = OpLabel\nOpBranch %m\n"
                          "%m = OpLabel\n"}) {
    Snippet reaching = snippet;
    reaching.body += use;
    Outcome outcome = run(reaching);
    EXPECT_EQ(outcome.kind, OutcomeKind::Unsupported);
    EXPECT_EQ(outcome.reason.find("imprecise: "), 0u) << outcome.reason;
  }
}

namespace {
/// Element 0 of %fout gets \p value, of 32 bits.
Snippet modeSnippet(const std::string &modes, const std::string &capabilities,
                    const std::string &body, std::vector<float> fin) {
  Snippet snippet;
  snippet.capabilities = "OpCapability Float16\nOpCapability Float64\n" + capabilities;
  snippet.modes = modes;
  snippet.globals = "%half = OpTypeFloat 16\n%hvec2 = OpTypeVector %half 2\n"
                    "%double = OpTypeFloat 64\n";
  snippet.fin = std::move(fin);
  snippet.body = body + storeFloat("%r", "%u_0");
  return snippet;
}
float resultOf(const Snippet &snippet) {
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome, 3);
  EXPECT_TRUE(state.intervals.empty());
  EXPECT_TRUE(state.indeterminate.empty());
  return bit_cast<float>(word(state, 0));
}
} // namespace

TEST(FloatModes, RoundConversionsByModeAndDecoration) {
  const char *toHalf = "%h = OpFConvert %half %fa\n%r = OpFConvert %float %h\n";
  // 1 + 3 * 2^-12 lies three quarters of the way to the next half.
  float between = 1 + 0x3p-12f;
  EXPECT_EQ(resultOf(modeSnippet("OpExecutionMode %main RoundingModeRTE 16\n",
                                 "OpCapability RoundingModeRTE\n", toHalf, {between})),
            1 + 0x1p-10f);
  EXPECT_EQ(resultOf(modeSnippet("OpExecutionMode %main RoundingModeRTZ 16\n",
                                 "OpCapability RoundingModeRTZ\n", toHalf, {between})),
            1);
  // Without a mode of its width, a conversion may go either way.
  Outcome outcome = run(modeSnippet("OpExecutionMode %main RoundingModeRTZ 32\n",
                                    "OpCapability RoundingModeRTZ\n", toHalf, {between}));
  EXPECT_EQ(finalState(outcome, 3).intervals.at(0).lo, 1);
  EXPECT_EQ(finalState(outcome, 3).intervals.at(0).hi, 1 + 0x1p-10);
}

TEST(FloatModes, LeaveTheRoundingOfPackingOpen) {
  const char *pack = "%v = OpCompositeConstruct %fvec2 %fa %fa\n"
                     "%packed = OpExtInst %uint %glsl PackHalf2x16 %v\n"
                     "%r = OpBitcast %float %packed\n";
  for (const char *kind : {"RoundingModeRTZ", "RoundingModeRTE"}) {
    std::string mode = std::string("OpExecutionMode %main ") + kind + " 16\n";
    std::string capability = std::string("OpCapability ") + kind + "\n";
    Outcome outcome = run(modeSnippet(mode, capability, pack, {1 + 0x3p-12f}));
    BufferState state = finalState(outcome, 3);
    ASSERT_EQ(state.intervals.size(), 2u) << kind;
    for (const auto &[offset, interval] : state.intervals) {
      EXPECT_EQ(interval.bytes, 2u);
      EXPECT_EQ(interval.lo, 1);
      EXPECT_EQ(interval.hi, 1 + 0x1p-10);
    }
    EXPECT_EQ(bit_cast<uint32_t>(resultOf(modeSnippet(mode, capability, pack, {1.5f}))),
              0x3e003e00u);
  }
}

TEST(FloatModes, RoundArithmeticTowardZero) {
  Snippet snippet =
      modeSnippet("OpExecutionMode %main RoundingModeRTZ 32\n", "OpCapability RoundingModeRTZ\n",
                  "%r = OpFAdd %float %fa %fb\n", {1, 0x1.8p-24f});
  EXPECT_EQ(resultOf(snippet), 1);
  snippet.modes = "OpExecutionMode %main RoundingModeRTE 32\n";
  snippet.capabilities = "OpCapability Float16\nOpCapability Float64\n"
                         "OpCapability RoundingModeRTE\n";
  EXPECT_EQ(resultOf(snippet), 1 + 0x1p-23f);
}

TEST(FloatModes, DoublesKeepMoreThanFloats) {
  EXPECT_EQ(resultOf(modeSnippet("", "",
                                 "%a = OpFConvert %double %fa\n%b = OpFConvert %double %fb\n"
                                 "%s = OpFAdd %double %a %b\n%d = OpFSub %double %s %a\n"
                                 "%r = OpFConvert %float %d\n",
                                 {1, 0x1p-40f})),
            0x1p-40f);
}

TEST(FloatModes, FlushWhereTheyHaveTo) {
  const char *scale = "%r = OpFMul %float %fa %fb\n";
  std::vector<float> fin = {0x1p-100f, 0x1p-30f};
  Outcome flushed = run(modeSnippet("OpExecutionMode %main DenormFlushToZero 32\n",
                                    "OpCapability DenormFlushToZero\n", scale, fin));
  EXPECT_EQ(finalState(flushed, 3).intervals.at(0).lo, 0);
  EXPECT_EQ(finalState(flushed, 3).intervals.at(0).hi, 0);
  EXPECT_EQ(resultOf(modeSnippet("OpExecutionMode %main DenormPreserve 32\n",
                                 "OpCapability DenormPreserve\n", scale, fin)),
            0x1p-130f);
  // A quotient may be flushed even then.
  Outcome outcome =
      run(modeSnippet("OpExecutionMode %main DenormPreserve 32\n", "OpCapability DenormPreserve\n",
                      "%r = OpFDiv %float %fa %fb\n", {0x1p-100f, 0x1p30f}));
  EXPECT_EQ(finalState(outcome, 3).intervals.at(0).lo, 0);
}

namespace {
/// Two invocations: one writes element 0 of %out, and after a barrier the other reads it.
Snippet modelSnippet(const char *write, const char *semantics, const char *read) {
  Snippet snippet;
  snippet.capabilities = "OpCapability VulkanMemoryModel\n";
  snippet.memoryModel = "Logical Vulkan";
  snippet.localSize = 2;
  snippet.globals = "%acq_rel = OpConstant %uint 0x48\n%all = OpConstant %uint 0x6048\n";
  snippet.body =
      std::string("%p = OpAccessChain %p_uint %out %u_0 %u_0\n%first = OpIEqual %bool %lid %u_0\n"
                  "OpSelectionMerge %m None\nOpBranchConditional %first %w %m\n%w = OpLabel\n"
                  "OpStore %p %u_7 ") +
      write + "\nOpBranch %m\n%m = OpLabel\nOpControlBarrier %u_2 %u_2 " + semantics +
      "\nOpSelectionMerge %n None\nOpBranchConditional %first %n %r\n%r = OpLabel\n"
      "%x = OpLoad %uint %p " +
      read + "\nOpBranch %n\n%n = OpLabel\n";
  return snippet;
}
} // namespace

TEST(VulkanMemoryModel, OrdersWhatIsAvailableAndVisible) {
  EXPECT_EQ(run(modelSnippet("NonPrivatePointer|MakePointerAvailable %u_2", "%acq_rel",
                             "NonPrivatePointer|MakePointerVisible %u_2"))
                .kind,
            OutcomeKind::Completed);
  EXPECT_EQ(run(modelSnippet("NonPrivatePointer", "%all", "NonPrivatePointer")).kind,
            OutcomeKind::Completed);
}

TEST(VulkanMemoryModel, OrdersNothingElse) {
  EXPECT_EQ(ruleOf(run(modelSnippet("None", "%all", "NonPrivatePointer"))), "UB-RACE");
  EXPECT_EQ(ruleOf(run(modelSnippet("NonPrivatePointer", "%all", "None"))), "UB-RACE");
  EXPECT_EQ(ruleOf(run(modelSnippet("NonPrivatePointer", "%acq_rel", "NonPrivatePointer"))),
            "UB-RACE");
  EXPECT_EQ(ruleOf(run(modelSnippet("NonPrivatePointer|MakePointerAvailable %u_2", "%acq_rel",
                                    "NonPrivatePointer"))),
            "UB-RACE");
}

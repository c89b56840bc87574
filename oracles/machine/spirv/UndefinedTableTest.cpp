// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Undefined behaviour, planted: each row has a twin without it, and is named by its rule, by the
// instruction and by the invocation. docs/reference-machine.md has the rules.
#include "oracles/machine/spirv/AssembledCase.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

namespace {
struct Planted {
  const char *name;
  const char *rule;
  const char *opcode;           ///< Of the instruction that is named.
  std::string body;             ///< %a decides whether it is undefined.
  std::vector<uint32_t> broken; ///< Contents of %in with undefined behaviour,
  std::vector<uint32_t> clean;  ///< and without.
  const char *invocation = "invocation (0, 0, 0)";
  uint32_t localSize = 2;
  uint32_t groups = 1;
  uint32_t subgroupSize = 64;
};
class UndefinedTable : public ::testing::TestWithParam<Planted> {};
} // namespace

static Snippet snippetOf(const Planted &row, const std::vector<uint32_t> &in) {
  Snippet snippet;
  snippet.capabilities =
      "OpCapability Int8\nOpCapability Int16\nOpCapability Int64\nOpCapability Float64\n"
      "OpCapability GroupNonUniform\nOpCapability GroupNonUniformBallot\n"
      "OpCapability GroupNonUniformShuffle\n";
  snippet.in = in;
  snippet.localSize = row.localSize;
  snippet.groups = row.groups;
  snippet.globals =
      "%arr4 = OpTypeArray %uint %u_4\n%pf_arr4 = OpTypePointer Function %arr4\n"
      "%zero4 = OpConstantNull %arr4\n%pair = OpTypeStruct %uint %uint\n"
      "%pf_pair = OpTypePointer Function %pair\n%pf_uvec4 = OpTypePointer Function %uvec4\n"
      "%pf_mat3 = OpTypePointer Function %mat3\n%pf_fvec3 = OpTypePointer Function %fvec3\n"
      "%pp_uint = OpTypePointer Private %uint\n%private = OpVariable %pp_uint Private\n"
      "%byte = OpTypeInt 8 1\n%short = OpTypeInt 16 1\n%ushort = OpTypeInt 16 0\n"
      "%long = OpTypeInt 64 1\n%ulong = OpTypeInt 64 0\n%double = OpTypeFloat 64\n"
      "%undef = OpUndef %uint\n%none = OpConstant %uint 0x0\n%f_half = OpConstant %float 0.5\n"
      "%fnull = OpConstantNull %fvec3\n%frexp = OpTypeStruct %float %int\n"
      "%take = OpTypeFunction %uint %pf_arr4 %uint\n";
  snippet.locals = "%v = OpVariable %pf_uint Function\n%arr = OpVariable %pf_arr4 Function\n"
                   "%two = OpVariable %pf_pair Function\n%vec = OpVariable %pf_uvec4 Function\n"
                   "%mat = OpVariable %pf_mat3 Function\n";
  snippet.functions =
      "%element = OpFunction %uint None %take\n%array = OpFunctionParameter %pf_arr4\n"
      "%index = OpFunctionParameter %uint\n%el = OpLabel\n"
      "%ep = OpAccessChain %pf_uint %array %index\n%ex = OpLoad %uint %ep\nOpReturnValue %ex\n"
      "OpFunctionEnd\n";
  snippet.interface = "%private ";
  snippet.body = row.body;
  return snippet;
}

static Outcome runRow(const Planted &row, const std::vector<uint32_t> &in) {
  RunOptions options;
  options.subgroupSize = row.subgroupSize;
  return runCase(makeCase(snippetOf(row, in)), options);
}

TEST_P(UndefinedTable, IsNamed) {
  const Planted &row = GetParam();
  Outcome outcome = runRow(row, row.broken);
  EXPECT_EQ(outcome.kind, OutcomeKind::UndefinedBehavior) << outcome.reason;
  ASSERT_EQ(outcome.findings.size(), 1u) << outcome.reason;
  const Finding &finding = outcome.findings[0];
  EXPECT_EQ(finding.rule, row.rule) << outcome.reason;
  EXPECT_EQ(finding.signature, std::string(row.rule) + " " + row.opcode) << outcome.reason;
  EXPECT_NE(finding.message.find(row.invocation), std::string::npos) << outcome.reason;
  EXPECT_NE(finding.location.find("at word"), std::string::npos);
}

TEST_P(UndefinedTable, IsNotReportedForItsTwin) {
  const Planted &row = GetParam();
  Outcome outcome = runRow(row, row.clean);
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << row.name << ": " << outcome.reason;
}

/// Goes somewhere by condition %c.
static std::string branchOn(const std::string &condition = "%c") {
  return "OpSelectionMerge %m None\nOpBranchConditional " + condition +
         " %t %m\n%t = OpLabel\nOpBranch %m\n%m = OpLabel\n";
}
/// Computes %x, an unsigned word or (on floats) a float, and goes somewhere by it.
static std::string decide(const std::string &computation) {
  return computation + "%c = OpIEqual %bool %x %u_2\n" + branchOn();
}
static std::string decideFloat(const std::string &computation) {
  return "%f = OpBitcast %float %a\n%g = OpBitcast %float %b\n" + computation +
         "%c = OpIsNan %bool %x\n" + branchOn();
}
static std::string loadAt(const char *type, const char *base, const char *index) {
  return std::string("%p = OpAccessChain ") + type + " " + base + " " + index +
         "\n%x = OpLoad %uint %p\n";
}
static uint32_t bitsOf(float value) {
  return bit_cast<uint32_t>(value);
}
static const char branches[] = "OpBranchConditional";
static const char second[] = "invocation (1, 0, 0)";

static std::vector<Planted> uninitializedRows() {
  const std::string guard = "%w = OpIEqual %bool %a %u_1\nOpSelectionMerge %go None\n"
                            "OpBranchConditional %w %write %go\n%write = OpLabel\n";
  const std::string go = "OpBranch %go\n%go = OpLabel\n";
  const std::string partly = "%q = OpAccessChain %pf_uint %arr %u_0\nOpStore %q %u_1\n";
  return {
      {"local",
       "UB-UNINIT",
       branches,
       guard + "OpStore %v %u_1\n" + go + decide("%x = OpLoad %uint %v\n"),
       {0},
       {1}},
      {"private",
       "UB-UNINIT",
       branches,
       guard + "OpStore %private %u_1\n" + go + decide("%x = OpLoad %uint %private\n"),
       {0},
       {1}},
      {"shared",
       "UB-UNINIT",
       branches,
       "%s = OpAccessChain %pw_uint %shared %lid\n" + guard + "OpStore %s %u_1\n" + go +
           decide("%x = OpLoad %uint %s\n"),
       {0},
       {1}},
      {"part of an array",
       "UB-UNINIT",
       branches,
       partly + decide(loadAt("%pf_uint", "%arr", "%a")),
       {1},
       {0}},
      {"part of a structure",
       "UB-UNINIT",
       branches,
       "%q = OpAccessChain %pf_uint %two %u_0\nOpStore %q %u_1\n%s = OpLoad %pair %two\n"
       "%s0 = OpCompositeExtract %uint %s 0\n%s1 = OpCompositeExtract %uint %s 1\n"
       "%first = OpIEqual %bool %a %u_0\n" +
           decide("%x = OpSelect %uint %first %s0 %s1\n"),
       {1},
       {0}},
      {"part of a vector",
       "UB-UNINIT",
       branches,
       "%q = OpAccessChain %pf_uint %vec %u_0\nOpStore %q %u_1\n%s = OpLoad %uvec4 %vec\n" +
           decide("%x = OpVectorExtractDynamic %uint %s %a\n"),
       {1},
       {0}},
  };
}

static std::vector<Planted> undefinedRows() {
  const std::string guard = "%w = OpIEqual %bool %a %u_1\nOpSelectionMerge %go None\n"
                            "OpBranchConditional %w %write %go\n%write = OpLabel\n";
  const std::string go = "OpBranch %go\n%go = OpLabel\n";
  return {
      {"undefined constant",
       "UB-UNINIT",
       branches,
       "%first = OpIEqual %bool %a %u_0\n" + decide("%x = OpSelect %uint %first %u_1 %undef\n"),
       {1},
       {0}},
      {"selector",
       "UB-UNINIT",
       "OpSwitch",
       guard + "OpStore %v %u_1\n" + go +
           "%x = OpLoad %uint %v\nOpSelectionMerge %m None\nOpSwitch %x %m 1 %t\n"
           "%t = OpLabel\nOpBranch %m\n%m = OpLabel\n",
       {0},
       {1}},
      {"index",
       "UB-UNINIT",
       "OpAccessChain",
       guard + "OpStore %v %u_0\n" + go + "%i = OpLoad %uint %v\n" +
           loadAt("%p_uint", "%in %u_0", "%i"),
       {0},
       {1}},
      {"divisor",
       "UB-UNINIT",
       branches,
       guard + "OpStore %v %u_1\n" + go +
           decide("%d = OpLoad %uint %v\n%e = OpBitwiseOr %uint %d %u_1\n"
                  "%x = OpUDiv %uint %u_4 %e\n"),
       {0},
       {1}},
      {"shuffled component",
       "UB-UNINIT",
       branches,
       "%s = OpCompositeConstruct %uvec2 %u_1 %u_2\n"
       "%h = OpVectorShuffle %uvec2 %s %s 0 0xffffffff\n" +
           decide("%x = OpVectorExtractDynamic %uint %h %a\n"),
       {1},
       {0}},
  };
}

static std::vector<Planted> boundsRows() {
  const std::string zero = "OpStore %arr %zero4\n";
  return {
      {"buffer", "UB-OOB", "OpLoad", loadAt("%p_uint", "%in %u_0", "%a"), {1}, {0}},
      {"negative index", "UB-OOB", "OpLoad", loadAt("%p_uint", "%in %u_0", "%ia"), {~0u}, {0}},
      {"buffer written",
       "UB-OOB",
       "OpStore",
       "%i = OpIAdd %uint %a %lid\n%p = OpAccessChain %p_uint %out %u_0 %i\nOpStore %p %u_1\n",
       {63},
       {62},
       second},
      {"atomic",
       "UB-OOB",
       "OpAtomicIAdd",
       "%p = OpAccessChain %p_uint %out %u_0 %a\n%x = OpAtomicIAdd %uint %p %u_1 %u_0 %u_1\n",
       {64},
       {63}},
      {"array", "UB-OOB", "OpLoad", zero + loadAt("%pf_uint", "%arr", "%a"), {4}, {3}},
      {"array written",
       "UB-OOB",
       "OpStore",
       "%p = OpAccessChain %pf_uint %arr %a\nOpStore %p %u_1\n",
       {4},
       {3}},
      {"array by parameter",
       "UB-OOB",
       "OpLoad",
       zero + "%x = OpFunctionCall %uint %element %arr %a\n",
       {4},
       {3}},
      {"array copied",
       "UB-OOB",
       "OpCopyMemory",
       zero + "%p = OpAccessChain %pf_uint %arr %a\nOpCopyMemory %v %p\n",
       {9},
       {3}},
      {"shared", "UB-OOB", "OpLoad", loadAt("%pw_uint", "%shared", "%a"), {16}, {15}},
      {"component in memory",
       "UB-OOB",
       "OpLoad",
       "%q = OpCompositeConstruct %uvec4 %a %a %a %a\nOpStore %vec %q\n" +
           loadAt("%pf_uint", "%vec", "%a"),
       {4},
       {3}},
      {"column",
       "UB-OOB",
       "OpStore",
       "%p = OpAccessChain %pf_fvec3 %mat %a\nOpStore %p %fnull\n",
       {3},
       {2}},
      {"component",
       "UB-OOB",
       branches,
       "%v2 = OpCompositeConstruct %uvec2 %u_1 %u_2\n" +
           decide("%x = OpVectorExtractDynamic %uint %v2 %a\n"),
       {2},
       {1}},
      {"component inserted",
       "UB-OOB",
       branches,
       "%v2 = OpCompositeConstruct %uvec2 %u_1 %u_2\n"
       "%w2 = OpVectorInsertDynamic %uvec2 %v2 %u_7 %a\n" +
           decide("%x = OpCompositeExtract %uint %w2 0\n"),
       {2},
       {1}},
  };
}

static std::vector<Planted> integerRows() {
  auto narrow = [](const char *type, const char *opcode) {
    return std::string("%na = OpSConvert ") + type + " %ia\n%nb = OpSConvert " + type +
           " %ib\n%x = " + opcode + " " + type + " %na %nb\n";
  };
  // The least of 64 bits, as a word shifted up.
  const std::string wide = "%wa = OpUConvert %ulong %a\n%wide32 = OpUConvert %ulong %u_32\n"
                           "%up = OpShiftLeftLogical %ulong %wa %wide32\n"
                           "%la = OpBitcast %long %up\n%lb = OpSConvert %long %ib\n";
  const uint32_t least = 0x80000000, minusOne = ~0u;
  return {
      {"quotient", "UB-DIV0", "OpUDiv", "%x = OpUDiv %uint %u_4 %a\n", {0}, {1}},
      {"remainder", "UB-DIV0", "OpUMod", "%x = OpUMod %uint %u_4 %a\n", {0}, {1}},
      {"signed quotient", "UB-DIV0", "OpSDiv", "%x = OpSDiv %int %i_4 %ia\n", {0}, {1}},
      {"signed remainder", "UB-DIV0", "OpSRem", "%x = OpSRem %int %i_4 %ia\n", {0}, {1}},
      {"signed modulus", "UB-DIV0", "OpSMod", "%x = OpSMod %int %i_4 %ia\n", {0}, {1}},
      {"one component",
       "UB-DIV0",
       "OpUDiv",
       "%n = OpCompositeConstruct %uvec2 %u_4 %u_4\n%d = OpCompositeConstruct %uvec2 %u_1 %a\n"
       "%x = OpUDiv %uvec2 %n %d\n",
       {0},
       {1}},
      {"overflow", "UB-DIV0", "OpSDiv", "%x = OpSDiv %int %ia %ib\n", {least, minusOne}, {1, 2}},
      {"overflow of 8 bits",
       "UB-DIV0",
       "OpSDiv",
       narrow("%byte", "OpSDiv"),
       {0x80, minusOne},
       {0x80, 1}},
      {"overflow of 16 bits",
       "UB-DIV0",
       "OpSRem",
       narrow("%short", "OpSRem"),
       {0x8000, minusOne},
       {0x40, 3}},
      {"zero of 16 bits", "UB-DIV0", "OpSDiv", narrow("%short", "OpSDiv"), {1, 0x10000}, {1, 1}},
      {"overflow of 64 bits",
       "UB-DIV0",
       "OpSDiv",
       wide + "%x = OpSDiv %long %la %lb\n",
       {least, minusOne},
       {least, 1}},
      {"zero of 64 bits",
       "UB-DIV0",
       "OpUMod",
       wide + "%x = OpUMod %ulong %wide32 %up\n",
       {0, 0},
       {1, 0}},
  };
}

static std::vector<Planted> bitRows() {
  const uint32_t minusOne = ~0u;
  return {
      {"shift",
       "UB-SHIFT",
       branches,
       decide("%x = OpShiftLeftLogical %uint %u_1 %a\n"),
       {32},
       {31}},
      {"arithmetic shift",
       "UB-SHIFT",
       branches,
       decide("%x = OpShiftRightArithmetic %uint %u_1 %a\n"),
       {33},
       {31}},
      {"shift of 16 bits",
       "UB-SHIFT",
       branches,
       decide("%s = OpUConvert %ushort %u_1\n%y = OpShiftRightLogical %ushort %s %a\n"
              "%x = OpUConvert %uint %y\n"),
       {16},
       {15}},
      {"shift of 64 bits",
       "UB-SHIFT",
       branches,
       decide("%s = OpUConvert %ulong %u_1\n%y = OpShiftLeftLogical %ulong %s %a\n"
              "%x = OpUConvert %uint %y\n"),
       {64},
       {63}},
      {"shift as an address",
       "UB-SHIFT",
       "OpAccessChain",
       "%s = OpShiftRightLogical %uint %u_1 %a\n" + loadAt("%p_uint", "%in %u_0", "%s"),
       {32},
       {31}},
      {"shift as a selector",
       "UB-SHIFT",
       "OpSwitch",
       "%x = OpShiftLeftLogical %uint %u_1 %a\nOpSelectionMerge %m None\nOpSwitch %x %m 1 %t\n"
       "%t = OpLabel\nOpBranch %m\n%m = OpLabel\n",
       {32},
       {0}},
      {"field",
       "UB-BITFIELD",
       branches,
       decide("%x = OpBitFieldUExtract %uint %u_1 %a %u_8\n"),
       {25},
       {24}},
      {"signed field",
       "UB-BITFIELD",
       branches,
       decide("%x = OpBitFieldSExtract %uint %u_1 %u_8 %a\n"),
       {25},
       {24}},
      {"field inserted",
       "UB-BITFIELD",
       branches,
       decide("%x = OpBitFieldInsert %uint %u_1 %u_2 %u_4 %a\n"),
       {29},
       {28}},
      {"clamp",
       "UB-MATH",
       branches,
       decide("%x = OpExtInst %uint %glsl UClamp %u_5 %a %u_8\n"),
       {9},
       {8}},
      {"signed clamp",
       "UB-MATH",
       branches,
       decide("%y = OpExtInst %int %glsl SClamp %i_5 %ia %i_8\n%x = OpBitcast %uint %y\n"),
       {9},
       {minusOne}},
  };
}

static std::vector<Planted> negativeRows() {
  return {
      {"negative remainder",
       "UB-MATH",
       branches,
       decide("%y = OpSRem %int %ia %i_4\n%x = OpBitcast %uint %y\n"),
       {~0u},
       {9}},
      {"negative modulus",
       "UB-MATH",
       branches,
       decide("%y = OpSMod %int %i_4 %ia\n%x = OpBitcast %uint %y\n"),
       {~0u},
       {9}},
  };
}

static std::vector<Planted> floatRows() {
  auto one = [](const char *function) {
    return decideFloat(std::string("%x = OpExtInst %float %glsl ") + function + " %f\n");
  };
  auto two = [](const char *function, const char *order) {
    return decideFloat(std::string("%x = OpExtInst %float %glsl ") + function + " " + order + "\n");
  };
  auto convert = [](const char *opcode, const char *type) {
    return decide(std::string("%f = OpBitcast %float %a\n%y = ") + opcode + " " + type +
                  " %f\n%x = OpUConvert %uint %y\n");
  };
  const uint32_t nan = 0x7fc00000, infinity = 0x7f800000;
  auto in = [](float a, float b = 0) { return std::vector<uint32_t>{bitsOf(a), bitsOf(b)}; };
  return {
      {"negative to unsigned", "UB-CONVERT", branches,
       decide("%f = OpBitcast %float %a\n%x = OpConvertFToU %uint %f\n"), in(-1), in(1)},
      {"too large", "UB-CONVERT", branches,
       decide("%f = OpBitcast %float %a\n%x = OpConvertFToU %uint %f\n"), in(0x1p32f), in(0x1p31f)},
      {"too large for a sign", "UB-CONVERT", branches,
       decide("%f = OpBitcast %float %a\n%y = OpConvertFToS %int %f\n%x = OpBitcast %uint %y\n"),
       in(0x1p31f), in(-0x1p31f)},
      {"no number",
       "UB-CONVERT",
       branches,
       decide("%f = OpBitcast %float %a\n%y = OpConvertFToS %int %f\n%x = OpBitcast %uint %y\n"),
       {nan},
       in(7)},
      {"infinity",
       "UB-CONVERT",
       branches,
       convert("OpConvertFToU", "%ulong"),
       {infinity},
       in(0x1p40f)},
      {"too large for 16 bits", "UB-CONVERT", branches, convert("OpConvertFToU", "%ushort"),
       in(65536), in(65535)},
      {"double", "UB-CONVERT", branches,
       decide("%f = OpBitcast %float %a\n%d = OpFConvert %double %f\n"
              "%y = OpConvertFToU %ulong %d\n%x = OpUConvert %uint %y\n"),
       in(0x1p64f), in(0x1p63f)},
      {"float clamp", "UB-MATH", branches,
       decideFloat("%x = OpExtInst %float %glsl FClamp %f_1 %f %g\n"), in(3, 2), in(2, 3)},
      {"number clamp", "UB-MATH", branches,
       decideFloat("%x = OpExtInst %float %glsl NClamp %f_1 %f %g\n"), in(3, 2), in(2, 3)},
      {"smooth step", "UB-MATH", branches,
       decideFloat("%x = OpExtInst %float %glsl SmoothStep %f %g %f_half\n"), in(1, 1), in(0, 1)},
      {"power", "UB-MATH", branches, two("Pow", "%f %g"), in(-1, 0.5f), in(2, 0.5f)},
      {"power of zero", "UB-MATH", branches, two("Pow", "%f %g"), in(0, 0), in(0, 1)},
      {"arc cosine", "UB-MATH", branches, one("Acos"), in(2), in(0.5f)},
      {"arc sine", "UB-MATH", branches, one("Asin"), in(-2), in(0.5f)},
      {"area cosine", "UB-MATH", branches, one("Acosh"), in(0.5f), in(2)},
      {"area tangent", "UB-MATH", branches, one("Atanh"), in(1), in(0.5f)},
      {"angle at the origin", "UB-MATH", branches, two("Atan2", "%f %g"), in(0, 0), in(1, 1)},
      {"logarithm", "UB-MATH", branches, one("Log"), in(-1), in(3)},
      {"binary logarithm", "UB-MATH", branches, one("Log2"), in(0), in(3)},
      {"root", "UB-MATH", branches, one("Sqrt"), in(-1), in(3)},
      {"inverse root", "UB-MATH", branches, one("InverseSqrt"), in(0), in(3)},
      {"scaling",
       "UB-MATH",
       branches,
       decideFloat("%x = OpExtInst %float %glsl Ldexp %f %ib\n"),
       {bitsOf(1), 200},
       {bitsOf(1), 20}},
      {"exponent",
       "UB-MATH",
       branches,
       decideFloat("%fx = OpExtInst %frexp %glsl FrexpStruct %f\n"
                   "%x = OpCompositeExtract %float %fx 0\n"),
       {infinity, 0},
       in(3)},
  };
}

static std::vector<Planted> orderRows() {
  const std::string same = "%p = OpAccessChain %p_uint %out %u_0 %i\n";
  // %i: the invocation's own element where %a is 0, else one for all.
  const std::string pick = "%own = OpIEqual %bool %a %u_0\n%i = OpSelect %uint %own %gid %u_0\n";
  const std::string sharedPick =
      "%own = OpIEqual %bool %a %u_0\n%i = OpSelect %uint %own %lid %u_0\n"
      "%p = OpAccessChain %pw_uint %shared %i\n";
  const std::string other = "%o = OpBitwiseXor %uint %lid %u_1\n%n = OpSelect %uint %own %lid %o\n";
  return {
      {"two writes", "UB-RACE", "OpStore", pick + same + "OpStore %p %gid\n", {1}, {0}, second},
      {"write and read",
       "UB-RACE",
       "OpLoad",
       pick + "%p = OpAccessChain %p_uint %out %u_0 %gid\nOpStore %p %u_1\n"
              "%q = OpAccessChain %p_uint %out %u_0 %i\n%x = OpLoad %uint %q\n",
       {1},
       {0},
       second},
      {"shared without a barrier",
       "UB-RACE",
       "OpStore",
       sharedPick + "OpStore %p %lid\n",
       {1},
       {0},
       second},
      {"barrier that orders nothing",
       "UB-RACE",
       "OpLoad",
       "%own = OpIEqual %bool %a %u_0\n%p = OpAccessChain %pw_uint %shared %lid\n"
       "OpStore %p %u_1\nOpControlBarrier %u_2 %u_2 %none\n" +
           other + "%q = OpAccessChain %pw_uint %shared %n\n%x = OpLoad %uint %q\n",
       {1},
       {0}},
      {"barrier of too small a scope",
       "UB-RACE",
       "OpLoad",
       "%own = OpIEqual %bool %a %u_0\n%p = OpAccessChain %pw_uint %shared %lid\n"
       "OpStore %p %u_1\nOpControlBarrier %u_2 %u_3 %u_264\n" +
           other + "%q = OpAccessChain %pw_uint %shared %n\n%x = OpLoad %uint %q\n",
       {1},
       {0},
       "invocation (0, 0, 0)",
       2,
       1,
       1},
      {"across workgroups",
       "UB-RACE",
       "OpStore",
       pick + same + "OpStore %p %gid\nOpControlBarrier %u_2 %u_1 %u_72\n",
       {1},
       {0},
       second,
       1,
       2},
      {"plain next to atomic",
       "UB-RACE",
       "OpStore",
       pick +
           "%q = OpAccessChain %p_uint %out %u_0 %gid\n"
           "%x = OpAtomicIAdd %uint %q %u_1 %u_0 %u_1\n" +
           same + "OpStore %p %u_1\n",
       {1},
       {0},
       second},
  };
}

static std::vector<Planted> convergenceRows() {
  const std::string half = "%c = OpULessThan %bool %lid %a\nOpSelectionMerge %m None\n"
                           "OpBranchConditional %c %t %m\n%t = OpLabel\n";
  const std::string end = "OpBranch %m\n%m = OpLabel\n";
  return {
      {"barrier for some",
       "UB-BARRIER",
       "OpControlBarrier",
       half + "OpControlBarrier %u_2 %u_2 %u_264\n" + end,
       {1},
       {2}},
      {"two barriers",
       "UB-BARRIER",
       "OpControlBarrier",
       "%c = OpULessThan %bool %lid %a\nOpSelectionMerge %m None\n"
       "OpBranchConditional %c %t %e\n%t = OpLabel\nOpControlBarrier %u_2 %u_2 %u_264\n"
       "OpBranch %m\n%e = OpLabel\nOpControlBarrier %u_2 %u_2 %u_264\n" +
           end,
       {1},
       {2},
       second},
      {"barrier in a loop",
       "UB-BARRIER",
       "OpControlBarrier",
       "%own = OpIEqual %bool %a %u_0\n%k = OpSelect %uint %own %u_1 %lid\nOpBranch %head\n"
       "%head = OpLabel\n%i = OpPhi %uint %u_0 %entry %n %go\n%more = OpULessThan %bool %i %k\n"
       "OpLoopMerge %end %go None\nOpBranchConditional %more %inside %end\n%inside = OpLabel\n"
       "OpControlBarrier %u_2 %u_2 %u_264\nOpBranch %go\n%go = OpLabel\n"
       "%n = OpIAdd %uint %i %u_1\nOpBranch %head\n%end = OpLabel\n",
       {1},
       {0},
       second},
      {"unreachable",
       "UB-UNREACHABLE",
       "OpUnreachable",
       "%c = OpIEqual %bool %a %u_0\nOpSelectionMerge %m None\nOpBranchConditional %c %t %m\n"
       "%t = OpLabel\nOpUnreachable\n%m = OpLabel\n",
       {0},
       {1}},
      {"value of who is not there",
       "UB-SUBGROUP",
       branches,
       decide("%x = OpGroupNonUniformShuffle %uint %u_3 %lid %a\n"),
       {9},
       {1}},
      {"broadcast from who is elsewhere",
       "UB-SUBGROUP",
       branches,
       half +
           "%y = OpGroupNonUniformBroadcast %uint %u_3 %lid %u_1\n"
           "%d = OpIEqual %bool %y %u_2\nOpSelectionMerge %m2 None\n"
           "OpBranchConditional %d %t2 %m2\n%t2 = OpLabel\nOpBranch %m2\n%m2 = OpLabel\n" +
           end,
       {1},
       {2}},
  };
}

static std::vector<Planted> allRows() {
  std::vector<Planted> rows;
  for (auto family : {uninitializedRows, undefinedRows, boundsRows, integerRows, bitRows,
                      negativeRows, floatRows, orderRows, convergenceRows}) {
    std::vector<Planted> more = family();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}
static std::string nameOf(const ::testing::TestParamInfo<Planted> &row) {
  std::string name = std::string(row.param.rule + 3) + " " + row.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, UndefinedTable, ::testing::ValuesIn(allRows()), nameOf);

TEST(UndefinedTable, ABarrierOrdersASubgroupByAScopeOfItsOwn) {
  std::vector<Planted> rows = orderRows();
  auto row = std::find_if(rows.begin(), rows.end(), [](const Planted &planted) {
    return planted.name == std::string("barrier of too small a scope");
  });
  ASSERT_NE(row, rows.end());
  row->subgroupSize = 2;
  EXPECT_EQ(runRow(*row, row->broken).kind, OutcomeKind::Completed);
}

TEST(UndefinedTable, HasSixtyRowsOfDifferentNames) {
  std::vector<Planted> rows = allRows();
  std::set<std::pair<std::string, std::string>> names;
  for (const Planted &row : rows)
    names.emplace(row.rule, row.name);
  EXPECT_GE(rows.size(), 60u);
  EXPECT_EQ(names.size(), rows.size());
}

/// The names of rules in a text.
static std::set<std::string> rulesIn(StringRef text) {
  std::set<std::string> rules;
  for (size_t at = text.find("UB-"); at != StringRef::npos; at = text.find("UB-", at + 3)) {
    StringRef name =
        text.substr(at + 3).take_while([](char c) { return isUpper(c) || isDigit(c); });
    if (!name.empty())
      rules.insert("UB-" + name.str());
  }
  return rules;
}

TEST(UndefinedTable, EveryRuleIsDescribedAndEveryDescriptionIsOfARule) {
  std::set<std::string> used;
  std::error_code error;
  for (sys::fs::recursive_directory_iterator file(ASSAY_SOURCE_DIR "/oracles/machine/spirv", error),
       end;
       file != end && !error; file.increment(error)) {
    StringRef path = file->path();
    if (path.ends_with(".cpp") && !path.ends_with("Test.cpp"))
      used.merge(rulesIn((*MemoryBuffer::getFile(path))->getBuffer()));
  }
  EXPECT_GE(used.size(), 15u);
  auto document = MemoryBuffer::getFile(ASSAY_SOURCE_DIR "/docs/reference-machine.md");
  ASSERT_TRUE(bool(document));
  EXPECT_EQ(rulesIn((*document)->getBuffer()), used);
}

TEST(UndefinedTable, ALoopThatDoesNotEndRunsOutOfItsBudget) {
  Snippet snippet;
  snippet.body = "OpBranch %head\n%head = OpLabel\nOpLoopMerge %end %go None\n"
                 "OpBranchConditional %true %inside %end\n%inside = OpLabel\nOpBranch %go\n"
                 "%go = OpLabel\nOpBranch %head\n%end = OpLabel\n";
  RunOptions options;
  options.maxInstructions = 1000;
  Outcome outcome = runCase(makeCase(snippet), options);
  EXPECT_EQ(outcome.kind, OutcomeKind::Timeout);
  EXPECT_NE(outcome.reason.find("invocation (0, 0, 0)"), std::string::npos) << outcome.reason;
}

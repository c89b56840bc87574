// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One row per operation: operands, the instruction, and the result worked out by hand.
#include "oracles/machine/spirv/AssembledCase.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::reference::testing;

namespace {
struct IntRow {
  const char *op; ///< "OpIAdd %uint %a %b": result type, then operands %a %b %c (or %ia ...).
  std::vector<uint32_t> in;
  uint32_t expected;
};
class IntOps : public ::testing::TestWithParam<IntRow> {};
} // namespace

TEST_P(IntOps, GiveTheValue) {
  Snippet snippet;
  snippet.in = GetParam().in;
  std::string op = GetParam().op;
  bool isBool = op.find("%bool") != std::string::npos;
  snippet.body = "%r = " + op + "\n" +
                 (isBool ? "%ru = OpSelect %uint %r %u_1 %u_0\n" : "%ru = OpBitcast %uint %r\n") +
                 storeUint("%ru", "%u_0");
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome);
  EXPECT_EQ(word(state, 0), GetParam().expected) << op;
  EXPECT_TRUE(state.indeterminate.empty()) << op;
}

static const uint32_t minusSeven = 0xfffffff9u;
static std::vector<IntRow> intRows() {
  return {
      {"OpIAdd %uint %a %b", {0xffffffff, 3}, 2},
      {"OpISub %uint %a %b", {1, 3}, 0xfffffffe},
      {"OpIMul %uint %a %b", {0x10001, 0x10001}, 0x20001},
      {"OpSNegate %int %ia", {5}, 0xfffffffb},
      {"OpUDiv %uint %a %b", {0xfffffff9, 2}, 0x7ffffffc},
      {"OpSDiv %int %ia %ib", {minusSeven, 2}, 0xfffffffd},
      {"OpUMod %uint %a %b", {17, 5}, 2},
      {"OpSRem %int %ia %ib", {7, 3}, 1},
      {"OpSMod %int %ia %ib", {8, 3}, 2},
      {"OpShiftLeftLogical %uint %a %b", {3, 31}, 0x80000000},
      {"OpShiftRightLogical %uint %a %b", {0x80000000, 31}, 1},
      {"OpShiftRightArithmetic %int %ia %b", {0x80000000, 31}, 0xffffffff},
      {"OpBitwiseAnd %uint %a %b", {12, 10}, 8},
      {"OpBitwiseOr %uint %a %b", {12, 10}, 14},
      {"OpBitwiseXor %uint %a %b", {12, 10}, 6},
      {"OpNot %uint %a", {0}, 0xffffffff},
      {"OpBitCount %uint %a", {0xf0f0f0f0}, 16},
      {"OpBitReverse %uint %a", {1}, 0x80000000},
      {"OpBitFieldInsert %uint %a %b %c %d", {0xffffffff, 0, 4, 8}, 0xfffff00f},
      {"OpBitFieldInsert %uint %a %b %c %d", {5, 7, 0, 32}, 7},
      {"OpBitFieldInsert %uint %a %b %c %d", {5, 7, 32, 0}, 5},
      {"OpBitFieldUExtract %uint %a %b %c", {0x12345678, 8, 8}, 0x56},
      {"OpBitFieldSExtract %int %ia %b %c", {0x0000f000, 12, 4}, 0xffffffff},
      {"OpBitFieldUExtract %uint %a %b %c", {5, 32, 0}, 0},
      {"OpIEqual %bool %a %b", {3, 3}, 1},
      {"OpINotEqual %bool %a %b", {3, 3}, 0},
      {"OpUGreaterThan %bool %a %b", {0xffffffff, 1}, 1},
      {"OpSGreaterThan %bool %ia %ib", {0xffffffff, 1}, 0},
      {"OpUGreaterThanEqual %bool %a %b", {1, 1}, 1},
      {"OpSGreaterThanEqual %bool %ia %ib", {0xffffffff, 0}, 0},
      {"OpULessThan %bool %a %b", {0xffffffff, 1}, 0},
      {"OpSLessThan %bool %ia %ib", {0xffffffff, 1}, 1},
      {"OpULessThanEqual %bool %a %b", {2, 1}, 0},
      {"OpSLessThanEqual %bool %ia %ib", {0x80000000, 0x7fffffff}, 1},
      {"OpSelect %uint %true %a %b", {4, 5}, 4},
      {"OpSelect %uint %false %a %b", {4, 5}, 5},
      {"OpLogicalAnd %bool %true %false", {}, 0},
      {"OpLogicalOr %bool %true %false", {}, 1},
      {"OpLogicalNot %bool %false", {}, 1},
      {"OpLogicalEqual %bool %true %false", {}, 0},
      {"OpLogicalNotEqual %bool %true %false", {}, 1},
      {"OpCopyObject %uint %a", {77}, 77},
      {"OpExtInst %int %glsl SAbs %ia", {minusSeven}, 7},
      {"OpExtInst %int %glsl SSign %ia", {minusSeven}, 0xffffffff},
      {"OpExtInst %int %glsl SMin %ia %ib", {minusSeven, 2}, minusSeven},
      {"OpExtInst %uint %glsl UMin %a %b", {minusSeven, 2}, 2},
      {"OpExtInst %int %glsl SMax %ia %ib", {minusSeven, 2}, 2},
      {"OpExtInst %uint %glsl UMax %a %b", {minusSeven, 2}, minusSeven},
      {"OpExtInst %int %glsl SClamp %ia %ib %ic", {minusSeven, 0xfffffffe, 9}, 0xfffffffe},
      {"OpExtInst %uint %glsl UClamp %a %b %c", {minusSeven, 2, 9}, 9},
      {"OpExtInst %uint %glsl FindILsb %a", {0x50}, 4},
      {"OpExtInst %uint %glsl FindILsb %a", {0}, 0xffffffff},
      {"OpExtInst %int %glsl FindSMsb %ia", {0xfffffff0}, 3},
      {"OpExtInst %uint %glsl FindUMsb %a", {0x50}, 6},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, IntOps, ::testing::ValuesIn(intRows()));

namespace {
struct FloatRow {
  const char *op; ///< With operands %fa %fb %fc, or %a ...
  std::vector<float> in;
  float expected;
  double tolerance =
      0; ///< 0: exact. Else the interval holds expected and is no wider than twice this.
  std::vector<uint32_t> uin = {}; // NOLINT(readability-redundant-member-init): rows may end early.
};
class FloatOps : public ::testing::TestWithParam<FloatRow> {};
} // namespace

TEST_P(FloatOps, GiveTheInterval) {
  const FloatRow &row = GetParam();
  Snippet snippet;
  snippet.fin = row.in;
  snippet.in = row.uin;
  snippet.body = std::string("%r = ") + row.op + "\n" + storeFloat("%r", "%u_0");
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome, 3);
  EXPECT_TRUE(state.indeterminate.empty()) << row.op;
  auto interval = state.intervals.find(0);
  if (row.tolerance == 0) {
    EXPECT_EQ(bit_cast<float>(word(state, 0)), row.expected) << row.op;
    if (interval != state.intervals.end()) {
      EXPECT_EQ(interval->second.lo, interval->second.hi) << row.op;
    }
    return;
  }
  ASSERT_NE(interval, state.intervals.end()) << row.op;
  EXPECT_LE(interval->second.lo, row.expected) << row.op;
  EXPECT_GE(interval->second.hi, row.expected) << row.op;
  EXPECT_LE(interval->second.hi - interval->second.lo, 2 * row.tolerance) << row.op;
  EXPECT_GE(interval->second.hi - interval->second.lo, 0.1 * row.tolerance) << row.op;
  EXPECT_FALSE(interval->second.mayBeNan) << row.op;
}

static std::vector<FloatRow> floatRows() {
  return {
      {"OpFAdd %float %fa %fb", {1.5f, 2.25f}, 3.75f},
      {"OpFAdd %float %fa %fb", {1.0f, 0x1p-24f}, 1.0f}, // Ties to even.
      {"OpFAdd %float %fa %fb", {1.0f, 0x1.8p-24f}, 0x1.000002p0f},
      {"OpFSub %float %fa %fb", {1.5f, 2.25f}, -0.75f},
      {"OpFMul %float %fa %fb", {1.5f, 2.25f}, 3.375f},
      {"OpFMul %float %fa %fb", {0x1.000002p0f, 0x1.000002p0f}, 0x1.000004p0f},
      {"OpFNegate %float %fa", {1.5f}, -1.5f},
      {"OpFDiv %float %fa %fb", {6.0f, 3.0f}, 2.0f, 3 * 0x1p-22},
      {"OpFRem %float %fa %fb", {-7.5f, 2.0f}, -1.5f},
      {"OpFMod %float %fa %fb", {-7.5f, 2.0f}, 0.5f},
      {"OpFMod %float %fa %fb", {6.0f, 3.0f}, 0.0f, 1.5}, // 6/3 may fall below 2.
      {"OpConvertSToF %float %ia", {}, -7.0f, 0, {minusSeven}},
      {"OpConvertUToF %float %a", {}, 16777220.0f, 0, {16777219}},
      {"OpQuantizeToF16 %float %fa", {2049.0f}, 2048.0f, 1},
      {"OpQuantizeToF16 %float %fa", {0.5f}, 0.5f},
      {"OpBitcast %float %a", {}, 1.0f, 0, {0x3f800000}},
      {"OpExtInst %float %glsl RoundEven %fa", {2.5f}, 2.0f},
      {"OpExtInst %float %glsl Round %fa", {2.25f}, 2.0f},
      {"OpExtInst %float %glsl Round %fa", {2.5f}, 3.0f, 0.5},
      {"OpExtInst %float %glsl Trunc %fa", {-2.75f}, -2.0f},
      {"OpExtInst %float %glsl FAbs %fa", {-2.75f}, 2.75f},
      {"OpExtInst %float %glsl FSign %fa", {-2.75f}, -1.0f},
      {"OpExtInst %float %glsl Floor %fa", {-2.75f}, -3.0f},
      {"OpExtInst %float %glsl Ceil %fa", {-2.75f}, -2.0f},
      {"OpExtInst %float %glsl Fract %fa", {-2.75f}, 0.25f},
      {"OpExtInst %float %glsl Radians %fa", {180.0f}, 3.14159274f, 1e-6},
      {"OpExtInst %float %glsl Sin %fa", {1.0f}, 0.841470985f, 0x1.01p-11},
      {"OpExtInst %float %glsl Cos %fa", {1.0f}, 0.540302306f, 0x1.01p-11},
      {"OpExtInst %float %glsl Cos %fa", {0.0f}, 1.0f, 0x1.01p-11},
      {"OpExtInst %float %glsl Tan %fa", {1.0f}, 1.55740772f, 0.01},
      {"OpExtInst %float %glsl Asin %fa", {0.5f}, 0.52359878f, 0.001},
      {"OpExtInst %float %glsl Acos %fa", {0.5f}, 1.04719755f, 0.001},
      {"OpExtInst %float %glsl Atan %fa", {1.0f}, 0.785398163f, 4097 * 0x1p-24},
      {"OpExtInst %float %glsl Sinh %fa", {1.0f}, 1.17520119f, 1e-5},
      {"OpExtInst %float %glsl Cosh %fa", {1.0f}, 1.54308063f, 1e-5},
      {"OpExtInst %float %glsl Tanh %fa", {1.0f}, 0.761594156f, 1e-5},
      {"OpExtInst %float %glsl Asinh %fa", {1.0f}, 0.881373587f, 3e-6},
      {"OpExtInst %float %glsl Acosh %fa", {2.0f}, 1.31695790f, 3e-6},
      {"OpExtInst %float %glsl Atanh %fa", {0.5f}, 0.549306144f, 3e-6},
      {"OpExtInst %float %glsl Atan2 %fa %fb", {1.0f, -1.0f}, 2.35619449f, 4097 * 0x1p-22},
      {"OpExtInst %float %glsl Pow %fa %fb", {2.0f, 3.0f}, 8.0f, 1e-4},
      {"OpExtInst %float %glsl Exp %fa", {1.0f}, 2.71828183f, 6 * 0x1p-22},
      {"OpExtInst %float %glsl Log %fa", {10.0f}, 2.30258509f, 4 * 0x1p-22},
      {"OpExtInst %float %glsl Log %fa", {1.0f}, 0.0f, 0x1.01p-21},
      {"OpExtInst %float %glsl Exp2 %fa", {3.0f}, 8.0f, 10 * 0x1p-20},
      {"OpExtInst %float %glsl Log2 %fa", {8.0f}, 3.0f, 4 * 0x1p-22},
      {"OpExtInst %float %glsl Sqrt %fa", {2.0f}, 1.41421356f, 6 * 0x1p-23},
      {"OpExtInst %float %glsl Sqrt %fa", {0.0f}, 0.0f},
      {"OpExtInst %float %glsl InverseSqrt %fa", {4.0f}, 0.5f, 3 * 0x1p-24},
      {"OpExtInst %float %glsl FMin %fa %fb", {1.0f, -2.0f}, -2.0f},
      {"OpExtInst %float %glsl FMax %fa %fb", {1.0f, -2.0f}, 1.0f},
      {"OpExtInst %float %glsl FClamp %fa %fb %fc", {5.0f, 0.0f, 1.0f}, 1.0f},
      {"OpExtInst %float %glsl NMin %fa %fb", {1.0f, -2.0f}, -2.0f},
      {"OpExtInst %float %glsl NMax %fa %fb", {1.0f, -2.0f}, 1.0f},
      {"OpExtInst %float %glsl NClamp %fa %fb %fc", {-5.0f, 0.0f, 1.0f}, 0.0f},
      {"OpExtInst %float %glsl FMix %fa %fb %fc", {2.0f, 4.0f, 0.5f}, 3.0f},
      {"OpExtInst %float %glsl Step %fa %fb", {2.0f, 4.0f}, 1.0f},
      {"OpExtInst %float %glsl SmoothStep %fa %fb %fc", {0.0f, 2.0f, 1.0f}, 0.5f, 1e-6},
      {"OpExtInst %float %glsl Fma %fa %fb %fc", {2.0f, 3.0f, 1.0f}, 7.0f},
      {"OpExtInst %float %glsl Ldexp %fa %ia", {1.5f}, 6.0f, 0, {2}},
      {"OpExtInst %float %glsl Length %fa", {-3.0f}, 3.0f, 1e-5},
      {"OpExtInst %float %glsl Distance %fa %fb", {1.0f, 4.0f}, 3.0f, 1e-5},
      {"OpSelect %float %true %fa %fb", {1.0f, 2.0f}, 1.0f},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, FloatOps, ::testing::ValuesIn(floatRows()));

namespace {
struct CompareRow {
  const char *op;
  float a, b;
  bool expected;
};
class FloatComparisons : public ::testing::TestWithParam<CompareRow> {};
} // namespace

TEST_P(FloatComparisons, GiveTheAnswer) {
  const CompareRow &row = GetParam();
  Snippet snippet;
  snippet.fin = {row.a, row.b};
  std::string op = row.op;
  bool isUnary = op == "OpIsNan" || op == "OpIsInf";
  snippet.body = "%r = " + op + " %bool %fa" + (isUnary ? "" : " %fb") +
                 "\n%ru = OpSelect %uint %r %u_1 %u_2\n" + storeUint("%ru", "%u_0");
  Outcome outcome = run(snippet);
  EXPECT_EQ(word(finalState(outcome), 0), row.expected ? 1u : 2u) << op;
}

static const float notANumber = bit_cast<float>(0x7fc00000u);
static const float infinity = bit_cast<float>(0x7f800000u);
static std::vector<CompareRow> compareRows() {
  return {
      {"OpFOrdEqual", 1, 1, true},
      {"OpFOrdEqual", notANumber, notANumber, false},
      {"OpFUnordEqual", 1, 2, false},
      {"OpFUnordEqual", notANumber, 1, true},
      {"OpFOrdNotEqual", 1, 2, true},
      {"OpFOrdNotEqual", notANumber, 2, false},
      {"OpFUnordNotEqual", 1, 1, false},
      {"OpFUnordNotEqual", notANumber, 1, true},
      {"OpFOrdLessThan", 1, 2, true},
      {"OpFOrdLessThan", 2, 2, false},
      {"OpFUnordLessThan", notANumber, 2, true},
      {"OpFOrdGreaterThan", 3, 2, true},
      {"OpFUnordGreaterThan", 1, 2, false},
      {"OpFOrdLessThanEqual", 2, 2, true},
      {"OpFUnordLessThanEqual", 3, 2, false},
      {"OpFOrdGreaterThanEqual", 2, 2, true},
      {"OpFUnordGreaterThanEqual", notANumber, 2, true},
      {"OpIsNan", notANumber, 0, true},
      {"OpIsNan", 1, 0, false},
      {"OpIsInf", infinity, 0, true},
      {"OpIsInf", -infinity, 0, true},
      {"OpIsInf", 1, 0, false},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, FloatComparisons, ::testing::ValuesIn(compareRows()));

namespace {
struct BodyRow {
  const char *name;
  const char *body; ///< Leaves its results in %r0 ... as uint.
  std::vector<uint32_t> expected;
  std::vector<uint32_t> in = {}; // NOLINT(readability-redundant-member-init)
  std::vector<float> fin = {};   // NOLINT(readability-redundant-member-init)
};
class Bodies : public ::testing::TestWithParam<BodyRow> {};
} // namespace

TEST_P(Bodies, GiveTheValues) {
  const BodyRow &row = GetParam();
  Snippet snippet;
  snippet.in = row.in;
  snippet.fin = row.fin;
  snippet.capabilities = "OpCapability Int64\nOpCapability Int16\nOpCapability DotProduct\n"
                         "OpCapability DotProductInput4x8BitPacked\n"
                         "OpCapability DotProductInputAll\n";
  snippet.globals = "%ulong = OpTypeInt 64 0\n%ushort = OpTypeInt 16 0\n"
                    "%l3 = OpConstant %ulong 3\n%pair = OpTypeStruct %uint %uint\n%ipair = "
                    "OpTypeStruct %int %int\n"
                    "%fpair = OpTypeStruct %float %float\n%fipair = OpTypeStruct %float %int\n"
                    "%pf_int = OpTypePointer Function %int\n";
  snippet.locals = "%i = OpVariable %pf_float Function\n%e = OpVariable %pf_int Function\n";
  snippet.body = row.body;
  for (size_t i = 0; i < row.expected.size(); ++i)
    snippet.body += storeUint("%r" + std::to_string(i), "%u_" + std::to_string(i));
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome);
  for (size_t i = 0; i < row.expected.size(); ++i)
    EXPECT_EQ(word(state, i), row.expected[i]) << row.name << " " << i;
  EXPECT_TRUE(state.indeterminate.empty()) << row.name;
}

static std::vector<BodyRow> bodyRows() {
  return {
      {"64-bit integers",
       "%ab = OpCompositeConstruct %uvec2 %a %b\n%l = OpBitcast %ulong %ab\n"
       "%m = OpIMul %ulong %l %l\n%n = OpSDiv %ulong %m %l3\n%mv = OpBitcast %uvec2 %n\n"
       "%r0 = OpCompositeExtract %uint %mv 0\n%r1 = OpCompositeExtract %uint %mv 1\n"
       "%s = OpShiftRightArithmetic %ulong %m %u_33\n%r2 = OpUConvert %uint %s\n"
       "%k = OpConvertUToF %float %l\n%r3 = OpBitcast %uint %k\n",
       // (2^32 + 3)^2 mod 2^64 = 6 * 2^32 + 9.
       {3, 2, 3, 0x4f800000},
       {3, 1}},
      {"16-bit integers",
       "%h = OpUConvert %ushort %a\n%g = OpIAdd %ushort %h %h\n%r0 = OpUConvert %uint %g\n"
       "%sx = OpSConvert %int %h\n%r1 = OpBitcast %uint %sx\n"
       "%sh = OpShiftRightArithmetic %ushort %h %u_4\n%r2 = OpUConvert %uint %sh\n"
       "%rv = OpBitReverse %uint %a\n%r3 = OpCopyObject %uint %rv\n",
       {0x2000, 0xffff9000, 0xf900, 0x00094000},
       {0x29000}},
      {"dot products of packed bytes",
       "%r0 = OpUDot %uint %a %b PackedVectorFormat4x8Bit\n"
       "%s = OpSDot %int %a %b PackedVectorFormat4x8Bit\n%r1 = OpBitcast %uint %s\n"
       "%t = OpSUDot %int %a %b PackedVectorFormat4x8Bit\n%r2 = OpBitcast %uint %t\n"
       "%r3 = OpUDotAccSat %uint %a %b %c PackedVectorFormat4x8Bit\n"
       "%u = OpSDotAccSat %int %a %b %ic PackedVectorFormat4x8Bit\n%r4 = OpBitcast %uint %u\n",
       // (1, 2, 3, -1 or 255) times (4, 5, 6, 2 or -128/128).
       {32 + 255 * 128, 32 + 128, uint32_t(32 - 128), 0xffffffff, 32 + 128 - 1},
       {0xff030201, 0x80060504, 0xffffffff}},
      {"dot products of vectors",
       "%v = OpCompositeConstruct %ivec2 %ia %ib\n%w = OpCompositeConstruct %ivec2 %ib %ia\n"
       "%s = OpSDot %int %v %w\n%r0 = OpBitcast %uint %s\n"
       "%t = OpSDotAccSat %int %v %w %ic\n%r1 = OpBitcast %uint %t\n",
       {uint32_t(-12), 0x80000000},
       {3, 0xfffffffe, 0x80000003}},
      {"signs of parts",
       "%st = OpExtInst %fpair %glsl ModfStruct %fa\n%fr = OpCompositeExtract %float %st 0\n"
       "%c = OpFOrdEqual %bool %fr %f_0\n%r0 = OpSelect %uint %c %u_1 %u_0\n",
       {1},
       {},
       {-3.0f}},
      {"IAddCarry",
       "%s = OpIAddCarry %pair %a %b\n%r0 = OpCompositeExtract %uint %s 0\n"
       "%r1 = OpCompositeExtract %uint %s 1\n",
       {1, 1},
       {0xffffffff, 2}},
      {"ISubBorrow",
       "%s = OpISubBorrow %pair %a %b\n%r0 = OpCompositeExtract %uint %s 0\n"
       "%r1 = OpCompositeExtract %uint %s 1\n",
       {0xffffffff, 1},
       {2, 3}},
      {"UMulExtended",
       "%s = OpUMulExtended %pair %a %b\n%r0 = OpCompositeExtract %uint %s 0\n"
       "%r1 = OpCompositeExtract %uint %s 1\n",
       {0xfffffffe, 1},
       {0xffffffff, 2}},
      {"SMulExtended",
       "%s = OpSMulExtended %pair %a %b\n%r0 = OpCompositeExtract %uint %s 0\n"
       "%r1 = OpCompositeExtract %uint %s 1\n",
       {0xfffffffe, 0xffffffff},
       {0xffffffff, 2}},
      {"FToS and FToU",
       "%s = OpConvertFToS %int %fa\n%r0 = OpBitcast %uint %s\n%r1 = OpConvertFToU %uint %fb\n",
       {0xfffffffe, 4000000000u},
       {},
       {-2.75f, 4e9f}},
      {"Vectors",
       "%v = OpCompositeConstruct %uvec3 %a %b %c\n%w = OpVectorShuffle %uvec4 %v %v 2 1 3 5\n"
       "%x = OpCompositeInsert %uvec4 %u_9 %w 1\n%r0 = OpCompositeExtract %uint %x 0\n"
       "%r1 = OpCompositeExtract %uint %x 1\n%r2 = OpVectorExtractDynamic %uint %x %u_2\n"
       "%y = OpVectorInsertDynamic %uvec4 %x %u_8 %u_3\n%r3 = OpCompositeExtract %uint %y 3\n",
       {3, 9, 1, 8},
       {1, 2, 3}},
      {"Any and all",
       "%v = OpCompositeConstruct %bvec2 %true %false\n%any = OpAny %bool %v\n%all = OpAll %bool "
       "%v\n"
       "%r0 = OpSelect %uint %any %u_1 %u_0\n%r1 = OpSelect %uint %all %u_1 %u_0\n",
       {1, 0}},
      {"Select by component",
       "%v = OpCompositeConstruct %bvec2 %true %false\n%x = OpCompositeConstruct %uvec2 %a %a\n"
       "%y = OpCompositeConstruct %uvec2 %b %b\n%s = OpSelect %uvec2 %v %x %y\n"
       "%r0 = OpCompositeExtract %uint %s 0\n%r1 = OpCompositeExtract %uint %s 1\n",
       {4, 5},
       {4, 5}},
      {"Packing",
       "%v = OpCompositeConstruct %fvec4 %f_1 %f_0 %f_0 %fa\n%r0 = OpExtInst %uint %glsl "
       "PackUnorm4x8 %v\n%r1 = OpExtInst %uint %glsl PackSnorm4x8 %v\n"
       "%h = OpCompositeConstruct %fvec2 %f_1 %fa\n%r2 = OpExtInst %uint %glsl PackHalf2x16 %h\n"
       "%r3 = OpExtInst %uint %glsl PackUnorm2x16 %h\n%r4 = OpExtInst %uint %glsl PackSnorm2x16 "
       "%h\n",
       {0x000000ff, 0x8100007f, 0xc0003c00, 0x0000ffff, 0x80017fff},
       {},
       {-2.0f}},
      {"Unpacking halves",
       "%v = OpExtInst %fvec2 %glsl UnpackHalf2x16 %a\n%x = OpCompositeExtract %float %v 0\n"
       "%y = OpCompositeExtract %float %v 1\n%r0 = OpBitcast %uint %x\n%r1 = OpBitcast %uint %y\n",
       {0x3f800000, 0xc0000000},
       {0xc0003c00}},
      {"Modf and frexp",
       "%fr = OpExtInst %float %glsl Modf %fa %i\n%w = OpLoad %float %i\n"
       "%r0 = OpBitcast %uint %fr\n%r1 = OpBitcast %uint %w\n"
       "%sg = OpExtInst %float %glsl Frexp %fa %e\n%ev = OpLoad %int %e\n"
       "%r2 = OpBitcast %uint %sg\n%r3 = OpBitcast %uint %ev\n"
       "%st = OpExtInst %fpair %glsl ModfStruct %fa\n%sw = OpCompositeExtract %float %st 1\n"
       "%r4 = OpBitcast %uint %sw\n"
       "%fs = OpExtInst %fipair %glsl FrexpStruct %fa\n%fe = OpCompositeExtract %int %fs 1\n"
       "%r5 = OpBitcast %uint %fe\n",
       {0x3f400000, 0x40400000, 0x3f700000, 2, 0x40400000, 2},
       {},
       {3.75f}},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, Bodies, ::testing::ValuesIn(bodyRows()));

namespace {
struct MatrixRow {
  const char *name;
  const char *body; ///< Leaves floats in %r0 ...; %m = mat2((1,2),(3,4)), %v = (5,6), %w = (1,2,3).
  std::vector<float> expected;
  double tolerance = 0;
};
class Matrices : public ::testing::TestWithParam<MatrixRow> {};
} // namespace

TEST_P(Matrices, GiveTheValues) {
  const MatrixRow &row = GetParam();
  Snippet snippet;
  snippet.fin = {1, 2, 3, 4, 5, 6};
  snippet.globals = "%tiny = OpConstant %float 0x1.00001p+0\n";
  snippet.body = "%c0 = OpCompositeConstruct %fvec2 %fa %fb\n"
                 "%c1 = OpCompositeConstruct %fvec2 %fc %fd\n"
                 "%m = OpCompositeConstruct %mat2 %c0 %c1\n"
                 "%v = OpCompositeConstruct %fvec2 %fe %ff\n"
                 "%w = OpCompositeConstruct %fvec3 %fa %fb %fc\n";
  snippet.body += row.body;
  for (size_t i = 0; i < row.expected.size(); ++i)
    snippet.body += storeFloat("%r" + std::to_string(i), "%u_" + std::to_string(i));
  Outcome outcome = run(snippet);
  const BufferState &state = finalState(outcome, 3);
  for (size_t i = 0; i < row.expected.size(); ++i) {
    auto interval = state.intervals.find(i * 4);
    if (row.tolerance != 0 && interval != state.intervals.end()) {
      EXPECT_LE(interval->second.lo, row.expected[i]) << row.name << " " << i;
      EXPECT_GE(interval->second.hi, row.expected[i]) << row.name << " " << i;
      EXPECT_LE(interval->second.hi - interval->second.lo, 2 * row.tolerance) << row.name;
    } else {
      EXPECT_EQ(bit_cast<float>(word(state, i)), row.expected[i]) << row.name << " " << i;
      EXPECT_EQ(interval, state.intervals.end()) << row.name;
    }
  }
}

#define EXTRACT2(V)                                                                                \
  "%r0 = OpCompositeExtract %float " V " 0\n%r1 = OpCompositeExtract %float " V " 1\n"
#define EXTRACT_MATRIX(M)                                                                          \
  "%r0 = OpCompositeExtract %float " M " 0 0\n%r1 = OpCompositeExtract %float " M " 0 1\n"         \
  "%r2 = OpCompositeExtract %float " M " 1 0\n%r3 = OpCompositeExtract %float " M " 1 1\n"
static std::vector<MatrixRow> matrixRows() {
  return {
      {"Dot", "%r0 = OpDot %float %v %v\n", {61}},
      {"VectorTimesScalar", "%x = OpVectorTimesScalar %fvec2 %v %fb\n" EXTRACT2("%x"), {10, 12}},
      {"MatrixTimesVector", "%x = OpMatrixTimesVector %fvec2 %m %v\n" EXTRACT2("%x"), {23, 34}},
      {"VectorTimesMatrix", "%x = OpVectorTimesMatrix %fvec2 %v %m\n" EXTRACT2("%x"), {17, 39}},
      {"MatrixTimesMatrix",
       "%x = OpMatrixTimesMatrix %mat2 %m %m\n" EXTRACT_MATRIX("%x"),
       {7, 10, 15, 22}},
      {"MatrixTimesScalar",
       "%x = OpMatrixTimesScalar %mat2 %m %fb\n" EXTRACT_MATRIX("%x"),
       {2, 4, 6, 8}},
      {"OuterProduct", "%x = OpOuterProduct %mat2 %v %c0\n" EXTRACT_MATRIX("%x"), {5, 6, 10, 12}},
      {"Transpose", "%x = OpTranspose %mat2 %m\n" EXTRACT_MATRIX("%x"), {1, 3, 2, 4}},
      {"Determinant", "%r0 = OpExtInst %float %glsl Determinant %m\n", {-2}},
      {"Determinant of three columns",
       "%k0 = OpCompositeConstruct %fvec3 %fa %fb %fc\n%k1 = OpCompositeConstruct %fvec3 %fd %fe "
       "%ff\n%k2 = OpCompositeConstruct %fvec3 %fb %fa %fd\n"
       "%k = OpCompositeConstruct %mat3 %k0 %k1 %k2\n"
       "%r0 = OpExtInst %float %glsl Determinant %k\n"
       "%h0 = OpVectorTimesScalar %fvec3 %k0 %tiny\n%h = OpCompositeConstruct %mat3 %h0 %k1 %k2\n"
       "%r1 = OpExtInst %float %glsl Determinant %h\n",
       // 1*(20-6) - 2*(16-12) + 3*(4-10); the same times 1 + 2^-20, where roundings may differ.
       {-12, -12 * (1 + 0x1p-20f)},
       1e-4},
      {"MatrixInverse",
       "%x = OpExtInst %mat2 %glsl MatrixInverse %m\n" EXTRACT_MATRIX("%x"),
       {-2, 1, 1.5f, -0.5f},
       1e-5},
      {"Cross",
       "%y = OpCompositeConstruct %fvec3 %ff %fe %fd\n%x = OpExtInst %fvec3 %glsl Cross %w %y\n%r0 "
       "= "
       "OpCompositeExtract %float %x 0\n"
       "%r1 = OpCompositeExtract %float %x 1\n%r2 = OpCompositeExtract %float %x 2\n",
       {-7, 14, -7}},
      {"Length", "%r0 = OpExtInst %float %glsl Length %c1\n", {5}, 1e-5},
      {"Normalize",
       "%x = OpExtInst %fvec2 %glsl Normalize %c1\n" EXTRACT2("%x"),
       {0.6f, 0.8f},
       1e-5},
      {"FaceForward",
       "%x = OpExtInst %fvec2 %glsl FaceForward %v %v %v\n" EXTRACT2("%x"),
       {-5, -6}},
      {"Reflect", "%x = OpExtInst %fvec2 %glsl Reflect %c0 %c1\n" EXTRACT2("%x"), {-65, -86}},
      {"Refract",
       "%n = OpCompositeConstruct %fvec2 %f_0 %f_1\n%d = OpFNegate %fvec2 %n\n"
       "%x = OpExtInst %fvec2 %glsl Refract %d %n %f_1\n" EXTRACT2("%x"),
       {0, -1},
       1e-5},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, Matrices, ::testing::ValuesIn(matrixRows()));

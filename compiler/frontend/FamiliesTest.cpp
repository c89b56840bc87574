// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One small shader per group of opcodes, and what its IR must hold. A last test sees to it that no
// row of any table goes untested.

#include "compiler/frontend/ExtInst.h"
#include "compiler/frontend/TestShaders.h"
#include "compiler/frontend/Translator.h"

using namespace llvm;
using namespace assay;

namespace {

struct FamilyCase {
  const char *name;
  const char *body;
  std::vector<const char *> wanted; ///< In this order.
  const char *globals = "";
  const char *functions = "";
};

void PrintTo(const FamilyCase &test, std::ostream *os) {
  *os << test.name;
}

const FamilyCase Cases[] = {
    {"Integers",
     R"(
%r1 = OpIAdd %uint %u %u2
%r2 = OpISub %v4uint %uv4 %uv4b
%r3 = OpIMul %uint %u %u2
%r4 = OpUDiv %uint %u %u2
%r5 = OpSDiv %int %i %i2
%r6 = OpUMod %uint %u %u2
%r7 = OpSRem %int %i %i2
%r8 = OpSMod %int %i %i2
%r9 = OpSNegate %int %i
%r10 = OpIAddCarry %UintPair %u %u2
%r11 = OpISubBorrow %UintPair %u %u2
%r12 = OpUMulExtended %UintPair %u %u2
%r13 = OpSMulExtended %IntPair %i %i2)",
     {"add i32", "sub <4 x i32>", "mul i32", "udiv i32", "sdiv i32", "urem i32", "srem i32", "smod",
      "sub i32 0", "icmp ult i32", "icmp ult i32", "zext i32", "mul i64", "lshr i64", "sext i32"}},
    {"Integers of other widths",
     R"(
%a8 = OpUConvert %uchar %u
%a16 = OpSConvert %short %i
%a64 = OpSConvert %long %i
%r1 = OpIAdd %uchar %a8 %c8
%r2 = OpSMod %short %a16 %c16
%r3 = OpSMulExtended %LongPair %a64 %c64
%r4 = OpShiftLeftLogical %long %a64 %u
%r5 = OpBitCount %int %i
%r6 = OpULessThan %bool %a8 %c8
%r7 = OpBitcast %v2uint %a64
%r8 = OpConvertSToF %double %a64
%r9 = OpConvertFToU %uchar %f
%r10 = OpExtInst %long %glsl SMax %a64 %c64
OpSelectionMerge %after None
OpSwitch %a64 %after 5000000000 %hit -1 %hit
%hit = OpLabel
OpBranch %after
%after = OpLabel)",
     {"trunc i32",
      "to i8",
      "sext i32",
      "to i64",
      "add i8",
      ", -56",
      "lgc.smod.i16",
      "mul i128",
      "lshr i128",
      ", 64",
      "zext i32",
      "and i64",
      ", 63",
      "shl i64",
      "call i32 @llvm.ctpop",
      "icmp ult i8",
      "to <2 x i32>",
      "sitofp i64",
      "to i8",
      "freeze i8",
      "smax.i64",
      "i64 5000000000, label",
      "i64 -1, label"},
     R"(
%uchar = OpTypeInt 8 0
%short = OpTypeInt 16 1
%long = OpTypeInt 64 1
%double = OpTypeFloat 64
%LongPair = OpTypeStruct %long %long
%c8 = OpConstant %uchar 200
%c16 = OpConstant %short -3
%c64 = OpConstant %long -5000000000
)"},
    {"Floats of other widths",
     R"(
%h = OpFConvert %half %f
%d = OpFConvert %double %f
%r1 = OpFAdd %half %h %ch
%r2 = OpFDiv %double %d %cd
%r3 = OpExtInst %half %glsl Exp2 %h
%r4 = OpExtInst %double %glsl InverseSqrt %d
%r5 = OpExtInst %double %glsl NMin %d %cd
%r6 = OpExtInst %half %glsl NMin %h %ch
%r7 = OpExtInst %double %glsl Sqrt %d
%r8 = OpExtInst %v2uint %glsl UnpackDouble2x32 %d
%r9 = OpExtInst %double %glsl PackDouble2x32 %r8
%r10 = OpCompositeConstruct %v2double %d %d
%r11 = OpCompositeConstruct %dmat2 %r10 %r10
%r12 = OpMatrixTimesVector %v2double %r11 %r10
%r13 = OpExtInst %double %glsl Determinant %r11
%r14 = OpTranspose %dmat2 %r11)",
     {"fptrunc contract float", "to half", "fpext contract float", "to double",
      "fadd contract half", "0xH3E00", "lgc.fdiv.f64", "fpext contract half", "lgc.exp2.f32",
      "fptrunc", "to half", "lgc.inverse.sqrt.f64", "minnum.f64", "minimumnum.f16", "sqrt.f64",
      "bitcast double", "to <2 x i32>", "bitcast <2 x i32>", "fmul contract <2 x double>"},
     R"(
%half = OpTypeFloat 16
%double = OpTypeFloat 64
%v2double = OpTypeVector %double 2
%dmat2 = OpTypeMatrix %v2double 2
%ch = OpConstant %half 1.5
%cd = OpConstant %double 3
)"},
    {"Dot products of integers",
     R"(
%r1 = OpSDot %int %u %u2 PackedVectorFormat4x8Bit
%r2 = OpUDot %uint %uv4 %uv4b
%r3 = OpSUDot %int %u %u2 PackedVectorFormat4x8Bit
%r4 = OpSDotAccSat %int %u %u2 %i PackedVectorFormat4x8Bit
%r5 = OpUDotAccSat %uint %u %u2 %u PackedVectorFormat4x8Bit
%r6 = OpSUDotAccSat %int %u %u2 %i PackedVectorFormat4x8Bit)",
     {"bitcast i32", "to <4 x i8>", "sext <4 x i8>", "mul <4 x i32>", "add i32", "mul <4 x i32>",
      "sext <4 x i8>", "zext <4 x i8>", "sadd.sat.i32", "uadd.sat.i32", "sadd.sat.i32"}},
    {"Hints",
     R"(
%r1 = OpExpectKHR %uint %u %u7
%r2 = OpExpectKHR %v4uint %uv4 %uv4b
OpAssumeTrueKHR %b)",
     {"call i32 @llvm.expect.i32", "call void @llvm.assume"}},
    {"Floats",
     R"(
%r1 = OpFAdd %float %f %f2
%r2 = OpFSub %v4float %v4 %v4b
%r3 = OpFMul %float %f %f2
%r4 = OpFDiv %float %f %f2
%r5 = OpFRem %float %f %f2
%r6 = OpFMod %float %f %f2
%r7 = OpFNegate %float %f
%r8 = OpDot %float %v4 %v4b)",
     {"fadd contract float", "fsub contract <4 x float>", "fmul contract float", "fdiv",
      "frem contract float", "fmod", "fneg contract float", "fmul contract <4 x float>",
      "fadd contract float"}},
    {"Matrices",
     R"(
%r1 = OpVectorTimesScalar %v4float %v4 %f
%r2 = OpMatrixTimesScalar %mat2 %m2 %f
%r3 = OpVectorTimesMatrix %v2float %v3 %m23
%r4 = OpMatrixTimesVector %v3float %m23 %v2
%r5 = OpMatrixTimesMatrix %mat23 %m3 %m23
%r6 = OpOuterProduct %mat23 %v3 %v2
%r7 = OpTranspose %mat32 %m23)",
     {"fmul contract <4 x float>", "[2 x <2 x float>]", "<3 x float>", "[3 x <2 x float>]"}},
    {"Bits",
     R"(
%r1 = OpShiftRightLogical %uint %u %u2
%r2 = OpShiftRightArithmetic %int %i %u2
%r3 = OpShiftLeftLogical %v4uint %uv4 %uv4b
%r4 = OpBitwiseOr %uint %u %u2
%r5 = OpBitwiseXor %uint %u %u2
%r6 = OpBitwiseAnd %uint %u %u2
%r7 = OpNot %uint %u
%r8 = OpBitFieldInsert %v4uint %uv4 %uv4b %u %u2
%r9 = OpBitFieldSExtract %int %i %u %u2
%r10 = OpBitFieldUExtract %uint %u %u %u2
%r11 = OpBitReverse %v4uint %uv4
%r12 = OpBitCount %uint %u)",
     {"and i32 %", ", 31", "lshr i32", "ashr i32", "shl <4 x i32>", "or i32", "xor i32", "and i32",
      "xor i32", "insert.bit.field", "extract.bit.field", "extract.bit.field", "bitreverse.v4i32",
      "ctpop.i32"}},
    {"Integer comparisons",
     R"(
%r1 = OpIEqual %bool %u %u2
%r2 = OpINotEqual %bool %u %u2
%r3 = OpUGreaterThan %bool %u %u2
%r4 = OpSGreaterThan %bool %i %i2
%r5 = OpUGreaterThanEqual %bool %u %u2
%r6 = OpSGreaterThanEqual %bool %i %i2
%r7 = OpULessThan %v4bool %uv4 %uv4b
%r8 = OpSLessThan %bool %i %i2
%r9 = OpULessThanEqual %bool %u %u2
%r10 = OpSLessThanEqual %bool %i %i2)",
     {"icmp eq i32", "icmp ne i32", "icmp ugt i32", "icmp sgt i32", "icmp uge i32", "icmp sge i32",
      "icmp ult <4 x i32>", "icmp slt i32", "icmp ule i32", "icmp sle i32"}},
    {"Float comparisons",
     R"(
%r1 = OpFOrdEqual %bool %f %f2
%r2 = OpFUnordEqual %bool %f %f2
%r3 = OpFOrdNotEqual %bool %f %f2
%r4 = OpFUnordNotEqual %bool %f %f2
%r5 = OpFOrdLessThan %bool %f %f2
%r6 = OpFUnordLessThan %bool %f %f2
%r7 = OpFOrdGreaterThan %bool %f %f2
%r8 = OpFUnordGreaterThan %bool %f %f2
%r9 = OpFOrdLessThanEqual %bool %f %f2
%r10 = OpFUnordLessThanEqual %bool %f %f2
%r11 = OpFOrdGreaterThanEqual %bool %f %f2
%r12 = OpFUnordGreaterThanEqual %v4bool %v4 %v4b
%r13 = OpIsNan %bool %f
%r14 = OpIsInf %v4bool %v4)",
     {"fcmp contract oeq float", "fcmp contract ueq float", "fcmp contract one float",
      "fcmp contract une float", "fcmp contract olt float", "fcmp contract ult float",
      "fcmp contract ogt float", "fcmp contract ugt float", "fcmp contract ole float",
      "fcmp contract ule float", "fcmp contract oge float", "fcmp contract uge <4 x float>",
      "fcmp contract uno float", "fcmp contract oeq <4 x float>"}},
    {"Logic",
     R"(
%r1 = OpLogicalEqual %bool %b %b2
%r2 = OpLogicalNotEqual %bool %b %b2
%r3 = OpLogicalOr %bool %b %b2
%r4 = OpLogicalAnd %v4bool %bv4 %bv4
%r5 = OpLogicalNot %bool %b
%r6 = OpAny %bool %bv4
%r7 = OpAll %bool %bv4
%r8 = OpSelect %float %b %f %f2
%r9 = OpSelect %v4float %bv4 %v4 %v4b
%p1 = OpAccessChain %sb_float %data %u8 %u
%p2 = OpAccessChain %sb_float %data %u8 %u2
%r10 = OpSelect %sb_float %b %p1 %p2
OpStore %r10 %f
%r11 = OpPtrEqual %bool %p1 %p2
%r12 = OpPtrNotEqual %bool %p1 %p2
%r13 = OpPtrDiff %int %p1 %p2)",
     {"icmp eq i1", "icmp ne i1", "or i1", "and <4 x i1>", "xor i1", "or i1", "and i1",
      "select contract i1", "select contract <4 x i1>", "select i1 %", "ptr addrspace(7)",
      "store float", "call i32 @lgc.buffer.ptr.difference(ptr addrspace(7)", "icmp eq i32",
      "call i32 @lgc.buffer.ptr.difference(ptr addrspace(7)", "icmp ne i32",
      "ptrtoaddr ptr addrspace(7)", "sdiv i32"}},
    {"Conversions",
     R"(
%r1 = OpConvertFToU %uint %f
%r2 = OpConvertFToS %v4int %v4
%r3 = OpConvertSToF %float %i
%r4 = OpConvertUToF %v4float %uv4
%r5 = OpQuantizeToF16 %v4float %v4
%r6 = OpBitcast %v4uint %v4)",
     {"fptoui float", "freeze i32", "fptosi <4 x float>", "freeze <4 x i32>", "sitofp i32",
      "uitofp <4 x i32>", "fptrunc", "fpext", "copysign", "bitcast <4 x float>"}},
    {"Composites",
     R"(
%r1 = OpCompositeConstruct %v4float %v2 %f %f2
%r2 = OpCompositeConstruct %mat2 %v2 %v2
%r3 = OpCompositeConstruct %Nested %u %m2
%r4 = OpCompositeExtract %float %r3 1 1 0
%r5 = OpCompositeInsert %Nested %f %r3 1 0 1
%r6 = OpVectorShuffle %v3float %v2 %v4 4294967295 5 0
%r7 = OpVectorExtractDynamic %float %v4 %u
%r8 = OpVectorInsertDynamic %v4float %v4 %f %u
%r9 = OpCopyObject %v4float %v4
%r10 = OpCopyObject %fn_float %var_f
%r11 = OpCopyLogical %Nested2 %r3
%r12 = OpUndef %v4float
OpStore %r10 %f)",
     {"insertelement <4 x float>", "insertvalue [2 x <2 x float>]",
      "insertvalue { i32, [2 x <2 x float>] }", "extractelement <4 x float>",
      "insertelement <4 x float>", "store float"},
     "%Nested = OpTypeStruct %uint %mat2\n%Nested2 = OpTypeStruct %uint %mat2\n"},
    {"Constants",
     R"(
%r1 = OpIAdd %uint %s %u
%r2 = OpFAdd %v4float %null %v4
%r3 = OpSelect %uint %sb %u %u2
%r4 = OpISub %uint %sum %u
%r5 = OpFAdd %v4float %cv %v4
%r6 = OpSelect %uint %sf %u %u2
%r7 = OpIAdd %v2uint %sv %sv
%r8 = OpIAdd %uint %picked %u
%r9 = OpIAdd %int %mod %i)",
     {"add i32 5,", "fadd contract <4 x float> zeroinitializer", "select i1 true", "sub i32 12,",
      "fadd contract <4 x float> splat", "select i1 false", "add i32 12,", "add i32 2,"},
     R"(
%s = OpSpecConstant %uint 5
%sb = OpSpecConstantTrue %bool
%sf = OpSpecConstantFalse %bool
%null = OpConstantNull %v4float
%cv = OpConstantComposite %v4float %f1 %f1 %f1 %f1
%sum = OpSpecConstantOp %uint IAdd %s %u7
%sv = OpSpecConstantComposite %v2uint %s %sum
%picked = OpSpecConstantOp %uint CompositeExtract %sv 1
%im1 = OpConstant %int -1
%i3 = OpConstant %int 3
%mod = OpSpecConstantOp %int SMod %im1 %i3
)"},
    {"Memory",
     R"(
OpStore %var_u %u
%l1 = OpLoad %uint %var_u
OpStore %var_b %b
%l2 = OpLoad %bool %var_b
%c1 = OpAccessChain %sb_float %data %u8 %u
%l3 = OpLoad %float %c1 Volatile
%c2 = OpInBoundsAccessChain %sb_float %data %u3 %u1
OpStore %c2 %l3
%len = OpArrayLength %uint %data 8
%c3 = OpPtrAccessChain %sb_float %c1 %u
%c4 = OpAccessChain %un_v4 %params %u0
%l4 = OpLoad %v4float %c4
%c5 = OpAccessChain %pc_v4 %push %u1
%l5 = OpLoad %v4float %c5
OpCopyMemory %var_u %shared
OpStore %private %u
%c6 = OpAccessChain %p_uint_in %gid %u2c
%l6 = OpLoad %uint %c6)",
     {"@shared = internal addrspace(3) global i32 poison",
      "@private = internal addrspace(5) global i32 7",
      "alloca i32",
      "load.buffer.desc",
      "store i32 1,",
      "zext i1",
      "icmp ne i32",
      "mul i32 %",
      ", 4",
      "load volatile float",
      "store float",
      "buffer.length",
      "usub.sat",
      "udiv i32",
      "load <4 x float>, ptr addrspace(7) %",
      "!invariant.load",
      "load <4 x float>, ptr addrspace(4) %",
      "align 4, !invariant.load",
      "load i32, ptr addrspace(3) @shared",
      "store i32 %",
      "@private",
      "extractelement <3 x i32>"}},
    {"Aggregates in memory",
     "%r1 = OpFunctionCall %void %aggregates %u",
     {// The initializer, by a loop of its own.
      "copy:", "phi i32 [ 0,", "store i32 0,", "icmp ult i32", ", 100", "copied:",
      // Loaded and stored at once: one loop from one to the other.
      "copy1:", "load i32", "store i32", "copied2:",
      // Loaded for several uses: a loop into a place of its own, from where the part comes.
      "copy3:", "load i32", "store i32", "i32 0, i32 77", "load i32",
      // As a value where nothing else will do.
      "insertvalue [100 x i32]", "store i32"},
     R"(
%u100 = OpConstant %uint 100
%Big = OpTypeArray %uint %u100
%nullBig = OpConstantNull %Big
%fn_Big = OpTypePointer Function %Big
%aggregatesType = OpTypeFunction %void %uint
)",
     R"(
%aggregates = OpFunction %void None %aggregatesType
%au = OpFunctionParameter %uint
%al = OpLabel
%bigA = OpVariable %fn_Big Function
%bigB = OpVariable %fn_Big Function %nullBig
%w1 = OpLoad %Big %bigA
OpStore %bigB %w1
%w2 = OpLoad %Big %bigA
%part = OpCompositeExtract %uint %w2 77
OpStore %bigB %w2
%same = OpCopyObject %Big %w2
OpStore %bigA %same
%i1 = OpCompositeInsert %Big %au %w2 3
OpStore %bigA %i1
OpReturn
OpFunctionEnd
)"},
    {"Control flow",
     R"(
OpNop
OpBranch %loop
%loop = OpLabel
%n = OpPhi %uint %u0 %start %next %continue
%more = OpULessThan %bool %n %u5
OpLoopMerge %done %continue None
OpBranchConditional %more %body %done
%body = OpLabel
OpSelectionMerge %join None
OpSwitch %u %join 1 %one 2 %join 3 %one
%one = OpLabel
OpBranch %join
%join = OpLabel
%k = OpPhi %uint %u1 %body %u2 %one
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %n %k
OpBranch %loop
%done = OpLabel
OpSelectionMerge %end None
OpBranchConditional %b %dead %end
%dead = OpLabel
OpUnreachable
%end = OpLabel)",
     {"phi i32 [ 0, ", "br i1", "switch i32", "i32 1, label", "i32 2, label", "i32 3, label",
      "phi i32 [ 1, ", "[ 1, ", "unreachable", "ret void"}},
    {"Functions",
     R"(
%r1 = OpFunctionCall %uint %helper %u %var_u
%r2 = OpFunctionCall %void %writer %data %shared
)",
     {"call i32 @0(i32", "ptr addrspace(5)", "call void @1(ptr addrspace(7)", "alwaysinline",
      "ret i32", "buffer.length", "store float"},
     R"(
%helperType = OpTypeFunction %uint %uint %fn_uint
%writerType = OpTypeFunction %void %p_DataBlock %wg_uint
)",
     R"(
%helper = OpFunction %uint None %helperType
%hx = OpFunctionParameter %uint
%hp = OpFunctionParameter %fn_uint
%hl = OpLabel
%hv = OpLoad %uint %hp
%hs = OpIAdd %uint %hv %hx
OpReturnValue %hs
OpFunctionEnd
%writer = OpFunction %void None %writerType
%wp = OpFunctionParameter %p_DataBlock
%wi = OpFunctionParameter %wg_uint
%wl = OpLabel
%wlen = OpArrayLength %uint %wp 8
%wc = OpAccessChain %sb_float %wp %u8 %wlen
OpStore %wc %f1
%wv = OpLoad %uint %wi
OpReturn
OpFunctionEnd
)"},
    {"Atomics",
     R"(
%p = OpAccessChain %sb_uint %data %u0
%r1 = OpAtomicLoad %uint %p %u1 %u2c
OpAtomicStore %p %u1 %u4 %u
%r2 = OpAtomicExchange %uint %p %u1 %u0 %u
%r3 = OpAtomicCompareExchange %uint %p %u1 %u0 %u0 %u %u2
%r4 = OpAtomicIIncrement %uint %shared %u2c %u264
%r5 = OpAtomicIDecrement %uint %p %u1 %u0
%r6 = OpAtomicIAdd %uint %p %u1 %u72 %u
%r7 = OpAtomicISub %uint %p %u1 %u0 %u
%r8 = OpAtomicSMin %uint %p %u1 %u0 %u
%r9 = OpAtomicUMin %uint %p %u3 %u0 %u
%r10 = OpAtomicSMax %uint %p %u1 %u0 %u
%r11 = OpAtomicUMax %uint %p %u1 %u0 %u
%r12 = OpAtomicAnd %uint %p %u1 %u0 %u
%r13 = OpAtomicOr %uint %p %u1 %u0 %u
%r14 = OpAtomicXor %uint %p %u1 %u0 %u)",
     {"load atomic i32",
      "syncscope(\"agent\") acquire",
      "store atomic i32",
      "release",
      "atomicrmw xchg",
      "monotonic",
      "cmpxchg",
      "extractvalue",
      "atomicrmw add ptr addrspace(3) @shared, i32 1 syncscope(\"workgroup\") acq_rel",
      "atomicrmw sub",
      "i32 1",
      "atomicrmw add",
      "acq_rel",
      "atomicrmw sub",
      "syncscope(\"agent\")",
      "atomicrmw min",
      "atomicrmw umin",
      "syncscope(\"wavefront\")",
      "atomicrmw max",
      "atomicrmw umax",
      "atomicrmw and",
      "atomicrmw or",
      "atomicrmw xor"}},
    {"Float atomics",
     R"(
%pf = OpAccessChain %sb_float %data %u1
%r1 = OpAtomicFAddEXT %float %pf %u1 %u0 %f
%r2 = OpAtomicFMinEXT %float %pf %u1 %u0 %f
%r3 = OpAtomicFMaxEXT %float %pf %u1 %u0 %f)",
     {"atomicrmw fadd ptr addrspace(7)", "float", "syncscope(\"agent\") monotonic, align 4",
      "atomicrmw fmin", "atomicrmw fmax"}},
    {"Clock",
     R"(
%r1 = OpReadClockKHR %v2uint %u3
%r2 = OpReadClockKHR %v2uint %u1)",
     {"read.clock(i1 false)", "bitcast i64", "to <2 x i32>", "read.clock(i1 true)"}},
    {"Barriers",
     R"(
OpControlBarrier %u2c %u2c %u264
OpMemoryBarrier %u1 %u72
OpControlBarrier %u3 %u3 %u264
OpControlBarrier %u2c %u2c %u0)",
     {"fence syncscope(\"workgroup\") release, !lgc.fenced.memory", "barrier",
      "fence syncscope(\"workgroup\") acquire, !lgc.fenced.memory",
      "fence syncscope(\"agent\") acq_rel\n", "fence syncscope(\"wavefront\") release",
      "fence syncscope(\"wavefront\") acquire", "barrier", "!{!\"workgroup\"}"}},
    {"Common",
     R"(
%r1 = OpExtInst %float %glsl Round %f
%r2 = OpExtInst %float %glsl RoundEven %f
%r3 = OpExtInst %float %glsl Trunc %f
%r4 = OpExtInst %v4float %glsl FAbs %v4
%r5 = OpExtInst %int %glsl SAbs %i
%r6 = OpExtInst %float %glsl FSign %f
%r7 = OpExtInst %int %glsl SSign %i
%r8 = OpExtInst %float %glsl Floor %f
%r9 = OpExtInst %float %glsl Ceil %f
%r10 = OpExtInst %float %glsl Fract %f
%r11 = OpExtInst %float %glsl Modf %f %var_f
%r12 = OpExtInst %FloatPair %glsl ModfStruct %f
%r13 = OpExtInst %float %glsl FMin %f %f2
%r14 = OpExtInst %uint %glsl UMin %u %u2
%r15 = OpExtInst %int %glsl SMin %i %i2
%r16 = OpExtInst %float %glsl FMax %f %f2
%r17 = OpExtInst %uint %glsl UMax %u %u2
%r18 = OpExtInst %int %glsl SMax %i %i2
%r19 = OpExtInst %float %glsl FClamp %f %f2 %f3
%r20 = OpExtInst %uint %glsl UClamp %u %u2 %u5
%r21 = OpExtInst %int %glsl SClamp %i %i2 %i
%r22 = OpExtInst %v4float %glsl FMix %v4 %v4b %v4
%r23 = OpExtInst %float %glsl Step %f %f2
%r24 = OpExtInst %float %glsl SmoothStep %f %f2 %f3
%r25 = OpExtInst %float %glsl Fma %f %f2 %f3
%r26 = OpExtInst %float %glsl Frexp %f %var_i
%r27 = OpExtInst %FrexpResult %glsl FrexpStruct %v4
%r28 = OpExtInst %float %glsl Ldexp %f %i
%r29 = OpExtInst %uint %glsl FindILsb %u
%r30 = OpExtInst %int %glsl FindSMsb %i
%r31 = OpExtInst %uint %glsl FindUMsb %u
%r32 = OpExtInst %float %glsl NMin %f %f2
%r33 = OpExtInst %float %glsl NMax %f %f2
%r34 = OpExtInst %float %glsl NClamp %f %f2 %f3)",
     {"roundeven.f32", "trunc.f32",  "fabs.v4f32",     "abs.i32",       "contract olt",
      "smin.i32",      "floor.f32",  "ceil.f32",       "fract",         "copysign",
      "store float",   "minnum.f32", "umin.i32",       "smin.i32",      "maxnum.f32",
      "fclamp",        "umax.i32",   "fma.f32",        "frexp.f32.i32", "store i32",
      "ldexp.f32.i32", "cttz.i32",   "minimumnum.f32", "maximumnum.f32"},
     "%FloatPair = OpTypeStruct %float %float\n%FrexpResult = OpTypeStruct %v4float %v4int\n"},
    {"Exponentials",
     R"(
%r1 = OpExtInst %float %glsl Pow %f %f2
%r2 = OpExtInst %float %glsl Exp %f
%r3 = OpExtInst %v4float %glsl Log %v4
%r4 = OpExtInst %float %glsl Exp2 %f
%r5 = OpExtInst %float %glsl Log2 %f
%r6 = OpExtInst %float %glsl Sqrt %f
%r7 = OpExtInst %float %glsl InverseSqrt %f
%r8 = OpExtInst %float %glsl Pow %f %two)",
     {"log2", "exp2", "exp2", "log2", "exp2", "log2", "sqrt.f32", "!fpmath", "inverse.sqrt",
      "fmul contract float"},
     "%two = OpConstant %float 2\n"},
    {"Trigonometry",
     R"(
%r1 = OpExtInst %float %glsl Radians %f
%r2 = OpExtInst %float %glsl Degrees %f
%r3 = OpExtInst %float %glsl Sin %f
%r4 = OpExtInst %float %glsl Cos %f
%r5 = OpExtInst %float %glsl Tan %f
%r6 = OpExtInst %float %glsl Asin %f
%r7 = OpExtInst %float %glsl Acos %f
%r8 = OpExtInst %v4float %glsl Atan %v4
%r9 = OpExtInst %float %glsl Sinh %f
%r10 = OpExtInst %float %glsl Cosh %f
%r11 = OpExtInst %float %glsl Tanh %f
%r12 = OpExtInst %float %glsl Asinh %f
%r13 = OpExtInst %float %glsl Acosh %f
%r14 = OpExtInst %float %glsl Atanh %f
%r15 = OpExtInst %float %glsl Atan2 %f %f2)",
     {"sin", "cos", "sqrt", "copysign", "fabs.v4f32", "exp2"}},
    {"Geometry",
     R"(
%r1 = OpExtInst %float %glsl Determinant %m4
%r2 = OpExtInst %mat3 %glsl MatrixInverse %m3
%r3 = OpExtInst %float %glsl Length %v4
%r4 = OpExtInst %float %glsl Distance %v3 %v3b
%r5 = OpExtInst %v3float %glsl Cross %v3 %v3b
%r6 = OpExtInst %v4float %glsl Normalize %v4
%r7 = OpExtInst %v3float %glsl FaceForward %v3 %v3b %v3
%r8 = OpExtInst %v3float %glsl Reflect %v3 %v3b
%r9 = OpExtInst %v3float %glsl Refract %v3 %v3b %f
%r10 = OpExtInst %float %glsl Length %f)",
     {"fmul contract float", "fdiv", "sqrt.f32", "shufflevector <3 x float>", "inverse.sqrt",
      "fabs.f32"}},
    {"Packing",
     R"(
%r1 = OpExtInst %uint %glsl PackSnorm4x8 %v4
%r2 = OpExtInst %uint %glsl PackUnorm4x8 %v4
%r3 = OpExtInst %uint %glsl PackSnorm2x16 %v2
%r4 = OpExtInst %uint %glsl PackUnorm2x16 %v2
%r5 = OpExtInst %uint %glsl PackHalf2x16 %v2
%r6 = OpExtInst %v2float %glsl UnpackSnorm2x16 %u
%r7 = OpExtInst %v2float %glsl UnpackUnorm2x16 %u
%r8 = OpExtInst %v2float %glsl UnpackHalf2x16 %u
%r9 = OpExtInst %v4float %glsl UnpackSnorm4x8 %u
%r10 = OpExtInst %v4float %glsl UnpackUnorm4x8 %u)",
     {"fclamp", "roundeven.v4f32", "fptosi", "freeze <4 x i32>", "fptoui",
      "fptrunc contract <2 x float>", "bitcast <2 x half>", "ashr i32", "lgc.fdiv.v2f32",
      "lshr i32", "fpext contract <2 x half>"}},
};

} // namespace

/// The first of \p wanted that does not follow its predecessor in \p text, or empty.
static std::string firstMissing(StringRef text, ArrayRef<const char *> wanted) {
  for (StringRef want : wanted) {
    size_t at = text.find(want);
    if (at == StringRef::npos)
      return want.str();
    text = text.drop_front(at + want.size());
  }
  return "";
}

class Families : public testing::TestWithParam<FamilyCase> {};

TEST_P(Families, MakesTheIrItShould) {
  const FamilyCase &param = GetParam();
  auto ir = test::translateText(test::makeShader(param.body, param.globals, param.functions));
  ASSERT_TRUE(bool(ir)) << takeError(ir.takeError()).message;
  EXPECT_EQ(firstMissing(*ir, param.wanted), "") << *ir;
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(Cases), [](const auto &info) {
  std::string name = info.param.name;
  llvm::erase_if(name, [](char c) { return !isAlnum(c); });
  return name;
});

static std::string allBodies() {
  std::string text = std::string(test::Declarations) + test::Prologue;
  for (const FamilyCase &test : Cases)
    text += std::string(test.globals) + test.body + test.functions + "\nOpReturn\n";
  return text;
}

TEST(Coverage, EveryRowOfEveryTableIsTested) {
  std::string text = allBodies();
  constexpr std::array Families = {constantOpcodes,    memoryOpcodes,        pointerOpcodes,
                                   functionOpcodes,    conversionOpcodes,    compositeOpcodes,
                                   dotProductOpcodes,  miscellaneousOpcodes, arithmeticOpcodes,
                                   matrixOpcodes,      bitOpcodes,           relationalOpcodes,
                                   controlFlowOpcodes, atomicOpcodes,        barrierOpcodes,
                                   clockOpcodes,       extInstOpcodes};
  // spirv-val refuses these for lack of a capability; lines are no instructions to us; the last two
  // need another addressing model (MemoryTest.cpp).
  const std::set<std::string> exempt = {"OpConvertPtrToU", "OpConvertUToPtr", "OpLessOrGreater",
                                        "OpOrdered",       "OpUnordered",     "OpLine",
                                        "OpNoLine"};
  for (auto family : Families)
    for (const OpcodeRow &row : family()) {
      std::string name = spirv::opcodeName(row.opcode);
      bool isTested =
          text.find(name + " ") != std::string::npos || text.find(name + "\n") != std::string::npos;
      EXPECT_TRUE(isTested || exempt.count(name)) << name;
    }
  for (auto family : {glslCommonRows, glslExponentialRows, glslTrigonometryRows, glslGeometryRows,
                      glslPackingRows})
    for (const ExtInstRow &row : family())
      EXPECT_NE(text.find("%glsl " + std::string(row.name) + " "), std::string::npos) << row.name;
}

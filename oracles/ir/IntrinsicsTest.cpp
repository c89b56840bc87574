// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics that the constant folder does not judge: a row is a body (TestRun::ofBody) and the
// result expected, 0xdead for poison.
#include "oracles/ir/TestRun.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

constexpr uint64_t Poison = 0xdead;

struct Row {
  const char *name;
  std::string body;
  uint64_t value;
};

class Intrinsics : public testing::TestWithParam<Row> {};

TEST_P(Intrinsics, Give) {
  auto test = TestRun::ofBody(GetParam().body);
  ASSERT_EQ(test->error, "");
  ASSERT_EQ(test->run().state, RunState::Returned) << test->result.reason;
  EXPECT_EQ(test->value(), GetParam().value) << std::hex << test->value();
}

/// A float function's result times 1000, as an integer.
std::string ofFloat(const char *call) {
  return "%a = call float @llvm." + std::string(call) +
         " %b = fmul float %a, 1000.0 %v = fptosi float %b to i64";
}

std::string ofInt(const char *call) {
  return "%a = call i32 @llvm." + std::string(call) + " %v = zext i32 %a to i64";
}

const Row Floats[] = {
    {"NearbyInt", ofFloat("nearbyint.f32(float 2.5)"), 2000},
    {"Canonicalize", ofFloat("canonicalize.f32(float 2.5)"), 2500},
    {"MinimumNumber", ofFloat("minimumnum.f32(float 0x7FF8000000000000, float 2.5)"), 2500},
    {"MaximumNumber", ofFloat("maximumnum.f32(float 3.5, float 2.5)"), 3500},
    {"MultiplyAdd", ofFloat("fmuladd.f32(float 3.0, float 2.5, float 1.0)"), 8500},
    {"Power", ofFloat("pow.f32(float 3.0, float 2.0)"), 9000},
    {"IntegerPower", ofFloat("powi.f32.i32(float 2.0, i32 -1)"), 500},
    {"Sine", ofFloat("sin.f32(float 0.5)"), 479},
    {"Cosine", ofFloat("cos.f32(float 0.5)"), 877},
    {"Tangent", ofFloat("tan.f32(float 0.5)"), 546},
    {"Exponential", ofFloat("exp.f32(float 1.0)"), 2718},
    {"Exponential2", ofFloat("exp2.f32(float 3.0)"), 8000},
    {"Logarithm", ofFloat("log.f32(float 3.0)"), 1098},
    {"Logarithm2", ofFloat("log2.f32(float 8.0)"), 3000},
    {"Logarithm10", ofFloat("log10.f32(float 100.0)"), 2000},
    {"Reciprocal", ofFloat("amdgcn.rcp.f32(float 4.0)"), 250},
    {"ReciprocalRoot", ofFloat("amdgcn.rsq.f32(float 4.0)"), 500},
    {"Root", ofFloat("amdgcn.sqrt.f32(float 4.0)"), 2000},
    {"HardwareExponential", ofFloat("amdgcn.exp2.f32(float 3.0)"), 8000},
    {"HardwareLogarithm", ofFloat("amdgcn.log.f32(float 8.0)"), 3000},
    {"Fraction", ofFloat("amdgcn.fract.f32(float -0.25)"), 750},
    {"FractionOfAHalfIsBelowOne",
     "%a = call half @llvm.amdgcn.fract.f16(half 0xH8001) %b = bitcast half %a to i16 "
     "%v = zext i16 %b to i64",
     0x3bff},
    {"FractionOfADoubleKeepsItsBits",
     "%a = call double @llvm.amdgcn.fract.f64(double 0xBC70000000000000) "
     "%v = bitcast double %a to i64",
     0x3fefffffffffffff},
    {"FractionAndExponent",
     "%a = call {double, i32} @llvm.frexp.f64.i32(double 12.0) %f = extractvalue {double, i32} %a, "
     "0 "
     "%e = extractvalue {double, i32} %a, 1 %g1 = fmul double %f, 100.0 %h = fptoui double %g1 to "
     "i64 "
     "%i = zext i32 %e to i64 %j = mul i64 %i, 1000 %v = add i64 %h, %j",
     4075},
    {"NnanOfAFunction",
     "%a = call nnan float @llvm.amdgcn.sqrt.f32(float -1.0) %b = bitcast float %a to i32 "
     "%v = sext i32 %b to i64",
     Poison},
    {"ReduceFmin",
     "%a = call double @llvm.vector.reduce.fmin.v2f64(<2 x double> <double 2.0, double 1.0>) "
     "%v = fptoui double %a to i64",
     1},
    {"ReduceFmax",
     "%a = call double @llvm.vector.reduce.fmax.v2f64(<2 x double> <double 2.0, double 1.0>) "
     "%v = fptoui double %a to i64",
     2},
    {"ReduceFminimum",
     "%a = call double @llvm.vector.reduce.fminimum.v2f64(<2 x double> <double 2.0, double 1.0>) "
     "%v = fptoui double %a to i64",
     1},
    {"ReduceFmaximum",
     "%a = call double @llvm.vector.reduce.fmaximum.v2f64(<2 x double> <double 2.0, double 1.0>) "
     "%v = fptoui double %a to i64",
     2},
    {"ReduceFadd",
     "%a = call double @llvm.vector.reduce.fadd.v2f64(double 10.0, <2 x double> <double 2.0, "
     "double "
     "1.0>) %v = fptoui double %a to i64",
     13},
    {"ReduceFmul",
     "%a = call double @llvm.vector.reduce.fmul.v2f64(double 10.0, <2 x double> <double 2.0, "
     "double "
     "1.0>) %v = fptoui double %a to i64",
     20},
};
INSTANTIATE_TEST_SUITE_P(Floats, Intrinsics, testing::ValuesIn(Floats),
                         [](const auto &info) { return std::string(info.param.name); });

#define VECTOR "(<4 x i32> <i32 12, i32 10, i32 8, i32 14>)"

const Row Integers[] = {
    {"ShlSaturates", ofInt("ushl.sat.i32(i32 %x, i32 30)"), 0xffffffff},
    {"SignedShlSaturates", ofInt("sshl.sat.i32(i32 %x, i32 30)"), 0x7fffffff},
    {"ShlSaturatesTooFar", ofInt("ushl.sat.i32(i32 %x, i32 32)"), Poison},
    {"AddOverflows",
     "%a = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 %x, i32 2147483647) "
     "%b = extractvalue {i32, i1} %a, 1 %v = zext i1 %b to i64",
     1},
    {"SubOverflows",
     "%a = call {i32, i1} @llvm.usub.with.overflow.i32(i32 %x, i32 6) "
     "%b = extractvalue {i32, i1} %a, 1 %v = zext i1 %b to i64",
     1},
    {"MulOverflows",
     "%a = call {i32, i1} @llvm.umul.with.overflow.i32(i32 %x, i32 1073741824) "
     "%b = extractvalue {i32, i1} %a, 1 %v = zext i1 %b to i64",
     1},
    {"Product24", ofInt("amdgcn.mul.u24.i32(i32 -1, i32 %x)"), 0x4fffffb},
    {"SignedProduct24", ofInt("amdgcn.mul.i24.i32(i32 -1, i32 %x)"), 0xfffffffb},
    {"HighProduct24", ofInt("amdgcn.mulhi.u24(i32 -1, i32 -1)"), 0xffff},
    {"SignedHighProduct24", ofInt("amdgcn.mulhi.i24(i32 -1, i32 1)"), 0xffffffff},
    {"ReduceMul", ofInt("vector.reduce.mul.v4i32" VECTOR), 13440},
    {"ReduceAnd", ofInt("vector.reduce.and.v4i32" VECTOR), 8},
    {"ReduceOr", ofInt("vector.reduce.or.v4i32" VECTOR), 14},
    {"ReduceSmax", ofInt("vector.reduce.smax.v4i32" VECTOR), 14},
    {"ReduceUmin", ofInt("vector.reduce.umin.v4i32" VECTOR), 8},
    {"Reverse",
     "%a = call <2 x i32> @llvm.vector.reverse.v2i32(<2 x i32> <i32 1, i32 2>) "
     "%v = bitcast <2 x i32> %a to i64",
     0x100000002},
    {"Insert",
     "%a = call <4 x i16> @llvm.vector.insert.v4i16.v2i16(<4 x i16> zeroinitializer, <2 x i16> "
     "splat "
     "(i16 1), i64 2) %v = bitcast <4 x i16> %a to i64",
     0x0001000100000000},
    {"Extract",
     "%a = call <2 x i32> @llvm.vector.extract.v2i32.v4i32(<4 x i32> <i32 1, i32 2, i32 3, i32 4>, "
     "i64 2) %v = bitcast <2 x i32> %a to i64",
     0x400000003},
    {"WorkItems",
     "%a = call i32 @llvm.amdgcn.workitem.id.y() %b = call i32 @llvm.amdgcn.workitem.id.z() "
     "%c = call i32 @llvm.amdgcn.workgroup.id.x() %d = call i32 @llvm.amdgcn.workgroup.id.y() "
     "%e = call i32 @llvm.amdgcn.workgroup.id.z() %h = call i32 @llvm.amdgcn.wave.id() "
     "%i = or i32 %a, %b %j = or i32 %c, %d %k = or i32 %e, %h %l = or i32 %i, %j "
     "%m = or i32 %k, %l %v = zext i32 %m to i64",
     0},
    {"WaveSize", ofInt("amdgcn.wavefrontsize()"), 32},
    {"SetInactive", ofInt("amdgcn.set.inactive.i32(i32 %x, i32 9)"), 5},
    {"WholeQuads", ofInt("amdgcn.wqm.i32(i32 %x)"), 5},
    {"SoftWholeQuads", ofInt("amdgcn.softwqm.i32(i32 %x)"), 5},
    {"StrictWholeQuads", ofInt("amdgcn.strict.wqm.i32(i32 %x)"), 5},
    {"WaveUmax", ofInt("amdgcn.wave.reduce.umax.i32(i32 %x, i32 0)"), 5},
    {"WaveMin", ofInt("amdgcn.wave.reduce.min.i32(i32 %x, i32 0)"), 5},
    {"WaveMax", ofInt("amdgcn.wave.reduce.max.i32(i32 %x, i32 0)"), 5},
    {"WaveAnd", ofInt("amdgcn.wave.reduce.and.i32(i32 %x, i32 0)"), 5},
    {"WaveOr", ofInt("amdgcn.wave.reduce.or.i32(i32 %x, i32 0)"), 5},
    {"WaveXor", ofInt("amdgcn.wave.reduce.xor.i32(i32 %x, i32 0)"), 5},
    {"Expect", ofInt("expect.with.probability.i32(i32 %x, i32 1, double 0.5)"), 5},
    {"Copy", ofInt("ssa.copy.i32(i32 %x)"), 5},
    {"NotConstant", "%a = call i1 @llvm.is.constant.i32(i32 %x) %v = zext i1 %a to i64", 0},
    {"ObjectSize",
     "%a = call i32 @llvm.objectsize.i32.p7(ptr addrspace(7) %p, i1 true, i1 false, i1 false) "
     "%b = call i32 @llvm.objectsize.i32.p7(ptr addrspace(7) %p, i1 false, i1 false, i1 false) "
     "%c = sub i32 %a, %b %v = zext i32 %c to i64",
     1},
    {"Launder",
     "%q = call ptr addrspace(7) @llvm.launder.invariant.group.p7(ptr addrspace(7) %p) "
     "%s = call ptr addrspace(7) @llvm.strip.invariant.group.p7(ptr addrspace(7) %q) "
     "%v = load i64, ptr addrspace(7) %s",
     0x0807060504030201},
};
INSTANTIATE_TEST_SUITE_P(Integers, Intrinsics, testing::ValuesIn(Integers),
                         [](const auto &info) { return std::string(info.param.name); });

#define STRIDED                                                                                    \
  "%s = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %g, i16 16, "   \
  "i64 4, i32 0) "
#define DWORDS "%i = ptrtoint ptr addrspace(8) %r to i128 %d = bitcast i128 %i to <4 x i32> "

const Row Memory[] = {
    {"AtomicLoadOfDwords",
     DWORDS "%a = call i32 @llvm.amdgcn.raw.atomic.buffer.load.i32(<4 x i32> %d, i32 4, i32 0, i32 "
            "0) %v = zext i32 %a to i64",
     0x08070605},
    {"AtomicLoadOfElement",
     STRIDED
     "%a = call i32 @llvm.amdgcn.struct.ptr.atomic.buffer.load.i32(ptr addrspace(8) %s, i32 "
     "1, i32 4, i32 0, i32 0) %v = zext i32 %a to i64",
     0x18171615},
    {"AtomicOfElement",
     STRIDED
     "%a = call i32 @llvm.amdgcn.struct.ptr.buffer.atomic.umax.i32(i32 -1, ptr addrspace(8) "
     "%s, i32 1, i32 4, i32 0, i32 0) %b = load i64, ptr addrspace(1) %g "
     "%q = getelementptr i8, ptr addrspace(1) %g, i32 20 %c = load i32, ptr addrspace(1) %q "
     "%v = zext i32 %c to i64",
     0xffffffff},
    {"AtomicOfDwords",
     DWORDS "%a = call i32 @llvm.amdgcn.raw.buffer.atomic.swap.i32(i32 1, <4 x i32> %d, i32 0, i32 "
            "0, i32 0) %v = load i64, ptr addrspace(1) %g",
     0x0807060500000001},
    {"SwapOfElement",
     STRIDED
     "%a = call i32 @llvm.amdgcn.struct.ptr.buffer.atomic.cmpswap.i32(i32 7, i32 320017171, "
     "ptr addrspace(8) %s, i32 1, i32 0, i32 0, i32 0) %v = zext i32 %a to i64",
     0x14131211},
    {"CopyInline",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 32 call void "
     "@llvm.memcpy.inline.p7.p7.i32(ptr "
     "addrspace(7) %p, ptr addrspace(7) %q, i32 4, i1 false) %v = load i64, ptr addrspace(7) %p",
     0x0807060524232221},
    {"SetInline",
     "call void @llvm.memset.inline.p7.i32(ptr addrspace(7) %p, i8 0, i32 4, i1 false) "
     "%v = load i64, ptr addrspace(7) %p",
     0x0807060500000000},
    {"CopyByElements",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 32 call void "
     "@llvm.memcpy.element.unordered.atomic.p7.p7.i32(ptr addrspace(7) align 4 %p, ptr "
     "addrspace(7) "
     "align 4 %q, i32 4, i32 4) %v = load i64, ptr addrspace(7) %p",
     0x0807060524232221},
    {"MoveByElements",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 4 call void "
     "@llvm.memmove.element.unordered.atomic.p7.p7.i32(ptr addrspace(7) align 4 %p, ptr "
     "addrspace(7) "
     "align 4 %q, i32 8, i32 4) %v = load i64, ptr addrspace(7) %p",
     0x0c0b0a0908070605},
    {"SetByElements",
     "call void @llvm.memset.element.unordered.atomic.p7.i32(ptr addrspace(7) align 4 %p, i8 1, "
     "i32 "
     "4, i32 4) %v = load i64, ptr addrspace(7) %p",
     0x0807060501010101},
    {"NothingHappens",
     "call void @llvm.donothing() call void @llvm.sideeffect() call void @llvm.debugtrap() "
     "call void @llvm.amdgcn.s.barrier() call void @llvm.amdgcn.wave.barrier() "
     "call void @llvm.amdgcn.sched.barrier(i32 0) call void @llvm.amdgcn.iglp.opt(i32 0) "
     "call void @llvm.amdgcn.sched.group.barrier(i32 1, i32 1, i32 0) "
     "call void @llvm.amdgcn.s.sleep(i32 1) call void @llvm.amdgcn.s.waitcnt(i32 0) "
     "call void (...) @llvm.fake.use(i32 %x) "
     "%t = call ptr @llvm.invariant.start.p7(i64 4, ptr addrspace(7) %p) "
     "call void @llvm.invariant.end.p7(ptr %t, i64 4, ptr addrspace(7) %p) %v = zext i32 %x to i64",
     5},
};
INSTANTIATE_TEST_SUITE_P(Memory, Intrinsics, testing::ValuesIn(Memory),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace assay::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What single instructions and intrinsics make: a row is a body (TestRun::ofBody) and the result
// expected, 0xdead for poison.
#include "oracles/ir/TestRun.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

constexpr uint64_t Poison = 0xdead;

struct Row {
  const char *name;
  const char *body;
  uint64_t value;
};

class Handlers : public testing::TestWithParam<Row> {};

TEST_P(Handlers, Give) {
  auto test = TestRun::ofBody(GetParam().body);
  ASSERT_EQ(test->error, "");
  ASSERT_EQ(test->run().state, RunState::Returned) << test->result.reason;
  EXPECT_EQ(test->value(), GetParam().value) << std::hex << test->value();
}

std::string rowName(const testing::TestParamInfo<Row> &info) {
  return info.param.name;
}

constexpr Row Flags[] = {
    {"AddNuw", "%a = zext i32 %x to i64 %v = add nuw i64 %a, -1", Poison},
    {"AddNswHolds", "%a = add nsw i64 -1, 7 %v = add i64 %a, 0", 6},
    {"AddNsw", "%a = zext i32 %x to i64 %v = add nsw i64 %a, 9223372036854775807", Poison},
    {"SubNuw", "%a = zext i32 %x to i64 %v = sub nuw i64 %a, 6", Poison},
    {"SubNsw", "%a = zext i32 %x to i64 %v = sub nsw i64 %a, 6", ~uint64_t(0)},
    {"MulNuw", "%a = zext i32 %x to i64 %v = mul nuw i64 %a, 4611686018427387904", Poison},
    {"ShlNuw", "%a = zext i32 %x to i64 %v = shl nuw i64 %a, 62", Poison},
    {"ShlTooFar", "%a = zext i32 %x to i64 %v = shl i64 %a, 64", Poison},
    {"LshrExact", "%a = zext i32 %x to i64 %v = lshr exact i64 %a, 1", Poison},
    {"LshrExactHolds", "%a = zext i32 %x to i64 %b = shl i64 %a, 2 %v = lshr exact i64 %b, 2", 5},
    {"UdivExact", "%a = zext i32 %x to i64 %v = udiv exact i64 %a, 2", Poison},
    {"OrDisjoint", "%a = zext i32 %x to i64 %v = or disjoint i64 %a, 1", Poison},
    {"OrDisjointHolds", "%a = zext i32 %x to i64 %v = or disjoint i64 %a, 2", 7},
    {"ZextNneg", "%a = sub i32 0, %x %b = zext nneg i32 %a to i64 %v = shl i64 %b, 0", Poison},
    {"TruncNuw", "%a = add i32 %x, 256 %b = trunc nuw i32 %a to i8 %v = sext i8 %b to i64", Poison},
    {"TruncNsw", "%a = sub i32 0, %x %b = trunc nsw i32 %a to i8 %v = sext i8 %b to i64",
     uint64_t(-5)},
    {"SameSign", "%a = sub i32 0, %x %c = icmp samesign ult i32 %a, %x %v = sext i1 %c to i64",
     Poison},
    {"Nnan", "%a = fdiv nnan float 0.0, 0.0 %b = bitcast float %a to i32 %v = sext i32 %b to i64",
     Poison},
    {"Ninf", "%a = fdiv ninf double 1.0, 0.0 %v = bitcast double %a to i64", Poison},
    {"SelectPoison", "%v = select i1 poison, i64 1, i64 2", Poison},
    {"SelectOther", "%v = select i1 true, i64 1, i64 poison", 1},
    {"FreezePoison", "%v = freeze i64 poison", 0},
    {"IndexTooLarge", "%a = extractelement <2 x i64> <i64 1, i64 2>, i32 %x %v = add i64 %a, 0",
     Poison},
    {"FptouiTooLarge", "%v = fptoui double -1.0 to i64", Poison},
};
INSTANTIATE_TEST_SUITE_P(Flags, Handlers, testing::ValuesIn(Flags), rowName);

constexpr Row Pointers[] = {
    {"GepNegative",
     "%q = getelementptr i32, ptr addrspace(7) %p, i32 -1 %v = ptrtoint ptr addrspace(7) %q to i64",
     0x00100000fffffffc},
    {"GepNusw",
     "%q = getelementptr nusw i32, ptr addrspace(7) %p, i32 -1 %v = ptrtoint ptr addrspace(7) %q "
     "to i64",
     Poison},
    {"GepNuw",
     "%q = getelementptr nuw i32, ptr addrspace(7) %p, i32 -1 %v = ptrtoint ptr addrspace(7) %q to "
     "i64",
     Poison},
    {"GepInbounds",
     "%o = getelementptr i8, ptr addrspace(7) %p, i32 8 %q = getelementptr inbounds i32, ptr "
     "addrspace(7) %o, i32 -1 "
     "%v = ptrtoint ptr addrspace(7) %q to i64",
     0x0010000000000004},
    {"GepStruct",
     "%q = getelementptr {i8, [3 x {i16, i32}]}, ptr addrspace(7) %p, i32 1, i32 1, i32 %x, i32 1 "
     "%v = ptrtoint ptr addrspace(7) %q to i64",
     0x0010000000000000 + 28 + 4 + 40 + 4},
    {"GepWideIndex",
     "%q = getelementptr i32, ptr addrspace(7) %p, i64 4294967297 %v = ptrtoint ptr addrspace(7) "
     "%q to i64",
     0x0010000000000004},
    {"GepVector",
     "%q = getelementptr i8, ptr addrspace(7) %p, <2 x i32> <i32 3, i32 4> "
     "%e = extractelement <2 x ptr addrspace(7)> %q, i32 1 %v = ptrtoint ptr addrspace(7) %e to "
     "i64",
     0x0010000000000004},
    {"PtrToAddr",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 -4 %a = ptrtoaddr ptr addrspace(7) %q to i32 "
     "%v = zext i32 %a to i64",
     0xfffffffc},
    {"CastToFat",
     "%q = addrspacecast ptr addrspace(8) %r to ptr addrspace(7) %c = icmp eq ptr addrspace(7) %p, "
     "%q "
     "%v = zext i1 %c to i64",
     1},
    {"CastFromFat",
     "%q = addrspacecast ptr addrspace(7) %p to ptr addrspace(8) "
     "%c = icmp eq ptr addrspace(8) %r, %q %v = zext i1 %c to i64",
     1},
    {"CastFromFatLosesOffset",
     "%o = getelementptr i8, ptr addrspace(7) %p, i32 8 "
     "%q = addrspacecast ptr addrspace(7) %o to ptr addrspace(8) "
     "%v = ptrtoint ptr addrspace(8) %q to i64",
     Poison},
    {"CastToStrided",
     "%q = addrspacecast ptr addrspace(8) %r to ptr addrspace(9) %i = ptrtoint ptr addrspace(9) %q "
     "to i192 "
     "%h = lshr i192 %i, 64 %v = trunc i192 %h to i64",
     0x0000000000100000},
    {"CastNull",
     "%q = addrspacecast ptr null to ptr addrspace(7) %c = icmp eq ptr addrspace(7) %q, null %v = "
     "zext i1 %c to i64",
     1},
    {"CompareOrder",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 -4 %c = icmp ugt ptr addrspace(7) %q, %p %v "
     "= zext i1 %c to i64",
     1},
    {"CompareNull", "%c = icmp ne ptr addrspace(7) %p, null %v = zext i1 %c to i64", 1},
    {"IntToPtr",
     "%i = ptrtoint ptr addrspace(7) %p to i160 %j = add i160 %i, 4 %q = inttoptr i160 %j to ptr "
     "addrspace(7) "
     "%a = load i32, ptr addrspace(7) %q %v = zext i32 %a to i64",
     0x08070605},
    {"MakeResource",
     "%q = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %g, i16 8, "
     "i64 3, i32 9) "
     "%i = ptrtoint ptr addrspace(8) %q to i128 %h = lshr i128 %i, 48 %v = trunc i128 %h to i64",
     uint64_t(9) << 48 | uint64_t(3) << 16 | 8},
    {"MakeFat",
     "%q = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %g, i16 0, "
     "i64 64, i32 822177708) "
     "%c = icmp eq ptr addrspace(7) %q, %p %v = zext i1 %c to i64",
     1},
    {"PtrMask",
     "%o = getelementptr i8, ptr addrspace(7) %p, i32 7 "
     "%q = call ptr addrspace(7) @llvm.ptrmask.p7.i32(ptr addrspace(7) %o, i32 -4) "
     "%v = ptrtoint ptr addrspace(7) %q to i64",
     0x0010000000000004},
    {"FlatOfScratch",
     "%a = alloca i64, addrspace(5) %f = addrspacecast ptr addrspace(5) %a to ptr store i64 77, "
     "ptr %f "
     "%b = addrspacecast ptr %f to ptr addrspace(5) %v = load i64, ptr addrspace(5) %b",
     77},
    {"FlatOfShared",
     "%f = addrspacecast ptr addrspace(3) @shared to ptr store i64 78, ptr %f %v = load i64, ptr "
     "addrspace(3) @shared",
     78},
    {"FlatOfGlobal", "%f = addrspacecast ptr addrspace(1) %g to ptr %v = load i64, ptr %f",
     0x0807060504030201},
    {"ConstantTable",
     "%q = getelementptr [4 x i32], ptr addrspace(4) @table, i32 0, i32 3 %a = load i32, ptr "
     "addrspace(4) %q %v = zext i32 %a to i64",
     40},
    {"ConstantExpression",
     "%a = load i32, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @table, i64 8) %v = zext "
     "i32 %a to i64",
     30},
};
INSTANTIATE_TEST_SUITE_P(Pointers, Handlers, testing::ValuesIn(Pointers), rowName);

constexpr Row Buffers[] = {
    {"RawLoad",
     "%v = call i64 @llvm.amdgcn.raw.ptr.buffer.load.i64(ptr addrspace(8) %r, i32 4, i32 0, i32 0)",
     0x0c0b0a0908070605},
    {"RawLoadScalarOffset",
     "%v = call i64 @llvm.amdgcn.raw.ptr.buffer.load.i64(ptr addrspace(8) %r, i32 4, i32 8, i32 0)",
     0x14131211100f0e0d},
    {"RawLoadOutside",
     "%v = call i64 @llvm.amdgcn.raw.ptr.buffer.load.i64(ptr addrspace(8) %r, i32 32, i32 32, i32 "
     "0)",
     0},
    {"RawLoadDwords",
     "%i = ptrtoint ptr addrspace(8) %r to i128 %d = bitcast i128 %i to <4 x i32> "
     "%v = call i64 @llvm.amdgcn.raw.buffer.load.i64(<4 x i32> %d, i32 4, i32 0, i32 0)",
     0x0c0b0a0908070605},
    {"ScalarLoad",
     "%i = ptrtoint ptr addrspace(8) %r to i128 %d = bitcast i128 %i to <4 x i32> "
     "%v = call i64 @llvm.amdgcn.s.buffer.load.i64(<4 x i32> %d, i32 8, i32 0)",
     0x100f0e0d0c0b0a09},
    {"RawStore",
     "call void @llvm.amdgcn.raw.ptr.buffer.store.i64(i64 99, ptr addrspace(8) %r, i32 4, i32 4, "
     "i32 0) "
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 8 %v = load i64, ptr addrspace(7) %q",
     99},
    {"StructLoad",
     "%s = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %g, i16 16, "
     "i64 4, i32 0) "
     "%v = call i64 @llvm.amdgcn.struct.ptr.buffer.load.i64(ptr addrspace(8) %s, i32 2, i32 8, i32 "
     "0, i32 0)",
     0x302f2e2d2c2b2a29},
    {"StructLoadBehindStride",
     "%s = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %g, i16 16, "
     "i64 4, i32 0) "
     "%v = call i64 @llvm.amdgcn.struct.ptr.buffer.load.i64(ptr addrspace(8) %s, i32 2, i32 16, "
     "i32 0, i32 0)",
     0},
    {"StructStore",
     "%s = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %g, i16 16, "
     "i64 4, i32 0) "
     "call void @llvm.amdgcn.struct.ptr.buffer.store.i64(i64 98, ptr addrspace(8) %s, i32 1, i32 "
     "0, i32 0, i32 0) "
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 16 %v = load i64, ptr addrspace(7) %q",
     98},
    {"AtomicAdd",
     "%o = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 %x, ptr addrspace(8) %r, i32 4, "
     "i32 0, i32 0) "
     "%v = call i64 @llvm.amdgcn.raw.ptr.buffer.load.i64(ptr addrspace(8) %r, i32 4, i32 0, i32 0)",
     0x0c0b0a090807060a},
    {"AtomicOutside",
     "%o = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 %x, ptr addrspace(8) %r, i32 "
     "64, i32 0, i32 0) %v = zext i32 %o to i64",
     0},
    {"CompareSwap",
     "%o = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap.i32(i32 9, i32 67305985, ptr "
     "addrspace(8) %r, i32 0, i32 0, i32 0) "
     "%v = load i64, ptr addrspace(7) %p",
     0x0807060500000009},
    {"CompareSwapFails",
     "%o = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap.i32(i32 9, i32 8, ptr addrspace(8) "
     "%r, i32 0, i32 0, i32 0) "
     "%v = zext i32 %o to i64",
     0x04030201},
    {"AtomicLoad",
     "%o = call i32 @llvm.amdgcn.raw.ptr.atomic.buffer.load.i32(ptr addrspace(8) %r, i32 4, i32 0, "
     "i32 1) %v = zext i32 %o to i64",
     0x08070605},
    {"NullResource",
     "%v = call i64 @llvm.amdgcn.raw.ptr.buffer.load.i64(ptr addrspace(8) null, i32 4, i32 0, i32 "
     "0)",
     0},
};
INSTANTIATE_TEST_SUITE_P(Buffers, Handlers, testing::ValuesIn(Buffers), rowName);

constexpr Row Accesses[] = {
    {"MaskedLoad",
     "%m = call <4 x i8> @llvm.masked.load.v4i8.p7(ptr addrspace(7) %p, <4 x i1> <i1 1, i1 0, i1 "
     "1, i1 0>, <4 x i8> splat (i8 -1)) "
     "%i = bitcast <4 x i8> %m to i32 %v = zext i32 %i to i64",
     0xff03ff01},
    {"ExpandLoad",
     "%m = call <4 x i8> @llvm.masked.expandload.v4i8(ptr %flat, <4 x i1> <i1 0, i1 1, i1 0, i1 "
     "1>, <4 x i8> zeroinitializer) "
     "%i = bitcast <4 x i8> %m to i32 %v = zext i32 %i to i64",
     0x02000100},
    {"MaskedStore",
     "call void @llvm.masked.store.v4i8.p7(<4 x i8> splat (i8 -1), ptr addrspace(7) %p, <4 x i1> "
     "<i1 1, i1 0, i1 0, i1 1>) %v = load i64, ptr addrspace(7) %p",
     0x08070605ff0302ff},
    {"CompressStore",
     "call void @llvm.masked.compressstore.v4i8(<4 x i8> <i8 90, i8 91, i8 92, i8 93>, ptr %flat, "
     "<4 x i1> <i1 0, i1 1, i1 0, i1 1>) %v = load i64, ptr addrspace(7) %p",
     0x0807060504035d5b},
    {"Gather",
     "%q = getelementptr i8, ptr addrspace(7) %p, <2 x i32> <i32 8, i32 0> "
     "%m = call <2 x i32> @llvm.masked.gather.v2i32.v2p7(<2 x ptr addrspace(7)> %q, <2 x i1> splat "
     "(i1 1), <2 x i32> poison) %v = bitcast <2 x i32> %m to i64",
     0x040302010c0b0a09},
    {"Scatter",
     "%q = getelementptr i8, ptr addrspace(7) %p, <2 x i32> <i32 4, i32 0> "
     "call void @llvm.masked.scatter.v2i32.v2p7(<2 x i32> <i32 7, i32 8>, <2 x ptr addrspace(7)> "
     "%q, <2 x i1> splat (i1 1)) %v = load i64, ptr addrspace(7) %p",
     0x0000000700000008},
    {"Memcpy",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 32 call void @llvm.memcpy.p7.p7.i32(ptr "
     "addrspace(7) %p, ptr addrspace(7) %q, i32 5, i1 false) %v = load i64, ptr addrspace(7) %p",
     0x0807062524232221},
    {"MemcpySpaces",
     "%a = alloca [16 x i8], align 8, addrspace(5) call void @llvm.memcpy.p5.p7.i32(ptr "
     "addrspace(5) %a, ptr addrspace(7) %p, i32 16, i1 false) %v = load i64, ptr addrspace(5) %a",
     0x0807060504030201},
    {"Memmove",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 1 call void @llvm.memmove.p7.p7.i32(ptr "
     "addrspace(7) %q, ptr addrspace(7) %p, i32 6, i1 false) %v = load i64, ptr addrspace(7) %p",
     0x0806050403020101},
    {"Memset",
     "call void @llvm.memset.p7.i32(ptr addrspace(7) %p, i8 9, i32 %x, i1 false) %v = load i64, "
     "ptr addrspace(7) %p",
     0x0807060909090909},
    {"MemsetPattern",
     "call void @llvm.experimental.memset.pattern.p7.i16.i32(ptr addrspace(7) %p, i16 513, i32 3, "
     "i1 false) %v = load i64, ptr addrspace(7) %p",
     0x0807020102010201},
    {"CopyNothing",
     "call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) poison, ptr addrspace(7) %p, i32 0, i1 "
     "false) %v = zext i32 %x to i64",
     5},
    {"PackedBits",
     "store <9 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 1, i1 1>, ptr addrspace(7) %p, "
     "align 1 %v = load i64, ptr addrspace(7) %p",
     0x0807060504030185},
    {"OddInteger",
     "store i20 -1, ptr addrspace(7) %p, align 1 %a = load i20, ptr addrspace(7) %p, align 1 %v = "
     "sext i20 %a to i64",
     ~uint64_t(0)},
    {"OddVector",
     "%a = load <3 x i24>, ptr addrspace(7) %p, align 1 %e = extractelement <3 x i24> %a, i32 1 %v "
     "= zext i24 %e to i64",
     0x060504},
    {"StructPadding",
     "store {i8, i32} {i8 -1, i32 -1}, ptr addrspace(7) %p %v = load i64, ptr addrspace(7) %p",
     Poison},
    {"PoisonStaysInItsBytes",
     "store i8 poison, ptr addrspace(7) %p %a = load i32, ptr addrspace(7) %p %b = lshr i32 %a, 16 "
     "%v = zext i32 %b to i64",
     0x0403},
    {"PoisonOfBytesCopies",
     "store i8 poison, ptr addrspace(7) %p %a = load <2 x i32>, ptr addrspace(7) %p %q = "
     "getelementptr i8, ptr addrspace(7) %p, i32 16 "
     "store <2 x i32> %a, ptr addrspace(7) %q %s = getelementptr i8, ptr addrspace(7) %q, i32 1 %b "
     "= load i16, ptr addrspace(7) %s, align 1 %v = zext i16 %b to i64",
     0x0302},
    {"FreezeKeepsBytes",
     "store i8 poison, ptr addrspace(7) %p %a = load i32, ptr addrspace(7) %p %b = freeze i32 %a "
     "%v = zext i32 %b to i64",
     0x04030200},
    {"NeverWritten", "%a = alloca i64, addrspace(5) %v = load i64, ptr addrspace(5) %a", Poison},
    {"LifetimeEnds",
     "%a = alloca i64, addrspace(5) store i64 1, ptr addrspace(5) %a call void "
     "@llvm.lifetime.start.p5(ptr addrspace(5) %a) %v = load i64, ptr addrspace(5) %a",
     Poison},
    {"CmpXchg",
     "%o = cmpxchg ptr addrspace(7) %p, i32 67305985, i32 1 monotonic monotonic %c = extractvalue "
     "{i32, i1} %o, 1 %v = zext i1 %c to i64",
     1},
    {"CmpXchgFails",
     "%o = cmpxchg ptr addrspace(7) %p, i32 1, i32 1 monotonic monotonic %c = extractvalue {i32, "
     "i1} %o, 1 %v = zext i1 %c to i64",
     0},
    {"ExchangeOfFrozenPoison",
     "store i8 poison, ptr addrspace(7) %p %a = load i32, ptr addrspace(7) %p %b = freeze i32 %a "
     "%c = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap.i32(i32 7, i32 %b, ptr addrspace(8) "
     "%r, i32 0, i32 0, i32 0) %d = load i32, ptr addrspace(7) %p %v = zext i32 %d to i64",
     7},
    {"AtomicBitsKeepPoisonInItsBytes",
     "store i8 poison, ptr addrspace(7) %p %a = atomicrmw xor ptr addrspace(7) %p, i32 268435456 "
     "monotonic %q = getelementptr i8, ptr addrspace(7) %p, i32 2 %b = load i16, ptr addrspace(7) "
     "%q %v = zext i16 %b to i64",
     0x1403},
    {"ObjectCallDoesNothing",
     "call void @llvm.prefetch.p7(ptr addrspace(7) %p, i32 0, i32 3, i32 1) %v = zext i32 %x to "
     "i64",
     5},
    {"AssumeAlign",
     "call void @llvm.assume(i1 true) [\"align\"(ptr addrspace(7) %p, i32 64)] %v = zext i32 %x to "
     "i64",
     5},
    {"MaskCount",
     "%a = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0) %b = call i32 @llvm.amdgcn.mbcnt.hi(i32 "
     "-1, i32 %a) %v = zext i32 %b to i64",
     0},
    {"BitField",
     "%a = call i32 @llvm.amdgcn.ubfe.i32(i32 305419896, i32 8, i32 %x) %v = zext i32 %a to i64",
     0x16},
    {"SignedBitField",
     "%a = call i32 @llvm.amdgcn.sbfe.i32(i32 305419896, i32 8, i32 %x) %v = sext i32 %a to i64",
     uint64_t(int64_t(0x16 - 32))},
    {"RoundsTowardZero",
     "%a = call float @llvm.experimental.constrained.fadd.f32(float 1.0, float "
     "0x3E78000000000000, metadata !\"round.towardzero\", metadata !\"fpexcept.ignore\") %b = "
     "bitcast float %a to i32 %v = zext i32 %b to i64",
     0x3f800000},
    {"RoundsToNearest",
     "%a = call float @llvm.experimental.constrained.fadd.f32(float 1.0, float "
     "0x3E78000000000000, metadata !\"round.tonearest\", metadata !\"fpexcept.ignore\") %b = "
     "bitcast float %a to i32 %v = zext i32 %b to i64",
     0x3f800001},
    {"PackHalves",
     "%a = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float 1.0, float 0x40EFFDE000000000) %b = "
     "bitcast <2 x half> %a to i32 %v = zext i32 %b to i64",
     0x7bff3c00},
    {"Permute",
     "%a = call i32 @llvm.amdgcn.perm(i32 -2023406815, i32 -19088744, i32 151521028) %v = zext i32 "
     "%a to i64",
     0xffff8721},
    {"PermuteConstants",
     "%a = call i32 @llvm.amdgcn.perm(i32 -2023406815, i32 -19088744, i32 218893066) %v = zext i32 "
     "%a to i64",
     0xff00ff00},
    {"AlignByte",
     "%a = call i32 @llvm.amdgcn.alignbyte(i32 287454020, i32 1432778632, i32 1) %v = zext i32 %a "
     "to i64",
     0x44556677},
    {"Median",
     "%a = call float @llvm.amdgcn.fmed3.f32(float 3.0, float 1.0, float 2.0) %b = fptoui float %a "
     "to i64 %v = add i64 %b, 0",
     2},
};
INSTANTIATE_TEST_SUITE_P(Accesses, Handlers, testing::ValuesIn(Accesses), rowName);

} // namespace
} // namespace assay::ir

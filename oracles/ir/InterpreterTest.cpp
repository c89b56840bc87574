// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes, control flow, calls and how runs end.
#include "oracles/ir/TestRun.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

TEST(Interpreter, AddsArguments) {
  TestRun test("define i32 @f(i32 %a, i32 %b) { %r = add i32 %a, %b ret i32 %r }");
  test.add(0, 32, 3);
  test.add(0, 32, 4);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(), 7u);
  EXPECT_EQ(test.result.instructions, 2u);
}

TEST(Interpreter, CountsInALoopOfItsOwnForEachLane) {
  TestRun test(R"(
    define i32 @f(i32 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
      %more = add i32 %sum, %i
      %next = add i32 %i, 1
      %done = icmp ugt i32 %next, %n
      br i1 %done, label %exit, label %loop
    exit:
      %all = call i32 @llvm.amdgcn.ballot.i32(i1 true)
      %r = mul i32 %all, 1000
      %s = add i32 %r, %more
      ret i32 %s
    })");
  for (unsigned lane = 0; lane < 3; ++lane)
    test.add(lane, 32, lane * 2);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  // All three lanes are together again after the loop.
  EXPECT_EQ(test.value(0), 7000u);
  EXPECT_EQ(test.value(1), 7003u);
  EXPECT_EQ(test.value(2), 7010u);
}

TEST(Interpreter, SwapsPhisAtOnce) {
  TestRun test(R"(
    define i32 @f(i32 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %a = phi i32 [ 1, %entry ], [ %b, %loop ]
      %b = phi i32 [ 2, %entry ], [ %a, %loop ]
      %next = add i32 %i, 1
      %done = icmp eq i32 %next, %n
      br i1 %done, label %exit, label %loop
    exit:
      %t = mul i32 %a, 10
      %r = add i32 %t, %b
      ret i32 %r
    })");
  test.add(0, 32, 4);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(), 21u);
}

TEST(Interpreter, CallsFunctionsByPointerLaneByLane) {
  TestRun test(R"(
    define i32 @one(i32 %x) {
      %m = call i32 @llvm.amdgcn.ballot.i32(i1 true)
      %r = shl i32 %m, 4
      ret i32 %r
    }
    define i32 @two(i32 %x) {
      %m = call i32 @llvm.amdgcn.ballot.i32(i1 true)
      %r = shl i32 %m, 8
      ret i32 %r
    }
    define i32 @f(i1 %c) {
      %p = select i1 %c, ptr @one, ptr @two
      %v = call i32 %p(i32 1)
      %m = call i32 @llvm.amdgcn.ballot.i32(i1 true)
      %r = or i32 %v, %m
      ret i32 %r
    })");
  for (unsigned lane = 0; lane < 4; ++lane)
    test.add(lane, 1, lane == 2);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(0), 0xb0fu);
  EXPECT_EQ(test.value(2), 0x4fu);
}

TEST(Interpreter, Switches) {
  TestRun test(R"(
    define i32 @f(i32 %x) {
      switch i32 %x, label %other [ i32 3, label %three i32 -1, label %minus ]
    three:
      ret i32 30
    minus:
      ret i32 10
    other:
      ret i32 99
    })");
  test.add(0, 32, 3);
  test.add(1, 32, 0xffffffff);
  test.add(2, 32, 4);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(0), 30u);
  EXPECT_EQ(test.value(1), 10u);
  EXPECT_EQ(test.value(2), 99u);
}

struct EndCase {
  const char *name;
  const char *text;
  RunState state;
  const char *reason;
};

class Ends : public testing::TestWithParam<EndCase> {};

TEST_P(Ends, AsTheySay) {
  TestRun test(GetParam().text);
  ASSERT_EQ(test.error, "");
  test.run();
  EXPECT_EQ(toString(test.result.state), toString(GetParam().state)) << test.result.reason;
  EXPECT_NE(test.result.reason.find(GetParam().reason), std::string::npos) << test.result.reason;
}

constexpr EndCase EndCases[] = {
    {"EndlessLoop", "define void @f() { br label %a a: br label %a }", RunState::TimedOut,
     "instructions"},
    {"PowerOfAWideNumber",
     "declare fp128 @llvm.powi.f128.i32(fp128, i32) define void @f() { "
     "%a = call fp128 @llvm.powi.f128.i32(fp128 0xL00000000000000004000000000000000, i32 2) "
     "ret void }",
     RunState::Unsupported, "wider than double"},
    {"DeepRecursion", "define void @f() { call void @f() ret void }", RunState::TimedOut,
     "calls deeper than 64"},
    {"HugeAlloca", "define void @f() { %a = alloca [100000000 x i32], addrspace(5) ret void }",
     RunState::TimedOut, "scratch"},
    {"HugeCount",
     "define void @f() { %a = alloca i32, i64 9223372036854775807, addrspace(5) ret void }",
     RunState::TimedOut, "scratch"},
    {"HugeArray", "define void @f([1000000 x i32] %a) { ret void }", RunState::Unsupported,
     "a value of type [1000000 x i32]"},
    {"HugeConstant",
     "define void @f(i1 %c) { %a = extractvalue [1000000 x i32] zeroinitializer, 1 ret void }",
     RunState::Unsupported, "arguments"},
    {"Unreachable", "define void @f() { unreachable }", RunState::Undefined, "unreachable"},
    {"PoisonBranch", "define void @f() { br i1 poison, label %a, label %a a: ret void }",
     RunState::Undefined, "branch on poison"},
    {"PoisonSwitch",
     "define void @f() { switch i8 undef, label %a [ i8 1, label %a ] a: ret void }",
     RunState::Undefined, "switch on poison"},
    {"Declaration", "declare void @g() define void @f() { call void @g() ret void }",
     RunState::Unsupported, "declaration g"},
    {"NoFunction", "define void @f() { %p = inttoptr i64 64 to ptr call void %p() ret void }",
     RunState::Undefined, "no such function"},
    {"WrongFunction",
     "define void @g(i32 %x) { ret void } define void @f() { call void @g() ret void }",
     RunState::Undefined, "no such function"},
    {"InlineAssembly", "define void @f() { call void asm \"s_nop 0\", \"\"() ret void }",
     RunState::Unsupported, "inline assembly"},
    {"IndirectBranch",
     "define void @f() { indirectbr ptr blockaddress(@f, %a), [label %a] a: ret void }",
     RunState::Unsupported, ""},
    {"UnknownIntrinsic",
     "define i32 @f() { %r = call i32 @llvm.amdgcn.groupstaticsize() ret i32 %r }",
     RunState::Unsupported, "llvm.amdgcn.groupstaticsize"},
    {"Trap", "define void @f() { call void @llvm.trap() ret void }", RunState::Trapped, "trap"},
    {"Assumption", "define void @f() { call void @llvm.assume(i1 false) ret void }",
     RunState::Undefined, "assumption"},
    {"MemcpyOverlaps",
     "define void @f() { %a = alloca [8 x i8], addrspace(5) "
     "%b = getelementptr i8, ptr addrspace(5) %a, i32 1 "
     "call void @llvm.memcpy.p5.p5.i32(ptr addrspace(5) %b, ptr addrspace(5) %a, i32 4, i1 false) "
     "ret void }",
     RunState::Undefined, "overlapping"},
    {"HugeCopy",
     "define void @f() { call void @llvm.memset.p1.i64(ptr addrspace(1) null, i8 0, i64 -1, i1 "
     "false) ret void }",
     RunState::TimedOut, "copy of more than"},
    {"PoisonLength",
     "define void @f() { call void @llvm.memset.p1.i64(ptr addrspace(1) null, i8 0, i64 poison, i1 "
     "false) ret void }",
     RunState::Undefined, "poison length"},
    {"NoMemory", "define void @f() { store i32 1, ptr addrspace(1) null ret void }",
     RunState::Trapped, "outside of memory"},
    {"NoShared", "define void @f() { store i32 1, ptr addrspace(3) null ret void }",
     RunState::Trapped, "outside of LDS"},
    {"NoScratch", "define void @f() { store i32 1, ptr addrspace(5) null ret void }",
     RunState::Undefined, "outside of an alloca"},
    {"BehindAlloca",
     "define void @f() { %a = alloca i32, addrspace(5) %b = alloca i32, addrspace(5) "
     "store i64 1, ptr addrspace(5) %a, align 4 ret void }",
     RunState::Undefined, "outside of an alloca"},
    {"AllocaOfCallee",
     "define ptr addrspace(5) @g() { %a = alloca i32, addrspace(5) ret ptr addrspace(5) %a } "
     "define void @f() { %a = call ptr addrspace(5) @g() store i32 1, ptr addrspace(5) %a ret void "
     "}",
     RunState::Undefined, "outside of an alloca"},
    {"PoisonPointer", "define void @f() { store i32 1, ptr addrspace(7) poison ret void }",
     RunState::Undefined, "through poison"},
    {"PoisonResource",
     "define void @f() { call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 1, ptr addrspace(8) "
     "poison, i32 0, i32 0, i32 0) ret void }",
     RunState::Undefined, "poison address"},
    {"Misaligned",
     "define void @f() { %p = inttoptr i160 8589934592 to ptr addrspace(7) store i32 1, ptr "
     "addrspace(7) %p, align 4 ret void }",
     RunState::Undefined, "misaligned"},
    {"MisalignedAtomic",
     "define void @f() { %r = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr "
     "addrspace(8) null, i32 2, i32 0, i32 0) ret void }",
     RunState::Undefined, "misaligned"},
    {"ResourceOfNothing",
     "define void @f() { %r = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr "
     "addrspace(1) null, i16 0, i64 16, i32 0) store i32 1, ptr addrspace(7) %r ret void }",
     RunState::Trapped, "outside of memory"},
    {"Swizzled",
     "define void @f() { %r = call ptr addrspace(9) @llvm.amdgcn.make.buffer.rsrc.p9.p1(ptr "
     "addrspace(1) null, i16 -32764, i64 16, i32 0) store i32 1, ptr addrspace(9) %r ret void }",
     RunState::Unsupported, "swizzled"},
    {"RawThroughStride",
     "define void @f() { %r = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr "
     "addrspace(1) null, i16 4, i64 16, i32 0) store i32 1, ptr addrspace(7) %r ret void }",
     RunState::Undefined, "stride"},
    {"CastFromShared",
     "define void @f() { %q = addrspacecast ptr addrspace(3) null to ptr addrspace(7) ret void }",
     RunState::Unsupported, "addrspacecast from 3 to 7"},
    {"CastToGlobal",
     "define void @f() { %q = addrspacecast ptr addrspace(7) null to ptr addrspace(1) ret void }",
     RunState::Unsupported, "addrspacecast from 7 to 1"},
    {"ConstantMemory",
     "@c = addrspace(4) constant i32 1 define void @f() { store i32 1, ptr addrspace(4) @c ret "
     "void "
     "}",
     RunState::Undefined, "constant memory"},
    {"DivisionByZero", "define void @f() { %a = udiv i32 1, 0 ret void }", RunState::Undefined,
     "division"},
    {"DivisionOverflows", "define void @f() { %a = sdiv i8 -128, -1 ret void }",
     RunState::Undefined, "overflows"},
    {"BrokenAlignment",
     "define void @f() { call void @llvm.assume(i1 true) [\"align\"(ptr inttoptr (i64 4 to ptr), "
     "i64 8)] ret void }",
     RunState::Undefined, "assumption"},
    {"MaskedBits",
     "define void @f() { call void @llvm.masked.store.v2i1.p1(<2 x i1> zeroinitializer, ptr "
     "addrspace(1) null, <2 x i1> zeroinitializer) ret void }",
     RunState::Unsupported, "whole bytes"},
    {"DppControl",
     "define void @f() { %a = call i32 @llvm.amdgcn.mov.dpp.i32(i32 1, i32 304, i32 15, i32 15, i1 "
     "false) ret void }",
     RunState::Unsupported, "DPP control 0x130"},
    {"HugeGlobal",
     "@g = addrspace(1) global [100000000 x i8] zeroinitializer define void @f() { ret void }",
     RunState::Unsupported, "global g"},
    {"ScalableVector", "define void @f(<vscale x 4 x i32> %a) { ret void }", RunState::Unsupported,
     "vscale"},
};

/// Bits of 2^-149 + 0, by arithmetic and by an atomic operation on memory that holds it.
static std::pair<uint64_t, uint32_t> addDenormals(const char *attributes) {
  TestRun test(std::string("define i32 @f(ptr addrspace(7) %p, float %x) #0 {\n"
                           "%sum = fadd float %x, 0.0\n"
                           "%old = atomicrmw fadd ptr addrspace(7) %p, float 0.0 monotonic\n"
                           "%v = bitcast float %sum to i32 ret i32 %v }\nattributes #0 = { ") +
               attributes + " }");
  EXPECT_EQ(test.error, "");
  test.addBuffer(16);
  support::endian::write32le(test.memory.buffers[0].bytes.data(), 1);
  test.addPointer(0, 0, 7, 0);
  test.add(0, 32, 1);
  EXPECT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  return {test.value(), test.dword(0, 0)};
}

TEST(Interpreter, FlushesDenormalsWhereTheFunctionSaysSo) {
  using Bits = std::pair<uint64_t, uint32_t>;
  EXPECT_EQ(addDenormals("nounwind"), Bits(1, 1));
  EXPECT_EQ(addDenormals("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\""), Bits(0, 0));
  EXPECT_EQ(addDenormals("\"denormal-fp-math\"=\"preserve-sign,preserve-sign\" "
                         "\"denormal-fp-math-f32\"=\"ieee,ieee\""),
            Bits(1, 1));
}

/// Bits of -2^-126 / 4, whose operands are normal, and of -2^-149 * 2^23, whose result is.
static std::pair<uint64_t, uint64_t> divideAndMultiply(const char *mode) {
  auto run = [&](const char *operation, uint32_t x, uint32_t y) {
    TestRun test(std::string("define i32 @f(float %x, float %y) #0 { %r = ") + operation +
                 " float %x, %y %v = bitcast float %r to i32 ret i32 %v }\n"
                 "attributes #0 = { \"denormal-fp-math\"=\"" +
                 mode + "\" }");
    EXPECT_EQ(test.error, "");
    test.add(0, 32, x);
    test.add(0, 32, y);
    EXPECT_EQ(test.run().state, RunState::Returned) << test.result.reason;
    return test.value();
  };
  return {run("fdiv", 0x80800000, 0x40800000), run("fmul", 0x80000001, 0x4b000000)};
}

/// The attribute has the mode of results first.
TEST(Interpreter, FlushesOperandsAndResultsEachByItsMode) {
  using Bits = std::pair<uint64_t, uint64_t>;
  constexpr uint64_t quotient = 0x80200000, product = 0x80800000, minusZero = 0x80000000;
  EXPECT_EQ(divideAndMultiply("ieee,ieee"), Bits(quotient, product));
  EXPECT_EQ(divideAndMultiply("preserve-sign,ieee"), Bits(minusZero, product));
  EXPECT_EQ(divideAndMultiply("ieee,preserve-sign"), Bits(quotient, minusZero));
  EXPECT_EQ(divideAndMultiply("positive-zero,preserve-sign"), Bits(0, minusZero));
  EXPECT_EQ(divideAndMultiply("ieee,positive-zero"), Bits(quotient, 0));
}

TEST(Interpreter, RefusesInvariantMemoryThatChanges) {
  for (const char *body :
       {"store i32 1, ptr addrspace(7) %p %v = load i32, ptr addrspace(7) %p, !invariant.load !0",
        "%v = load i32, ptr addrspace(7) %p, !invariant.load !0 store i32 1, ptr addrspace(7) "
        "%p"}) {
    TestRun test("define void @f(ptr addrspace(7) %p) { " + std::string(body) +
                 " ret void }\n!0 = !{}");
    test.addBuffer(16);
    test.addPointer(0, 0, 7, 0);
    EXPECT_EQ(test.run().state, RunState::Undefined) << body;
    EXPECT_NE(test.result.reason.find("invariant"), std::string::npos) << test.result.reason;
  }
}

TEST(Interpreter, MakesPoisonOfWhatLanesWriteOverEachOther) {
  TestRun test(R"(
    define void @f(ptr addrspace(7) %p, i32 %v) {
      store i32 %v, ptr addrspace(7) %p, align 1
      ret void
    })");
  test.addBuffer(16);
  for (unsigned lane = 0; lane < 2; ++lane) {
    test.addPointer(lane, 0, 7, lane * 2);
    test.add(lane, 32, 0x01010101u << lane);
  }
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.memory.buffers[0].poison,
            (std::vector<bool>{0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Interpreter, RefusesCopiesOfWhatOtherLanesWrite) {
  TestRun test(R"(
    define void @f(ptr addrspace(7) %p, ptr addrspace(7) %q) {
      call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 4, i1 false)
      ret void
    })");
  test.addBuffer(16);
  for (unsigned lane = 0; lane < 2; ++lane) {
    test.addPointer(lane, 0, 7, lane * 4);
    test.addPointer(lane, 0, 7, lane * 4 + 4);
  }
  EXPECT_EQ(test.run().state, RunState::Undefined);
  EXPECT_NE(test.result.reason.find("another writes"), std::string::npos) << test.result.reason;
}

INSTANTIATE_TEST_SUITE_P(Interpreter, Ends, testing::ValuesIn(EndCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace assay::ir

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
  // All three lanes are together again behind the loop.
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
    {"ScalableVector", "define void @f(<vscale x 4 x i32> %a) { ret void }", RunState::Unsupported,
     "vscale"},
};

INSTANTIATE_TEST_SUITE_P(Interpreter, Ends, testing::ValuesIn(EndCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace assay::ir

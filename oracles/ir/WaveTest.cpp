// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What crosses lanes: a row is the body of a function of 32 lanes with %x = 100 + the lane's
// number, and the results of some lanes.
#include "oracles/ir/TestRun.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

constexpr uint64_t Poison = 0xdead;

struct Row {
  const char *name;
  const char *body;                                  ///< Ends with a value %v of type i32.
  std::vector<std::pair<unsigned, uint64_t>> values; ///< Lane, result.
};

class Wave : public testing::TestWithParam<Row> {};

TEST_P(Wave, Exchanges) {
  TestRun test("define i32 @f(i32 %x) {\n" + std::string(GetParam().body) + "\nret i32 %v }");
  ASSERT_EQ(test.error, "");
  for (unsigned lane = 0; lane < 32; ++lane)
    test.add(lane, 32, 100 + lane);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  for (auto [lane, value] : GetParam().values)
    EXPECT_EQ(test.value(lane), value) << "lane " << lane;
}

const Row Rows[] = {
    {"ReadFirstLane",
     "%v = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)",
     {{0, 100}, {31, 100}}},
    {"ReadFirstActiveLane",
     "%c = icmp ugt i32 %x, 103 br i1 %c, label %a, label %b\n"
     "a: %y = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x) br label %b\n"
     "b: %v = phi i32 [ 7, %0 ], [ %y, %a ]",
     {{3, 7}, {4, 104}, {31, 104}}},
    {"ReadLane", "%v = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 9)", {{0, 109}, {31, 109}}},
    {"ReadInactiveLane",
     "%c = icmp ugt i32 %x, 103 br i1 %c, label %a, label %b\n"
     "a: %y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 2) br label %b\n"
     "b: %v = phi i32 [ 7, %0 ], [ %y, %a ]",
     {{3, 7}, {4, Poison}}},
    {"WriteLane",
     "%v = call i32 @llvm.amdgcn.writelane.i32(i32 1, i32 4, i32 %x)",
     {{4, 1}, {5, 105}}},
    {"Ballot",
     "%c = icmp ult i32 %x, 103 %v = call i32 @llvm.amdgcn.ballot.i32(i1 %c)",
     {{0, 7}, {31, 7}}},
    {"InverseBallot",
     "%c = call i1 @llvm.amdgcn.inverse.ballot.i32(i32 6) %v = zext i1 %c to i32",
     {{0, 0}, {1, 1}, {2, 1}, {3, 0}}},
    {"CompareMask",
     "%m = call i32 @llvm.amdgcn.icmp.i32.i32(i32 %x, i32 130, i32 35) %v = add i32 %m, 0",
     {{0, 0xc0000000}}},
    {"MaskCount",
     "%v = call i32 @llvm.amdgcn.mbcnt.lo(i32 10, i32 100)",
     {{0, 100}, {2, 101}, {3, 101}, {4, 102}}},
    {"WorkItem", "%v = call i32 @llvm.amdgcn.workitem.id.x()", {{0, 0}, {17, 17}}},
    {"QuadPermutation",
     "%v = call i32 @llvm.amdgcn.update.dpp.i32(i32 1, i32 %x, i32 27, i32 15, i32 15, i1 false)",
     {{0, 103}, {1, 102}, {6, 105}, {7, 104}}},
    {"RowBroadcast",
     "%v = call i32 @llvm.amdgcn.update.dpp.i32(i32 1, i32 %x, i32 322, i32 15, i32 15, i1 false)",
     {{3, 1}, {16, 115}, {31, 115}}},
    {"WaveShiftRight",
     "%v = call i32 @llvm.amdgcn.update.dpp.i32(i32 1, i32 %x, i32 312, i32 15, i32 15, i1 false)",
     {{0, 1}, {5, 104}, {16, 115}}},
    {"SwizzleByMasks",
     "%v = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 1055)",
     {{0, 101}, {7, 106}, {31, 130}}},
    {"SwizzleOfQuads",
     "%v = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 32795)",
     {{0, 103}, {6, 105}}},
    {"RowShiftLeft",
     "%v = call i32 @llvm.amdgcn.update.dpp.i32(i32 1, i32 %x, i32 258, i32 15, i32 15, i1 false)",
     {{0, 102}, {13, 115}, {14, 1}, {16, 118}}},
    {"RowShiftRightZero",
     "%v = call i32 @llvm.amdgcn.update.dpp.i32(i32 1, i32 %x, i32 273, i32 15, i32 15, i1 true)",
     {{0, 0}, {1, 100}, {16, 0}, {17, 116}}},
    {"RowRotate",
     "%v = call i32 @llvm.amdgcn.update.dpp.i32(i32 1, i32 %x, i32 289, i32 15, i32 15, i1 false)",
     {{0, 115}, {1, 100}, {16, 131}}},
    {"RowMirror",
     "%v = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %x, i32 320, i32 15, i32 15, i1 false)",
     {{0, 115}, {31, 116}}},
    {"HalfMirror",
     "%v = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %x, i32 321, i32 15, i32 15, i1 false)",
     {{0, 107}, {8, 115}}},
    {"RowShare",
     "%v = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %x, i32 338, i32 15, i32 15, i1 false)",
     {{0, 102}, {31, 118}}},
    {"RowXor",
     "%v = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %x, i32 355, i32 15, i32 15, i1 false)",
     {{0, 103}, {17, 118}}},
    {"RowAndBankMask",
     "%v = call i32 @llvm.amdgcn.update.dpp.i32(i32 1, i32 %x, i32 0, i32 2, i32 1, i1 false)",
     {{0, 1}, {16, 116}, {17, 116}, {20, 1}}},
    {"Dpp8",
     "%v = call i32 @llvm.amdgcn.mov.dpp8.i32(i32 %x, i32 342391)",
     {{0, 107}, {1, 106}, {2, 105}, {8, 115}}},
    {"PermuteRow",
     "%v = call i32 @llvm.amdgcn.permlane16.i32(i32 1, i32 %x, i32 305419896, i32 0, i1 false, i1 "
     "false)",
     {{0, 108}, {1, 107}, {8, 100}, {16, 124}}},
    {"PermuteOtherRow",
     "%v = call i32 @llvm.amdgcn.permlanex16.i32(i32 1, i32 %x, i32 305419896, i32 0, i1 false, i1 "
     "false)",
     {{0, 124}, {16, 108}}},
    {"BackwardPermute",
     "%a = shl i32 %x, 2 %v = call i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %x)",
     {{0, 104}, {28, 100}}},
    {"Halves", "%v = call i32 @llvm.amdgcn.permlane64.i32(i32 %x)", {{0, 100}}},
    {"ReduceMinimum", "%v = call i32 @llvm.amdgcn.wave.reduce.umin.i32(i32 %x, i32 0)", {{5, 100}}},
    {"ReduceSum",
     "%v = call i32 @llvm.amdgcn.wave.reduce.add.i32(i32 %x, i32 0)",
     {{5, 3200 + 496}}},
    {"StrictMode", "%v = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %x)", {{5, 105}}},
    {"Waterfall",
     "%k = and i32 %x, 3 br label %loop\n"
     "loop: %n = phi i32 [ 0, %0 ], [ %m, %next ] %m = add i32 %n, 1\n"
     "%first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %k) %mine = icmp eq i32 %first, %k\n"
     "br i1 %mine, label %work, label %next\n"
     "work: %mask = call i32 @llvm.amdgcn.ballot.i32(i1 true) br label %next\n"
     "next: %done = phi i1 [ false, %loop ], [ true, %work ]\n"
     "%seen = phi i32 [ 0, %loop ], [ %mask, %work ] br i1 %done, label %out, label %loop\n"
     "out: %all = call i32 @llvm.amdgcn.ballot.i32(i1 true) %s = mul i32 %m, 1000\n"
     "%both = add i32 %all, 1 %t = add i32 %s, %both %v = add i32 %t, %seen",
     {{0, 1000u + 0x11111111}, {1, 2000u + 0x22222222}, {31, 4000u + 0x88888888}}},
    // What lanes do after a loop, they do together, whenever they left it.
    {"LoopsAreLeftTogether",
     "%k = and i32 %x, 3 br label %loop\n"
     "loop: %n = phi i32 [ 0, %0 ], [ %m, %again ] %m = add i32 %n, 1\n"
     "%mine = icmp ugt i32 %m, %k br i1 %mine, label %out, label %again\n"
     "again: br label %loop\n"
     "out: %mask = call i32 @llvm.amdgcn.ballot.i32(i1 true) %v = add i32 %m, %mask",
     {{0, 0}, {3, 3}}},
};
INSTANTIATE_TEST_SUITE_P(Interpreter, Wave, testing::ValuesIn(Rows),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Wave, RefusesDifferentResourcesInAScalarLoad) {
  TestRun test(R"(
    define i32 @f(ptr addrspace(8) %r) {
      %i = ptrtoint ptr addrspace(8) %r to i128
      %d = bitcast i128 %i to <4 x i32>
      %v = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %d, i32 0, i32 0)
      ret i32 %v
    })");
  test.addBuffer(16);
  test.addBuffer(16);
  test.addPointer(0, 0, 8, 0);
  test.addPointer(1, 1, 8, 0);
  EXPECT_EQ(test.run().state, RunState::Divergent);
}

TEST(Wave, RefusesDifferentLanesInReadLane) {
  TestRun test("define i32 @f(i32 %x) { %v = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 %x) "
               "ret i32 %v }");
  test.add(0, 32, 0);
  test.add(1, 32, 1);
  EXPECT_EQ(test.run().state, RunState::Divergent);
}

} // namespace
} // namespace assay::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/ir/TestRun.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

constexpr StringRef head =
    "@shared = internal addrspace(3) global [16 x i32] zeroinitializer\n"
    "define i32 @f(ptr addrspace(7) %p, ptr addrspace(8) %r, i32 %read, i32 %to) {\n"
    "%lds = getelementptr i8, ptr addrspace(3) @shared, i32 %to\n";
constexpr StringRef tail = "\n%q = getelementptr i8, ptr addrspace(3) @shared, i32 %read\n"
                           "%v = load i32, ptr addrspace(3) %q\nret i32 %v }";

/// Runs \p call in three lanes. Lane i loads from byte 4 * i of a buffer of bytes 1, 2, 3, ..., 64
/// into LDS from byte \p to[i] on, and then reads the dword at byte \p read[i] of LDS.
std::unique_ptr<TestRun> runLanes(StringRef call, std::array<uint32_t, 3> read,
                                  std::array<uint32_t, 3> to = {0, 0, 0}) {
  auto test = std::make_unique<TestRun>((head + call + tail).str());
  EXPECT_EQ(test->error, "");
  test->addBuffer(64);
  for (unsigned lane = 0; lane < 3; ++lane) {
    test->addPointer(lane, 0, 7, 4 * lane);
    test->addPointer(lane, 0, 8, 0);
    test->add(lane, 32, read[lane]);
    test->add(lane, 32, to[lane]);
  }
  test->run();
  return test;
}

constexpr StringRef byPointer = "call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %p, "
                                "ptr addrspace(3) %lds, i32 ";

TEST(LdsLoads, GiveEachLaneADword) {
  auto dwords = runLanes((byPointer + "4, i32 0, i32 0)").str(), {4, 8, 0});
  EXPECT_EQ(dwords->value(0), 0x08070605u);
  EXPECT_EQ(dwords->value(1), 0x0c0b0a09u);
  EXPECT_EQ(dwords->value(2), 0x04030201u);
}

TEST(LdsLoads, ExtendBytesAndShorts) {
  auto bytes = runLanes((byPointer + "1, i32 0, i32 0)").str(), {0, 4, 8});
  EXPECT_EQ(bytes->value(2), 0x09u);
  auto shorts = runLanes((byPointer + "2, i32 0, i32 0)").str(), {0, 4, 8});
  EXPECT_EQ(shorts->value(1), 0x0605u);
}

TEST(LdsLoads, SpreadWideValues) {
  auto wide = runLanes((byPointer + "12, i32 0, i32 0)").str(), {8, 12, 32});
  EXPECT_EQ(wide->value(0), 0x0c0b0a09u);
  EXPECT_EQ(wide->value(1), 0x08070605u);
  EXPECT_EQ(wide->value(2), 0x14131211u);
}

TEST(LdsLoads, AddTheOffsetOnBothSides) {
  auto moved = runLanes((byPointer + "4, i32 8, i32 0)").str(), {8, 12, 4});
  EXPECT_EQ(moved->value(0), 0x0c0b0a09u);
  EXPECT_EQ(moved->value(1), 0x100f0e0du);
  EXPECT_EQ(moved->value(2), 0u);
}

TEST(LdsLoads, ByInstructionAddAllOffsets) {
  auto raw = runLanes("call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, "
                      "ptr addrspace(3) %lds, i32 4, i32 %read, i32 4, i32 8, i32 0)",
                      {8, 12, 16});
  EXPECT_EQ(raw->value(0), 0x18171615u) << "8 + 4 + 8 bytes beyond the base";
  EXPECT_EQ(raw->value(2), 0x201f1e1du);
}

TEST(LdsLoads, TakeSignedOffsetsOfGlobalMemory) {
  auto test = runLanes("%g = getelementptr i8, ptr addrspace(3) %lds, i32 16\n"
                       "%b = ptrtoint ptr addrspace(8) %r to i128\n%n = trunc i128 %b to i48\n"
                       "%a = zext i48 %n to i64\n%p1 = inttoptr i64 %a to ptr addrspace(1)\n"
                       "%at = getelementptr i8, ptr addrspace(1) %p1, i32 12\n"
                       "call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %at, "
                       "ptr addrspace(3) %g, i32 4, i32 -8, i32 0)",
                       {8, 12, 16});
  EXPECT_EQ(test->value(0), 0x08070605u) << "byte 12 - 8 of the buffer, 16 - 8 of LDS";
  EXPECT_EQ(test->value(2), 0x08070605u);
}

TEST(LdsLoads, TakeAResourceAsFourDwordsAndAnIndex) {
  auto test = runLanes("%c = ptrtoint ptr addrspace(8) %r to i128\n"
                       "%d = bitcast i128 %c to <4 x i32>\n"
                       "call void @llvm.amdgcn.raw.buffer.load.lds(<4 x i32> %d, "
                       "ptr addrspace(3) %lds, i32 16, i32 %read, i32 0, i32 0, i32 0)",
                       {0, 16, 32});
  EXPECT_EQ(test->value(1), 0x14131211u);
  auto indexed = runLanes("call void @llvm.amdgcn.struct.ptr.buffer.load.lds(ptr addrspace(8) %r, "
                          "ptr addrspace(3) %lds, i32 4, i32 0, i32 %read, i32 4, i32 0, i32 0)",
                          {0, 4, 8});
  EXPECT_EQ(indexed->value(2), 0x100f0e0du);
}

TEST(LdsLoads, LeaveOpenWhetherOffsetsWrap) {
  auto test = runLanes("%w = getelementptr i8, ptr addrspace(7) %p, i32 -16\n"
                       "call void @llvm.amdgcn.load.to.lds.p7(ptr addrspace(7) %w, "
                       "ptr addrspace(3) %lds, i32 4, i32 32, i32 0)",
                       {0, 0, 0});
  EXPECT_EQ(test->result.state, RunState::PartialBounds);
}

TEST(LdsLoads, AreUndefinedOfPoison) {
  auto test = runLanes("call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, "
                       "ptr addrspace(3) %lds, i32 4, i32 poison, i32 0, i32 0, i32 0)",
                       {0, 0, 0});
  EXPECT_EQ(test->result.state, RunState::Undefined);
}

TEST(LdsLoads, ReadZeroOutsideOfTheBuffer) {
  auto outside = runLanes("call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, "
                          "ptr addrspace(3) %lds, i32 4, i32 -64, i32 0, i32 0, i32 0)",
                          {0, 4, 8});
  EXPECT_EQ(outside->value(1), 0u);
}

TEST(LdsLoads, AreTwoEventsWhereVolatile) {
  auto test = runLanes((byPointer + "4, i32 0, i32 -2147483648)").str(), {0, 4, 8});
  ASSERT_EQ(test->result.events.size(), 6u);
  EXPECT_EQ(test->result.events[0].kind, Event::Kind::VolatileLoad);
  EXPECT_EQ(test->result.events[1].kind, Event::Kind::VolatileStore);
}

TEST(LdsLoads, StopAtDifferentPlacesAndOutsideOfLds) {
  auto different = runLanes((byPointer + "4, i32 0, i32 0)").str(), {0, 0, 0}, {0, 4, 8});
  EXPECT_EQ(different->result.state, RunState::Divergent);
  auto outside = runLanes((byPointer + "4, i32 0, i32 0)").str(), {0, 0, 0}, {56, 56, 56});
  EXPECT_EQ(outside->result.state, RunState::Trapped) << "lane 2 would write beyond 64 bytes";
}

} // namespace
} // namespace assay::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of all kinds: buffers with and without bounds, by fat pointers and by intrinsics.
#include "oracles/ir/TestRun.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

constexpr const char *LoadFat =
    "define i32 @f(ptr addrspace(7) %p) { %v = load i32, ptr addrspace(7) %p, align 1 ret i32 %v }";
constexpr const char *LoadRaw = R"(
  define i32 @f(ptr addrspace(7) %p) {
    %i = ptrtoint ptr addrspace(7) %p to i160
    %o = trunc i160 %i to i32
    %h = lshr i160 %i, 32
    %t = trunc i160 %h to i128
    %r = inttoptr i128 %t to ptr addrspace(8)
    %v = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
    ret i32 %v
  })";

struct BoundsCase {
  uint32_t offset, records;
  RunState state;
  uint64_t value;
};

class Bounds : public testing::TestWithParam<BoundsCase> {};

TEST_P(Bounds, AreTheSameForPointersAndInstructions) {
  for (const char *text : {LoadFat, LoadRaw}) {
    TestRun test(text);
    test.addBuffer(16);
    test.memory.buffers[0].numRecords = GetParam().records;
    test.addPointer(0, 0, 7, GetParam().offset);
    test.run();
    EXPECT_EQ(test.result.state, GetParam().state) << test.result.reason;
    if (GetParam().state == RunState::Returned)
      EXPECT_EQ(test.value(), GetParam().value);
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, Bounds,
                         testing::Values(BoundsCase{0, 16, RunState::Returned, 0x04030201},
                                         BoundsCase{12, 16, RunState::Returned, 0x100f0e0d},
                                         BoundsCase{13, 16, RunState::PartialBounds, 0},
                                         BoundsCase{16, 16, RunState::Returned, 0},
                                         BoundsCase{0xfffffff0, 16, RunState::Returned, 0},
                                         BoundsCase{0xfffffffe, 16, RunState::PartialBounds, 0},
                                         BoundsCase{0, 0, RunState::Returned, 0},
                                         BoundsCase{0xfffffffe, 0, RunState::Returned, 0},
                                         BoundsCase{16, 32, RunState::Trapped, 0},
                                         BoundsCase{12, ~0u, RunState::Returned, 0x100f0e0d},
                                         BoundsCase{13, ~0u, RunState::Trapped, 0},
                                         BoundsCase{0xfffffffc, ~0u, RunState::Trapped, 0}));

TEST(Memory, MovesFatPointersByTheLowWordAlone) {
  TestRun test(R"(
    define i160 @f(ptr addrspace(7) %p, i32 %i) {
      %q = getelementptr [3 x i32], ptr addrspace(7) %p, i32 %i, i32 1
      %r = ptrtoint ptr addrspace(7) %q to i160
      ret i160 %r
    })");
  test.addBuffer(16);
  test.addPointer(0, 0, 7, 4);
  test.add(0, 32, 0xffffffff);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  APInt bits = test.result.returned[0][0].bits;
  EXPECT_EQ(bits.extractBitsAsZExtValue(32, 0), 0xfffffffcu);
  EXPECT_EQ(bits.extractBitsAsZExtValue(48, 32), 0x100000u);
  EXPECT_EQ(bits.extractBitsAsZExtValue(32, 96), 16u);
  EXPECT_EQ(bits.extractBitsAsZExtValue(32, 128), 0x31016facu);
}

TEST(Memory, KeepsFatPointersInScratchBy32Bytes) {
  TestRun test(R"(
    define i32 @f(ptr addrspace(7) %p, ptr addrspace(7) %q) {
      %slots = alloca [2 x ptr addrspace(7)], align 32, addrspace(5)
      %second = getelementptr i8, ptr addrspace(5) %slots, i32 32
      store ptr addrspace(7) %p, ptr addrspace(5) %slots, align 32
      store ptr addrspace(7) %q, ptr addrspace(5) %second, align 32
      %slot = getelementptr ptr addrspace(7), ptr addrspace(5) %slots, i32 1
      %r = load ptr addrspace(7), ptr addrspace(5) %slot, align 32
      %v = load i32, ptr addrspace(7) %r
      %n = load i160, ptr addrspace(5) %slots, align 32
      %i = trunc i160 %n to i32
      %s = add i32 %v, %i
      ret i32 %s
    })");
  test.addBuffer(16);
  test.addPointer(0, 0, 7, 0x4000);
  test.addPointer(0, 0, 7, 4);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(), 0x08070605u + 0x4000);
}

TEST(Memory, FindsStridedElements) {
  TestRun test(R"(
    define i32 @f(ptr addrspace(9) %p) {
      %q = getelementptr i8, ptr addrspace(9) %p, i32 4
      %v = load i32, ptr addrspace(9) %q
      ret i32 %v
    })");
  test.addBuffer(32, 8);
  for (uint32_t index : {0u, 3u, 4u, 0xffffffffu})
    test.addPointer(index < 4 ? index / 3 : index == 4 ? 2 : 3, 0, 9, 0, index);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(0), 0x08070605u);
  EXPECT_EQ(test.value(1), 0x201f1e1du);
  EXPECT_EQ(test.value(2), 0u);
  EXPECT_EQ(test.value(3), 0u);
}

TEST(Memory, LooksAtTheStrideWhateverTheRecords) {
  for (uint32_t records : {4u, ~0u}) {
    TestRun test("define i32 @f(ptr addrspace(9) %p) { %v = load i32, ptr addrspace(9) %p ret i32 "
                 "%v }");
    test.addBuffer(32, 8);
    test.memory.buffers[0].numRecords = records;
    test.addPointer(0, 0, 9, 4, 1);
    test.addPointer(1, 0, 9, 8, 1);
    ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
    EXPECT_EQ(test.value(0), 0x100f0e0du);
    EXPECT_EQ(test.value(1), 0u);
  }
}

TEST(Memory, AliasesPointIntoWhatTheyName) {
  TestRun test(R"(
    @table = addrspace(1) constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
    @middle = alias i32, getelementptr ([4 x i32], ptr addrspace(1) @table, i64 0, i64 2)
    @again = alias i32, getelementptr (i8, ptr addrspace(1) @middle, i64 -4)
    define i32 @f() {
      %a = load i32, ptr addrspace(1) @middle
      %b = load i32, ptr addrspace(1) @again
      %v = sub i32 %a, %b
      ret i32 %v
    })");
  ASSERT_EQ(test.error, "");
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(), 10u);
}

TEST(Memory, StoresOfLanesGoInOrder) {
  TestRun test(R"(
    define void @f(ptr addrspace(7) %p, i32 %v) {
      store volatile i32 %v, ptr addrspace(7) %p
      ret void
    })");
  test.addBuffer(16);
  for (unsigned lane = 0; lane < 3; ++lane) {
    test.addPointer(lane, 0, 7, 8);
    test.add(lane, 32, 100 + lane);
  }
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.dword(0, 8), 102u);
  ASSERT_EQ(test.result.events.size(), 3u);
  EXPECT_EQ(test.result.events[1].lane, 1u);
  EXPECT_EQ(test.result.events[1].address, 0x100008u);
}

} // namespace
} // namespace assay::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pure parts of the memory model: allocations, descriptors, atomics.
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "oracles/machine/simt/AddressSpace.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::gcn;
using namespace assay::simt;

TEST(AddressSpace, FindsOnlyWhatLiesInsideOneAllocation) {
  AddressSpace space;
  (void)space.allocate(0x1000, 16, "first", true);
  (void)space.allocate(0x2000, 16, "second", false);
  EXPECT_NE(space.find(0x1000, 16, Access::Write), nullptr);
  EXPECT_EQ(space.find(0x1000, 17, Access::Read), nullptr);
  EXPECT_EQ(space.find(0x0fff, 1, Access::Read), nullptr);
  EXPECT_NE(space.find(0x200f, 1, Access::Read), nullptr);
  EXPECT_EQ(space.find(0x2010, 1, Access::Read), nullptr);
  EXPECT_EQ(space.find(0x2000, 4, Access::Write), nullptr) << "it is read-only";
  EXPECT_EQ(space.find(~uint64_t(0), 8, Access::Read), nullptr) << "must not wrap around";
}

TEST(AddressSpace, IsMovedAndNeverCopied) {
  // A vector of copies kept pointers into the memory of what it had copied and freed.
  EXPECT_FALSE(std::is_copy_constructible_v<AddressSpace>);
  AddressSpace origin;
  (void)origin.allocate(0x1000, 16, "scratch", true, 7);
  std::vector<AddressSpace> forks;
  for (unsigned i = 0; i < 9; ++i)
    forks.push_back(origin.fork(0, 0x2000));
  for (AddressSpace &fork : forks) {
    uint8_t *byte = fork.find(0x1000, 1, Access::Write);
    ASSERT_TRUE(byte);
    EXPECT_EQ((*byte)++, 7);
  }
}

TEST(AddressSpace, DescribesAddresses) {
  AddressSpace space;
  (void)space.allocate(0x1000, 16, "first", true);
  EXPECT_EQ(space.describe(0x1004), "at byte 4 of 'first' (16 bytes)");
  EXPECT_EQ(space.describe(0x1018), "8 bytes beyond the end of 'first'");
  EXPECT_EQ(space.describe(4), "far from every allocation");
}

TEST(BufferDescriptor, RoundTripsOnEveryGeneration) {
  for (unsigned major : {9, 10, 11, 12}) {
    BufferDescriptor descriptor = makeRawBuffer(0x123456789abc, 1000, major);
    descriptor.stride = 20;
    descriptor.swizzle = 1;
    descriptor.indexStride = 3;
    descriptor.addTid = 1;
    BufferDescriptor back =
        decodeBufferDescriptor(encodeBufferDescriptor(descriptor, major), major);
    EXPECT_EQ(back.base, 0x123456789abcu);
    EXPECT_EQ(back.records, 1000u);
    EXPECT_EQ(back.stride, 20u);
    EXPECT_EQ(back.swizzle, 1u);
    EXPECT_EQ(back.indexStride, 3u);
    EXPECT_EQ(back.addTid, 1u);
    EXPECT_EQ(back.type, 0u);
    EXPECT_EQ(back.oobSelect, major == 9 ? 0u : 3u);
  }
}

TEST(BufferDescriptor, HasTheManualsBits) {
  // Word 3 of a raw buffer as Mesa's and PAL's drivers write it.
  EXPECT_EQ(encodeBufferDescriptor(makeRawBuffer(0, 4, 9), 9)[3], 0x27facu);
  EXPECT_EQ(encodeBufferDescriptor(makeRawBuffer(0, 4, 10), 10)[3], 0x31016facu);
  EXPECT_EQ(encodeBufferDescriptor(makeRawBuffer(0, 4, 11), 11)[3], 0x30016facu);
}

TEST(BufferDescriptor, RangesRawBuffersInBytes) {
  for (unsigned major : {9, 10, 11, 12}) {
    BufferDescriptor raw = makeRawBuffer(0x1000, 40, major);
    EXPECT_FALSE(isOutOfRange(raw, {0, 36, 0}, 4, major));
    EXPECT_TRUE(isOutOfRange(raw, {0, 37, 0}, 4, major));
    EXPECT_TRUE(isOutOfRange(raw, {0, 36, 4}, 4, major)) << "soffset counts";
    EXPECT_TRUE(isOutOfRange(raw, {0, 0xfffffffc, 0}, 4, major)) << "must not wrap around";
  }
}

TEST(BufferDescriptor, StructuredBuffersAreRangedByIndex) {
  BufferDescriptor structured = makeRawBuffer(0x1000, 3, 10);
  structured.stride = 16;
  structured.oobSelect = 0;
  EXPECT_FALSE(isOutOfRange(structured, {2, 12, 0}, 4, 10));
  EXPECT_TRUE(isOutOfRange(structured, {2, 13, 0}, 4, 10));
  EXPECT_TRUE(isOutOfRange(structured, {3, 0, 0}, 4, 10));
  EXPECT_EQ(resolveAddress(structured, {2, 4, 8}), 0x1000u + 8 + 32 + 4);
}

TEST(BufferDescriptor, SwizzleInterleavesLanes) {
  BufferDescriptor scratch;
  scratch.base = 0x1000;
  scratch.swizzle = 1;
  scratch.indexStride = 3; // 64 lanes
  EXPECT_EQ(resolveAddress(scratch, {5, 0, 0}), 0x1000u + 5 * 4);
  EXPECT_EQ(resolveAddress(scratch, {5, 6, 0}), 0x1000u + 64 * 4 + 5 * 4 + 2);
  scratch.indexStride = 2; // 32 lanes
  EXPECT_EQ(resolveAddress(scratch, {5, 8, 0x100}), 0x1100u + 2 * 32 * 4 + 5 * 4);
}

struct AtomicCase {
  const char *name;
  uint64_t old, data, compare, expected;
};

TEST(Atomics, ComputeTheNewValue) {
  const AtomicCase cases[] = {
      {"add", 0xffffffff, 2, 0, 1},
      {"add_x2", 0xffffffff, 2, 0, 0x100000001},
      {"sub_u32", 1, 2, 0, 0xffffffff},
      {"smin", 5, 0xffffffff, 0, 0xffffffff},
      {"umin", 5, 0xffffffff, 0, 5},
      {"max_i64", ~0ull, 3, 0, 3},
      {"umax_x2", ~0ull, 3, 0, ~0ull},
      {"cmpswap", 7, 9, 7, 9},
      {"cmpswap", 7, 9, 8, 7},
      {"inc", 3, 3, 0, 0},
      {"inc", 2, 3, 0, 3},
      {"dec", 0, 3, 0, 3},
      {"dec", 5, 3, 0, 3},
      {"dec", 2, 3, 0, 1},
      {"swap_b64", 1, 2, 0, 2},
      {"xor", 0xf0, 0xff, 0, 0x0f},
      {"sub_clamp_u32", 3, 5, 0, 0},
      {"cond_sub_u32", 3, 5, 0, 3},
      {"fmin", 0x3f800000, 0xbf800000, 0, 0xbf800000},
      {"fmax", 0x7fc00000, 0x3f800000, 0, 0x3f800000},
      {"fmax", 0x80000000, 0x00000000, 0, 0x00000000},
      {"add_f32", 0x3f800000, 0x40000000, 0, 0x40400000},
  };
  for (const AtomicCase &each : cases) {
    const AtomicRow *row = findAtomic(each.name);
    ASSERT_NE(row, nullptr) << each.name;
    EXPECT_EQ(row->function(each.old, each.data, each.compare, {}), each.expected) << each.name;
  }
  EXPECT_EQ(findAtomic("cmpst_b32"), nullptr) << "only DS spells it so";
  EXPECT_TRUE(findLdsAtomic("cmpst_b32")->compareFirst);
  EXPECT_FALSE(findLdsAtomic("cmpstore_b32")->compareFirst);
  EXPECT_EQ(findLdsAtomic("rsub_u32")->function(3, 10, 0, {}), 7u);
  EXPECT_EQ(findLdsAtomic("mskor_b32")->function(0xff, 0x30, 0xf0, {}), 0x3fu);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What others see: the events of accesses, and their normal form. Pairs of bodies must be equal, or
// must differ, as a lowering may write one for the other.
#include "oracles/ir/TestRun.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

std::vector<std::string> eventsOf(const char *body) {
  TestRun test("define void @f(ptr addrspace(7) %p, ptr addrspace(8) %r) {\n" + std::string(body) +
               "\nret void }");
  test.addBuffer(64);
  for (unsigned lane = 0; lane < 2; ++lane) {
    test.addPointer(lane, 0, 7, 0);
    test.addPointer(lane, 0, 8, 0);
  }
  if (test.run().state != RunState::Returned)
    return {test.result.reason};
  std::vector<std::string> lines;
  for (const Event &event : normalizeEvents(test.result.events))
    lines.push_back(toString(event));
  return lines;
}

struct Pair {
  const char *name;
  const char *before;
  const char *after;
  bool isEqual;
};

class EventPairs : public testing::TestWithParam<Pair> {};

TEST_P(EventPairs, Compare) {
  auto before = eventsOf(GetParam().before), after = eventsOf(GetParam().after);
  EXPECT_FALSE(before.empty() && after.empty() && !GetParam().isEqual);
  if (GetParam().isEqual)
    EXPECT_EQ(before, after);
  else
    EXPECT_NE(before, after);
}

#define LOAD_FAT "%a = load volatile i64, ptr addrspace(7) %p, align 4"
#define LOAD_RAW(offset, policy)                                                                   \
  "%v" offset " = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 " offset  \
  ", i32 0, i32 " policy ") "

constexpr Pair Pairs[] = {
    {"VolatileByParts", LOAD_FAT, LOAD_RAW("0", "-2147483648") LOAD_RAW("4", "-2147483648"), true},
    {"VolatileLost", LOAD_FAT, LOAD_RAW("0", "0") LOAD_RAW("4", "0"), false},
    {"VolatileHalfLost", LOAD_FAT, LOAD_RAW("0", "-2147483648") LOAD_RAW("4", "0"), false},
    {"VolatileInAnotherOrder", LOAD_FAT, LOAD_RAW("4", "-2147483648") LOAD_RAW("0", "-2147483648"),
     false},
    {"VolatileElsewhere", LOAD_FAT, LOAD_RAW("8", "-2147483648") LOAD_RAW("12", "-2147483648"),
     false},
    {"LoadsAreNotStores", "store volatile i32 1, ptr addrspace(7) %p",
     "%a = load volatile i32, ptr addrspace(7) %p", false},
    {"AtomicLoadAcquires",
     "%a = load atomic i32, ptr addrspace(7) %p syncscope(\"agent\") acquire, align 4",
     LOAD_RAW("0", "1") "fence syncscope(\"agent\") acquire", true},
    {"AtomicLoadLosesFence",
     "%a = load atomic i32, ptr addrspace(7) %p syncscope(\"agent\") acquire, align 4",
     LOAD_RAW("0", "1"), false},
    {"AtomicLoadLosesScope", "%a = load atomic i32, ptr addrspace(7) %p acquire, align 4",
     LOAD_RAW("0", "1") "fence syncscope(\"agent\") acquire", false},
    {"AtomicStoreReleases", "store atomic i32 1, ptr addrspace(7) %p release, align 4",
     "fence release call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 1, ptr addrspace(8) %r, "
     "i32 0, i32 0, i32 1)",
     true},
    {"SequentialIsBoth", "%a = atomicrmw add ptr addrspace(7) %p, i32 1 seq_cst",
     "fence release %a = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr "
     "addrspace(8) %r, i32 0, i32 0, i32 0) fence acquire",
     true},
    {"FenceOnTheWrongSide", "%a = atomicrmw add ptr addrspace(7) %p, i32 1 acquire",
     "fence acquire %a = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr "
     "addrspace(8) %r, i32 0, i32 0, i32 0)",
     false},
    {"AtomicAtAnotherPlace", "%a = atomicrmw add ptr addrspace(7) %p, i32 1 monotonic",
     "%a = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr addrspace(8) %r, i32 4, "
     "i32 0, i32 0)",
     false},
    {"AtomicTwice", "%a = atomicrmw add ptr addrspace(7) %p, i32 1 monotonic",
     "%a = atomicrmw add ptr addrspace(7) %p, i32 0 monotonic %b = atomicrmw add ptr addrspace(7) "
     "%p, i32 1 monotonic",
     false},
    {"RetriesAreOne", "%a = atomicrmw nand ptr addrspace(7) %p, i32 1 monotonic",
     "%first = load i32, ptr addrspace(7) %p br label %loop\n"
     "loop: %old = phi i32 [ %first, %0 ], [ %now, %loop ] %x = and i32 %old, 1 %new = xor i32 %x, "
     "-1\n"
     "%r2 = cmpxchg ptr addrspace(7) %p, i32 %old, i32 %new monotonic monotonic\n"
     "%now = extractvalue {i32, i1} %r2, 0 %done = extractvalue {i32, i1} %r2, 1\n"
     "br i1 %done, label %out, label %loop\nout:",
     true},
    {"FencesMerge", "fence acq_rel", "fence release fence acquire", true},
    {"FenceLost", "fence acq_rel", "fence release", false},
    {"ScratchIsPrivate", "%s = alloca i32, addrspace(5) store volatile i32 1, ptr addrspace(5) %s",
     "", true},
    {"CopyIsLoadsAndStores",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 32 "
     "call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) %q, ptr addrspace(7) %p, i32 8, i1 true)",
     "%q = getelementptr i8, ptr addrspace(7) %p, i32 32 %a = load volatile i64, ptr addrspace(7) "
     "%p "
     "store volatile i64 %a, ptr addrspace(7) %q",
     true},
};
INSTANTIATE_TEST_SUITE_P(Interpreter, EventPairs, testing::ValuesIn(Pairs),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Events, StandByLane) {
  EXPECT_EQ(eventsOf("fence syncscope(\"agent\") acquire store volatile i8 1, ptr addrspace(7) %p"),
            (std::vector<std::string>{"lane 0: fence acquire scope \"agent\"",
                                      "lane 0: volatile store of 1 bytes at 0x100000",
                                      "lane 1: fence acquire scope \"agent\"",
                                      "lane 1: volatile store of 1 bytes at 0x100000"}));
}

} // namespace
} // namespace assay::ir

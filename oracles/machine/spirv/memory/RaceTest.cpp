// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/memory/Race.h"

#include <gtest/gtest.h>

using namespace assay::reference;

namespace {
constexpr Accessor at(uint32_t group, uint32_t phase, uint32_t invocation) {
  return {group, phase, invocation, 4, 0, nullptr};
}
constexpr Accessor first = at(0, 0, 0), second = at(0, 0, 1), secondLater = at(0, 1, 1),
                   elsewhere = at(1, 0, 0);
} // namespace

TEST(Race, ReadsDoNotRaceWithReads) {
  AccessHistory history;
  EXPECT_FALSE(history.record(first, AccessKind::Read));
  EXPECT_FALSE(history.record(second, AccessKind::Read));
  EXPECT_FALSE(history.record(elsewhere, AccessKind::Read));
  EXPECT_TRUE(history.record(first, AccessKind::Write)); // Others have read it, unordered.
}

TEST(Race, WritesRaceUnlessABarrierLiesBetween) {
  AccessHistory history;
  EXPECT_FALSE(history.record(first, AccessKind::Write));
  EXPECT_FALSE(history.record(first, AccessKind::Write));
  EXPECT_FALSE(history.record(secondLater, AccessKind::Write));
  AccessHistory other;
  EXPECT_FALSE(other.record(first, AccessKind::Write));
  EXPECT_TRUE(other.record(second, AccessKind::Read));
}

TEST(Race, NoBarrierOrdersWorkgroups) {
  AccessHistory history;
  EXPECT_FALSE(history.record(first, AccessKind::Write));
  EXPECT_TRUE(history.record(elsewhere, AccessKind::Read));
  AccessHistory later;
  EXPECT_FALSE(later.record(elsewhere, AccessKind::Read));
  EXPECT_TRUE(later.record(secondLater, AccessKind::Write));
}

TEST(Race, AtomicsRaceWithPlainAccessesAlone) {
  AccessHistory history;
  EXPECT_FALSE(history.record(first, AccessKind::AtomicWrite));
  EXPECT_FALSE(history.record(second, AccessKind::AtomicWrite));
  EXPECT_FALSE(history.record(elsewhere, AccessKind::AtomicRead));
  EXPECT_TRUE(history.record(first, AccessKind::Read));
  AccessHistory loads;
  EXPECT_FALSE(loads.record(first, AccessKind::AtomicRead));
  EXPECT_FALSE(loads.record(second, AccessKind::Read));
  EXPECT_TRUE(loads.record(second, AccessKind::Write));
}

TEST(Race, RemembersSeveralReadersOfOnePhase) {
  AccessHistory history;
  EXPECT_FALSE(history.record(first, AccessKind::Read));
  EXPECT_FALSE(history.record(second, AccessKind::Read));
  EXPECT_TRUE(history.record(second, AccessKind::Write));
  AccessHistory ordered;
  EXPECT_FALSE(ordered.record(first, AccessKind::Read));
  EXPECT_FALSE(ordered.record(second, AccessKind::Read));
  EXPECT_FALSE(ordered.record(secondLater, AccessKind::Write));
}

TEST(Race, WhatWasReleasedAndAcquiredIsOrdered) {
  InvocationOrder writer, reader;
  OrderPlace writerPlace{0, {0, 0}, 0}, readerPlace{1, {0, 0}, 4};
  AccessHistory history;
  Accessor write{0, 0, 0, 4, writer.epoch, nullptr};
  EXPECT_FALSE(history.record(write, AccessKind::Write));
  PublishedOrder published;
  PublishedOrder::Location flag(&history, 0);
  published.write(writer, writerPlace, flag, OrdersBuffers, false);
  Accessor read{1, 0, 0, 4, 0, &reader.known[1]};
  AccessHistory before = history;
  EXPECT_TRUE(before.record(read, AccessKind::Read)); // Nothing acquired yet.
  published.read(reader, flag, 0);
  before = history;
  EXPECT_TRUE(before.record(read, AccessKind::Read)); // A relaxed read waits for its fence.
  PublishedOrder::fence(reader, readerPlace, OrdersBuffers, 0);
  EXPECT_FALSE(history.record(read, AccessKind::Read));
  // What the writer does after its release is not ordered.
  AccessHistory later;
  EXPECT_FALSE(later.record({0, 0, 0, 4, writer.epoch, nullptr}, AccessKind::Write));
  EXPECT_TRUE(later.record(read, AccessKind::Read));
}

TEST(Race, AStoreWithoutReleaseEndsWhatWasPublished) {
  InvocationOrder writer, other, reader;
  PublishedOrder published;
  PublishedOrder::Location flag(&published, 0);
  published.write(writer, {0, {0, 0}, 0}, flag, OrdersBuffers, false);
  published.write(other, {2, {0, 0}, 8}, flag, 0, true); // An update carries on,
  published.read(reader, flag, OrdersBuffers);
  EXPECT_TRUE(reader.known[1].coversInvocation(0, 0));
  InvocationOrder second;
  published.write(other, {2, {0, 0}, 8}, flag, 0, false); // a plain atomic store does not.
  published.read(second, flag, OrdersBuffers);
  EXPECT_TRUE(second.known[1].empty());
}

TEST(Race, FencesMakeWritesAvailableAndVisible) {
  constexpr uint8_t OrdersAlone = OrdersBuffers, Shows = OrdersBuffers << MemoryKinds | OrdersAlone;
  Accessor write = first;
  write.flags = LacksAvailable;
  for (auto [released, acquired] :
       {std::pair(OrdersAlone, Shows), std::pair(Shows, OrdersAlone), std::pair(Shows, Shows)}) {
    InvocationOrder writer, reader;
    AccessHistory history;
    EXPECT_FALSE(history.record(write, AccessKind::Write));
    PublishedOrder published;
    PublishedOrder::Location flag(&history, 0);
    PublishedOrder::fence(writer, {0, {0, 0}, 0}, 0, released);
    published.write(writer, {0, {0, 0}, 0}, flag, 0, true);
    published.read(reader, flag, 0);
    PublishedOrder::fence(reader, {0, {0, 0}, 1}, acquired, 0);
    Accessor read = second;
    read.flags = LacksVisible;
    read.known = &reader.known[1];
    read.knownAvailable = &reader.known[1 + MemoryKinds];
    EXPECT_EQ(history.record(read, AccessKind::Read), released != Shows || acquired != Shows);
  }
}

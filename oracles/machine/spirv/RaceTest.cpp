// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/Race.h"

#include <gtest/gtest.h>

using namespace assay::reference;

namespace {
constexpr Accessor first{0, 0, 0}, second{0, 0, 1}, secondLater{0, 1, 1}, elsewhere{1, 0, 0};
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

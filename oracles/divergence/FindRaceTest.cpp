// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/FindRace.h"

#include "oracles/ir/Spaces.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

constexpr uint64_t shared = ir::Spaces::SharedAperture;

uint64_t lane(unsigned wave, unsigned group = 0, unsigned number = 0) {
  return ir::threadOf({group, 0, 0}, wave, number);
}

/// A log, step by step.
struct Steps {
  ir::ExecutionLog log;

  Steps &read(uint64_t thread, uint64_t address) {
    log.addRead(thread, address, 4);
    return *this;
  }
  Steps &write(uint64_t thread, uint64_t address) {
    log.addWrite(thread, address, {1, 2, 3, 4}, {0, 0, 0, 0});
    return *this;
  }
  Steps &barrier(uint64_t thread) {
    log.addBarrier(thread);
    return *this;
  }
  Steps &event(uint64_t thread, ir::Event::Kind kind) {
    ir::Event event;
    event.kind = kind;
    event.ordering = AtomicOrdering::Release;
    log.addEvent(thread, event);
    return *this;
  }
  std::string race() const { return findRace(log).value_or(""); }
};

} // namespace

TEST(FindRace, NamesTwoWavesWithoutABarrier) {
  EXPECT_EQ(Steps().write(lane(0), shared | 8).read(lane(1), shared | 8).race(),
            "wave 1 reads LDS byte 0x8; nothing orders this and that wave 0 of its workgroup "
            "writes it");
  EXPECT_EQ(Steps().read(lane(0), 0x1000).write(lane(1), 0x0ffd).race(),
            "wave 1 writes byte 0x1000; nothing orders this and that wave 0 of its workgroup "
            "reads it");
}

TEST(FindRace, BarriersOrderTheWavesOfAWorkgroup) {
  // As they run: each wave until it comes to the barrier.
  Steps steps;
  steps.write(lane(0), shared).barrier(lane(0)).write(lane(1), shared | 4).barrier(lane(1));
  EXPECT_EQ(steps.read(lane(0), shared | 4).read(lane(1), shared).race(), "");
  EXPECT_NE(
      Steps().barrier(lane(0)).write(lane(0), shared).barrier(lane(1)).read(lane(1), shared).race(),
      "");
}

TEST(FindRace, BarriersDoNotOrderWorkgroups) {
  EXPECT_EQ(Steps().write(lane(0), 64).barrier(lane(0)).read(lane(0, 1), 64).race(),
            "wave 0 reads byte 0x40; nothing orders this and that wave 0 of another workgroup "
            "writes it");
  EXPECT_EQ(Steps().write(lane(0), shared).read(lane(0, 1), shared).race(), "")
      << "each workgroup has its own LDS";
}

TEST(FindRace, DispatchesAreOrdered) {
  EXPECT_EQ(Steps().write(lane(0), 64).barrier(ir::noThread).read(lane(1), 64).race(), "");
}

TEST(FindRace, BarriersCountFromTheBeginOfADispatch) {
  Steps first; // Of workgroups with one wave.
  first.barrier(lane(0)).barrier(ir::noThread);
  Steps ordered = first;
  ordered.write(lane(0), 64).barrier(lane(0)).barrier(lane(1)).read(lane(1), 64);
  EXPECT_EQ(ordered.race(), "");
  EXPECT_NE(first.write(lane(0), 64).read(lane(1), 64).race(), "");
}

TEST(FindRace, SaysNothingOfReadsAndOfOneWave) {
  EXPECT_EQ(Steps().read(lane(0), 64).read(lane(1), 64).read(lane(0, 1), 64).race(), "");
  EXPECT_EQ(Steps().write(lane(0), 64).write(lane(0, 0, 5), 64).race(), "");
}

TEST(FindRace, SaysNothingWhereAtomicsMayOrder) {
  Steps steps;
  steps.write(lane(0), 64).event(lane(0), ir::Event::Kind::Fence);
  Steps fenced = steps;
  EXPECT_NE(fenced.read(lane(1), 64).race(), "") << "a fence alone orders nothing";
  EXPECT_EQ(steps.event(lane(0), ir::Event::Kind::AtomicStore).read(lane(1), 64).race(), "");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What orders accesses, event by event. Races of machine code: gcn/RaceTest.cpp.
#include "oracles/machine/simt/RaceDetector.h"
#include <gtest/gtest.h>

using namespace assay;
using namespace assay::simt;

static RaceDetector makeDetector(unsigned wavesPerGroup) {
  RaceOptions options;
  options.wavesPerGroup = wavesPerGroup;
  options.describe = [](uint32_t) -> InstructionText { return {0x10, "load r0, r1", "load"}; };
  return RaceDetector(std::move(options));
}

TEST(RaceDetector, NamesBothInstructionsOfARace) {
  RaceDetector detector = makeDetector(2);
  detector.add({RaceEventKind::Write, MemorySpace::Workgroup, 4, 8, 0, 1, 0, 0});
  detector.add({RaceEventKind::Read, MemorySpace::Workgroup, 4, 8, 1, 1, 0, 1});
  std::vector<Finding> reports = detector.takeReports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].rule, "RACE-LDS");
  EXPECT_EQ(reports[0].message,
            "wave 1 of workgroup 0 reads LDS byte 8 at pc 0x10: load r0, r1; nothing orders this "
            "and that wave 0 of workgroup 0 writes it at pc 0x10: load r0, r1");
  EXPECT_EQ(reports[0].signature, "RACE-LDS:load:load");
  detector.add({RaceEventKind::Read, MemorySpace::Workgroup, 4, 8, 1, 2, 0, 1});
  EXPECT_TRUE(detector.takeReports().empty()) << "a pair of instructions is reported once";
}

TEST(RaceDetector, WhatOneObservedItsGroupHas) {
  for (bool isCoherent : {true, false}) { // Waves 0 and 1, and 2 and 3, are a workgroup.
    RaceDetector detector = makeDetector(2);
    detector.add({RaceEventKind::Write, MemorySpace::Global, 4, 64, 0, 1, 0, 0});
    detector.add({RaceEventKind::Atomic, MemorySpace::Global, 4, 0, 0, 2, 2, 0});
    detector.add({RaceEventKind::Atomic, MemorySpace::Global, 4, 0, 2, 1, 1, 0});
    detector.add(
        {RaceEventKind::Observe, MemorySpace::Global, 0, 0, 2, 1, 0, RaceEvent::NoInstruction});
    for (uint64_t wave : {2, 3})
      detector.add(
          {RaceEventKind::Signal, MemorySpace::Global, 0, 0, wave, 1, 0, RaceEvent::NoInstruction});
    detector.add(
        {RaceEventKind::Pass, MemorySpace::Global, 0, 0, 3, 1, 0, RaceEvent::NoInstruction});
    detector.add({RaceEventKind::Read, MemorySpace::Global, 4, 64, 3, 2, 0, 0, isCoherent});
    EXPECT_EQ(detector.takeReports().size(), isCoherent ? 0u : 1u);
  }
}

/// Of shaders with atomic loads every load counts as one.
TEST(RaceDetector, AtomicLoadsDoNotRaceWithReads) {
  RaceDetector detector = makeDetector(1);
  constexpr uint64_t address = 64;
  constexpr auto space = MemorySpace::Global;
  detector.add({RaceEventKind::Read, space, 4, address, /*wave=*/0, 1, 0, 0});
  detector.add({RaceEventKind::Atomic, space, 4, address, /*wave=*/1, 1, 0, 0,
                /*isCoherent=*/false, /*changes=*/false});
  EXPECT_TRUE(detector.takeReports().empty());
  detector.add({RaceEventKind::Atomic, space, 4, address, /*wave=*/2, 1, 0, 0});
  EXPECT_EQ(detector.takeReports().size(), 1u);
}

TEST(RaceDetector, SaysWhereItStopsToLook) {
  RaceDetector detector = makeDetector(1);
  for (uint64_t page = 0; page < (uint64_t(1) << 14); ++page)
    detector.add({RaceEventKind::Read, MemorySpace::Global, 4, page * 1024, 0, 1, 0, 0});
  EXPECT_TRUE(detector.takeReports().empty());
  detector.add({RaceEventKind::Read, MemorySpace::Global, 4, uint64_t(1) << 30, 0, 1, 0, 0});
  std::vector<Finding> reports = detector.takeReports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].rule, "RACE-LIMIT");
  EXPECT_EQ(reports[0].severity, Severity::Note);
  detector.add({RaceEventKind::Read, MemorySpace::Global, 4, uint64_t(1) << 31, 0, 1, 0, 0});
  EXPECT_TRUE(detector.takeReports().empty()) << "once is enough";
}

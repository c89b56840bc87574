// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/UserDataLayout.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using testing::ElementsAre;

TEST(UserDataLayout, GivesEachEntryItsRegister) {
  UserDataUse use;
  use.entries.resize(6);
  use.entries.set(2);
  use.entries.set(5);
  use.numWorkgroups = true;
  UserDataLayout layout = makeUserDataLayout(use, 0);
  EXPECT_THAT(layout.registers,
              ElementsAre(pal::GlobalTable, pal::Workgroup, pal::NotMapped, 2, 5));
  EXPECT_EQ(layout.numWorkgroups, 1u);
  EXPECT_EQ(layout.findEntry(5), 4u);
  EXPECT_EQ(layout.findEntry(3), std::nullopt);
  EXPECT_EQ(layout.spillTable, UserDataLayout::none);
  EXPECT_EQ(layout.spillThreshold, pal::noSpill);
}

TEST(UserDataLayout, FillsAllRegistersWithoutSpilling) {
  UserDataUse use;
  use.entries.resize(15, true);
  UserDataLayout layout = makeUserDataLayout(use, 0);
  EXPECT_EQ(layout.registers.size(), 16u);
  EXPECT_EQ(layout.registers.back(), 14u);
  EXPECT_EQ(layout.spillThreshold, pal::noSpill);
}

TEST(UserDataLayout, SpillsFromTheFirstThatHasNoRoom) {
  UserDataUse use;
  use.entries.resize(40);
  use.entries.set(3, 19);
  UserDataLayout layout = makeUserDataLayout(use, 0);
  EXPECT_EQ(layout.registers.size(), 16u);
  EXPECT_EQ(layout.spillTable, 15u);
  EXPECT_EQ(layout.registers[14], 16u);
  EXPECT_EQ(layout.spillThreshold, 17u);
}

TEST(UserDataLayout, UnknownAddressSpillsEverything) {
  UserDataUse use;
  use.entries.resize(3);
  use.entries.set(2);
  use.needsSpillTable = true;
  UserDataLayout layout = makeUserDataLayout(use, 0);
  EXPECT_THAT(layout.registers, ElementsAre(pal::GlobalTable, 2, pal::SpillTable));
  EXPECT_EQ(layout.spillThreshold, 0u);
}

TEST(UserDataLayout, PadsToTheMinimum) {
  UserDataLayout layout = makeUserDataLayout(UserDataUse(), 4);
  EXPECT_THAT(layout.registers,
              ElementsAre(pal::GlobalTable, pal::NotMapped, pal::NotMapped, pal::NotMapped));
}

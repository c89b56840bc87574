// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/Target.h"
#include "compiler/api/ResourceLayout.h"
#include "support/Error.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(Target, KnowsItsNames) {
  for (const char *name : {"gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1201", "a420",
                           "a630", "a660", "a740"}) {
    auto target = findTarget(name);
    ASSERT_TRUE(bool(target));
    EXPECT_EQ((*target)->name, name);
  }
  auto none = findTarget("gfx1");
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(takeError(none.takeError()).kind, ErrorKind::Unsupported);
}

TEST(Target, KeepsArchitecturesApart) {
  for (const TargetInfo &target : getTargets()) {
    EXPECT_EQ(target.architecture, Architecture::AmdGpu);
    EXPECT_EQ(*findAmdTarget(target.name), &target);
  }
  for (const TargetInfo &target : getAdrenoTargets()) {
    EXPECT_EQ(target.architecture, Architecture::Adreno);
    auto none = findAmdTarget(target.name);
    ASSERT_FALSE(bool(none));
    EXPECT_EQ(takeError(none.takeError()).message,
              "target '" + target.name.str() + "' is no AMD GPU");
    CompileOptions options;
    options.target = &target;
    options.waveSize = 96 - target.defaultWaveSize; // Each has one size.
    EXPECT_EQ(takeError(verifyCompileOptions(options)).kind, ErrorKind::InvalidInput);
  }
}

TEST(Target, KnowsItsFacts) {
  auto get = [](const char *name) { return *llvm::cantFail(findTarget(name)); };
  EXPECT_FALSE(get("gfx900").supportsWave32);
  EXPECT_EQ(get("gfx900").defaultWaveSize, 64u);
  EXPECT_EQ(get("gfx1030").defaultWaveSize, 32u);
  EXPECT_FALSE(get("gfx1030").packedLocalId);
  EXPECT_TRUE(get("gfx1100").packedLocalId && get("gfx1100").userSgprInitBug);
  EXPECT_FALSE(get("gfx1150").userSgprInitBug);
  EXPECT_TRUE(get("gfx1201").packedLocalId && get("gfx1201").workgroupIdInTtmp);
  EXPECT_FALSE(get("gfx1150").workgroupIdInTtmp);
}

TEST(Target, HasAnArchitecture) {
  for (const TargetInfo &target : getTargets()) {
    const ArchitectureInfo *info = findArchitectureInfo(target.architecture);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->architecture, target.architecture);
    EXPECT_FALSE(info->triple.empty());
  }
}

TEST(CompileOptions, RefusesWhatTheTargetLacks) {
  CompileOptions options;
  options.target = *findTarget("gfx900");
  EXPECT_FALSE(bool(verifyCompileOptions(options)));
  options.waveSize = 32;
  EXPECT_TRUE(bool(takeError(verifyCompileOptions(options)).kind == ErrorKind::InvalidInput));
  options.waveSize = 0;
  options.optLevel = 7;
  EXPECT_TRUE(bool(takeError(verifyCompileOptions(options)).kind == ErrorKind::InvalidInput));
}

TEST(ResourceLayout, PushConstantsFirstThenTables) {
  ResourceLayout layout = makeResourceLayout({{2, 1, 1}, {0, 5, 3}, {0, 1, 1}}, 10);
  EXPECT_EQ(layout.pushConstantDwords, 3u);
  ASSERT_EQ(layout.tables.size(), 2u);
  EXPECT_EQ(layout.tables[0].set, 0u);
  EXPECT_EQ(layout.tables[0].userDataEntry, 3u);
  EXPECT_EQ(layout.tables[0].sizeInDwords, 16u);
  EXPECT_EQ(layout.tables[1].userDataEntry, 4u);
  EXPECT_EQ(layout.getUserDataEntries(), 5u);
  const DescriptorTable *table = nullptr;
  const DescriptorNode *node = layout.find(0, 5, &table);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->offsetInDwords, 4u);
  EXPECT_EQ(table, &layout.tables[0]);
  EXPECT_EQ(layout.find(1, 1), nullptr);
}

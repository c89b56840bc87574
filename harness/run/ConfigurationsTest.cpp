// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Configurations.h"

#include "harness/run/References.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static std::vector<std::string> namesOf(const DiffOptions &options) {
  std::vector<std::string> names;
  for (const DiffConfiguration &each : configurationsOf(options))
    names.push_back(each.compiler + " " + each.machine + " " + each.target + " -O" +
                    std::to_string(each.optLevel) + " " + std::to_string(each.waveSize) + " " +
                    loweringName(each.lowering).str());
  return names;
}

TEST(Configurations, MultiplyOutWhatGoesTogether) {
  DiffOptions options;
  options.compilers = {"aco", "assay"};
  options.machines = {"spirv", "vulkan:lavapipe", "gcn"};
  options.targets = {"gfx900", "gfx1100"};
  options.waves = {32, 0};
  options.levels = {0, 2};
  options.lowerings = {FatLowering::Own, FatLowering::Llvm};
  std::vector<std::string> names = namesOf(options);
  EXPECT_EQ(names.size(), 2 * 2 + 2 * 2 * 2 * 2u);
  EXPECT_EQ(ArrayRef(names).take_front(4),
            ArrayRef<std::string>({"aco gcn gfx900 -O-1 32 own", "aco gcn gfx900 -O-1 0 own",
                                   "aco gcn gfx1100 -O-1 32 own", "aco gcn gfx1100 -O-1 0 own"}));
  EXPECT_EQ(names[4], "assay gcn gfx900 -O0 32 own");
  EXPECT_EQ(names[5], "assay gcn gfx900 -O0 32 llvm");
  EXPECT_EQ(names.back(), "assay gcn gfx1100 -O2 0 llvm");
}

TEST(Configurations, LeaveOutWavesThatTargetsLack) {
  DiffOptions options;
  options.targets = {"gfx900", "gfx1100", "gfx1"};
  options.levels = {2};
  options.waves = {32};
  options.onlyExistingWaves = true;
  EXPECT_EQ(namesOf(options),
            (std::vector<std::string>{"assay gcn gfx1100 -O2 32 own", "assay gcn gfx1 -O2 32 own"}))
      << "of a target that is unknown, its job says so";
  EXPECT_EQ(subgroupSizesOf(options), std::vector<unsigned>{32});
  options.waves = {64, 32};
  EXPECT_EQ(subgroupSizesOf(options), (std::vector<unsigned>{64, 32}));
  options.targets = {"gfx900"};
  options.waves = {32};
  EXPECT_TRUE(configurationsOf(options).empty());
  EXPECT_EQ(subgroupSizesOf(options), std::vector<unsigned>{0});
}

TEST(Configurations, CombineOnlyWhatGoesTogether) {
  DiffOptions options;
  options.compilers = {"aco", "assay"};
  options.machines = {"spirv", "gcn", "adreno"};
  options.targets = {"a630", "gfx900"};
  options.levels = {2};
  EXPECT_EQ(namesOf(options),
            (std::vector<std::string>{"aco gcn gfx900 -O-1 0 own", "assay gcn gfx900 -O2 0 own",
                                      "assay adreno a630 -O2 0 own"}));
  for (const DiffConfiguration &each : configurationsOf(options))
    EXPECT_TRUE(goTogether(compilerOf(each.compiler), machineOf(each.machine),
                           *findArchitecture(each.target)));
}

TEST(Configurations, MachinesAndTargetsFollowFromEachOther) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(chooseMachines({}), (Names{"spirv", "gcn"}));
  EXPECT_EQ(chooseMachines({"gfx900", "a630"}), (Names{"spirv", "gcn", "adreno"}));
  EXPECT_EQ(chooseMachines({"a740"}), (Names{"spirv", "adreno"}));
  EXPECT_EQ(chooseTargets({}), (Names{"gfx900", "gfx1030", "gfx1100", "gfx1201"}));
  EXPECT_EQ(chooseTargets({"spirv", "vulkan:x"}), chooseTargets({}));
  EXPECT_EQ(chooseTargets({"adreno"}), (Names{"a630", "a660", "a740"}));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Registry.h"
#include "oracles/api/Precision.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

TEST(Registry, FindsMachinesAndMembersOfFamilies) {
  EXPECT_TRUE(machineOf(referenceMachine).isReference);
  EXPECT_FALSE(machineOf(referenceMachine).needsCompiler());
  for (Precision precision : {Precision::Vulkan, Precision::Practical, Precision::Ieee})
    EXPECT_TRUE(machineOf(getReferenceName(precision)).isReference);
  EXPECT_TRUE(machineOf("gcn").takes(ArtifactType::RadvShader));
  EXPECT_EQ(familyMember("vulkan:lavapipe"), "lavapipe");
  EXPECT_EQ(familyMember("gcn"), std::nullopt);
  for (const char *name : {"", "vulkan:", "gcn2", "GCN"}) {
    EXPECT_EQ(findMachine(name), nullptr) << name;
    EXPECT_TRUE(machineOf(name).needsCompiler());
    EXPECT_FALSE(machineOf(name).isBuilt);
  }
  EXPECT_EQ(findCompiler("gcc"), nullptr);
  EXPECT_FALSE(compilerOf("gcc").isOwn || compilerOf("gcc").hasLevels);
}

TEST(Registry, EveryArchitectureHasOneStandardMachineAndTargetsOfItsOwn) {
  for (Architecture architecture : {Architecture::AmdGpu, Architecture::Adreno}) {
    EXPECT_EQ(
        count_if(machines(),
                 [&](const MachineInfo &row) { return row.isStandard && row.runs(architecture); }),
        1);
    EXPECT_TRUE(standardMachine(architecture).runs(architecture));
    EXPECT_TRUE(is_contained(defaultTargets(architecture), defaultTarget(architecture)));
    for (StringRef target : defaultTargets(architecture)) {
      EXPECT_EQ(findArchitecture(target), architecture) << target.str();
      EXPECT_TRUE(isStandardMachine(standardMachine(architecture).name, target));
    }
  }
  EXPECT_EQ(findArchitecture("gfx1"), std::nullopt);
}

TEST(Registry, MachinesAndCompilersGoTogetherByArtifactAndArchitecture) {
  auto together = [](StringRef compiler, StringRef machine, Architecture architecture) {
    return goTogether(compilerOf(compiler), machineOf(machine), architecture);
  };
  EXPECT_TRUE(together("assay", "gcn", Architecture::AmdGpu));
  EXPECT_TRUE(together("aco", "gcn", Architecture::AmdGpu));
  EXPECT_TRUE(together("assay", "ir", Architecture::AmdGpu));
  EXPECT_TRUE(together("assay", "adreno", Architecture::Adreno));
  EXPECT_FALSE(together("aco", "ir", Architecture::AmdGpu)) << "it makes no IR";
  EXPECT_TRUE(together("turnip", "adreno", Architecture::Adreno));
  EXPECT_FALSE(together("turnip", "gcn", Architecture::AmdGpu));
  EXPECT_FALSE(together("aco", "adreno", Architecture::Adreno)) << "it knows one architecture";
  EXPECT_FALSE(together("assay", "gcn", Architecture::Adreno));
  EXPECT_FALSE(together("assay", "adreno", Architecture::AmdGpu));
  EXPECT_FALSE(together("assay", "spirv", Architecture::AmdGpu));
}

TEST(Registry, NamesAreDistinct) {
  for (const auto &names : {machineNames(), compilerNames()})
    for (auto [i, name] : enumerate(names))
      EXPECT_EQ(find(names, name) - names.begin(), ptrdiff_t(i));
  EXPECT_FALSE(is_contained(machineNames(), irMachine)) << "users do not choose it";
}

TEST(Registry, KnowsRunsOfTheReference) {
  Verdict verdict;
  verdict.machine = referenceMachine.str();
  EXPECT_TRUE(isReferenceRun(verdict));
  verdict.compiler = "aco";
  EXPECT_FALSE(isReferenceRun(verdict));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every row of the registry can be made, or says that it is not built.
#include "harness/worker/Compilers.h"
#include "harness/worker/Machines.h"
#include "oracles/api/Registry.h"
#include "support/Error.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

TEST(RegistryRows, AreMadeWhereTheyAreBuilt) {
  for (const MachineInfo &row : machines()) {
    std::string name = row.name.str() + (row.isFamily ? "member" : "");
    EXPECT_EQ(canCreateMachine(name), row.isBuilt) << name;
  }
  for (const CompilerInfo &row : compilers())
    EXPECT_NE(findCompilerSteps(row.name), nullptr) << row.name.str();
  EXPECT_FALSE(canCreateMachine("vulkan:"));
  EXPECT_EQ(findCompilerSteps("gcc"), nullptr);
}

TEST(RegistryRows, MachinesHaveTheNamesOfTheirRows) {
  for (const MachineInfo &row : machines()) {
    if (row.isFamily || !row.isBuilt)
      continue;
    StringRef target =
        row.architectures.empty() ? StringRef() : defaultTarget(row.architectures.front());
    Expected<std::unique_ptr<Machine>> machine = createMachine(row.name, target);
    ASSERT_TRUE(bool(machine)) << row.name.str();
    EXPECT_EQ((*machine)->name(), row.name);
  }
}

TEST(RegistryRows, WhatIsNotBuiltIsUnsupported) {
  for (auto [name, target] : {std::pair("adreno2", "a630"), std::pair("gcn", "a630")}) {
    Expected<std::unique_ptr<Machine>> machine = createMachine(name, target);
    ASSERT_FALSE(bool(machine));
    EXPECT_EQ(takeError(machine.takeError()).kind, ErrorKind::Unsupported);
  }
}

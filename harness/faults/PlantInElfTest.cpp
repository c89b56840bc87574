// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/faults/PlantInElf.h"

#include "compiler/driver/Compiler.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

using ElfBytes = std::vector<uint8_t>;

/// ELFs with LDS, scratch, branches, loads, shifts and multiplications among them.
static std::vector<ElfBytes> compileCases() {
  std::vector<ElfBytes> elves;
  Compiler compiler;
  for (StringRef name : {"quick-select", "scan-blelloch", "saxpy", "robust-access"})
    for (StringRef target : {"gfx900", "gfx1100"}) {
      std::string path = (ASSAY_SOURCE_DIR "/corpora/compute/" + name + ".amber").str();
      Case input = cantFail(readCase(path, name));
      CompileOptions options;
      options.target = cantFail(findTarget(target));
      for (const CasePipeline &pipeline : input.pipelines)
        elves.push_back(
            cantFail(compiler.compile(pipeline.description, options, EmitPhase::Elf)).output);
    }
  return elves;
}

static bool isOfElf(const FaultInfo &fault) {
  return fault.layer != FaultLayer::Process && fault.place == "code-generation";
}

TEST(PlantInElf, WithoutFaultsNothingChanges) {
  for (const ElfBytes &elf : compileCases()) {
    ElfBytes changed = elf;
    ASSERT_FALSE(static_cast<bool>(plantInElf(changed)));
    EXPECT_EQ(changed, elf);
  }
}

TEST(PlantInElf, RefusesWhatIsNoElf) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  ElfBytes bytes = {1, 2, 3};
  EXPECT_EQ(takeError(plantInElf(bytes)).kind, ErrorKind::InvalidInput);
}

/// Ends the process, which has the fault for ever: 0 when some ELF differs.
[[noreturn]] static void plantAndExit(StringRef fault, ArrayRef<ElfBytes> elves) {
  cantFail(plantFault(fault));
  bool hasChanged = false;
  for (const ElfBytes &elf : elves) {
    ElfBytes changed = elf;
    cantFail(plantInElf(changed));
    hasChanged |= changed != elf;
  }
  std::_Exit(hasChanged ? 0 : 1);
}

TEST(PlantInElf, EveryFaultFindsAPlace) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  std::vector<ElfBytes> elves = compileCases();
  unsigned count = 0;
  for (const FaultInfo &fault : listFaults()) {
    if (!isOfElf(fault))
      continue;
    ++count;
    EXPECT_EXIT(plantAndExit(fault.name, elves), testing::ExitedWithCode(0), "")
        << fault.name.str();
  }
  EXPECT_GE(count, 20u);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seeds of the fuzz target on scripts are read, mutants of them stay scripts, and GLSL stays
// out.
#include "fuzz/script/CheckScript.h"
#include "fuzz/script/ScriptMutation.h"

#include "oracles/input/CaseReader.h"
#include "oracles/input/amber/AmberWriter.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

static std::string readSeed(const std::string &name) {
  return cantFail(readFileText(ASSAY_SOURCE_DIR "/fuzz/targets/seeds/script/" + name));
}

TEST(CheckScript, LeavesGlslToItsCompiler) {
  EXPECT_TRUE(mayHaveGlsl("#!amber\nSHADER compute s GLSL\nEND\n"));
  EXPECT_TRUE(mayHaveGlsl("#!amber\n  SHADER compute s \tGLSL FILE a.comp\n"));
  EXPECT_TRUE(mayHaveGlsl("[compute shader]\nvoid main() {}\n"));
  EXPECT_TRUE(mayHaveGlsl("[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n"));
  EXPECT_FALSE(mayHaveGlsl("[vertex shader passthrough]\n[fragment shader spirv hex]\n"));
  EXPECT_FALSE(mayHaveGlsl("#!amber\nSHADER compute s SPIRV-ASM\nOpSource GLSL 450\nEND\n"));
  EXPECT_FALSE(mayHaveGlsl("#!amber\nSHADER compute shader0 SPIRV-ASM TARGET_ENV spv1.3\nEND\n"));
  EXPECT_FALSE(mayHaveGlsl("[compute shader spirv]\nOpMemoryModel Logical GLSL450\n"));
}

TEST(CheckScript, SeedsAreReadCompletely) {
  for (const char *name :
       {"everything.amber", "vkscript.shader_test", "draws.amber", "draws.shader_test"}) {
    std::string text = readSeed(name);
    EXPECT_FALSE(mayHaveGlsl(text)) << name;
    Expected<Case> input = readCaseFromText(text, "input.amber", name);
    ASSERT_TRUE(bool(input)) << takeError(input.takeError()).message;
    for (const Requirement &lacking : input->unsupported)
      ADD_FAILURE() << name << ": " << lacking.reason;
    EXPECT_FALSE(input->commands.empty()) << name;
    EXPECT_EQ(checkScript(text), "") << name;
  }
}

TEST(CheckScript, ObjectsToPlantedFaults) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build can plant no faults";
  const std::string good = readSeed("everything.amber"), broken = "#!amber\nNONSENSE\n";
  struct Row {
    const char *fault, *rule;
    const std::string &script;
  };
  for (const Row &row : {Row{"reader-forgets-file", "SCRIPT-REFUSAL: ", broken},
                         Row{"reader-blames-machine", "SCRIPT-ENVIRONMENT: ", broken},
                         Row{"binding-of-no-buffer", "SCRIPT-INDEX: ", good},
                         Row{"writer-forgets-value", "SCRIPT-WRITE: ", good}}) {
    EXPECT_EQ(checkScript(row.script), "");
    // In a child: a fault is planted for the rest of a process.
    auto checkPlanted = [&] {
      cantFail(plantFault(row.fault));
      errs() << checkScript(row.script);
      std::exit(0);
    };
    EXPECT_EXIT(checkPlanted(), testing::ExitedWithCode(0), row.rule) << row.fault;
  }
}

TEST(CheckScript, MutantsOfDrawsHoldTheRules) {
  for (const char *name : {"draws.amber", "draws.shader_test"}) {
    std::string script = readSeed(name);
    unsigned good = 0;
    for (uint64_t seed = 0; seed < 300; ++seed) {
      std::string mutant = mutateScript(script, seed);
      if (mayHaveGlsl(mutant))
        continue;
      ASSERT_EQ(checkScript(mutant), "") << mutant;
      Expected<Case> input = readCaseFromText(mutant, "input.amber", "input");
      good += bool(input);
      consumeError(input.takeError());
    }
    EXPECT_GE(good, 30u) << name;
  }
}

TEST(ScriptMutation, MakesTheSameMutantsAgain) {
  std::string script = readSeed("everything.amber"), other = readSeed("vkscript.shader_test");
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(mutateScript(script, seed), mutateScript(script, seed));
    EXPECT_EQ(mixScripts(script, other, seed), mixScripts(script, other, seed));
  }
  EXPECT_EQ(mixScripts("", "", 1), "\n");
}

/// A tenth of the mutants reads, and more, in many ways: neither noise nor always the same.
TEST(ScriptMutation, ManyMutantsStillRead) {
  std::string script = readSeed("everything.amber");
  std::set<std::string> written, refusals;
  unsigned good = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    std::string mutant = mutateScript(script, seed);
    Expected<Case> input = readCaseFromText(mutant, "input.amber", "input");
    if (!input) {
      refusals.insert(takeError(input.takeError()).message);
      continue;
    }
    ++good;
    Expected<std::string> text = writeAmber(*input);
    written.insert(text ? *text : takeError(text.takeError()).message);
  }
  EXPECT_GE(good, 100u);
  EXPECT_GE(written.size(), 60u);
  EXPECT_GE(refusals.size(), 100u);
}

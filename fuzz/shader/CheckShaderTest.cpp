// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold of shaders holds for the corpus and can fail; mutants of modules are mostly
// modules.
#include "fuzz/shader/CheckShader.h"
#include "fuzz/shader/ModuleMutation.h"

#include "compiler/spirv/Module.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Of the first pipeline of corpora/\p name.amber.
static std::vector<uint32_t> wordsOf(const std::string &name) {
  Case input = cantFail(readCase(ASSAY_SOURCE_DIR "/corpora/" + name + ".amber", name));
  return input.pipelines.front().description.getShader(ShaderStage::Compute).spirv;
}

static ArrayRef<uint8_t> bytesOf(ArrayRef<uint32_t> words) {
  return {reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4};
}

static const char *const names[] = {"compute/saxpy", "compute/gcd", "compute/image-fetch",
                                    "compute/subgroup-reduce",
                                    "compute/descriptor-arrays-declared"};

TEST(ShaderInput, TakesModulesOnly) {
  std::vector<uint32_t> words = wordsOf("compute/saxpy");
  std::optional<ShaderInput> input = tryReadShader(bytesOf(words));
  ASSERT_TRUE(input.has_value());
  EXPECT_EQ(input->choice, words[2]);
  EXPECT_FALSE(tryReadShader({}).has_value());
  EXPECT_FALSE(tryReadShader(bytesOf(words).drop_back()).has_value());
  EXPECT_FALSE(tryReadShader(bytesOf(words).drop_back(4)).has_value());
  words[6] = 0; // The first capability is Matrix: Shader is missing.
  EXPECT_FALSE(tryReadShader(bytesOf(words)).has_value());
}

TEST(ShaderInput, EveryTargetCanBeChosen) {
  ShaderInput input = *tryReadShader(bytesOf(wordsOf("compute/saxpy")));
  std::set<StringRef> targets;
  std::set<unsigned> levels, sizes;
  for (uint32_t choice = 0; choice < 0x10000; choice += 37) {
    input.choice = choice;
    CompileOptions options = chooseOptions(input);
    EXPECT_FALSE(bool(verifyCompileOptions(options)));
    targets.insert(options.target->name);
    levels.insert(options.optLevel);
    sizes.insert(options.waveSize);
  }
  EXPECT_EQ(targets.size(), getTargets().size());
  EXPECT_EQ(levels.size() + sizes.size(), 4u);
}

TEST(CheckShader, CorpusHolds) {
  Compiler compiler;
  for (const char *name : names) {
    std::optional<ShaderInput> input = tryReadShader(bytesOf(wordsOf(name)));
    ASSERT_TRUE(input.has_value()) << name;
    EXPECT_EQ(checkFrontend(*input), "") << name;
    EXPECT_EQ(checkCompile(*input, compiler), "") << name;
    EXPECT_TRUE(makeCase(*input, 256).has_value()) << name;
    EXPECT_EQ(checkInterpreter(*input), "") << name;
  }
}

static std::string checkFront(const ShaderInput &input) {
  return checkFrontend(input);
}
static std::string checkCode(const ShaderInput &input) {
  Compiler compiler;
  ShaderInput again = input;
  again.choice = 0; // One that a cold compiler does, too.
  return checkCompile(again, compiler);
}

TEST(CheckShader, ObjectsToPlantedFaults) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build can plant no faults";
  ShaderInput good = *tryReadShader(bytesOf(wordsOf("compute/saxpy"))), nameless = good;
  nameless.pipeline.addShader(ShaderStage::Compute).entryPoint = "no such entry point";
  ShaderInput racing = *tryReadShader(bytesOf(wordsOf("controls/race-buffer")));
  struct Row {
    const char *fault, *rule;
    std::string (*check)(const ShaderInput &);
    const ShaderInput &input;
  };
  const Row rows[] = {
      {"user-data-limit", "COMPILE-ELF: ", checkCode, good},
      {"hash-of-run", "COMPILE-DETERMINISM: ", checkCode, good},
      {"name-of-run", "FRONTEND-DETERMINISM: ", checkFront, good},
      {"block-without-end", "FRONTEND-BROKEN: ", checkFront, good},
      {"front-end-refuses-third", "FRONTEND-BUILDERS: ", checkFront, good},
      {"decoder-refuses", "FRONTEND-DECODE: ", checkFront, good},
      {"front-end-blames-machine", "FRONTEND-REFUSAL: ", checkFront, nameless},
      {"reference-counts-runs", "INTERPRETER-DETERMINISM: ", checkInterpreter, good},
      {"reference-gives-no-reason", "INTERPRETER-OUTCOME: ", checkInterpreter, racing},
      {"reference-blames-machine", "INTERPRETER-ERROR: ", checkInterpreter, nameless}};
  for (const Row &row : rows) {
    EXPECT_EQ(row.check(row.input), "") << row.fault;
    // In a child: a fault is planted for the rest of a process.
    auto checkPlanted = [&] {
      cantFail(plantFault(row.fault));
      errs() << row.check(row.input);
      std::exit(0);
    };
    EXPECT_EXIT(checkPlanted(), testing::ExitedWithCode(0), row.rule) << row.fault;
  }
}

TEST(ModuleMutation, MakesTheSameMutantsAgain) {
  std::vector<uint32_t> words = wordsOf("compute/gcd"), other = wordsOf("compute/subgroup-reduce");
  for (uint64_t seed = 0; seed < 40; ++seed) {
    EXPECT_EQ(mutateModule(words, seed), mutateModule(words, seed)) << seed;
    EXPECT_EQ(mixModules(words, other, seed), mixModules(words, other, seed)) << seed;
  }
  EXPECT_EQ(mutateModule({1, 2, 3}, 1), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(mixModules({1, 2, 3}, words, 1), (std::vector<uint32_t>{1, 2, 3}));
}

/// A structure with a pointer to itself once made the import go round and round.
TEST(ModuleMutation, SurvivesTypesThatReferToThemselves) {
  std::vector<uint32_t> words = wordsOf("compute/address-linked-list"),
                        other = wordsOf("compute/saxpy");
  for (uint64_t seed = 0; seed < 60; ++seed) {
    EXPECT_FALSE(mutateModule(words, seed).empty());
    EXPECT_FALSE(mixModules(other, words, seed).empty());
  }
}

/// Neither noise nor always the same.
TEST(ModuleMutation, ManyMutantsAreValid) {
  unsigned valid = 0, mixed = 0;
  std::set<std::vector<uint32_t>> different;
  for (const char *name : names)
    for (uint64_t seed = 0; seed < 60; ++seed) {
      std::vector<uint32_t> words = wordsOf(name);
      std::vector<uint32_t> mutant = mutateModule(words, seed);
      words[2] = mutant[2];
      different.insert(mutant);
      valid += mutant != words && tryReadShader(bytesOf(mutant));
      mixed +=
          tryReadShader(bytesOf(mixModules(words, wordsOf("compute/saxpy"), seed))).has_value();
    }
  EXPECT_GE(valid, 60u);
  EXPECT_GE(mixed, 60u);
  EXPECT_GE(different.size(), 250u);
}

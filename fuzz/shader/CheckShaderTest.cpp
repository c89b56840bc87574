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

static std::vector<uint32_t> wordsOf(const std::string &name) {
  Case input = cantFail(readCase(ASSAY_SOURCE_DIR "/corpora/compute/" + name + ".amber", name));
  return input.pipelines.front().description.compute.spirv;
}

static ArrayRef<uint8_t> bytesOf(ArrayRef<uint32_t> words) {
  return {reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4};
}

static const char *const names[] = {"saxpy", "gcd", "image-fetch", "subgroup-reduce",
                                    "descriptor-arrays-declared"};

TEST(ShaderInput, TakesModulesOnly) {
  std::vector<uint32_t> words = wordsOf("saxpy");
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
  ShaderInput input = *tryReadShader(bytesOf(wordsOf("saxpy")));
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

/// In a child: a fault is planted for the rest of a process.
TEST(CheckShader, ObjectsToWrongMetadata) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build can plant no faults";
  ShaderInput input = *tryReadShader(bytesOf(wordsOf("saxpy")));
  auto checkPlanted = [&] {
    cantFail(plantFault("user-data-limit"));
    Compiler compiler;
    errs() << checkCompile(input, compiler);
    std::exit(0);
  };
  EXPECT_EXIT(checkPlanted(), testing::ExitedWithCode(0), "COMPILE-ELF: ");
}

TEST(ModuleMutation, MakesTheSameMutantsAgain) {
  std::vector<uint32_t> words = wordsOf("gcd"), other = wordsOf("subgroup-reduce");
  for (uint64_t seed = 0; seed < 40; ++seed) {
    EXPECT_EQ(mutateModule(words, seed), mutateModule(words, seed)) << seed;
    EXPECT_EQ(mixModules(words, other, seed), mixModules(words, other, seed)) << seed;
  }
  EXPECT_EQ(mutateModule({1, 2, 3}, 1), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(mixModules({1, 2, 3}, words, 1), (std::vector<uint32_t>{1, 2, 3}));
}

/// A structure with a pointer to itself once made the import go round and round.
TEST(ModuleMutation, SurvivesTypesThatReferToThemselves) {
  std::vector<uint32_t> words = wordsOf("address-linked-list"), other = wordsOf("saxpy");
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
      mixed += tryReadShader(bytesOf(mixModules(words, wordsOf("saxpy"), seed))).has_value();
    }
  EXPECT_GE(valid, 60u);
  EXPECT_GE(mixed, 60u);
  EXPECT_GE(different.size(), 250u);
}

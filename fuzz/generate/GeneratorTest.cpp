// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generator promises, on many seeds: valid, within its budget, without undefined
// behaviour in the reference, and the same whatever the order of invocations.
#include "fuzz/generate/Generator.h"

#include "compiler/spirv/Module.h"
#include "fuzz/generate/Coverage.h"
#include "fuzz/generate/Writer.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

static uint64_t countOfSeeds() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? 10'000 : 300;
}

static std::string describe(const GeneratedCase &generated) {
  return "seed " + std::to_string(generated.seed) + ", profile " + generated.profile;
}

static Case readForm(const GeneratedCase &generated, ModuleForm form) {
  Expected<Case> input =
      readCaseFromText(printAmber(generated, form), "generated.amber", "generated");
  if (!input) {
    ADD_FAILURE() << describe(generated) << ": " << takeError(input.takeError()).message;
    return {};
  }
  return std::move(*input);
}

/// Runs what campaigns run: the words. What people read must be the same case.
static Outcome runReference(const GeneratedCase &generated, uint32_t subgroupSize = 0) {
  Case input = readForm(generated, ModuleForm::Words);
  Case text = readForm(generated, ModuleForm::Assembly);
  if (input.pipelines.size() != 1 || text.pipelines.size() != 1)
    return {};
  EXPECT_EQ(input.pipelines[0].description.getShader(ShaderStage::Compute).spirv,
            text.pipelines[0].description.getShader(ShaderStage::Compute).spirv)
      << describe(generated);
  std::unique_ptr<Machine> machine = createSpirvMachine();
  RunOptions options;
  options.maxInstructions = 4'000'000;
  options.subgroupSize = subgroupSize;
  Expected<Outcome> outcome = machine->run(input, {}, options);
  if (!outcome) {
    ADD_FAILURE() << describe(generated) << ": " << takeError(outcome.takeError()).message;
    return {};
  }
  return std::move(*outcome);
}

TEST(Generator, EverySeedIsValidAndHasAMeaning) {
  std::set<std::string> seen;
  uint64_t instructions = 0;
  for (uint64_t seed = 0; seed < countOfSeeds(); ++seed) {
    GeneratedCase generated = generate(seed, profileInTurn(seed));
    seen.insert(generated.constructs.begin(), generated.constructs.end());
    Error invalid = spirv::validate(encode(generated.program));
    EXPECT_FALSE(static_cast<bool>(invalid))
        << describe(generated) << ": " << takeError(std::move(invalid)).message;
    Outcome outcome = runReference(generated);
    EXPECT_EQ(outcome.kind, OutcomeKind::Completed)
        << describe(generated) << ": " << outcome.reason;
    instructions += outcome.instructions;
    if (testing::Test::HasFailure() && seed > 20)
      break; // The first few tell enough.
  }
  EXPECT_GT(instructions / countOfSeeds(), 1000u);
  for (const Construct &construct : constructs())
    EXPECT_TRUE(seen.contains(construct.name.str())) << construct.name.str();
}

/// Not that of our machines alone: lavapipe's subgroups have 8 lanes, SwiftShader's have 4.
TEST(Generator, CasesHaveAMeaningWhateverTheSubgroupSize) {
  Profile profile = cantFail(findProfile("subgroups"));
  bool hasClusters = false;
  for (uint64_t seed = 0; seed < countOfSeeds() / 3; ++seed) {
    GeneratedCase generated = generate(seed, profile);
    hasClusters |= featuresOf(generated).contains("row GroupNonUniformClustered");
    for (uint32_t size : {4, 8, 16, 128}) {
      Outcome outcome = runReference(generated, size);
      EXPECT_EQ(outcome.kind, OutcomeKind::Completed)
          << describe(generated) << ", subgroups of " << size << ": " << outcome.reason;
    }
  }
  EXPECT_TRUE(hasClusters);
}

/// Vulkan wants dynamically uniform indices of arrays in push constants. What comes from the
/// invocation's number without a detour by memory must not be among them; what a subgroup agrees on
/// may be.
TEST(Generator, PushConstantsAreNotIndexedByTheInvocation) {
  Profile profile = cantFail(findProfile("layouts"));
  unsigned chains = 0;
  for (uint64_t seed = 0; seed < countOfSeeds(); ++seed) {
    std::string text = printAmber(generate(seed, profile), ModuleForm::Assembly);
    StringSet<> differing = {"%gl_LocalInvocationIndex"};
    for (StringRef line : split(text, '\n')) {
      SmallVector<StringRef> words;
      line.split(words, ' ', -1, /*KeepEmpty=*/false);
      if (words.size() < 4 || words[1] != "=")
        continue;
      bool isOther = words[2].starts_with("OpGroupNonUniform") ||
                     (words[2] == "OpLoad" && words.back() != "%gl_LocalInvocationIndex");
      bool differs = !isOther && any_of(ArrayRef(words).drop_front(3),
                                        [&](StringRef word) { return differing.contains(word); });
      bool isPush = words[3].starts_with("%_ptr_PushConstant_");
      chains += isPush;
      EXPECT_FALSE(isPush && differs) << "seed " << seed << ": " << line.str();
      if (differs)
        differing.insert(words[0]);
    }
  }
  EXPECT_GT(chains, 20u);
}

/// A case is a function of its seed and profile: neither what was generated before nor that it was
/// generated before matters. docs/generator.md has the digest that all builds must give.
TEST(Generator, DependsOnSeedAndProfileAlone) {
  std::vector<std::string> upwards;
  for (uint64_t seed = 0; seed < 50; ++seed)
    upwards.push_back(printAmber(generate(seed, profileInTurn(seed))));
  for (uint64_t seed = 50; seed-- > 0;)
    EXPECT_EQ(printAmber(generate(seed, profileInTurn(seed))), upwards[seed]) << seed;
}

/// Of the modules of some cases, in words, the smallest first.
static std::vector<size_t> sizesOf(const Profile &profile) {
  std::vector<size_t> sizes;
  for (uint64_t seed = 0; seed < 101; ++seed)
    sizes.push_back(encode(generate(seed, profile).program).size());
  sort(sizes);
  return sizes;
}

TEST(Generator, DefaultCasesAreSmallWithSomeOfAnySize) {
  Profile profile = cantFail(findProfile("default"));
  std::vector<size_t> sizes = sizesOf(profile);
  profile.leastStatements = profile.statements;
  std::vector<size_t> large = sizesOf(profile);
  size_t middle = sizes.size() / 2;
  EXPECT_LT(2 * sizes.front(), sizes[middle]);
  EXPECT_LT(3 * sizes[middle], 2 * large[middle]);
  EXPECT_GT(sizes.back(), large[middle]);
}

TEST(Generator, ProfilesHaveNames) {
  EXPECT_FALSE(profileNames().empty());
  for (StringRef name : profileNames())
    EXPECT_EQ(cantFail(findProfile(name)).name, name);
  Expected<Profile> unknown = findProfile("nonsense");
  ASSERT_FALSE(static_cast<bool>(unknown));
  EXPECT_NE(takeError(unknown.takeError()).message.find("default"), std::string::npos);
}

TEST(Generator, AWeightOfZeroBarsAConstruct) {
  Profile profile = cantFail(findProfile("default"));
  profile.weights["flow-loop"] = 0;
  profile.weights["flow-loop-exits"] = 0;
  for (uint64_t seed = 0; seed < 30; ++seed)
    EXPECT_FALSE(generate(seed, profile).constructs.contains("flow-loop")) << seed;
}

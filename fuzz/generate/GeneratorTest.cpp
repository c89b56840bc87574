// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generator promises, on many seeds: valid, within its budget, without undefined
// behaviour in the reference, and the same whatever the order of invocations.
#include "fuzz/generate/Generator.h"

#include "compiler/spirv/Capabilities.h"
#include "compiler/spirv/Module.h"
#include "fuzz/generate/Writer.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

static uint64_t countOfSeeds() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? 10'000 : 300;
}

static Profile profileOf(uint64_t seed) {
  return cantFail(findProfile(profileNames()[seed % profileNames().size()]));
}

static std::string describe(const GeneratedCase &generated) {
  return "seed " + std::to_string(generated.seed) + ", profile " + generated.profile;
}

static Outcome runReference(const GeneratedCase &generated) {
  Expected<Case> input = readCaseFromText(printAmber(generated), "generated.amber", "generated");
  if (!input) {
    ADD_FAILURE() << describe(generated) << ": " << takeError(input.takeError()).message;
    return {};
  }
  std::unique_ptr<Machine> machine = createSpirvMachine();
  RunOptions options;
  options.maxInstructions = 4'000'000;
  Expected<Outcome> outcome = machine->run(*input, {}, options);
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
    GeneratedCase generated = generate(seed, profileOf(seed));
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

/// Rows of the capability table that the modules of 1,000 cases use, images and all; rows of device
/// features and of other stages are no module's. fuzz/README.md has the figure.
TEST(Generator, CoversRowsOfTheCapabilityTable) {
  std::set<std::string> covered, missing;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    std::vector<uint32_t> words = encode(generate(seed, profileOf(seed)).program);
    Expected<spirv::Module> module = spirv::decode(words);
    ASSERT_TRUE(static_cast<bool>(module)) << toString(module.takeError());
    for (const spirv::CapabilityRow *row : spirv::usedRows(*module))
      covered.insert(row->name.str());
  }
  size_t total = 0;
  for (const spirv::CapabilityRow &row : spirv::capabilityTable())
    if (row.kind != spirv::CapabilityKind::OtherStage &&
        row.kind != spirv::CapabilityKind::Device) {
      ++total;
      if (!covered.contains(row.name.str()))
        missing.insert(row.name.str());
    }
  std::string text;
  for (const std::string &name : missing)
    text += " " + name;
  printf("covered: %zu of %zu rows; missing:%s\n", total - missing.size(), total, text.c_str());
  EXPECT_GE(total - missing.size(), 41u);
}

TEST(Generator, IsTheSameEverywhere) {
  uint64_t digest = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::string once = printAmber(generate(seed, profileOf(seed)));
    EXPECT_EQ(printAmber(generate(seed, profileOf(seed))), once) << seed;
    digest = digest * 31 + xxh3_64bits(once);
  }
  RecordProperty("digest", utohexstr(digest));
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

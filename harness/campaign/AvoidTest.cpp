// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Avoid.h"

#include "harness/campaign/CampaignJson.h"
#include "support/Error.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static fuzz::Profile smallProfile() {
  return cantFail(fuzz::findProfile("small"));
}

TEST(Avoid, LeavesCasesWithoutTheOperationsAsTheyAre) {
  AvoidedBug bug{"x", {"OpISub"}, ""};
  unsigned with = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    fuzz::GeneratedCase plain = fuzz::generate(seed, smallProfile());
    fuzz::GeneratedCase avoided = cantFail(generateWithout(seed, smallProfile(), bug));
    EXPECT_FALSE(containsOperations(avoided, bug));
    bool isSame = fuzz::printAmber(plain) == fuzz::printAmber(avoided);
    EXPECT_EQ(isSame, !containsOperations(plain, bug));
    with += !isSame;
    // The same for everybody.
    EXPECT_EQ(fuzz::printAmber(avoided),
              fuzz::printAmber(cantFail(generateWithout(seed, smallProfile(), bug))));
  }
  EXPECT_GT(with, 0u);
  EXPECT_LT(with, 30u);
}

TEST(Avoid, AsksForAllOperationsTogether) {
  AvoidedBug one{"x", {"OpISub"}, ""}, both{"y", {"OpISub", "OpUDiv"}, ""};
  unsigned withOne = 0, withBoth = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    fuzz::GeneratedCase plain = fuzz::generate(seed, smallProfile());
    withOne += containsOperations(plain, one);
    withBoth += containsOperations(plain, both);
    EXPECT_TRUE(containsOperations(plain, one) || !containsOperations(plain, both));
  }
  EXPECT_LT(withBoth, withOne);
  EXPECT_GT(withBoth, 0u);
}

TEST(Avoid, LeavesOutTheConstruct) {
  AvoidedBug bug{"x", {}, "integer-arithmetic"};
  unsigned with = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    with += fuzz::generate(seed, smallProfile()).constructs.count("integer-arithmetic");
    EXPECT_FALSE(cantFail(generateWithout(seed, smallProfile(), bug))
                     .constructs.count("integer-arithmetic"));
  }
  EXPECT_GT(with, 0u);
}

TEST(Avoid, RefusesWhatItCannotAvoid) {
  const AvoidedBug rows[] = {{"x", {}, ""},
                             {"x", {"OpNonsense"}, ""},
                             {"x", {"Unpack"}, ""},
                             {"x", {}, "nonsense"},
                             {"x", {"OpISub|OpNonsense"}, ""}};
  for (const AvoidedBug &row : rows)
    EXPECT_EQ(takeError(verifyAvoidable(row)).kind, ErrorKind::InvalidInput);
  EXPECT_FALSE(verifyAvoidable({"x", {"OpISub|UnpackSnorm2x16"}, "integer-bits"}));
  // Each shader returns.
  Expected<fuzz::GeneratedCase> none =
      generateWithout(1, smallProfile(), AvoidedBug{"returns", {"OpReturn"}, ""});
  EXPECT_NE(takeError(none.takeError()).message.find("returns"), std::string::npos);
}

TEST(Avoid, IsPartOfTheCampaign) {
  CampaignOptions options;
  options.avoided = {{"nir-x", {"OpISub", "FClamp"}, ""}, {"aco-y", {}, "integer-bits"}};
  std::string text = printCampaignOptions(options);
  EXPECT_EQ(cantFail(readCampaignKey(text)).avoided, options.avoided);
  EXPECT_NE(text, printCampaignOptions(CampaignOptions()));
  EXPECT_TRUE(cantFail(readCampaignKey(printCampaignOptions(CampaignOptions()))).avoided.empty());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steering: what is rare comes more often, nothing that is barred comes, and a case hangs on its
// number and the table alone.
#include "fuzz/generate/Steering.h"

#include "fuzz/generate/Coverage.h"
#include "support/Error.h"
#include "support/Random.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

static CoverageTable tableOf(uint64_t first, uint64_t last) {
  CoverageTable table;
  for (uint64_t seed = first; seed < last; ++seed) {
    GeneratedCase generated = generate(seed, cantFail(findProfile("default")));
    table.add(generated.constructs, featuresOf(generated));
  }
  return table;
}

TEST(Steering, TablesAreReadAndMerged) {
  CoverageTable whole = tableOf(0, 40), left = tableOf(0, 15), right = tableOf(15, 40);
  EXPECT_EQ(cantFail(CoverageTable::parse(whole.print())).print(), whole.print());
  CoverageTable both = left, reversed = right;
  both.merge(right);
  reversed.merge(left);
  EXPECT_EQ(both.print(), whole.print());
  EXPECT_EQ(reversed.print(), whole.print());
}

TEST(Steering, BrokenTablesAreRefused) {
  for (StringRef text :
       {"", "[]", "{\"schema\": \"assay.coverage/2\", \"cases\": 1}",
        "{\"schema\": \"assay.coverage/1\", \"cases\": 1, \"constructs\": {\"flow-loop\": 2}, "
        "\"features\": {}}",
        "{\"schema\": \"assay.coverage/1\", \"cases\": 1, \"constructs\": {}, "
        "\"features\": {\"op OpIAdd\": 1}}",
        // Sixteen times 2^60 cases would be 0, by which makersOf() divides.
        "{\"schema\": \"assay.coverage/1\", \"cases\": 16, \"constructs\": {\"flow-loop\": 16}, "
        "\"features\": {\"op OpIAdd\": {\"cases\": 1152921504606846976, \"constructs\": {}}}}",
        "{\"schema\": \"assay.coverage/1\", \"cases\": 1152921504606846976, \"constructs\": {}, "
        "\"features\": {}}"}) {
    Expected<CoverageTable> table = CoverageTable::parse(text);
    ASSERT_FALSE(static_cast<bool>(table)) << text.str();
    EXPECT_EQ(takeError(table.takeError()).kind, ErrorKind::InvalidInput);
  }
}

/// Features that few cases of the table have, summed over the cases of a campaign.
TEST(Steering, WhatIsRareComesMoreOften) {
  constexpr uint64_t cases = 150, campaign = 7, few = 12;
  CoverageTable table = tableOf(0, 500);
  Steering steering(table);
  Profile plain = cantFail(findProfile("default"));
  uint64_t steeredRare = 0, plainRare = 0, changed = 0;
  auto countRare = [&](const GeneratedCase &generated) {
    uint64_t count = 0;
    for (const std::string &feature : featuresOf(generated)) {
      auto known = table.features().find(feature);
      count += known == table.features().end() || known->second.cases <= few;
    }
    return count;
  };
  for (uint64_t number = 0; number < cases; ++number) {
    Profile steered = steering.apply(plain, campaign, number);
    changed += steered.weights != plain.weights;
    uint64_t seed = Random::derive(campaign, number).next();
    plainRare += countRare(generate(seed, plain));
    steeredRare += countRare(generate(seed, steered));
  }
  EXPECT_GT(changed, cases / 4);
  EXPECT_LT(changed, cases * 3 / 4);
  EXPECT_GT(steeredRare, plainRare + plainRare / 4) << "without steering " << plainRare;
  RecordProperty("plain", static_cast<int>(plainRare));
  RecordProperty("steered", static_cast<int>(steeredRare));
}

TEST(Steering, HangsOnNumberAndTableAlone) {
  CoverageTable table = tableOf(0, 50);
  Steering steering(table);
  Profile profile = cantFail(findProfile("default"));
  profile.weights["flow-loop"] = 0;
  for (uint64_t number = 8; number-- > 0;) {
    Profile steered = steering.apply(profile, 3, number);
    CoverageTable again = cantFail(CoverageTable::parse(table.print()));
    EXPECT_EQ(Steering(again).apply(profile, 3, number).weights, steered.weights);
    EXPECT_EQ(steered.weights["flow-loop"], 0u);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Symptom.h"

#include "reports/triage/Clusters.h"
#include "reports/triage/VerdictTesting.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

/// Findings to an instruction that ran, of \p count cases.
static std::vector<Symptom> symptomsOf(size_t count, StringRef rule, StringRef signature) {
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < count; ++i) {
    verdicts.push_back(
        makeVerdict("case " + std::to_string(i), "gfx1100", State::Fail, rule, signature));
    verdicts.back().findings.front().evidence.emplace_back("instruction", "s_nop");
  }
  return collectSymptoms(verdicts);
}

/// Nobody localises what a peer does: the rule and the instruction are all there is.
TEST(Symptom, OneHazardOfManyCasesIsOneBug) {
  std::vector<Symptom> symptoms = symptomsOf(3, "HAZ-DEALLOC", "HAZ-DEALLOC:s_sendmsg");
  ASSERT_EQ(symptoms.size(), 3u);
  EXPECT_FALSE(symptoms.front().ranInto);
  EXPECT_EQ(clusterSymptoms(symptoms).size(), 1u);
}

TEST(Symptom, WhatCodeRunsIntoIsNoPlaceInIt) {
  std::vector<Symptom> symptoms = symptomsOf(2, "MEM-FAULT", "MEM-FAULT:s_load_b32");
  ASSERT_EQ(symptoms.size(), 2u);
  EXPECT_TRUE(symptoms.front().ranInto);
}

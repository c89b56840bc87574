// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/score/Detections.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(Detections, EveryRuleHasItsOracle) {
  EXPECT_EQ(oracleOf("EXPECT"), "EXPECT");
  EXPECT_EQ(oracleOf("REF-DIFF"), "REF-DIFF");
  EXPECT_EQ(oracleOf("MC-04"), "validate-elf");
  EXPECT_EQ(oracleOf("WAIT-RAW"), "sanitizer");
  EXPECT_EQ(oracleOf("FAT-BROKEN"), "fat-pointers");
  EXPECT_EQ(oracleOf("UB-SHIFT"), "undefined");
  EXPECT_EQ(oracleOf("CRASH"), "crash");
  EXPECT_EQ(oracleOf("TIMEOUT"), "timeout");
}

static Verdict makeVerdict(State state, std::vector<std::pair<std::string, Severity>> rules) {
  Verdict verdict;
  verdict.state = state;
  for (auto &[rule, severity] : rules) {
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    verdict.findings.push_back(std::move(finding));
  }
  return verdict;
}

TEST(Detections, OracleIsNamedOnce) {
  std::vector<Detection> detections =
      listDetections({makeVerdict(State::Pass, {{"REF-DIFF", Severity::Error}}),
                      makeVerdict(State::Fail, {{"RES-08", Severity::Warning},
                                                {"WAIT-RAW", Severity::Error},
                                                {"WAIT-WAW", Severity::Error},
                                                {"EXPECT", Severity::Error}}),
                      makeVerdict(State::Fail, {{"EXPECT", Severity::Error}})});
  ASSERT_EQ(detections.size(), 2u) << "a pass and a warning are none";
  EXPECT_EQ(detections[0].oracle, "sanitizer");
  EXPECT_EQ(detections[0].rule, "WAIT-RAW");
  EXPECT_EQ(detections[1].oracle, "EXPECT");
}

TEST(Detections, BadStateIsOneOnlyWhereNothingSaysMore) {
  std::vector<Detection> detections =
      listDetections({makeVerdict(State::Timeout, {}), makeVerdict(State::Unsupported, {})});
  ASSERT_EQ(detections.size(), 1u);
  EXPECT_EQ(detections[0].oracle, "timeout");
  detections = listDetections({makeVerdict(State::Invalid, {}),
                               makeVerdict(State::Invalid, {{"UB-RACE", Severity::Error}})});
  ASSERT_EQ(detections.size(), 1u);
  EXPECT_EQ(detections[0].rule, "UB-RACE");
}

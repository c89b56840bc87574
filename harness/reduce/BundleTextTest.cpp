// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the texts of bundles leave out.
#include "harness/reduce/BundleText.h"

#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using testing::HasSubstr;
using testing::Not;

static Verdict makeVerdict(State state) {
  Verdict verdict;
  verdict.state = state;
  verdict.reason = "at 0x00005581beef";
  Finding finding;
  finding.rule = "R";
  finding.message = "expected 0x3f800000";
  verdict.findings.push_back(finding);
  return verdict;
}

TEST(BundleText, LogsOfCrashesHaveNoAddresses) {
  std::string log = printLog(makeVerdict(State::Crash));
  EXPECT_THAT(log, HasSubstr("crash: at 0x?\n"));
  EXPECT_THAT(log, Not(HasSubstr("beef")));
}

TEST(BundleText, LogsOfWrongValuesHaveTheirNumbers) {
  std::string log = printLog(makeVerdict(State::Fail));
  EXPECT_THAT(log, HasSubstr("expected 0x3f800000"));
  EXPECT_THAT(log, HasSubstr("at 0x00005581beef"));
}

TEST(BundleText, LogsOfLimitsHaveNoMemory) {
  Verdict verdict = makeVerdict(State::Timeout);
  verdict.findings.front().evidence = {{"stack", "#0 hang()\n"}, {"memory", "64 MiB"}};
  std::string log = printLog(verdict);
  EXPECT_THAT(log, HasSubstr("stack: #0 hang()\n"));
  EXPECT_THAT(log, Not(HasSubstr("MiB")));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triage/Triage.h"

#include "reports/triage/VerdictTesting.h"
#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static Report makeReport(std::vector<Verdict> verdicts) {
  Report report;
  report.verb = "diff";
  report.verdicts = std::move(verdicts);
  return report;
}

TEST(Triage, PutsOneSignatureInOneBucketAcrossCases) {
  Report now = makeReport({makeVerdict("a", "gfx900", State::Crash, "CRASH", "crash x"),
                           makeVerdict("b", "gfx1100", State::Crash, "CRASH", "crash x"),
                           makeVerdict("c", "gfx900", State::Pass),
                           makeVerdict("d", "gfx900", State::Unsupported)});
  Triage result = triage(now, {});
  ASSERT_EQ(result.buckets.size(), 1u);
  EXPECT_EQ(result.buckets[0].verdicts.size(), 2u);
  EXPECT_TRUE(result.hasNew());
}

TEST(Triage, KeepsWrongValuesOfDifferentCasesApart) {
  Report now = makeReport({makeVerdict("a", "gfx900", State::Fail, "EXPECT", "EXPECT EQ"),
                           makeVerdict("a", "gfx1100", State::Fail, "REF-DIFF", "REF-DIFF"),
                           makeVerdict("b", "gfx900", State::Fail, "EXPECT", "EXPECT EQ")});
  EXPECT_EQ(triage(now, {}).buckets.size(), 2u);
}

TEST(Triage, TellsNewKnownGoneAndRegressions) {
  Report before = makeReport({makeVerdict("a", "gfx900", State::Crash, "CRASH", "old"),
                              makeVerdict("b", "gfx900", State::Crash, "CRASH", "fixed"),
                              makeVerdict("c", "gfx900", State::Pass)});
  Report now = makeReport({makeVerdict("a", "gfx900", State::Crash, "CRASH", "old"),
                           makeVerdict("b", "gfx900", State::Pass),
                           makeVerdict("c", "gfx900", State::Timeout, "TIMEOUT", "new")});
  Triage result = triage(now, before);
  ASSERT_EQ(result.buckets.size(), 2u);
  EXPECT_EQ(result.buckets[0].key, "new");
  EXPECT_FALSE(result.buckets[0].known);
  EXPECT_TRUE(result.buckets[1].known);
  EXPECT_EQ(result.gone, std::vector<std::string>{"fixed"});
  ASSERT_EQ(result.regressions.size(), 1u);
  EXPECT_EQ(result.regressions[0].now->caseId, "c");

  Report same = before;
  EXPECT_FALSE(triage(same, before).hasNew());
  EXPECT_TRUE(triage(same, before).regressions.empty());

  std::string text;
  raw_string_ostream os(text);
  writeTriageText(os, result);
  EXPECT_TRUE(StringRef(text).contains("NEW   timeout: new (1 verdict in 1 case)"));
  EXPECT_TRUE(
      StringRef(text).contains("2 buckets: 1 new, 1 known, 0 expected; 1 gone; 1 regressions"));
  std::string json;
  raw_string_ostream jsonOs(json);
  writeTriageJson(jsonOs, result, now);
  Expected<json::Value> value = json::parse(json);
  ASSERT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(value->getAsObject()->getArray("buckets")->size(), 2u);
}

TEST(Triage, CountsKnownBugs) {
  Report now = makeReport({makeVerdict("a", "gfx900", State::Crash, "CRASH", "old")});
  Triage result = triage(now, {});
  ASSERT_EQ(result.buckets.size(), 1u);
  result.buckets[0].bug = "some-bug";
  std::string text;
  raw_string_ostream os(text);
  writeTriageText(os, result);
  EXPECT_TRUE(StringRef(text).contains("0 expected, 1 known bug; 0 gone")) << text;
}

TEST(Triage, IsTheSameForAnyOrderOfVerdicts) {
  std::vector<Verdict> verdicts = {makeVerdict("b", "gfx1100", State::Crash, "CRASH", "crash x"),
                                   makeVerdict("a", "gfx900", State::Crash, "CRASH", "crash x"),
                                   makeVerdict("c", "gfx900", State::Fail, "EXPECT", "EXPECT EQ"),
                                   makeVerdict("d", "gfx900", State::Fail, "EXPECT", "EXPECT EQ")};
  auto describe = [](std::vector<Verdict> each) {
    Report now = makeReport(std::move(each));
    std::string text;
    for (const Bucket &bucket : triage(now, {}).buckets)
      for (const Symptom &symptom : bucket.symptoms)
        text += bucket.id + " " + bucket.key + " " + symptom.caseId + "\n";
    return text;
  };
  std::string expected = describe(verdicts);
  std::reverse(verdicts.begin(), verdicts.end());
  EXPECT_EQ(describe(verdicts), expected);
}

TEST(Triage, HasNothingToSayOfACleanResult) {
  Triage result = triage(makeReport({makeVerdict("a", "gfx900", State::Pass)}), {});
  EXPECT_TRUE(result.buckets.empty());
  EXPECT_FALSE(result.hasNew());
}

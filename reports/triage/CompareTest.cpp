// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Compare.h"
#include "reports/triage/Expectations.h"
#include "reports/triage/VerdictTesting.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static Change changeOf(const Comparison &comparison, StringRef key) {
  auto found = find_if(comparison.buckets, [&](const auto &each) { return each.key == key; });
  EXPECT_NE(found, comparison.buckets.end()) << key.str();
  return found == comparison.buckets.end() ? Change::NotRun : found->change;
}

TEST(Compare, TellsWhatBecameOfEachBug) {
  std::vector<Verdict> before = {
      makeVerdict("still", "gfx900", State::Crash, "CRASH", "a"),
      makeVerdict("fixed", "gfx900", State::Crash, "CRASH", "b"),
      makeVerdict("fixed", "gfx1100", State::Crash, "CRASH", "b"),
      makeVerdict("gone", "gfx900", State::Crash, "CRASH", "c"),
      makeVerdict("spreads", "gfx900", State::Crash, "CRASH", "d"),
      makeVerdict("spreads", "gfx1100", State::Pass),
      makeVerdict("masked", "gfx900", State::Crash, "CRASH", "e"),
      makeVerdict("half", "gfx900", State::Crash, "CRASH", "g"),
      makeVerdict("half", "gfx1100", State::Crash, "CRASH", "g"),
  };
  std::vector<Verdict> now = {
      makeVerdict("still", "gfx900", State::Crash, "CRASH", "a"),
      makeVerdict("still", "gfx1100", State::Crash, "CRASH", "a"), // Was not tried before.
      makeVerdict("fixed", "gfx900", State::Pass),
      makeVerdict("spreads", "gfx900", State::Crash, "CRASH", "d"),
      makeVerdict("spreads", "gfx1100", State::Crash, "CRASH", "d"),
      makeVerdict("masked", "gfx900", State::Crash, "CRASH", "f"),
      makeVerdict("half", "gfx900", State::Pass),
      makeVerdict("half", "gfx1100", State::Crash, "CRASH", "h"),
  };
  Comparison comparison = compareResults(before, now);
  EXPECT_EQ(changeOf(comparison, "a"), Change::Still);
  EXPECT_EQ(changeOf(comparison, "b"), Change::Fixed);
  EXPECT_EQ(changeOf(comparison, "c"), Change::NotRun);
  EXPECT_EQ(changeOf(comparison, "d"), Change::Changed);
  EXPECT_EQ(changeOf(comparison, "e"), Change::Changed);
  EXPECT_EQ(changeOf(comparison, "f"), Change::New);
  EXPECT_EQ(changeOf(comparison, "g"), Change::Changed); // Fixed in one of two places.
  EXPECT_EQ(comparison.buckets.front().change, Change::New);
  EXPECT_EQ(comparison.count(Change::Changed), 3u);
  // The other way round, new is fixed.
  EXPECT_EQ(changeOf(compareResults(now, before), "b"), Change::New);
}

TEST(Compare, FindsTheFactsOfASymptomBeforeThoseOfItsCase) {
  Symptom symptom;
  symptom.caseId = "a";
  symptom.compiler = "aco";
  symptom.machine = "gcn";
  symptom.rule = "value";
  FactsByCase facts;
  EXPECT_EQ(findFacts(facts, symptom), nullptr);
  facts[{"b"}].operation = "of another case";
  EXPECT_EQ(findFacts(facts, symptom), nullptr);
  facts[{"a"}].operation = "of the case";
  EXPECT_EQ(findFacts(facts, symptom)->operation, "of the case");
  facts[{"a", "aco", "gcn"}].operation = "of the compiler";
  facts[{"a", "radv-llvm", "gcn"}].operation = "of another compiler";
  EXPECT_EQ(findFacts(facts, symptom)->operation, "of the compiler");
  facts[factsKeyOf(symptom)].operation = "of the symptom";
  EXPECT_EQ(findFacts(facts, symptom)->operation, "of the symptom");
}

TEST(Compare, CallsChanceNoise) {
  std::vector<Verdict> before = {
      makeVerdict("slow", "gfx900", State::Pass), makeVerdict("slow", "gfx1030", State::Pass),
      makeVerdict("slow", "gfx1100", State::Pass), makeVerdict("odd", "gfx900", State::Pass),
      makeVerdict("hangs", "gfx900", State::Pass)};
  std::vector<Verdict> now = before;
  now[0] = makeVerdict("slow", "gfx900", State::Timeout, "TIMEOUT", "timeout slow");
  now[3] = makeVerdict("odd", "gfx900", State::Flaky, "CRASH", "crash odd");
  now[4] = makeVerdict("hangs", "gfx900", State::Timeout, "TIMEOUT", "timeout hangs");
  Comparison comparison = compareResults(before, now);
  EXPECT_EQ(changeOf(comparison, "timeout slow"), Change::Noise);
  EXPECT_EQ(changeOf(comparison, "crash odd"), Change::Noise);
  EXPECT_EQ(changeOf(comparison, "timeout hangs"), Change::New);
}

static std::string problemOf(StringRef text) {
  Expected<std::vector<ExpectedVerdict>> rules = parseExpectations(text);
  return rules ? "none" : takeError(rules.takeError()).message;
}

TEST(Expectations, AreReadLineByLine) {
  auto rules = parseExpectations("# all that is known\n\n"
                                 "signature \"a \\\"b\\\" c\" crash #12 2026-12-31 # until then\n"
                                 "case x.amber any - never\n");
  ASSERT_TRUE(static_cast<bool>(rules));
  ASSERT_EQ(rules->size(), 2u);
  EXPECT_EQ((*rules)[0].pattern, "a \"b\" c");
  EXPECT_EQ((*rules)[0].state, State::Crash);
  EXPECT_EQ((*rules)[0].until, "2026-12-31");
  EXPECT_EQ((*rules)[0].line, 3u);
  EXPECT_EQ((*rules)[1].kind, ExpectedVerdict::Kind::Case);
  EXPECT_EQ((*rules)[1].state, std::nullopt);
  EXPECT_EQ((*rules)[1].link, "");
}

TEST(Expectations, RefuseWhatIsNoRule) {
  for (StringRef text :
       {"case x any -", "case x any - never more", "guess x any - never", "case x pass - never",
        "case x odd - never", "regex ( any - never", "case x any - 2026-02-30",
        "case x any - tomorrow", "case \"x any - never"})
    EXPECT_EQ(problemOf(("# one\n" + text).str()).find("line 2: "), 0u) << text.str();
}

TEST(Expectations, KnowDays) {
  for (StringRef good : {"2026-01-31", "2024-02-29", "2000-02-29"})
    EXPECT_TRUE(isDate(good)) << good.str();
  for (StringRef bad : {"2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31",
                        "2026-1-1", "26-01-01", "2026/01/01", ""})
    EXPECT_FALSE(isDate(bad)) << bad.str();
}

TEST(Expectations, ExcuseUntilTheyExpireAndComplainOfPasses) {
  auto rules = parseExpectations("signature \"crash a\" crash #1 2026-12-31\n"
                                 "case passes any #2 never\n"
                                 "case absent any #3 never\n"
                                 "regex \"^c gfx900\" fail #4 2026-11-20\n"
                                 "case a fail #5 never\n");
  ASSERT_TRUE(static_cast<bool>(rules));
  std::vector<Verdict> verdicts = {makeVerdict("a", "gfx900", State::Crash, "CRASH", "crash a"),
                                   makeVerdict("b", "gfx900", State::Crash, "CRASH", "crash a"),
                                   makeVerdict("b", "gfx1100", State::Crash, "CRASH", "crash b"),
                                   makeVerdict("c", "gfx900", State::Fail, "EXPECT", "EXPECT EQ"),
                                   makeVerdict("passes", "gfx900", State::Pass)};
  ExpectationResult result = applyExpectations(*rules, verdicts, "2026-11-20");
  EXPECT_EQ(result.expected.size(), 3u);
  EXPECT_EQ(result.unexpected, (std::vector<const Verdict *>{&verdicts[2]}));
  ASSERT_EQ(result.passes.size(), 1u);
  EXPECT_EQ(result.passes[0]->link, "#2");
  ASSERT_EQ(result.unused.size(), 1u); // What #5 is about runs, and ends in another state.
  EXPECT_EQ(result.unused[0]->link, "#3");
  EXPECT_TRUE(result.expired.empty());

  ExpectationResult later = applyExpectations(*rules, verdicts, "2026-11-21");
  EXPECT_EQ(later.expected.size(), 2u);
  ASSERT_EQ(later.expired.size(), 1u);
  EXPECT_EQ(later.expired[0]->link, "#4");
  EXPECT_EQ(applyExpectations(*rules, verdicts, "2027-01-01").expected.size(), 0u);
}

TEST(Expectations, NameRulesAndMessagesOfCases) {
  auto rules = parseExpectations("rule \"suite/* EXPECT\" fail #1 never\n"
                                 "message \"*/b no [a-z]+ly\" any #2 never\n"
                                 "message \"suite/c images\" unsupported #3 never\n"
                                 "rule \"suite/a RACE\" any #4 never\n");
  ASSERT_TRUE(static_cast<bool>(rules)) << toString(rules.takeError());
  std::vector<Verdict> verdicts = {
      makeVerdict("suite/a", "gfx900", State::Fail, "EXPECT", "EXPECT EQ"),
      makeVerdict("suite/b", "gfx900", State::Invalid, "UB", "ub"),
      makeVerdict("suite/c", "gfx900", State::Unsupported),
      makeVerdict("other/a", "gfx900", State::Fail, "EXPECT", "EXPECT EQ")};
  verdicts[1].reason = "there is no family of it";
  verdicts[2].reason = "storage images";
  ExpectationResult result = applyExpectations(*rules, verdicts, "2026-11-20", true);
  EXPECT_EQ(result.expected,
            (std::vector<const Verdict *>{&verdicts[0], &verdicts[1], &verdicts[2]}));
  ASSERT_EQ(result.rules.size(), 3u);
  EXPECT_EQ(result.rules[1]->link, "#2");
  EXPECT_EQ(result.unexpected, (std::vector<const Verdict *>{&verdicts[3]}));
  // The case still fails, but no longer by this rule.
  ASSERT_EQ(result.passes.size(), 1u);
  EXPECT_EQ(result.passes[0]->link, "#4");
  // What is unsupported counts only where that is asked for.
  EXPECT_EQ(applyExpectations(*rules, verdicts, "2026-11-20").expected.size(), 2u);
  for (StringRef text : {"rule x any - never", "message \"x (\" any - never",
                         "rule \"[ x\" any - never", "message x any - never"})
    EXPECT_EQ(problemOf(text).find("line 1: "), 0u) << text.str();
}

TEST(Expectations, DoNotPassWhereOneConfigurationFailsInAnotherWay) {
  auto rules = parseExpectations("case a fail #1 never\ncase b fail #2 never\n");
  ASSERT_TRUE(static_cast<bool>(rules));
  std::vector<Verdict> verdicts = {makeVerdict("a", "gfx900", State::Pass),
                                   makeVerdict("a", "gfx1100", State::Crash, "CRASH", "crash a"),
                                   makeVerdict("b", "gfx900", State::Unsupported)};
  ExpectationResult result = applyExpectations(*rules, verdicts, "2026-11-20");
  EXPECT_EQ(result.unexpected.size(), 1u);
  EXPECT_TRUE(result.passes.empty());
  ASSERT_EQ(result.unused.size(), 1u);
  EXPECT_EQ(result.unused[0]->link, "#2");
}

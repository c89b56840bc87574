// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Predicate.h"

#include "harness/reduce/Derive.h"
#include "harness/reduce/TriedCandidates.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static Finding makeFinding(StringRef rule, StringRef signature) {
  Finding finding;
  finding.rule = rule.str();
  finding.signature = signature.str();
  return finding;
}

static Verdict failWith(std::vector<Finding> findings) {
  Verdict verdict;
  verdict.state = State::Fail;
  verdict.findings = std::move(findings);
  return verdict;
}

TEST(Predicate, ReadsWhatItWrites) {
  Predicate predicate;
  predicate.state = State::Timeout;
  predicate.rule = "A\"b";
  predicate.signature = "x y";
  predicate.checkReference = false;
  predicate.needed = 2;
  predicate.runs = 5;
  predicate.job.machine = "gcn";
  predicate.job.target = "gfx1201";
  predicate.job.optLevel = 2;
  predicate.job.waveSize = 64;
  predicate.job.schedule.late = true;
  predicate.job.limits.maxInstructions = 77;
  std::string text = printPredicate(predicate);
  Predicate again = cantFail(parsePredicate(text));
  EXPECT_EQ(printPredicate(again), text);
  EXPECT_EQ(again.state, State::Timeout);
  EXPECT_EQ(again.runs, 5u);
  EXPECT_TRUE(again.job.schedule.late);
  EXPECT_EQ(again.job.limits.maxInstructions, 77u);
  EXPECT_FALSE(again.suspectsReference);
  EXPECT_FALSE(again.mostOpenBytes);
  predicate.mostOpenBytes = 0;
  EXPECT_EQ(cantFail(parsePredicate(printPredicate(predicate))).mostOpenBytes, 0u);
  predicate.suspectsReference = true;
  EXPECT_TRUE(cantFail(parsePredicate(printPredicate(predicate))).suspectsReference);
}

TEST(Predicate, RejectsOtherFiles) {
  std::string good = printPredicate(Predicate());
  auto replaced = [&](StringRef from, StringRef to) {
    std::string text = good;
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    return text.replace(at, from.size(), to.str());
  };
  for (const std::string &text :
       {std::string("{}"), std::string("["), replaced("assay.predicate/1", "assay.predicate/2"),
        replaced("\"fail\"", "\"sad\""), replaced("\"needed\": 1", "\"needed\": 2"),
        replaced("\"needed\": 1", "\"needed\": 0"), replaced("assay.job/1", "assay.job/9")}) {
    Expected<Predicate> predicate = parsePredicate(text);
    ASSERT_FALSE(bool(predicate)) << text;
    EXPECT_EQ(takeError(predicate.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST(Predicate, AsksForStateRuleAndSignature) {
  Predicate predicate;
  predicate.rule = "REF-DIFF";
  predicate.signature = "REF-DIFF uint32";
  EXPECT_TRUE(predicate.matches(
      failWith({makeFinding("X", "x"), makeFinding("REF-DIFF", "REF-DIFF uint32")})));
  EXPECT_FALSE(predicate.matches(failWith({makeFinding("REF-DIFF", "REF-DIFF float32")})));
  EXPECT_FALSE(predicate.matches(failWith({makeFinding("ELF-01", "REF-DIFF uint32")})));
  Verdict crash = failWith({makeFinding("REF-DIFF", "REF-DIFF uint32")});
  crash.state = State::Crash;
  EXPECT_FALSE(predicate.matches(crash));
  Finding note = makeFinding("REF-DIFF", "REF-DIFF uint32");
  note.severity = Severity::Warning;
  EXPECT_FALSE(predicate.matches(failWith({note})));
  // Without a rule: nothing was found, it just ended so.
  Predicate bare;
  EXPECT_TRUE(bare.matches(failWith({})));
  EXPECT_FALSE(bare.matches(crash));
}

TEST(Predicate, TakesEitherLimitForCodeThatDoesNotEnd) {
  Verdict byInstructions, byTime, compiling;
  byInstructions.state = byTime.state = compiling.state = State::Timeout;
  Finding finding;
  finding.rule = "TIMEOUT";
  finding.severity = Severity::Error;
  finding.signature = "timeout machine";
  byTime.findings = {finding};
  finding.signature = "timeout compile";
  compiling.findings = {finding};
  for (const Verdict *from : {&byInstructions, &byTime}) {
    Predicate predicate = cantFail(makePredicate(*from, Job(), ""));
    EXPECT_TRUE(predicate.matches(byInstructions));
    EXPECT_TRUE(predicate.matches(byTime));
    EXPECT_FALSE(predicate.matches(compiling));
  }
  Predicate predicate = cantFail(makePredicate(compiling, Job(), ""));
  EXPECT_TRUE(predicate.matches(compiling));
  EXPECT_FALSE(predicate.matches(byTime));
  EXPECT_FALSE(predicate.matches(byInstructions));
}

TEST(Predicate, PrefersOtherRulesToExpectations) {
  Verdict verdict = failWith({makeFinding("EXPECT", "EXPECT uint32"),
                              makeFinding("REF-DIFF", "REF-DIFF uint32"), makeFinding("Y", "y")});
  EXPECT_EQ(cantFail(makePredicate(verdict, Job(), "")).rule, "REF-DIFF");
  EXPECT_EQ(cantFail(makePredicate(verdict, Job(), "EXPECT")).rule, "EXPECT");
  EXPECT_EQ(cantFail(makePredicate(verdict, Job(), "Y")).signature, "y");
  Expected<Predicate> none = makePredicate(verdict, Job(), "Z");
  ASSERT_FALSE(bool(none));
  consumeError(none.takeError());
  verdict.findings.resize(1);
  EXPECT_EQ(cantFail(makePredicate(verdict, Job(), "")).rule, "EXPECT");
}

TEST(Limits, FollowFromWhatTheMachineTook) {
  Verdict reference, machine;
  reference.machine = "spirv";
  reference.state = State::Pass;
  reference.facts.instructions = 1'000'000;
  machine.machine = "gcn";
  machine.state = State::Fail;
  machine.facts.instructions = 30'000;
  JobLimits given;
  JobLimits limits = limitsOfSmaller(machine, {reference, machine}, given);
  EXPECT_EQ(limits.maxInstructions, 120'000u);
  EXPECT_EQ(limits.timeoutMs, 20'000u);
  machine.facts.instructions = 63;
  EXPECT_EQ(limitsOfSmaller(machine, {reference, machine}, given).maxInstructions, 20'000u);
  given.maxInstructions = 500;
  EXPECT_EQ(limitsOfSmaller(machine, {reference, machine}, given).maxInstructions, 500u);
}

TEST(Limits, OfHangsAreAPartOfTheTime) {
  Verdict reference, machine;
  reference.state = State::Pass;
  reference.facts.instructions = 70'000;
  machine.state = State::Timeout;
  // Out of its instructions: what the reference took must be enough for a smaller case.
  machine.facts.instructions = 400'000'000;
  JobLimits limits = limitsOfSmaller(machine, {reference, machine}, JobLimits());
  EXPECT_EQ(limits.maxInstructions, 70'000u);
  EXPECT_EQ(limits.timeoutMs, 20'000u);
  // Out of time.
  machine.findings = {{"TIMEOUT", Severity::Error, "m", "", "timeout compile", {}}};
  EXPECT_EQ(limitsOfSmaller(machine, {reference, machine}, JobLimits()).timeoutMs, 12'000u);
  JobLimits given;
  given.timeoutMs = 5'000;
  EXPECT_EQ(limitsOfSmaller(machine, {reference, machine}, given).timeoutMs, 2'000u);
  given.timeoutMs = 1'000;
  EXPECT_EQ(limitsOfSmaller(machine, {reference, machine}, given).timeoutMs, 1'000u);
}

TEST(TriedCandidates, AreFoundAgainAndForgetTornLines) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("tried", folder));
  std::string path = (folder + "/tried.jsonl").str();
  {
    TriedCandidates tried = cantFail(TriedCandidates::open(path, "key"));
    cantFail(tried.add({{1, Judged::Shows, "a"}, {2, Judged::Passes, "b"}}));
    cantFail(tried.add({{uint64_t(3) << 60, Judged::Other, "a"}}));
  }
  std::string text = cantFail(readFileText(path));
  cantFail(writeFile(path, StringRef(text + "{\"case\":\"00000000000000")));
  TriedCandidates again = cantFail(TriedCandidates::open(path, "key"));
  EXPECT_EQ(again.size(), 3u);
  EXPECT_EQ(again.find(1), Judged::Shows);
  EXPECT_EQ(again.find(2), Judged::Passes);
  EXPECT_EQ(again.find(uint64_t(3) << 60), Judged::Other);
  EXPECT_EQ(again.find(4), std::nullopt);
  EXPECT_EQ(cantFail(readFileText(path)), text);
  // Another program's answers are not taken.
  EXPECT_EQ(cantFail(TriedCandidates::open(path, "other")).size(), 0u);
  sys::fs::remove_directories(folder);
}

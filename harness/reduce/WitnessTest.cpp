// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Witness.h"
#include "harness/reduce/Predicate.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static Verdict makeVerdict(StringRef compiler, StringRef machine, State state) {
  Verdict verdict;
  verdict.compiler = compiler.str();
  verdict.machine = machine.str();
  verdict.state = state;
  return verdict;
}

static Verdict withFinding(Verdict verdict, StringRef rule) {
  Finding finding;
  finding.rule = rule.str();
  finding.signature = rule.str();
  verdict.findings.push_back(finding);
  return verdict;
}

/// The reference has 3, the machine \p actual.
static Verdict differ(StringRef compiler, StringRef actual) {
  Verdict verdict = withFinding(makeVerdict(compiler, "gcn", State::Fail), referenceRule);
  verdict.firstDifference = Difference{"b", 4, 1, 0, "3", actual.str()};
  return verdict;
}

static const Verdict passes = makeVerdict("", "spirv", State::Pass);
static const Verdict failsExpectation =
    withFinding(makeVerdict("", "spirv", State::Fail), expectRule);

TEST(Witness, NeedsAnotherVoterThanItsCompiler) {
  EXPECT_EQ(findWitness({passes, differ("assay", "1")}), nullptr);
  EXPECT_EQ(findWitness({passes, differ("assay", "1"), differ("assay", "1")}), nullptr);
  std::vector<Verdict> script = {failsExpectation, differ("assay", "1")};
  EXPECT_EQ(findWitness(script), &script[1]);
  std::vector<Verdict> peers = {passes, differ("assay", "1"), differ("aco", "1")};
  EXPECT_EQ(findWitness(peers), &peers[1]);
  EXPECT_EQ(findWitness({failsExpectation}), nullptr) << "the script may be wrong";
}

TEST(Witness, IsNoneWhereMachinesDisagree) {
  EXPECT_EQ(findWitness({failsExpectation, differ("assay", "1"), differ("aco", "2")}), nullptr);
  EXPECT_EQ(
      findWitness({failsExpectation, differ("assay", "1"), makeVerdict("aco", "gcn", State::Pass)}),
      nullptr);
  Verdict both = withFinding(differ("assay", "1"), expectRule);
  EXPECT_EQ(findWitness({failsExpectation, both}), nullptr);
  Verdict objected = withFinding(differ("assay", "1"), "UNDEF-STORE");
  EXPECT_EQ(findWitness({failsExpectation, objected}), nullptr);
}

TEST(Witness, FindingOfTheReferenceIsOfUndefinedBehaviour) {
  std::vector<Verdict> verdicts = {withFinding(makeVerdict("", "spirv", State::Invalid), "UB-OOB"),
                                   makeVerdict("assay", "gcn", State::Invalid)};
  EXPECT_EQ(findReferenceFinding(verdicts, ""), &verdicts[0]);
  EXPECT_EQ(findReferenceFinding(verdicts, "UB-OOB"), &verdicts[0]);
  EXPECT_EQ(findReferenceFinding(verdicts, "UB-RACE"), nullptr);
  verdicts[0].findings.front().rule = "EXPECT-OPEN";
  EXPECT_EQ(findReferenceFinding(verdicts, ""), nullptr);
  EXPECT_EQ(findReferenceFinding({passes, failsExpectation}, ""), nullptr);
}

TEST(Witness, ExpectationsAreMetWhereSomebodyRan) {
  Verdict unsupported = makeVerdict("assay", "gcn", State::Unsupported);
  Verdict good = makeVerdict("assay", "gcn", State::Pass);
  EXPECT_TRUE(areExpectationsMet({good, unsupported}));
  EXPECT_FALSE(areExpectationsMet({unsupported}));
  EXPECT_FALSE(areExpectationsMet({good, differ("assay", "1")}));
  EXPECT_FALSE(areExpectationsMet({}));
}

TEST(Witness, TheSecondHasCodeOfAnotherLevel) {
  Job job;
  job.machine = "gcn";
  for (auto [level, other] : {std::pair{0, 2}, {2, 0}, {-1, -1}}) {
    job.optLevel = level;
    EXPECT_EQ(makeSecondWitness(job).optLevel, other);
  }
}

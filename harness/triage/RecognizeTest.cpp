// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triage/Recognize.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

using Texts = std::vector<std::string>;

static Verdict makeVerdict(StringRef compiler, StringRef machine, StringRef rule,
                           StringRef message) {
  Verdict verdict;
  verdict.caseId = "5-1";
  verdict.compiler = compiler.str();
  verdict.machine = machine.str();
  verdict.target = "gfx1100";
  verdict.state = rule == "CRASH" ? State::Crash : State::Fail;
  verdict.reason = message.str();
  verdict.findings.push_back(
      {rule.str(), Severity::Error, message.str(), "", (rule + ":x").str(), {}});
  return verdict;
}

static BugRecognizer ask(Texts compilers, StringRef symptom = "", StringRef message = "",
                         Texts operations = {}, Texts targets = {}) {
  BugRecognizer recognizer;
  recognizer.compilers = std::move(compilers);
  recognizer.targets = std::move(targets);
  recognizer.symptom = symptom.str();
  recognizer.message = message.str();
  recognizer.operations = std::move(operations);
  return recognizer;
}

static KnownBug makeBug(StringRef id, BugRecognizer recognizer) {
  KnownBug bug;
  bug.id = id.str();
  bug.recognizer = std::move(recognizer);
  return bug;
}

static bool isMatch(const BugRecognizer &recognizer, const Verdict &verdict,
                    const std::set<std::string> *operations = nullptr) {
  return matches(recognizer, collectSymptoms(verdict).front(), operations);
}

TEST(Recognizer, AsksForEverythingThatItNames) {
  Verdict crash = makeVerdict("aco", "gcn", "CRASH", "SIGFPE in nir_lower");
  EXPECT_TRUE(isMatch(BugRecognizer(), crash));
  EXPECT_TRUE(isMatch(ask({"radv-llvm", "aco"}), crash));
  EXPECT_FALSE(isMatch(ask({"radv-llvm"}), crash));
  EXPECT_TRUE(isMatch(ask({}, "", "", {}, {"gfx1030", "gfx1100"}), crash));
  EXPECT_FALSE(isMatch(ask({}, "", "", {}, {"gfx1030"}), crash));
  for (const char *name : {"CRASH", "CRASH:x", "crash"})
    EXPECT_TRUE(isMatch(ask({}, name), crash)) << name;
  EXPECT_FALSE(isMatch(ask({}, "TIMEOUT"), crash));
  EXPECT_TRUE(isMatch(ask({}, "", "SIGFPE in nir_.*"), crash));
  EXPECT_FALSE(isMatch(ask({}, "", "SIGSEGV"), crash));
}

TEST(Recognizer, KnowsDriversByTheirNames) {
  Verdict verdict = makeVerdict("", "vulkan:lavapipe", "REF-DIFF", "m");
  std::set<std::string> operations = {"OpIAdd"};
  for (const char *name : {"lavapipe", "vulkan:lavapipe"})
    EXPECT_TRUE(isMatch(ask({name}, "", "", {"OpIAdd"}), verdict, &operations));
  EXPECT_FALSE(isMatch(ask({"aco"}, "", "", {"OpIAdd"}), verdict, &operations));
}

TEST(Recognizer, NeedsTheMinimalCaseOfAWrongValue) {
  Verdict value = makeVerdict("aco", "gcn", "REF-DIFF", "m");
  std::set<std::string> operations = {"OpStore", "OpUMod", "UnpackSnorm2x16"};
  // That ACO is wrong somewhere is no bug.
  EXPECT_FALSE(isMatch(ask({"aco"}, "REF-DIFF"), value, &operations));
  EXPECT_FALSE(isMatch(ask({}, "", "", {"OpUMod"}), value, nullptr));
  EXPECT_TRUE(isMatch(ask({}, "", "", {"OpUMod"}), value, &operations));
  EXPECT_TRUE(isMatch(ask({}, "", "", {"OpUMod", "OpStore"}), value, &operations));
  EXPECT_FALSE(isMatch(ask({}, "", "", {"OpUMod", "OpIAdd"}), value, &operations));
  // One of several.
  EXPECT_TRUE(isMatch(ask({}, "", "", {"UnpackUnorm2x16|UnpackSnorm2x16"}), value, &operations));
  EXPECT_FALSE(isMatch(ask({}, "", "", {"UnpackUnorm2x16|OpIAdd"}), value, &operations));
  EXPECT_FALSE(isMatch(ask({}, "CRASH", "", {"OpUMod"}), value, &operations));
}

TEST(Recognizer, ThatKnowsTheOperationGoesFirst) {
  std::vector<KnownBug> bugs = {makeBug("a-load", ask({}, "", "", {"OpLoad", "OpStore"})),
                                makeBug("b-mod", ask({}, "", "", {"OpUMod"})), KnownBug(),
                                makeBug("c-mod", ask({}, "", "", {"OpUMod"}))};
  std::set<std::string> operations = {"OpLoad", "OpStore", "OpUMod"};
  Verdict verdict = makeVerdict("aco", "gcn", "REF-DIFF", "m");
  Symptom symptom = collectSymptoms(verdict).front();
  EXPECT_EQ(recognize(bugs, symptom, &operations), "a-load");
  symptom.facts.operation = "OpUMod";
  EXPECT_EQ(recognize(bugs, symptom, &operations), "b-mod");
  EXPECT_EQ(recognize(bugs, symptom, nullptr), "");
}

TEST(Recognizer, LabelsWhatItKnows) {
  Findings findings;
  findings.report.verdicts = {makeVerdict("aco", "gcn", "REF-DIFF", "m"),
                              makeVerdict("radv-llvm", "gcn", "HAZ-DEALLOC", "no s_nop")};
  std::vector<Symptom> symptoms = collectSymptoms(findings.report.verdicts);
  findings.facts[{"5-1", "aco", "gcn"}].operation = "OpUMod";
  findings.operations[factsKeyOf(symptoms[0])] = {"OpUMod"};
  std::vector<KnownBug> bugs = {makeBug("aco-mod", ask({}, "", "", {"OpUMod"})),
                                makeBug("llvm-dealloc", ask({}, "HAZ-DEALLOC"))};
  labelFindings(bugs, findings);
  addFacts(symptoms, findings.facts);
  EXPECT_EQ(symptoms[0].facts.bug, "aco-mod");
  EXPECT_EQ(symptoms[0].facts.operation, "OpUMod");
  EXPECT_EQ(symptoms[1].facts.bug, "llvm-dealloc");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/investigate/Steps.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Investigation, ReadsBackAsItWas) {
  Investigation investigation;
  EXPECT_EQ(investigation.next(), Step::Minimize);
  investigation[Step::Minimize] = StepState::Done;
  investigation[Step::Localize] = StepState::Failed;
  investigation.note = "localize: why";
  investigation.seconds = 1.5;
  EXPECT_EQ(investigation.next(), Step::CompareOthers);
  Investigation read = cantFail(parseInvestigation(printInvestigation(investigation)));
  EXPECT_EQ(read.states, investigation.states);
  EXPECT_EQ(read.note, investigation.note);
  EXPECT_EQ(read.seconds, investigation.seconds);
  read[Step::CompareOthers] = StepState::Done;
  EXPECT_TRUE(read.isDone());
  for (StringRef text : {"", "{}", "{\"schema\":\"assay.investigation/1\",\"minimize\":\"lost\"}"})
    EXPECT_EQ(takeError(parseInvestigation(text).takeError()).kind, ErrorKind::InvalidInput);
}

TEST(Investigation, KnowsWhatWasDoneByHand) {
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-investigation", path));
  std::string folder = path.str().str();
  EXPECT_EQ(cantFail(readInvestigation(folder)).next(), Step::Minimize);
  ASSERT_FALSE(writeFile(folder + "/minimal/difference.txt", StringRef("x")));
  EXPECT_EQ(cantFail(readInvestigation(folder)).next(), Step::Localize);
  ASSERT_FALSE(writeFile(folder + "/facts.json", StringRef("{}")));
  EXPECT_TRUE(cantFail(readInvestigation(folder)).isDone());
  EXPECT_FALSE(sys::fs::remove_directories(path));
}

static Verdict makeVerdict(StringRef compiler, StringRef machine, StringRef actual,
                           StringRef rule = "REF-DIFF") {
  Verdict verdict;
  verdict.caseId = "minimal.amber";
  verdict.compiler = compiler.str();
  verdict.machine = machine.str();
  verdict.state = actual.empty() ? State::Pass : State::Fail;
  if (actual.empty())
    return verdict;
  verdict.findings.push_back({rule.str(), Severity::Error, "m", "", rule.str(), {}});
  Difference difference;
  difference.buffer = "words";
  difference.expected = "1";
  difference.actual = actual.str();
  if (rule == "REF-DIFF")
    verdict.firstDifference = difference;
  return verdict;
}

TEST(ProducersAlike, DoTheSameWrong) {
  std::vector<Verdict> verdicts = {makeVerdict("", "spirv", ""), makeVerdict("aco", "gcn", "2"),
                                   makeVerdict("radv-llvm", "gcn", "2"),
                                   makeVerdict("assay", "gcn", ""),
                                   makeVerdict("", "vulkan:lavapipe", "3")};
  EXPECT_THAT(findProducersAlike("aco", verdicts), ElementsAre("radv-llvm"));
  EXPECT_THAT(findProducersAlike("lavapipe", verdicts), IsEmpty());
  EXPECT_THAT(findProducersAlike("assay", verdicts), IsEmpty());
  verdicts.back() = makeVerdict("", "vulkan:lavapipe", "2");
  EXPECT_THAT(findProducersAlike("aco", verdicts), ElementsAre("lavapipe", "radv-llvm"));
  // Another rule is another wrong.
  verdicts[2] = makeVerdict("radv-llvm", "gcn", "2", "WAIT-RAW");
  EXPECT_THAT(findProducersAlike("aco", verdicts), ElementsAre("lavapipe"));
  EXPECT_THAT(findProducersAlike("radv-llvm", verdicts), IsEmpty());
}

TEST(Arguments, NameTheConfigurationOfTheSymptom) {
  Verdict verdict = makeVerdict("aco", "gcn", "2");
  verdict.target = "gfx1100";
  InvestigatedSymptom symptom{"7-1", "f", "f/by-aco", &verdict, {verdict}};
  DiffOptions options;
  options.compilers = {"aco", "radv-llvm"};
  options.machines = {"spirv", "gcn", "vulkan:lavapipe"};
  options.plants = {{"wrong-subtract", "7-1"}, {"wrong-product", "7-2"}};
  std::vector<std::string> words =
      makeArguments(Step::CompareOthers, symptom, options, /*seconds=*/0);
  for (const char *word : {"f/by-aco/minimal/minimal.amber", "aco,radv-llvm",
                           "spirv,gcn,vulkan:lavapipe", "gfx1100", "wrong-subtract"})
    EXPECT_TRUE(is_contained(words, word)) << word;
  EXPECT_FALSE(is_contained(words, "wrong-product"));
  EXPECT_FALSE(is_contained(words, "-O"));
  EXPECT_FALSE(is_contained(words, "--lowering"));
  Verdict lowered = verdict;
  lowered.lowering = "llvm";
  symptom.verdict = &lowered;
  EXPECT_TRUE(is_contained(makeArguments(Step::CompareOthers, symptom, options, 0), "--lowering"));
  symptom.verdict = &verdict;
  words = makeArguments(Step::Minimize, symptom, options, 2.5);
  EXPECT_TRUE(is_contained(words, "2.5"));
  EXPECT_TRUE(is_contained(words, "wrong-subtract"))
      << "without it the symptom does not come again";
  EXPECT_FALSE(is_contained(words, "wrong-product"));
  EXPECT_TRUE(is_contained(makeArguments(Step::Localize, symptom, options, 0), "wrong-subtract"));
}

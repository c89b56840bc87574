// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/bisect/Bisect.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sys/types.h>
#include <thread>

using namespace llvm;
using namespace assay;

using Texts = std::vector<std::string>;

static Texts numbered(unsigned count) {
  Texts revisions;
  for (unsigned i = 0; i < count; ++i)
    revisions.push_back(std::to_string(i));
  return revisions;
}

static unsigned numberOf(StringRef revision) {
  unsigned number = 0;
  EXPECT_FALSE(revision.getAsInteger(10, number));
  return number;
}

// Revisions in \p skipped cannot be tested; those from \p firstBad on are bad.
static Expected<BisectResult> bisectNumbers(unsigned count, unsigned firstBad,
                                            std::vector<unsigned> skipped = {}) {
  return bisectRevisions(numbered(count), {},
                         [&](StringRef revision) -> Expected<RevisionRun> {
                           unsigned number = numberOf(revision);
                           if (is_contained(skipped, number))
                             return RevisionRun{RevisionState::Skip, ""};
                           return RevisionRun{
                               number < firstBad ? RevisionState::Good : RevisionState::Bad, ""};
                         },
                         {});
}

static std::string messageOf(Expected<BisectResult> result) {
  return result ? "no error" : takeError(result.takeError()).message;
}

TEST(Bisect, FindsTheFirstBadOneInFewSteps) {
  for (unsigned count : {2u, 3u, 10u, 1000u})
    for (unsigned firstBad : {1u, std::max(1u, count / 2), count - 1}) {
      Expected<BisectResult> result = bisectNumbers(count, firstBad);
      ASSERT_TRUE(static_cast<bool>(result));
      EXPECT_EQ(result->suspects, Texts{std::to_string(firstBad)}) << count;
      EXPECT_EQ(result->lastGood, std::to_string(firstBad - 1));
      EXPECT_LE(result->log.size(), 12u);
    }
}

TEST(Bisect, VerifiesBothEndsFirst) {
  EXPECT_EQ(messageOf(bisectNumbers(10, 20)), "revision 9 was said to be bad and is good");
  EXPECT_EQ(messageOf(bisectNumbers(10, 0)), "revision 0 was said to be good and is bad");
  EXPECT_NE(messageOf(bisectNumbers(10, 5, {0})).find("must be testable"), std::string::npos);
  EXPECT_NE(messageOf(bisectNumbers(1, 0)), "no error");
}

TEST(Bisect, GoesAroundWhatCannotBeTestedAndSaysARange) {
  Expected<BisectResult> around = bisectNumbers(10, 5, {4, 6, 7});
  ASSERT_TRUE(static_cast<bool>(around));
  EXPECT_EQ(around->suspects, (Texts{"4", "5"}));
  EXPECT_EQ(around->lastGood, "3");
  Expected<BisectResult> beside = bisectNumbers(10, 5, {2, 7});
  ASSERT_TRUE(static_cast<bool>(beside));
  EXPECT_TRUE(beside->isUnique());
  Expected<BisectResult> nothing = bisectNumbers(6, 3, {1, 2, 3, 4});
  ASSERT_TRUE(static_cast<bool>(nothing));
  EXPECT_EQ(nothing->suspects, (Texts{"1", "2", "3", "4", "5"}));
}

TEST(Bisect, AsksFlakyRevisionsSeveralTimes) {
  std::map<std::string, unsigned> asked;
  auto run = [&](StringRef revision) -> Expected<RevisionRun> {
    // Bad revisions show it at every second run; revision 5 only at the third.
    unsigned number = numberOf(revision);
    unsigned time = asked[revision.str()]++;
    bool isBad = number == 5 ? time == 2 : number > 5 && time % 2 == 0;
    return RevisionRun{isBad ? RevisionState::Bad : RevisionState::Good, ""};
  };
  Expected<BisectResult> result = bisectRevisions(numbered(10), {2, 5}, run, {});
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->suspects, (Texts{"5", "6"}));
  EXPECT_EQ(asked["9"], 3u);
  auto unsure = find_if(result->log, [](const auto &step) { return step.revision == "5"; });
  ASSERT_NE(unsure, result->log.end());
  EXPECT_EQ(unsure->state, RevisionState::Unsure);
  EXPECT_NE(messageOf(bisectRevisions(numbered(3), {3, 2}, run, {})), "no error");
}

TEST(Bisect, JudgesACommandByItsExitCode) {
  const std::pair<StringRef, RevisionState> rows[] = {
      {"test {rev} = \"it's\"", RevisionState::Good},
      {"echo one; echo two; exit 1", RevisionState::Bad},
      {"exit 125", RevisionState::Skip},
  };
  for (auto [command, state] : rows) {
    Expected<RevisionRun> run = runRevision(command, "it's", 0);
    ASSERT_TRUE(static_cast<bool>(run));
    EXPECT_EQ(run->state, state) << command.str();
  }
  EXPECT_EQ(cantFail(runRevision("echo one; echo two; exit 1", "r", 0)).said, "two");
  EXPECT_EQ(cantFail(runRevision("sleep 20", "r", 1)).state, RevisionState::Skip);
  for (StringRef command : {"/no/such/program", "kill -ABRT $$", "sh -c 'kill -SEGV $$'"}) {
    Expected<RevisionRun> dead = runRevision(command, "r", 0);
    ASSERT_FALSE(static_cast<bool>(dead)) << command.str();
    EXPECT_EQ(takeError(dead.takeError()).kind, ErrorKind::Environment) << command.str();
  }
}

TEST(Bisect, KillsWhatACommandStartedAtItsTimeLimit) {
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("assay-bisect-test", "pid", path));
  FileRemover remover(path);
  RevisionRun run =
      cantFail(runRevision(("sleep 1000 & echo $! >" + path + "; wait").str(), "r", 1));
  EXPECT_EQ(run.state, RevisionState::Skip);
  EXPECT_EQ(run.said, "over the time limit");
  pid_t process = 0;
  ASSERT_FALSE(StringRef(cantFail(readFileText(path))).trim().getAsInteger(10, process));
  // Killed, it is nobody's until init has reaped it: a zombie, which has no command line.
  std::string line = "x";
  for (unsigned i = 0; i < 100 && !line.empty(); ++i) {
    std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
    line.assign(std::istreambuf_iterator<char>(file), {});
    if (!line.empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(line, "");
}

TEST(Bisect, CutsAListOfRevisions) {
  EXPECT_EQ(cantFail(cutRevisions("a\nb\n\nc\nd\n", "b", "d")), (Texts{"b", "c", "d"}));
  for (auto [good, bad] : {std::pair("d", "b"), std::pair("x", "b"), std::pair("b", "b")}) {
    Expected<Texts> cut = cutRevisions("a\nb\nc\nd\n", good, bad);
    EXPECT_FALSE(static_cast<bool>(cut));
    consumeError(cut.takeError());
  }
}

TEST(Bisect, WritesItsLog) {
  BisectResult result = cantFail(bisectNumbers(10, 5, {4}));
  std::string text;
  raw_string_ostream os(text);
  writeBisectText(os, result);
  EXPECT_NE(text.find("bad    9 (1 of 1 run)\ngood   0 (1 of 1 run)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("first bad: one of 2 revisions after 3:\n    4\n    5\n"), std::string::npos)
      << text;
  std::string json;
  raw_string_ostream jsonOs(json);
  writeBisectJson(jsonOs, result);
  Expected<json::Value> value = json::parse(json);
  ASSERT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(value->getAsObject()->getArray("suspects")->size(), 2u);
}

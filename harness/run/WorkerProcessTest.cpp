// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parent's side against a worker that is a shell script: every way to die has its own state.
#include "harness/run/WorkerProcess.h"

#include "harness/run/WorkerGuard.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

class WorkerProcess : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-pool", m_folder)); }
  void TearDown() override { sys::fs::remove_directories(m_folder); }

  // A program that does what the shell script \p body says; $2 is the job file, $d its folder.
  std::string writeProgram(StringRef body) {
    std::string path = (m_folder + "/worker.sh").str();
    cantFail(writeFile(path, ("#!/bin/sh\nd=$(dirname \"$2\")\n" + body + "\n").str()));
    sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
    return path;
  }
  Job makeJob(unsigned number = 0) {
    Job job;
    job.caseId = "case" + std::to_string(number);
    job.machine = "gcn";
    job.target = "gfx1100";
    job.rerun = "assay diff x";
    job.folder = (m_folder + "/" + std::to_string(number)).str();
    job.limits.timeoutMs = 20'000;
    return job;
  }
  Verdict runOne(StringRef body, uint64_t timeoutMs = 20'000) {
    Job job = makeJob();
    job.limits.timeoutMs = timeoutMs;
    Expected<std::vector<Verdict>> verdicts =
        runJobs(job, {.program = writeProgram(body), .processes = 1, .progress = {}});
    EXPECT_TRUE(static_cast<bool>(verdicts));
    return verdicts ? verdicts->at(0) : Verdict{};
  }

  SmallString<128> m_folder;
};

} // namespace

static std::string passingResult() {
  Verdict verdict;
  verdict.caseId = "somebody else";
  verdict.state = State::Pass;
  verdict.statistics = {{"instructions", 7}};
  return printResult(verdict);
}

TEST_F(WorkerProcess, TakesTheResultButNotTheIdentity) {
  Verdict verdict =
      runOne("test \"$1\" = worker && cat > \"$d/result.json\" <<'E'\n" + passingResult() + "E");
  EXPECT_EQ(verdict.state, State::Pass) << verdict.reason;
  EXPECT_EQ(verdict.caseId, "case0");
  EXPECT_EQ(verdict.target, "gfx1100");
  EXPECT_EQ(verdict.rerun, "assay diff x");
  EXPECT_EQ(verdict.statistics.at(0).second, 7u);
}

TEST_F(WorkerProcess, TellsCrashesByStageAndSignal) {
  Verdict verdict = runOne("printf 'stage read\\nstage compile\\n' > \"$d/journal\"\n"
                           "echo last words >&2\nkill -SEGV $$");
  EXPECT_EQ(verdict.state, State::Crash);
  EXPECT_EQ(verdict.reason, "died of SIGSEGV in stage 'compile'");
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].signature, "crash compile SIGSEGV");
  EXPECT_EQ(verdict.findings[0].evidence.at(0).second, "last words");
}

TEST_F(WorkerProcess, TellsFatalErrorsAndLackOfMemoryFromCrashes) {
  Verdict fatal = runOne("printf 'stage compile\\nend fatal-error cannot select 0x12ab\\n' > "
                         "\"$d/journal\"\nkill -ABRT $$");
  EXPECT_EQ(fatal.state, State::Crash);
  EXPECT_EQ(fatal.findings.at(0).signature, "crash compile fatal-error cannot select #");
  Verdict oom = runOne("printf 'stage run\\nend oom\\n' > \"$d/journal\"\nkill -ABRT $$");
  EXPECT_EQ(oom.state, State::Oom);
  EXPECT_EQ(runOne("kill -KILL $$").state, State::Oom);
}

TEST_F(WorkerProcess, EndsWhatHangsWithItsChildren) {
  Verdict verdict = runOne("sleep 600 & echo $! > \"$d/child\"\nsleep 600", 300);
  EXPECT_EQ(verdict.state, State::Timeout);
  EXPECT_EQ(verdict.reason, "over the time limit of 300 ms in stage 'start'");
  Expected<std::string> child = readFileText((m_folder + "/0/child").str());
  ASSERT_TRUE(static_cast<bool>(child));
  int pid = 0;
  ASSERT_FALSE(StringRef(*child).trim().getAsInteger(10, pid));
  // Killed with the group; init, or whoever is nearest, reaps it a moment later.
  std::string state = "/proc/" + std::to_string(pid) + "/stat";
  for (int i = 0; i < 100 && kill(pid, 0) == 0; ++i) {
    Expected<std::string> text = readFileText(state);
    bool zombie = text && StringRef(*text).contains(") Z ");
    consumeError(text.takeError());
    if (zombie)
      return;
    usleep(20'000);
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST_F(WorkerProcess, CallsEverythingElseAToolError) {
  EXPECT_EQ(runOne("exit 0").state, State::ToolError);
  EXPECT_EQ(runOne("echo garbage > \"$d/result.json\"").state, State::ToolError);
  EXPECT_EQ(runOne("echo '{\"schema\":\"assay.result/2\"}' > \"$d/result.json\"").state,
            State::ToolError);
  Verdict verdict = runOne("echo no disk >&2\nexit 3");
  EXPECT_EQ(verdict.state, State::ToolError);
  EXPECT_EQ(verdict.reason, "the worker ended with status 3: no disk");
  Job job = makeJob();
  Expected<std::vector<Verdict>> verdicts =
      runJobs(job, {.program = "/nonexistent/worker", .processes = 1, .progress = {}});
  ASSERT_TRUE(static_cast<bool>(verdicts));
  EXPECT_EQ(verdicts->at(0).state, State::ToolError);
}

TEST_F(WorkerProcess, DoesNotTakeAnOldResultForANewOne) {
  Job job = makeJob();
  cantFail(writeFile(job.resultFile(), StringRef(passingResult())));
  Expected<std::vector<Verdict>> verdicts =
      runJobs(job, {.program = writeProgram("exit 0"), .processes = 1, .progress = {}});
  ASSERT_TRUE(static_cast<bool>(verdicts));
  EXPECT_EQ(verdicts->at(0).state, State::ToolError);
}

TEST_F(WorkerProcess, BoundsMemoryAndFiles) {
  Job job = makeJob();
  job.limits.fileBytes = 1 << 20;
  Expected<std::vector<Verdict>> verdicts =
      runJobs(job, {.program = writeProgram("exec head -c 3000000 /dev/zero > \"$d/big\""),
                    .processes = 1,
                    .progress = {}});
  ASSERT_TRUE(static_cast<bool>(verdicts));
  EXPECT_EQ(verdicts->at(0).state, State::Crash);
  EXPECT_EQ(verdicts->at(0).reason, "died of SIGXFSZ in stage 'start'");
#ifndef ASSAY_SANITIZED
  job = makeJob(1);
  job.limits.memoryBytes = 99 << 20;
  verdicts = runJobs(job, {.program = writeProgram("test $(ulimit -v) = 101376 || exit 9\nexit 4"),
                           .processes = 1,
                           .progress = {}});
  ASSERT_TRUE(static_cast<bool>(verdicts));
  EXPECT_EQ(verdicts->at(0).reason, "the worker ended with status 4");
#endif
}

TEST_F(WorkerProcess, KeepsTheOrderOfTheJobsWhateverEndsFirst) {
  std::vector<Job> jobs;
  for (unsigned i = 0; i < 12; ++i)
    jobs.push_back(makeJob(i));
  std::string program = writeProgram("case $2 in */0/*|*/5/*) sleep 0.3;; esac\n"
                                     "echo $(basename $d) >&2\nexit 5");
  size_t calls = 0;
  PoolOptions options{.program = program, .processes = 5, .progress = [&](size_t done, size_t all) {
                        EXPECT_LE(done, all);
                        ++calls;
                      }};
  Expected<std::vector<Verdict>> verdicts = runJobs(jobs, options);
  ASSERT_TRUE(static_cast<bool>(verdicts));
  for (unsigned i = 0; i < 12; ++i)
    EXPECT_EQ(verdicts->at(i).reason, "the worker ended with status 5: " + std::to_string(i));
  EXPECT_GT(calls, 0u);
}

TEST_F(WorkerProcess, StopsWhenInterrupted) {
  Job job = makeJob();
  Expected<std::vector<Verdict>> verdicts = runJobs(
      job,
      {.program = writeProgram("kill -TERM $PPID\nsleep 600"), .processes = 1, .progress = {}});
  ASSERT_FALSE(static_cast<bool>(verdicts));
  EXPECT_EQ(takeError(verdicts.takeError()).message, "interrupted by SIGTERM after 0 of 1 jobs");
}

TEST(Journal, HasTheLastStageAndTheEnd) {
  JournalEntry entry = parseJournal("stage read\nstage compile\nend fatal-error a b c\n");
  EXPECT_EQ(entry.stage, "compile");
  EXPECT_EQ(entry.end, "fatal-error");
  EXPECT_EQ(entry.text, "a b c");
  EXPECT_EQ(parseJournal("").stage, "");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parent's side against a worker that is a shell script: every way to die has its own state.
#include "harness/run/WorkerProcess.h"

#include "harness/run/Retry.h"
#include "harness/run/WarmWorkers.h"
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
  verdict.facts.instructions = 7;
  return printResult(verdict);
}

TEST_F(WorkerProcess, TakesTheResultButNotTheIdentity) {
  Verdict verdict =
      runOne("test \"$1\" = worker && cat > \"$d/result.json\" <<'E'\n" + passingResult() + "E");
  EXPECT_EQ(verdict.state, State::Pass) << verdict.reason;
  EXPECT_EQ(verdict.caseId, "case0");
  EXPECT_EQ(verdict.target, "gfx1100");
  EXPECT_EQ(verdict.rerun, "assay diff x");
  EXPECT_EQ(verdict.facts.instructions, 7u);
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

TEST_F(WorkerProcess, AsksWhatIsLateWhereItIs) {
  Verdict verdict = runOne(
      "trap 'printf \"sample\\nframe 0x1\\nmemory 900 512 1\\n\" > \"$d/journal.stack\"' XCPU\n"
      "while :; do sleep 0.01; done",
      300);
  EXPECT_EQ(verdict.state, State::Timeout);
  using Evidence = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(verdict.findings.at(0).evidence, (Evidence{{"stack", "#0 ??\n"}, {"memory", "2 MiB"}}));
}

TEST_F(WorkerProcess, GivesNobodyMoreTimeForBeingAsked) {
  Verdict verdict = runOne("trap 'cp \"$d/../late\" \"$d/result.json\"; exit 0' XCPU\n"
                           "cat > \"$d/../late\" <<'E'\n" +
                               passingResult() + "E\nwhile :; do sleep 0.01; done",
                           300);
  EXPECT_TRUE(sys::fs::exists(m_folder + "/0/result.json"));
  EXPECT_EQ(verdict.state, State::Timeout) << verdict.reason;
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

TEST_F(WorkerProcess, NotesWhereTheTimeOfEachCaseWent) {
  std::string program = writeProgram(
      "case $2 in */1/*) t=70;; *) t=30;; esac\n"
      "printf \"stage read 5\\nstage compile 10\\nstage judge $t\\n\" > \"$d/journal\"\n"
      "cat > \"$d/result.json\" <<'E'\n" +
      passingResult() + "E");
  StageTimes times;
  std::map<std::string, StageTimes> caseTimes;
  PoolOptions options{.program = program, .processes = 2, .progress = {}};
  options.times = &times;
  options.caseTimes = &caseTimes;
  options.notesCompileTime = true;
  Job jobs[] = {makeJob(0), makeJob(1)};
  Expected<std::vector<Verdict>> verdicts = runJobs(jobs, options);
  ASSERT_TRUE(static_cast<bool>(verdicts));
  EXPECT_EQ(times.at("compile").count(), 80);
  EXPECT_EQ(caseTimes.at("case1").at("compile").count(), 60);
  EXPECT_EQ(caseTimes.at("case0").at("read").count(), 5);
  EXPECT_EQ(verdicts->at(0).statistics.back().first, "compile-microseconds");
  EXPECT_EQ(verdicts->at(0).statistics.back().second, 20u);
}

TEST_F(WorkerProcess, LetsSignalsForTheWholeJobPass) {
  // Slurm, for one, sends SIGTERM to every process.
  Verdict verdict = runOne("kill -TERM $$\nkill -INT $$\ncat > \"$d/result.json\" <<'E'\n" +
                           passingResult() + "E");
  EXPECT_EQ(verdict.state, State::Pass) << verdict.reason;
}

TEST_F(WorkerProcess, StopsWhenInterrupted) {
  Job job = makeJob();
  Expected<std::vector<Verdict>> verdicts = runJobs(
      job,
      {.program = writeProgram("kill -TERM $PPID\nsleep 600"), .processes = 1, .progress = {}});
  ASSERT_FALSE(static_cast<bool>(verdicts));
  EXPECT_EQ(takeError(verdicts.takeError()).message, "interrupted by SIGTERM after 0 of 1 jobs");
}

namespace {

/// Against a worker that serves and is a shell script, too: "worker --serve" reads the names of job
/// files and answers each; "worker FILE" runs one alone. Both leave a mark in $r.
class ServingWorker : public WorkerProcess {
protected:
  /// \p body decides about the job in $j, by return (0: it passed) or by its death; $r says how
  /// many jobs this process has had, 0 when it runs one alone.
  std::string writeServer(StringRef body) {
    std::string path = (m_folder + "/server.sh").str();
    std::string text = "#!/bin/bash\npass() { cat > \"$(dirname \"$j\")/result.json\" <<'E'\n" +
                       passingResult() + "E\n}\nrun() {\n" + body.str() + "\n}\n" +
                       "if [ \"$2\" != --serve ]; then j=$2 r=0; run; exit $?; fi\n" +
                       "r=0\nwhile read -r j; do r=$((r+1)); run; code=$?\n" +
                       "  printf \"\\\\x0$code\\\\x01\"; done\n";
    cantFail(writeFile(path, text));
    sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
    return path;
  }
  std::vector<Job> makeJobs(unsigned count, uint64_t timeoutMs = 20'000) {
    std::vector<Job> jobs;
    for (unsigned i = 0; i < count; ++i) {
      jobs.push_back(makeJob(i));
      jobs.back().compiler = "assay";
      jobs.back().limits.timeoutMs = timeoutMs;
    }
    return jobs;
  }
  std::vector<Verdict> runWarm(StringRef body, unsigned count, uint64_t timeoutMs = 20'000) {
    return runWarm(body, makeJobs(count, timeoutMs));
  }
  std::vector<std::string> readLines(StringRef name) {
    std::string text = cantFail(readFileText((m_folder + "/" + name).str()));
    SmallVector<StringRef> lines;
    StringRef(text).trim().split(lines, '\n');
    return {lines.begin(), lines.end()};
  }
  std::vector<Verdict> runWarm(StringRef body, ArrayRef<Job> jobs) {
    PoolOptions options{.program = writeServer(body), .processes = 1, .progress = {}};
    options.warm = std::make_shared<WarmWorkers>();
    Expected<std::vector<Verdict>> verdicts = runJobs(jobs, options);
    EXPECT_TRUE(static_cast<bool>(verdicts));
    return verdicts ? std::move(*verdicts) : std::vector<Verdict>();
  }
};

} // namespace

TEST_F(ServingWorker, RunsJobsInTurn) {
  std::vector<Verdict> verdicts = runWarm("echo $$ >> " + (m_folder + "/pids").str() + "; pass", 5);
  ASSERT_EQ(verdicts.size(), 5u);
  for (const Verdict &verdict : verdicts)
    EXPECT_EQ(verdict.state, State::Pass) << verdict.reason;
  std::vector<std::string> pids = readLines("pids");
  ASSERT_EQ(pids.size(), 5u);
  EXPECT_EQ(pids.front(), pids.back());
}

TEST_F(ServingWorker, HasThePlantsOfOneJob) {
  std::vector<Job> jobs = makeJobs(5);
  for (unsigned planted : {1, 2, 4})
    jobs[planted].plants = {planted == 4 ? "compile-crash" : "wrong-subtract"};
  for (const Verdict &verdict :
       runWarm("echo $$ $r >> " + (m_folder + "/pids").str() + "; pass", jobs))
    EXPECT_EQ(verdict.state, State::Pass) << verdict.reason;
  std::vector<std::string> pids = readLines("pids");
  ASSERT_EQ(pids.size(), 5u);
  auto pidOf = [&](size_t job) { return StringRef(pids[job]).split(' ').first; };
  EXPECT_NE(pidOf(0), pidOf(1)) << "what is planted stays";
  EXPECT_EQ(pidOf(1), pidOf(2));
  EXPECT_NE(pidOf(2), pidOf(3));
  EXPECT_TRUE(StringRef(pids[4]).ends_with(" 0")) << "what ends processes has one of its own";
}

TEST_F(ServingWorker, BlamesADeathOnItsJob) {
  // Job 2 dies in whichever process; the others pass, before it and after it.
  std::vector<Verdict> verdicts = runWarm("[[ $j == */2/* ]] && kill -SEGV $$; pass", 5);
  ASSERT_EQ(verdicts.size(), 5u);
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(verdicts[i].state, i == 2 ? State::Crash : State::Pass) << verdicts[i].reason;
  EXPECT_EQ(verdicts[2].reason, "died of SIGSEGV in stage 'start'");
}

TEST_F(ServingWorker, ReportsADeathThatOnlyComesAfterOtherJobs) {
  std::vector<Verdict> verdicts = runWarm("[[ $r == 3 ]] && kill -SEGV $$; pass", 4);
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_EQ(verdicts[1].state, State::Pass);
  EXPECT_EQ(verdicts[2].state, State::Flaky);
  EXPECT_NE(verdicts[2].reason.find("had served 2 jobs), then pass"), std::string::npos)
      << verdicts[2].reason;
  EXPECT_EQ(verdicts[3].state, State::Pass);
}

TEST_F(ServingWorker, HasNoMemoryToBlameOnOneJob) {
  std::vector<Verdict> verdicts = runWarm("[[ $r == 2 ]] && kill -KILL $$; pass", 3);
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[1].state, State::Pass);
  verdicts = runWarm("[[ $j == */1/* ]] && kill -KILL $$; pass", 3);
  EXPECT_EQ(verdicts[1].state, State::Oom);
}

TEST_F(ServingWorker, BoundsTheTimeOfEachJob) {
  std::vector<Verdict> verdicts =
      runWarm("[[ $j == */1/* ]] && sleep 600; sleep 0.1; pass", 4, 1000);
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_EQ(verdicts[1].state, State::Timeout);
  EXPECT_EQ(verdicts[3].state, State::Pass);
}

TEST_F(ServingWorker, TakesFailuresToServeForToolErrors) {
  std::vector<Verdict> verdicts = runWarm("echo no disk > $(dirname $j)/stderr; return 3", 1);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].reason, "the worker ended with status 3: no disk");
  // It ends without an answer: the job runs alone.
  EXPECT_EQ(runWarm("[[ $r == 0 ]] || exit 0; pass", 1).at(0).state, State::Pass);
}

TEST_F(WorkerProcess, TriesATimeOutAgainAloneWithMoreTime) {
  // Two at a time come too late; then, one by one, they need more than the limit was.
  std::string program = writeProgram(
      "[ -f \"$d/again\" ] || { touch \"$d/again\"; exec sleep 60; }\n"
      "mkdir \"$d/../running\" || touch \"$d/../together\"\nsleep 0.7\nrmdir \"$d/../running\"\n"
      "cat > \"$d/result.json\" <<'E'\n" +
      passingResult() + "E");
  std::vector<Job> jobs = {makeJob(0), makeJob(1)};
  for (Job &job : jobs)
    job.limits.timeoutMs = 500;
  Expected<std::vector<Verdict>> verdicts =
      runJobsSteadily(jobs, {.program = program, .processes = 2, .progress = {}}, 1);
  ASSERT_TRUE(static_cast<bool>(verdicts));
  for (const Verdict &verdict : *verdicts) {
    EXPECT_EQ(verdict.state, State::Flaky);
    EXPECT_EQ(verdict.reason,
              "first timeout (over the time limit of 500 ms in stage 'start'), then pass");
  }
  EXPECT_FALSE(sys::fs::exists(m_folder + "/together"));
}

TEST_F(WorkerProcess, LeavesATimeOutThatComesAgain) {
  Job job = makeJob();
  job.limits.timeoutMs = 100;
  auto start = std::chrono::steady_clock::now();
  Expected<std::vector<Verdict>> verdicts = runJobsSteadily(
      job, {.program = writeProgram("exec sleep 60"), .processes = 1, .progress = {}}, 1);
  ASSERT_TRUE(static_cast<bool>(verdicts));
  EXPECT_EQ(verdicts->at(0).state, State::Timeout);
  EXPECT_EQ(verdicts->at(0).reason, "over the time limit of 100 ms in stage 'start'");
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(5'300));
}

TEST(Journal, HasTheTimesOfItsStages) {
  JournalEntry entry = parseJournal("stage read 100\nstage compile 150\nstage done 1150\n");
  ASSERT_EQ(entry.stages.size(), 2u);
  EXPECT_EQ(entry.stages[1].stage, "compile");
  EXPECT_EQ(entry.stages[1].microseconds, 1000u);
  EXPECT_EQ(entry.stage, "done");
}

TEST(Journal, HasTheLastStageAndTheEnd) {
  JournalEntry entry = parseJournal("stage read\nstage compile\nend fatal-error a b c\n");
  EXPECT_EQ(entry.stage, "compile");
  EXPECT_EQ(entry.end, "fatal-error");
  EXPECT_EQ(entry.text, "a b c");
  EXPECT_EQ(parseJournal("").stage, "");
}

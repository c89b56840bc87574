// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planning and collecting, against a worker that is a shell script.
#include "harness/run/Diff.h"

#include "harness/run/References.h"
#include "harness/run/Rerun.h"
#include "harness/run/Retry.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

// Invalid for "bad", an unsupported reference for c.comp, else pass; says what it was told.
static constexpr StringRef workerScript = R"(#!/bin/sh
d=$(dirname "$2")
state=pass
grep -q '"machine": "spirv"' "$2" && touch "$d/outcome"
grep -q 'bad.spvasm' "$2" && state=invalid
grep -q 'c.comp' "$2" && grep -q '"machine": "spirv"' "$2" && state=unsupported
note=$(grep -c '"reference_note": "the reference is unsupported: said so"' "$2")
file=$(grep -c '"reference_file": ".*outcome"' "$2")
cat > "$d/result.json" <<E
{"schema":"assay.result/1","verdict":{"case":"","compiler":"","machine":"","target":"",
"opt_level":0,"wave_size":0,"state":"$state","reason":"said so","findings":[],"rerun":"",
"statistics":[["note",$note],["file",$file]]}}
E
)";

namespace {

class DiffRun : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-diff", m_folder));
    for (StringRef name : {"cases/b.amber", "cases/a/c.comp", "cases/MANIFEST", "bad.spvasm"})
      cantFail(writeFile((m_folder + "/" + name).str(), StringRef("x")));
  }
  void TearDown() override { sys::fs::remove_directories(m_folder); }

  std::vector<CaseFile> find(std::vector<std::string> names) {
    for (std::string &name : names)
      name = (m_folder + "/" + name).str();
    Expected<std::vector<CaseFile>> cases = findCases(names);
    EXPECT_TRUE(static_cast<bool>(cases));
    return cases ? std::move(*cases) : std::vector<CaseFile>();
  }
  std::string writeWorker() {
    std::string path = (m_folder + "/worker.sh").str();
    cantFail(writeFile(path, workerScript));
    sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
    return path;
  }

  SmallString<128> m_folder;
};

} // namespace

TEST_F(DiffRun, FindsCasesByExtensionInOrder) {
  std::vector<CaseFile> cases = find({"cases", "bad.spvasm"});
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].id, "a/c.comp");
  EXPECT_EQ(cases[1].id, "b.amber");
  EXPECT_EQ(cases[2].id, "bad.spvasm");
}

TEST_F(DiffRun, FindsAFileThatIsNamedTwiceOnce) {
  EXPECT_EQ(find({"bad.spvasm", "cases/../bad.spvasm", "bad.spvasm"}).size(), 1u);
  std::vector<CaseFile> folderAndFile = find({"cases", "cases/b.amber"});
  ASSERT_EQ(folderAndFile.size(), 2u);
  EXPECT_EQ(folderAndFile[1].id, "b.amber");
}

TEST_F(DiffRun, GivesEveryCaseItsOwnId) {
  for (StringRef name : {"x/b.amber", "y/a/c.comp", "z/-"})
    cantFail(writeFile((m_folder + "/" + name).str(), StringRef("x")));
  std::vector<CaseFile> cases = find({"cases/b.amber", "x/b.amber", "bad.spvasm"});
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].id, cases[0].path);
  EXPECT_EQ(cases[1].id, cases[1].path);
  EXPECT_EQ(cases[2].id, "bad.spvasm");
  cases = find({"cases", "y"});
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].id, cases[0].path);
  EXPECT_EQ(cases[2].id, cases[2].path);
  // Nothing but the standard input is called "-".
  EXPECT_EQ(find({"z/-"}).at(0).id, find({"z/-"}).at(0).path);
}

TEST_F(DiffRun, RefusesTheStandardInputTwice) {
  Expected<std::vector<CaseFile>> cases = findCases({"-", "-"});
  ASSERT_FALSE(static_cast<bool>(cases));
  EXPECT_EQ(takeError(cases.takeError()).kind, ErrorKind::InvalidInput);
}

TEST_F(DiffRun, RefusesWhatIsNotThere) {
  sys::fs::create_directories(m_folder + "/empty");
  for (const char *name : {"nothing.amber", "empty"}) {
    Expected<std::vector<CaseFile>> cases = findCases((m_folder + "/" + name).str());
    ASSERT_FALSE(static_cast<bool>(cases));
    EXPECT_EQ(takeError(cases.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST_F(DiffRun, RunsTheReferenceFirstAndTellsTheMachines) {
  DiffOptions options;
  options.targets = {"gfx900", "a630"};
  options.machines = {"spirv", "gcn", "adreno", "vulkan:lavapipe"};
  options.levels = {2};
  Expected<Report> report = runDiff(find({"cases", "bad.spvasm"}), options,
                                    {.program = writeWorker(), .processes = 3, .progress = {}});
  ASSERT_TRUE(static_cast<bool>(report)) << toString(report.takeError());
  const std::vector<Verdict> &verdicts = report->verdicts;
  ASSERT_EQ(verdicts.size(), 12u);
  const State expected[] = {// a/c.comp: the reference has an excuse; the machines judge alone.
                            State::Unsupported, State::Pass, State::Pass, State::Pass,
                            // b.amber
                            State::Pass, State::Pass, State::Pass, State::Pass,
                            // bad.spvasm: invalid wherever it could have run.
                            State::Invalid, State::Invalid, State::Invalid, State::Invalid};
  for (size_t i = 0; i < verdicts.size(); ++i)
    EXPECT_EQ(verdicts[i].state, expected[i]) << i << " " << verdicts[i].reason;
  EXPECT_EQ(verdicts[0].machine, "spirv");
  EXPECT_EQ(verdicts[1].statistics.at(0).second, 1u); // Told why there is no reference.
  EXPECT_EQ(verdicts[1].statistics.at(1).second, 0u);
  EXPECT_EQ(verdicts[6].statistics.at(0).second, 0u);
  EXPECT_EQ(verdicts[6].statistics.at(1).second, 1u); // Given its outcome.
  EXPECT_EQ(verdicts[6].machine, "gcn");
  EXPECT_EQ(verdicts[6].rerun,
            "assay diff " + (m_folder + "/cases/b.amber").str() + " --targets gfx900 -O 2");
}

// Says of b.amber that its outcome depends on the subgroup size, and which reference a job got.
static constexpr StringRef subgroupScript = R"(#!/bin/sh
d=$(dirname "$2")
size=$(sed -n 's/.*"subgroup_size": \([0-9]*\).*/\1/p' "$2")
reference=$(sed -n 's/.*"reference_file": ".*reference-\([0-9]*\).outcome".*/\1/p' "$2")
own=$(sed -n 's/.*"own_reference": \([0-9]*\).*/\1/p' "$2")
statistics="[\"reference\",${reference:-99}],[\"own\",$own]"
if grep -q '"machine": "spirv"' "$2"; then
  touch "$d/outcome"
  grep -q 'b.amber' "$2" && statistics="[\"subgroup-size\",$size]"
fi
cat > "$d/result.json" <<E
{"schema":"assay.result/1","verdict":{"case":"","compiler":"","machine":"","target":"",
"opt_level":0,"wave_size":0,"state":"pass","reason":"","findings":[],"rerun":"",
"statistics":[$statistics]}}
E
)";

TEST_F(DiffRun, RunsTheReferenceOncePerSubgroupSizeThatMatters) {
  DiffOptions options;
  options.targets = {"gfx1100", "gfx900"};
  options.machines = {"spirv", "gcn", "vulkan:lavapipe"};
  options.levels = {2};
  std::string path = (m_folder + "/sizes.sh").str();
  cantFail(writeFile(path, subgroupScript));
  sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
  Expected<Report> report =
      runDiff(find({"cases"}), options, {.program = path, .processes = 2, .progress = {}});
  ASSERT_TRUE(static_cast<bool>(report)) << toString(report.takeError());
  struct Row {
    const char *machine;
    unsigned waveSize;
    uint64_t reference; ///< Number of the run; 99 where none was handed over.
    uint64_t own;
  };
  const Row expected[] = {
      // a/c.comp: one run for all, and no size in its verdict.
      {"spirv", 0, 99, 0},
      {"vulkan:lavapipe", 0, 0, 0},
      {"gcn", 0, 0, 0},
      {"gcn", 0, 0, 0},
      // b.amber: waves of 32, then of 64; lavapipe's own size is known to its worker alone.
      {"spirv", 32, 0, 0},
      {"spirv", 64, 0, 0},
      {"vulkan:lavapipe", 0, 99, 1},
      {"gcn", 0, 1, 0},
      {"gcn", 0, 2, 0}};
  const std::vector<Verdict> &verdicts = report->verdicts;
  ASSERT_EQ(verdicts.size(), std::size(expected));
  for (size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_EQ(verdicts[i].machine, expected[i].machine) << i;
    EXPECT_EQ(verdicts[i].waveSize, expected[i].waveSize) << i;
    if (i == 4 || i == 5)
      continue;
    EXPECT_EQ(verdicts[i].statistics.at(0).second, expected[i].reference) << i;
    EXPECT_EQ(verdicts[i].statistics.at(1).second, expected[i].own) << i;
  }
  EXPECT_EQ(verdicts[0].rerun.find("--subgroup-size"), std::string::npos);
  EXPECT_TRUE(StringRef(verdicts[5].rerun).ends_with("--machine spirv --subgroup-size 64"));
}

TEST_F(DiffRun, KeepsANamedFolder) {
  DiffOptions options;
  options.workFolder = (m_folder + "/kept").str();
  Expected<Report> report = runDiff(find({"cases/b.amber"}), options,
                                    {.program = writeWorker(), .processes = 1, .progress = {}});
  ASSERT_TRUE(static_cast<bool>(report));
  EXPECT_TRUE(sys::fs::exists(m_folder + "/kept/reference-0/job.json"));
  EXPECT_TRUE(sys::fs::exists(m_folder + "/kept/job-7/job.json"));
}

TEST_F(DiffRun, CallsADeathThatDoesNotComeAgainFlaky) {
  Job once, twice;
  once.caseId = "once";
  once.folder = (m_folder + "/once").str();
  twice.caseId = "twice";
  twice.folder = (m_folder + "/twice").str();
  std::string path = (m_folder + "/dying.sh").str();
  cantFail(writeFile(path, StringRef("#!/bin/sh\nd=$(dirname \"$2\")\ncase $d in */once) "
                                     "test -f $d/mark && exit 5;; esac\ntouch $d/mark\n"
                                     "kill -SEGV $$\n")));
  sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
  PoolOptions pool{.program = path, .processes = 2, .progress = {}};
  Expected<std::vector<Verdict>> verdicts = runJobsSteadily({once, twice}, pool, 1);
  ASSERT_TRUE(static_cast<bool>(verdicts));
  EXPECT_EQ((*verdicts)[0].state, State::Flaky);
  EXPECT_EQ((*verdicts)[0].reason, "first crash (died of SIGSEGV in stage 'start'), then "
                                   "tool-error (the worker ended with status 5)");
  EXPECT_EQ((*verdicts)[1].state, State::Crash);
  sys::fs::remove(m_folder + "/once/mark");
  verdicts = runJobsSteadily({once, twice}, pool, 0);
  ASSERT_TRUE(static_cast<bool>(verdicts));
  EXPECT_EQ((*verdicts)[0].state, State::Crash);
}

TEST(Plants, GoToTheCasesTheyName) {
  DiffOptions options;
  options.plants = {
      {"compile-crash", "saxpy"}, {"wrong-subtract", ""}, {"compile-hang", "x/y.amber"}};
  EXPECT_EQ(makeCaseJob({"p/saxpy.amber", "saxpy.amber"}, options).plants,
            (std::vector<std::string>{"compile-crash", "wrong-subtract"}));
  EXPECT_EQ(makeCaseJob({"p/x/y.amber", "x/y.amber"}, options).plants,
            (std::vector<std::string>{"wrong-subtract", "compile-hang"}));
}

TEST(CheckLowering, TakesOneOfSoManyCasesByTheirIds) {
  DiffOptions options;
  auto count = [&](unsigned every) {
    options.checkLowering = every;
    unsigned checked = 0;
    for (unsigned number = 0; number < 400; ++number) {
      std::string id = "7-" + std::to_string(number);
      bool checks = makeCaseJob({"a/" + id, id}, options).checksLowering;
      EXPECT_EQ(makeCaseJob({"b/" + id, id}, options).checksLowering, checks) << id;
      checked += checks;
    }
    return checked;
  };
  EXPECT_EQ(count(0), 0u);
  EXPECT_EQ(count(1), 400u);
  EXPECT_NEAR(count(4), 100, 30);
}

TEST(References, MayTakeAsMuchAsTheLanesOfWaves) {
  JobLimits limits;
  uint64_t standard = limits.maxInstructions;
  EXPECT_EQ(referenceInstructions(limits), standard);
  limits.maxInstructions = 1000;
  EXPECT_EQ(referenceInstructions(limits), 64'000u);
  limits.maxInstructions = standard / 10;
  EXPECT_EQ(referenceInstructions(limits), standard);
  limits.maxInstructions = ~uint64_t(0);
  EXPECT_EQ(referenceInstructions(limits), ~uint64_t(0));
}

TEST(Rerun, QuotesForTheShellAndNamesWhatIsNotStandard) {
  Job job;
  job.casePath = "-a b's.amber";
  job.machine = "spirv";
  job.seed = 3;
  job.limits.timeoutMs = 1050;
  job.plants = {"reference-hang"};
  EXPECT_EQ(describeRerun(job), "assay run './-a b'\\''s.amber' --machine spirv --seed 3 "
                                "--timeout 1.050 --plant reference-hang");
  job.compiler = "command";
  job.command = {"cc", "{in}", "$x"};
  job.machine = "gcn";
  job.target = "gfx1100";
  job.optLevel = 0;
  job.waveSize = 64;
  job.casePath = "x";
  job.plants.clear();
  job.seed = 0;
  EXPECT_EQ(describeRerun(job),
            "assay diff x --targets gfx1100 -O 0 --wave 64 --timeout 1.050 -- cc {in} '$x'");
}

TEST(Rerun, NamesAReferenceThatIsNotTheDefault) {
  Job job;
  job.casePath = "a.amber";
  job.machine = "vulkan:lavapipe";
  EXPECT_EQ(describeRerun(job), "assay diff a.amber --machines spirv,vulkan:lavapipe");
  EXPECT_EQ(describeRerun(job, "spirv-ieee"),
            "assay diff a.amber --machines spirv-ieee,vulkan:lavapipe");
  job.machine = "spirv-ieee";
  EXPECT_EQ(describeRerun(job, "spirv-ieee"), "assay run a.amber --machine spirv-ieee");
  job.machine = "gcn";
  job.target = "gfx1100";
  EXPECT_EQ(describeRerun(job), "assay diff a.amber --targets gfx1100");
  EXPECT_EQ(describeRerun(job, "spirv-practical"),
            "assay diff a.amber --machines spirv-practical,gcn --targets gfx1100");
}

TEST(References, AreOfTheReferenceThatWasChosen) {
  DiffOptions options;
  options.machines = {"vulkan:lavapipe", "spirv-ieee"};
  EXPECT_EQ(getReferenceOf(options), "spirv-ieee");
  options.machines = {"gcn"};
  EXPECT_EQ(getReferenceOf(options), "");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling again, against compilers that are shell scripts.
#include "harness/run/Determinism.h"

#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

class CompileAgain : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-again", m_folder)); }
  void TearDown() override { sys::fs::remove_directories(m_folder); }

  /// The verdicts on two cases by a worker that writes what \p body prints, and ends in \p state.
  std::vector<Verdict> check(StringRef body, StringRef state = "pass") {
    std::string path = (m_folder + "/worker.sh").str();
    cantFail(writeFile(
        path, ("#!/bin/sh\nd=$(dirname \"$2\")\n" + body +
               " > \"$d/output\"\ncat > \"$d/result.json\" <<'E'\n"
               "{\"schema\":\"assay.result/1\",\"verdict\":{\"case\":\"\",\"compiler\":\"\","
               "\"machine\":\"\",\"target\":\"\",\"opt_level\":0,\"wave_size\":0,\"state\":\"" +
               state + "\",\"reason\":\"\",\"findings\":[],\"rerun\":\"\",\"statistics\":[]}}\nE\n")
                  .str()));
    sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
    DiffOptions options;
    options.targets = {"gfx900", "gfx1100"};
    Expected<std::vector<Verdict>> verdicts =
        compileAgain(makeAgainJobs({{{"a.amber", "1-5"}, 5}, {{"b.amber", "1-7"}, 7}}, options),
                     options, {.program = path, .processes = 2, .progress = {}});
    EXPECT_TRUE(static_cast<bool>(verdicts));
    return verdicts ? std::move(*verdicts) : std::vector<Verdict>();
  }

  SmallString<128> m_folder;
};

} // namespace

TEST_F(CompileAgain, PassesWhatIsAlwaysTheSame) {
  std::vector<Verdict> verdicts = check("grep -e target -e opt_level \"$2\"");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].state, State::Pass) << verdicts[0].reason;
  EXPECT_EQ(verdicts[0].target, "gfx900");
  EXPECT_EQ(verdicts[0].optLevel, 2);
  EXPECT_EQ(verdicts[1].target, "gfx1100");
  EXPECT_EQ(verdicts[1].machine, "compile-again");
  EXPECT_EQ(verdicts[1].rerun, "assay compile b.amber --target gfx1100 -O 2 --again");
}

TEST_F(CompileAgain, FindsWhatDiffersBetweenProcesses) {
  std::vector<Verdict> verdicts = check("printf 'same %s' $$");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[1].state, State::Fail);
  ASSERT_EQ(verdicts[1].findings.size(), 1u);
  EXPECT_EQ(verdicts[1].findings[0].rule, "DETERMINISM");
  EXPECT_NE(verdicts[1].reason.find(
                "in a process with another past, environment, addresses and memory, it "
                "gives other bytes, from byte "),
            std::string::npos);
}

TEST_F(CompileAgain, HasAnotherEnvironmentInTheOtherProcess) {
  std::vector<Verdict> verdicts = check("env | grep MALLOC_PERTURB_");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].state, State::Fail);
  verdicts =
      check("env | grep -v -e MALLOC_PERTURB_ -e ASAN_OPTIONS -e ASSAY_SURROUNDINGS -e '^_='");
  EXPECT_EQ(verdicts[0].state, State::Pass) << verdicts[0].reason;
}

TEST_F(CompileAgain, HasAnotherPastInTheOtherProcess) {
  std::vector<Verdict> verdicts = check("grep -c detour \"$2\"");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].state, State::Fail);
  EXPECT_EQ(verdicts[1].state, State::Fail);
}

TEST_F(CompileAgain, DoesNotMindWhatOtherTargetsEndIn) {
  std::vector<Verdict> verdicts =
      check("if grep -q detour \"$2\"; then kill -SEGV $$; fi; echo same");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].state, State::Pass) << verdicts[0].reason;
  EXPECT_EQ(verdicts[1].state, State::Pass) << verdicts[1].reason;
}

TEST_F(CompileAgain, FindsACompilerThatDiesInOtherSurroundings) {
  std::vector<Verdict> verdicts =
      check("if env | grep -q MALLOC_PERTURB_; then kill -SEGV $$; fi; echo same");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].state, State::Fail);
  ASSERT_EQ(verdicts[0].findings.size(), 1u);
  EXPECT_EQ(verdicts[0].findings[0].rule, "DETERMINISM");
  EXPECT_NE(verdicts[0].reason.find("it ends as crash"), std::string::npos) << verdicts[0].reason;
}

TEST(MakeAgainJobs, TakesConfigurationsThatExist) {
  DiffOptions options;
  options.compilers = {"aco", "assay"};
  options.targets = {"gfx900", "gfx1100"};
  options.levels = {2};
  options.waves = {32, 64};
  options.lowerings = {FatLowering::Own, FatLowering::Llvm};
  options.onlyExistingWaves = true;
  std::vector<CompiledAgain> cases;
  for (uint64_t number = 0; number < 6; ++number)
    cases.push_back({{"a.amber", "1-1"}, number});
  std::vector<std::string> names;
  for (const Job &job : makeAgainJobs(cases, options))
    names.push_back(job.compiler + " " + job.target + " " + std::to_string(job.waveSize) +
                    (job.useLlvmLowering ? " llvm" : ""));
  EXPECT_EQ(names, (std::vector<std::string>{"assay gfx900 64", "assay gfx900 64 llvm",
                                             "assay gfx1100 32", "assay gfx1100 32 llvm",
                                             "assay gfx1100 64", "assay gfx1100 64 llvm"}));
  options.compilers = {"aco"};
  EXPECT_TRUE(makeAgainJobs(cases, options).empty());
}

TEST_F(CompileAgain, HasNothingToCompareWhereNothingWasCompiled) {
  std::vector<Verdict> verdicts = check("echo $$", "unsupported");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].state, State::Unsupported);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling again, against compilers that are shell scripts.
#include "harness/campaign/Determinism.h"

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
        compileAgain({{{"a.amber", "1-6"}, 6, ""}, {{"b.amber", "1-7"}, 7, "p"}}, options,
                     {.program = path, .processes = 2, .progress = {}});
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
  EXPECT_EQ(verdicts[0].optLevel, 2); // 6 / 2 targets is odd.
  EXPECT_EQ(verdicts[1].target, "gfx1100");
  EXPECT_EQ(verdicts[1].machine, "compile-again");
  EXPECT_EQ(verdicts[1].rerun, "assay compile b.amber --target gfx1100 -O 2 --entry p");
}

TEST_F(CompileAgain, FindsWhatDiffersBetweenProcesses) {
  std::vector<Verdict> verdicts = check("printf 'same %s' $$");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[1].state, State::Fail);
  ASSERT_EQ(verdicts[1].findings.size(), 1u);
  EXPECT_EQ(verdicts[1].findings[0].rule, "DETERMINISM");
  EXPECT_NE(verdicts[1].reason.find("it gives other bytes, from byte "), std::string::npos);
}

TEST_F(CompileAgain, HasNothingToCompareWhereNothingWasCompiled) {
  std::vector<Verdict> verdicts = check("echo $$", "unsupported");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].state, State::Unsupported);
}

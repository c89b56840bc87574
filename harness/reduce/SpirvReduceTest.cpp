// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program spirv-reduce as a reduction, with tests that need no worker.
#include "harness/reduce/SpirvReduce.h"
#include "harness/run/CaseFiles.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {
class SpirvReduceTest : public testing::Test {
protected:
  void SetUp() override {
    ErrorOr<std::string> program = sys::findProgramByName("spirv-reduce");
    if (!program)
      GTEST_SKIP() << "spirv-reduce (spirv-tools) is not installed";
    m_program = *program;
    m_results = m_work->jobFolder("results with blanks", 0);
  }

  /// With a shell command as the test, the module's file being its $0.
  std::unique_ptr<Reduction> make(const std::string &test, double maxSeconds = 0) {
    return makeSpirvReduce({m_program, m_results, "key", maxSeconds,
                            [test](const Subject &, size_t,
                                   const std::string &) -> Expected<std::vector<std::string>> {
                              return std::vector<std::string>{"/bin/sh", "-c", test};
                            }},
                           *m_work);
  }

  std::vector<std::string> results() const {
    std::vector<std::string> names;
    std::error_code code;
    for (sys::fs::directory_iterator at(m_results, code), end; at != end; at.increment(code))
      names.push_back(at->path());
    return names;
  }

  std::unique_ptr<WorkFolder> m_work = cantFail(WorkFolder::create(""));
  std::string m_program, m_results;
  Subject m_gcd = cantFail(readSubject({ASSAY_SOURCE_DIR "/corpora/compute/gcd.amber", "gcd"}));
};
} // namespace

TEST_F(SpirvReduceTest, LeavesWhatTheTestAsksFor) {
  auto reduction = make("spirv-dis \"$0\" | grep -q OpUMod");
  EXPECT_TRUE(reduction->isLastResort());
  std::vector<CaseChance> chances = reduction->find(m_gcd);
  ASSERT_EQ(chances.size(), 1u);
  Subject smaller = m_gcd;
  reduction->apply(smaller, chances);
  EXPECT_LT(countInstructions(smaller), countInstructions(m_gcd) / 2);
  std::string text = cantFail(printSubject(smaller));
  EXPECT_TRUE(StringRef(text).contains("OpUMod")) << text;
  // Asked again it knows the answer: this test would refuse even the first module.
  Subject again = m_gcd;
  make("false")->apply(again, chances);
  EXPECT_EQ(cantFail(printSubject(again)), text);
  EXPECT_EQ(results().size(), 1u);
}

TEST_F(SpirvReduceTest, FailuresChangeNothingAndAreLogged) {
  for (const auto &[test, seconds, words] :
       {std::tuple{"false", 0.0, "ended with 1"}, {"sleep 60", 0.2, "more than 0.2"}}) {
    Subject same = m_gcd;
    auto reduction = make(test, seconds);
    reduction->apply(same, reduction->find(same));
    EXPECT_TRUE(same.programs == m_gcd.programs);
    ASSERT_EQ(results().size(), 1u) << test;
    std::string log = cantFail(readFileText(results().front()));
    EXPECT_TRUE(StringRef(log).contains(words)) << log;
  }
}

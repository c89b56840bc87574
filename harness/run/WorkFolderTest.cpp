// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/WorkFolder.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {
/// While it lives, TMPDIR leads to a folder of the test's own.
class WorkFolderTest : public testing::Test {
protected:
  void SetUp() override {
    const char *old = std::getenv("TMPDIR");
    m_old = old ? std::optional<std::string>(old) : std::nullopt;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-work", m_own));
  }
  void TearDown() override {
    if (m_old)
      setenv("TMPDIR", m_old->c_str(), 1);
    else
      unsetenv("TMPDIR");
    sys::fs::remove_directories(m_own);
  }

  SmallString<128> m_own;

private:
  std::optional<std::string> m_old;
};
} // namespace

TEST_F(WorkFolderTest, IsWhereTmpdirSaysWhateverItsFiles) {
  setenv("TMPDIR", m_own.c_str(), 1);
  for (WorkFolder::Files files : {WorkFolder::Files::Any, WorkFolder::Files::FewAndSmall}) {
    std::unique_ptr<WorkFolder> folder = cantFail(WorkFolder::create("", files));
    EXPECT_EQ(folder->jobFolder("job", 3).rfind(m_own.str().str() + "/assay", 0), 0u);
  }
}

TEST_F(WorkFolderTest, GoesAwayWithWhatIsInIt) {
  unsetenv("TMPDIR");
  for (WorkFolder::Files files : {WorkFolder::Files::Any, WorkFolder::Files::FewAndSmall}) {
    std::unique_ptr<WorkFolder> folder = cantFail(WorkFolder::create("", files));
    std::string job = folder->jobFolder("job", 0);
    cantFail(writeFile(job + "/file", StringRef("text")));
    EXPECT_TRUE(sys::fs::exists(job + "/file"));
    folder.reset();
    EXPECT_FALSE(sys::fs::exists(job));
  }
}

TEST_F(WorkFolderTest, StaysWhereItIsNamed) {
  std::string path = (m_own + "/named").str();
  (void)cantFail(WorkFolder::create(path, WorkFolder::Files::FewAndSmall));
  EXPECT_TRUE(sys::fs::is_directory(path));
}

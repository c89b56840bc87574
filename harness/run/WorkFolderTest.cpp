// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/WorkFolder.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

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

/// Without TMPDIR: in memory only what is few and small.
TEST_F(WorkFolderTest, IsInMemoryForFewAndSmallFilesAlone) {
  constexpr StringLiteral memory = "/dev/shm";
  struct statfs info = {};
  if (statfs(memory.data(), &info) != 0 || info.f_type != TMPFS_MAGIC ||
      info.f_bavail < (uint64_t(1) << 30) / static_cast<uint64_t>(info.f_bsize) ||
      access(memory.data(), W_OK) != 0)
    GTEST_SKIP() << memory.str() << " has no GiB of memory to spare";
  unsetenv("TMPDIR");
  auto isInMemory = [&](WorkFolder::Files files) {
    std::unique_ptr<WorkFolder> folder = cantFail(WorkFolder::create("", files));
    return StringRef(folder->jobFolder("job", 0)).starts_with((memory + "/assay-jobs").str());
  };
  EXPECT_TRUE(isInMemory(WorkFolder::Files::FewAndSmall));
  EXPECT_FALSE(isInMemory(WorkFolder::Files::Any));
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

TEST_F(WorkFolderTest, IsRemovedByOthersOnceItsProcessIsGone) {
  struct Row {
    const char *name;
    bool isOld, isLocked, stays;
  } const rows[] = {{"assay-jobs-gone", true, false, false},
                    {"assay-jobs-new", false, false, true},
                    {"assay-jobs-living", true, true, true},
                    {"other-gone", true, false, true}};
  std::vector<Descriptor> locks;
  for (const Row &row : rows) {
    std::string path = (m_own + "/" + row.name).str();
    cantFail(writeFile(path + "/job-0/file", StringRef("text")));
    const timespec old[2] = {{1000, 0}, {1000, 0}};
    if (row.isOld)
      ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), old, 0), 0);
    if (!row.isLocked)
      continue;
    locks.emplace_back(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(flock(locks.back().get(), LOCK_EX), 0);
  }
  WorkFolder::removeAbandoned(m_own);
  for (const Row &row : rows)
    EXPECT_EQ(sys::fs::exists(m_own + "/" + row.name), row.stays) << row.name;
}

TEST_F(WorkFolderTest, StaysWhereItIsNamed) {
  std::string path = (m_own + "/named").str();
  (void)cantFail(WorkFolder::create(path, WorkFolder::Files::FewAndSmall));
  EXPECT_TRUE(sys::fs::is_directory(path));
}

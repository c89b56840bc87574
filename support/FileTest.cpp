// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/File.h"

#include "support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

using namespace assay;

namespace {
class File : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("assay-file", path));
    m_folder = path.str().str();
  }
  void TearDown() override { EXPECT_FALSE(llvm::sys::fs::remove_directories(m_folder)); }
  std::string m_folder;
};
} // namespace

TEST_F(File, WritesAndReadsBack) {
  std::string path = m_folder + "/a/b/c.txt";
  ASSERT_FALSE(bool(writeFile(path, llvm::StringRef("hello"))));
  auto text = readFileText(path);
  ASSERT_TRUE(bool(text));
  EXPECT_EQ(*text, "hello");
}

TEST_F(File, MissingFileIsNamed) {
  auto bytes = readFileBytes(m_folder + "/none");
  ASSERT_FALSE(bool(bytes));
  ErrorParts parts = takeError(bytes.takeError());
  EXPECT_EQ(parts.kind, ErrorKind::Environment);
  EXPECT_NE(parts.message.find("/none"), std::string::npos);
}

TEST_F(File, FolderIsNoFile) {
  auto bytes = readFileBytes(m_folder);
  ASSERT_FALSE(bool(bytes));
  EXPECT_NE(takeError(bytes.takeError()).message.find("directory"), std::string::npos);
}

TEST_F(File, TooLargeIsALimit) {
  std::string path = m_folder + "/large";
  ASSERT_FALSE(bool(writeFile(path, llvm::StringRef("0123456789"))));
  auto bytes = readFileBytes(path, 9);
  ASSERT_FALSE(bool(bytes));
  EXPECT_EQ(takeError(bytes.takeError()).kind, ErrorKind::Limit);
}

// By links, so that a writer that replaces its target replaces only the link.
TEST_F(File, DevicesAreWrittenInto) {
  using llvm::sys::fs::is_symlink_file;
  std::string sink = m_folder + "/sink";
  std::string full = m_folder + "/full";
  ASSERT_FALSE(llvm::sys::fs::create_link("/dev/null", sink));
  ASSERT_FALSE(llvm::sys::fs::create_link("/dev/full", full));
  EXPECT_FALSE(bool(writeFile(sink, llvm::StringRef("text"))));
  EXPECT_TRUE(is_symlink_file(sink));
  llvm::Error error = writeFile(full, llvm::StringRef("text"));
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(takeError(std::move(error)).kind, ErrorKind::Environment);
  EXPECT_TRUE(is_symlink_file(full));
}

TEST_F(File, UnwritablePathIsAnError) {
  llvm::Error error = writeFile("/proc/none/x", llvm::StringRef("text"));
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(takeError(std::move(error)).kind, ErrorKind::Environment);
}

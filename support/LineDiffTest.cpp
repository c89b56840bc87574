// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/LineDiff.h"
#include <gtest/gtest.h>

using namespace assay;

TEST(LineDiff, EqualTextsDoNotDiffer) {
  EXPECT_EQ(diffLines("a", "x\ny\n", "b", "x\ny\n"), "");
  EXPECT_EQ(diffLines("a", "", "b", ""), "");
}

TEST(LineDiff, ShowsChangesWithTheirContext) {
  EXPECT_EQ(diffLines("a", "1\n2\n3\n4\n5\n6\n7\n8\n", "b", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", 1),
            "--- a\n+++ b\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n@@ -8,1 +8,2 @@\n 8\n+9\n");
}

TEST(LineDiff, ChangesThatAreNearStandTogether) {
  EXPECT_EQ(diffLines("a", "1\n2\n3\n4\n", "b", "2\n3\n4\n5\n", 2),
            "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-1\n 2\n 3\n 4\n+5\n");
}

TEST(LineDiff, LinesWithEqualKeysAreEqual) {
  auto firstLetters = [](llvm::ArrayRef<llvm::StringRef> lines) {
    std::vector<std::string> keys;
    for (llvm::StringRef line : lines)
      keys.push_back(line.take_front(1).str());
    return keys;
  };
  EXPECT_EQ(diffLines("a", "one\ntwo\n", "b", "old\ntwo\nthree\n", 1, firstLetters),
            "--- a\n+++ b\n@@ -2,1 +2,2 @@\n two\n+three\n");
}

TEST(LineDiff, TextsWithoutCommonLines) {
  EXPECT_EQ(diffLines("a", "1\n", "b", "2\n"), "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-1\n+2\n");
}

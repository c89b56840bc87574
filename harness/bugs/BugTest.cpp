// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/bugs/Bug.h"
#include "harness/bugs/Check.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace {

const char *const Good = R"({
  "schema": "assay.bug/1", "id": "says-hello", "title": "A shell says hello", "product": "llvm",
  "component": "amdgpu", "kind": "wrong-output", "severity": "low", "evidence": "execution",
  "specification": "none", "expected": "nothing", "actual": "hello",
  "status": {"state": "open", "upstream": "", "note": ""},
  "versions": {"first": "22.1.8", "last": "22.1.8"},
  "requires": ["sh"], "command": "cat input.txt; exit 3",
  "reproduced": {"exit": 3, "contains": ["hello"], "lacks": ["goodbye"]},
  "input": "input.txt", "minimized": true,
  "recognizer": {"compilers": ["aco"], "operations": ["OpUMod"], "message": "^a+$"}
})";

class BugFolders : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-bug-test", m_folder));
  }
  void TearDown() override { (void)sys::fs::remove_directories(m_folder); }

  /// Writes a bug whose text has \p to instead of \p from.
  void write(StringRef from = "", StringRef to = "") {
    std::string text = Good;
    if (size_t at = text.find(from); !from.empty() && at != std::string::npos)
      text.replace(at, from.size(), to);
    for (auto [name, content] : {std::pair<StringRef, StringRef>{"bug.json", text},
                                 {"README.md", "A bug.\n"},
                                 {"input.txt", "hello\n"}})
      ASSERT_FALSE(errorToBool(writeFile(bugFolder() + "/" + name.str(), content)));
  }
  std::string bugFolder() const { return std::string(m_folder) + "/says-hello"; }
  std::string readError() const {
    Expected<KnownBug> bug = readBug(bugFolder());
    return bug ? "" : takeError(bug.takeError()).message;
  }
  BugResult check() const {
    Expected<KnownBug> bug = readBug(bugFolder());
    EXPECT_TRUE(bool(bug)) << (bug ? "" : takeError(bug.takeError()).message);
    BugCheckOptions options;
    options.timeoutSeconds = 1;
    Expected<BugResult> result = checkBug(*bug, options);
    EXPECT_TRUE(bool(result));
    return *result;
  }

  SmallString<128> m_folder;
};

} // namespace

TEST_F(BugFolders, AreRead) {
  write();
  Expected<std::vector<KnownBug>> bugs = readBugs(std::string(m_folder));
  ASSERT_TRUE(bool(bugs)) << takeError(bugs.takeError()).message;
  ASSERT_EQ(bugs->size(), 1u);
  const KnownBug &bug = bugs->front();
  EXPECT_EQ(bug.title, "A shell says hello");
  EXPECT_EQ(bug.reproduced.exit, 3);
  EXPECT_EQ(bug.recognizer->operations, std::vector<std::string>{"OpUMod"});
  EXPECT_TRUE(bug.minimized);
}

TEST_F(BugFolders, ThatAreBrokenSayWhere) {
  struct Row {
    const char *from, *to, *message;
  };
  for (const Row &row : {
           Row{"assay.bug/1", "assay.bug/9", "assay.bug/9"},
           Row{"\"id\": \"says-hello\"", "\"id\": \"says-Hello\"", "folder's name"},
           Row{"\"kind\": \"wrong-output\"", "\"kind\": \"bad\"", "'kind' is 'bad'"},
           Row{"\"state\": \"open\"", "\"state\": \"perhaps\"", "'status.state'"},
           Row{"\"input\": \"input.txt\"", "\"input\": \"lost.txt\"", "'lost.txt' is not there"},
           Row{"\"minimized\": true", "\"minimized\": 1", "boolean 'minimized'"},
           Row{"\"title\": \"A shell says hello\", ", "", "'title'"},
           Row{"\"exit\": 3, \"contains\": [\"hello\"], \"lacks\": [\"goodbye\"]", "",
               "holds for any command"},
           Row{"^a+$", "(", "recognizer.message"},
           Row{"\"requires\": [\"sh\"],", "", "'requires'"},
       }) {
    write(row.from, row.to);
    EXPECT_NE(readError().find(row.message), std::string::npos)
        << row.message << " is not in: " << readError();
  }
}

TEST_F(BugFolders, AreCheckedByTheirCommand) {
  write();
  EXPECT_EQ(check().outcome, BugOutcome::Reproduced);
  write("exit 3", "exit 4");
  EXPECT_EQ(check().outcome, BugOutcome::NotReproduced);
  EXPECT_EQ(check().reason, "exit status 4, not 3");
  write("[\"hello\"]", "[\"good day\"]");
  EXPECT_EQ(check().reason, "the output lacks 'good day'");
  write("cat input.txt", "echo hello goodbye");
  EXPECT_EQ(check().reason, "the output contains 'goodbye'");
  write("[\"sh\"]", "[\"no-such-program\"]");
  EXPECT_EQ(check().outcome, BugOutcome::Skipped);
  EXPECT_EQ(check().reason, "no-such-program is not installed");
}

TEST_F(BugFolders, SignalsAndTimeLimitsAreStatuses) {
  write("cat input.txt; exit 3", "sh -c 'kill -SEGV $$'");
  EXPECT_EQ(check().reason, "exit status 139, not 3");
  write("cat input.txt; exit 3", "cat input.txt; sleep 20");
  EXPECT_EQ(check().reason, "exit status 124, not 3");
}

TEST(BugCheck, DriversThatAreOlderThanTheBugAreMissing) {
  KnownBug bug;
  bug.needs = {"lavapipe"};
  bug.firstVersion = "25.0.7";
  BugCheckOptions options;
  options.mesaVersion = "25.0.7-2~bpo12+1";
  std::string none = findMissing(bug, options); // Empty where the driver is installed.
  options.mesaVersion = "22.3.6-1+deb12u2";
  EXPECT_EQ(findMissing(bug, options),
            none.empty() ? "lavapipe is 22.3.6-1+deb12u2, the bug was seen from 25.0.7 on" : none);
}

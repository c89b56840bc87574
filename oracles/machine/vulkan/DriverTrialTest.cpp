// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/DriverTrial.h"

#include "support/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace assay;
using namespace assay::vulkan;
using End = Trial::End;

static Trial attempt(llvm::function_ref<llvm::Expected<std::string>()> function,
                     std::chrono::milliseconds limit = std::chrono::minutes(1)) {
  return llvm::cantFail(tryInChild(function, limit));
}

TEST(DriverTrial, ReturnsTextAndErrors) {
  std::string longText(100000, 'x');
  Trial trial = attempt([&]() -> llvm::Expected<std::string> { return longText; });
  EXPECT_EQ(trial.end, End::Returned);
  EXPECT_EQ(trial.text, longText);
  trial = attempt([]() -> llvm::Expected<std::string> { return unsupported("too old"); });
  EXPECT_EQ(trial.end, End::Failed);
  EXPECT_EQ(trial.text, "too old");
  EXPECT_TRUE(trial.isUnsupported);
  trial = attempt([]() -> llvm::Expected<std::string> { return environmentError("no memory"); });
  EXPECT_EQ(trial.end, End::Failed);
  EXPECT_EQ(trial.text, "no memory");
  EXPECT_FALSE(trial.isUnsupported);
}

TEST(DriverTrial, NamesTheEndOfTheChild) {
  Trial trial = attempt([]() -> llvm::Expected<std::string> {
    std::fputs("hello\nUnknown family: navi31\n\n", stderr);
    std::abort();
  });
  EXPECT_EQ(trial.end, End::Died);
  EXPECT_EQ(trial.text, "SIGABRT (Unknown family: navi31)");
  trial = attempt([]() -> llvm::Expected<std::string> {
    raise(SIGSEGV);
    return "";
  });
  EXPECT_EQ(trial.end, End::Died);
  EXPECT_EQ(trial.text, "SIGSEGV");
  trial = attempt([]() -> llvm::Expected<std::string> {
    [[maybe_unused]] ssize_t written = write(STDOUT_FILENO, "one line", 8);
    _exit(4);
  });
  EXPECT_EQ(trial.end, End::Died);
  EXPECT_EQ(trial.text, "exit status 4 (one line)");
  trial = attempt([]() -> llvm::Expected<std::string> { _exit(0); });
  EXPECT_EQ(trial.end, End::Died);
  EXPECT_EQ(trial.text, "exit status 0");
}

TEST(DriverTrial, KillsAChildThatHangs) {
  Trial trial = attempt(
      []() -> llvm::Expected<std::string> {
        for (;;)
          pause();
      },
      std::chrono::milliseconds(50));
  EXPECT_EQ(trial.end, End::Died);
  EXPECT_EQ(trial.text, "no answer in 50 ms");
}

/// The text of a trial of \p use that returns \p text unless it is known already.
static std::string tryUse(const std::string &icd, const std::string &use, const std::string &text) {
  auto trial = tryOnce(icd, use, [&]() -> llvm::Expected<std::string> { return text; });
  return llvm::cantFail(std::move(trial)).text;
}

TEST(DriverTrial, TriesOncePerUse) {
  for (const char *text : {"first", "second"})
    for (const char *use : {"a", "b"})
      EXPECT_EQ(tryUse("/nonexistent.json", use, text), "first") << use;
}

TEST(DriverTrial, KeepsTrialsForOtherProcesses) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("assay-trial", folder));
  std::string icd = (folder + "/x_icd.json").str();
  std::ofstream(icd) << "{}";
  // Each call in a process of its own.
  auto inChild = [&](const std::string &text) {
    return attempt([&]() -> llvm::Expected<std::string> {
      keepTrialsIn(folder);
      return tryUse(icd, "use", text);
    });
  };
  EXPECT_EQ(inChild("first").text, "first");
  EXPECT_EQ(inChild("second").text, "first");
  std::ofstream(icd) << "{ }"; // Another driver.
  EXPECT_EQ(inChild("third").text, "third");
  EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
}

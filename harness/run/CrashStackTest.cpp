// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/CrashStack.h"

#include "harness/run/WorkerGuard.h"
#include "reports/triage/Signature.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <csignal>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace crash_test {
[[gnu::noinline]] void inner(int signal) {
  raise(signal);
  asm volatile(""); // No tail call.
}
[[gnu::noinline]] void outer(int signal) {
  inner(signal);
  asm volatile("");
}
[[gnu::noinline]] int overflow(volatile int *place) {
  volatile int own[1024] = {};
  own[0] = *place + 1;
  if (own[0] == 0)
    return 0; // Never.
  return overflow(own) + own[0];
}
/// Does not end, and is elsewhere each time that one looks.
volatile int turns = 0;
[[gnu::noinline]] void stepLeft() {
  for (int i = 0; i < 1000; ++i)
    turns = turns + 1;
}
[[gnu::noinline]] void stepRight() {
  for (int i = 0; i < 1000; ++i)
    turns = turns - 1;
}
[[gnu::noinline]] void loop() {
  for (unsigned i = 0;; ++i)
    i % 2 ? stepLeft() : stepRight();
}
[[gnu::noinline]] void enterLoop() {
  loop();
  asm volatile("");
}

void *volatile taken = nullptr;
[[gnu::noinline]] void exhaust() {
  while (true)
    taken = new char[size_t(1) << 20];
}
[[gnu::noinline]] void enterExhaust() {
  exhaust();
  asm volatile("");
}
} // namespace crash_test

// Runs \p die in a process of its own; how that ended, and the stack that it left.
static std::pair<int, std::string> crashOf(function_ref<void()> die, StringRef last = "") {
  SmallString<128> path;
  EXPECT_FALSE(sys::fs::createTemporaryFile("assay-crash", "stack", path));
  pid_t child = fork();
  if (child == 0) {
    installCrashStack(path);
    die();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::string text = cantFail(readFileText(path));
  sys::fs::remove(path);
  return {WIFSIGNALED(status) ? WTERMSIG(status) : 0, printCrashStack(text, last)};
}

TEST(CrashStack, NamesTheFunctionsAndKeepsTheSignal) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "a sanitizer prints its own stacks";
#endif
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
    auto [ended, stack] = crashOf([&] { crash_test::outer(signal); });
    EXPECT_EQ(ended, signal);
    EXPECT_EQ(stackFrames(stack, 2),
              (std::vector<std::string>{"crash_test::inner", "crash_test::outer"}))
        << stack;
  }
}

TEST(CrashStack, EndsWhereItIsTold) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "a sanitizer prints its own stacks";
#endif
  std::string stack = crashOf([] { crash_test::outer(SIGSEGV); }, "crash_test::outer(").second;
  EXPECT_TRUE(StringRef(stack).ends_with(" crash_test::outer(int)\n")) << stack;
  EXPECT_EQ(stack.find("main"), std::string::npos) << stack;
}

TEST(CrashStack, SurvivesAnOverflow) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "a sanitizer prints its own stacks";
#endif
  auto [ended, stack] = crashOf([] {
    int start = 1;
    crash_test::overflow(&start);
  });
  EXPECT_EQ(ended, SIGSEGV);
  EXPECT_EQ(stackFrames(stack, 1), std::vector<std::string>{"crash_test::overflow"}) << stack;
}

TEST(CrashStack, OfWhatDoesNotEndIsThatOfItsLoop) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "a sanitizer prints its own stacks";
#endif
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-crash", folder));
  std::string path = (folder + "/stack").str();
  pid_t child = fork();
  if (child == 0) {
    installCrashStack(path);
    cantFail(writeFile((folder + "/ready").str(), StringRef("")));
    crash_test::enterLoop();
  }
  for (int i = 0; i < 500 && !sys::fs::exists(folder + "/ready"); ++i)
    usleep(10'000);
  // On a busy machine it answers several questions at once. So many are not in one step by chance.
  std::string text;
  for (unsigned i = 0; i < 2000 && StringRef(text).count("sample\n") < 32; ++i) {
    ASSERT_EQ(kill(child, stackSignal), 0) << "it goes on";
    usleep(5'000);
    text = sys::fs::exists(path) ? cantFail(readFileText(path)) : "";
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  sys::fs::remove_directories(folder);
  std::string stack = printCrashStack(text, "crash_test::enterLoop(");
  EXPECT_EQ(stack, "#0 crash_test::loop()\n#1 crash_test::enterLoop()\n") << text;
  EXPECT_GT(readCrashMemory(text), uint64_t(1) << 20);
  EXPECT_LT(readCrashMemory(text), uint64_t(1) << 32);
}

/// Those that are told from outside of what they have in common.
TEST(CrashStack, OfSeveralIsWhatTheyShareOutside) {
  auto stackOf = [](StringRef samples) { return printCrashStack(samples); };
  // No module has names for these: they differ by how many there are.
  EXPECT_EQ(stackOf("sample\nframe 0x1\nframe 0x2\nsample\nframe 0x2\n"), "#0 ??\n");
  EXPECT_EQ(stackOf("sample\nframe 0x2\nsample\nframe 0x1\nframe 0x2\n"), "#0 ??\n");
  EXPECT_EQ(stackOf("sample\nframe 0x2\nsample\n"), "#0 ??\n") << "one that is cut off";
  EXPECT_EQ(readCrashMemory("memory 100 3 2 1 0 9 0\nsample\nmemory 100 5 2 1 0 9 0\n"),
            5 * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)))
      << "the last";
}

TEST(CrashStack, IsLeftByWhatRunsOutOfMemory) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "a sanitizer has its own new";
#endif
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("assay-crash", "journal", path));
  std::string stackPath = (path + crashStackSuffix).str();
  pid_t child = fork();
  if (child == 0) {
    rlimit memory = {uint64_t(1) << 30, uint64_t(1) << 30};
    setrlimit(RLIMIT_AS, &memory);
    cantFail(installWorkerGuard(path));
    crash_test::enterExhaust();
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  EXPECT_EQ(parseJournal(cantFail(readFileText(path))).end, "oom");
  EXPECT_EQ(stackFrames(printCrashStack(cantFail(readFileText(stackPath))), 2),
            (std::vector<std::string>{"crash_test::exhaust", "crash_test::enterExhaust"}));
  sys::fs::remove(path);
  sys::fs::remove(stackPath);
}

TEST(CrashStack, IsEmptyForOtherTexts) {
  EXPECT_EQ(printCrashStack("frame nonsense\nno maps here\n"), "");
  EXPECT_EQ(printCrashStack("sample\nframe 0x10\n"), "#0 ??\n");
}

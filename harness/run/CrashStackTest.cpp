// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/CrashStack.h"

#include "reports/triage/Signature.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <csignal>
#include <gtest/gtest.h>
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

TEST(CrashStack, IsEmptyForOtherTexts) {
  EXPECT_EQ(printCrashStack("frame nonsense\nno maps here\n"), "");
  EXPECT_EQ(printCrashStack("frame 0x10\n"), "#0 ??\n");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This file is compiled with counters, as the compiler is in preset coverage.
#include "support/CodeCounts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

[[gnu::noinline]] static void count(volatile int &number) {
  number = number + 1;
}

[[gnu::noinline]] static void countDown(volatile int &number) {
  number = number - 1;
}

[[gnu::noinline]] static void choose(bool first, volatile int &number) {
  if (first)
    count(number);
  else
    countDown(number);
}

static std::vector<uint64_t> enteredWith(bool first) {
  volatile int number = 0;
  forgetEnteredCode();
  choose(first, number);
  return enteredCode();
}

TEST(CodeCounts, EachWayHasItsBlock) {
#ifdef ASSAY_FUZZER
  GTEST_SKIP() << "libFuzzer counts in this build";
#endif
  ASSERT_TRUE(isCodeCounted());
  std::vector<uint64_t> one = enteredWith(true), other = enteredWith(false);
  EXPECT_TRUE(is_sorted(one));
  auto isIn = [](ArrayRef<uint64_t> all) {
    return [=](uint64_t address) { return is_contained(all, address); };
  };
  EXPECT_FALSE(all_of(one, isIn(other)));
  EXPECT_FALSE(all_of(other, isIn(one)));
}

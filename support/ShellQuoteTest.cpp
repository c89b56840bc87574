// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ShellQuote.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(ShellQuote, QuotesWhatAShellReads) {
  EXPECT_EQ(quoteForShell("a/b-c_1.amber"), "a/b-c_1.amber");
  EXPECT_EQ(quoteForShell(""), "''");
  EXPECT_EQ(quoteForShell("a b"), "'a b'");
  EXPECT_EQ(quoteForShell("$(x)"), "'$(x)'");
  EXPECT_EQ(quoteForShell("it's"), "'it'\\''s'");
}

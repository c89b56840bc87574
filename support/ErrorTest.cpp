// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Error.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(AssayError, ContextKeepsTheKind) {
  llvm::Error error = addContext(unsupported("opcode"), "in function %12");
  ErrorParts parts = takeError(std::move(error));
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_EQ(parts.message, "in function %12: opcode");
}

TEST(AssayError, ContextOfSuccessIsSuccess) {
  EXPECT_FALSE(bool(addContext(llvm::Error::success(), "x")));
}

TEST(AssayError, JoinedErrorsKeepTheFirstKind) {
  ErrorParts parts = takeError(llvm::joinErrors(invalidInput("a"), limitExceeded("b")));
  EXPECT_EQ(parts.kind, ErrorKind::InvalidInput);
  EXPECT_EQ(parts.message, "a; b");
}

TEST(AssayError, ForeignErrorsAreEnvironment) {
  ErrorParts parts = takeError(llvm::createStringError("disk"));
  EXPECT_EQ(parts.kind, ErrorKind::Environment);
  EXPECT_EQ(parts.message, "disk");
}

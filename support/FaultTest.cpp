// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled twice: with planted faults, and - as assay.support.nofault.test - without, as a release.
#include "support/Fault.h"

#include "support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(Fault, UnknownNameIsAnError) {
  llvm::Error error = plantFault("no-such-fault");
  ASSERT_TRUE(bool(error));
  takeError(std::move(error));
}

TEST(Fault, CatalogueIsListed) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printFaults(os);
  EXPECT_NE(text.find("compile-crash:"), std::string::npos);
}

#ifdef ASSAY_FAULTS
TEST(Fault, PlantedFaultIsSeen) {
  EXPECT_FALSE(faultPlanted(Fault::WrongSubtract));
  ASSERT_FALSE(bool(plantFault("wrong-subtract")));
  EXPECT_TRUE(faultPlanted(Fault::WrongSubtract));
  EXPECT_FALSE(faultPlanted(Fault::CompileCrash));
}
#else
TEST(Fault, ReleaseHasNone) {
  static_assert(!faultPlanted(Fault::WrongSubtract), "a constant: no code is left of it");
  EXPECT_FALSE(faultsCompiledIn());
  llvm::Error error = plantFault("wrong-subtract");
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(takeError(std::move(error)).kind, ErrorKind::Unsupported);
}
#endif

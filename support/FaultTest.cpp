// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled twice: with planted faults, and - as assay.support.nofault.test - without, as a release.
#include "support/Fault.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <set>

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

TEST(Fault, RowsAreTold) {
  std::set<llvm::StringRef> names;
  for (const FaultInfo &row : listFaults()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name.str() << " stands twice";
    EXPECT_FALSE(row.place.empty() || row.help.empty()) << row.name.str();
  }
  EXPECT_GE(names.size(), 60u);
  EXPECT_EQ(faultInfo(Fault::WrongSubtract).name, "wrong-subtract");
  EXPECT_EQ(faultLayerName(faultInfo(Fault::WrongSubtract).layer), "front-end");
  EXPECT_EQ(faultLayerName(FaultLayer::Laboratory), "laboratory");
  EXPECT_EQ(faultLayerNames().size(), static_cast<size_t>(FaultLayer::Laboratory) + 1);
}

#ifdef ASSAY_FAULTS
TEST(Fault, PlantedFaultIsSeen) {
  EXPECT_FALSE(faultPlanted(Fault::WrongSubtract));
  ASSERT_FALSE(bool(plantFault("wrong-subtract")));
  EXPECT_TRUE(faultPlanted(Fault::WrongSubtract));
  EXPECT_FALSE(faultPlanted(Fault::CompileCrash));
}

TEST(Fault, ReachedFaultsAreThoseAskedFor) {
  faultPlanted(Fault::CompileHang);
  std::vector<llvm::StringRef> reached = reachedFaults();
  EXPECT_TRUE(llvm::is_contained(reached, "compile-hang"));
  EXPECT_FALSE(llvm::is_contained(reached, "compile-oom"));
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

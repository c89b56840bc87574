// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/corpus/CodePlaces.h"

#include "llvm/Support/FileSystem.h"
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static int anchor() {
  return __LINE__;
}

TEST(CodePlaces, NamesTheLineOfAnAddress) {
  auto *code = reinterpret_cast<void *>(&anchor);
  Dl_info info;
  ASSERT_NE(dladdr(code, &info), 0);
  uint64_t address =
      reinterpret_cast<uintptr_t>(code) - reinterpret_cast<uintptr_t>(info.dli_fbase);
  CodePlaces places(sys::fs::getMainExecutable(nullptr, code));
  std::string expected = "harness/corpus/CodePlacesTest.cpp:" + std::to_string(anchor());
  EXPECT_EQ(places.describe(address, "harness"), expected);
  EXPECT_EQ(places.describe(address, "harness"), expected) << "the second time";
  EXPECT_EQ(places.describe(1, "harness"), "") << "no code is there";
}

TEST(CodePlaces, LeavesOutOtherFoldersAndPrograms) {
  auto *code = reinterpret_cast<void *>(&anchor);
  Dl_info info;
  ASSERT_NE(dladdr(code, &info), 0);
  uint64_t address =
      reinterpret_cast<uintptr_t>(code) - reinterpret_cast<uintptr_t>(info.dli_fbase);
  EXPECT_EQ(CodePlaces(sys::fs::getMainExecutable(nullptr, code)).describe(address), "");
  EXPECT_EQ(CodePlaces("no such program").describe(address, "harness"), "");
}

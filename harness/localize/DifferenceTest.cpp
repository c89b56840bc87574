// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Difference.h"
#include <gtest/gtest.h>

using namespace assay;

static const char *const before = R"(; a comment
define void @main() #0 {
  %1 = call i32 @x()
  %2 = mul i32 %1, 4
  store i32 %2, ptr null
  ret void
}
define void @same() {
  ret void
}
)";

TEST(Difference, ShowsWhatIsNewAndNotWhatWasRenumbered) {
  Localization result;
  std::vector<std::string> added = showDifference(before, R"(
define void @main() #0 {
  %1 = call i32 @y()
  %2 = call i32 @x()
  %3 = mul i32 %2, 4
  store i32 %3, ptr null
  ret void
}
define void @same() {
  ret void
}
)",
                                                  result);
  EXPECT_EQ(added, std::vector<std::string>{"%1 = call i32 @y()"});
  EXPECT_EQ(result.function, "main");
  EXPECT_EQ(result.instruction, "%1 = call i32 @y()");
  EXPECT_EQ(result.difference.find("same"), std::string::npos);
}

TEST(Difference, SeesOperandsThatChangePlaces) {
  Localization result;
  showDifference("define void @f() {\n  %1 = a\n  %2 = b\n  %3 = sub i32 %1, %2\n}\n",
                 "define void @f() {\n  %1 = a\n  %2 = b\n  %3 = sub i32 %2, %1\n}\n", result);
  EXPECT_EQ(result.instruction, "%3 = sub i32 %2, %1");
}

TEST(Difference, ComparesAFunctionWithItsNewName) {
  Localization result;
  std::vector<std::string> added =
      showDifference("define void @main() {\n  ret void\n}\n",
                     "define amdgpu_cs void @_amdgpu_cs_main(i32 %0) {\n  ret void\n}\n", result);
  EXPECT_EQ(added, std::vector<std::string>{"define amdgpu_cs void @_amdgpu_cs_main(i32 %0) {"});
  EXPECT_EQ(result.difference.find("is gone"), std::string::npos);
}

TEST(Difference, SaysWhatIsGone) {
  Localization result;
  showDifference(before, "define void @same() {\n  ret void\n}\n", result);
  EXPECT_EQ(result.difference, "main is gone\n");
}

TEST(Difference, NamesWhatALineDoes) {
  const std::pair<const char *, const char *> rows[] = {
      {"%4 = call i64 @lgc.subgroup.scan.i64(i64 1, i32 8)", "lgc.subgroup.scan"},
      {"%1 = tail call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) %0)",
       "llvm.amdgcn.raw.ptr.buffer.load"},
      {"call void @lgc.barrier()", "lgc.barrier"},
      {"%8 = extractelement <3 x i32> %2, i64 0", "extractelement"},
      {"store i32 2, ptr addrspace(7) %1, align 4", "store"},
      {"%2 = fcmp nnan ninf olt float %0, %1", "fcmp olt"},
      {"%7 = atomicrmw volatile umin ptr addrspace(7) %6, i32 1 monotonic", "atomicrmw umin"},
      {"%7 = icmp samesign ult i32 %6, 1", "icmp ult"},
      {"pc 0x1c: buffer_store_b32 v0, v0, s[0:3], 0 offen dlc", "buffer_store"},
      {"pc 0x20: s_endpgm", "s_endpgm"},
      {"", ""}};
  for (auto [line, expected] : rows)
    EXPECT_EQ(operationOf(line), expected) << line;
}

TEST(Difference, NamesWhatOfAnInstructionIsWrong) {
  constexpr const char *load =
      "%1 = load <3 x i32>, ptr addrspace(7) %0, align 4, !invariant.load !9";
  constexpr const char *store = "store volatile i16 %1, ptr addrspace(7) %0, align 2";
  constexpr const char *minimum = "%2 = atomicrmw umin ptr addrspace(7) %0, i32 %1 monotonic";
  const std::tuple<const char *, const char *, const char *> rows[] = {
      {load, "value", "load invariant"},
      {load, "part", "load part"},
      {"%1 = load ptr addrspace(7), ptr addrspace(5) %0", "value", "load pointer"},
      {"%1 = load i32, ptr addrspace(7) %0", "stop", "load"},
      {"%2 = getelementptr i8, ptr addrspace(7) %0, i32 %1", "value", "pointer arithmetic"},
      {"%1 = call <3 x i32> @lgc.read.built.in.v3i32(i32 1)", "value", "OpLoad WorkgroupId"},
      {"%1 = call <3 x i32> @lgc.read.built.in.v3i32(i32 2)", "part",
       "OpLoad LocalInvocationId component"},
      {"%1 = call <4 x i32> @lgc.image.load.v4i32(i32 1, i32 4, <8 x i32> %0, <4 x i32> %9, i32 0)",
       "value", "lgc.image.load"},
      {"%1 = call <4 x i32> @lgc.image.load.v4i32(i32 1, i32 4, <8 x i32> %0, <4 x i32> %9, i32 2)",
       "value", "lgc.image.load level"},
      {store, "access", "volatile access"},
      {store, "stored", "store"},
      {store, "width", "store width"},
      {store, "address", "store address"},
      {minimum, "lost", "atomicrmw umin"},
      {minimum, "order", "order of accesses"},
      {minimum, "lost by exchange", "exchange lost"},
      {minimum, "width by exchange", "exchange value"},
      {"%3 = select i1 %2, ptr addrspace(7) %0, ptr addrspace(7) %1", "value", "select"}};
  for (auto [line, wrong, expected] : rows)
    EXPECT_EQ(operationOf(line, wrong), expected) << line << " " << wrong;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second check: lowerings written by hand, right and wrong, of one function each; and functions
// of which nothing can be said.
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "oracles/fat_pointer/Rules.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace assay;

namespace {
constexpr const char *header =
    "target datalayout = \"e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-"
    "p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:"
    "128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9\"\n"
    "target triple = \"amdgcn--amdpal\"\n"
    "declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32)\n"
    "declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32)\n"
    "declare void @llvm.amdgcn.raw.ptr.buffer.store.i16(i16, ptr addrspace(8), i32, i32, i32)\n"
    "declare i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32, ptr addrspace(8), i32, i32, i32)\n"
    "declare i32 @llvm.amdgcn.struct.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32, i32)\n"
    "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)\n";

/// The parts of parameter %p, as a lowering takes them.
constexpr const char *parts = "%r = extractvalue {ptr addrspace(8), i32} %p, 0\n"
                              "%o = extractvalue {ptr addrspace(8), i32} %p, 1\n";

struct MeaningRow {
  const char *rule;
  const char *name;
  const char *before; ///< A function @f.
  const char *clean;  ///< $ represents the parts.
  const char *planted;
};
} // namespace

#define P "{ptr addrspace(8), i32} %p"
#define LOAD "call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 "
#define STORE "call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 "

static const MeaningRow rows[] = {
    {"FAT-DIFF-RESULT", "LostOffset",
     "define i32 @f(ptr addrspace(7) %p) { %q = getelementptr i8, ptr addrspace(7) %p, i32 8 %v = "
     "load i32, ptr addrspace(7) %q, align 4 ret i32 %v }",
     "define i32 @f(" P ") { $ %a = add i32 %o, 8 %v = " LOAD "%a, i32 0, i32 0) ret i32 %v }",
     "define i32 @f(" P ") { $ %v = " LOAD "%o, i32 0, i32 0) ret i32 %v }"},
    {"FAT-DIFF-RESULT", "ReturnedPointer",
     "define ptr addrspace(7) @f(ptr addrspace(7) %p, i32 %n) { %q = getelementptr i8, ptr "
     "addrspace(7) %p, i32 %n ret ptr addrspace(7) %q }",
     "define {ptr addrspace(8), i32} @f(" P ", i32 %n) { $ %a = add i32 %o, %n %q = insertvalue "
     "{ptr addrspace(8), i32} %p, i32 %a, 1 ret {ptr addrspace(8), i32} %q }",
     "define {ptr addrspace(8), i32} @f(" P ", i32 %n) { $ %a = sub i32 %o, %n %q = insertvalue "
     "{ptr addrspace(8), i32} %p, i32 %a, 1 ret {ptr addrspace(8), i32} %q }"},
    {"FAT-DIFF-RESULT", "BecomesPoison",
     "define i32 @f(ptr addrspace(7) %p) { %v = load i32, ptr addrspace(7) %p, align 4 %s = lshr "
     "i32 "
     "%v, 1 %t = add i32 %s, 1 ret i32 %t }",
     "define i32 @f(" P ") { $ %v = " LOAD "%o, i32 0, i32 0) %s = lshr i32 %v, 1 %t = add nuw i32 "
     "%s, 1 ret i32 %t }",
     "define i32 @f(" P ") { $ %v = " LOAD
     "%o, i32 0, i32 0) %s = lshr exact i32 %v, 1 %t = add i32 "
     "%s, 1 ret i32 %t }"},
    {"FAT-DIFF-MEMORY", "WidenedStore",
     "define void @f(ptr addrspace(7) %p, i16 %v) { store i16 %v, ptr addrspace(7) %p, align 4 ret "
     "void }",
     "define void @f(" P
     ", i16 %v) { $ call void @llvm.amdgcn.raw.ptr.buffer.store.i16(i16 %v, ptr "
     "addrspace(8) %r, i32 %o, i32 0, i32 0) ret void }",
     "define void @f(" P ", i16 %v) { $ %w = zext i16 %v to i32 " STORE
     "%w, ptr addrspace(8) %r, i32 %o, i32 0, i32 0) ret void }"},
    {"FAT-DIFF-STATE", "Endless",
     "define i32 @f(ptr addrspace(7) %p) { %v = load i32, ptr addrspace(7) %p, align 4 ret i32 %v "
     "}",
     "define i32 @f(" P ") { $ %v = " LOAD "%o, i32 0, i32 0) ret i32 %v }",
     "define i32 @f(" P ") {\nbr label %l\nl:\nbr label %l\n}"},
    {"FAT-DIFF-STATE", "Trap",
     "define void @f(ptr addrspace(7) %p) { store i32 1, ptr addrspace(7) %p, align 4 ret void }",
     "define void @f(" P ") { $ " STORE "1, ptr addrspace(8) %r, i32 %o, i32 0, i32 0) ret void }",
     "declare void @llvm.trap() define void @f(" P ") { call void @llvm.trap() unreachable }"},
    {"FAT-DIFF-RESULT", "FirstLaneForAll",
     "define i32 @f(ptr addrspace(7) %p) { %v = load i32, ptr addrspace(7) %p, align 4 ret i32 %v "
     "}",
     "define i32 @f(" P ") { $ %v = " LOAD "%o, i32 0, i32 0) ret i32 %v }",
     "define i32 @f(" P ") { $ %u = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %o) %v = " LOAD
     "%u, i32 0, i32 0) ret i32 %v }"},
    {"FAT-DIFF-EVENT", "DroppedVolatile",
     "define i32 @f(ptr addrspace(7) %p) { %v = load volatile i32, ptr addrspace(7) %p, align 4 "
     "ret "
     "i32 %v }",
     "define i32 @f(" P ") { $ %v = " LOAD "%o, i32 0, i32 -2147483648) ret i32 %v }",
     "define i32 @f(" P ") { $ %v = " LOAD "%o, i32 0, i32 0) ret i32 %v }"},
    {"FAT-DIFF-EVENT", "MissingFence",
     "define i32 @f(ptr addrspace(7) %p) { %v = atomicrmw add ptr addrspace(7) %p, i32 1 "
     "syncscope(\"agent\") acq_rel, align 4 ret i32 %v }",
     "define i32 @f(" P ") { $ fence syncscope(\"agent\") release %v = call i32 "
     "@llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr addrspace(8) %r, i32 %o, i32 0, i32 0) "
     "fence syncscope(\"agent\") acquire ret i32 %v }",
     "define i32 @f(" P ") { $ fence syncscope(\"agent\") release %v = call i32 "
     "@llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr addrspace(8) %r, i32 %o, i32 0, i32 0) "
     "ret i32 %v }"},
    {"FAT-DIFF-EVENT", "WeakerScope",
     "define i32 @f(ptr addrspace(7) %p) { %v = atomicrmw add ptr addrspace(7) %p, i32 1 "
     "syncscope(\"agent\") release, align 4 ret i32 %v }",
     "define i32 @f(" P ") { $ fence release %v = call i32 "
     "@llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr addrspace(8) %r, i32 %o, i32 0, i32 0) "
     "ret i32 %v }",
     "define i32 @f(" P ") { $ fence syncscope(\"workgroup\") release %v = call i32 "
     "@llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 1, ptr addrspace(8) %r, i32 %o, i32 0, i32 0) "
     "ret i32 %v }"},
    {"FAT-SIGNATURE", "Parameters",
     "define i32 @f(<2 x ptr addrspace(7)> %v, i32 %n) { ret i32 %n }",
     "define i32 @f({<2 x ptr addrspace(8)>, <2 x i32>} %v, i32 %n) { ret i32 %n }",
     "define i32 @f(<2 x ptr addrspace(8)> %v, i32 %n) { ret i32 %n }"},
    {"FAT-SIGNATURE", "Result",
     "define ptr addrspace(9) @f(ptr addrspace(9) %p) { ret ptr addrspace(9) %p }",
     "define {ptr addrspace(8), i32, i32} @f({ptr addrspace(8), i32, i32} %p) { ret {ptr "
     "addrspace(8), i32, i32} %p }",
     "define ptr addrspace(8) @f({ptr addrspace(8), i32, i32} %p) { ret ptr addrspace(8) null }"},
    {"FAT-DIFF-RESULT", "StridedIndex",
     "define i32 @f(ptr addrspace(9) %p) { %v = load i32, ptr addrspace(9) %p, align 4 ret i32 %v "
     "}",
     "define i32 @f(ptr addrspace(8) %r, i32 %i, i32 %o) { %v = call i32 "
     "@llvm.amdgcn.struct.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %i, i32 %o, i32 0, i32 0) "
     "ret "
     "i32 %v }",
     "define i32 @f(ptr addrspace(8) %r, i32 %i, i32 %o) { %v = call i32 "
     "@llvm.amdgcn.struct.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 0, i32 %o, i32 0, i32 0) "
     "ret "
     "i32 %v }"},
    {"FAT-PADDING", "Struct",
     "define void @f(ptr addrspace(7) %p, {i16, i32} %v) { store {i16, i32} %v, ptr addrspace(7) "
     "%p, "
     "align 4 ret void }",
     "define void @f(" P
     ", {i16, i32} %v) { $ %a = extractvalue {i16, i32} %v, 0 %b = extractvalue "
     "{i16, i32} %v, 1 call void @llvm.amdgcn.raw.ptr.buffer.store.i16(i16 %a, ptr addrspace(8) "
     "%r, "
     "i32 %o, i32 0, i32 0) %q = add i32 %o, 4 " STORE
     "%b, ptr addrspace(8) %r, i32 %q, i32 0, i32 0) ret void }",
     "define void @f(" P
     ", {i16, i32} %v) { $ %a = extractvalue {i16, i32} %v, 0 %b = extractvalue "
     "{i16, i32} %v, 1 %w = zext i16 %a to i32 " STORE
     "%w, ptr addrspace(8) %r, i32 %o, i32 0, i32 0) %q = add i32 %o, 4 " STORE
     "%b, ptr addrspace(8) %r, i32 %q, i32 0, i32 0) ret void }"},
    {"FAT-MISSING", "Body", "define void @f(ptr addrspace(7) %p) { ret void }",
     "define void @f(" P ") { ret void }", "declare void @f(" P ")"},
};

static std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context, std::string text) {
  for (size_t at; (at = text.find('$')) != std::string::npos;)
    text.replace(at, 1, parts);
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(header + text, problem, context);
  if (!module)
    ADD_FAILURE() << problem.getMessage().str() << " in " << text;
  return module;
}

static FunctionMeaning judge(const char *before, const char *after) {
  llvm::LLVMContext context;
  auto one = parse(context, before), other = parse(context, after);
  if (!one || !other)
    return {};
  std::vector<FunctionMeaning> meanings = compareMeaning(*one, *other, {});
  EXPECT_EQ(meanings.size(), 1u);
  return meanings[0];
}

namespace {
class CompareMeaning : public testing::TestWithParam<MeaningRow> {};
} // namespace

TEST_P(CompareMeaning, AcceptsRightLowering) {
  FunctionMeaning meaning = judge(GetParam().before, GetParam().clean);
  EXPECT_EQ(meaning.state, State::Pass) << meaning.reason;
  EXPECT_GE(meaning.compared, 16u);
}

TEST_P(CompareMeaning, ObjectsToWrongLowering) {
  FunctionMeaning meaning = judge(GetParam().before, GetParam().planted);
  ASSERT_EQ(meaning.state, State::Fail) << meaning.reason;
  EXPECT_FALSE(meaning.reason.empty());
  EXPECT_TRUE(
      llvm::any_of(meaning.findings, [](const Finding &f) { return f.rule == GetParam().rule; }))
      << meaning.findings[0].rule << ": " << meaning.findings[0].message;
}

TEST_P(CompareMeaning, SaysTheSameAgain) {
  FunctionMeaning one = judge(GetParam().before, GetParam().planted);
  FunctionMeaning other = judge(GetParam().before, GetParam().planted);
  ASSERT_EQ(one.findings.size(), other.findings.size());
  for (size_t i = 0; i < one.findings.size(); ++i)
    EXPECT_EQ(one.findings[i].message, other.findings[i].message);
}

INSTANTIATE_TEST_SUITE_P(Lowerings, CompareMeaning, testing::ValuesIn(rows), [](const auto &info) {
  std::string name = info.param.rule;
  llvm::erase(name, '-');
  return name + info.param.name;
});

/// A vector of constant expressions, as LLVM folds pieces of a constant of 160 bits.
TEST(CompareMeaning, ElementsMayBeConstantExpressions) {
  FunctionMeaning meaning = judge(
      "define <2 x i32> @f(ptr addrspace(7) %p) { ret <2 x i32> <i32 5, i32 7> }",
      "define <2 x i32> @f(" P ") { ret <2 x i32> <i32 extractelement (<5 x i32> bitcast (<1 x "
      "i160> <i160 30064771077> to <5 x i32>), i64 0), i32 extractelement (<5 x i32> bitcast (<1 "
      "x i160> <i160 30064771077> to <5 x i32>), i64 1)> }");
  EXPECT_EQ(meaning.state, State::Pass) << meaning.reason;
}

/// A function whose every run is undefined: nothing was compared, which is no pass.
TEST(CompareMeaning, NothingComparedIsInvalid) {
  FunctionMeaning meaning = judge("define i32 @f(ptr addrspace(7) %p) { unreachable }",
                                  "define i32 @f(" P ") { unreachable }");
  EXPECT_EQ(meaning.state, State::Invalid);
  EXPECT_NE(meaning.reason.find("no trial had a meaning"), std::string::npos) << meaning.reason;
}

TEST(CompareMeaning, UnknownIntrinsicIsUnsupportedByName) {
  const char *declaration = "declare i32 @llvm.foo(i32) ";
  std::string before =
      std::string(declaration) +
      "define i32 @f(ptr addrspace(7) %p) { %v = call i32 @llvm.foo(i32 1) ret i32 "
      "%v }";
  std::string after = std::string(declaration) + "define i32 @f(" P
                                                 ") { %v = call i32 @llvm.foo(i32 1) ret i32 %v }";
  FunctionMeaning meaning = judge(before.c_str(), after.c_str());
  EXPECT_EQ(meaning.state, State::Unsupported);
  EXPECT_NE(meaning.reason.find("llvm.foo"), std::string::npos) << meaning.reason;
}

TEST(CompareMeaning, ScratchParameterIsUnsupported) {
  FunctionMeaning meaning = judge("define void @f(ptr addrspace(5) %p) { ret void }",
                                  "define void @f(ptr addrspace(5) %p) { ret void }");
  EXPECT_EQ(meaning.state, State::Unsupported);
  EXPECT_NE(meaning.reason.find("scratch"), std::string::npos) << meaning.reason;
}

/// An internal function without callers may be removed.
TEST(CompareMeaning, InternalFunctionMayBeGone) {
  FunctionMeaning meaning = judge("define internal void @f(ptr addrspace(7) %p) { ret void }", "");
  EXPECT_EQ(meaning.state, State::Unsupported);
}

/// Poison before is anything after; frozen poison is anything but poison.
TEST(CompareMeaning, PoisonMayBecomeAnything) {
  const char *poison =
      "define i32 @f(ptr addrspace(7) %p, i32 %n) { %s = add nuw i32 -1, %n ret i32 "
      "%s }";
  EXPECT_EQ(judge(poison,
                  "define i32 @f(" P ", i32 %n) { %z = icmp eq i32 %n, 0 %s = select i1 %z, "
                  "i32 -1, i32 77 ret i32 %s }")
                .state,
            State::Pass);
  const char *frozen = "define i32 @f(ptr addrspace(7) %p, i32 %n) { %s = add nuw i32 -1, %n %t = "
                       "freeze i32 %s ret i32 %t }";
  EXPECT_EQ(judge(frozen,
                  "define i32 @f(" P ", i32 %n) { %z = icmp eq i32 %n, 0 %s = select i1 %z, "
                  "i32 -1, i32 77 ret i32 %s }")
                .state,
            State::Pass);
  FunctionMeaning meaning =
      judge(frozen, "define i32 @f(" P ", i32 %n) { %s = add nuw i32 -1, %n ret i32 %s }");
  EXPECT_EQ(meaning.state, State::Fail);
}

/// All lanes move the same bytes: one after the other twice, together once. Neither is right.
TEST(CompareMeaning, RacesBetweenLanesDoNotCount) {
  FunctionMeaning meaning =
      judge("define void @f(ptr addrspace(7) inreg %p) { %v = load i32, ptr addrspace(7) %p, align "
            "4 %w = "
            "add i32 %v, 1 store i32 %w, ptr addrspace(7) %p, align 4 ret void }",
            "define void @f(ptr addrspace(8) inreg %r, i32 inreg %o) { %v = " LOAD
            "%o, i32 0, i32 0) %w = add i32 %v, 1 " STORE
            "%w, ptr addrspace(8) %r, i32 %o, i32 0, i32 0) ret void }");
  EXPECT_EQ(meaning.state, State::Pass) << meaning.reason;
}

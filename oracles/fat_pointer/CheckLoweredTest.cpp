// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule of the first check with input that it must report, and a clean twin: the same with
// what a lowering would have made of it.
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "oracles/fat_pointer/Rules.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>
#include <set>

using namespace assay;

namespace {
struct PlantedRow {
  const char *rule;
  const char *name;
  const char *planted;
  const char *clean;
};
} // namespace

static const PlantedRow rows[] = {
    {"FAT-TYPE", "Result",
     "define void @f(ptr addrspace(8) %r) { %p = addrspacecast ptr addrspace(8) %r to ptr "
     "addrspace(7) ret void }",
     "define void @f(ptr addrspace(8) %r) { %p = freeze ptr addrspace(8) %r ret void }"},
    {"FAT-TYPE", "NestedResult",
     "define void @f(i1 %c) { %p = call {i32, [2 x <2 x ptr addrspace(9)>]} @g() ret void } "
     "declare {i32, [2 x <2 x ptr addrspace(9)>]} @g()",
     "define void @f(i1 %c) { %p = call {i32, [2 x <2 x ptr addrspace(8)>]} @g() ret void } "
     "declare {i32, [2 x <2 x ptr addrspace(8)>]} @g()"},
    {"FAT-TYPE", "Alloca", "define void @f() { %a = alloca [2 x ptr addrspace(7)] ret void }",
     "define void @f() { %a = alloca [2 x i160] ret void }"},
    {"FAT-TYPE", "ElementOfGep",
     "define void @f(ptr %p) { %a = getelementptr {i32, ptr addrspace(7)}, ptr %p, i32 1 ret void "
     "}",
     "define void @f(ptr %p) { %a = getelementptr {i32, i160}, ptr %p, i32 1 ret void }"},
    {"FAT-TYPE", "IndirectCall",
     "define void @f(ptr %p) { call void (ptr addrspace(7), ...) %p(ptr addrspace(7) null) ret "
     "void }",
     "define void @f(ptr %p) { call void (ptr addrspace(8), ...) %p(ptr addrspace(8) null) ret "
     "void }"},
    {"FAT-TYPE", "InlineAssembly",
     "define void @f(ptr addrspace(7) %p) { call void asm \"; $0\", \"s\"(ptr addrspace(7) %p) ret "
     "void }",
     "define void @f(ptr addrspace(8) %p) { call void asm \"; $0\", \"s\"(ptr addrspace(8) %p) ret "
     "void }"},
    {"FAT-CONST", "Null", "define void @f(ptr %p) { store ptr addrspace(7) null, ptr %p ret void }",
     "define void @f(ptr %p) { store i160 0, ptr %p ret void }"},
    {"FAT-CONST", "Nested",
     "define void @f(ptr %p) { store i160 ptrtoint (ptr addrspace(7) getelementptr (i8, ptr "
     "addrspace(7) null, i32 4) to i160), ptr %p ret void }",
     "define void @f(ptr %p) { store i128 ptrtoint (ptr addrspace(8) null to i128), ptr %p ret "
     "void }"},
    {"FAT-CONST", "Initializer",
     "@g = global ptr addrspace(7) inttoptr (i160 5 to ptr addrspace(7))",
     "@g = global ptr addrspace(8) inttoptr (i128 5 to ptr addrspace(8))"},
    {"FAT-META", "Operand",
     "define void @f() { call void @llvm.foo(metadata ptr addrspace(7) poison) ret void } "
     "declare void @llvm.foo(metadata)",
     "define void @f() { call void @llvm.foo(metadata ptr addrspace(8) poison) ret void } "
     "declare void @llvm.foo(metadata)"},
    {"FAT-META", "Attached",
     "define void @f() { ret void, !note !0 } !0 = !{!1} !1 = distinct !{!1, !0, ptr addrspace(9) "
     "null}",
     "define void @f() { ret void, !note !0 } !0 = !{!1} !1 = distinct !{!1, !0, ptr addrspace(8) "
     "null}"},
    {"FAT-META", "Named", "!notes = !{!0} !0 = !{<2 x ptr addrspace(7)> zeroinitializer}",
     "!notes = !{!0} !0 = !{<2 x ptr addrspace(8)> zeroinitializer}"},
    {"FAT-META", "OfVariable", "@g = global i32 0, !note !0 !0 = !{ptr addrspace(7) null}",
     "@g = global i32 0, !note !0 !0 = !{ptr addrspace(8) null}"},
    {"FAT-META", "OfFunction", "declare !note !0 void @g() !0 = !{ptr addrspace(7) null}",
     "declare !note !0 void @g() !0 = !{ptr addrspace(8) null}"},
    {"FAT-DECL", "Declaration", "declare void @g({i32, ptr addrspace(7)})",
     "declare void @g({i32, {ptr addrspace(8), i32}})"},
    {"FAT-DECL", "Result", "declare ptr addrspace(9) @g()",
     "declare {ptr addrspace(8), i32, i32} @g()"},
    {"FAT-ATTR", "OfFunction", "declare void @g(ptr sret(ptr addrspace(7)))",
     "declare void @g(ptr sret(i160))"},
    {"FAT-ATTR", "OfCall",
     "define void @f(ptr %p) { call void %p(ptr byval({i8, ptr addrspace(7)}) %p) ret void }",
     "define void @f(ptr %p) { call void %p(ptr byval({i8, i160}) %p) ret void }"},
    {"FAT-NAME", "Unknown", "declare void @llvm.foo.v4p7.i32()",
     "declare void @llvm.foo.v4p8.i32()"},
    {"FAT-NAME", "InStruct", "declare void @llvm.foo.sl_i32p9s()",
     "declare void @llvm.foo.sl_i32p99s()"},
    {"FAT-STRUCT", "Named",
     "%s = type {i32, [2 x ptr addrspace(7)]} define void @f() { %a = alloca %s ret void }",
     "%s = type {i32, [2 x i160]} define void @f() { %a = alloca %s ret void }"},
    {"FAT-GLOBAL", "Value", "@g = external global [2 x ptr addrspace(7)]",
     "@g = external global [2 x i160]"},
    {"FAT-GLOBAL", "Place", "@g = external addrspace(7) global i32",
     "@g = external addrspace(8) global i32"},
    {"FAT-GLOBAL", "Alias", "@g = global i160 0 @h = alias ptr addrspace(7), ptr @g",
     "@g = global i160 0 @h = alias i160, ptr @g"},
    {"FAT-REBUILT", "ThroughShuffle",
     "define ptr addrspace(8) @f(<2 x ptr addrspace(8)> %v) { %s = shufflevector <2 x ptr "
     "addrspace(8)> %v, <2 x ptr addrspace(8)> poison, <2 x i32> <i32 1, i32 0> %i = ptrtoint <2 x "
     "ptr addrspace(8)> %s to <2 x i128> %e = extractelement <2 x i128> %i, i32 0 %p = inttoptr "
     "i128 %e to ptr addrspace(8) ret ptr addrspace(8) %p }",
     "define ptr addrspace(8) @f(<2 x ptr addrspace(8)> %v) { %s = shufflevector <2 x ptr "
     "addrspace(8)> %v, <2 x ptr addrspace(8)> poison, <2 x i32> <i32 1, i32 0> %p = "
     "extractelement <2 x ptr addrspace(8)> %s, i32 0 ret ptr addrspace(8) %p }"},
    {"FAT-REBUILT", "Chain",
     "define void @f(ptr addrspace(8) %r) { %n = ptrtoint ptr addrspace(8) %r to i128 %q = "
     "inttoptr "
     "i128 %n to ptr addrspace(8) ret void }",
     "define void @f(ptr addrspace(8) %r) { %n = ptrtoint ptr addrspace(8) %r to i128 %m = add "
     "i128 "
     "%n, 1 %q = inttoptr i128 %m to ptr addrspace(8) ret void }"},
    {"FAT-REBUILT", "ThroughPointerNumber",
     "define void @f(ptr addrspace(8) %r, i32 %o) { %n = ptrtoint ptr addrspace(8) %r to i128 %w = "
     "zext i128 %n to i160 %h = shl i160 %w, 32 %l = zext i32 %o to i160 %i = or disjoint i160 %h, "
     "%l %s = lshr i160 %i, 32 %t = trunc i160 %s to i128 %q = inttoptr i128 %t to ptr "
     "addrspace(8) "
     "ret void }",
     "define void @f(ptr addrspace(8) %r, i32 %o) { %n = ptrtoint ptr addrspace(8) %r to i128 %w = "
     "zext i128 %n to i160 %h = shl i160 %w, 32 %l = zext i32 %o to i160 %i = or disjoint i160 %h, "
     "%l %s = lshr i160 %i, 31 %t = trunc i160 %s to i128 %q = inttoptr i128 %t to ptr "
     "addrspace(8) "
     "ret void }"},
    {"FAT-REBUILT", "ThroughVector",
     "define void @f(ptr addrspace(8) %r) { %n = ptrtoint ptr addrspace(8) %r to i128 %v = bitcast "
     "i128 %n to <4 x i32> %s = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> <i32 1, "
     "i32 "
     "0, i32 3, i32 2> %b = shufflevector <4 x i32> %s, <4 x i32> poison, <4 x i32> <i32 1, i32 0, "
     "i32 3, i32 2> %m = bitcast <4 x i32> %b to i128 %q = inttoptr i128 %m to ptr addrspace(8) "
     "ret "
     "void }",
     "define void @f(ptr addrspace(8) %r) { %n = ptrtoint ptr addrspace(8) %r to i128 %v = bitcast "
     "i128 %n to <4 x i32> %s = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> <i32 1, "
     "i32 "
     "0, i32 3, i32 2> %m = bitcast <4 x i32> %s to i128 %q = inttoptr i128 %m to ptr addrspace(8) "
     "ret void }"},
    {"FAT-REBUILT", "ThroughLoop",
     "define void @f(ptr addrspace(8) %r, ptr addrspace(8) %s, i1 %c) {\na:\n %n = ptrtoint ptr "
     "addrspace(8) %r to i128\n br label %l\nl:\n %p = phi i128 [ %n, %a ], [ %g, %l ]\n %g = "
     "freeze "
     "i128 %p\n %q = inttoptr i128 %p to ptr addrspace(8)\n br i1 %c, label %l, label %e\ne:\n ret "
     "void }",
     "define void @f(ptr addrspace(8) %r, ptr addrspace(8) %s, i1 %c) {\na:\n %n = ptrtoint ptr "
     "addrspace(8) %r to i128\n br label %l\nl:\n %p = phi i128 [ %n, %a ], [ %g, %l ]\n %g = lshr "
     "i128 %p, 1\n %q = inttoptr i128 %p to ptr addrspace(8)\n br i1 %c, label %l, label %e\ne:\n "
     "ret void }"},
    {"FAT-REBUILT", "ThroughSelect",
     "define void @f(ptr addrspace(8) %r, ptr addrspace(8) %s, i1 %c) { %n = ptrtoint ptr "
     "addrspace(8) %r to i128 %m = ptrtoint ptr addrspace(8) %s to i128 %b = select i1 %c, i128 "
     "%n, "
     "i128 %m %q = inttoptr i128 %b to ptr addrspace(8) ret void }",
     "define void @f(ptr addrspace(8) %r, ptr addrspace(8) %s, i1 %c, i128 %m) { %n = ptrtoint ptr "
     "addrspace(8) %r to i128 %b = select i1 %c, i128 %n, i128 %m %q = inttoptr i128 %b to ptr "
     "addrspace(8) ret void }"},
    {"FAT-REBUILT", "ThroughStruct",
     "define void @f(ptr addrspace(8) %r) { %n = ptrtoint ptr addrspace(8) %r to i128 %s = "
     "insertvalue {i32, i128} poison, i128 %n, 1 %m = extractvalue {i32, i128} %s, 1 %q = inttoptr "
     "i128 %m to ptr addrspace(8) ret void }",
     "define void @f(ptr addrspace(8) %r, {i32, i128} %u) { %n = ptrtoint ptr addrspace(8) %r to "
     "i128 %s = insertvalue {i32, i128} %u, i32 7, 0 %m = extractvalue {i32, i128} %s, 1 %q = "
     "inttoptr i128 %m to ptr addrspace(8) ret void }"},
};

static std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context, llvm::StringRef text) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  if (!module)
    ADD_FAILURE() << problem.getMessage().str() << " in " << text.str();
  return module;
}

static std::set<std::string> findRules(const llvm::Module &module) {
  std::set<std::string> found;
  for (const Finding &finding : checkLowered(module)) {
    found.insert(finding.rule);
    EXPECT_FALSE(finding.location.empty());
    EXPECT_FALSE(finding.message.empty());
    EXPECT_TRUE(llvm::StringRef(finding.signature).starts_with(finding.rule));
  }
  return found;
}

namespace {
class CheckLowered : public testing::TestWithParam<PlantedRow> {};
} // namespace

TEST_P(CheckLowered, ObjectsToPlanted) {
  llvm::LLVMContext context;
  auto module = parse(context, GetParam().planted);
  ASSERT_TRUE(module);
  EXPECT_TRUE(findRules(*module).count(GetParam().rule));
}

TEST_P(CheckLowered, AcceptsCleanTwin) {
  llvm::LLVMContext context;
  auto module = parse(context, GetParam().clean);
  ASSERT_TRUE(module);
  for (const Finding &finding : checkLowered(*module))
    ADD_FAILURE() << finding.rule << " " << finding.location << ": " << finding.message;
}

INSTANTIATE_TEST_SUITE_P(Rules, CheckLowered, testing::ValuesIn(rows), [](const auto &info) {
  std::string rule = info.param.rule;
  return rule.substr(4) + info.param.name;
});

/// The parser renames intrinsics that it knows by their types: a wrong name can only be put there
/// afterwards.
TEST(CheckLowered, ObjectsToNameOfKnownIntrinsic) {
  llvm::LLVMContext context;
  auto module = parse(context, "declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr "
                               "addrspace(1), i64, i1)");
  ASSERT_TRUE(module);
  EXPECT_EQ(findRules(*module), std::set<std::string>{});
  module->getFunction("llvm.memcpy.p1.p1.i64")->setName("llvm.memcpy.p7.p1.i64");
  EXPECT_EQ(findRules(*module), std::set<std::string>{"FAT-NAME"});
}

static const char *const debugText = R"(
define void @f(ptr addrspace(7) %p) !dbg !3 {
    #dbg_value(ptr addrspace(7) poison, !5, !DIExpression(), !6)
  ret void, !dbg !6
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !4, unit: !0)
!4 = !DISubroutineType(types: !{})
!5 = !DILocalVariable(name: "p", scope: !3, file: !1, line: 1)
!6 = !DILocation(line: 1, scope: !3)
)";

TEST(CheckLowered, ObjectsToDebugRecord) {
  llvm::LLVMContext context;
  std::string text = debugText;
  auto module = parse(context, text);
  ASSERT_TRUE(module);
  EXPECT_TRUE(findRules(*module).count("FAT-DEBUG"));
  for (size_t at; (at = text.find("addrspace(7)")) != std::string::npos;)
    text.replace(at, 12, "addrspace(8)");
  auto clean = parse(context, text);
  ASSERT_TRUE(clean);
  EXPECT_EQ(findRules(*clean), std::set<std::string>{});
}

/// What the input does itself is not held against its lowering.
TEST(CheckLowered, CountsRebuiltAgainstInput) {
  const char *text = "define ptr addrspace(8) @f(ptr addrspace(8) %r) { %n = ptrtoint ptr "
                     "addrspace(8) %r to i128 %q = inttoptr i128 %n to ptr addrspace(8) ret ptr "
                     "addrspace(8) %q }";
  llvm::LLVMContext context;
  auto module = parse(context, text);
  ASSERT_TRUE(module);
  EXPECT_EQ(checkLowered(*module).size(), 1u);
  EXPECT_TRUE(checkLowered(*module, &*module).empty());
}

/// Many findings of one kind are listed once each up to a bound, and counted beyond.
TEST(CheckLowered, BoundsItsList) {
  std::string text = "define void @f(ptr addrspace(8) %r) {\n";
  for (int i = 0; i < 100; ++i)
    text += "addrspacecast ptr addrspace(8) %r to ptr addrspace(7)\n";
  llvm::LLVMContext context;
  auto module = parse(context, text + "ret void }");
  ASSERT_TRUE(module);
  std::vector<Finding> findings = checkLowered(*module);
  ASSERT_EQ(findings.size(), 9u);
  EXPECT_EQ(findings.back().message, "and 92 more");
}

TEST(HasFatPointers, SeesDeclarationsAndNothingElse) {
  llvm::LLVMContext context;
  auto with = parse(context, "declare void @g(<2 x ptr addrspace(9)>)");
  auto without = parse(context, "declare void @g(<2 x ptr addrspace(8)>)");
  ASSERT_TRUE(with && without);
  EXPECT_TRUE(hasFatPointers(*with));
  EXPECT_FALSE(hasFatPointers(*without));
}

TEST(FatRules, HaveUniqueIdsAndWords) {
  std::set<llvm::StringRef> ids;
  for (const FatRuleInfo &rule : listFatRules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id.str();
    EXPECT_TRUE(rule.id.starts_with("FAT-"));
    EXPECT_FALSE(rule.title.empty());
    EXPECT_TRUE(rule.explanation.ends_with("."));
  }
}

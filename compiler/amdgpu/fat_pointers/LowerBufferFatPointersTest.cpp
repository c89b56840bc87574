// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pass refuses, cleanly, and that it takes whatever else IR may do with fat pointers. What
// its results mean is judged by oracles/fat_pointer.
#include "compiler/amdgpu/fat_pointers/LowerBufferFatPointers.h"

#include "compiler/lgc/PassDiagnostics.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
struct Lowered {
  std::string before, after;
  std::string error;
};
} // namespace

static std::string print(const Module &module) {
  std::string text;
  raw_string_ostream os(text);
  module.print(os, nullptr);
  return text;
}

static Lowered lower(StringRef source) {
  LLVMContext context;
  DiagnosticCollector diagnostics;
  diagnostics.attach(context);
  SMDiagnostic problem;
  std::string header =
      "target datalayout = \"" + Triple("amdgcn--amdpal").computeDataLayout() + "\"\n";
  std::unique_ptr<Module> module = parseAssemblyString(header + source.str(), problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str() << " in line " << problem.getLineNo()
                      << source.str();
  if (!module)
    return {};
  EXPECT_FALSE(verifyModule(*module, &errs())) << source.str();
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  Lowered result;
  result.before = print(*module);
  LowerBufferFatPointers().run(*module, modules);
  result.after = print(*module);
  std::string broken;
  raw_string_ostream os(broken);
  EXPECT_FALSE(verifyModule(*module, &os)) << broken << result.after;
  if (Error error = diagnostics.takeFirstError())
    result.error = toString(std::move(error));
  return result;
}

TEST(LowerBufferFatPointers, RefusesWhatHasNoMeaning) {
  constexpr struct {
    const char *source, *message;
  } rows[] = {
      {"define void @f(ptr addrspace(7) %p) {\n call void asm \"\", \"v\"(ptr addrspace(7) %p)\n "
       "ret void\n}",
       "inline assembly"},
      {"define ptr @f(ptr addrspace(7) %p) {\n %q = addrspacecast ptr addrspace(7) %p to ptr\n ret "
       "ptr %q\n}",
       "from address space 7 to 0"},
      {"define ptr addrspace(7) @f(ptr addrspace(1) %p) {\n %q = addrspacecast ptr addrspace(1) %p "
       "to ptr addrspace(7)\n ret ptr addrspace(7) %q\n}",
       "from address space 1 to 7"},
      {"define ptr addrspace(9) @f(ptr addrspace(7) %p) {\n %q = addrspacecast ptr addrspace(7) %p "
       "to ptr addrspace(9)\n ret ptr addrspace(9) %q\n}",
       "from address space 7 to 9"},
      {"define i32 @f() {\n %v = load i32, ptr addrspace(7) addrspacecast (ptr addrspace(1) @g to "
       "ptr addrspace(7))\n ret i32 %v\n}\n@g = addrspace(1) global i32 0",
       "from address space 1 to 7"},
      {"@g = external addrspace(7) global i32", "global g in a buffer's address space"},
      {"@r = external addrspace(8) global i32\n@g = addrspace(1) global ptr addrspace(7) "
       "addrspacecast (ptr addrspace(8) @r to ptr addrspace(7))",
       "initialiser of global g"},
      {"define void @f() {\n %a = alloca i32, addrspace(7)\n ret void\n}",
       "memory of a function in a buffer's address space"},
      {"declare void @g(...)\ndefine void @f(ptr addrspace(7) %p) {\n call void (...) "
       "@g(ptr addrspace(7) %p)\n ret void\n}",
       "variable arguments"},
      {"declare void @g()\ndefine void @f(ptr addrspace(7) %p) {\n call void @g() [\"deopt\"(ptr "
       "addrspace(7) %p)]\n ret void\n}",
       "operand bundle"},
      {"define void @f(<vscale x 2 x ptr addrspace(7)> %p) {\n ret void\n}", "type of function f"},
      {"declare void @f(ptr addrspace(7) byval(i32))", "passed by value"},
      {"define void @f() prefix ptr addrspace(7) null {\n ret void\n}", "data before function f"},
      {"define i128 @f(ptr addrspace(7) %p) {\n %v = load atomic i128, ptr addrspace(7) %p "
       "monotonic, "
       "align 16\n ret i128 %v\n}",
       "128"},
      {"define void @f(ptr addrspace(7) %p, ptr %q) {\n %v = load <vscale x 4 x i32>, ptr "
       "addrspace(7) %p\n store <vscale x 4 x i32> %v, ptr %q\n ret void\n}",
       "access to a scalable vector"},
      {"define void @f(ptr addrspace(9) %p, {<vscale x 4 x i32>, <vscale x 4 x i32>} %v) {\n "
       "store {<vscale x 4 x i32>, <vscale x 4 x i32>} %v, ptr addrspace(9) %p\n ret void\n}",
       "access to a scalable vector"},
      {"define <vscale x 4 x i32> @f(ptr addrspace(7) %p, <vscale x 4 x i1> %m) {\n %v = call "
       "<vscale x 4 x i32> @llvm.masked.load.nxv4i32.p7(ptr addrspace(7) %p, <vscale x 4 x i1> %m, "
       "<vscale x 4 x i32> poison)\n ret <vscale x 4 x i32> %v\n}",
       "a scalable vector in memory"},
      {"define void @f(ptr addrspace(7) %p, <vscale x 4 x i1> %m, <vscale x 4 x i32> %v) {\n call "
       "void @llvm.masked.store.nxv4i32.p7(<vscale x 4 x i32> %v, ptr addrspace(7) %p, <vscale x 4 "
       "x i1> %m)\n ret void\n}",
       "a scalable vector in memory"},
      {"define ptr addrspace(7) @f(ptr %list) {\n %v = va_arg ptr %list, ptr addrspace(7)\n ret "
       "ptr "
       "addrspace(7) %v\n}",
       "in this instruction"},
  };
  for (const auto &row : rows) {
    Lowered result = lower(row.source);
    EXPECT_THAT(result.error, HasSubstr(row.message)) << row.source;
    EXPECT_EQ(result.after, result.before) << row.source;
  }
}

TEST(LowerBufferFatPointers, LeavesOthersAlone) {
  Lowered result =
      lower("define i32 @f(ptr addrspace(8) %r, ptr %p) {\n %v = load i32, ptr %p\n ret "
            "i32 %v\n}");
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.after, result.before);
}

/// Sources of which nothing of a fat pointer's type may be left.
static constexpr const char *strangeSources[] = {
    // Unreachable blocks, and values that refer to themselves there.
    "define void @f(ptr addrspace(7) %p) {\n ret void\ndead:\n %a = getelementptr i8, ptr "
    "addrspace(7) %a, i32 4\n br label %dead\n}",
    // The same in front of a move, which asks what its pointers are made of.
    "define void @f(ptr addrspace(7) %p, i32 %n) {\n ret void\ndead:\n %a = getelementptr i8, ptr "
    "addrspace(7) %a, i32 4\n call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) %a, ptr "
    "addrspace(7) %p, i32 %n, i1 false)\n br label %dead\n}",
    // A phi of constants, one of itself, one of a block that comes twice.
    "define ptr addrspace(7) @f(i32 %n, ptr addrspace(7) %p) {\n switch i32 %n, label %l [i32 0, "
    "label %l\n i32 1, label %m]\nl:\n %a = phi ptr addrspace(7) [null, %0], [null, %0], [%a, "
    "%l]\n "
    "%c = icmp eq ptr addrspace(7) %a, %p\n br i1 %c, label %l, label %m\nm:\n %b = phi ptr "
    "addrspace(7) [%p, %0], [%a, %l]\n ret ptr addrspace(7) %b\n}",
    // Expressions of constants, among them some in aggregates and as operands of phis.
    "define {i160, ptr addrspace(7)} @f(i1 %c) {\n br i1 %c, label %l, label %m\nl:\n br label "
    "%m\nm:\n "
    "%a = phi {i160, ptr addrspace(7)} [{i160 ptrtoint (ptr addrspace(7) getelementptr (i8, ptr "
    "addrspace(7) null, i32 4) to i160), ptr addrspace(7) addrspacecast (ptr addrspace(8) null to "
    "ptr "
    "addrspace(7))}, %0], [undef, %l]\n ret {i160, ptr addrspace(7)} %a\n}",
    "define <2 x ptr addrspace(7)> @f(ptr addrspace(7) %p) {\n %a = insertelement <2 x ptr "
    "addrspace(7)> <ptr addrspace(7) null, ptr addrspace(7) poison>, ptr addrspace(7) %p, i32 1\n "
    "ret <2 "
    "x ptr addrspace(7)> %a\n}",
    // Resources that are constants.
    "@r = external addrspace(8) global i32\ndefine i32 @f() {\n %v = load i32, ptr addrspace(7) "
    "getelementptr (i8, ptr addrspace(7) addrspacecast (ptr addrspace(8) @r to ptr addrspace(7)), "
    "i32 "
    "8)\n ret i32 %v\n}",
    // Attributes, aliases, comdats, named structs, functions that know each other.
    "%S = type { i32, ptr addrspace(7) }\n$f = comdat any\n@a = alias void (%S), ptr @f\ndefine "
    "void "
    "@f(%S %s) comdat {\n %p = extractvalue %S %s, 1\n call void @g(ptr addrspace(7) noalias "
    "nonnull "
    "dereferenceable(4) %p, ptr @f)\n ret void\n}\ndefine void @g(ptr addrspace(7) noalias "
    "captures(none) %p, "
    "ptr %h) {\n %s = insertvalue %S { i32 1, ptr addrspace(7) undef }, ptr addrspace(7) %p, 1\n "
    "call void "
    "%h(%S %s)\n call void @a(%S %s)\n ret void\n}",
    "declare void @x(ptr addrspace(5) byval({ptr addrspace(7), i32}) align 32)\ndefine void @f(ptr "
    "addrspace(5) %p) {\n call void @x(ptr addrspace(5) byval({ptr addrspace(7), i32}) align 32 "
    "%p)\n ret "
    "void\n}",
    // Globals that refer to themselves and hold pointers after padding.
    "@g = addrspace(1) global { i8, ptr addrspace(1), [2 x ptr addrspace(7)] } { i8 1, ptr "
    "addrspace(1) "
    "getelementptr ({ i8, ptr addrspace(1), [2 x ptr addrspace(7)] }, ptr addrspace(1) @g, i32 0, "
    "i32 2, "
    "i32 1), [2 x ptr addrspace(7)] [ptr addrspace(7) undef, ptr addrspace(7) getelementptr (i8, "
    "ptr "
    "addrspace(7) inttoptr (i160 8 to ptr addrspace(7)), i32 -16)] }\ndefine ptr addrspace(7) @f() "
    "{\n %v = "
    "load ptr addrspace(7), ptr addrspace(1) getelementptr ({ i8, ptr addrspace(1), [2 x ptr "
    "addrspace(7)] }, ptr addrspace(1) @g, i32 0, i32 2, i32 1)\n ret ptr addrspace(7) %v\n}",
    // Both kinds in one aggregate, through memory; a cast between vectors of one and pointers.
    "define {ptr addrspace(9), [1 x <2 x ptr addrspace(7)>]} @f(ptr %p) {\n %v = load {ptr "
    "addrspace(9), "
    "[1 x <2 x ptr addrspace(7)>]}, ptr %p\n store {ptr addrspace(9), [1 x <2 x ptr "
    "addrspace(7)>]} %v, ptr "
    "%p\n ret {ptr addrspace(9), [1 x <2 x ptr addrspace(7)>]} %v\n}",
    "define ptr addrspace(7) @f(<1 x ptr addrspace(7)> %v) {\n %p = bitcast <1 x ptr addrspace(7)> "
    "%v to "
    "ptr addrspace(7)\n %w = bitcast ptr addrspace(7) %p to <1 x ptr addrspace(7)>\n %q = "
    "extractelement <1 "
    "x ptr addrspace(7)> %w, i32 0\n ret ptr addrspace(7) %q\n}",
    // Intrinsics of lanes, vectors and hints.
    "declare ptr addrspace(7) @llvm.amdgcn.readfirstlane.p7(ptr addrspace(7))\ndeclare <2 x ptr "
    "addrspace(7)> @llvm.vector.reverse.v2p7(<2 x ptr addrspace(7)>)\ndeclare i32 "
    "@llvm.objectsize.i32.p7(ptr addrspace(7), i1, i1, i1)\ndeclare i1 @llvm.is.constant.p7(ptr "
    "addrspace(7))\ndeclare void @llvm.fake.use(...)\ndefine i32 @f(ptr addrspace(7) %p, <2 x ptr "
    "addrspace(7)> %v) "
    "{\n %q = call ptr addrspace(7) @llvm.amdgcn.readfirstlane.p7(ptr addrspace(7) %p)\n %w = call "
    "<2 x ptr "
    "addrspace(7)> @llvm.vector.reverse.v2p7(<2 x ptr addrspace(7)> %v)\n %e = extractelement <2 x "
    "ptr "
    "addrspace(7)> %w, i32 1\n %s = call i32 @llvm.objectsize.i32.p7(ptr addrspace(7) %e, i1 true, "
    "i1 "
    "false, i1 false)\n %c = call i1 @llvm.is.constant.p7(ptr addrspace(7) %q)\n call void (...) "
    "@llvm.fake.use(ptr addrspace(7) %e)\n store i1 %c, ptr addrspace(7) %q\n ret i32 %s\n}",
    // Metadata and debug records.
    "define void @f(ptr addrspace(7) %p, { ptr addrspace(7), i32 } %s) !dbg !4 {\n #dbg_value(ptr "
    "addrspace(7) %p, !7, "
    "!DIExpression(), !8)\n #dbg_value({ ptr addrspace(7), i32 } %s, !7, !DIExpression(), !8)\n %q "
    "= getelementptr i8, ptr addrspace(7) %p, i32 4\n #dbg_value(!DIArgList(ptr "
    "addrspace(7) %q, ptr addrspace(7) null), !7, !DIExpression(DW_OP_LLVM_arg, 0), !8)\n "
    "#dbg_value(ptr "
    "addrspace(7) null, !7, !DIExpression(), !8)\n ret void, !x !9\n}\n!llvm.dbg.cu = "
    "!{!0}\n!llvm.module.flags "
    "= !{!2}\n!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1)\n!1 = !DIFile(filename: "
    "\"f\", "
    "directory: \"\")\n!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n!3 = "
    "!DISubroutineType(types: "
    "!{null})\n!4 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, type: !3, unit: "
    "!0)\n!6 = "
    "!DIBasicType(name: \"p\", size: 160)\n!7 = !DILocalVariable(name: \"p\", scope: !4, file: !1, "
    "type: "
    "!6)\n!8 = !DILocation(line: 1, scope: !4)\n!9 = !{!{ptr addrspace(7) undef}, ptr addrspace(7) "
    "inttoptr "
    "(i160 3 to ptr addrspace(7))}",
    // Addresses of blocks, which move to another function.
    "@b = addrspace(1) constant ptr blockaddress(@f, %l)\ndefine ptr addrspace(7) @f(ptr "
    "addrspace(7) %p, ptr %t) "
    "{\n indirectbr ptr %t, [label %l, label %m]\nl:\n br label %m\nm:\n %q = phi ptr addrspace(7) "
    "[%p, %0], "
    "[null, %l]\n ret ptr addrspace(7) %q\n}",
    // Masked accesses to vectors of pointers; a pointer moved by a vector of indices over pointers.
    "declare <2 x ptr addrspace(7)> @llvm.masked.load.v2p7.p7(ptr addrspace(7), <2 x i1>, <2 x ptr "
    "addrspace(7)>)\ndefine <2 x ptr addrspace(7)> @f(ptr addrspace(7) %p, <2 x i1> %m, <2 x i32> "
    "%i) {\n %g = "
    "getelementptr [3 x ptr addrspace(7)], ptr addrspace(7) %p, i32 0, <2 x i32> %i\n %v = call <2 "
    "x ptr addrspace(7)> "
    "@llvm.masked.load.v2p7.p7(ptr addrspace(7) align 32 %p, <2 x i1> %m, <2 x ptr addrspace(7)> "
    "%g)\n ret <2 x ptr "
    "addrspace(7)> %v\n}",
    // Atomics that become loops, between phis of the blocks that they split.
    "define ptr addrspace(7) @f(ptr addrspace(7) %p, i1 %c) \"target-cpu\"=\"gfx900\" {\nentry:\n "
    "br label %l\nl:\n %q = phi ptr "
    "addrspace(7) [%p, %entry], [%r, %l]\n %v = atomicrmw nand ptr addrspace(7) %q, i32 1 "
    "monotonic\n %r = "
    "getelementptr i8, ptr addrspace(7) %q, i32 4\n %w = atomicrmw fmax ptr addrspace(7) %r, float "
    "1.0 "
    "seq_cst\n br i1 %c, label %l, label %m\nm:\n %s = phi ptr addrspace(7) [%r, %l]\n ret ptr "
    "addrspace(7) "
    "%s\n}",
};

TEST(LowerBufferFatPointers, TakesStrangeCode) {
  for (const char *source : strangeSources) {
    Lowered result = lower(source);
    EXPECT_EQ(result.error, "") << source;
    EXPECT_THAT(result.after, Not(HasSubstr("addrspace(7)"))) << source;
    EXPECT_THAT(result.after, Not(HasSubstr("addrspace(9)"))) << source;
    EXPECT_THAT(result.after, Not(HasSubstr(".p7"))) << source;
  }
}

/// Others may count what a function loads.
TEST(LowerBufferFatPointers, RemovesOnlyWhatItMade) {
  Lowered result =
      lower("define void @f(ptr addrspace(4) %t, ptr addrspace(7) %p) {\n %r = load ptr "
            "addrspace(8), ptr addrspace(4) %t\n %q = addrspacecast ptr addrspace(8) %r to "
            "ptr addrspace(7)\n %s = getelementptr i8, ptr addrspace(7) %q, i32 4\n ret "
            "void\n}");
  EXPECT_THAT(result.after, HasSubstr("%r = load ptr addrspace(8)"));
  EXPECT_THAT(result.after, Not(HasSubstr("extractvalue")));
}

TEST(LowerBufferFatPointers, SplitsDebugRecordsIntoFragments) {
  const auto *source =
      find_if(strangeSources, [](StringRef text) { return text.contains("#dbg_value"); });
  ASSERT_NE(source, std::end(strangeSources));
  Lowered result = lower(*source);
  EXPECT_THAT(result.after, HasSubstr("DW_OP_LLVM_fragment, 0, 32"));
  EXPECT_THAT(result.after, HasSubstr("DW_OP_LLVM_fragment, 32, 128"));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/select/Arrays.h"

#include "compiler/ir3/ir/Printer.h"
#include "compiler/ir3/ir/Verify.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;
using testing::HasSubstr;
using testing::Not;

static constexpr StringLiteral head = R"(
target datalayout = "e-p:64:64-p3:32:32-p5:32:32-p7:160:256:256:32-p8:128:128-i64:64-n32-A5"
@index = external addrspace(3) global i32
declare void @llvm.lifetime.start.p5(ptr addrspace(5))
define void @main() {
  %i = load i32, ptr addrspace(3) @index, align 4
)";

/// The dwords of the array that variable %v of \p body can be; nothing where it must be memory.
static std::optional<unsigned> sizeOf(StringRef body) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> module =
      parseAssemblyString((head + body + "  ret void\n}\n").str(), problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  for (const llvm::Instruction &inst : instructions(*module->getFunction("main")))
    if (auto *variable = dyn_cast<AllocaInst>(&inst))
      return findArraySize(*variable);
  ADD_FAILURE() << "no variable";
  return std::nullopt;
}

TEST(Arrays, SmallVariablesWithAccessesOfDwordsFit) {
  EXPECT_EQ(sizeOf("  %v = alloca [12 x i32], addrspace(5)\n"
                   "  call void @llvm.lifetime.start.p5(ptr addrspace(5) %v)\n"
                   "  %p = getelementptr [12 x i32], ptr addrspace(5) %v, i32 0, i32 %i\n"
                   "  store <4 x float> zeroinitializer, ptr addrspace(5) %p, align 4\n"
                   "  %q = getelementptr i32, ptr addrspace(5) %p, i32 %i\n"
                   "  %x = load i64, ptr addrspace(5) %q, align 8\n"),
            12u);
  EXPECT_EQ(sizeOf("  %v = alloca [64 x i32], addrspace(5)\n"), 64u);
}

TEST(Arrays, OthersStayInMemory) {
  EXPECT_EQ(sizeOf("  %v = alloca [65 x i32], addrspace(5)\n"), std::nullopt) << "too large";
  EXPECT_EQ(sizeOf("  %v = alloca [4 x i32], addrspace(5)\n"
                   "  %x = load i8, ptr addrspace(5) %v, align 4\n"),
            std::nullopt);
  EXPECT_EQ(sizeOf("  %v = alloca [4 x i32], addrspace(5)\n"
                   "  %x = load i32, ptr addrspace(5) %v, align 2\n"),
            std::nullopt);
  EXPECT_EQ(sizeOf("  %v = alloca [4 x i32], addrspace(5)\n"
                   "  %x = load volatile i32, ptr addrspace(5) %v, align 4\n"),
            std::nullopt);
  EXPECT_EQ(sizeOf("  %v = alloca [4 x i32], addrspace(5)\n"
                   "  %x = load i32, ptr addrspace(5) %v, align 4\n"
                   "  %y = ptrtoint ptr addrspace(5) %v to i32\n"),
            std::nullopt);
  EXPECT_EQ(sizeOf("  %v = alloca [4 x i32], addrspace(5)\n"
                   "  %w = alloca [4 x i32], addrspace(5)\n"
                   "  store ptr addrspace(5) %v, ptr addrspace(5) %w, align 4\n"),
            std::nullopt);
}

TEST(Arrays, PartsOfDwordsStayInMemory) {
  EXPECT_EQ(sizeOf("  %v = alloca [3 x { i8, i32 }], addrspace(5)\n"), std::nullopt);
  EXPECT_EQ(sizeOf("  %v = alloca [4 x <2 x half>], addrspace(5)\n"), std::nullopt);
  EXPECT_EQ(sizeOf("  %v = alloca [3 x { float, i64 }], addrspace(5)\n"), 12u);
}

/// The program of \p body, printed.
static std::string selected(StringRef body, bool placesArrays) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> module =
      parseAssemblyString((head + body + "  ret void\n}\n").str(), problem, context);
  Interface interface;
  interface.placesArrays = placesArrays;
  Program program(*findCompiler("a630"));
  EXPECT_FALSE(errorToBool(select(*module->getFunction("main"), interface, program)));
  EXPECT_FALSE(errorToBool(verifyProgram(program)));
  return print(program);
}

TEST(Arrays, ConstantPartsOfAnIndexAreInTheOperand) {
  constexpr StringLiteral body =
      "  %v = alloca [12 x i32], addrspace(5)\n"
      "  %j = add i32 %i, 3\n"
      "  %p = getelementptr [12 x i32], ptr addrspace(5) %v, i32 0, i32 %j\n"
      "  store <2 x i32> <i32 7, i32 8>, ptr addrspace(5) %p, align 4\n"
      "  %q = getelementptr [12 x i32], ptr addrspace(5) %v, i32 0, i32 5\n"
      "  %x = load i32, ptr addrspace(5) %q, align 4\n"
      "  store i32 %x, ptr addrspace(3) @index, align 4\n";
  std::string text = selected(body, /*placesArrays=*/true);
  EXPECT_THAT(text, HasSubstr("arr[id=0, offset=3, size=12, rel], imm[0.000000,7"));
  EXPECT_THAT(text, HasSubstr("arr[id=0, offset=4, size=12, rel], imm[0.000000,8"));
  EXPECT_THAT(text, HasSubstr("arr[id=0, offset=5, size=12]"));
  EXPECT_THAT(text, Not(HasSubstr("ldp")));
  EXPECT_THAT(selected(body, /*placesArrays=*/false), HasSubstr("stp"));
}

// A sum that could wrap stays one: %i is any number, %k is below 256.
TEST(Arrays, PrivateMemoryAddsConstantsWhereNothingWraps) {
  std::string text = selected("  %v = alloca [2000 x i32], addrspace(5)\n"
                              "  %k = and i32 %i, 255\n"
                              "  %p = getelementptr i32, ptr addrspace(5) %v, i32 %k\n"
                              "  %q = getelementptr i32, ptr addrspace(5) %p, i32 5\n"
                              "  store i32 7, ptr addrspace(5) %q, align 4\n"
                              "  %r = getelementptr i32, ptr addrspace(5) %v, i32 %i\n"
                              "  %s = getelementptr i32, ptr addrspace(5) %r, i32 6\n"
                              "  store i32 8, ptr addrspace(5) %s, align 4\n"
                              "  %t = getelementptr i32, ptr addrspace(5) %v, i32 1026\n"
                              "  %x = load i32, ptr addrspace(5) %t, align 4\n"
                              "  store i32 %x, ptr addrspace(3) @index, align 4\n",
                              /*placesArrays=*/false);
  EXPECT_THAT(text, HasSubstr("off=20"));
  EXPECT_THAT(text, Not(HasSubstr("off=24")));
  EXPECT_THAT(text, HasSubstr("0x1000]")) << "the window of byte 4104";
  EXPECT_THAT(text, HasSubstr("off=8"));
}

TEST(Arrays, WhatIsOutsideIsUndefined) {
  std::string text = selected("  %v = alloca [4 x i32], addrspace(5)\n"
                              "  %p = getelementptr i32, ptr addrspace(5) %v, i32 4\n"
                              "  store i32 7, ptr addrspace(5) %p, align 4\n"
                              "  %x = load i32, ptr addrspace(5) %p, align 4\n"
                              "  store i32 %x, ptr addrspace(3) @index, align 4\n",
                              /*placesArrays=*/true);
  EXPECT_THAT(text, Not(HasSubstr("arr[id=0")));
}

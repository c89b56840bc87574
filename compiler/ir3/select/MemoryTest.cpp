// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Printer.h"
#include "compiler/ir3/ir/Verify.h"
#include "compiler/ir3/select/Select.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;
using testing::HasSubstr;
using testing::Not;

/// The program of a function with one fence, printed.
static std::string selectFence(StringRef scope) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(
      ("define void @main() {\n  fence syncscope(\"" + scope + "\") acq_rel\n  ret void\n}\n")
          .str(),
      problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  Program program(*findCompiler("a630"));
  EXPECT_FALSE(errorToBool(select(*module->getFunction("main"), Interface(), program)));
  EXPECT_FALSE(errorToBool(verifyProgram(program)));
  return print(program);
}

TEST(Ir3Memory, Row20FencesOfOneInvocationAreTokens) {
  EXPECT_THAT(selectFence("singlethread"), HasSubstr("meta:token"));
  EXPECT_THAT(selectFence("singlethread"), Not(HasSubstr("fence")));
  EXPECT_THAT(selectFence("workgroup"), HasSubstr("fence"));
  EXPECT_THAT(selectFence("workgroup"), Not(HasSubstr("meta:token")));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/ConstantsInMemory.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

/// The memory form of a constant, as text; "unknown" where there is none.
static std::string formOf(StringRef text) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(
      ("target datalayout = \"" + Triple("amdgcn--amdpal").computeDataLayout() +
       "\"\n@r = external addrspace(8) global i32\n@x = addrspace(1) global " + text)
          .str(),
      diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str() << text.str();
  if (!module)
    return "";
  TypeMap types(module->getDataLayout());
  Constant *form = getMemoryForm(*module->getGlobalVariable("x")->getInitializer(), types,
                                 module->getDataLayout());
  if (!form)
    return "unknown";
  std::string result;
  raw_string_ostream os(result);
  form->print(os);
  return result;
}

TEST(ConstantsInMemory, PointersAreTheirNumbers) {
  constexpr struct {
    const char *constant, *form;
  } rows[] = {
      {"ptr addrspace(7) null", "<{ i160, [8 x i8] }> zeroinitializer"},
      {"ptr addrspace(7) undef", "<{ i160, [8 x i8] }> undef"},
      {"ptr addrspace(7) poison", "<{ i160, [8 x i8] }> poison"},
      {"ptr addrspace(7) inttoptr (i160 -1 to ptr addrspace(7))",
       "<{ i160, [8 x i8] }> <{ i160 -1, [8 x i8] undef }>"},
      // Only the offset's 32 bits step.
      {"ptr addrspace(7) getelementptr (i8, ptr addrspace(7) inttoptr (i64 4294967300 to ptr "
       "addrspace(7)), i32 -8)",
       "<{ i160, [8 x i8] }> <{ i160 8589934588, [8 x i8] undef }>"},
      {"ptr addrspace(7) addrspacecast (ptr addrspace(8) inttoptr (i128 3 to ptr addrspace(8)) to "
       "ptr addrspace(7))",
       "<{ i160, [8 x i8] }> <{ i160 12884901888, [8 x i8] undef }>"},
      {"ptr addrspace(9) addrspacecast (ptr addrspace(8) inttoptr (i128 1 to ptr addrspace(8)) to "
       "ptr addrspace(9))",
       "<{ i192, [8 x i8] }> <{ i192 18446744073709551616, [8 x i8] undef }>"},
      {"ptr addrspace(7) addrspacecast (ptr null to ptr addrspace(7))",
       "<{ i160, [8 x i8] }> <{ i160 0, [8 x i8] undef }>"},
      {"ptr addrspace(7) addrspacecast (ptr addrspace(1) @x to ptr addrspace(7))", "unknown"},
      {"i160 ptrtoint (ptr addrspace(7) inttoptr (i160 7 to ptr addrspace(7)) to i160)", "i160 7"},
      {"ptr addrspace(7) addrspacecast (ptr addrspace(8) @r to ptr addrspace(7))", "unknown"},
      {"{ i8, [1 x ptr addrspace(7)] } { i8 1, [1 x ptr addrspace(7)] [ptr addrspace(7) "
       "addrspacecast (ptr addrspace(8) @r to ptr addrspace(7))] }",
       "unknown"},
      {"i32 5", "i32 5"},
  };
  for (const auto &row : rows)
    EXPECT_EQ(formOf(row.constant), row.form) << row.constant;
}

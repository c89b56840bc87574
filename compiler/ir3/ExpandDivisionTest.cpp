// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's constant folder computes each division before and after the expansion.
#include "compiler/ir3/ExpandDivision.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace assay;

/// What "OPCODE i32 X, Y" folds to after the expansion, whose second operand is a constant or not.
static std::optional<uint32_t> expand(StringRef opcode, uint32_t x, uint32_t y, bool isConstant) {
  LLVMContext context;
  SMDiagnostic problem;
  std::string divisor = isConstant ? std::to_string(int32_t(y)) : "%y";
  std::unique_ptr<Module> module =
      parseAssemblyString(("define i32 @main(i32 %x, i32 %y) {\n%r = " + opcode + " i32 %x, " +
                           divisor + "\nret i32 %r\n}")
                              .str(),
                          problem, context);
  Function &function = *module->getFunction("main");
  FunctionAnalysisManager analyses;
  ir3::ExpandDivision().run(function, analyses);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(function.size(), 1u) << "no loop";
  for (auto [argument, value] : zip(function.args(), std::array{x, y}))
    argument.replaceAllUsesWith(ConstantInt::get(argument.getType(), value));
  for (Instruction &inst : make_early_inc_range(instructions(function)))
    if (Constant *value = ConstantFoldInstruction(&inst, module->getDataLayout()))
      inst.replaceAllUsesWith(value);
  auto *end = cast<ReturnInst>(function.getEntryBlock().getTerminator());
  auto *result = dyn_cast<ConstantInt>(end->getReturnValue());
  return result ? std::optional(uint32_t(result->getZExtValue())) : std::nullopt;
}

static uint32_t compute(StringRef opcode, uint32_t x, uint32_t y) {
  auto a = int64_t(int32_t(x)), b = int64_t(int32_t(y));
  return opcode == "udiv"   ? x / y
         : opcode == "urem" ? x % y
         : opcode == "sdiv" ? uint32_t(a / b)
                            : uint32_t(a % b);
}

static void check(uint32_t x, uint32_t y) {
  for (StringRef opcode : {"udiv", "urem", "sdiv", "srem"}) {
    bool overflows = opcode[0] == 's' && x == 0x80000000 && y == UINT32_MAX;
    if (y == 0 || overflows)
      continue;
    for (bool isConstant : {true, false})
      ASSERT_EQ(expand(opcode, x, y, isConstant), compute(opcode, x, y))
          << opcode.str() << " " << x << " " << y << (isConstant ? " constant" : "");
  }
}

TEST(ExpandDivision, QuotientsAreExact) {
  std::vector<uint32_t> words = {
      0,          1,          2,          3,          5,          6,          7,         10,
      997,        1000,       65535,      65536,      65537,      0xffffff,   0x1000001, 0x7ffffffe,
      0x7fffffff, 0x80000000, 0x80000001, 0xfffffe00, 0xffffff00, 0xfffffffe, 0xffffffff};
  for (uint32_t x : words)
    for (uint32_t y : words)
      check(x, y);
}

TEST(ExpandDivision, QuotientsOfRandomNumbersAreExact) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < 200; ++i)
    check(random() >> random() % 32, random() >> random() % 32);
}

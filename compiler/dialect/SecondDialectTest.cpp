// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the TableGen back end makes of a dialect other than lgc, next to lgc.
#include "compiler/dialect/Lgc.h"
#include "support/Error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using testing::HasSubstr;

#include "compiler/dialect/Second.h.inc"

#include "compiler/dialect/Second.cpp.inc"

namespace {
struct SecondDialect : testing::Test {
  LLVMContext context;
  Module module{"scratch", context};
  IRBuilder<> builder{context};

  SecondDialect() {
    auto *type = FunctionType::get(Type::getVoidTy(context), false);
    Function *function = Function::Create(type, Function::ExternalLinkage, "main", module);
    builder.SetInsertPoint(BasicBlock::Create(context, "entry", function));
    builder.SetInsertPoint(builder.CreateRetVoid());
  }
  std::string verify() {
    for (auto [prefix, ops] : {std::pair("lgc.", getLgcOps()), std::pair("two.", getSecondOps())})
      if (Error error = verifyDialect(module, prefix, ops))
        return takeError(std::move(error)).message;
    return "";
  }
};
} // namespace

TEST_F(SecondDialect, LivesNextToLgc) {
  CallInst *wide = WidenOp::create(builder, builder.getInt64Ty(), builder.getInt32(1));
  CallInst *barrier = BarrierOp::create(builder);
  EXPECT_EQ(wide->getCalledFunction()->getName(), "two.widen.i64");
  EXPECT_EQ(getSecondOp(*wide), SecondOp::WidenOp);
  EXPECT_EQ(getSecondOp(*barrier), SecondOp::None);
  EXPECT_EQ(getLgcOp(*wide), LgcOp::None);
  EXPECT_EQ(getLgcOp(*barrier), LgcOp::BarrierOp);
  EXPECT_EQ(verify(), "");
}

TEST_F(SecondDialect, VisitorsSeeTheirOwnOpsOnly) {
  struct Second : SecondVisitor<Second> {
    unsigned ops = 0;
    void visitWidenOp(WidenOp &) { ++ops; }
    void visitSelfOp(SelfOp &) { ++ops; }
  };
  WidenOp::create(builder, builder.getInt64Ty(), builder.getInt32(1));
  BarrierOp::create(builder);
  SelfOp::create(builder, builder.getInt8(1));
  Second second;
  second.visit(module);
  EXPECT_EQ(second.ops, 2u);
}

TEST_F(SecondDialect, OperandIsCheckedAgainstTheResult) {
  WidenOp::create(builder, builder.getInt64Ty(), builder.getInt16(1));
  EXPECT_THAT(verify(), HasSubstr("operand 0 must be an integer half as wide as the result"));
}

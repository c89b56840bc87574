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

TEST_F(SecondDialect, MetadataOfADialectThatIsNotRegisteredIsATuple) {
  auto *node = PointNode::get(context, 1, 2, "corner");
  EXPECT_EQ(node->getX(), 1u);
  EXPECT_EQ(node->getLabel(), "corner");
  module.getOrInsertNamedMetadata("points")->addOperand(node);
  auto print = [&] {
    std::string text;
    raw_string_ostream os(text);
    printModule(module, os);
    return text;
  };
  EXPECT_THAT(print(), HasSubstr("!0 = !{!\"point\", i32 1, i32 2, !\"corner\"}"));
  std::string named;
  {
    DialectRegistration lgc(context, getLgcDialect()), second(context, getSecondDialect());
    named = print();
    EXPECT_THAT(named, HasSubstr("!0 = !two.point(x: 1, y: 2, label: \"corner\")"));
    std::unique_ptr<Module> again = cantFail(parseModule(named, context));
    const MDNode *read = again->getNamedMetadata("points")->getOperand(0);
    EXPECT_EQ(read, node); // Tuples are unique in a context.
    EXPECT_FALSE(isa<HashStepNode>(read));
  }
  EXPECT_THAT(print(), HasSubstr("!0 = !{"));
  EXPECT_THAT(takeError(parseModule(named, context).takeError()).message, HasSubstr("line"));
}

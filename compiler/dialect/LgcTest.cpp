// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/dialect/Lgc.h"

#include "support/Error.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using testing::HasSubstr;

namespace {
/// A module with one empty function to put ops into.
struct Scratch {
  LLVMContext context;
  Module module{"scratch", context};
  IRBuilder<> builder{context};

  Scratch() {
    auto *type = FunctionType::get(Type::getVoidTy(context), false);
    Function *function = Function::Create(type, Function::ExternalLinkage, "main", module);
    builder.SetInsertPoint(BasicBlock::Create(context, "entry", function));
    builder.SetInsertPoint(builder.CreateRetVoid());
  }
};

} // namespace

static std::string print(const Module &module) {
  std::string text;
  raw_string_ostream os(text);
  module.print(os, nullptr);
  return text;
}

/// What verifyDialect says of \p text, or an empty string.
static std::string verdictOn(StringRef text) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  Error error = verifyDialect(*module, "lgc.", getLgcOps());
  return error ? takeError(std::move(error)).message : "";
}

static constexpr StringLiteral fdivAttributes =
    " #0\nattributes #0 = { nocallback nofree nosync nounwind "
    "speculatable willreturn memory(none) }";

TEST(Lgc, FacadeReadsWhatCreateWrote) {
  Scratch scratch;
  Value *index = scratch.builder.getInt32(7);
  auto *op = LoadBufferDescOp::create(scratch.builder, 2, 5, index);
  EXPECT_TRUE(isa<LoadBufferDescOp>(static_cast<Value *>(op)));
  EXPECT_FALSE(isa<BufferLengthOp>(static_cast<Value *>(op)));
  EXPECT_EQ(op->getSet(), 2u);
  EXPECT_EQ(op->getBinding(), 5u);
  EXPECT_EQ(op->getArrayIndex(), index);
  EXPECT_TRUE(op->doesNotAccessMemory());
  op->setArrayIndex(scratch.builder.getInt32(8));
  EXPECT_EQ(cast<ConstantInt>(op->getArrayIndex())->getZExtValue(), 8u);
}

TEST(Lgc, OverloadedOpIsNamedByItsType) {
  Scratch scratch;
  Value *x = ConstantFP::get(FixedVectorType::get(scratch.builder.getFloatTy(), 3), 2.0);
  auto *op = FDivOp::create(scratch.builder, x, x);
  EXPECT_EQ(op->getCalledFunction()->getName(), "lgc.fdiv.v3f32");
  auto *builtIn = ReadBuiltInOp::create(scratch.builder, scratch.builder.getInt32Ty(), 4);
  EXPECT_EQ(builtIn->getCalledFunction()->getName(), "lgc.read.built.in.i32");
  EXPECT_TRUE(BarrierOp::create(scratch.builder)->isConvergent());
}

TEST(Lgc, SparseReadsAreNamedByTexelAndResidency) {
  Scratch scratch;
  IRBuilder<> &builder = scratch.builder;
  Type *i32 = builder.getInt32Ty();
  Type *texel = FixedVectorType::get(builder.getFloatTy(), 4);
  Type *four = FixedVectorType::get(i32, 4);
  auto *op = TexelLoadOp::create(builder, StructType::get(texel, i32), 0, PoisonValue::get(four),
                                 builder.getInt32(1));
  EXPECT_EQ(op->getCalledFunction()->getName(), "lgc.texel.load.sv4f32i32");
  builder.CreateRetVoid();
  EXPECT_FALSE(errorToBool(verifyDialect(scratch.module, "lgc.", getLgcOps())));
  EXPECT_FALSE(isSparseTexel(texel));
  EXPECT_FALSE(isSparseTexel(StructType::get(texel, texel)));
}

static void createImageOps(IRBuilder<> &builder) {
  Type *i32 = builder.getInt32Ty();
  Type *texel = FixedVectorType::get(builder.getFloatTy(), 4);
  Value *number = builder.getInt32(2);
  Value *real = ConstantFP::get(builder.getFloatTy(), 1.0);
  Value *place = PoisonValue::get(texel);
  Value *gradient = PoisonValue::get(FixedVectorType::get(builder.getFloatTy(), 3));
  Value *image = PoisonValue::get(FixedVectorType::get(i32, 8));
  Value *four = PoisonValue::get(FixedVectorType::get(i32, 4));
  DescriptorPtrOp::create(builder, 0, 1, 1, number);
  ImageLoadOp::create(builder, texel, 1, 0, image, four, number);
  ImageStoreOp::create(builder, 1, 0, image, four, four);
  ImageSampleOp::create(builder, texel, 1, 0, image, four, place, real, gradient, gradient, number,
                        real, real);
  ImageGatherOp::create(builder, texel, 1, 0, 3, image, four, place, number, real, real);
  ImageQueryLodOp::create(builder, 1, image, four, place);
  ImageAtomicOp::create(builder, 1, 0, 1, image, four, number, number);
  ImageQuerySizeOp::create(builder, 1, 0, image, number);
  ImageQuerySamplesOp::create(builder, image);
  TexelLoadOp::create(builder, texel, 0, four, number);
  TexelStoreOp::create(builder, 0, four, number, four);
  TexelAtomicOp::create(builder, 0, 1, four, number, number, number);
  TexelCountOp::create(builder, four);
}

static void createSubgroupOps(IRBuilder<> &builder) {
  Value *number = builder.getInt32(2);
  SubgroupBallotOp::create(builder, builder.getTrue());
  SubgroupCountBelowOp::create(builder,
                               PoisonValue::get(FixedVectorType::get(builder.getInt32Ty(), 4)));
  SubgroupBroadcastFirstOp::create(builder, number);
  SubgroupBroadcastOp::create(builder, number, number);
  SubgroupShuffleOp::create(builder, number, number);
  SubgroupShuffleXorOp::create(builder, number, number);
  SubgroupQuadPermuteOp::create(builder, number, 0);
  SubgroupReduceOp::create(builder, number, 0, 4);
  SubgroupScanOp::create(builder, number, 0, 1);
}

static void createStageOps(IRBuilder<> &builder) {
  Value *number = builder.getInt32(2);
  ReadInputOp::create(builder, 0, 0, 0, 0);
  StageInputOp::create(builder, builder.getInt32Ty(), 0);
  InterpolateInputOp::create(builder, 0, 0, 0, ConstantFP::get(builder.getFloatTy(), 0.5),
                             ConstantFP::get(builder.getFloatTy(), 0.25));
  ReadVertexInputOp::create(builder, 0, 0, 0, 2);
  SampleOffsetOp::create(builder, number);
  WriteOutputOp::create(builder, 0, 0, 0, 0, number);
  ReadStageBuiltInOp::create(builder, 0, 0);
  WriteStageBuiltInOp::create(builder, 0, 0, number);
  DerivativeOp::create(builder, ConstantFP::get(builder.getFloatTy(), 1.0), 0);
  TerminateInvocationOp::create(builder);
  DemoteOp::create(builder);
  IsHelperOp::create(builder);
}

TEST(Lgc, EveryOpPassesTheVerifiersAfterTextAndBitcode) {
  Scratch scratch;
  IRBuilder<> &builder = scratch.builder;
  Value *one = ConstantFP::get(builder.getFloatTy(), 1.0);
  Value *two = builder.getInt32(2);
  LoadBufferDescOp::create(builder, 0, 0, two);
  BufferLengthOp::create(builder, 0, 0, two);
  PushConstantsPtrOp::create(builder);
  DescriptorTableOp::create(builder, 1);
  ReadBuiltInOp::create(builder, FixedVectorType::get(builder.getInt32Ty(), 3), 1);
  BarrierOp::create(builder);
  OpaqueTrueOp::create(builder);
  AnchorOp::create(builder);
  Value *buffer = PoisonValue::get(builder.getPtrTy(7));
  BufferPtrDifferenceOp::create(builder, buffer, buffer);
  FPTruncOp::create(builder, builder.getHalfTy(), one, 1);
  FDivOp::create(builder, one, one);
  InverseSqrtOp::create(builder, one);
  FModOp::create(builder, one, one);
  FractOp::create(builder, one);
  FClampOp::create(builder, one, one, one);
  SinOp::create(builder, one);
  CosOp::create(builder, one);
  Exp2Op::create(builder, one);
  Log2Op::create(builder, one);
  SModOp::create(builder, two, two);
  ExtractBitFieldOp::create(builder, two, two, two, 1);
  InsertBitFieldOp::create(builder, two, two, two, two);
  FindMsbOp::create(builder, two, 0);
  ReadClockOp::create(builder, 0);
  createImageOps(builder);
  createSubgroupOps(builder);
  createStageOps(builder);
  EXPECT_EQ(scratch.module.size(), getLgcOps().size() + 1) << "an op is missing in this test";
  EXPECT_FALSE(verifyModule(scratch.module, &errs()));
  EXPECT_FALSE(errorToBool(verifyDialect(scratch.module, "lgc.", getLgcOps())));

  std::string text = print(scratch.module);
  EXPECT_EQ(verdictOn(text), "");
  SmallString<0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(scratch.module, os);
  Expected<std::unique_ptr<Module>> read =
      parseBitcodeFile(MemoryBufferRef(bitcode, "scratch"), scratch.context);
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(print(**read), text);
}

TEST(Lgc, VisitorVisitsInOrderAndAllowsErasing) {
  struct Collector : LgcVisitor<Collector> {
    std::string seen;
    void visitBarrierOp(BarrierOp &op) {
      seen += "barrier ";
      op.eraseFromParent();
    }
    void visitFDivOp(FDivOp &) { seen += "fdiv "; }
  };
  Scratch scratch;
  Value *one = ConstantFP::get(scratch.builder.getFloatTy(), 1.0);
  BarrierOp::create(scratch.builder);
  FDivOp::create(scratch.builder, one, one);
  SinOp::create(scratch.builder, one);
  BarrierOp::create(scratch.builder);
  Collector collector;
  collector.visit(scratch.module);
  EXPECT_EQ(collector.seen, "barrier fdiv barrier ");
  collector.seen.clear();
  collector.visit(scratch.module);
  EXPECT_EQ(collector.seen, "fdiv ");
}

TEST(Lgc, VerifierRejectsUnknownOp) {
  EXPECT_THAT(verdictOn("declare void @lgc.nothing()"), HasSubstr("no op of the dialect"));
  EXPECT_THAT(verdictOn("declare float @lgc.fdiv.of.f32(float, float)"),
              HasSubstr("no op of the dialect"));
}

TEST(Lgc, VerifierRejectsMissingAttribute) {
  EXPECT_THAT(verdictOn("declare float @lgc.fdiv.f32(float, float)"), HasSubstr("lacks '"));
}

TEST(Lgc, VerifierRejectsWrongSuffix) {
  EXPECT_THAT(verdictOn(("declare float @lgc.fdiv.i32(float, float)" + fdivAttributes).str()),
              HasSubstr("does not fit"));
}

TEST(Lgc, VerifierRejectsWrongOperand) {
  EXPECT_THAT(
      verdictOn(("define void @f() {\n %a = call float @lgc.fdiv.f32(float 1.0, i32 2)\n ret "
                 "void }\ndeclare float @lgc.fdiv.f32(float, i32)" +
                 fdivAttributes)
                    .str()),
      HasSubstr("operand 1 must be the type of the result"));
  EXPECT_THAT(verdictOn(("define void @f() {\n %a = call float @lgc.fdiv.f32(float 1.0)\n ret void "
                         "}\ndeclare float @lgc.fdiv.f32(float)" +
                         fdivAttributes)
                            .str()),
              HasSubstr("1 operands, 2 expected"));
  EXPECT_THAT(
      verdictOn(("define void @f(i32 %b) {\n %a = call i32 @lgc.read.built.in.i32(i32 %b)\n "
                 "ret void }\ndeclare i32 @lgc.read.built.in.i32(i32)" +
                 fdivAttributes)
                    .str()),
      HasSubstr("operand 0 must be constant i32"));
}

TEST(Lgc, VerifierRejectsAnOperandOfAnotherWidth) {
  EXPECT_THAT(
      verdictOn(
          ("define void @f() {\n %a = call half @lgc.fptrunc.f16(double 1.0, i1 0)\n ret void "
           "}\ndeclare half @lgc.fptrunc.f16(double, i1)" +
           fdivAttributes)
              .str()),
      HasSubstr("operand 0 must be floats of twice the width of the result"));
}

TEST(Lgc, VerifierRejectsAddressTaken) {
  EXPECT_THAT(verdictOn(("@p = global ptr @lgc.fdiv.f32\n"
                         "declare float @lgc.fdiv.f32(float, float)" +
                         fdivAttributes)
                            .str()),
              HasSubstr("can only be called"));
}

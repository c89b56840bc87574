// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That the image methods of both Builders make ops that the dialect's verifier takes, and hand back
// values of the type that was asked for.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PipelineStateTesting.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace {
struct ImageBuilderTest : testing::TestWithParam<bool> {
  LLVMContext context;
  Module module{"test", context};
  std::unique_ptr<Builder> builder =
      GetParam() ? createBuilderRecorder(context) : createBuilderImpl(context);
  Type *f32 = Type::getFloatTy(context);
  Type *i32 = Type::getInt32Ty(context);
  Type *i64 = Type::getInt64Ty(context);

  ImageBuilderTest() {
    initializeModule(module);
    auto *type = FunctionType::get(Type::getVoidTy(context), false);
    auto *function = Function::Create(type, Function::ExternalLinkage, "main", module);
    builder->SetInsertPoint(BasicBlock::Create(context, "entry", function));
  }

  static Type *vector(Type *element, unsigned count) {
    return FixedVectorType::get(element, count);
  }
  ImageAccess access(ImageDim dim, Type *coordinate) {
    unsigned dwords = dim == ImageDim::Buffer ? 4 : 8;
    return {dim, 0, PoisonValue::get(vector(i32, dwords)),
            coordinate ? PoisonValue::get(coordinate) : nullptr};
  }
  void expectValid() {
    builder->CreateRetVoid();
    Error error = verifyDialect(module, "lgc.", getLgcOps());
    EXPECT_FALSE(bool(error)) << takeError(std::move(error)).message;
  }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Both, ImageBuilderTest, testing::Bool());

TEST_P(ImageBuilderTest, LoadsAndStoresWhatIsAskedFor) {
  for (Type *type : {f32, vector(f32, 3), vector(i32, 4), vector(i64, 2), i64}) {
    EXPECT_EQ(builder->createImageLoad(type, access(ImageDim::Dim3D, vector(i32, 3)))->getType(),
              type);
    EXPECT_EQ(builder->createImageLoad(type, access(ImageDim::Buffer, i32))->getType(), type);
    builder->createImageStore(access(ImageDim::Dim1D, i32), PoisonValue::get(type));
    builder->createImageStore(access(ImageDim::Buffer, vector(i32, 2)), PoisonValue::get(type));
  }
  builder->createImageLoad(vector(f32, 4), access(ImageDim::Dim2D, vector(i32, 2)),
                           builder->getInt32(1));
  expectValid();
}

TEST_P(ImageBuilderTest, SamplesAndGathers) {
  SampleOperands operands;
  operands.sampler = PoisonValue::get(vector(i32, 4));
  operands.gradientX = operands.gradientY = PoisonValue::get(f32);
  operands.offset = PoisonValue::get(i32);
  ImageAccess line = access(ImageDim::Dim1D, f32);
  EXPECT_EQ(builder->createImageSample(vector(f32, 2), line, operands)->getType(), vector(f32, 2));
  operands.gradientX = operands.gradientY = nullptr;
  operands.lod = operands.compare = ConstantFP::get(f32, 1);
  EXPECT_EQ(builder->createImageSample(f32, line, operands)->getType(), f32);
  operands.lod = operands.compare = nullptr;
  operands.offset = PoisonValue::get(vector(i32, 2));
  ImageAccess flat = access(ImageDim::Dim2D, vector(f32, 4));
  EXPECT_EQ(builder->createImageGather(vector(i32, 4), flat, operands, 3)->getType(),
            vector(i32, 4));
  expectValid();
}

TEST_P(ImageBuilderTest, PacksOffsets) {
  SampleOperands operands;
  operands.sampler = PoisonValue::get(vector(i32, 4));
  const uint32_t offsets[] = {0xFFFFFFF8, 7, 31}; // -8, 7, 31: six bits each.
  operands.offset = ConstantDataVector::get(context, offsets);
  builder->createImageSample(vector(f32, 4), access(ImageDim::Dim3D, vector(f32, 3)), operands);
  Function *op = module.getFunction("lgc.image.sample.v4f32");
  ASSERT_TRUE(op && op->hasOneUse());
  auto *sample = cast<ImageSampleOp>(op->user_back());
  EXPECT_EQ(sample->getFlags(), uint64_t(ImageHasOffset));
  EXPECT_EQ(cast<ConstantInt>(sample->getOffset())->getZExtValue(), 0x1f0738u);
  expectValid();
}

TEST_P(ImageBuilderTest, DoesAtomicsAndQueries) {
  for (Type *type : {i32, i64, f32})
    for (auto dim : {ImageDim::Cube, ImageDim::Buffer}) {
      Value *value = PoisonValue::get(type);
      Value *old =
          builder->createImageAtomic(ImageAtomic::Swap, access(dim, vector(i32, 3)), value);
      EXPECT_EQ(old->getType(), type);
    }
  builder->createImageAtomic(ImageAtomic::CompareSwap, access(ImageDim::Dim2D, vector(i32, 2)),
                             builder->getInt32(1), builder->getInt32(2));
  ImageAccess layers = access(ImageDim::Dim2DArray, nullptr);
  EXPECT_EQ(builder->createImageQuerySize(vector(i32, 3), layers)->getType(), vector(i32, 3));
  EXPECT_EQ(builder->createImageQuerySize(i32, access(ImageDim::Buffer, nullptr))->getType(), i32);
  EXPECT_EQ(builder->createImageQueryLevels(layers)->getType(), i32);
  EXPECT_EQ(builder->createImageQuerySamples(layers)->getType(), i32);
  Value *address =
      builder->createDescriptorPtr(1, 2, DescriptorPart::Sampler, builder->getInt32(0));
  EXPECT_TRUE(address->getType()->isPointerTy());
  expectValid();
}

TEST(PipelineStateKinds, SurviveTheModule) {
  PipelineState state;
  state.target = cantFail(findTarget("gfx1100"));
  state.waveSize = 32;
  state.layout = makeResourceLayout({{0, 1, 1, DescriptorKind::Sampler},
                                     {0, 2, 2, DescriptorKind::CombinedImageSampler},
                                     {0, 3, 1, DescriptorKind::TexelBuffer}},
                                    0);
  LLVMContext context;
  Module module("m", context);
  state.write(module);
  Expected<PipelineState> read = PipelineStateTests::read(module);
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->layout.find(0, 1)->kind, DescriptorKind::Sampler);
  EXPECT_EQ(read->layout.find(0, 2)->kind, DescriptorKind::CombinedImageSampler);
  EXPECT_EQ(read->layout.find(0, 3)->kind, DescriptorKind::TexelBuffer);
}

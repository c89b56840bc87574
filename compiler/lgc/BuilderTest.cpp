// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/Builder.h"

#include "compiler/dialect/Lgc.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace {
/// A function to build in, and both Builders.
struct BuilderTest : testing::Test {
  LLVMContext context;
  Module module{"test", context};
  Function *function = nullptr;
  std::unique_ptr<Builder> impl = createBuilderImpl(context);
  std::unique_ptr<Builder> recorder = createBuilderRecorder(context);

  BuilderTest() {
    initializeModule(module);
    auto *type = FunctionType::get(Type::getVoidTy(context), {Type::getFloatTy(context)}, false);
    function = Function::Create(type, Function::ExternalLinkage, "main", module);
    BasicBlock *block = BasicBlock::Create(context, "entry", function);
    impl->SetInsertPoint(block);
    recorder->SetInsertPoint(block);
  }

  /// The number that \p value was folded to.
  static uint32_t number(Value *value) {
    auto *constant = dyn_cast<ConstantInt>(value);
    EXPECT_TRUE(constant) << "was not folded";
    return constant ? static_cast<uint32_t>(constant->getZExtValue()) : 0;
  }
  uint64_t extract(uint64_t base, uint32_t offset, uint32_t count, bool isSigned) {
    Value *field = impl->createExtractBitField(impl->getInt64(base), impl->getInt32(offset),
                                               impl->getInt32(count), isSigned);
    auto *constant = dyn_cast<ConstantInt>(field);
    EXPECT_TRUE(constant) << "was not folded";
    return constant ? constant->getZExtValue() : 0;
  }
};

} // namespace

/// The field's bits, one by one.
static uint64_t expectedField(uint64_t base, uint32_t offset, uint32_t count, bool isSigned) {
  uint64_t result = 0;
  for (uint32_t bit = 0; bit < 64; ++bit) {
    uint32_t source = bit < count ? bit : count - 1;
    bool isSet = count != 0 && (bit < count || isSigned) && (base >> (offset + source) & 1);
    result |= uint64_t(isSet) << bit;
  }
  return result;
}

TEST_F(BuilderTest, ExtractsEveryBitField) {
  for (uint64_t word : {uint64_t(0), uint64_t(1) << 63, ~uint64_t(0), 0x123456789ABCDEF0u})
    for (uint32_t offset = 0; offset <= 64; ++offset)
      for (uint32_t count = 0; offset + count <= 64; ++count)
        for (bool isSigned : {false, true})
          EXPECT_EQ(extract(word, offset, count, isSigned),
                    expectedField(word, offset, count, isSigned))
              << word << " " << offset << " " << count;
}

TEST_F(BuilderTest, LeavesToTheArchitectureWhatHasInstructionsThere) {
  Value *number = impl->getInt32(5);
  Value *x = function->getArg(0);
  EXPECT_TRUE(isa<ExtractBitFieldOp>(impl->createExtractBitField(number, number, number, true)));
  EXPECT_TRUE(isa<FDivOp>(impl->createFDiv(x, x)));
  EXPECT_TRUE(isa<InverseSqrtOp>(impl->createInverseSqrt(x)));
  EXPECT_TRUE(isa<FractOp>(impl->createFract(x)));
  EXPECT_TRUE(isa<BarrierOp>(impl->createBarrier()));
}

TEST_F(BuilderTest, FencesKeepTheirMemory) {
  FenceInst *fence = impl->CreateFence(AtomicOrdering::Release);
  EXPECT_EQ(getFencedMemory(*fence), FencedMemory::All);
  setFencedMemory(*fence, FencedMemory::Workgroup);
  EXPECT_EQ(getFencedMemory(*fence), FencedMemory::Workgroup);
  setFencedMemory(*fence, FencedMemory::All);
  EXPECT_EQ(getFencedMemory(*fence), FencedMemory::All);
}

TEST_F(BuilderTest, InsertsEveryBitField) {
  for (uint32_t offset = 0; offset <= 32; ++offset) {
    for (uint32_t count = 0; offset + count <= 32; ++count) {
      constexpr uint32_t base = 0xA5A5A5A5, insert = 0xDEADBEEF;
      uint64_t mask = ((uint64_t(1) << count) - 1) << offset;
      auto expected = static_cast<uint32_t>((base & ~mask) | ((uint64_t(insert) << offset) & mask));
      EXPECT_EQ(number(impl->createInsertBitField(impl->getInt32(base), impl->getInt32(insert),
                                                  impl->getInt32(offset), impl->getInt32(count))),
                expected)
          << offset << " " << count;
    }
  }
}

TEST_F(BuilderTest, RemainderHasTheSignOfTheDivisor) {
  for (int32_t x : {-7, -6, 0, 5, 6, 7}) {
    for (int32_t y : {-3, -1, 1, 3}) {
      int32_t expected = ((x % y) + y) % y;
      EXPECT_EQ(static_cast<int32_t>(number(
                    impl->createSMod(impl->getInt32(uint32_t(x)), impl->getInt32(uint32_t(y))))),
                expected)
          << x << " " << y;
    }
  }
}

// ctlz is an intrinsic, which the folder of an IRBuilder leaves alone: what is around it is looked
// at.
TEST_F(BuilderTest, SignedMsbLooksForTheFirstBitUnlikeTheSign) {
  auto *difference = cast<BinaryOperator>(impl->createFindMsb(impl->getInt32(0xFFFFFFF0), true));
  EXPECT_EQ(difference->getOpcode(), Instruction::Sub);
  EXPECT_EQ(number(difference->getOperand(0)), 31u);
  auto *zeros = cast<CallInst>(difference->getOperand(1));
  EXPECT_EQ(number(zeros->getArgOperand(0)), 0xFu);
  EXPECT_EQ(number(zeros->getArgOperand(1)), 0u) << "a zero operand must be allowed";
}

TEST_F(BuilderTest, RecordsFastMathFlags) {
  FastMathFlags flags;
  flags.setNoNaNs();
  recorder->setFastMathFlags(flags);
  auto *op = dyn_cast<FDivOp>(recorder->createFDiv(function->getArg(0), function->getArg(0)));
  ASSERT_TRUE(op);
  EXPECT_TRUE(op->hasNoNaNs());
}

TEST_F(BuilderTest, RecordsBuiltInsWithTheirTypes) {
  auto *id = dyn_cast<ReadBuiltInOp>(recorder->createReadBuiltIn(BuiltIn::GlobalInvocationId));
  ASSERT_TRUE(id);
  EXPECT_EQ(id->getBuiltIn(), 3u);
  EXPECT_TRUE(id->getType()->isVectorTy());
  EXPECT_TRUE(recorder->createReadBuiltIn(BuiltIn::SubgroupId)->getType()->isIntegerTy(32));
}

TEST_F(BuilderTest, EntryPointKeepsItsMode) {
  EXPECT_EQ(findComputeEntryPoint(module), nullptr);
  EXPECT_TRUE(errorToBool(getComputeMode(*function).takeError()));
  setComputeEntryPoint(*function, {{8, 4, 2}});
  EXPECT_EQ(findComputeEntryPoint(module), function);
  Expected<ComputeMode> mode = getComputeMode(*function);
  ASSERT_TRUE(static_cast<bool>(mode));
  EXPECT_EQ(mode->workgroupSize[1], 4u);
  EXPECT_EQ(mode->getInvocations(), 64u);
  setComputeEntryPoint(*function, {{8, 0, 2}});
  EXPECT_TRUE(errorToBool(getComputeMode(*function).takeError()));
}

TEST_F(BuilderTest, ModuleGetsTheLayoutOfAmdGpus) {
  EXPECT_EQ(module.getDataLayout().getAllocaAddrSpace(), unsigned(PrivateAddressSpace));
  EXPECT_EQ(module.getDataLayout().getPointerSizeInBits(BufferFatPointerSpace), 160u);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/LowerArithmetic.h"

#include "compiler/dialect/Lgc.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace {
/// A function that returns one bit field, lowered.
struct BitField {
  LLVMContext context;
  Module module{"test", context};
  Value *result = nullptr;

  BitField(uint32_t base, uint32_t offset, uint32_t count, bool isSigned) {
    auto *type = FunctionType::get(Type::getInt32Ty(context), false);
    Function *function = Function::Create(type, Function::ExternalLinkage, "main", module);
    IRBuilder<> builder(BasicBlock::Create(context, "entry", function));
    ReturnInst *end = builder.CreateRet(
        ExtractBitFieldOp::create(builder, builder.getInt32(base), builder.getInt32(offset),
                                  builder.getInt32(count), isSigned));
    ModuleAnalysisManager analyses;
    amdgpu::LowerArithmetic().run(module, analyses);
    result = end->getReturnValue();
  }
};
} // namespace

/// The number that \p value was folded to.
static uint32_t number(Value *value) {
  auto *constant = dyn_cast<ConstantInt>(value);
  EXPECT_TRUE(constant) << "was not folded";
  return constant ? static_cast<uint32_t>(constant->getZExtValue()) : 0;
}

/// What v_bfe_u32 and v_bfe_i32 compute: the low five bits of offset and width count (RDNA 2 ISA,
/// section 16.11).
static uint32_t hardwareExtract(const CallInst &call) {
  bool isSigned = call.getIntrinsicID() == Intrinsic::amdgcn_sbfe;
  EXPECT_TRUE(isSigned || call.getIntrinsicID() == Intrinsic::amdgcn_ubfe);
  uint32_t shifted = number(call.getArgOperand(0)) >> (number(call.getArgOperand(1)) & 31);
  uint32_t width = number(call.getArgOperand(2)) & 31;
  uint32_t field = shifted & ((1u << width) - 1);
  bool isNegative = isSigned && width && (field >> (width - 1) & 1);
  return isNegative ? field | ~0u << width : field;
}

static uint32_t extract(uint32_t base, uint32_t offset, uint32_t count, bool isSigned) {
  BitField lowered(base, offset, count, isSigned);
  Value *field = lowered.result;
  if (auto *select = dyn_cast<SelectInst>(field))
    field = number(select->getCondition()) ? select->getTrueValue() : select->getFalseValue();
  auto *call = dyn_cast<CallInst>(field);
  return call ? hardwareExtract(*call) : number(field);
}

/// The field's bits, one by one.
static uint32_t expectedField(uint32_t base, uint32_t offset, uint32_t count, bool isSigned) {
  uint32_t result = 0;
  for (uint32_t bit = 0; bit < 32; ++bit) {
    uint32_t source = bit < count ? bit : count - 1;
    bool isSet = count != 0 && (bit < count || isSigned) && (base >> (offset + source) & 1);
    result |= uint32_t(isSet) << bit;
  }
  return result;
}

TEST(LowerArithmetic, ExtractsEveryBitField) {
  for (uint32_t word : {0u, 0x80000000u, 0xFFFFFFFFu, 0x12345678u, 0xDEADBEEFu, 0x7FFFFFFFu})
    for (uint32_t offset = 0; offset <= 32; ++offset)
      for (uint32_t count = 0; offset + count <= 32; ++count)
        for (bool isSigned : {false, true})
          EXPECT_EQ(extract(word, offset, count, isSigned),
                    expectedField(word, offset, count, isSigned))
              << word << " " << offset << " " << count;
}

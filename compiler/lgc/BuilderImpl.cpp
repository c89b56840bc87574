// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Builder that makes real IR. Precision: LLVM's AMDGPU back-end honours !fpmath on fdiv; the
// hardware's rsq, exp and log have 1 ULP, sin and cos 2^-11 or better on reduced arguments ("RDNA3
// Instruction Set Architecture", VOP1 instructions).
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace assay;

namespace {
class BuilderImpl : public Builder {
public:
  using Builder::Builder;

  Value *createLoadBufferDesc(uint32_t set, uint32_t binding, Value *arrayIndex) override {
    return LoadBufferDescOp::create(*this, set, binding, arrayIndex);
  }
  Value *createBufferLength(uint32_t set, uint32_t binding, Value *arrayIndex) override {
    return BufferLengthOp::create(*this, set, binding, arrayIndex);
  }
  Value *createPushConstantsPtr() override { return PushConstantsPtrOp::create(*this); }
  Value *createReadBuiltIn(BuiltIn builtIn) override {
    return ReadBuiltInOp::create(*this, getBuiltInType(getContext(), builtIn),
                                 static_cast<uint64_t>(builtIn));
  }
  Value *createBarrier() override {
    return CreateIntrinsic(getVoidTy(), Intrinsic::amdgcn_s_barrier, {});
  }

  Value *createFDiv(Value *dividend, Value *divisor) override;
  Value *createInverseSqrt(Value *x) override { return perLane(Intrinsic::amdgcn_rsq, x); }
  Value *createFMod(Value *x, Value *y) override;
  Value *createFract(Value *x) override { return perLane(Intrinsic::amdgcn_fract, x); }
  Value *createFClamp(Value *x, Value *lo, Value *hi) override {
    return CreateMinNum(CreateMaxNum(x, lo), hi);
  }
  Value *createSin(Value *x) override { return CreateUnaryIntrinsic(Intrinsic::sin, x); }
  Value *createCos(Value *x) override { return CreateUnaryIntrinsic(Intrinsic::cos, x); }
  Value *createExp2(Value *x) override { return CreateUnaryIntrinsic(Intrinsic::exp2, x); }
  Value *createLog2(Value *x) override { return CreateUnaryIntrinsic(Intrinsic::log2, x); }

  Value *createSMod(Value *x, Value *y) override;
  Value *createExtractBitField(Value *base, Value *offset, Value *count, bool isSigned) override;
  Value *createInsertBitField(Value *base, Value *insert, Value *offset, Value *count) override;
  Value *createFindMsb(Value *x, bool isSigned) override;

private:
  Value *perLane(Intrinsic::ID intrinsic, Value *x);
  Value *splatAs(Type *type, Value *scalar);
};
} // namespace

/// Applies an intrinsic that takes scalars only to each element of \p x.
Value *BuilderImpl::perLane(Intrinsic::ID intrinsic, Value *x) {
  auto *vector = dyn_cast<FixedVectorType>(x->getType());
  if (!vector)
    return CreateUnaryIntrinsic(intrinsic, x);
  Value *result = PoisonValue::get(vector);
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    result =
        CreateInsertElement(result, CreateUnaryIntrinsic(intrinsic, CreateExtractElement(x, i)), i);
  return result;
}

/// \p scalar, or a vector of it where \p type is a vector.
Value *BuilderImpl::splatAs(Type *type, Value *scalar) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return CreateVectorSplat(vector->getNumElements(), scalar);
  return scalar;
}

Value *BuilderImpl::createFDiv(Value *dividend, Value *divisor) {
  Value *quotient = CreateFDiv(dividend, divisor);
  if (auto *instruction = dyn_cast<Instruction>(quotient))
    instruction->setMetadata(LLVMContext::MD_fpmath, MDBuilder(getContext()).createFPMath(2.5f));
  return quotient;
}

Value *BuilderImpl::createFMod(Value *x, Value *y) {
  Value *floor = CreateUnaryIntrinsic(Intrinsic::floor, createFDiv(x, y));
  return CreateFSub(x, CreateFMul(y, floor));
}

Value *BuilderImpl::createSMod(Value *x, Value *y) {
  Value *remainder = CreateSRem(x, y);
  Value *zero = Constant::getNullValue(x->getType());
  Value *signsDiffer = CreateICmpSLT(CreateXor(remainder, y), zero);
  Value *wrong = CreateAnd(CreateICmpNE(remainder, zero), signsDiffer);
  return CreateSelect(wrong, CreateAdd(remainder, y), remainder);
}

// Shift amounts are masked to five bits, as the hardware's bfe and bfm do it: SPIR-V leaves larger
// ones undefined except for an offset of 32 with a count of 0, whose result does not depend on the
// shift.
Value *BuilderImpl::createExtractBitField(Value *base, Value *offset, Value *count, bool isSigned) {
  Type *type = base->getType();
  Value *bits31 = getInt32(31);
  Value *shift = splatAs(type, CreateAnd(offset, bits31));
  // Up to the top and down again by 32 - count; a count of 0 would keep the whole word.
  Value *spare = splatAs(type, CreateAnd(CreateSub(getInt32(0), count), bits31));
  Value *top = CreateShl(CreateLShr(base, shift), spare);
  Value *field = isSigned ? CreateAShr(top, spare) : CreateLShr(top, spare);
  Value *isEmpty = CreateICmpEQ(count, getInt32(0));
  return CreateSelect(isEmpty, Constant::getNullValue(type), field);
}

Value *BuilderImpl::createInsertBitField(Value *base, Value *insert, Value *offset, Value *count) {
  Type *type = base->getType();
  Value *ones = CreateSub(CreateShl(getInt32(1), CreateAnd(count, getInt32(31))), getInt32(1));
  Value *isWhole = CreateICmpEQ(count, getInt32(32));
  Value *width = CreateSelect(isWhole, getInt32(-1), ones);
  Value *shift = CreateAnd(offset, getInt32(31));
  Value *mask = splatAs(type, CreateShl(width, shift));
  Value *moved = CreateShl(insert, splatAs(type, shift));
  return CreateOr(CreateAnd(moved, mask), CreateAnd(base, CreateNot(mask)));
}

Value *BuilderImpl::createFindMsb(Value *x, bool isSigned) {
  if (isSigned)
    x = CreateXor(x, CreateAShr(x, 31));
  // ctlz(0) is 32, which gives the -1 that is asked for.
  Value *zeros = CreateBinaryIntrinsic(Intrinsic::ctlz, x, getFalse());
  return CreateSub(ConstantInt::get(x->getType(), 31), zeros);
}

std::unique_ptr<Builder> assay::createBuilderImpl(LLVMContext &context) {
  return std::make_unique<BuilderImpl>(context);
}

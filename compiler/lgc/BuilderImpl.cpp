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
  Value *createInverseSqrt(Value *x) override;
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
  Value *forEachElement(Value *x, function_ref<Value *(Value *)> make);
  Value *perLane(Intrinsic::ID intrinsic, Value *x);
  Value *splatAs(Type *type, Value *scalar);
};
} // namespace

/// Applies \p make, which takes and returns a scalar of the same type, to each element of \p x.
Value *BuilderImpl::forEachElement(Value *x, function_ref<Value *(Value *)> make) {
  auto *vector = dyn_cast<FixedVectorType>(x->getType());
  if (!vector)
    return make(x);
  Value *result = PoisonValue::get(vector);
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    result = CreateInsertElement(result, make(CreateExtractElement(x, i)), i);
  return result;
}

/// Applies an intrinsic that takes scalars only to each element of \p x.
Value *BuilderImpl::perLane(Intrinsic::ID intrinsic, Value *x) {
  return forEachElement(
      x, [&](Value *element) -> Value * { return CreateUnaryIntrinsic(intrinsic, element); });
}

/// Integer \p scalar in the width of \p type, a vector of it where \p type is a vector.
Value *BuilderImpl::splatAs(Type *type, Value *scalar) {
  scalar = CreateZExtOrTrunc(scalar, type->getScalarType());
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return CreateVectorSplat(vector->getNumElements(), scalar);
  return scalar;
}

/// The reciprocal's error and the product's are within the 2.5 ULP that Vulkan allows for divisors
/// from 2^-126 to 2^126 (f16: 2^-14 to 2^14); it promises nothing for others, so that the
/// reciprocal needs no scaling. ("Precision of core SPIR-V Instructions"; RADV's compilers do the
/// same.)
Value *BuilderImpl::createFDiv(Value *dividend, Value *divisor) {
  Type *type = dividend->getType()->getScalarType();
  if (type->isDoubleTy() || getFloatMode().of(type).towardZero)
    return CreateFDiv(dividend, divisor);
  return CreateFMul(dividend, perLane(Intrinsic::amdgcn_rcp, divisor));
}

/// The hardware's rsq of f64 is good for about 26 bits only, so f64 takes the long way.
Value *BuilderImpl::createInverseSqrt(Value *x) {
  Type *type = x->getType();
  bool keepsDenormals = getFloatMode().single.denormals == Denormals::Preserve;
  if (type->getScalarType()->isFloatTy() && keepsDenormals) {
    // That of f32 takes a denormal for zero: scaled by 2^32 first, by its inverse root after.
    Value *isSmall =
        CreateFCmpOLT(CreateUnaryIntrinsic(Intrinsic::fabs, x),
                      ConstantFP::get(type, APFloat::getSmallestNormalized(APFloat::IEEEsingle())));
    Value *one = ConstantFP::get(type, 1.0);
    Value *before = CreateSelect(isSmall, ConstantFP::get(type, 0x1p32), one);
    Value *after = CreateSelect(isSmall, ConstantFP::get(type, 0x1p16), one);
    return CreateFMul(perLane(Intrinsic::amdgcn_rsq, CreateFMul(x, before)), after);
  }
  if (!type->getScalarType()->isDoubleTy())
    return perLane(Intrinsic::amdgcn_rsq, x);
  return CreateFDiv(ConstantFP::get(type, 1.0), CreateUnaryIntrinsic(Intrinsic::sqrt, x));
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

// Shift amounts are masked to the width less one, as the hardware's bfe and bfm do it: SPIR-V
// leaves larger ones undefined except for an offset of the width with a count of 0, whose result
// does not depend on the shift.
Value *BuilderImpl::createExtractBitField(Value *base, Value *offset, Value *count, bool isSigned) {
  Type *type = base->getType();
  if (type->getScalarType()->isIntegerTy(32)) {
    Intrinsic::ID extract = isSigned ? Intrinsic::amdgcn_sbfe : Intrinsic::amdgcn_ubfe;
    Value *field = forEachElement(base, [&](Value *element) -> Value * {
      return CreateIntrinsic(extract, {getInt32Ty()}, {element, offset, count});
    });
    // The hardware takes a count of 32 for 0.
    return CreateSelect(CreateICmpUGT(count, getInt32(31)), base, field);
  }
  Value *mask = getInt32(type->getScalarSizeInBits() - 1);
  Value *shift = splatAs(type, CreateAnd(offset, mask));
  // Up to the top and down again by width - count; a count of 0 would keep the whole word.
  Value *spare = splatAs(type, CreateAnd(CreateSub(getInt32(0), count), mask));
  Value *top = CreateShl(CreateLShr(base, shift), spare);
  Value *field = isSigned ? CreateAShr(top, spare) : CreateLShr(top, spare);
  Value *isEmpty = CreateICmpEQ(count, getInt32(0));
  return CreateSelect(isEmpty, Constant::getNullValue(type), field);
}

Value *BuilderImpl::createInsertBitField(Value *base, Value *insert, Value *offset, Value *count) {
  Type *type = base->getType();
  Type *scalar = type->getScalarType();
  unsigned bits = scalar->getScalarSizeInBits();
  Value *one = ConstantInt::get(scalar, 1);
  Value *low = CreateZExtOrTrunc(CreateAnd(count, getInt32(bits - 1)), scalar);
  Value *ones = CreateSub(CreateShl(one, low), one);
  Value *shift = CreateZExtOrTrunc(CreateAnd(offset, getInt32(bits - 1)), scalar);
  Value *mask = splatAs(type, CreateShl(ones, shift));
  Value *moved = CreateShl(insert, splatAs(type, shift));
  Value *mixed = CreateOr(CreateAnd(moved, mask), CreateAnd(base, CreateNot(mask)));
  // A count of the whole width leaves no offset but 0.
  return CreateSelect(CreateICmpUGT(count, getInt32(bits - 1)), insert, mixed);
}

Value *BuilderImpl::createFindMsb(Value *x, bool isSigned) {
  if (isSigned)
    x = CreateXor(x, CreateAShr(x, x->getType()->getScalarSizeInBits() - 1));
  // ctlz(0) is the width, which gives the -1 that is asked for.
  Value *zeros = CreateBinaryIntrinsic(Intrinsic::ctlz, x, getFalse());
  return CreateSub(ConstantInt::get(x->getType(), x->getType()->getScalarSizeInBits() - 1), zeros);
}

std::unique_ptr<Builder> assay::createBuilderImpl(LLVMContext &context) {
  return std::make_unique<BuilderImpl>(context);
}

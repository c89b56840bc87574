// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Builder that makes real IR. What has an instruction of its own on some architecture, with a
// precision of its own, stays an op.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"

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
  Value *createBarrier() override { return BarrierOp::create(*this); }

  Value *createFDiv(Value *dividend, Value *divisor) override {
    return FDivOp::create(*this, dividend, divisor);
  }
  Value *createInverseSqrt(Value *x) override { return InverseSqrtOp::create(*this, x); }
  Value *createFMod(Value *x, Value *y) override;
  Value *createFract(Value *x) override { return FractOp::create(*this, x); }
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
  Value *splatAs(Type *type, Value *scalar);
};
} // namespace

/// Integer \p scalar in the width of \p type, a vector of it where \p type is a vector.
Value *BuilderImpl::splatAs(Type *type, Value *scalar) {
  scalar = CreateZExtOrTrunc(scalar, type->getScalarType());
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return CreateVectorSplat(vector->getNumElements(), scalar);
  return scalar;
}

/// x - y * floor(x / y): the result has the sign of y.
Value *BuilderImpl::createFMod(Value *x, Value *y) {
  Value *floor = CreateUnaryIntrinsic(Intrinsic::floor, createFDiv(x, y));
  return CreateFSub(x, CreateFMul(y, floor));
}

/// The remainder is corrected by y where its sign is not that of y.
Value *BuilderImpl::createSMod(Value *x, Value *y) {
  Value *remainder = CreateSRem(x, y);
  Value *zero = Constant::getNullValue(x->getType());
  Value *signsDiffer = CreateICmpSLT(CreateXor(remainder, y), zero);
  Value *wrong = CreateAnd(CreateICmpNE(remainder, zero), signsDiffer);
  return CreateSelect(wrong, CreateAdd(remainder, y), remainder);
}

// Shift amounts are masked to the width less one: SPIR-V leaves larger ones undefined except for an
// offset of the width with a count of 0, whose result does not depend on the shift.
Value *BuilderImpl::createExtractBitField(Value *base, Value *offset, Value *count, bool isSigned) {
  Type *type = base->getType();
  if (type->getScalarType()->isIntegerTy(32))
    return ExtractBitFieldOp::create(*this, base, offset, count, isSigned);
  Value *mask = getInt32(type->getScalarSizeInBits() - 1);
  Value *shift = splatAs(type, CreateAnd(offset, mask));
  // Up to the top and down again by width - count; a count of 0 would keep the whole word.
  Value *spare = splatAs(type, CreateAnd(CreateSub(getInt32(0), count), mask));
  Value *top = CreateShl(CreateLShr(base, shift), spare);
  Value *field = isSigned ? CreateAShr(top, spare) : CreateLShr(top, spare);
  Value *isEmpty = CreateICmpEQ(count, getInt32(0));
  return CreateSelect(isEmpty, Constant::getNullValue(type), field);
}

/// Also for fields in vectors, with one offset and count for all elements.
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

/// Returns -1 for 0, and with \p isSigned for -1, too.
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

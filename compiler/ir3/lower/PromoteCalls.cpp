// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics and ops of narrow types.
#include "compiler/dialect/Lgc.h"
#include "compiler/ir3/lower/Narrow.h"
#include "compiler/ir3/lower/Promoter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {
/// Returns the promoted result of a call, or null where the types are not supported.
using Promotion = Value *(*)(Promoter & promoter, CallInst &call);
/// An intrinsic, and the function that promotes its calls.
struct Row {
  Intrinsic::ID intrinsic;
  Promotion promote;
};
} // namespace

/// Bits of the scalar type of \p value before promotion.
static unsigned bitsOf(const Value *value) {
  return value->getType()->getScalarSizeInBits();
}
/// The integer \p bits as a constant of the type of \p like: a splat if that is a vector.
static Value *number(const Value *like, uint64_t bits) {
  return ConstantInt::get(like->getType(), bits);
}

/// The same intrinsic on f32. \p IsExact: its result is a half if its operands are.
template <Intrinsic::ID Id, bool IsExact = false>
static Value *real(Promoter &promoter, CallInst &call) {
  SmallVector<Value *, 3> operands;
  for (Value *operand : call.args())
    operands.push_back(promoter.get(operand));
  Value *result = promoter.builder().CreateIntrinsic(Id, {operands[0]->getType()}, operands);
  return IsExact ? result : roundToHalf(promoter.builder(), result);
}

/// The same intrinsic on zero-extended operands; its result needs no correction.
template <Intrinsic::ID Id> static Value *byZeros(Promoter &promoter, CallInst &call) {
  return promoter.builder().CreateBinaryIntrinsic(Id,
                                                  promoter.getZeroExtended(call.getArgOperand(0)),
                                                  promoter.getZeroExtended(call.getArgOperand(1)));
}
/// The same intrinsic on sign-extended operands; its result needs no correction.
template <Intrinsic::ID Id> static Value *bySigns(Promoter &promoter, CallInst &call) {
  return promoter.builder().CreateBinaryIntrinsic(Id,
                                                  promoter.getSignExtended(call.getArgOperand(0)),
                                                  promoter.getSignExtended(call.getArgOperand(1)));
}

/// The first operand: the intrinsic has no effect on values.
static Value *keep(Promoter &promoter, CallInst &call) {
  return promoter.get(call.getArgOperand(0));
}

/// The magnitude in the wide type. The smallest narrow number becomes the next power of two, which
/// has the same low bits.
static Value *absolute(Promoter &promoter, CallInst &call) {
  return promoter.builder().CreateBinaryIntrinsic(Intrinsic::abs,
                                                  promoter.getSignExtended(call.getArgOperand(0)),
                                                  promoter.builder().getFalse());
}

/// The zeros of the extension add nothing to the count.
static Value *countOnes(Promoter &promoter, CallInst &call) {
  return promoter.builder().CreateUnaryIntrinsic(Intrinsic::ctpop,
                                                 promoter.getZeroExtended(call.getArgOperand(0)));
}

/// Subtracts the bits that the extension adds. The result for 0 is the narrow width.
static Value *leadingZeros(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  Value *x = promoter.getZeroExtended(call.getArgOperand(0));
  return b.CreateSub(b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, b.getFalse()),
                     number(x, bitsOf(x) - bitsOf(&call)));
}

/// With the bit above set there is an end to the zeros.
static Value *trailingZeros(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  Value *x = promoter.get(call.getArgOperand(0));
  return b.CreateBinaryIntrinsic(
      Intrinsic::cttz, b.CreateOr(x, number(x, uint64_t(1) << bitsOf(&call))), b.getFalse());
}

/// Reverses the wide value; the narrow one is then at the top, and is shifted down.
template <Intrinsic::ID Id> static Value *reverse(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  Value *x = promoter.get(call.getArgOperand(0));
  return b.CreateLShr(b.CreateUnaryIntrinsic(Id, x), bitsOf(x) - bitsOf(&call));
}

/// Both operands fit into one dword.
template <bool IsLeft> static Value *funnel(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  unsigned bits = bitsOf(&call);
  if (bits > 16 || (bits & (bits - 1)))
    return nullptr;
  Value *high = promoter.get(call.getArgOperand(0));
  Value *both =
      b.CreateOr(b.CreateShl(high, bits), promoter.getZeroExtended(call.getArgOperand(1)));
  Value *amount = promoter.get(call.getArgOperand(2));
  amount = b.CreateAnd(amount, number(amount, bits - 1));
  return IsLeft ? b.CreateLShr(b.CreateShl(both, amount), bits) : b.CreateLShr(both, amount);
}

/// The sum cannot wrap in the wide type, and is limited to the largest narrow number.
static Value *addSaturated(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  Value *sum = b.CreateAdd(promoter.getZeroExtended(call.getArgOperand(0)),
                           promoter.getZeroExtended(call.getArgOperand(1)));
  return b.CreateBinaryIntrinsic(Intrinsic::umin, sum,
                                 number(sum, (uint64_t(1) << bitsOf(&call)) - 1));
}

/// The result cannot overflow in the wide type, and is limited to the narrow range from both sides.
template <bool IsAdd> static Value *saturateSigned(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  Value *x = promoter.getSignExtended(call.getArgOperand(0));
  Value *y = promoter.getSignExtended(call.getArgOperand(1));
  Value *result = IsAdd ? b.CreateAdd(x, y) : b.CreateSub(x, y);
  int64_t largest = (int64_t(1) << (bitsOf(&call) - 1)) - 1;
  result = b.CreateBinaryIntrinsic(Intrinsic::smin, result,
                                   ConstantInt::getSigned(result->getType(), largest));
  return b.CreateBinaryIntrinsic(Intrinsic::smax, result,
                                 ConstantInt::getSigned(result->getType(), -largest - 1));
}

/// Returns -1, 0 or 1 in the promoted result type: (x > y) - (x < y) of the extended operands.
template <bool IsSigned> static Value *compareThreeWays(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  auto operand = [&](unsigned i) {
    Value *value = call.getArgOperand(i);
    return IsSigned ? promoter.getSignExtended(value) : promoter.getZeroExtended(value);
  };
  Value *x = operand(0), *y = operand(1);
  Type *type = promotedType(call.getType());
  Value *isGreater = IsSigned ? b.CreateICmpSGT(x, y) : b.CreateICmpUGT(x, y);
  Value *isLess = IsSigned ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y);
  return b.CreateSub(b.CreateZExt(isGreater, type), b.CreateZExt(isLess, type));
}

/// frexp of the f32, which is exact for each half. Null where the exponent itself has a narrow
/// type.
static Value *splitExponent(Promoter &promoter, CallInst &call) {
  Value *x = promoter.get(call.getArgOperand(0));
  Type *exponent = cast<StructType>(call.getType())->getElementType(1);
  if (isNarrow(exponent))
    return nullptr;
  return promoter.builder().CreateIntrinsic(Intrinsic::frexp, {x->getType(), exponent}, {x});
}

/// ldexp of the f32 with a sign-extended exponent, rounded to half once.
static Value *scale(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  Value *x = promoter.get(call.getArgOperand(0));
  Value *power = promoter.getSignExtended(call.getArgOperand(1));
  Value *result = b.CreateIntrinsic(Intrinsic::ldexp, {x->getType(), power->getType()}, {x, power});
  return roundToHalf(b, result);
}

/// The intrinsics that promoteCall() knows.
static constexpr Row rows[] = {
    {Intrinsic::expect, keep},
    {Intrinsic::arithmetic_fence, keep},
    {Intrinsic::umin, byZeros<Intrinsic::umin>},
    {Intrinsic::umax, byZeros<Intrinsic::umax>},
    {Intrinsic::usub_sat, byZeros<Intrinsic::usub_sat>},
    {Intrinsic::smin, bySigns<Intrinsic::smin>},
    {Intrinsic::smax, bySigns<Intrinsic::smax>},
    {Intrinsic::abs, absolute},
    {Intrinsic::ctpop, countOnes},
    {Intrinsic::ctlz, leadingZeros},
    {Intrinsic::cttz, trailingZeros},
    {Intrinsic::bitreverse, reverse<Intrinsic::bitreverse>},
    {Intrinsic::bswap, reverse<Intrinsic::bswap>},
    {Intrinsic::fshl, funnel<true>},
    {Intrinsic::fshr, funnel<false>},
    {Intrinsic::uadd_sat, addSaturated},
    {Intrinsic::sadd_sat, saturateSigned<true>},
    {Intrinsic::ssub_sat, saturateSigned<false>},
    {Intrinsic::scmp, compareThreeWays<true>},
    {Intrinsic::ucmp, compareThreeWays<false>},
    {Intrinsic::fabs, real<Intrinsic::fabs, true>},
    {Intrinsic::copysign, real<Intrinsic::copysign, true>},
    {Intrinsic::canonicalize, real<Intrinsic::canonicalize, true>},
    {Intrinsic::floor, real<Intrinsic::floor, true>},
    {Intrinsic::ceil, real<Intrinsic::ceil, true>},
    {Intrinsic::trunc, real<Intrinsic::trunc, true>},
    {Intrinsic::rint, real<Intrinsic::rint, true>},
    {Intrinsic::nearbyint, real<Intrinsic::nearbyint, true>},
    {Intrinsic::roundeven, real<Intrinsic::roundeven, true>},
    {Intrinsic::minnum, real<Intrinsic::minnum, true>},
    {Intrinsic::maxnum, real<Intrinsic::maxnum, true>},
    {Intrinsic::minimumnum, real<Intrinsic::minimumnum, true>},
    {Intrinsic::maximumnum, real<Intrinsic::maximumnum, true>},
    {Intrinsic::sqrt, real<Intrinsic::sqrt>},
    {Intrinsic::fma, real<Intrinsic::fma>},
    {Intrinsic::fmuladd, real<Intrinsic::fmuladd>},
    {Intrinsic::sin, real<Intrinsic::sin>},
    {Intrinsic::cos, real<Intrinsic::cos>},
    {Intrinsic::exp2, real<Intrinsic::exp2>},
    {Intrinsic::log2, real<Intrinsic::log2>},
    {Intrinsic::frexp, splitExponent},
    {Intrinsic::ldexp, scale},
};

/// The half next to f32 \p x toward zero.
static Value *truncateToHalf(IRBuilder<> &b, Value *x) {
  constexpr uint32_t below = (1U << 13) - 1; // 23 bits of significand against 10.
  auto real = [&](double value) { return ConstantFP::get(x->getType(), value); };
  Type *integer = x->getType()->getWithNewType(b.getInt32Ty());
  Value *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value *bits = b.CreateBitCast(x, integer);
  Value *cut = b.CreateBitCast(b.CreateAnd(bits, ~uint64_t(below)), x->getType());
  Value *inSteps = b.CreateFMul(
      b.CreateUnaryIntrinsic(Intrinsic::trunc, b.CreateFMul(x, real(0x1p24))), real(0x1p-24));
  Value *result = b.CreateSelect(b.CreateFCmpOLT(magnitude, real(0x1p-14)), inSteps, cut);
  Value *largest = b.CreateBinaryIntrinsic(Intrinsic::copysign, real(65504), x);
  Value *isLarge = b.CreateAnd(b.CreateFCmpOGE(magnitude, real(65536)),
                               b.CreateFCmpONE(magnitude, ConstantFP::getInfinity(x->getType())));
  result = b.CreateSelect(isLarge, largest, result);
  // A NaN must stay one.
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, result);
}

/// The promoted result of an LGC op on halves, computed in f32 and rounded; null for ops that are
/// not known. FPTruncOp is known for sources of f32 only.
static Value *promoteOp(Promoter &promoter, CallInst &call) {
  IRBuilder<> &b = promoter.builder();
  if (auto *op = dyn_cast<FDivOp>(&call))
    return roundToHalf(
        b, FDivOp::create(b, promoter.get(op->getDividend()), promoter.get(op->getDivisor())));
  if (auto *op = dyn_cast<InverseSqrtOp>(&call))
    return roundToHalf(b, InverseSqrtOp::create(b, promoter.get(op->getX())));
  if (auto *op = dyn_cast<FractOp>(&call)) {
    // Below 1 also as a half.
    Value *fraction = FractOp::create(b, promoter.get(op->getX()));
    Value *below = ConstantFP::get(fraction->getType(), 1 - 0x1p-11);
    return roundToHalf(b, b.CreateMinNum(fraction, below));
  }
  if (auto *op = dyn_cast<FPTruncOp>(&call);
      op && op->getX()->getType()->getScalarType()->isFloatTy())
    return op->getTowardZero() ? truncateToHalf(b, op->getX()) : roundToHalf(b, op->getX());
  return nullptr;
}

/// Intrinsics have rows; other calls are taken for ops of the dialect.
Value *ir3::promoteCall(Promoter &promoter, CallInst &call) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return promoteOp(promoter, call);
  const auto *row =
      find_if(rows, [&](const Row &each) { return each.intrinsic == intrinsic->getIntrinsicID(); });
  return row == std::end(rows) ? nullptr : row->promote(promoter, call);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/ExpandOps.h"

#include "compiler/dialect/Lgc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace assay;

namespace {
using Builder = IRBuilder<>;

/// Null where the type is none that it expands.
using Expansion = Value *(*)(Builder & b, CallInst &call);

/// An intrinsic, and the function that expands its calls.
struct Row {
  Intrinsic::ID intrinsic; ///< Of any width: the function checks.
  Expansion expand;
};
} // namespace

/// Bits of the type of \p value, or of an element of it.
static unsigned widthOf(const Value *value) {
  return value->getType()->getScalarSizeInBits();
}

/// The integer \p bits as a constant of the type of \p like: a splat if that is a vector.
static Value *number(const Value *like, uint64_t bits) {
  return ConstantInt::get(like->getType(), bits);
}

/// The bits of the float \p x as an integer of the same width, or as a vector of integers.
static Value *asInteger(Builder &b, Value *x) {
  return b.CreateBitCast(x, x->getType()->getWithNewType(b.getIntNTy(widthOf(x))));
}

/// Bits 0 to 31 of the i64 \p x as i32; of each element if it is a vector.
static Value *lowHalf(Builder &b, Value *x) {
  return b.CreateTrunc(x, x->getType()->getWithNewType(b.getInt32Ty()));
}
/// Bits 32 to 63 of the i64 \p x as i32.
static Value *highHalf(Builder &b, Value *x) {
  return lowHalf(b, b.CreateLShr(x, 32));
}
/// The i64 whose halves are the i32 values \p low and \p high; the reverse of lowHalf() and
/// highHalf().
static Value *join(Builder &b, Value *low, Value *high) {
  Type *type = low->getType()->getWithNewType(b.getInt64Ty());
  return b.CreateOr(b.CreateZExt(low, type), b.CreateShl(b.CreateZExt(high, type), 32));
}

/// The operand itself.
static Value *keep(Builder &, CallInst &call) {
  return call.getArgOperand(0);
}

/// x * 1, which flushes what any other arithmetic would.
static Value *canonicalize(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0);
  return x->getType()->getScalarType()->isFloatTy()
             ? b.CreateFMul(x, ConstantFP::get(x->getType(), 1))
             : nullptr;
}

/// The magnitude of the first operand with the sign bit of the second, by integer operations: NaN
/// and denormals keep their bits.
static Value *copySign(Builder &b, CallInst &call) {
  Value *x = asInteger(b, call.getArgOperand(0)), *y = asInteger(b, call.getArgOperand(1));
  uint64_t sign = uint64_t(1) << (widthOf(x) - 1);
  return b.CreateBitCast(
      b.CreateOr(b.CreateAnd(x, number(x, sign - 1)), b.CreateAnd(y, number(y, sign))),
      call.getType());
}

/// Returns -1, 0 or 1 in the result type of the call: (x > y) - (x < y).
template <CmpInst::Predicate Less, CmpInst::Predicate Greater>
static Value *compareThreeWays(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  return b.CreateSub(b.CreateZExt(b.CreateICmp(Greater, x, y), call.getType()),
                     b.CreateZExt(b.CreateICmp(Less, x, y), call.getType()));
}

/// Unsigned x - y, or 0 where that is negative.
static Value *subtractSaturated(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  return b.CreateSelect(b.CreateICmpUGT(x, y), b.CreateSub(x, y), number(x, 0));
}

/// Unsigned x + y, or all ones where the sum wraps, which shows as a sum below x.
static Value *addSaturated(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0), *sum = b.CreateAdd(x, call.getArgOperand(1));
  return b.CreateSelect(b.CreateICmpULT(sum, x), Constant::getAllOnesValue(x->getType()), sum);
}

/// Overflow is where the sign of the result is that of neither operand (of x and ~y to subtract).
template <bool IsAdd> static Value *saturateSigned(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  Value *result = IsAdd ? b.CreateAdd(x, y) : b.CreateSub(x, y);
  Value *other = IsAdd ? y : b.CreateNot(y);
  Value *overflow = b.CreateAnd(b.CreateXor(result, x), b.CreateXor(result, other));
  uint64_t largest = (uint64_t(1) << (widthOf(x) - 1)) - 1;
  Value *bound = b.CreateXor(b.CreateAShr(x, widthOf(x) - 1), number(x, largest));
  return b.CreateSelect(b.CreateICmpSLT(overflow, number(x, 0)), bound, result);
}

/// The sum of the counts of both halves. Null unless the operand has 64 bits.
static Value *countOnes(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0);
  if (widthOf(x) != 64)
    return nullptr;
  Value *count = b.CreateAdd(b.CreateUnaryIntrinsic(Intrinsic::ctpop, lowHalf(b, x)),
                             b.CreateUnaryIntrinsic(Intrinsic::ctpop, highHalf(b, x)));
  return b.CreateZExt(count, x->getType());
}

/// In the half where counting begins, and only where that is 0 in the other.
template <Intrinsic::ID Count> static Value *countZeros(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0);
  if (widthOf(x) != 64)
    return nullptr;
  Value *first = lowHalf(b, x), *second = highHalf(b, x);
  if (Count == Intrinsic::ctlz)
    std::swap(first, second);
  Value *isZero = b.CreateICmpEQ(first, number(first, 0));
  Value *inFirst = b.CreateBinaryIntrinsic(Count, first, b.getFalse());
  Value *inSecond = b.CreateBinaryIntrinsic(Count, second, b.getFalse());
  return b.CreateZExt(b.CreateSelect(isZero, b.CreateAdd(inSecond, number(first, 32)), inFirst),
                      x->getType());
}

/// Reverses the bits or bytes of an i64: each half is reversed, and the two are exchanged. Null for
/// other widths.
template <Intrinsic::ID Reverse> static Value *reverse(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0);
  if (widthOf(x) != 64)
    return nullptr;
  return join(b, b.CreateUnaryIntrinsic(Reverse, highHalf(b, x)),
              b.CreateUnaryIntrinsic(Reverse, lowHalf(b, x)));
}

/// Minimum or maximum of two i64 by a compare and a select: x where \p Predicate holds for (x, y).
/// Null for other widths.
template <CmpInst::Predicate Predicate> static Value *choose(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  return widthOf(x) == 64 ? b.CreateSelect(b.CreateICmp(Predicate, x, y), x, y) : nullptr;
}

/// The magnitude of an i64; the smallest number stays as it is. Null for other widths.
static Value *absolute(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0);
  if (widthOf(x) != 64)
    return nullptr;
  return b.CreateSelect(b.CreateICmpSLT(x, number(x, 0)), b.CreateNeg(x), x);
}

/// The amount modulo 64; one of 0 leaves an operand as it is.
template <bool IsLeft> static Value *funnel(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  if (widthOf(x) != 64)
    return nullptr;
  Value *amount = b.CreateAnd(call.getArgOperand(2), number(x, 63));
  Value *back = b.CreateSub(number(x, 63), amount);
  if (IsLeft)
    return b.CreateOr(b.CreateShl(x, amount), b.CreateLShr(b.CreateLShr(y, 1), back));
  return b.CreateOr(b.CreateShl(b.CreateShl(x, 1), back), b.CreateLShr(y, amount));
}

/// {significand, exponent}; what is no finite number other than 0 (a denormal counts as 0) is its
/// own significand.
static Value *splitExponent(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0);
  if (!x->getType()->isFloatTy())
    return nullptr;
  constexpr uint32_t exponentMask = 0x7f800000, half = 0x3f000000;
  Value *bits = asInteger(b, x);
  Value *exponent = b.CreateAnd(bits, exponentMask);
  Value *isSpecial = b.CreateOr(b.CreateICmpEQ(exponent, number(bits, 0)),
                                b.CreateICmpEQ(exponent, number(bits, exponentMask)));
  Value *significand =
      b.CreateBitCast(b.CreateOr(b.CreateAnd(bits, ~uint64_t(exponentMask)), half), x->getType());
  Value *power = b.CreateSub(b.CreateLShr(exponent, 23), number(bits, 126));
  Value *result = PoisonValue::get(call.getType());
  result = b.CreateInsertValue(result, b.CreateSelect(isSpecial, x, significand), 0);
  return b.CreateInsertValue(result, b.CreateSelect(isSpecial, number(bits, 0), power), 1);
}

/// x * 2^e in three steps, none of which overflows before the result does.
static Value *scale(Builder &b, CallInst &call) {
  Value *x = call.getArgOperand(0), *power = call.getArgOperand(1);
  if (!x->getType()->getScalarType()->isFloatTy() || widthOf(power) != 32)
    return nullptr;
  for (unsigned step = 0; step < 3; ++step) {
    Value *part = b.CreateBinaryIntrinsic(Intrinsic::smin, power, number(power, 127));
    part = b.CreateBinaryIntrinsic(Intrinsic::smax, part,
                                   ConstantInt::getSigned(power->getType(), -126));
    Value *factor = b.CreateShl(b.CreateAdd(part, number(part, 127)), 23);
    x = b.CreateFMul(x, b.CreateBitCast(factor, x->getType()));
    power = b.CreateSub(power, part);
  }
  return x;
}

/// The elements of a vector of integers, one after another.
template <Instruction::BinaryOps Operation> static Value *reduce(Builder &b, CallInst &call) {
  Value *vector = call.getArgOperand(0);
  Value *result = b.CreateExtractElement(vector, uint64_t(0));
  unsigned count = cast<FixedVectorType>(vector->getType())->getNumElements();
  for (unsigned i = 1; i < count; ++i)
    result = b.CreateBinOp(Operation, result, b.CreateExtractElement(vector, uint64_t(i)));
  return result;
}

/// What expand() replaces of intrinsics. A row whose function returns null leaves the call to
/// selection.
static constexpr Row rows[] = {
    {Intrinsic::vector_reduce_and, reduce<Instruction::And>},
    {Intrinsic::vector_reduce_or, reduce<Instruction::Or>},
    {Intrinsic::vector_reduce_xor, reduce<Instruction::Xor>},
    {Intrinsic::vector_reduce_add, reduce<Instruction::Add>},
    {Intrinsic::expect, keep},
    {Intrinsic::arithmetic_fence, keep},
    {Intrinsic::canonicalize, canonicalize},
    {Intrinsic::copysign, copySign},
    {Intrinsic::scmp, compareThreeWays<CmpInst::ICMP_SLT, CmpInst::ICMP_SGT>},
    {Intrinsic::ucmp, compareThreeWays<CmpInst::ICMP_ULT, CmpInst::ICMP_UGT>},
    {Intrinsic::usub_sat, subtractSaturated},
    {Intrinsic::uadd_sat, addSaturated},
    {Intrinsic::sadd_sat, saturateSigned<true>},
    {Intrinsic::ssub_sat, saturateSigned<false>},
    {Intrinsic::ctpop, countOnes},
    {Intrinsic::ctlz, countZeros<Intrinsic::ctlz>},
    {Intrinsic::cttz, countZeros<Intrinsic::cttz>},
    {Intrinsic::bitreverse, reverse<Intrinsic::bitreverse>},
    {Intrinsic::bswap, reverse<Intrinsic::bswap>},
    {Intrinsic::umin, choose<CmpInst::ICMP_ULT>},
    {Intrinsic::umax, choose<CmpInst::ICMP_UGT>},
    {Intrinsic::smin, choose<CmpInst::ICMP_SLT>},
    {Intrinsic::smax, choose<CmpInst::ICMP_SGT>},
    {Intrinsic::abs, absolute},
    {Intrinsic::fshl, funnel<true>},
    {Intrinsic::fshr, funnel<false>},
    {Intrinsic::frexp, splitExponent},
    {Intrinsic::ldexp, scale},
};

/// Up to the top, then down again. A count of 0 would keep the whole word.
static Value *extractField(Builder &b, ExtractBitFieldOp &op) {
  Value *x = op.getBase();
  Type *type = x->getType();
  auto spread = [&](Value *scalar) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    return vector ? b.CreateVectorSplat(vector->getNumElements(), scalar) : scalar;
  };
  Value *offset = spread(b.CreateAnd(op.getOffset(), b.getInt32(31)));
  Value *spare = spread(b.CreateAnd(b.CreateNeg(op.getCount()), b.getInt32(31)));
  Value *top = b.CreateShl(b.CreateLShr(x, offset), spare);
  Value *field = op.getIsSigned() ? b.CreateAShr(top, spare) : b.CreateLShr(top, spare);
  return b.CreateSelect(b.CreateICmpEQ(op.getCount(), b.getInt32(0)), Constant::getNullValue(type),
                        field);
}

/// An unsigned i64 as f32: the 32 highest bits, the last of which says whether there are more, then
/// scaled.
static Value *roundToFloat(Builder &b, Value *x, Type *type) {
  Value *zeros = b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, b.getFalse());
  Value *top = b.CreateShl(x, b.CreateAnd(zeros, number(x, 63)));
  Value *low = lowHalf(b, top), *high = highHalf(b, top);
  Value *hasMore = b.CreateICmpNE(low, number(low, 0));
  Value *word = b.CreateOr(high, b.CreateZExt(hasMore, high->getType()));
  Value *exponent = b.CreateSub(number(low, 127 + 32), lowHalf(b, zeros));
  Value *factor = b.CreateBitCast(b.CreateShl(exponent, 23), type);
  return b.CreateFMul(b.CreateUIToFP(word, type), factor);
}

/// f32 from 0 on as i64, toward zero.
static Value *truncateToWide(Builder &b, Value *x) {
  Type *word = x->getType()->getWithNewType(b.getInt32Ty());
  Value *high = b.CreateFPToUI(b.CreateFMul(x, ConstantFP::get(x->getType(), 0x1p-32)), word);
  Value *above =
      b.CreateFMul(b.CreateUIToFP(high, x->getType()), ConstantFP::get(x->getType(), 0x1p32));
  return join(b, b.CreateFPToUI(b.CreateFSub(x, above), word), high);
}

/// Between f32 and i64. Null for any other conversion.
static Value *convertWide(Builder &b, CastInst &cast) {
  Value *x = cast.getOperand(0);
  bool fromWide = x->getType()->getScalarType()->isIntegerTy(64) &&
                  cast.getType()->getScalarType()->isFloatTy();
  bool toWide = cast.getType()->getScalarType()->isIntegerTy(64) &&
                x->getType()->getScalarType()->isFloatTy();
  if (fromWide && cast.getOpcode() == Instruction::UIToFP)
    return roundToFloat(b, x, cast.getType());
  if (fromWide && cast.getOpcode() == Instruction::SIToFP) {
    Value *isNegative = b.CreateICmpSLT(x, number(x, 0));
    Value *magnitude =
        roundToFloat(b, b.CreateSelect(isNegative, b.CreateNeg(x), x), cast.getType());
    return b.CreateSelect(isNegative, b.CreateFNeg(magnitude), magnitude);
  }
  if (toWide && cast.getOpcode() == Instruction::FPToUI)
    return truncateToWide(b, x);
  if (toWide && cast.getOpcode() == Instruction::FPToSI) {
    Value *magnitude = truncateToWide(b, b.CreateUnaryIntrinsic(Intrinsic::fabs, x));
    Value *isNegative = b.CreateFCmpOLT(x, Constant::getNullValue(x->getType()));
    return b.CreateSelect(isNegative, b.CreateNeg(magnitude), magnitude);
  }
  return nullptr;
}

/// Returns the value that replaces \p inst, built in front of it, or null where \p inst stays.
static Value *expand(Instruction &inst) {
  Builder b(&inst);
  if (auto *cast = dyn_cast<CastInst>(&inst))
    return convertWide(b, *cast);
  if (auto *field = dyn_cast<ExtractBitFieldOp>(&inst))
    return extractField(b, *field);
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  if (!call)
    return nullptr;
  const auto *row =
      find_if(rows, [&](const Row &each) { return each.intrinsic == call->getIntrinsicID(); });
  return row == std::end(rows) ? nullptr : row->expand(b, *call);
}

/// Of floats, and of integers of 64 bits, there is only the exchange.
static bool hasExchangeAlone(const AtomicRMWInst &atomic) {
  return (atomic.isFloatingPointOperation() && atomic.getType()->isFloatTy()) ||
         (atomic.getType()->isIntegerTy(64) && atomic.getOperation() != AtomicRMWInst::Xchg);
}

/// Replaces the atomics of hasExchangeAlone() by loops around a compare-exchange of integers of the
/// same width. Returns whether there were any. They are collected first, because the loops split
/// blocks.
static bool expandAtomics(Function &function) {
  SmallVector<AtomicRMWInst *, 4> atomics;
  for (Instruction &inst : instructions(function))
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst); atomic && hasExchangeAlone(*atomic))
      atomics.push_back(atomic);
  for (AtomicRMWInst *atomic : atomics)
    expandAtomicRMWToCmpXchg(atomic, [](IRBuilderBase &b, Value *address, Value *expected,
                                        Value *desired, Align alignment, AtomicOrdering ordering,
                                        SyncScope::ID scope, Value *&success, Value *&loaded,
                                        Instruction *) {
      Type *type = desired->getType();
      Type *bits = b.getIntNTy(type->getPrimitiveSizeInBits());
      Value *pair = b.CreateAtomicCmpXchg(
          address, b.CreateBitCast(expected, bits), b.CreateBitCast(desired, bits), alignment,
          ordering, AtomicCmpXchgInst::getStrongestFailureOrdering(ordering), scope);
      success = b.CreateExtractValue(pair, 1);
      loaded = b.CreateBitCast(b.CreateExtractValue(pair, 0), type);
    });
  return !atomics.empty();
}

/// Processes all instructions, and those that an expansion makes, until none is expanded. Atomics
/// come first: their loops contain operations that are expanded, too.
PreservedAnalyses ir3::ExpandOps::run(Function &function, FunctionAnalysisManager &) {
  bool hasChanged = expandAtomics(function);
  SmallVector<Instruction *, 64> work;
  for (Instruction &inst : instructions(function))
    work.push_back(&inst);
  // Expansions may use further intrinsics of 64 bits.
  while (!work.empty()) {
    Instruction *inst = work.pop_back_val();
    BasicBlock *block = inst->getParent();
    bool isFirst = inst == &block->front();
    Instruction *previous = isFirst ? nullptr : inst->getPrevNode();
    Value *value = expand(*inst);
    if (!value)
      continue;
    for (Instruction *made = previous ? previous->getNextNode() : &block->front(); made != inst;
         made = made->getNextNode())
      work.push_back(made);
    inst->replaceAllUsesWith(value);
    inst->eraseFromParent();
    hasChanged = true;
  }
  return hasChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ExpandDivision.h"

#include "compiler/dialect/Lgc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/DivisionByConstantInfo.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

using namespace llvm;
using namespace assay;

/// Calls \p make with each component of \p x and \p y; their results are the components of the
/// result.
static Value *byComponents(IRBuilder<> &builder, Value *x, Value *y,
                           function_ref<Value *(Value *, Value *)> make) {
  auto *vector = dyn_cast<FixedVectorType>(x->getType());
  if (!vector)
    return make(x, y);
  Value *result = PoisonValue::get(vector);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    Value *component = make(builder.CreateExtractElement(x, i), builder.CreateExtractElement(y, i));
    result = builder.CreateInsertElement(result, component, i);
  }
  return result;
}

/// The remainder has the sign of the dividend; that of smod has the divisor's.
static Value *makeSmod(IRBuilder<> &builder, Value *x, Value *y) {
  Value *remainder = builder.CreateSRem(x, y);
  Value *isZero = builder.CreateICmpEQ(remainder, ConstantInt::get(x->getType(), 0));
  Value *differs =
      builder.CreateICmpSLT(builder.CreateXor(remainder, y), ConstantInt::get(x->getType(), 0));
  Value *moved = builder.CreateAdd(remainder, y);
  return builder.CreateSelect(builder.CreateAnd(differs, builder.CreateNot(isZero)), moved,
                              remainder);
}

/// Whether \p inst is a quotient of integers, signed or not.
static bool isDivision(const BinaryOperator &inst) {
  return inst.getOpcode() == Instruction::UDiv || inst.getOpcode() == Instruction::SDiv;
}
/// Whether \p inst is a remainder of integers, signed or not.
static bool isRemainder(const BinaryOperator &inst) {
  return inst.getOpcode() == Instruction::URem || inst.getOpcode() == Instruction::SRem;
}

/// Divisions of \p function, each of a scalar from now on.
static SmallVector<BinaryOperator *, 8> collectDivisions(Function &function) {
  SmallVector<Instruction *, 8> work;
  for (Instruction &inst : instructions(function)) {
    auto *binary = dyn_cast<BinaryOperator>(&inst);
    if (isa<SModOp>(inst) || (binary && (isDivision(*binary) || isRemainder(*binary))))
      work.push_back(&inst);
  }
  SmallVector<BinaryOperator *, 8> divisions;
  for (Instruction *inst : work) {
    IRBuilder<> builder(inst);
    if (auto *modulo = dyn_cast<SModOp>(inst)) {
      Value *result =
          byComponents(builder, modulo->getX(), modulo->getY(), [&](Value *x, Value *y) {
            Value *made = makeSmod(builder, x, y);
            return made;
          });
      inst->replaceAllUsesWith(result);
      inst->eraseFromParent();
      continue;
    }
    if (!inst->getType()->isVectorTy())
      continue;
    auto opcode = static_cast<Instruction::BinaryOps>(inst->getOpcode());
    inst->replaceAllUsesWith(
        byComponents(builder, inst->getOperand(0), inst->getOperand(1),
                     [&](Value *x, Value *y) { return builder.CreateBinOp(opcode, x, y); }));
    inst->eraseFromParent();
  }
  for (Instruction &inst : instructions(function))
    if (auto *binary = dyn_cast<BinaryOperator>(&inst);
        binary && (isDivision(*binary) || isRemainder(*binary)))
      divisions.push_back(binary);
  return divisions;
}

namespace {

/// Makes quotients of 32 bits.
class Divider {
public:
  explicit Divider(IRBuilder<> &builder) : m_builder(builder) {}

  /// The quotient of two i32, rounded toward zero. Any value for a divisor of 0. Operands must not
  /// be undefined: they are read several times.
  Value *divide(Value *x, Value *y, bool isSigned);

private:
  /// Unsigned, by a constant other than 0.
  Value *divideBy(Value *x, const APInt &divisor);
  /// Signed, by a constant other than 0: a product with LLVM's magic number, corrected by the
  /// dividend, and 1 added where the quotient is negative. 1, -1 and the smallest number have no
  /// magic number.
  Value *divideSignedBy(Value *x, const APInt &divisor);
  Value *divideUnsigned(Value *x, Value *y);
  /// The upper 32 bits of the product of 64 bits.
  Value *multiplyHigh(Value *x, Value *y, bool isSigned);
  /// An i32 constant.
  Value *number(uint32_t value) { return m_builder.getInt32(value); }

  IRBuilder<> &m_builder;
};

} // namespace

Value *Divider::multiplyHigh(Value *x, Value *y, bool isSigned) {
  IRBuilder<> &b = m_builder;
  auto widen = [&](Value *value) {
    return isSigned ? b.CreateSExt(value, b.getInt64Ty()) : b.CreateZExt(value, b.getInt64Ty());
  };
  constexpr unsigned half = 32;
  return b.CreateTrunc(b.CreateLShr(b.CreateMul(widen(x), widen(y)), half), b.getInt32Ty());
}

/// Hacker's Delight, chapter 10: by a product and shifts.
Value *Divider::divideBy(Value *x, const APInt &divisor) {
  IRBuilder<> &b = m_builder;
  if (divisor.isPowerOf2())
    return b.CreateLShr(x, divisor.logBase2());
  if (divisor.isNegative()) // Above half of all numbers: the quotient is 0 or 1.
    return b.CreateZExt(b.CreateICmpUGE(x, b.getInt(divisor)), b.getInt32Ty());
  UnsignedDivisionByConstantInfo magic = UnsignedDivisionByConstantInfo::get(divisor);
  Value *quotient =
      multiplyHigh(b.CreateLShr(x, magic.PreShift), b.getInt(magic.Magic), /*isSigned=*/false);
  if (magic.IsAdd)
    quotient = b.CreateAdd(b.CreateLShr(b.CreateSub(x, quotient), 1), quotient);
  return b.CreateLShr(quotient, magic.PostShift);
}

Value *Divider::divideSignedBy(Value *x, const APInt &divisor) {
  IRBuilder<> &b = m_builder;
  if (divisor.isOne())
    return x;
  if (divisor.isAllOnes())
    return b.CreateNeg(x);
  if (divisor.isMinSignedValue())
    return b.CreateZExt(b.CreateICmpEQ(x, b.getInt(divisor)), b.getInt32Ty());
  SignedDivisionByConstantInfo magic = SignedDivisionByConstantInfo::get(divisor);
  Value *quotient = multiplyHigh(x, b.getInt(magic.Magic), /*isSigned=*/true);
  if (divisor.isStrictlyPositive() && magic.Magic.isNegative())
    quotient = b.CreateAdd(quotient, x);
  if (divisor.isNegative() && magic.Magic.isStrictlyPositive())
    quotient = b.CreateSub(quotient, x);
  quotient = b.CreateAShr(quotient, magic.ShiftAmount);
  constexpr unsigned sign = 31;
  return b.CreateAdd(quotient, b.CreateLShr(quotient, sign));
}

/// By the reciprocal: a float makes an estimate of 2^32 / y that is not above it, one step of
/// Newton's improves it, and the quotient by it is at most 2 too small (Rodeheffer, "Software
/// integer division", 2008; LLVM's AMDGPUCodeGenPrepare.cpp and Mesa's nir_lower_idiv.c do the
/// same).
Value *Divider::divideUnsigned(Value *x, Value *y) {
  IRBuilder<> &b = m_builder;
  constexpr float scale = 0x1.fffffcp31f; // So much below 2^32 that no rounding leads above.
  Value *real = b.CreateUIToFP(y, b.getFloatTy());
  Value *inverse =
      b.CreateFPToUI(b.CreateFDiv(ConstantFP::get(b.getFloatTy(), scale), real), b.getInt32Ty());
  Value *missing = b.CreateMul(b.CreateNeg(y), inverse);
  inverse = b.CreateAdd(inverse, multiplyHigh(inverse, missing, /*isSigned=*/false));
  Value *quotient = multiplyHigh(x, inverse, /*isSigned=*/false);
  Value *rest = b.CreateSub(x, b.CreateMul(quotient, y));
  for (unsigned step = 0; step < 2; ++step) {
    Value *isMore = b.CreateICmpUGE(rest, y);
    quotient = b.CreateSelect(isMore, b.CreateAdd(quotient, number(1)), quotient);
    if (step == 0)
      rest = b.CreateSelect(isMore, b.CreateSub(rest, y), rest);
  }
  return quotient;
}

/// A signed division by a variable divides the magnitudes, then negates the quotient where the
/// signs differ.
Value *Divider::divide(Value *x, Value *y, bool isSigned) {
  IRBuilder<> &b = m_builder;
  if (const auto *divisor = dyn_cast<ConstantInt>(y); divisor && !divisor->isZero())
    return isSigned ? divideSignedBy(x, divisor->getValue()) : divideBy(x, divisor->getValue());
  if (!isSigned)
    return divideUnsigned(x, y);
  constexpr unsigned signBit = 31;
  Value *signX = b.CreateAShr(x, signBit), *signY = b.CreateAShr(y, signBit);
  Value *quotient = divideUnsigned(b.CreateSub(b.CreateXor(x, signX), signX),
                                   b.CreateSub(b.CreateXor(y, signY), signY));
  Value *sign = b.CreateXor(signX, signY);
  return b.CreateSub(b.CreateXor(quotient, sign), sign);
}

/// Replaces a division or remainder of i32. A remainder is x - x / y * y.
static void expandNarrow(BinaryOperator &inst) {
  IRBuilder<> builder(&inst);
  // Each operand is read several times, and must be the same each time.
  auto freeze = [&](Value *value) {
    return isa<Constant>(value) ? value : builder.CreateFreeze(value);
  };
  Value *x = freeze(inst.getOperand(0)), *y = freeze(inst.getOperand(1));
  bool isSigned = inst.getOpcode() == Instruction::SDiv || inst.getOpcode() == Instruction::SRem;
  Value *result = Divider(builder).divide(x, y, isSigned);
  if (isRemainder(inst))
    result = builder.CreateSub(x, builder.CreateMul(result, y));
  inst.replaceAllUsesWith(result);
  inst.eraseFromParent();
}

/// Divisions other than those of i64 must be of i32: PromoteNarrow has widened the narrow ones.
PreservedAnalyses ir3::ExpandDivision::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<BinaryOperator *, 8> divisions = collectDivisions(function);
  for (BinaryOperator *inst : divisions) {
    if (!inst->getType()->isIntegerTy(64))
      expandNarrow(*inst);
    else if (isDivision(*inst))
      expandDivisionUpTo64Bits(inst);
    else
      expandRemainderUpTo64Bits(inst);
  }
  return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

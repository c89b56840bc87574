// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Correctly rounded operations in the shader's rounding mode. To nearest even they are LLVM's plain
// instructions. Toward zero, sums and products are constrained intrinsics, which LLVM neither folds
// nor moves as if the mode were another; each architecture sets the mode itself. Conversions of
// integers are made exact first, after which no mode matters; those between floats that no
// instruction of LLVM does in every mode are ops.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"

using namespace llvm;
using namespace assay;

/// The intrinsic that does the same in a rounding mode that is named; not_intrinsic for operations
/// whose precision leaves room for any.
static Intrinsic::ID findConstrained(Instruction::BinaryOps opcode) {
  switch (opcode) {
  case Instruction::FAdd:
    return Intrinsic::experimental_constrained_fadd;
  case Instruction::FSub:
    return Intrinsic::experimental_constrained_fsub;
  case Instruction::FMul:
    return Intrinsic::experimental_constrained_fmul;
  default:
    return Intrinsic::not_intrinsic;
  }
}

/// Float operations of a type that rounds toward zero become constrained intrinsics; all others are
/// those of LLVM.
Value *Builder::CreateBinOp(Instruction::BinaryOps opcode, Value *x, Value *y) {
  Intrinsic::ID constrained = findConstrained(opcode);
  if (constrained == Intrinsic::not_intrinsic || !m_floatMode.of(x->getType()).towardZero)
    return IRBuilder::CreateBinOp(opcode, x, y);
  return CreateConstrainedFPBinOp(constrained, x, y, {}, "", nullptr, RoundingMode::TowardZero,
                                  fp::ebIgnore);
}

/// A constrained intrinsic where the type rounds toward zero.
Value *Builder::createFma(Value *x, Value *y, Value *z) {
  Type *type = x->getType();
  if (!m_floatMode.of(type).towardZero)
    return CreateIntrinsic(Intrinsic::fma, {type}, {x, y, z});
  Function *function = Intrinsic::getOrInsertDeclaration(
      GetInsertBlock()->getModule(), Intrinsic::experimental_constrained_fma, {type});
  return CreateConstrainedFPCall(function, {x, y, z}, "", RoundingMode::TowardZero, fp::ebIgnore);
}

/// f64 \p x in f32, exact except for bits that no f16 has and that toward zero do not count. Finite
/// values stay finite.
static Value *dropDoubleBits(Builder &builder, Value *x) {
  Type *type = x->getType();
  Type *integer = type->getWithNewType(builder.getInt64Ty());
  constexpr uint64_t Dropped = (1u << 29) - 1; // 52 bits of significand against 23.
  Value *bits = builder.CreateAnd(builder.CreateBitCast(x, integer), ~Dropped);
  Value *cut = builder.CreateBitCast(bits, type);
  // All f16 are below 2^16; what is larger need only stay so.
  Constant *large = ConstantFP::get(type, 0x1p20);
  Value *magnitude = builder.CreateUnaryIntrinsic(Intrinsic::fabs, cut);
  Value *isLarge =
      builder.CreateAnd(builder.CreateFCmpOGT(magnitude, large),
                        builder.CreateFCmpONE(magnitude, ConstantFP::getInfinity(type)));
  Value *bounded = builder.CreateBinaryIntrinsic(Intrinsic::copysign, large, cut);
  return builder.CreateCast(Instruction::FPTrunc, builder.CreateSelect(isLarge, bounded, cut),
                            type->getWithNewType(builder.getFloatTy()));
}

/// Rounds once, also from f64, by the mode of the function or toward zero.
Value *Builder::createHalf(Value *x, bool towardZero) {
  Type *type = x->getType()->getWithNewType(getHalfTy());
  // What an f64 was made of is the same number.
  if (auto *wider = dyn_cast<FPExtInst>(x);
      wider && wider->getSrcTy()->getScalarType()->isFloatTy())
    x = wider->getOperand(0);
  bool isDouble = x->getType()->getScalarType()->isDoubleTy();
  if (!towardZero && !m_floatMode.others.towardZero)
    return CreateCast(Instruction::FPTrunc, x, type);
  // Of f64 it is made by LLVM's integer arithmetic, which no mode changes. The fence keeps LLVM
  // from making it of the f32 that the f64 may have been before.
  if (!towardZero && isDouble)
    return CreateCast(Instruction::FPTrunc, CreateArithmeticFence(x, x->getType()), type);
  if (isDouble)
    x = dropDoubleBits(*this, x);
  return FPTruncOp::create(*this, type, x, towardZero);
}

/// Constants are rounded here where the type rounds toward zero, because LLVM would round them to
/// nearest.
Value *Builder::CreateFPTrunc(Value *x, Type *type) {
  bool towardZero = m_floatMode.of(type).towardZero;
  if (auto *constant = dyn_cast<ConstantFP>(x); constant && towardZero) {
    APFloat value = constant->getValueAPF();
    bool losesInfo = false;
    value.convert(type->getFltSemantics(), RoundingMode::TowardZero, &losesInfo);
    return ConstantFP::get(type, value);
  }
  if (type->getScalarType()->isHalfTy())
    return createHalf(x, towardZero);
  if (!m_floatMode.roundsTowardZero())
    return CreateCast(Instruction::FPTrunc, x, type);
  return FPTruncOp::create(*this, type, x, towardZero);
}

/// Narrows, widens, or returns the value itself.
Value *Builder::CreateFPCast(Value *x, Type *type) {
  if (type->getScalarSizeInBits() < x->getType()->getScalarSizeInBits())
    return CreateFPTrunc(x, type);
  return x->getType() == type ? x : CreateFPExt(x, type);
}

/// \p integer without the bits below the \p type's precision, converted; the largest finite number
/// where it is beyond.
Value *Builder::createTowardZero(Value *integer, Type *type, bool isSigned) {
  Type *intType = integer->getType();
  unsigned width = intType->getScalarSizeInBits();
  const fltSemantics &semantics = type->getScalarType()->getFltSemantics();
  unsigned precision = APFloat::semanticsPrecision(semantics);
  Value *magnitude =
      isSigned ? CreateBinaryIntrinsic(Intrinsic::abs, integer, getFalse()) : integer;
  if (static_cast<unsigned>(APFloat::semanticsMaxExponent(semantics)) < width) {
    uint64_t exponent = APFloat::semanticsMaxExponent(semantics) + 1;
    Constant *largest = ConstantInt::get(intType, (uint64_t(1) << exponent) -
                                                      (uint64_t(1) << (exponent - precision)));
    magnitude = CreateBinaryIntrinsic(Intrinsic::umin, magnitude, largest);
  }
  Value *zeros = CreateBinaryIntrinsic(Intrinsic::ctlz, magnitude, getFalse());
  Value *excess = CreateBinaryIntrinsic(Intrinsic::usub_sat,
                                        ConstantInt::get(intType, width - precision), zeros);
  magnitude = CreateShl(CreateLShr(magnitude, excess), excess);
  Value *result = CreateCast(Instruction::UIToFP, magnitude, type);
  if (!isSigned)
    return result;
  return CreateSelect(CreateICmpSLT(integer, Constant::getNullValue(intType)), CreateFNeg(result),
                      result);
}

/// Returns whether \p type has enough significand bits for every number of \p integer.
static bool isExact(Type *integer, Type *type) {
  return integer->getScalarSizeInBits() <=
         APFloat::semanticsPrecision(type->getScalarType()->getFltSemantics());
}

/// Conversions that are exact for all integers of the type have no rounding to choose.
Value *Builder::CreateSIToFP(Value *x, Type *type) {
  if (!m_floatMode.of(type).towardZero || isExact(x->getType(), type))
    return CreateCast(Instruction::SIToFP, x, type);
  return createTowardZero(x, type, true);
}

Value *Builder::CreateUIToFP(Value *x, Type *type) {
  if (!m_floatMode.of(type).towardZero || isExact(x->getType(), type))
    return CreateCast(Instruction::UIToFP, x, type);
  return createTowardZero(x, type, false);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL.std.450: rounding, signs, minima and maxima, mixing, splitting into parts, bits.

#include "compiler/frontend/ExtInst.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Returns the LLVM intrinsic \p Id of the operand.
template <Intrinsic::ID Id> static Expected<Value *> unary(Translator &t, const Inst &, Args args) {
  return t.builder().CreateUnaryIntrinsic(Id, args[0]);
}

/// Returns the LLVM intrinsic \p Id of the two operands. minnum and maxnum return the number where
/// one operand is a NaN, which SPIR-V's FMin and FMax leave open.
template <Intrinsic::ID Id>
static Expected<Value *> binary(Translator &t, const Inst &, Args args) {
  return t.builder().CreateBinaryIntrinsic(Id, args[0], args[1]);
}

/// min(max(x, low), high) for the intrinsics given.
template <Intrinsic::ID Min, Intrinsic::ID Max>
static Expected<Value *> clamp(Translator &t, const Inst &, Args args) {
  Value *above = t.builder().CreateBinaryIntrinsic(Max, args[0], args[1]);
  return t.builder().CreateBinaryIntrinsic(Min, above, args[2]);
}

static Expected<Value *> fClamp(Translator &t, const Inst &, Args args) {
  return t.builder().createFClamp(args[0], args[1], args[2]);
}

/// Returns x - floor(x), which the Builder keeps below 1.
static Expected<Value *> fract(Translator &t, const Inst &, Args args) {
  return t.builder().createFract(args[0]);
}

/// The most negative number stays as it is: the "is poison" argument of llvm.abs is false.
static Expected<Value *> sAbs(Translator &t, const Inst &, Args args) {
  return t.builder().CreateBinaryIntrinsic(Intrinsic::abs, args[0], t.builder().getFalse());
}

/// Zero stays zero, of either sign; so does a denormal that comparisons take for one.
static Expected<Value *> fSign(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *x = args[0];
  Value *zero = floatLike(x, 0.0);
  Value *none = builder.CreateUnaryIntrinsic(Intrinsic::canonicalize, x);
  Value *notPositive =
      builder.CreateSelect(builder.CreateFCmpOLT(x, zero), floatLike(x, -1.0), none);
  return builder.CreateSelect(builder.CreateFCmpOGT(x, zero), floatLike(x, 1.0), notPositive);
}

/// Returns -1, 0 or 1, as the operand clamped to that range.
static Expected<Value *> sSign(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Type *type = args[0]->getType();
  Value *atMostOne = builder.CreateBinaryIntrinsic(Intrinsic::smin, args[0], intConstant(type, 1));
  return builder.CreateBinaryIntrinsic(Intrinsic::smax, atMostOne, Constant::getAllOnesValue(type));
}

/// Returns x * (1 - a) + y * a. With Fault::MixSwapped x and y are swapped.
static Expected<Value *> fMix(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *first = args[0], *second = args[1];
  if (faultPlanted(Fault::MixSwapped))
    std::swap(first, second);
  Value *rest = builder.CreateFSub(floatLike(args[2], 1.0), args[2]);
  return builder.CreateFAdd(builder.CreateFMul(first, rest), builder.CreateFMul(second, args[2]));
}

/// Operands: edge, x. Returns 0 where x < edge, otherwise 1; so a NaN gives 1.
static Expected<Value *> step(Translator &t, const Inst &, Args args) {
  Value *isBelow = t.builder().CreateFCmpOLT(args[1], args[0]);
  return t.builder().CreateSelect(isBelow, floatLike(args[0], 0.0), floatLike(args[0], 1.0));
}

/// Operands: the two edges, x. Returns s * s * (3 - 2 * s), where s is the position of x between
/// the edges, clamped to [0, 1].
static Expected<Value *> smoothStep(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *x = args[2];
  Value *position =
      builder.createFDiv(builder.CreateFSub(x, args[0]), builder.CreateFSub(args[1], args[0]));
  Value *s = builder.createFClamp(position, floatLike(x, 0.0), floatLike(x, 1.0));
  Value *factor = builder.CreateFSub(floatLike(x, 3.0), builder.CreateFMul(floatLike(x, 2.0), s));
  return builder.CreateFMul(builder.CreateFMul(s, s), factor);
}

/// Returns x * y + z, rounded once.
static Expected<Value *> fma(Translator &t, const Inst &, Args args) {
  return t.builder().createFma(args[0], args[1], args[2]);
}

/// \p magnitude, not negative, with the sign of \p x. For vectors of f16 by integers: LLVM 22 takes
/// the sign from the wrong place where they were converted from f64 (bugs/README.md).
static Value *createSigned(Builder &builder, Value *magnitude, Value *x) {
  Type *type = x->getType();
  if (!type->isVectorTy() || !type->getScalarType()->isHalfTy())
    return builder.CreateBinaryIntrinsic(Intrinsic::copysign, magnitude, x);
  constexpr uint64_t SignBit = 0x8000;
  Type *integer = type->getWithNewType(builder.getInt16Ty());
  Value *sign = builder.CreateAnd(builder.CreateBitCast(x, integer), SignBit);
  return builder.CreateBitCast(builder.CreateOr(builder.CreateBitCast(magnitude, integer), sign),
                               type);
}

/// {fraction, whole part}, both with the sign of x.
static std::pair<Value *, Value *> splitFloat(Builder &builder, Value *x) {
  Value *whole = builder.CreateUnaryIntrinsic(Intrinsic::trunc, x);
  Value *magnitude = builder.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value *isInfinite = builder.CreateFCmpOEQ(magnitude, ConstantFP::getInfinity(x->getType()));
  Value *rest = builder.CreateSelect(isInfinite, floatLike(x, 0.0), builder.CreateFSub(x, whole));
  return {createSigned(builder, builder.CreateUnaryIntrinsic(Intrinsic::fabs, rest), x), whole};
}

/// {significand in [0.5, 1), exponent}.
static std::pair<Value *, Value *> splitExponent(Builder &builder, Value *x) {
  Value *exponents = nullptr;
  uint64_t next = 0;
  Type *type = x->getType();
  Type *intType = type->getWithNewType(builder.getInt32Ty());
  Value *significand = forEachComponent(builder, {x}, [&](Args args) {
    Value *parts = builder.CreateIntrinsic(Intrinsic::frexp,
                                           {args[0]->getType(), builder.getInt32Ty()}, {args[0]});
    Value *exponent = builder.CreateExtractValue(parts, 1);
    if (!type->isVectorTy())
      exponents = exponent;
    else
      exponents = builder.CreateInsertElement(exponents ? exponents : PoisonValue::get(intType),
                                              exponent, next++);
    return builder.CreateExtractValue(parts, 0);
  });
  return {significand, exponents};
}

/// An exponent in the width that \p type has, where it is an integer: any will hold it.
static Value *fitInteger(Builder &builder, Value *value, Type *type) {
  bool isInteger = value->getType()->isIntOrIntVectorTy() && type->isIntOrIntVectorTy();
  if (!isInteger || value->getType()->getWithNewType(type->getScalarType()) != type)
    return value;
  return builder.CreateSExtOrTrunc(value, type);
}

/// Splits a float scalar or vector into two parts of as many components.
using Split = std::pair<Value *, Value *> (*)(Builder &, Value *);

/// The second part goes to the pointer that is the second operand.
template <Split Splitter>
static Expected<Value *> splitToPointer(Translator &t, const Inst &inst, Args args) {
  auto [first, second] = Splitter(t.builder(), args[0]);
  if (inst.size() < 4)
    return invalidInput("it lacks operands");
  Expected<Pointer> target = t.pointer(inst.operand(3));
  if (!target)
    return target.takeError();
  Expected<Type *> type = t.valueType(target->pointee);
  if (!type)
    return type.takeError();
  second = fitInteger(t.builder(), second, *type);
  if (Error error = t.store(*target, second))
    return std::move(error);
  return first;
}

/// Returns both parts as a structure (ModfStruct, FrexpStruct). InvalidInput where the result type
/// is no structure of these two types.
template <Split Splitter>
static Expected<Value *> splitToStruct(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  auto [first, second] = Splitter(t.builder(), args[0]);
  if (auto *structure = dyn_cast<StructType>(*type); structure && structure->getNumElements() == 2)
    second = fitInteger(t.builder(), second, structure->getElementType(1));
  if (*type != StructType::get(t.context(), {first->getType(), second->getType()}))
    return invalidInput("its result is no structure of two such members");
  Value *result = t.builder().CreateInsertValue(PoisonValue::get(*type), first, 0);
  return t.builder().CreateInsertValue(result, second, 1);
}

/// \p exponents as i32; what does not fit is far beyond any exponent.
static Value *narrowExponents(Builder &builder, Value *exponents) {
  Type *type = exponents->getType();
  Type *narrow = type->getWithNewType(builder.getInt32Ty());
  if (type->getScalarSizeInBits() <= 32)
    return builder.CreateSExt(exponents, narrow);
  constexpr int64_t Bound = 1 << 20;
  Value *bounded = builder.CreateBinaryIntrinsic(Intrinsic::smin, exponents,
                                                 ConstantInt::getSigned(type, Bound));
  bounded =
      builder.CreateBinaryIntrinsic(Intrinsic::smax, bounded, ConstantInt::getSigned(type, -Bound));
  return builder.CreateTrunc(bounded, narrow);
}

/// Returns x * 2^exponent. The exponent may be an integer of any width, with as many components as
/// x.
static Expected<Value *> ldexp(Translator &t, const Inst &, Args args) {
  Type *type = args[0]->getType();
  Type *exponent = args[1]->getType()->getScalarType();
  if (!type->isFPOrFPVectorTy() || !exponent->isIntegerTy() ||
      args[1]->getType() != type->getWithNewType(exponent))
    return invalidInput("its operands do not fit");
  Value *exponents = narrowExponents(t.builder(), args[1]);
  return forEachComponent(t.builder(), {args[0], exponents}, [&](Args parts) -> Value * {
    return t.builder().CreateLdexp(parts[0], parts[1]);
  });
}

/// -1 where no bit is set.
static Expected<Value *> findILsb(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Type *type = args[0]->getType();
  Value *index = builder.CreateBinaryIntrinsic(Intrinsic::cttz, args[0], builder.getFalse());
  if (faultPlanted(Fault::LowestBitOfZero))
    return index;
  Value *isZero = builder.CreateICmpEQ(args[0], Constant::getNullValue(type));
  return builder.CreateSelect(isZero, Constant::getAllOnesValue(type), index);
}

/// The smaller or larger of two; where one is a NaN, the other. For f64 it is minnum, which differs
/// in signaling NaNs alone, that SPIR-V does not know: LLVM crashes on the other for GFX12
/// (bugs/README.md).
template <Intrinsic::ID Id, Intrinsic::ID Double>
static Value *createNumber(Builder &builder, Value *x, Value *y) {
  bool isDouble = x->getType()->getScalarType()->isDoubleTy();
  return builder.CreateBinaryIntrinsic(isDouble ? Double : Id, x, y);
}

/// Returns the smaller number. With Fault::MinimumOfNan a NaN as the first operand is returned.
static Value *createNMin(Builder &builder, Value *x, Value *y) {
  if (faultPlanted(Fault::MinimumOfNan))
    return builder.CreateSelect(builder.CreateFCmpULT(x, y), x, y);
  return createNumber<Intrinsic::minimumnum, Intrinsic::minnum>(builder, x, y);
}
static Value *createNMax(Builder &builder, Value *x, Value *y) {
  return createNumber<Intrinsic::maximumnum, Intrinsic::maxnum>(builder, x, y);
}

static Expected<Value *> nMin(Translator &t, const Inst &, Args args) {
  return createNMin(t.builder(), args[0], args[1]);
}
static Expected<Value *> nMax(Translator &t, const Inst &, Args args) {
  return createNMax(t.builder(), args[0], args[1]);
}
/// Returns min(max(x, low), high) by createNMax and createNMin; a NaN as x gives low.
static Expected<Value *> nClamp(Translator &t, const Inst &, Args args) {
  return createNMin(t.builder(), createNMax(t.builder(), args[0], args[1]), args[2]);
}

/// Returns the index of the highest bit that is set, or for negative signed numbers that is clear;
/// -1 where there is none.
template <bool IsSigned> static Expected<Value *> findMsb(Translator &t, const Inst &, Args args) {
  return t.builder().createFindMsb(args[0], IsSigned);
}

/// Modf and Frexp resolve one operand; their pointer is read by the handler. FindILsb and its
/// relatives exist for 32 bits only.
static constexpr ExtInstRow Rows[] = {
    {GLSLstd450Round, 1, Shape::Float, "Round", unary<Intrinsic::roundeven>},
    {GLSLstd450RoundEven, 1, Shape::Float, "RoundEven", unary<Intrinsic::roundeven>},
    {GLSLstd450Trunc, 1, Shape::Float, "Trunc", unary<Intrinsic::trunc>},
    {GLSLstd450FAbs, 1, Shape::Float, "FAbs", unary<Intrinsic::fabs>},
    {GLSLstd450SAbs, 1, Shape::Int, "SAbs", sAbs},
    {GLSLstd450FSign, 1, Shape::Float, "FSign", fSign},
    {GLSLstd450SSign, 1, Shape::Int, "SSign", sSign},
    {GLSLstd450Floor, 1, Shape::Float, "Floor", unary<Intrinsic::floor>},
    {GLSLstd450Ceil, 1, Shape::Float, "Ceil", unary<Intrinsic::ceil>},
    {GLSLstd450Fract, 1, Shape::Float, "Fract", fract},
    {GLSLstd450Modf, 1, Shape::Float, "Modf", splitToPointer<splitFloat>},
    {GLSLstd450ModfStruct, 1, Shape::FloatToAny, "ModfStruct", splitToStruct<splitFloat>},
    {GLSLstd450FMin, 2, Shape::Float, "FMin", binary<Intrinsic::minnum>},
    {GLSLstd450UMin, 2, Shape::Int, "UMin", binary<Intrinsic::umin>},
    {GLSLstd450SMin, 2, Shape::Int, "SMin", binary<Intrinsic::smin>},
    {GLSLstd450FMax, 2, Shape::Float, "FMax", binary<Intrinsic::maxnum>},
    {GLSLstd450UMax, 2, Shape::Int, "UMax", binary<Intrinsic::umax>},
    {GLSLstd450SMax, 2, Shape::Int, "SMax", binary<Intrinsic::smax>},
    {GLSLstd450FClamp, 3, Shape::Float, "FClamp", fClamp},
    {GLSLstd450UClamp, 3, Shape::Int, "UClamp", clamp<Intrinsic::umin, Intrinsic::umax>},
    {GLSLstd450SClamp, 3, Shape::Int, "SClamp", clamp<Intrinsic::smin, Intrinsic::smax>},
    {GLSLstd450FMix, 3, Shape::Float, "FMix", fMix},
    {GLSLstd450Step, 2, Shape::Float, "Step", step},
    {GLSLstd450SmoothStep, 3, Shape::Float, "SmoothStep", smoothStep},
    {GLSLstd450Fma, 3, Shape::Float, "Fma", fma},
    {GLSLstd450Frexp, 1, Shape::Float, "Frexp", splitToPointer<splitExponent>},
    {GLSLstd450FrexpStruct, 1, Shape::FloatToAny, "FrexpStruct", splitToStruct<splitExponent>},
    {GLSLstd450Ldexp, 2, Shape::Free, "Ldexp", ldexp},
    {GLSLstd450FindILsb, 1, Shape::Int32, "FindILsb", findILsb},
    {GLSLstd450FindSMsb, 1, Shape::Int32, "FindSMsb", findMsb<true>},
    {GLSLstd450FindUMsb, 1, Shape::Int32, "FindUMsb", findMsb<false>},
    {GLSLstd450NMin, 2, Shape::Float, "NMin", nMin},
    {GLSLstd450NMax, 2, Shape::Float, "NMax", nMax},
    {GLSLstd450NClamp, 3, Shape::Float, "NClamp", nClamp},
};

ArrayRef<ExtInstRow> assay::glslCommonRows() {
  return Rows;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Conversion Instructions".

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// True when \p from and \p to have as many components.
static bool sameCount(Type *from, Type *to) {
  auto *fromVector = dyn_cast<FixedVectorType>(from);
  auto *toVector = dyn_cast<FixedVectorType>(to);
  return fromVector && toVector ? fromVector->getNumElements() == toVector->getNumElements()
                                : !fromVector && !toVector;
}

/// Returns true for integers and vectors of them, except bool (i1).
static bool isInteger(Type *type) {
  return type->isIntOrIntVectorTy() && !type->isIntOrIntVectorTy(1);
}

/// A value out of range is undefined in SPIR-V and poison in LLVM. Freezing it leaves some number
/// and costs nothing; the saturation of fptoui.sat would cost four instructions.
template <bool IsSigned>
static Expected<Value *> floatToInt(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!isInteger(*type) || !sameCount(args[0]->getType(), *type))
    return invalidInput("its result type does not fit its operand");
  Value *x = args[0];
  if (IsSigned && faultPlanted(Fault::ConvertRounds))
    x = t.builder().CreateUnaryIntrinsic(Intrinsic::roundeven, x);
  Value *number =
      IsSigned ? t.builder().CreateFPToSI(x, *type) : t.builder().CreateFPToUI(x, *type);
  return t.builder().CreateFreeze(number);
}

/// Rounds by the float mode of the function. InvalidInput where the result is no float, or has
/// another number of components.
template <bool IsSigned>
static Expected<Value *> intToFloat(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!(*type)->isFPOrFPVectorTy() || !sameCount(args[0]->getType(), *type))
    return invalidInput("its result type does not fit its operand");
  return IsSigned || faultPlanted(Fault::ConvertUnsigned)
             ? t.builder().CreateSIToFP(args[0], *type)
             : t.builder().CreateUIToFP(args[0], *type);
}

/// Extends by the sign if IsSigned, otherwise by zeros; a narrower result loses the high bits.
template <bool IsSigned>
static Expected<Value *> intToInt(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!isInteger(*type) || !sameCount(args[0]->getType(), *type))
    return invalidInput("its result type does not fit its operand");
  return IsSigned && !faultPlanted(Fault::WidenUnsigned)
             ? t.builder().CreateSExtOrTrunc(args[0], *type)
             : t.builder().CreateZExtOrTrunc(args[0], *type);
}

/// FPRoundingMode counts for narrowing only. For f16 it is emitted explicitly; for f32 it is
/// Unsupported unless it is the mode that the function has anyway.
static Expected<Value *> floatToFloat(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!(*type)->isFPOrFPVectorTy() || !sameCount(args[0]->getType(), *type))
    return invalidInput("its result type does not fit its operand");
  auto rounding = t.spirv().decorationValue(inst.resultId, spv::Decoration::FPRoundingMode);
  if (!rounding || (*type)->getScalarSizeInBits() >= args[0]->getType()->getScalarSizeInBits())
    return t.builder().CreateFPCast(args[0], *type);
  bool towardZero = *rounding == uint32_t(spv::FPRoundingMode::RTZ);
  if (!towardZero && *rounding != uint32_t(spv::FPRoundingMode::RTE))
    return unsupported("FPRoundingMode " + Twine(*rounding));
  if ((*type)->getScalarType()->isHalfTy())
    return t.builder().createHalf(args[0], towardZero);
  if (towardZero != t.builder().getFloatMode().of(*type).towardZero)
    return unsupported("FPRoundingMode of a result of 32 bits");
  return t.builder().CreateFPTrunc(args[0], *type);
}

/// Rounds to the nearest half; what is too small for a normal half becomes zero of its sign.
static Expected<Value *> quantizeToF16(Translator &t, const Inst &, Args args) {
  constexpr double SmallestNormalHalf = 0x1p-14;
  Builder &builder = t.builder();
  Type *type = args[0]->getType();
  if (!type->getScalarType()->isFloatTy())
    return invalidInput("its operand is no 32-bit float");
  Value *half = builder.createHalf(args[0], /*towardZero=*/false);
  Value *rounded = builder.CreateFPExt(half, type);
  Value *magnitude = builder.CreateUnaryIntrinsic(Intrinsic::fabs, rounded);
  Value *isSmall = builder.CreateFCmpOLT(magnitude, floatConstant(type, SmallestNormalHalf));
  Value *zero =
      builder.CreateBinaryIntrinsic(Intrinsic::copysign, Constant::getNullValue(type), args[0]);
  return builder.CreateSelect(isSmall, zero, rounded);
}

/// Casts numbers and vectors of equal size; pointers see bitcastPointer. Bools and aggregates have
/// no bits in SPIR-V and are InvalidInput.
static Expected<Value *> bitcast(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  Type *from = args[0]->getType();
  if (from->isPointerTy() || (*type)->isPointerTy())
    return bitcastPointer(t.builder(), args[0], *type);
  if (from->isAggregateType() || from->isIntOrIntVectorTy(1) ||
      !CastInst::castIsValid(llvm::Instruction::BitCast, from, *type))
    return invalidInput("its result type does not fit its operand");
  return t.builder().CreateBitCast(args[0], *type);
}

/// All but bitcast check the operand's class by shape, and the result's in the handler.
static constexpr OpcodeRow ConversionRows[] = {
    {spv::Op::OpConvertFToU, 1, Shape::FloatToAny, floatToInt<false>},
    {spv::Op::OpConvertFToS, 1, Shape::FloatToAny, floatToInt<true>},
    {spv::Op::OpConvertSToF, 1, Shape::IntToAny, intToFloat<true>},
    {spv::Op::OpConvertUToF, 1, Shape::IntToAny, intToFloat<false>},
    {spv::Op::OpUConvert, 1, Shape::IntToAny, intToInt<false>},
    {spv::Op::OpSConvert, 1, Shape::IntToAny, intToInt<true>},
    {spv::Op::OpFConvert, 1, Shape::FloatToAny, floatToFloat},
    {spv::Op::OpQuantizeToF16, 1, Shape::Float, quantizeToF16},
    {spv::Op::OpBitcast, 1, Shape::Free, bitcast},
};

ArrayRef<OpcodeRow> assay::conversionOpcodes() {
  return ConversionRows;
}

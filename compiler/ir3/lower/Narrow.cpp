// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/Narrow.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace assay;

/// i1 and integers from 64 bits on stay. A structure without narrow members stays the same type, so
/// that names of structures are kept.
Type *ir3::promotedType(Type *type) {
  LLVMContext &context = type->getContext();
  if (auto *integer = dyn_cast<IntegerType>(type)) {
    unsigned bits = integer->getBitWidth();
    if (bits == 1 || bits >= 64)
      return type;
    return bits <= 32 ? Type::getInt32Ty(context) : Type::getInt64Ty(context);
  }
  if (type->isHalfTy())
    return Type::getFloatTy(context);
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return FixedVectorType::get(promotedType(vector->getElementType()), vector->getNumElements());
  if (auto *array = dyn_cast<ArrayType>(type))
    return ArrayType::get(promotedType(array->getElementType()), array->getNumElements());
  auto *structure = dyn_cast<StructType>(type);
  if (!structure || none_of(structure->elements(), isNarrow))
    return type;
  SmallVector<Type *, 4> elements(map_range(structure->elements(), promotedType));
  return StructType::get(context, elements, structure->isPacked());
}

/// Integers are zero-extended; halves are converted, which is exact. Aggregates are promoted by
/// element, and one element without a promotion makes the result null.
Constant *ir3::promoteConstant(Constant *constant) {
  Type *type = promotedType(constant->getType());
  if (type == constant->getType())
    return constant;
  if (isa<PoisonValue>(constant))
    return PoisonValue::get(type);
  if (isa<UndefValue>(constant))
    return UndefValue::get(type);
  if (constant->isNullValue())
    return Constant::getNullValue(type);
  if (auto *integer = dyn_cast<ConstantInt>(constant); integer && type->isIntegerTy())
    return ConstantInt::get(type, integer->getZExtValue());
  if (auto *real = dyn_cast<ConstantFP>(constant); real && type->isFloatTy()) {
    APFloat value = real->getValueAPF();
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), RoundingMode::NearestTiesToEven, &losesInfo);
    return ConstantFP::get(type, value);
  }
  SmallVector<Constant *, 8> elements;
  for (unsigned i = 0; Constant *element = constant->getAggregateElement(i); ++i) {
    elements.push_back(promoteConstant(element));
    if (!elements.back())
      return nullptr;
  }
  if (elements.empty())
    return nullptr;
  if (type->isVectorTy())
    return ConstantVector::get(elements);
  if (auto *array = dyn_cast<ArrayType>(type))
    return ConstantArray::get(array, elements);
  return ConstantStruct::get(cast<StructType>(type), elements);
}

Value *ir3::zeroExtended(IRBuilderBase &builder, Value *value, unsigned bits) {
  unsigned width = value->getType()->getScalarSizeInBits();
  if (bits == width)
    return value;
  return builder.CreateAnd(value, ConstantInt::get(value->getType(), (uint64_t(1) << bits) - 1));
}

Value *ir3::signExtended(IRBuilderBase &builder, Value *value, unsigned bits) {
  unsigned width = value->getType()->getScalarSizeInBits();
  if (bits == width)
    return value;
  return builder.CreateAShr(builder.CreateShl(value, width - bits), width - bits);
}

/// The type of \p value with \p scalar as its scalar type: a vector of the same length if that is
/// one.
static Type *withScalar(Value *value, Type *scalar) {
  return value->getType()->getWithNewType(scalar);
}

Value *ir3::roundToHalf(IRBuilderBase &builder, Value *value) {
  Value *half = builder.CreateFPTrunc(value, withScalar(value, builder.getHalfTy()));
  return builder.CreateFPExt(half, value->getType());
}

Value *ir3::halfToBits(IRBuilderBase &builder, Value *value) {
  Value *half = builder.CreateFPTrunc(value, withScalar(value, builder.getHalfTy()));
  Value *bits = builder.CreateBitCast(half, withScalar(value, builder.getInt16Ty()));
  return builder.CreateZExt(bits, withScalar(value, builder.getInt32Ty()));
}

Value *ir3::bitsToHalf(IRBuilderBase &builder, Value *bits) {
  Value *low = builder.CreateTrunc(bits, withScalar(bits, builder.getInt16Ty()));
  Value *half = builder.CreateBitCast(low, withScalar(bits, builder.getHalfTy()));
  return builder.CreateFPExt(half, withScalar(bits, builder.getFloatTy()));
}

Value *ir3::toBits(IRBuilderBase &builder, Value *value, Type *type) {
  if (type->isHalfTy())
    return halfToBits(builder, value);
  if (type->isFloatTy())
    return builder.CreateBitCast(value, builder.getInt32Ty());
  if (type->isIntegerTy(1))
    return builder.CreateZExt(value, builder.getInt32Ty());
  return type->isIntegerTy() && type->getIntegerBitWidth() <= 64 ? value : nullptr;
}

Value *ir3::fromBits(IRBuilderBase &builder, Value *bits, Type *type) {
  if (type->isHalfTy())
    return bitsToHalf(builder, bits);
  if (type->isFloatTy())
    return builder.CreateBitCast(bits, type);
  if (type->isIntegerTy(1))
    return builder.CreateTrunc(bits, type);
  return type->isIntegerTy() && type->getIntegerBitWidth() <= 64 ? bits : nullptr;
}

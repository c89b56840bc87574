// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of integers, from chapter "Arithmetic Instructions".

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Which of the vectors are signed, and whether an accumulator is added.
template <bool FirstSigned, bool SecondSigned, bool HasAccumulator> struct DotKind {
  static constexpr bool ResultSigned = FirstSigned || SecondSigned;
  /// Extends the components to the result's width, multiplies and adds them there, and adds the
  /// accumulator with saturation if there is one. InvalidInput where the types do not fit.
  static Expected<Value *> make(Translator &t, const Inst &inst, Args args);
};

/// \p operand as a vector; a scalar with PackedVectorFormat4x8Bit is four of 8 bits, the first
/// lowest. Null where it can't be.
static Value *unpack(Builder &builder, Value *operand, bool isPacked) {
  if (isPacked && operand->getType()->isIntegerTy(32))
    return builder.CreateBitCast(operand, FixedVectorType::get(builder.getInt8Ty(), 4));
  auto *vector = dyn_cast<FixedVectorType>(operand->getType());
  bool isInteger = vector && vector->getElementType()->isIntegerTy() &&
                   !vector->getElementType()->isIntegerTy(1);
  return isInteger && !isPacked ? operand : nullptr;
}

template <bool FirstSigned, bool SecondSigned, bool HasAccumulator>
Expected<Value *> DotKind<FirstSigned, SecondSigned, HasAccumulator>::make(Translator &t,
                                                                           const Inst &inst,
                                                                           Args args) {
  constexpr size_t FormatOperand = HasAccumulator ? 3 : 2;
  bool isPacked = inst.size() > FormatOperand;
  if (isPacked &&
      inst.operand(FormatOperand) != uint32_t(spv::PackedVectorFormat::PackedVectorFormat4x8Bit))
    return unsupported("packed vector format " + Twine(inst.operand(FormatOperand)));
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  Builder &builder = t.builder();
  Value *first = unpack(builder, args[0], isPacked);
  Value *second = unpack(builder, args[1], isPacked);
  if (!first || !second || first->getType() != second->getType() || !(*type)->isIntegerTy() ||
      (*type)->getScalarSizeInBits() < first->getType()->getScalarSizeInBits() ||
      (HasAccumulator && args[2]->getType() != *type))
    return invalidInput("its operands do not fit");

  Type *wide = first->getType()->getWithNewType(*type);
  auto extend = [&](Value *vector, bool isSigned) {
    return isSigned ? builder.CreateSExt(vector, wide) : builder.CreateZExt(vector, wide);
  };
  bool firstSigned = FirstSigned && !faultPlanted(Fault::DotUnsigned);
  Value *products = builder.CreateMul(extend(first, firstSigned), extend(second, SecondSigned));
  Value *sum = builder.CreateExtractElement(products, uint64_t(0));
  for (uint64_t i = 1; i < cast<FixedVectorType>(wide)->getNumElements(); ++i)
    sum = builder.CreateAdd(sum, builder.CreateExtractElement(products, i));
  if (!HasAccumulator)
    return sum;
  return builder.CreateBinaryIntrinsic(ResultSigned ? Intrinsic::sadd_sat : Intrinsic::uadd_sat,
                                       sum, args[2]);
}

/// Each row has the signedness of both vectors and whether there is an accumulator.
static constexpr OpcodeRow DotProductRows[] = {
    {spv::Op::OpSDot, 2, Shape::Free, DotKind<true, true, false>::make},
    {spv::Op::OpUDot, 2, Shape::Free, DotKind<false, false, false>::make},
    {spv::Op::OpSUDot, 2, Shape::Free, DotKind<true, false, false>::make},
    {spv::Op::OpSDotAccSat, 3, Shape::Free, DotKind<true, true, true>::make},
    {spv::Op::OpUDotAccSat, 3, Shape::Free, DotKind<false, false, true>::make},
    {spv::Op::OpSUDotAccSat, 3, Shape::Free, DotKind<true, false, true>::make},
};

ArrayRef<OpcodeRow> assay::dotProductOpcodes() {
  return DotProductRows;
}

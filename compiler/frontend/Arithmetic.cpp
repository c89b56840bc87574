// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Arithmetic Instructions", except for matrices (Matrix.cpp).

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Returns the LLVM operation \p Opcode of the two operands. It has neither nsw nor nuw: integer
/// overflow wraps in SPIR-V.
template <llvm::Instruction::BinaryOps Opcode>
static Expected<Value *> binary(Translator &t, const Inst &, Args args) {
  return t.builder().CreateBinOp(Opcode, args[0], args[1]);
}

/// Returns the wrapping difference. With Fault::WrongSubtract it returns the sum.
static Expected<Value *> iSub(Translator &t, const Inst &, Args args) {
  if (faultPlanted(Fault::WrongSubtract))
    return t.builder().CreateAdd(args[0], args[1]);
  return t.builder().CreateSub(args[0], args[1]);
}

/// Toward zero.
static Expected<Value *> sDiv(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  Value *quotient = builder.CreateSDiv(args[0], args[1]);
  if (!faultPlanted(Fault::DivisionFloor))
    return quotient;
  Value *rest = builder.CreateSRem(args[0], args[1]);
  Value *isBelow = builder.CreateICmpSLT(rest, Constant::getNullValue(rest->getType()));
  return builder.CreateAdd(quotient, builder.CreateSExt(isBelow, rest->getType()));
}

static Expected<Value *> sNegate(Translator &t, const Inst &, Args args) {
  return t.builder().CreateNeg(args[0]);
}

/// Returns fneg, not a subtraction from zero, so that the sign of zeros and NaNs changes, too.
static Expected<Value *> fNegate(Translator &t, const Inst &, Args args) {
  return t.builder().CreateFNeg(args[0]);
}

static Expected<Value *> fDiv(Translator &t, const Inst &, Args args) {
  return t.builder().createFDiv(args[0], args[1]);
}

/// Returns the remainder with the sign of the divisor, computed as Builder::createFMod defines it.
static Expected<Value *> fMod(Translator &t, const Inst &, Args args) {
  return t.builder().createFMod(args[0], args[1]);
}

/// The sign follows the divisor. Constants are folded here, as OpSpecConstantOp needs it.
static Expected<Value *> sMod(Translator &t, const Inst &, Args args) {
  Builder &builder = t.builder();
  if (!isa<Constant>(args[0]) || !isa<Constant>(args[1]))
    return builder.createSMod(args[0], args[1]);
  Value *rest = builder.CreateSRem(args[0], args[1]);
  Value *zero = Constant::getNullValue(rest->getType());
  Value *differs = builder.CreateICmpSLT(builder.CreateXor(rest, args[1]), zero);
  Value *moves = builder.CreateAnd(differs, builder.CreateICmpNE(rest, zero));
  return builder.CreateSelect(moves, builder.CreateAdd(rest, args[1]), rest);
}

/// {low, high} as the result structure of the extended operations.
static Expected<Value *> pair(Translator &t, const Inst &inst, Value *first, Value *second) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  auto *structure = dyn_cast<StructType>(*type);
  if (!structure || structure->getNumElements() != 2 ||
      structure->getElementType(0) != first->getType() ||
      structure->getElementType(1) != second->getType())
    return invalidInput("its result is no structure of two such members");
  Value *result = PoisonValue::get(structure);
  result = t.builder().CreateInsertValue(result, first, 0);
  return t.builder().CreateInsertValue(result, second, 1);
}

/// Returns {sum, carry}. The carry is 1 where the wrapped sum is smaller than an operand, otherwise
/// 0, in the type of the operands.
static Expected<Value *> iAddCarry(Translator &t, const Inst &inst, Args args) {
  Builder &builder = t.builder();
  Value *sum = builder.CreateAdd(args[0], args[1]);
  Value *carry = builder.CreateZExt(builder.CreateICmpULT(sum, args[0]), sum->getType());
  return pair(t, inst, sum, carry);
}

/// Returns {difference, borrow}. The borrow is 1 where the first operand is smaller as an unsigned
/// number, otherwise 0.
static Expected<Value *> iSubBorrow(Translator &t, const Inst &inst, Args args) {
  Builder &builder = t.builder();
  Value *difference = builder.CreateSub(args[0], args[1]);
  Value *borrow =
      builder.CreateZExt(builder.CreateICmpULT(args[0], args[1]), difference->getType());
  return pair(t, inst, difference, borrow);
}

/// Returns {low half, high half} of the product, computed in integers of twice the width, to which
/// the operands are sign-extended if IsSigned and otherwise zero-extended.
template <bool IsSigned>
static Expected<Value *> mulExtended(Translator &t, const Inst &inst, Args args) {
  Builder &builder = t.builder();
  Type *narrow = args[0]->getType();
  Type *wide = narrow->getExtendedType();
  auto extend = [&](Value *x) {
    bool isSigned = IsSigned || faultPlanted(Fault::HighProductSigned);
    return isSigned ? builder.CreateSExt(x, wide) : builder.CreateZExt(x, wide);
  };
  Value *product = builder.CreateMul(extend(args[0]), extend(args[1]));
  Value *low = builder.CreateTrunc(product, narrow);
  Value *top = builder.CreateLShr(product, intConstant(wide, narrow->getScalarSizeInBits()));
  Value *high = builder.CreateTrunc(top, narrow);
  return pair(t, inst, low, high);
}

/// Operations that return a structure have IntToAny: the structure is checked by pair().
static constexpr OpcodeRow ArithmeticRows[] = {
    {spv::Op::OpSNegate, 1, Shape::Int, sNegate},
    {spv::Op::OpFNegate, 1, Shape::Float, fNegate},
    {spv::Op::OpIAdd, 2, Shape::Int, binary<llvm::Instruction::Add>},
    {spv::Op::OpFAdd, 2, Shape::Float, binary<llvm::Instruction::FAdd>},
    {spv::Op::OpISub, 2, Shape::Int, iSub},
    {spv::Op::OpFSub, 2, Shape::Float, binary<llvm::Instruction::FSub>},
    {spv::Op::OpIMul, 2, Shape::Int, binary<llvm::Instruction::Mul>},
    {spv::Op::OpFMul, 2, Shape::Float, binary<llvm::Instruction::FMul>},
    {spv::Op::OpUDiv, 2, Shape::Int, binary<llvm::Instruction::UDiv>},
    {spv::Op::OpSDiv, 2, Shape::Int, sDiv},
    {spv::Op::OpFDiv, 2, Shape::Float, fDiv},
    {spv::Op::OpUMod, 2, Shape::Int, binary<llvm::Instruction::URem>},
    {spv::Op::OpSRem, 2, Shape::Int, binary<llvm::Instruction::SRem>},
    {spv::Op::OpSMod, 2, Shape::Int, sMod},
    {spv::Op::OpFRem, 2, Shape::Float, binary<llvm::Instruction::FRem>},
    {spv::Op::OpFMod, 2, Shape::Float, fMod},
    {spv::Op::OpIAddCarry, 2, Shape::IntToAny, iAddCarry},
    {spv::Op::OpISubBorrow, 2, Shape::IntToAny, iSubBorrow},
    {spv::Op::OpUMulExtended, 2, Shape::IntToAny, mulExtended<false>},
    {spv::Op::OpSMulExtended, 2, Shape::IntToAny, mulExtended<true>},
};

ArrayRef<OpcodeRow> assay::arithmeticOpcodes() {
  return ArithmeticRows;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Bit Instructions".

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Returns the and, or, or xor of the two operands, which Shape::Int has checked.
template <llvm::Instruction::BinaryOps Opcode>
static Expected<Value *> bitwise(Translator &t, const Inst &, Args args) {
  return t.builder().CreateBinOp(Opcode, args[0], args[1]);
}

/// Returns true for integers and vectors of them; bools, which are i1, are none.
static bool isInteger(Value *value) {
  return value->getType()->isIntOrIntVectorTy() && !value->getType()->isIntOrIntVectorTy(1);
}

/// A shift by the width or more has an undefined result in SPIR-V but is poison in LLVM, which
/// spreads. All our machines take the low bits only, so that the mask costs nothing.
template <llvm::Instruction::BinaryOps Opcode>
static Expected<Value *> shift(Translator &t, const Inst &, Args args) {
  Type *type = args[0]->getType();
  if (!isInteger(args[0]) || !isInteger(args[1]) ||
      args[1]->getType()->getWithNewType(type->getScalarType()) != type)
    return invalidInput("its operands are no integers with as many components");
  // The amount may be of another width; its high bits go with the mask.
  Value *amount = t.builder().CreateZExtOrTrunc(args[1], type);
  amount = t.builder().CreateAnd(amount, intConstant(type, type->getScalarSizeInBits() - 1));
  if (Opcode == llvm::Instruction::AShr && faultPlanted(Fault::ShiftedZeros))
    return t.builder().CreateLShr(args[0], amount);
  return t.builder().CreateBinOp(Opcode, args[0], amount);
}

static Expected<Value *> bitNot(Translator &t, const Inst &, Args args) {
  return t.builder().CreateNot(args[0]);
}

/// Integer scalars or vectors first, then offset and count as scalars, which may be of other
/// widths.
static Error checkBitField(Args words, Value *offset, Value *count) {
  for (Value *word : words)
    if (word->getType() != words[0]->getType() || !isInteger(word))
      return invalidInput("its operands are no integers of one type");
  if (!isInteger(offset) || !isInteger(count) || offset->getType()->isVectorTy() ||
      count->getType()->isVectorTy())
    return invalidInput("its offset or count is no integer scalar");
  return Error::success();
}

/// Returns \p value, an unsigned integer of any width, as i32: what the Builder's bit-field
/// operations accept.
static Value *toI32(Translator &t, Value *value) {
  return t.builder().CreateZExtOrTrunc(value, t.builder().getInt32Ty());
}

/// Operands: base, insert, offset, count. The two words may be vectors; offset and count, in bits,
/// are the same for all components.
static Expected<Value *> bitFieldInsert(Translator &t, const Inst &, Args args) {
  if (Error error = checkBitField(args.take_front(2), args[2], args[3]))
    return std::move(error);
  return t.builder().createInsertBitField(args[0], args[1], toI32(t, args[2]), toI32(t, args[3]));
}

/// Operands: base, offset, count (in bits). The highest bit extracted is copied upwards if
/// IsSigned.
template <bool IsSigned>
static Expected<Value *> bitFieldExtract(Translator &t, const Inst &, Args args) {
  if (Error error = checkBitField(args.take_front(1), args[1], args[2]))
    return std::move(error);
  bool isSigned = IsSigned && !faultPlanted(Fault::BitFieldUnsigned);
  return t.builder().createExtractBitField(args[0], toI32(t, args[1]), toI32(t, args[2]), isSigned);
}

/// Returns the LLVM intrinsic \p Id of the operand, component by component.
template <Intrinsic::ID Id> static Expected<Value *> unary(Translator &t, const Inst &, Args args) {
  return t.builder().CreateUnaryIntrinsic(Id, args[0]);
}

/// The count may be of another width than the operand.
static Expected<Value *> bitCount(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!(*type)->isIntOrIntVectorTy() ||
      args[0]->getType()->getWithNewType((*type)->getScalarType()) != *type)
    return invalidInput("its result type does not fit its operand");
  Value *count = t.builder().CreateUnaryIntrinsic(Intrinsic::ctpop, args[0]);
  return t.builder().CreateZExtOrTrunc(count, *type);
}

/// Free where operands may have different widths.
static constexpr OpcodeRow BitRows[] = {
    {spv::Op::OpShiftRightLogical, 2, Shape::Free, shift<llvm::Instruction::LShr>},
    {spv::Op::OpShiftRightArithmetic, 2, Shape::Free, shift<llvm::Instruction::AShr>},
    {spv::Op::OpShiftLeftLogical, 2, Shape::Free, shift<llvm::Instruction::Shl>},
    {spv::Op::OpBitwiseOr, 2, Shape::Int, bitwise<llvm::Instruction::Or>},
    {spv::Op::OpBitwiseXor, 2, Shape::Int, bitwise<llvm::Instruction::Xor>},
    {spv::Op::OpBitwiseAnd, 2, Shape::Int, bitwise<llvm::Instruction::And>},
    {spv::Op::OpNot, 1, Shape::Int, bitNot},
    {spv::Op::OpBitFieldInsert, 4, Shape::Free, bitFieldInsert},
    {spv::Op::OpBitFieldSExtract, 3, Shape::Free, bitFieldExtract<true>},
    {spv::Op::OpBitFieldUExtract, 3, Shape::Free, bitFieldExtract<false>},
    {spv::Op::OpBitReverse, 1, Shape::Int, unary<Intrinsic::bitreverse>},
    {spv::Op::OpBitCount, 1, Shape::IntToAny, bitCount},
};

ArrayRef<OpcodeRow> assay::bitOpcodes() {
  return BitRows;
}

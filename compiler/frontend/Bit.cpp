// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Bit Instructions".

#include "compiler/frontend/Translator.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

template <llvm::Instruction::BinaryOps Opcode>
static Expected<Value *> bitwise(Translator &t, const Inst &, Args args) {
  return t.builder().CreateBinOp(Opcode, args[0], args[1]);
}

/// A shift by 32 or more has an undefined result in SPIR-V but is poison in LLVM, which spreads.
/// All our machines take the low five bits, so that the mask costs nothing.
template <llvm::Instruction::BinaryOps Opcode>
static Expected<Value *> shift(Translator &t, const Inst &, Args args) {
  Value *amount = t.builder().CreateAnd(args[1], intConstant(args[1]->getType(), 31));
  return t.builder().CreateBinOp(Opcode, args[0], amount);
}

static Expected<Value *> bitNot(Translator &t, const Inst &, Args args) {
  return t.builder().CreateNot(args[0]);
}

/// i32 scalars or vectors first, then offset and count as i32 scalars.
static Error checkBitField(Args words, Value *offset, Value *count) {
  for (Value *word : words)
    if (word->getType() != words[0]->getType() || !word->getType()->isIntOrIntVectorTy(32))
      return invalidInput("its operands are no integers of one type");
  if (!offset->getType()->isIntegerTy(32) || !count->getType()->isIntegerTy(32))
    return invalidInput("its offset or count is no integer scalar");
  return Error::success();
}

static Expected<Value *> bitFieldInsert(Translator &t, const Inst &, Args args) {
  if (Error error = checkBitField(args.take_front(2), args[2], args[3]))
    return std::move(error);
  return t.builder().createInsertBitField(args[0], args[1], args[2], args[3]);
}

template <bool IsSigned>
static Expected<Value *> bitFieldExtract(Translator &t, const Inst &, Args args) {
  if (Error error = checkBitField(args.take_front(1), args[1], args[2]))
    return std::move(error);
  return t.builder().createExtractBitField(args[0], args[1], args[2], IsSigned);
}

template <Intrinsic::ID Id> static Expected<Value *> unary(Translator &t, const Inst &, Args args) {
  return t.builder().CreateUnaryIntrinsic(Id, args[0]);
}

static constexpr OpcodeRow Rows[] = {
    {spv::Op::OpShiftRightLogical, 2, Shape::Int, shift<llvm::Instruction::LShr>},
    {spv::Op::OpShiftRightArithmetic, 2, Shape::Int, shift<llvm::Instruction::AShr>},
    {spv::Op::OpShiftLeftLogical, 2, Shape::Int, shift<llvm::Instruction::Shl>},
    {spv::Op::OpBitwiseOr, 2, Shape::Int, bitwise<llvm::Instruction::Or>},
    {spv::Op::OpBitwiseXor, 2, Shape::Int, bitwise<llvm::Instruction::Xor>},
    {spv::Op::OpBitwiseAnd, 2, Shape::Int, bitwise<llvm::Instruction::And>},
    {spv::Op::OpNot, 1, Shape::Int, bitNot},
    {spv::Op::OpBitFieldInsert, 4, Shape::Free, bitFieldInsert},
    {spv::Op::OpBitFieldSExtract, 3, Shape::Free, bitFieldExtract<true>},
    {spv::Op::OpBitFieldUExtract, 3, Shape::Free, bitFieldExtract<false>},
    {spv::Op::OpBitReverse, 1, Shape::Int, unary<Intrinsic::bitreverse>},
    {spv::Op::OpBitCount, 1, Shape::Int, unary<Intrinsic::ctpop>},
};

ArrayRef<OpcodeRow> assay::bitOpcodes() {
  return Rows;
}

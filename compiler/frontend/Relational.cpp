// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Relational and Logical Instructions".

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Returns i1 or a vector of i1 by \p Predicate, of integers or floats.
template <CmpInst::Predicate Predicate>
static Expected<Value *> compare(Translator &t, const Inst &, Args args) {
  if (Predicate == CmpInst::ICMP_SLT && faultPlanted(Fault::UnsignedLess))
    return t.builder().CreateICmpULT(args[0], args[1]);
  if (Predicate == CmpInst::FCMP_UNE && faultPlanted(Fault::OrderedNotEqual))
    return t.builder().CreateFCmpONE(args[0], args[1]);
  return t.builder().CreateCmp(Predicate, args[0], args[1]);
}

/// Returns the result of a bitwise operation on i1.
template <llvm::Instruction::BinaryOps Opcode>
static Expected<Value *> logical(Translator &t, const Inst &, Args args) {
  return t.builder().CreateBinOp(Opcode, args[0], args[1]);
}

/// On i1 as on integers, for the operands and so for the result.
template <CmpInst::Predicate Predicate>
static Expected<Value *> logicalCompare(Translator &t, const Inst &, Args args) {
  return t.builder().CreateICmp(Predicate, args[0], args[1]);
}

static Expected<Value *> logicalNot(Translator &t, const Inst &, Args args) {
  return t.builder().CreateNot(args[0]);
}

/// A value is unordered with itself only if it is a NaN.
static Expected<Value *> isNan(Translator &t, const Inst &, Args args) {
  return t.builder().CreateFCmpUNO(args[0], args[0]);
}

/// Returns true for infinities of either sign.
static Expected<Value *> isInf(Translator &t, const Inst &, Args args) {
  Value *magnitude = t.builder().CreateUnaryIntrinsic(Intrinsic::fabs, args[0]);
  return t.builder().CreateFCmpOEQ(magnitude, ConstantFP::getInfinity(args[0]->getType()));
}

/// Returns the and (IsAll) or the or of the components of a vector of bools.
template <bool IsAll> static Expected<Value *> reduce(Translator &t, const Inst &, Args args) {
  auto *vector = dyn_cast<FixedVectorType>(args[0]->getType());
  if (!vector || !vector->getElementType()->isIntegerTy(1))
    return invalidInput("its operand is no vector of bool");
  Builder &builder = t.builder();
  Value *result = builder.CreateExtractElement(args[0], uint64_t(0));
  for (uint64_t i = 1; i < vector->getNumElements(); ++i) {
    Value *next = builder.CreateExtractElement(args[0], i);
    result = IsAll ? builder.CreateAnd(result, next) : builder.CreateOr(result, next);
  }
  return result;
}

/// Returns whether matrices and row-major columns are laid out alike at both pointers.
static bool sameLayout(const PointerInfo &a, const PointerInfo &b) {
  return a.matrix.matrixStride == b.matrix.matrixStride && a.matrix.rowMajor == b.matrix.rowMajor &&
         a.componentStride == b.componentStride;
}

/// Returns what holds of either of two pointers. Unsupported where their layouts differ.
static Expected<PointerInfo> commonInfo(const PointerInfo &a, const PointerInfo &b) {
  if (!sameLayout(a, b))
    return unsupported("a choice between pointers of different layout");
  PointerInfo common;
  common.matrix = a.matrix;
  common.componentStride = a.componentStride;
  common.alignment = std::min(a.alignment, b.alignment);
  common.isVolatile = a.isVolatile || b.isVolatile;
  common.isInvariant = a.isInvariant && b.isInvariant;
  return common;
}

/// Returns the info of a choice between whole arrays of blocks. They have no address until an
/// element is chosen, so the info keeps the conditions.
static PointerInfo chooseArray(Builder &builder, Value *condition, const PointerInfo &yes,
                               const PointerInfo &no) {
  PointerInfo info = no;
  info.choices.emplace_back(condition, *yes.buffer);
  for (const auto &[inner, array] : yes.choices)
    info.choices.emplace_back(builder.CreateAnd(condition, inner), array);
  info.isVolatile |= yes.isVolatile;
  info.isInvariant &= yes.isInvariant;
  return info;
}

/// Chooses between two addresses, or between two arrays of descriptors, which get their address
/// when they are indexed. InvalidInput for pointers to inputs.
static Error selectPointer(Translator &t, const Inst &inst) {
  Expected<Value *> condition = t.value(inst.operand(0));
  if (!condition)
    return condition.takeError();
  Expected<Pointer> first = t.pointer(inst.operand(1));
  if (!first)
    return first.takeError();
  Expected<Pointer> second = t.pointer(inst.operand(2));
  if (!second)
    return second.takeError();
  if (!(*condition)->getType()->isIntegerTy(1) || first->info.input || second->info.input)
    return invalidInput("no bool chooses between them, or they can't be chosen");
  auto isArray = [](const Pointer &pointer) {
    return pointer.info.buffer && !pointer.info.buffer->index;
  };
  if (isArray(*first) && isArray(*second))
    return t.definePointer(inst, nullptr,
                           chooseArray(t.builder(), *condition, first->info, second->info));
  if (!first->value || !second->value || first->value->getType() != second->value->getType())
    return invalidInput("its operands differ in type");
  Expected<PointerInfo> info = commonInfo(first->info, second->info);
  if (!info)
    return info.takeError();
  return t.definePointer(inst, t.builder().CreateSelect(*condition, first->value, second->value),
                         *info);
}

/// InvalidInput unless the condition is one bool, or a vector of as many as the operands have
/// components, and the operands have one type.
static Error verifySelect(Args args) {
  Type *type = args[1]->getType();
  if (type != args[2]->getType() || !args[0]->getType()->isIntOrIntVectorTy(1))
    return invalidInput("its operands differ in type");
  if (auto *condition = dyn_cast<FixedVectorType>(args[0]->getType())) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    if (!vector || vector->getNumElements() != condition->getNumElements())
      return invalidInput("its condition has another number of components");
  }
  return Error::success();
}

/// Handles OpSelect of values; pointers are selected by selectPointer().
static Error select(Translator &t, const Inst &inst) {
  const spirv::Type *resultType = t.spirv().findType(inst.typeId);
  if (resultType && resultType->kind == spirv::TypeKind::Pointer)
    return selectPointer(t, inst);
  SmallVector<Value *, 3> args;
  for (uint32_t id : inst.operands) {
    Expected<Value *> value = t.value(id);
    if (!value)
      return value.takeError();
    args.push_back(*value);
  }
  if (Error error = verifySelect(args))
    return error;
  return t.define(inst, t.builder().CreateSelect(args[0], args[1], args[2]));
}

/// Returns the selected value for OpSpecConstantOp. InvalidInput for pointers.
static Expected<Value *> selectValue(Translator &t, const Inst &, Args args) {
  if (args[1]->getType()->isPointerTy())
    return invalidInput("its operands are pointers");
  if (Error error = verifySelect(args))
    return std::move(error);
  return t.builder().CreateSelect(args[0], args[1], args[2]);
}

/// Comparisons have shapes "ToAny", as their result is a bool.
static constexpr OpcodeRow RelationalRows[] = {
    {spv::Op::OpAny, 1, Shape::Free, reduce<false>},
    {spv::Op::OpAll, 1, Shape::Free, reduce<true>},
    {spv::Op::OpIsNan, 1, Shape::FloatToAny, isNan},
    {spv::Op::OpIsInf, 1, Shape::FloatToAny, isInf},
    {spv::Op::OpLogicalEqual, 2, Shape::Bool, logicalCompare<CmpInst::ICMP_EQ>},
    {spv::Op::OpLogicalNotEqual, 2, Shape::Bool, logicalCompare<CmpInst::ICMP_NE>},
    {spv::Op::OpLogicalOr, 2, Shape::Bool, logical<llvm::Instruction::Or>},
    {spv::Op::OpLogicalAnd, 2, Shape::Bool, logical<llvm::Instruction::And>},
    {spv::Op::OpLogicalNot, 1, Shape::Bool, logicalNot},
    {spv::Op::OpSelect, 3, Shape::Free, selectValue, select},
    {spv::Op::OpIEqual, 2, Shape::IntToAny, compare<CmpInst::ICMP_EQ>},
    {spv::Op::OpINotEqual, 2, Shape::IntToAny, compare<CmpInst::ICMP_NE>},
    {spv::Op::OpUGreaterThan, 2, Shape::IntToAny, compare<CmpInst::ICMP_UGT>},
    {spv::Op::OpSGreaterThan, 2, Shape::IntToAny, compare<CmpInst::ICMP_SGT>},
    {spv::Op::OpUGreaterThanEqual, 2, Shape::IntToAny, compare<CmpInst::ICMP_UGE>},
    {spv::Op::OpSGreaterThanEqual, 2, Shape::IntToAny, compare<CmpInst::ICMP_SGE>},
    {spv::Op::OpULessThan, 2, Shape::IntToAny, compare<CmpInst::ICMP_ULT>},
    {spv::Op::OpSLessThan, 2, Shape::IntToAny, compare<CmpInst::ICMP_SLT>},
    {spv::Op::OpULessThanEqual, 2, Shape::IntToAny, compare<CmpInst::ICMP_ULE>},
    {spv::Op::OpSLessThanEqual, 2, Shape::IntToAny, compare<CmpInst::ICMP_SLE>},
    {spv::Op::OpFOrdEqual, 2, Shape::FloatToAny, compare<CmpInst::FCMP_OEQ>},
    {spv::Op::OpFUnordEqual, 2, Shape::FloatToAny, compare<CmpInst::FCMP_UEQ>},
    {spv::Op::OpFOrdNotEqual, 2, Shape::FloatToAny, compare<CmpInst::FCMP_ONE>},
    {spv::Op::OpFUnordNotEqual, 2, Shape::FloatToAny, compare<CmpInst::FCMP_UNE>},
    {spv::Op::OpFOrdLessThan, 2, Shape::FloatToAny, compare<CmpInst::FCMP_OLT>},
    {spv::Op::OpFUnordLessThan, 2, Shape::FloatToAny, compare<CmpInst::FCMP_ULT>},
    {spv::Op::OpFOrdGreaterThan, 2, Shape::FloatToAny, compare<CmpInst::FCMP_OGT>},
    {spv::Op::OpFUnordGreaterThan, 2, Shape::FloatToAny, compare<CmpInst::FCMP_UGT>},
    {spv::Op::OpFOrdLessThanEqual, 2, Shape::FloatToAny, compare<CmpInst::FCMP_OLE>},
    {spv::Op::OpFUnordLessThanEqual, 2, Shape::FloatToAny, compare<CmpInst::FCMP_ULE>},
    {spv::Op::OpFOrdGreaterThanEqual, 2, Shape::FloatToAny, compare<CmpInst::FCMP_OGE>},
    {spv::Op::OpFUnordGreaterThanEqual, 2, Shape::FloatToAny, compare<CmpInst::FCMP_UGE>},
    {spv::Op::OpLessOrGreater, 2, Shape::FloatToAny, compare<CmpInst::FCMP_ONE>},
    {spv::Op::OpOrdered, 2, Shape::FloatToAny, compare<CmpInst::FCMP_ORD>},
    {spv::Op::OpUnordered, 2, Shape::FloatToAny, compare<CmpInst::FCMP_UNO>},
};

ArrayRef<OpcodeRow> assay::relationalOpcodes() {
  return RelationalRows;
}

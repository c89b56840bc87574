// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics that take or make fat pointers, apart from those that ExpandAccesses has replaced and
// those of an architecture.
#include "compiler/lgc/fat_pointers/SplitterIntrinsics.h"

#include "support/Fault.h"

using namespace llvm;
using namespace assay;

/// Derives the overloads from the types of \p arguments and \p type. Operand bundles and metadata
/// of \p old are kept; attributes and the tail call kind are not.
CallInst *assay::callLike(Splitter &splitter, IntrinsicInst &old, Type *type,
                          ArrayRef<Value *> arguments) {
  SmallVector<Type *, 8> parameters;
  for (Value *argument : arguments)
    parameters.push_back(argument->getType());
  if (old.getFunctionType()->isVarArg())
    parameters.clear();
  auto *shape = FunctionType::get(type, parameters, old.getFunctionType()->isVarArg());
  SmallVector<Type *, 4> overloads;
  bool isValid = Intrinsic::getIntrinsicSignature(old.getIntrinsicID(), shape, overloads);
  assert(isValid && "an intrinsic of pointers takes anything");
  (void)isValid;
  Function *declaration =
      Intrinsic::getOrInsertDeclaration(old.getModule(), old.getIntrinsicID(), overloads);
  SmallVector<OperandBundleDef, 1> bundles;
  old.getOperandBundlesAsDefs(bundles);
  CallInst *call = splitter.builder().CreateCall(declaration, arguments, bundles);
  call->copyMetadata(old);
  return call;
}

/// Makes one call for each part. Arguments other than fat pointers are the same in all of them.
void assay::splitByParts(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  splitter.define(old, splitter.forEachPart(old.getType(), [&](Splitter::Selector part) {
    SmallVector<Value *, 4> arguments;
    Type *type = nullptr;
    for (Value *argument : old.args()) {
      bool isPointer = isFatPointer(argument->getType());
      arguments.push_back(isPointer ? splitter.getParts(argument).*part : argument);
      if (isPointer)
        type = arguments.back()->getType();
    }
    return callLike(splitter, old, getTypeLike(old.getType(), type->getScalarType()), arguments);
  }));
}

/// Those of which only the optimiser has ever had any use.
static void splitIntoArgument(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  splitter.define(old, splitter.getParts(old.getArgOperand(0)));
}

/// Removes the intrinsic; a result, if it has one, is poison.
static void drop(Splitter &splitter, Instruction &instruction) {
  bool isVoid = instruction.getType()->isVoidTy();
  splitter.replace(instruction, isVoid ? nullptr : PoisonValue::get(instruction.getType()));
}

/// The mask has the offset's width: a resource's bits are no address.
static void splitMask(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  FatParts parts = splitter.getParts(old.getArgOperand(0));
  if (!faultPlanted(Fault::FatPtrmaskLost))
    parts.offset = splitter.builder().CreateAnd(parts.offset, old.getArgOperand(1));
  splitter.define(old, parts);
}

/// Nobody knows a buffer's size: what the intrinsic says then (LangRef, llvm.objectsize).
static void splitObjectSize(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  bool wantsMinimum = cast<ConstantInt>(old.getArgOperand(1))->isOne();
  Type *type = old.getType();
  splitter.replace(old,
                   wantsMinimum ? Constant::getNullValue(type) : Constant::getAllOnesValue(type));
}

/// No fat pointer counts as constant.
static void splitIsConstant(Splitter &splitter, Instruction &instruction) {
  splitter.replace(instruction, splitter.builder().getFalse());
}

/// Makes one call that has structures of parts for fat pointers. The tail call kind is kept.
void assay::splitAsWhole(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  SmallVector<Value *, 6> arguments;
  for (Value *argument : old.args())
    arguments.push_back(splitter.getWhole(argument));
  Type *type = splitter.types().remap(old.getType());
  CallInst *call = callLike(splitter, old, type, arguments);
  call->setTailCallKind(old.getTailCallKind());
  if (splitter.types().holdsFatPointer(old.getType())) {
    splitter.defineWhole(old, call);
    return;
  }
  splitter.replace(old, type->isVoidTy() ? nullptr : call);
}

ArrayRef<IntrinsicHandler> assay::getIntrinsicHandlers() {
  static constexpr IntrinsicHandler table[] = {
      {Intrinsic::ptrmask, splitMask},
      {Intrinsic::launder_invariant_group, splitIntoArgument},
      {Intrinsic::strip_invariant_group, splitIntoArgument},
      {Intrinsic::ssa_copy, splitIntoArgument},
      {Intrinsic::ptr_annotation, splitIntoArgument},
      {Intrinsic::invariant_start, drop},
      {Intrinsic::invariant_end, drop},
      {Intrinsic::objectsize, splitObjectSize},
      {Intrinsic::is_constant, splitIsConstant},
      {Intrinsic::fake_use, splitAsWhole},
      {Intrinsic::vector_reverse, splitByParts},
      {Intrinsic::vector_extract, splitByParts},
      {Intrinsic::vector_insert, splitByParts},
  };
  return table;
}

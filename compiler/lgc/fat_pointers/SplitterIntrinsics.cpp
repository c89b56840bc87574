// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics that take or make fat pointers, apart from those that ExpandAccesses has replaced.
#include "compiler/lgc/fat_pointers/BufferAccess.h"
#include "compiler/lgc/fat_pointers/Splitter.h"

#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

/// The same intrinsic, with \p arguments and a result of \p type.
static CallInst *callLike(Splitter &splitter, IntrinsicInst &old, Type *type,
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

/// Intrinsics that move values between lanes or elements: each part goes the same way.
static void splitByParts(Splitter &splitter, Instruction &instruction) {
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

static void splitMakeResource(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  SmallVector<Value *, 4> arguments(old.args());
  FatParts parts;
  parts.resource = callLike(splitter, old, builder.getPtrTy(ResourceSpace), arguments);
  parts.index = isStrided(old.getType()) ? builder.getInt32(0) : nullptr;
  parts.offset = builder.getInt32(0);
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

static void splitIsConstant(Splitter &splitter, Instruction &instruction) {
  splitter.replace(instruction, splitter.builder().getFalse());
}

/// Aggregates and pointers go as a whole.
static void splitAsWhole(Splitter &splitter, Instruction &instruction) {
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

/// llvm.amdgcn.cs.chain marks its arguments, one by one, as user or system data.
static void splitChain(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  AttributeList attributes = splitter.types().remap(old.getAttributes(), old.getFunctionType());
  BasicBlock::iterator place = old.getIterator();
  splitAsWhole(splitter, instruction);
  cast<CallInst>(*std::prev(place)).setAttributes(attributes);
}

static void splitLoadToLds(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<IntrinsicInst>(instruction);
  FatParts parts = splitter.getParts(old.getArgOperand(0));
  emitBufferLoadToLds(splitter.builder(), {parts.resource, parts.index, parts.offset}, old);
  splitter.replace(old, nullptr);
}

ArrayRef<IntrinsicHandler> assay::getIntrinsicHandlers() {
  static constexpr IntrinsicHandler table[] = {
      {Intrinsic::ptrmask, splitMask},
      {Intrinsic::amdgcn_make_buffer_rsrc, splitMakeResource},
      {Intrinsic::launder_invariant_group, splitIntoArgument},
      {Intrinsic::strip_invariant_group, splitIntoArgument},
      {Intrinsic::ssa_copy, splitIntoArgument},
      {Intrinsic::ptr_annotation, splitIntoArgument},
      {Intrinsic::invariant_start, drop},
      {Intrinsic::invariant_end, drop},
      {Intrinsic::objectsize, splitObjectSize},
      {Intrinsic::is_constant, splitIsConstant},
      {Intrinsic::fake_use, splitAsWhole},
      {Intrinsic::amdgcn_cs_chain, splitChain},
      {Intrinsic::amdgcn_load_to_lds, splitLoadToLds},
      {Intrinsic::amdgcn_readfirstlane, splitByParts},
      {Intrinsic::amdgcn_readlane, splitByParts},
      {Intrinsic::amdgcn_writelane, splitByParts},
      {Intrinsic::amdgcn_permlane16, splitByParts},
      {Intrinsic::amdgcn_permlanex16, splitByParts},
      {Intrinsic::amdgcn_permlane64, splitByParts},
      {Intrinsic::amdgcn_update_dpp, splitByParts},
      {Intrinsic::amdgcn_mov_dpp, splitByParts},
      {Intrinsic::amdgcn_mov_dpp8, splitByParts},
      {Intrinsic::amdgcn_set_inactive, splitByParts},
      {Intrinsic::amdgcn_wqm, splitByParts},
      {Intrinsic::amdgcn_softwqm, splitByParts},
      {Intrinsic::amdgcn_strict_wwm, splitByParts},
      {Intrinsic::amdgcn_strict_wqm, splitByParts},
      {Intrinsic::vector_reverse, splitByParts},
      {Intrinsic::vector_extract, splitByParts},
      {Intrinsic::vector_insert, splitByParts},
  };
  return table;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that pass fat pointers, and returns: as structs of their parts.
#include "compiler/lgc/fat_pointers/Splitter.h"

#include "support/Fault.h"

using namespace llvm;
using namespace assay;

/// \p whole, a fat pointer as a call passes it, without its offset: a planted fault.
static Value *loseOffset(Splitter &splitter, Value *whole) {
  auto *type = cast<StructType>(whole->getType());
  unsigned offset = type->getNumElements() - 1;
  return splitter.builder().CreateInsertValue(
      whole, Constant::getNullValue(type->getElementType(offset)), offset);
}

/// Returns the arguments of \p call, fat pointers as structures of their parts.
static SmallVector<Value *, 8> getArguments(Splitter &splitter, CallBase &call) {
  SmallVector<Value *, 8> arguments;
  for (Value *argument : call.args()) {
    Value *whole = splitter.getWhole(argument);
    if (faultPlanted(Fault::FatCallLosesOffset) && isFatPointer(argument->getType()))
      whole = loseOffset(splitter, whole);
    arguments.push_back(whole);
  }
  return arguments;
}

/// Gives \p call what \p old has: calling convention, attributes for the remapped types, metadata,
/// and its place in the results.
static void finishCall(Splitter &splitter, CallBase &old, CallBase &call) {
  call.setCallingConv(old.getCallingConv());
  call.setAttributes(splitter.types().remap(old.getAttributes(), old.getFunctionType()));
  call.copyMetadata(old);
  if (splitter.types().holdsFatPointer(old.getType()))
    splitter.defineWhole(old, &call);
  else
    splitter.replace(old, old.getType()->isVoidTy() ? nullptr : &call);
}

/// Calls the remapped callee; tail call kind, bundles and fast-math flags stay.
static void splitCall(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<CallInst>(instruction);
  SmallVector<OperandBundleDef, 1> bundles;
  old.getOperandBundlesAsDefs(bundles);
  CallInst *call =
      splitter.builder().CreateCall(splitter.types().remap(old.getFunctionType()),
                                    old.getCalledOperand(), getArguments(splitter, old), bundles);
  call->setTailCallKind(old.getTailCallKind());
  if (isa<FPMathOperator>(old) && isa<FPMathOperator>(call))
    call->copyFastMathFlags(&old);
  // The parts of the result come after the call, which musttail calls cannot have.
  splitter.builder().SetInsertPoint(&old);
  finishCall(splitter, old, *call);
}

/// One that returns no fat pointer: its parts would have no place.
static void splitInvoke(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<InvokeInst>(instruction);
  SmallVector<OperandBundleDef, 1> bundles;
  old.getOperandBundlesAsDefs(bundles);
  InvokeInst *call = splitter.builder().CreateInvoke(
      splitter.types().remap(old.getFunctionType()), old.getCalledOperand(), old.getNormalDest(),
      old.getUnwindDest(), getArguments(splitter, old), bundles);
  finishCall(splitter, old, *call);
}

/// Returns the remapped value.
static void splitReturn(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<ReturnInst>(instruction);
  splitter.builder().CreateRet(splitter.getWhole(old.getReturnValue()));
  splitter.replace(old, nullptr);
}

ArrayRef<OpcodeHandler> assay::getCallHandlers() {
  static constexpr OpcodeHandler table[] = {
      {Instruction::Call, splitCall},
      {Instruction::Invoke, splitInvoke},
      {Instruction::Ret, splitReturn},
  };
  return table;
}

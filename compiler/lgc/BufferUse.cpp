// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/BufferUse.h"

#include "compiler/lgc/Builder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace assay;

/// Also true for vectors and aggregates with such a pointer in them.
static bool holdsFatPointer(Type *type) {
  if (auto *pointer = dyn_cast<PointerType>(type->getScalarType()))
    return pointer->getAddressSpace() == BufferFatPointerSpace;
  return any_of(type->subtypes(), holdsFatPointer);
}

/// Looks at the types of results and operands.
bool assay::usesFatPointers(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return holdsFatPointer(instruction.getType()) ||
           any_of(instruction.operands(),
                  [](const Use &use) { return holdsFatPointer(use->getType()); });
  });
}

/// "llvm.amdgcn.struct.tbuffer.load" and its relatives.
static bool isBufferIntrinsic(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isIntrinsic() && callee->getName().contains("buffer.");
}

/// True before and after the lowering of fat pointers.
bool assay::accessesBuffers(const Function &function) {
  return usesFatPointers(function) || any_of(instructions(function), isBufferIntrinsic);
}

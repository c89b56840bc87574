// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/SplitFatPointers.h"

#include "compiler/lgc/fat_pointers/ConstantsInMemory.h"
#include "compiler/lgc/fat_pointers/ExpandAccesses.h"
#include "compiler/lgc/fat_pointers/PointersInMemory.h"
#include "compiler/lgc/fat_pointers/Refusals.h"
#include "compiler/lgc/fat_pointers/Signatures.h"
#include "compiler/lgc/fat_pointers/Splitter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

/// Whether anything of \p function is of fat pointers; memory holds none any more.
static bool isConcerned(Function &function, TypeMap &types) {
  auto holds = [&](Type *type) { return types.holdsFatPointer(type); };
  if (holds(function.getFunctionType()))
    return true;
  for (Instruction &instruction : instructions(function)) {
    if (holds(instruction.getType()))
      return true;
    for (const Use &operand : instruction.operands()) {
      auto *constant = dyn_cast<Constant>(operand.get());
      if (holds(operand->getType()) || (constant && usesFatPointers(*constant, types)))
        return true;
    }
  }
  return false;
}

/// Splits the body of \p function; \p old has the arguments that the body still uses.
static void splitFunction(Function &function, Function &old, TypeMap &types,
                          const AccessEmitter &emitter) {
  DominatorTree dominators(function);
  Roots roots(function, dominators);
  Splitter splitter(function, types, roots, emitter);
  for (auto [before, argument] : zip(old.args(), function.args()))
    if (types.holdsFatPointer(before.getType()))
      splitter.defineArgument(before, argument);
  splitter.run();
}

/// Signatures first: calls, which are split with the bodies they are in, go to remapped
/// functions.
static void splitFunctions(ArrayRef<Function *> functions, TypeMap &types,
                           const AccessEmitter &emitter) {
  SmallVector<std::pair<Function *, Function *>, 8> remapped;
  for (Function *function : functions)
    remapped.push_back({function, remapSignature(*function, types)});
  for (auto [old, function] : remapped) {
    if (!function->isDeclaration())
      splitFunction(*function, *old, types, emitter);
    if (old != function)
      old->eraseFromParent();
  }
}

/// Everything is verified before the first change: after an error the module is as it was.
Error assay::splitFatPointers(Module &module, const AccessEmitter &emitter) {
  TypeMap types(module.getDataLayout());
  if (Error error = verifyLowerable(module, types, emitter))
    return error;
  expandFatPointerAccesses(module, emitter);
  // From here on memory of fat pointers is accessed by loads, stores and atomics alone.
  storePointersAsIntegers(module, types);
  // From here on memory holds integers.
  SmallVector<Function *, 8> concerned;
  for (Function &function : module)
    if (!function.isIntrinsic() && isConcerned(function, types)) {
      if (!function.isDeclaration())
        EliminateUnreachableBlocks(function);
      concerned.push_back(&function);
    }
  splitFunctions(concerned, types, emitter);
  remapSymbols(module, types);
  // From here on there is no fat pointer.
  return Error::success();
}

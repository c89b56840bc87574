// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/WaveFunctions.h"

#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;

/// The declaration is convergent, so that calls are not moved to where other fibers are active.
CallInst *ir3::callWaveFunction(IRBuilderBase &builder, StringRef name, Type *result,
                                ArrayRef<Value *> arguments) {
  Module &module = *builder.GetInsertBlock()->getModule();
  SmallVector<Type *, 3> types;
  for (const Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(result, types, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setConvergent();
  function->setDoesNotThrow();
  // They depend on which fibers are active, which LLVM knows as memory that nobody else sees.
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref));
  return builder.CreateCall(callee, arguments);
}

/// Values below 32 bits are zero-extended for \p function and truncated afterwards. Those of 64
/// bits call it twice, low dword first.
Value *ir3::mapDwords(IRBuilderBase &builder, Value *value,
                      function_ref<Value *(Value *)> function) {
  Type *type = value->getType(), *dword = builder.getInt32Ty();
  unsigned bits = type->getScalarSizeInBits();
  Value *integer = builder.CreateBitCast(value, builder.getIntNTy(bits));
  if (bits <= 32) {
    Value *result = function(builder.CreateZExt(integer, dword));
    return builder.CreateBitCast(builder.CreateTrunc(result, builder.getIntNTy(bits)), type);
  }
  Value *low = function(builder.CreateTrunc(integer, dword));
  Value *high = function(builder.CreateTrunc(builder.CreateLShr(integer, 32), dword));
  Value *joined =
      builder.CreateOr(builder.CreateZExt(low, builder.getInt64Ty()),
                       builder.CreateShl(builder.CreateZExt(high, builder.getInt64Ty()), 32));
  return builder.CreateBitCast(joined, type);
}

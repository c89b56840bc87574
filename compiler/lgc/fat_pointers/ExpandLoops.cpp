// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/BufferAccessTarget.h"
#include "compiler/lgc/fat_pointers/ExpandHandlers.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

bool assay::isFatPointerOrVector(const Type *type) {
  return type->isPtrOrPtrVectorTy() &&
         (type->getPointerAddressSpace() == 7 || type->getPointerAddressSpace() == 9);
}

Value *assay::addBytes(IRBuilder<> &builder, Value *pointer, Value *offset) {
  if (auto *constant = dyn_cast<ConstantInt>(offset); constant && constant->isZero())
    return pointer;
  const DataLayout &layout = builder.GetInsertBlock()->getDataLayout();
  // Indices are signed: a narrower one must not become negative.
  Value *index = builder.CreateZExtOrTrunc(offset, layout.getIndexType(pointer->getType()));
  return builder.CreatePtrAdd(pointer, index);
}

Type *assay::getBlockType(const Function &function, unsigned bytes, Align align) {
  LLVMContext &context = function.getContext();
  uint64_t unit = BufferTarget::of(function).unalignedAccess ? 4 : align.value();
  if (bytes <= unit || bytes == 1)
    return bytes <= 4 ? static_cast<Type *>(IntegerType::get(context, 8 * bytes))
                      : FixedVectorType::get(Type::getInt32Ty(context), bytes / 4);
  if (unit >= 4)
    return FixedVectorType::get(Type::getInt32Ty(context), bytes / 4);
  return ArrayType::get(IntegerType::get(context, static_cast<unsigned>(8 * unit)), bytes / unit);
}

SmallVector<unsigned, 8> assay::getBlockSizes(uint64_t bytes) {
  SmallVector<unsigned, 8> sizes(bytes / 16, 16);
  for (unsigned size : {8u, 4u, 2u, 1u})
    if (bytes & size)
      sizes.push_back(size);
  return sizes;
}

void assay::emitLoop(Instruction &place, Value *begin, Value *end, uint64_t step,
                     Direction direction, function_ref<void(IRBuilder<> &, Value *)> body) {
  IRBuilder<> builder(&place);
  Value *isEmpty = builder.CreateICmpEQ(begin, end);
  auto *known = dyn_cast<ConstantInt>(isEmpty);
  if (known && known->isOne())
    return;
  BasicBlock *before = place.getParent();
  BasicBlock *after = before->splitBasicBlock(&place, "expand.done");
  BasicBlock *loop =
      BasicBlock::Create(place.getContext(), "expand.loop", before->getParent(), after);
  before->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(before);
  if (known)
    builder.CreateBr(loop);
  else
    builder.CreateCondBr(isEmpty, after, loop);
  Type *type = begin->getType();

  builder.SetInsertPoint(loop);
  bool isUp = direction == Direction::Up;
  PHINode *counter = builder.CreatePHI(type, 2, "expand.at");
  counter->addIncoming(isUp ? begin : end, before);
  Constant *stride = ConstantInt::get(type, step);
  Value *next = isUp ? builder.CreateAdd(counter, stride) : builder.CreateSub(counter, stride);
  // The terminator comes first, so that the body may split the block.
  BranchInst *back =
      builder.CreateCondBr(builder.CreateICmpEQ(next, isUp ? end : begin), after, loop);
  builder.SetInsertPoint(back);
  body(builder, isUp ? counter : next);
  counter->addIncoming(next, back->getParent());
}

AAMDNodes assay::getAliasesOfParts(const IntrinsicInst &intrinsic) {
  AAMDNodes aliases = intrinsic.getAAMetadata();
  // These describe types, which bytes on their way have none of.
  aliases.TBAA = nullptr;
  aliases.TBAAStruct = nullptr;
  return aliases;
}

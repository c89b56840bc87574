// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/ExpandHandlers.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

/// A constant \p offset is added to \p distance, so that one step remains.
Value *assay::addBytes(IRBuilder<> &builder, Value *pointer, Value *offset, uint64_t distance) {
  Type *type = builder.GetInsertBlock()->getDataLayout().getIndexType(pointer->getType());
  auto *known = dyn_cast<ConstantInt>(offset);
  if (known)
    distance += known->getZExtValue();
  else // Indices are signed: a narrower one must not become negative.
    pointer = builder.CreatePtrAdd(pointer, builder.CreateZExtOrTrunc(offset, type));
  if (!distance)
    return pointer;
  return builder.CreatePtrAdd(pointer, ConstantInt::get(type, distance, false, true));
}

/// Returns i8, i16, i32 or a vector of i32; where the alignment forbids those, an array of integers
/// as wide as \p align.
Type *assay::getBlockType(const AccessEmitter &emitter, const Function &function, unsigned bytes,
                          Align align) {
  LLVMContext &context = function.getContext();
  uint64_t unit = emitter.allowsUnalignedDwords(function) ? 4 : align.value();
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

/// Splits the block of \p place and adds one loop block. The loop tests at its end; a test for an
/// empty range precedes it, unless both ends are constants.
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
  // A terminator comes first, so that the body may split the block.
  BranchInst *back = builder.CreateBr(loop);
  builder.SetInsertPoint(back);
  body(builder, isUp ? counter : next);
  builder.SetInsertPoint(back);
  // Not before the body: LLVM loses registers at -O0 where a flag lives across an access by a
  // resource that diverges (bugs/README.md).
  Value *isLast = builder.CreateICmpEQ(next, isUp ? end : begin);
  builder.CreateCondBr(isLast, after, loop);
  counter->addIncoming(next, back->getParent());
  back->eraseFromParent();
}

/// \p value without its lowest bits, for a multiple of \p step, a power of two.
static Value *roundDown(IRBuilder<> &builder, Value *value, uint64_t step) {
  return builder.CreateAnd(value, ConstantInt::get(value->getType(), ~(step - 1), false, true));
}

using PartBody = function_ref<void(IRBuilder<> &, Value *, unsigned)>;

/// What is left of \p length below 16 bytes: each size is after all larger ones.
static void emitTail(Instruction &place, Value *length, Direction direction, PartBody body) {
  SmallVector<unsigned, 4> sizes = {8, 4, 2, 1};
  if (direction == Direction::Down)
    std::reverse(sizes.begin(), sizes.end());
  for (unsigned size : sizes) {
    IRBuilder<> builder(&place);
    Value *offset = roundDown(builder, length, uint64_t(size) * 2);
    Value *bit = builder.CreateAnd(length, ConstantInt::get(length->getType(), size));
    Value *isThere = builder.CreateICmpNE(bit, Constant::getNullValue(bit->getType()));
    if (auto *known = dyn_cast<ConstantInt>(isThere)) {
      if (known->isOne())
        body(builder, offset, size);
      continue;
    }
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(isThere, place.getIterator(), false));
    body(builder, offset, size);
  }
}

/// Downwards, the same ranges are visited in reverse order: first the tail, which has the highest
/// addresses.
void assay::emitParts(Instruction &place, Value *length, bool isWide, Direction direction,
                      PartBody body) {
  IRBuilder<> builder(&place);
  Value *zero = Constant::getNullValue(length->getType());
  Value *wideEnd = isWide ? roundDown(builder, length, 64) : zero;
  Value *end = roundDown(builder, length, 16);
  auto emitLoops = [&](Value *from, Value *to, unsigned size) {
    emitLoop(place, from, to, size, direction,
             [&](IRBuilder<> &inner, Value *offset) { body(inner, offset, size); });
  };
  if (direction == Direction::Down) {
    emitTail(place, length, direction, body);
    emitLoops(wideEnd, end, 16);
    emitLoops(zero, wideEnd, 64);
    return;
  }
  emitLoops(zero, wideEnd, 64);
  emitLoops(wideEnd, end, 16);
  emitTail(place, length, direction, body);
}

/// Keeps scopes and nontemporal; drops TBAA and invariant.load.
PartMetadata PartMetadata::ofBytes(const IntrinsicInst &intrinsic) {
  PartMetadata result = ofElements(intrinsic);
  result.m_aliases.TBAA = nullptr;
  result.m_aliases.TBAAStruct = nullptr;
  result.m_invariant = nullptr; // Of which side it would be is not said.
  return result;
}

/// Keeps all alias metadata, nontemporal and invariant.load.
PartMetadata PartMetadata::ofElements(const IntrinsicInst &intrinsic) {
  PartMetadata result;
  result.m_aliases = intrinsic.getAAMetadata();
  result.m_nontemporal = intrinsic.getMetadata(LLVMContext::MD_nontemporal);
  result.m_invariant = intrinsic.getMetadata(LLVMContext::MD_invariant_load);
  return result;
}

void PartMetadata::putOnAny(Instruction &access) const {
  access.setAAMetadata(m_aliases);
  access.setMetadata(LLVMContext::MD_nontemporal, m_nontemporal);
}

void PartMetadata::putOn(LoadInst &load) const {
  putOnAny(load);
  load.setMetadata(LLVMContext::MD_invariant_load, m_invariant);
}

void PartMetadata::putOn(StoreInst &store) const {
  putOnAny(store);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masked loads and stores, gathers and scatters, element by element: one whose mask is false is not
// accessed at all. (Expanding loads and compressing stores exist for address space 0 only.)
#include "compiler/lgc/fat_pointers/ExpandHandlers.h"
#include "support/Fault.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

namespace {
/// Any of the four: \p pointers is one pointer to the whole vector or a vector of pointers.
struct MaskedAccess {
  IntrinsicInst &intrinsic;
  Value *pointers;
  Value *mask;
  FixedVectorType *type;
  Align align;

  MaskedAccess(IntrinsicInst &intrinsic, unsigned pointerOperand, unsigned maskOperand, Type *type)
      : intrinsic(intrinsic), pointers(intrinsic.getArgOperand(pointerOperand)),
        mask(intrinsic.getArgOperand(maskOperand)), type(cast<FixedVectorType>(type)),
        align(intrinsic.getParamAlign(pointerOperand).valueOrOne()) {}

  unsigned getCount() const { return type->getNumElements(); }
  bool hasOnePointer() const { return !pointers->getType()->isVectorTy(); }

  /// The address of \p element.
  Value *getPointer(IRBuilder<> &builder, unsigned element) const {
    return hasOnePointer() ? addBytes(builder, pointers, builder.getInt32(getDistance(element)))
                           : builder.CreateExtractElement(pointers, element);
  }
  /// The alignment that is known of \p element.
  Align getAlign(unsigned element) const {
    return hasOnePointer() ? commonAlignment(align, getDistance(element)) : align;
  }

private:
  /// Vectors are packed in memory.
  unsigned getDistance(unsigned element) const {
    uint64_t bits = intrinsic.getDataLayout().getTypeSizeInBits(type->getElementType());
    return static_cast<unsigned>(element * bits / 8);
  }
};
} // namespace

/// Runs \p emit before \p place where \p isWanted says so. Its result, or \p otherwise.
static Value *emitIf(Instruction &place, Value *isWanted, Value *otherwise,
                     function_ref<Value *(IRBuilder<> &)> emit) {
  IRBuilder<> builder(&place);
  if (isa<UndefValue>(isWanted)) // No access is as good as any.
    return otherwise;
  if (auto *known = dyn_cast<ConstantInt>(isWanted))
    return known->isOne() ? emit(builder) : otherwise;
  Instruction *end = SplitBlockAndInsertIfThen(isWanted, place.getIterator(), false);
  BasicBlock *before = end->getParent()->getSinglePredecessor();
  builder.SetInsertPoint(end);
  Value *result = emit(builder);
  if (!result)
    return nullptr;
  builder.SetInsertPoint(place.getParent(), place.getParent()->begin());
  PHINode *join = builder.CreatePHI(result->getType(), 2);
  join->addIncoming(result, end->getParent());
  join->addIncoming(otherwise, before);
  return join;
}

/// Returns the i1 that says whether \p element is accessed.
static Value *getMaskBit(const MaskedAccess &access, unsigned element) {
  IRBuilder<> builder(&access.intrinsic);
  if (faultPlanted(Fault::FatMaskIgnored) && access.intrinsic.getType()->isVoidTy())
    return builder.getTrue();
  return builder.CreateExtractElement(access.mask, element);
}

/// One i1 that is the whole mask, if there is one and the access has one pointer.
static Value *getCommonMask(const MaskedAccess &access) {
  return access.hasOnePointer() ? getSplatValue(access.mask) : nullptr;
}

/// Elements that are not loaded come from the third operand, the pass-through. One mask bit for all
/// gives one load.
static void expandLoad(IntrinsicInst &intrinsic, const AccessEmitter &) {
  MaskedAccess access(intrinsic, 0, 1, intrinsic.getType());
  Value *result = intrinsic.getArgOperand(2);
  PartMetadata metadata = PartMetadata::ofElements(intrinsic);
  auto load = [&](IRBuilder<> &builder, Type *type, Value *pointer, Align align) {
    LoadInst *part = builder.CreateAlignedLoad(type, pointer, align);
    metadata.putOn(*part);
    return part;
  };
  if (Value *common = getCommonMask(access)) {
    result = emitIf(intrinsic, common, result, [&](IRBuilder<> &builder) {
      return load(builder, access.type, access.pointers, access.align);
    });
    intrinsic.replaceAllUsesWith(result);
    return;
  }
  for (unsigned i = 0; i < access.getCount(); ++i)
    result = emitIf(intrinsic, getMaskBit(access, i), result, [&](IRBuilder<> &builder) {
      Value *part = load(builder, access.type->getElementType(), access.getPointer(builder, i),
                         access.getAlign(i));
      return builder.CreateInsertElement(result, part, i);
    });
  intrinsic.replaceAllUsesWith(result);
}

/// One mask bit for all gives one store, otherwise each element has a branch and a store.
static void expandStore(IntrinsicInst &intrinsic, const AccessEmitter &) {
  Value *value = intrinsic.getArgOperand(0);
  MaskedAccess access(intrinsic, 1, 2, value->getType());
  PartMetadata metadata = PartMetadata::ofElements(intrinsic);
  auto store = [&](IRBuilder<> &builder, Value *part, Value *pointer, Align align) -> Value * {
    metadata.putOn(*builder.CreateAlignedStore(part, pointer, align));
    return nullptr;
  };
  Value *common = getCommonMask(access);
  if (common && !faultPlanted(Fault::FatMaskIgnored)) {
    emitIf(intrinsic, common, nullptr, [&](IRBuilder<> &builder) {
      return store(builder, value, access.pointers, access.align);
    });
    return;
  }
  // In this order: of elements of a scatter to one place the last stays.
  for (unsigned i = 0; i < access.getCount(); ++i)
    emitIf(intrinsic, getMaskBit(access, i), nullptr, [&](IRBuilder<> &builder) {
      return store(builder, builder.CreateExtractElement(value, i), access.getPointer(builder, i),
                   access.getAlign(i));
    });
}

ArrayRef<ExpandRow> assay::getMaskedRows() {
  static constexpr ExpandRow rows[] = {
      {Intrinsic::masked_load, expandLoad},
      {Intrinsic::masked_gather, expandLoad},
      {Intrinsic::masked_store, expandStore},
      {Intrinsic::masked_scatter, expandStore},
  };
  return rows;
}

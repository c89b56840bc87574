// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memcpy and memmove as loads and stores: in a straight line where they are small, else in loops.
// Element-wise atomic ones go element by element.
#include "compiler/lgc/fat_pointers/ExpandHandlers.h"
#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "support/Fault.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace assay;

/// Bytes that are loaded before the first of them is stored: 32 registers.
static constexpr uint64_t batchBytes = 128;
/// Larger copies are loops.
static constexpr uint64_t straightBytes = 512;

namespace {
/// A memcpy or memmove: its operands and what its loads and stores keep of it. The length is in
/// bytes, of any integer width.
struct Copy {
  Value *to = nullptr;
  Value *from = nullptr;
  Value *length = nullptr;
  Align toAlign;
  Align fromAlign;
  bool isVolatile = false;
  unsigned elementBytes = 0; ///< Of one that is atomic by elements, else 0.
  PartMetadata metadata;
  const AccessEmitter &emitter;

  Copy(AnyMemTransferInst &intrinsic, const AccessEmitter &emitter)
      : to(intrinsic.getRawDest()), from(intrinsic.getRawSource()), length(intrinsic.getLength()),
        toAlign(intrinsic.getDestAlign().valueOrOne()),
        fromAlign(intrinsic.getSourceAlign().valueOrOne()), isVolatile(intrinsic.isVolatile()),
        metadata(PartMetadata::ofBytes(intrinsic)), emitter(emitter) {
    if (intrinsic.isAtomic())
      elementBytes = intrinsic.getElementSizeInBytes();
  }

  /// The alignment of both sides.
  Align getAlign() const { return std::min(toAlign, fromAlign); }

  /// Of \p type at \p offset + \p distance, which is a multiple of \p align.
  LoadInst *load(IRBuilder<> &builder, Type *type, Value *offset, uint64_t distance,
                 Align align) const {
    Value *place = addBytes(builder, from, offset, distance);
    LoadInst *load = builder.CreateAlignedLoad(type, place, std::min(fromAlign, align), isVolatile);
    metadata.putOn(*load);
    if (elementBytes)
      load->setAtomic(AtomicOrdering::Unordered);
    return load;
  }
  /// Stores \p value at \p offset + \p distance, which is a multiple of \p align.
  void store(IRBuilder<> &builder, Value *value, Value *offset, uint64_t distance,
             Align align) const {
    Value *place = addBytes(builder, to, offset, distance);
    StoreInst *store =
        builder.CreateAlignedStore(value, place, std::min(toAlign, align), isVolatile);
    metadata.putOn(*store);
    if (elementBytes)
      store->setAtomic(AtomicOrdering::Unordered);
  }
};
} // namespace

// --- Pieces

/// \p bytes at \p base, whose address is a multiple of \p align if those of the copy are: all are
/// loaded before any is stored.
static void copyPart(IRBuilder<> &builder, const Copy &copy, Value *base, Align align,
                     uint64_t bytes) {
  const Function &function = *builder.GetInsertBlock()->getParent();
  SmallVector<std::pair<Value *, uint64_t>, 8> loaded;
  uint64_t distance = 0;
  for (unsigned size : getBlockSizes(bytes)) {
    Align each = commonAlignment(align, distance);
    Type *type = getBlockType(copy.emitter, function, size, std::min(each, copy.getAlign()));
    loaded.push_back({copy.load(builder, type, base, distance, each), distance});
    distance += size;
  }
  if (faultPlanted(Fault::FatCopyTail) && bytes % 16)
    loaded.pop_back();
  for (auto [value, at] : loaded)
    copy.store(builder, value, base, at, commonAlignment(align, at));
}

/// The first \p bytes of \p copy, in batches.
static void copyStraight(Instruction &place, const Copy &copy, uint64_t bytes) {
  IRBuilder<> builder(&place);
  for (uint64_t done = 0; done < bytes; done += batchBytes)
    copyPart(builder, copy, builder.getInt64(done), commonAlignment(Align(batchBytes), done),
             std::min(bytes - done, batchBytes));
}

/// All of \p copy, in order of \p direction where parts overlap.
static void copyByLoops(Instruction &place, const Copy &copy, Direction direction) {
  Constant *zero = Constant::getNullValue(copy.length->getType());
  if (unsigned bytes = copy.elementBytes) {
    Type *type = IntegerType::get(place.getContext(), 8 * bytes);
    emitLoop(place, zero, copy.length, bytes, direction, [&](IRBuilder<> &builder, Value *offset) {
      Value *element = copy.load(builder, type, offset, 0, Align(bytes));
      copy.store(builder, element, offset, 0, Align(bytes));
    });
    return;
  }
  bool isWide = getBlockType(copy.emitter, *place.getFunction(), 16, copy.getAlign())->isVectorTy();
  emitParts(place, copy.length, isWide, direction,
            [&](IRBuilder<> &builder, Value *offset, unsigned bytes) {
              copyPart(builder, copy, offset, Align(bytes), bytes);
            });
}

// --- Overlap

/// Of any pointer, as an i64.
static Value *getMachineAddress(IRBuilder<> &builder, Value *pointer,
                                const AccessEmitter &emitter) {
  return isFatPointer(pointer->getType()) ? emitter.emitMachineAddress(builder, pointer)
                                          : builder.CreatePtrToInt(pointer, builder.getInt64Ty());
}

/// The pointer of which \p pointer is an offset away.
static Value *getBase(Value *pointer) {
  while (auto *step = dyn_cast<GEPOperator>(pointer))
    pointer = step->getPointerOperand();
  return pointer;
}

/// Whether \p copy must go upwards because it moves bytes down: an i1.
static Value *movesDown(IRBuilder<> &builder, const Copy &copy) {
  unsigned to = copy.to->getType()->getPointerAddressSpace();
  unsigned from = copy.from->getType()->getPointerAddressSpace();
  auto isApart = [](unsigned space) { return space == 2 || space == 3 || space == 5; };
  if (isApart(to) || isApart(from) || faultPlanted(Fault::FatMoveForward))
    return builder.getTrue();
  if (to == from && to == FatSpace &&
      getBase(copy.to) == getBase(copy.from)) // Only offsets differ.
    return builder.CreateICmpULT(builder.CreatePtrToInt(copy.to, builder.getInt32Ty()),
                                 builder.CreatePtrToInt(copy.from, builder.getInt32Ty()));
  Value *first = getMachineAddress(builder, copy.to, copy.emitter);
  return builder.CreateICmpULT(first, getMachineAddress(builder, copy.from, copy.emitter));
}

// --- Intrinsics

/// Copies of up to straightBytes of known length become straight code, all others loops upwards:
/// the sides do not overlap.
static void expandMemcpy(IntrinsicInst &intrinsic, const AccessEmitter &emitter) {
  Copy copy(cast<AnyMemTransferInst>(intrinsic), emitter);
  auto *known = dyn_cast<ConstantInt>(copy.length);
  if (copy.elementBytes || !known || known->getZExtValue() > straightBytes) {
    copyByLoops(intrinsic, copy, Direction::Up);
    return;
  }
  copyStraight(intrinsic, copy, known->getZExtValue());
}

/// Small moves of known length are loaded as a whole first. Others compare addresses at run time
/// and have a loop for each direction, unless the sides can't overlap.
static void expandMemmove(IntrinsicInst &intrinsic, const AccessEmitter &emitter) {
  Copy copy(cast<AnyMemTransferInst>(intrinsic), emitter);
  auto *known = dyn_cast<ConstantInt>(copy.length);
  if (known && known->getZExtValue() <= batchBytes && !copy.elementBytes &&
      !faultPlanted(Fault::FatMoveForward)) {
    copyStraight(intrinsic, copy, known->getZExtValue());
    return;
  }
  IRBuilder<> builder(&intrinsic);
  Value *isDown = movesDown(builder, copy);
  if (isa<ConstantInt>(isDown)) {
    copyByLoops(intrinsic, copy, Direction::Up);
    return;
  }
  // Of no bytes, a move may have pointers that are poison: either direction will do.
  isDown = builder.CreateFreeze(isDown);
  Instruction *up = nullptr;
  Instruction *down = nullptr;
  SplitBlockAndInsertIfThenElse(isDown, intrinsic.getIterator(), &up, &down);
  copyByLoops(*up, copy, Direction::Up);
  copyByLoops(*down, copy, Direction::Down);
}

ArrayRef<ExpandRow> assay::getCopyRows() {
  static constexpr ExpandRow rows[] = {
      {Intrinsic::memcpy, expandMemcpy},
      {Intrinsic::memcpy_inline, expandMemcpy},
      {Intrinsic::memcpy_element_unordered_atomic, expandMemcpy},
      {Intrinsic::memmove, expandMemmove},
      {Intrinsic::memmove_element_unordered_atomic, expandMemmove},
  };
  return rows;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memcpy and memmove as loads and stores: in a straight line where they are small, else in loops of
// 16 bytes with a tail of bytes. Element-wise atomic ones go element by element.
#include "compiler/lgc/fat_pointers/ExpandHandlers.h"
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
struct Copy {
  Value *to = nullptr;
  Value *from = nullptr;
  Value *length = nullptr;
  Align toAlign;
  Align fromAlign;
  bool isVolatile = false;
  unsigned elementBytes = 0; ///< Of one that is atomic by elements, else 0.
  AAMDNodes aliases;

  explicit Copy(AnyMemTransferInst &intrinsic)
      : to(intrinsic.getRawDest()), from(intrinsic.getRawSource()), length(intrinsic.getLength()),
        toAlign(intrinsic.getDestAlign().valueOrOne()),
        fromAlign(intrinsic.getSourceAlign().valueOrOne()), isVolatile(intrinsic.isVolatile()),
        aliases(getAliasesOfParts(intrinsic)) {
    if (intrinsic.isAtomic())
      elementBytes = intrinsic.getElementSizeInBytes();
  }

  Align getAlign() const { return std::min(toAlign, fromAlign); }

  LoadInst *load(IRBuilder<> &builder, Type *type, Value *offset, Align align) const {
    LoadInst *load = builder.CreateAlignedLoad(type, addBytes(builder, from, offset),
                                               std::min(fromAlign, align), isVolatile);
    load->setAAMetadata(aliases);
    if (elementBytes)
      load->setAtomic(AtomicOrdering::Unordered);
    return load;
  }
  void store(IRBuilder<> &builder, Value *value, Value *offset, Align align) const {
    StoreInst *store = builder.CreateAlignedStore(value, addBytes(builder, to, offset),
                                                  std::min(toAlign, align), isVolatile);
    store->setAAMetadata(aliases);
    if (elementBytes)
      store->setAtomic(AtomicOrdering::Unordered);
  }
};
} // namespace

// --- Straight lines

static void copyStraight(Instruction &place, const Copy &copy, uint64_t begin, uint64_t bytes) {
  IRBuilder<> builder(&place);
  const Function &function = *place.getFunction();
  SmallVector<std::pair<Value *, uint64_t>, 8> loaded;
  uint64_t offset = begin;
  auto offsetOf = [&](uint64_t at) { return ConstantInt::get(copy.length->getType(), at); };
  for (unsigned size : getBlockSizes(bytes)) {
    Align align = commonAlignment(copy.getAlign(), offset);
    Type *type = getBlockType(function, size, align);
    loaded.push_back(
        {copy.load(builder, type, offsetOf(offset), commonAlignment(copy.fromAlign, offset)),
         offset});
    offset += size;
  }
  if (faultPlanted(Fault::FatCopyTail) && bytes % 16 && !loaded.empty())
    loaded.pop_back();
  for (auto [value, at] : loaded)
    copy.store(builder, value, offsetOf(at), commonAlignment(copy.toAlign, at));
}

// --- Loops

/// \p bytes at every multiple of their number from \p begin to \p end.
static void copyBlocks(Instruction &place, const Copy &copy, Value *begin, Value *end,
                       unsigned bytes, Direction direction) {
  Align align = commonAlignment(copy.getAlign(), bytes);
  Type *type = copy.elementBytes ? IntegerType::get(place.getContext(), 8 * bytes)
                                 : getBlockType(*place.getFunction(), bytes, align);
  emitLoop(place, begin, end, bytes, direction, [&](IRBuilder<> &builder, Value *offset) {
    Align each(bytes);
    copy.store(builder, copy.load(builder, type, offset, each), offset, each);
  });
}

/// All of \p copy, byte by byte in order of \p direction where parts overlap.
static void copyByLoops(Instruction &place, const Copy &copy, Direction direction) {
  Type *type = copy.length->getType();
  Constant *zero = ConstantInt::get(type, 0);
  if (copy.elementBytes) {
    copyBlocks(place, copy, zero, copy.length, copy.elementBytes, direction);
    return;
  }
  IRBuilder<> builder(&place);
  // For lengths that are constants the builder folds it all.
  Value *main = builder.CreateAnd(copy.length, ConstantInt::get(type, ~uint64_t(15), false, true));
  auto copyTail = [&] {
    auto *known = dyn_cast<ConstantInt>(copy.length);
    if (known)
      copyStraight(place, copy, known->getZExtValue() & ~uint64_t(15), known->getZExtValue() % 16);
    else if (!faultPlanted(Fault::FatCopyTail))
      copyBlocks(place, copy, main, copy.length, 1, direction);
  };
  if (direction == Direction::Down)
    copyTail();
  copyBlocks(place, copy, zero, main, 16, direction);
  if (direction == Direction::Up)
    copyTail();
}

// --- Overlap

/// The address that hardware computes of \p pointer, 64 bits. A resource has its base address in
/// bits 47:0 and its stride in bits 61:48 (AMD ISA manuals, "Buffer Resource Descriptor"); swizzled
/// buffers are not copied between.
static Value *getMachineAddress(IRBuilder<> &builder, Value *pointer) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  Type *wide = builder.getInt64Ty();
  if (space != 7 && space != 9)
    return builder.CreatePtrToInt(pointer, wide);
  Value *bits = builder.CreatePtrToInt(pointer, builder.getIntNTy(space == 7 ? 160 : 192));
  auto field = [&](unsigned low, unsigned width) {
    Value *part = builder.CreateTrunc(builder.CreateLShr(bits, low), builder.getIntNTy(width));
    return builder.CreateZExt(part, wide);
  };
  unsigned resource = space == 7 ? 32 : 64;
  Value *address = builder.CreateAdd(field(resource, 48), field(0, 32));
  if (space == 7)
    return address;
  return builder.CreateAdd(address, builder.CreateMul(field(resource + 48, 14), field(32, 32)));
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
  if (to == from && to == 7 && getBase(copy.to) == getBase(copy.from)) // Only offsets differ.
    return builder.CreateICmpULT(builder.CreatePtrToInt(copy.to, builder.getInt32Ty()),
                                 builder.CreatePtrToInt(copy.from, builder.getInt32Ty()));
  return builder.CreateICmpULT(getMachineAddress(builder, copy.to),
                               getMachineAddress(builder, copy.from));
}

// --- Intrinsics

static void expandMemcpy(IntrinsicInst &intrinsic) {
  Copy copy(cast<AnyMemTransferInst>(intrinsic));
  auto *known = dyn_cast<ConstantInt>(copy.length);
  if (copy.elementBytes || !known || known->getZExtValue() > straightBytes) {
    copyByLoops(intrinsic, copy, Direction::Up);
    return;
  }
  uint64_t bytes = known->getZExtValue();
  for (uint64_t done = 0; done < bytes; done += batchBytes)
    copyStraight(intrinsic, copy, done, std::min(bytes - done, batchBytes));
}

static void expandMemmove(IntrinsicInst &intrinsic) {
  Copy copy(cast<AnyMemTransferInst>(intrinsic));
  auto *known = dyn_cast<ConstantInt>(copy.length);
  if (known && known->getZExtValue() <= batchBytes && !copy.elementBytes &&
      !faultPlanted(Fault::FatMoveForward)) {
    copyStraight(intrinsic, copy, 0, known->getZExtValue());
    return;
  }
  IRBuilder<> builder(&intrinsic);
  Value *isDown = movesDown(builder, copy);
  if (isa<ConstantInt>(isDown)) {
    copyByLoops(intrinsic, copy, Direction::Up);
    return;
  }
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

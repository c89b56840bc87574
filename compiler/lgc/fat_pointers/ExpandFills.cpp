// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memset and its relatives as stores, 16 bytes at once.
#include "compiler/lgc/fat_pointers/ExpandHandlers.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;

/// Larger fills are loops.
static constexpr uint64_t straightBytes = 512;

namespace {
struct Fill {
  Value *to = nullptr;
  Align align;
  bool isVolatile = false;
  bool isAtomic = false;
  AAMDNodes aliases;

  void store(IRBuilder<> &builder, Value *value, Value *offset, Align each) const {
    StoreInst *store = builder.CreateAlignedStore(value, addBytes(builder, to, offset),
                                                  std::min(align, each), isVolatile);
    store->setAAMetadata(aliases);
    if (isAtomic)
      store->setAtomic(AtomicOrdering::Unordered);
  }
};
} // namespace

/// \p byte in every byte of an integer, or of an array or vector of integers, of \p type.
static Value *splat(IRBuilder<> &builder, Value *byte, Type *type) {
  auto *array = dyn_cast<ArrayType>(type);
  Type *unit = array ? array->getElementType() : type->getScalarType();
  unsigned bits = unit->getIntegerBitWidth();
  Value *one = builder.CreateZExt(byte, unit);
  if (!faultPlanted(Fault::FatFillNotSplat))
    one = builder.CreateMul(one, ConstantInt::get(unit, APInt::getSplat(bits, APInt(8, 1))));
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return builder.CreateVectorSplat(vector->getNumElements(), one);
  if (!array)
    return one;
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i < array->getNumElements(); ++i)
    result = builder.CreateInsertValue(result, one, i);
  return result;
}

static void fillStraight(Instruction &place, const Fill &fill, Value *byte, uint64_t begin,
                         uint64_t bytes) {
  IRBuilder<> builder(&place);
  DenseMap<Type *, Value *> values;
  uint64_t offset = begin;
  for (unsigned size : getBlockSizes(bytes)) {
    Align align = commonAlignment(fill.align, offset);
    Type *type = getBlockType(*place.getFunction(), size, align);
    Value *&value = values[type];
    if (!value)
      value = splat(builder, byte, type);
    fill.store(builder, value, builder.getInt64(offset), align);
    offset += size;
  }
}

static void fillByLoops(Instruction &place, const Fill &fill, Value *byte, Value *length) {
  IRBuilder<> builder(&place);
  Type *type = length->getType();
  Type *blockType = getBlockType(*place.getFunction(), 16, fill.align);
  Value *block = splat(builder, byte, blockType);
  Value *main = builder.CreateAnd(length, ConstantInt::get(type, ~uint64_t(15), false, true));
  emitLoop(place, ConstantInt::get(type, 0), main, 16, Direction::Up,
           [&](IRBuilder<> &body, Value *at) { fill.store(body, block, at, Align(16)); });
  if (auto *known = dyn_cast<ConstantInt>(length)) {
    uint64_t bytes = known->getZExtValue();
    fillStraight(place, fill, byte, bytes & ~uint64_t(15), bytes % 16);
    return;
  }
  emitLoop(place, main, length, 1, Direction::Up,
           [&](IRBuilder<> &body, Value *at) { fill.store(body, byte, at, Align(1)); });
}

static void expandMemset(IntrinsicInst &intrinsic) {
  auto &set = cast<AnyMemSetInst>(intrinsic);
  Fill fill{set.getRawDest(), set.getDestAlign().valueOrOne(), set.isVolatile(), set.isAtomic(),
            getAliasesOfParts(intrinsic)};
  Value *byte = set.getValue();
  if (set.isAtomic()) {
    IRBuilder<> builder(&intrinsic);
    unsigned bytes = set.getElementSizeInBytes();
    Value *element = splat(builder, byte, builder.getIntNTy(8 * bytes));
    emitLoop(intrinsic, ConstantInt::get(set.getLength()->getType(), 0), set.getLength(), bytes,
             Direction::Up,
             [&](IRBuilder<> &body, Value *at) { fill.store(body, element, at, Align(bytes)); });
    return;
  }
  auto *known = dyn_cast<ConstantInt>(set.getLength());
  if (known && known->getZExtValue() <= straightBytes)
    fillStraight(intrinsic, fill, byte, 0, known->getZExtValue());
  else
    fillByLoops(intrinsic, fill, byte, set.getLength());
}

/// A value again and again, as if in an array: LangRef, llvm.experimental.memset.pattern.
static void expandPattern(IntrinsicInst &intrinsic) {
  auto &set = cast<MemSetPatternInst>(intrinsic);
  Fill fill{set.getRawDest(), set.getDestAlign().valueOrOne(), set.isVolatile(), false,
            getAliasesOfParts(intrinsic)};
  Value *pattern = set.getValue();
  uint64_t stride = intrinsic.getDataLayout().getTypeAllocSize(pattern->getType());
  IRBuilder<> builder(&intrinsic);
  Type *type = set.getLength()->getType();
  Value *bytes = builder.CreateMul(set.getLength(), ConstantInt::get(type, stride));
  Align each = commonAlignment(fill.align, stride);
  emitLoop(intrinsic, ConstantInt::get(type, 0), bytes, stride, Direction::Up,
           [&](IRBuilder<> &body, Value *at) { fill.store(body, pattern, at, each); });
}

ArrayRef<ExpandRow> assay::getFillRows() {
  static constexpr ExpandRow rows[] = {
      {Intrinsic::memset, expandMemset},
      {Intrinsic::memset_inline, expandMemset},
      {Intrinsic::memset_element_unordered_atomic, expandMemset},
      {Intrinsic::experimental_memset_pattern, expandPattern},
  };
  return rows;
}

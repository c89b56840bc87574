// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memset and its relatives as stores, 16 bytes at once.
#include "compiler/lgc/fat_pointers/ExpandHandlers.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;

/// Larger fills are loops.
static constexpr uint64_t straightBytes = 512;

namespace {
/// A memset or one of its relatives: where and how it stores.
struct Fill {
  Value *to = nullptr;
  Align align;
  bool isVolatile = false;
  bool isAtomic = false;
  PartMetadata metadata;
  const AccessEmitter &emitter;

  /// At \p offset + \p distance, a multiple of \p each.
  void store(IRBuilder<> &builder, Value *value, Value *offset, uint64_t distance,
             Align each) const {
    Value *place = addBytes(builder, to, offset, distance);
    StoreInst *store = builder.CreateAlignedStore(value, place, std::min(align, each), isVolatile);
    metadata.putOn(*store);
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

/// The blocks that a byte has been splatted to, each made once.
class Splats {
public:
  Splats(Instruction &place, Value *byte) : m_builder(&place), m_byte(byte) {}
  /// Returns the byte splatted to \p type.
  Value *get(Type *type) {
    Value *&value = m_values[type];
    if (!value)
      value = splat(m_builder, m_byte, type);
    return value;
  }

private:
  IRBuilder<> m_builder; ///< Stays before the whole fill.
  Value *m_byte;
  DenseMap<Type *, Value *> m_values;
};

/// \p bytes at \p base, a multiple of \p align.
static void fillPart(IRBuilder<> &builder, const Fill &fill, Splats &splats, Value *base,
                     Align align, uint64_t bytes) {
  const Function &function = *builder.GetInsertBlock()->getParent();
  uint64_t distance = 0;
  for (unsigned size : getBlockSizes(bytes)) {
    Align each = commonAlignment(align, distance);
    Type *type = getBlockType(fill.emitter, function, size, std::min(each, fill.align));
    fill.store(builder, splats.get(type), base, distance, each);
    distance += size;
  }
}

/// Fills \p length bytes, which may not be known. All splats are made at \p place first, so that
/// they dominate the loops.
static void fillByLoops(Instruction &place, const Fill &fill, Splats &splats, Value *length) {
  const Function &function = *place.getFunction();
  Type *block = getBlockType(fill.emitter, function, 16, fill.align);
  for (unsigned size : {16u, 8u, 4u, 2u, 1u}) // Where all that follows can see them.
    splats.get(getBlockType(fill.emitter, function, size, std::min(fill.align, Align(size))));
  emitParts(place, length, block->isVectorTy(), Direction::Up,
            [&](IRBuilder<> &builder, Value *offset, unsigned bytes) {
              fillPart(builder, fill, splats, offset, Align(bytes), bytes);
            });
}

/// Element-wise atomic fills store element by element, others up to 16 bytes at once.
static void expandMemset(IntrinsicInst &intrinsic, const AccessEmitter &emitter) {
  auto &set = cast<AnyMemSetInst>(intrinsic);
  Fill fill{set.getRawDest(), set.getDestAlign().valueOrOne(),  set.isVolatile(),
            set.isAtomic(),   PartMetadata::ofBytes(intrinsic), emitter};
  Value *byte = set.getValue();
  if (set.isAtomic()) {
    IRBuilder<> builder(&intrinsic);
    unsigned bytes = set.getElementSizeInBytes();
    Value *element = splat(builder, byte, builder.getIntNTy(8 * bytes));
    emitLoop(intrinsic, ConstantInt::get(set.getLength()->getType(), 0), set.getLength(), bytes,
             Direction::Up,
             [&](IRBuilder<> &body, Value *at) { fill.store(body, element, at, 0, Align(bytes)); });
    return;
  }
  Splats splats(intrinsic, byte);
  IRBuilder<> builder(&intrinsic);
  auto *known = dyn_cast<ConstantInt>(set.getLength());
  if (known && known->getZExtValue() <= straightBytes)
    fillPart(builder, fill, splats, builder.getInt64(0), Align(straightBytes),
             known->getZExtValue());
  else
    fillByLoops(intrinsic, fill, splats, set.getLength());
}

/// A value again and again, as if in an array: LangRef, llvm.experimental.memset.pattern.
static void expandPattern(IntrinsicInst &intrinsic, const AccessEmitter &emitter) {
  auto &set = cast<MemSetPatternInst>(intrinsic);
  Fill fill{set.getRawDest(),
            set.getDestAlign().valueOrOne(),
            set.isVolatile(),
            false,
            PartMetadata::ofBytes(intrinsic),
            emitter};
  Value *pattern = set.getValue();
  uint64_t stride = intrinsic.getDataLayout().getTypeAllocSize(pattern->getType());
  IRBuilder<> builder(&intrinsic);
  Type *type = set.getLength()->getType();
  Value *bytes = builder.CreateMul(set.getLength(), ConstantInt::get(type, stride));
  Align each = commonAlignment(fill.align, stride);
  emitLoop(intrinsic, ConstantInt::get(type, 0), bytes, stride, Direction::Up,
           [&](IRBuilder<> &body, Value *at) { fill.store(body, pattern, at, 0, each); });
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

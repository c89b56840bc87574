// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types taken apart, and values between registers and memory.
#include "oracles/ir/Shape.h"
#include "llvm/IR/DerivedTypes.h"
#include <cstring>

using namespace llvm;
using namespace assay;

namespace assay::ir {

const Shape *Shapes::get(Type *type) {
  std::unique_ptr<Shape> &slot = m_shapes[type];
  if (slot)
    return slot->storeBytes == UINT64_MAX ? nullptr : slot.get();
  slot = std::make_unique<Shape>();
  Shape shape;
  if (!type->isSized() || type->isScalableTy() || !append(type, 0, shape)) {
    slot->storeBytes = UINT64_MAX;
    return nullptr;
  }
  shape.storeBytes = m_layout.getTypeStoreSize(type).getFixedValue();
  shape.isVector = type->isVectorTy();
  *m_shapes[type] = std::move(shape);
  return m_shapes[type].get();
}

bool Shapes::appendStruct(StructType *type, uint64_t firstBit, Shape &shape) {
  const StructLayout *layout = m_layout.getStructLayout(type);
  for (unsigned i = 0; i < type->getNumElements(); ++i)
    if (!append(type->getElementType(i),
                firstBit + layout->getElementOffsetInBits(i).getFixedValue(), shape))
      return false;
  return true;
}

bool Shapes::append(Type *type, uint64_t firstBit, Shape &shape) {
  if (shape.elements.size() > MaxElements)
    return false;
  if (auto *structure = dyn_cast<StructType>(type))
    return appendStruct(structure, firstBit, shape);
  Type *element = nullptr;
  uint64_t count = 0, stride = 0;
  if (auto *array = dyn_cast<ArrayType>(type)) {
    element = array->getElementType();
    count = array->getNumElements();
    stride = m_layout.getTypeAllocSizeInBits(element).getFixedValue();
  } else if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    element = vector->getElementType();
    count = vector->getNumElements();
    stride = m_layout.getTypeSizeInBits(element).getFixedValue();
  }
  if (element) {
    if (count > MaxElements)
      return false;
    for (uint64_t i = 0; i < count; ++i)
      if (!append(element, firstBit + i * stride, shape))
        return false;
    return true;
  }
  if (!type->isIntegerTy() && !type->isFloatingPointTy() && !type->isPointerTy())
    return false;
  auto bits = static_cast<uint32_t>(m_layout.getTypeSizeInBits(type).getFixedValue());
  shape.elements.push_back({type, bits, firstBit});
  return shape.elements.size() <= MaxElements;
}

void setPoison(Scalar &scalar, unsigned bits) {
  scalar.bits = APInt::getZero(bits);
  scalar.isPoison = true;
  scalar.poisonBytes = 0;
}

uint32_t poisonMask(const Scalar &scalar) {
  if (!scalar.isPoison)
    return 0;
  return scalar.poisonBytes ? scalar.poisonBytes : ~0u;
}

void setPoisonBytes(Scalar &scalar, uint32_t bytes) {
  unsigned count = divideCeil(scalar.bits.getBitWidth(), 8);
  uint32_t all = count >= 32 ? ~0u : (1u << count) - 1;
  bytes &= all;
  scalar.isPoison = bytes != 0;
  scalar.poisonBytes = bytes == all || count > 32 ? 0 : bytes;
}

/// An element that starts at a byte; \p bytes is where.
static void decodeAligned(const Element &element, const uint8_t *bytes, const uint8_t *poison,
                          Scalar &value) {
  unsigned count = (element.bits + 7) / 8;
  uint32_t missing = 0;
  for (unsigned i = 0; i < count; ++i)
    missing |= uint32_t(poison[i] & 1) << (i & 31);
  if (element.bits <= 64) {
    uint64_t word = 0;
    memcpy(&word, bytes, count);
    if (element.bits < 64)
      word &= (uint64_t(1) << element.bits) - 1;
    value.bits = APInt(element.bits, word);
  } else {
    SmallVector<uint64_t, 4> words((count + 7) / 8);
    memcpy(words.data(), bytes, count);
    value.bits = APInt(element.bits, words);
  }
  value.isPoison = false;
  value.poisonBytes = 0;
  if (missing)
    setPoisonBytes(value, missing);
}

/// An element of a vector that is packed by bits.
static void decodePacked(const Element &element, const uint8_t *bytes, const uint8_t *poison,
                         Scalar &value) {
  value = {APInt::getZero(element.bits)};
  for (unsigned i = 0; i < element.bits; ++i) {
    uint64_t bit = element.firstBit + i;
    value.bits.setBitVal(i, bytes[bit / 8] >> (bit % 8) & 1);
    value.isPoison |= poison[bit / 8] & 1;
  }
  if (value.isPoison)
    setPoison(value, element.bits);
}

void decode(const Shape &shape, const uint8_t *bytes, const uint8_t *poison, Scalar *values) {
  for (const Element &element : shape.elements) {
    uint64_t byte = element.firstBit / 8;
    if (element.firstBit % 8)
      decodePacked(element, bytes, poison, *values++);
    else
      decodeAligned(element, bytes + byte, poison + byte, *values++);
  }
}

/// Writes an element that shares bytes with its neighbours. A shared byte is poison if either is.
static void encodePacked(const Element &element, const Scalar &value, uint8_t *bytes,
                         uint8_t *poison) {
  for (unsigned i = 0; i < element.bits; ++i) {
    uint64_t bit = element.firstBit + i;
    if (bit % 8 == 0 || i == 0)
      poison[bit / 8] = bit % 8 == 0 ? value.isPoison : poison[bit / 8] | value.isPoison;
    bytes[bit / 8] |= value.bits[i] << (bit % 8);
  }
}

void encode(const Shape &shape, const Scalar *values, uint8_t *bytes, uint8_t *poison) {
  memset(bytes, 0, shape.storeBytes);
  memset(poison, 1, shape.storeBytes);
  for (const Element &element : shape.elements) {
    const Scalar &value = *values++;
    if (element.firstBit % 8 || element.bits % 8) {
      encodePacked(element, value, bytes, poison);
      continue;
    }
    uint64_t byte = element.firstBit / 8;
    unsigned count = element.bits / 8;
    memcpy(bytes + byte, value.bits.getRawData(), count);
    uint32_t missing = poisonMask(value);
    bool isWhole = missing == ~0u || count > 32;
    for (unsigned i = 0; i < count; ++i)
      poison[byte + i] = missing == 0 ? 0 : isWhole ? 1 : missing >> i & 1;
  }
}

} // namespace assay::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/RebuiltResources.h"

#include "oracles/fat_pointer/FatTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstVisitor.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace assay;
using namespace llvm::PatternMatch;

namespace {

/// Where a bit of an integer comes from.
struct Bit {
  enum Kind : uint8_t { Unknown, Zero, One, Resource, Pending } kind = Unknown;
  unsigned index = 0; ///< Resource: 128 * element of the vector + bit. Pending: bit of the phi.
  const Value *source = nullptr; ///< Resource: the pointer, or what merged some. Pending: the phi
                                 ///< that is being worked out.
  bool operator==(const Bit &) const = default;
};

/// A value's bits, its elements one after the other from the lowest.
using Bits = std::vector<Bit>;

constexpr unsigned resourceBits = 128; ///< Of a buffer descriptor.
constexpr unsigned maxBits = 4096;     ///< Of values that are looked at: larger ones are Unknown.
constexpr unsigned maxDepth = 512;     ///< Of chains of instructions.

/// Follows bits through one function.
class BitOrigins : public InstVisitor<BitOrigins, Bits> {
public:
  /// Returns the origin of each bit. Values without bits to follow have none.
  Bits getBits(const Value &value);

  /// Returns bits of the resource of a resource or fat pointer; the bits below (index and offset)
  /// are Unknown, those above it Zero.
  Bits visitPtrToIntInst(PtrToIntInst &cast);
  Bits visitTruncInst(TruncInst &cast) { return resize(cast); }
  Bits visitZExtInst(ZExtInst &cast) { return resize(cast); }
  Bits visitBitCastInst(BitCastInst &cast) { return getBits(*cast.getOperand(0)); }
  Bits visitFreezeInst(FreezeInst &freeze) { return getBits(*freeze.getOperand(0)); }
  /// Follows shifts by a constant, and and, or, xor and add where one operand decides each bit. Any
  /// other operation gives Unknown.
  Bits visitBinaryOperator(BinaryOperator &operation);
  Bits visitPHINode(PHINode &phi);
  Bits visitSelectInst(SelectInst &select);
  /// Follows an element with a constant index. An index that varies gives Unknown, as for an
  /// insertion.
  Bits visitExtractElementInst(ExtractElementInst &extract);
  Bits visitInsertElementInst(InsertElementInst &insert);
  /// Elements that the mask leaves undefined are Unknown.
  Bits visitShuffleVectorInst(ShuffleVectorInst &shuffle);
  Bits visitExtractValueInst(ExtractValueInst &extract);
  Bits visitInsertValueInst(InsertValueInst &insert);
  Bits visitInstruction(Instruction &instruction) { return unknown(instruction.getType()); }

private:
  /// Returns as many Unknown bits as a value of \p type has.
  static Bits unknown(Type *type) { return Bits(countBits(type)); }
  /// Returns the bits of a value of \p type; padding in memory does not count.
  static unsigned countBits(Type *type);
  /// The number of bits before the element of \p aggregate that \p indices name.
  static unsigned findFirstBit(Type *aggregate, ArrayRef<unsigned> indices);
  /// Zero and One for integers, null values and vectors of integers, Unknown for other constants.
  Bits getConstantBits(const Constant &constant);
  /// The bits of a truncation or zero extension, element by element.
  Bits resize(CastInst &cast);
  /// The bits that all \p values agree on. Resources of different pointers become a resource of \p
  /// merging.
  Bits merge(const Instruction &merging, ArrayRef<const Value *> values);

  /// Removes the results that contain a pending bit of \p phi. They were computed while the origin
  /// of the phi was open; a later request computes them again.
  void forgetPending(const Value &phi);

  DenseMap<const Value *, Bits> m_known; ///< Results, and those still computed.
  unsigned m_depth = 0;                  ///< Of the recursion of getBits().
};

} // namespace

/// Returns 0 for a type whose bits are not tracked.
unsigned BitOrigins::countBits(Type *type) {
  uint64_t bits = 0;
  if (auto *structure = dyn_cast<StructType>(type))
    for (Type *element : structure->elements())
      bits += countBits(element);
  else if (auto *array = dyn_cast<ArrayType>(type))
    bits = array->getNumElements() > maxBits
               ? maxBits + 1
               : array->getNumElements() * countBits(array->getElementType());
  else if (auto *vector = dyn_cast<FixedVectorType>(type))
    bits = uint64_t(vector->getNumElements()) * countBits(vector->getElementType());
  else if (auto *pointer = dyn_cast<PointerType>(type))
    bits = bitsBelowResource(pointer->getAddressSpace()) + resourceBits; // A place, if no number.
  else
    bits = type->getScalarSizeInBits();
  return bits > maxBits ? 0 : static_cast<unsigned>(bits);
}

Bits BitOrigins::getConstantBits(const Constant &constant) {
  if (const auto *number = dyn_cast<ConstantInt>(&constant);
      number && number->getType()->isIntegerTy()) {
    Bits bits(countBits(number->getType()));
    for (auto [index, bit] : enumerate(bits))
      bit.kind = number->getValue()[index] ? Bit::One : Bit::Zero;
    return bits;
  }
  if (!constant.isNullValue() && !isa<FixedVectorType>(constant.getType()))
    return unknown(constant.getType());
  Bits bits = unknown(constant.getType());
  if (constant.isNullValue()) {
    fill(bits, Bit{Bit::Zero});
    return bits;
  }
  unsigned count = cast<FixedVectorType>(constant.getType())->getNumElements();
  Bits all;
  for (unsigned i = 0; i < count; ++i)
    if (const Constant *element = constant.getAggregateElement(i))
      append_range(all, getConstantBits(*element));
  return all.size() == bits.size() ? all : bits;
}

Bits BitOrigins::getBits(const Value &value) {
  if (const auto *constant = dyn_cast<Constant>(&value))
    return getConstantBits(*constant);
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return unknown(value.getType());
  if (m_depth >= maxDepth)
    return unknown(value.getType());
  auto [known, isNew] = m_known.try_emplace(&value, unknown(value.getType()));
  if (!isNew)
    return known->second;
  bool isPhi = isa<PHINode>(instruction);
  if (isPhi)
    for (auto [index, bit] : enumerate(known->second))
      bit = {Bit::Pending, static_cast<unsigned>(index), instruction};
  ++m_depth;
  Bits bits = visit(const_cast<Instruction &>(*instruction));
  --m_depth;
  m_known[&value] = bits;
  if (isPhi)
    forgetPending(value);
  return bits;
}

/// What was found while the phi was open is worked out again when it is asked for.
void BitOrigins::forgetPending(const Value &phi) {
  auto isOpen = [&](const Bit &bit) { return bit.kind == Bit::Pending && bit.source == &phi; };
  SmallVector<const Value *> open;
  for (const auto &[value, bits] : m_known)
    if (any_of(bits, isOpen))
      open.push_back(value);
  for (const Value *value : open)
    m_known.erase(value);
}

Bits BitOrigins::visitPtrToIntInst(PtrToIntInst &cast) {
  Bits bits = unknown(cast.getType());
  unsigned space = cast.getPointerAddressSpace();
  if (space != resourceSpace && !isFatSpace(space))
    return bits;
  unsigned elements = 1;
  if (auto *vector = dyn_cast<FixedVectorType>(cast.getType()))
    elements = vector->getNumElements();
  unsigned width = cast.getType()->getScalarSizeInBits(), below = bitsBelowResource(space);
  for (unsigned i = 0; i < bits.size(); ++i) {
    unsigned element = i / width, bit = i % width;
    if (bit >= below + resourceBits)
      bits[i].kind = Bit::Zero;
    else if (bit >= below && element < elements)
      bits[i] = {Bit::Resource, element * resourceBits + bit - below, cast.getPointerOperand()};
  }
  return bits;
}

Bits BitOrigins::resize(CastInst &cast) {
  Bits from = getBits(*cast.getOperand(0)), bits = unknown(cast.getType());
  unsigned width = cast.getType()->getScalarSizeInBits();
  unsigned fromWidth = cast.getSrcTy()->getScalarSizeInBits();
  for (unsigned i = 0; i < bits.size(); ++i) {
    unsigned bit = i % width, at = i / width * fromWidth + bit;
    if (bit >= fromWidth)
      bits[i].kind = Bit::Zero;
    else if (at < from.size())
      bits[i] = from[at];
  }
  return bits;
}

/// Returns the bit that \p operation makes of two: And, or Add for all operations with 0 as neutral
/// element. Unknown unless one of the two bits decides.
static Bit combine(Instruction::BinaryOps operation, const Bit &left, const Bit &right) {
  bool isAnd = operation == Instruction::And;
  Bit::Kind neutral = isAnd ? Bit::One : Bit::Zero, absorbing = isAnd ? Bit::Zero : Bit::One;
  if (left.kind == neutral)
    return right;
  if (right.kind == neutral)
    return left;
  if (operation != Instruction::Add && (left.kind == absorbing || right.kind == absorbing))
    return {absorbing};
  return {};
}

Bits BitOrigins::visitBinaryOperator(BinaryOperator &operation) {
  Bits bits = unknown(operation.getType());
  const APInt *amount = nullptr;
  unsigned width = operation.getType()->getScalarSizeInBits();
  Bits left = getBits(*operation.getOperand(0));
  bool isLeft = operation.getOpcode() == Instruction::Shl;
  if ((isLeft || operation.getOpcode() == Instruction::LShr) &&
      match(operation.getOperand(1), m_APInt(amount)) && amount->ult(width)) {
    unsigned by = static_cast<unsigned>(amount->getZExtValue());
    for (unsigned i = 0; i < bits.size(); ++i) {
      unsigned bit = i % width;
      bool isIn = isLeft ? bit >= by : bit + by < width;
      bits[i] = isIn ? left[isLeft ? i - by : i + by] : Bit{Bit::Zero};
    }
    return bits;
  }
  if (!is_contained({Instruction::And, Instruction::Or, Instruction::Add, Instruction::Xor},
                    operation.getOpcode()))
    return bits;
  Bits right = getBits(*operation.getOperand(1));
  for (auto [bit, one, other] : zip_equal(bits, left, right)) {
    bit = combine(operation.getOpcode() == Instruction::And ? Instruction::And : Instruction::Add,
                  one, other);
    // With a carry, or where both may be set, nothing is known of an addition's higher bits.
    if (operation.getOpcode() == Instruction::Add && bit == Bit{})
      return unknown(operation.getType());
  }
  return bits;
}

Bits BitOrigins::merge(const Instruction &merging, ArrayRef<const Value *> values) {
  Bits bits = unknown(merging.getType());
  std::vector<Bits> all;
  for (const Value *value : values)
    all.push_back(getBits(*value));
  for (unsigned i = 0; i < bits.size(); ++i) {
    const Bit itself = {Bit::Pending, i, &merging};
    Bit first;
    bool same = true, resource = true, any = false;
    for (const Bits &one : all) {
      if (one[i] == itself)
        continue;
      same &= !any || one[i] == first;
      resource &= one[i].kind == Bit::Resource && (!any || one[i].index == first.index);
      first = any ? first : one[i];
      any = true;
    }
    if (any && same)
      bits[i] = first;
    else if (any && resource)
      bits[i] = {Bit::Resource, first.index, &merging};
  }
  return bits;
}

Bits BitOrigins::visitPHINode(PHINode &phi) {
  SmallVector<const Value *> values(phi.incoming_values());
  return merge(phi, values);
}

Bits BitOrigins::visitSelectInst(SelectInst &select) {
  return merge(select, {select.getTrueValue(), select.getFalseValue()});
}

Bits BitOrigins::visitExtractElementInst(ExtractElementInst &extract) {
  Bits from = getBits(*extract.getVectorOperand()), bits = unknown(extract.getType());
  const auto *index = dyn_cast<ConstantInt>(extract.getIndexOperand());
  uint64_t first = index ? index->getValue().getLimitedValue(maxBits) * bits.size() : from.size();
  for (unsigned i = 0; i < bits.size() && first + i < from.size(); ++i)
    bits[i] = from[first + i];
  return bits;
}

Bits BitOrigins::visitInsertElementInst(InsertElementInst &insert) {
  Bits bits = getBits(*insert.getOperand(0)), element = getBits(*insert.getOperand(1));
  const auto *index = dyn_cast<ConstantInt>(insert.getOperand(2));
  if (!index)
    return unknown(insert.getType());
  uint64_t first = index->getValue().getLimitedValue(maxBits) * element.size();
  for (unsigned i = 0; i < element.size() && first + i < bits.size(); ++i)
    bits[first + i] = element[i];
  return bits;
}

Bits BitOrigins::visitShuffleVectorInst(ShuffleVectorInst &shuffle) {
  Bits from = getBits(*shuffle.getOperand(0));
  append_range(from, getBits(*shuffle.getOperand(1)));
  Bits bits = unknown(shuffle.getType());
  // Of the data layout: a vector of pointers has no scalar size of its own.
  unsigned width = countBits(shuffle.getType()->getScalarType());
  for (unsigned i = 0; i < bits.size(); ++i)
    if (int lane = shuffle.getMaskValue(i / width);
        lane >= 0 && lane * width + i % width < from.size())
      bits[i] = from[lane * width + i % width];
  return bits;
}

unsigned BitOrigins::findFirstBit(Type *aggregate, ArrayRef<unsigned> indices) {
  unsigned first = 0;
  for (unsigned index : indices) {
    if (auto *structure = dyn_cast<StructType>(aggregate))
      for (unsigned i = 0; i < index; ++i)
        first += countBits(structure->getElementType(i));
    else
      first += index * countBits(cast<ArrayType>(aggregate)->getElementType());
    aggregate = isa<StructType>(aggregate) ? cast<StructType>(aggregate)->getElementType(index)
                                           : cast<ArrayType>(aggregate)->getElementType();
  }
  return first;
}

Bits BitOrigins::visitExtractValueInst(ExtractValueInst &extract) {
  Bits from = getBits(*extract.getAggregateOperand()), bits = unknown(extract.getType());
  unsigned first = findFirstBit(extract.getAggregateOperand()->getType(), extract.getIndices());
  for (unsigned i = 0; i < bits.size() && first + i < from.size(); ++i)
    bits[i] = from[first + i];
  return bits;
}

Bits BitOrigins::visitInsertValueInst(InsertValueInst &insert) {
  Bits bits = getBits(*insert.getAggregateOperand());
  Bits element = getBits(*insert.getInsertedValueOperand());
  unsigned first = findFirstBit(insert.getType(), insert.getIndices());
  for (unsigned i = 0; i < element.size() && first + i < bits.size(); ++i)
    bits[first + i] = element[i];
  return bits;
}

/// Whether \p bits, \p width a pointer of which the resource begins above \p below bits, are
/// resources, each whole.
static bool isWholeResource(const Bits &bits, unsigned width, unsigned below) {
  if (bits.empty() || width < below + resourceBits)
    return false;
  for (unsigned element = 0; element < bits.size() / width; ++element) {
    const Bit &first = bits[element * width + below];
    if (first.kind != Bit::Resource || first.index % resourceBits != 0)
      return false;
    for (unsigned i = 0; i < resourceBits; ++i)
      if (const Bit &bit = bits[element * width + below + i];
          bit != Bit{Bit::Resource, first.index + i, first.source})
        return false;
  }
  return true;
}

std::vector<const Instruction *> assay::findRebuiltResources(const Function &function) {
  std::vector<const Instruction *> rebuilt;
  BitOrigins origins;
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block) {
      const auto *cast = dyn_cast<IntToPtrInst>(&instruction);
      if (!cast ||
          (cast->getAddressSpace() != resourceSpace && !isFatSpace(cast->getAddressSpace())))
        continue;
      const Value &number = *cast->getOperand(0);
      if (isWholeResource(origins.getBits(number), number.getType()->getScalarSizeInBits(),
                          bitsBelowResource(cast->getAddressSpace())))
        rebuilt.push_back(cast);
    }
  return rebuilt;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/Signature.h"

#include "oracles/fat_pointer/FatTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;

namespace {

/// A piece of a fat pointer: bits from first on.
struct Piece {
  unsigned first;
  unsigned bits;
};
constexpr Piece fatPieces[] = {{32, 128}, {0, 32}};               ///< Resource, offset.
constexpr Piece stridedPieces[] = {{64, 128}, {32, 32}, {0, 32}}; ///< Resource, index, offset.

/// Walks a type with its scalars, and puts out those of the lowered type.
class ValueLowering {
public:
  explicit ValueLowering(ArrayRef<ir::Scalar> left) : m_left(left) {}
  /// Consumes the scalars of one value of \p type and appends the lowered ones.
  void lower(Type *type);
  /// Returns what all calls of lower() have appended.
  ir::Value take() { return std::move(m_lowered); }

private:
  /// Removes and returns the first scalar that is left.
  ir::Scalar next() {
    ir::Scalar scalar = m_left.front();
    m_left = m_left.drop_front();
    return scalar;
  }

  ArrayRef<ir::Scalar> m_left;
  ir::Value m_lowered;
};

} // namespace

/// Returns the pieces of a fat pointer or a vector of them, none for other types.
static ArrayRef<Piece> getPieces(Type *type) {
  auto *pointer = dyn_cast<PointerType>(type->getScalarType());
  if (!pointer || !isFatSpace(pointer->getAddressSpace()))
    return {};
  return pointer->getAddressSpace() == fatSpace ? ArrayRef(fatPieces) : ArrayRef(stridedPieces);
}

/// The number of elements that stand one after the other in \p type, all of its first subtype; 0
/// for a struct or scalar.
static uint64_t countElements(Type *type) {
  if (auto *array = dyn_cast<ArrayType>(type))
    return array->getNumElements();
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 0;
}

/// Returns some bits of \p pointer as a scalar, which is poison if the pointer is.
static ir::Scalar cutPiece(const ir::Scalar &pointer, const Piece &piece) {
  ir::Scalar scalar = pointer;
  scalar.bits = pointer.bits.extractBits(piece.bits, piece.first);
  return scalar;
}

void ValueLowering::lower(Type *type) {
  if (ArrayRef<Piece> pieces = getPieces(type); !pieces.empty()) {
    size_t count = type->isVectorTy() ? countElements(type) : 1;
    ArrayRef<ir::Scalar> pointers = m_left.take_front(count);
    for (const Piece &piece : pieces)
      for (const ir::Scalar &pointer : pointers)
        m_lowered.push_back(cutPiece(pointer, piece));
    m_left = m_left.drop_front(count);
    return;
  }
  if (auto *structure = dyn_cast<StructType>(type)) {
    for (Type *element : structure->elements())
      lower(element);
    return;
  }
  if (type->isArrayTy() || type->isVectorTy()) {
    for (uint64_t i = 0; i < countElements(type); ++i)
      lower(type->getContainedType(0));
    return;
  }
  m_lowered.push_back(next());
}

ir::Value assay::lowerValue(Type *type, ArrayRef<ir::Scalar> value) {
  ValueLowering lowering(value);
  lowering.lower(type);
  return lowering.take();
}

/// The bits of each scalar of \p type; with \p lowered, as they are afterwards.
static void appendWidths(Type *type, const DataLayout &layout, bool lowered,
                         std::vector<unsigned> &widths) {
  ArrayRef<Piece> pieces = lowered ? getPieces(type) : ArrayRef<Piece>();
  if (!pieces.empty()) {
    for (const Piece &piece : pieces)
      widths.insert(widths.end(), type->isVectorTy() ? countElements(type) : 1, piece.bits);
    return;
  }
  if (auto *structure = dyn_cast<StructType>(type)) {
    for (Type *element : structure->elements())
      appendWidths(element, layout, lowered, widths);
    return;
  }
  if (type->isArrayTy() || type->isVectorTy()) {
    for (uint64_t i = 0; i < countElements(type); ++i)
      appendWidths(type->getContainedType(0), layout, lowered, widths);
    return;
  }
  if (!type->isVoidTy())
    widths.push_back(type->isPointerTy() ? layout.getPointerTypeSizeInBits(type)
                                         : type->getScalarSizeInBits());
}

/// Returns "128, 32 bits", or "nothing".
static std::string describe(ArrayRef<unsigned> widths) {
  std::string text;
  for (unsigned width : widths)
    text += (text.empty() ? "" : ", ") + std::to_string(width);
  return text.empty() ? "nothing" : text + " bits";
}

SignatureMap::SignatureMap(const Function &before, const Function &after) : m_before(before) {
  std::vector<unsigned> expected, found, expectedResult, foundResult;
  for (const Argument &argument : before.args())
    appendWidths(argument.getType(), before.getDataLayout(), /*lowered=*/true, expected);
  for (const Argument &argument : after.args()) {
    size_t first = found.size();
    appendWidths(argument.getType(), after.getDataLayout(), /*lowered=*/false, found);
    m_counts.push_back(found.size() - first);
  }
  appendWidths(before.getReturnType(), before.getDataLayout(), /*lowered=*/true, expectedResult);
  appendWidths(after.getReturnType(), after.getDataLayout(), /*lowered=*/false, foundResult);
  if (expected != found)
    m_problem = "parameters of " + describe(found) + " instead of " + describe(expected);
  else if (expectedResult != foundResult)
    m_problem = "a result of " + describe(foundResult) + " instead of " + describe(expectedResult);
}

std::vector<ir::Value> SignatureMap::lowerArguments(ArrayRef<ir::Value> arguments) const {
  ir::Value all;
  for (const auto &[argument, value] : zip_equal(m_before.args(), arguments))
    append_range(all, lowerValue(argument.getType(), value));
  std::vector<ir::Value> lowered;
  ArrayRef<ir::Scalar> left = all;
  for (size_t count : m_counts) {
    lowered.push_back(left.take_front(count).vec());
    left = left.drop_front(count);
  }
  return lowered;
}

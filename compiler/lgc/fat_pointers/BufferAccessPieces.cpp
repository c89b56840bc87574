// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/BufferAccessPieces.h"

#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;
using namespace assay;

// --- Layout

/// Appends the leaves of \p at, whose type, path and offset are set, in ascending order. Types of
/// no bytes have none.
static void addLeaves(Leaf at, const DataLayout &layout, std::vector<Leaf> &leaves) {
  Type *type = at.type;
  auto addElement = [&](unsigned index, Type *element, uint64_t offset) {
    Leaf inner{element, at.path, at.offset + offset, 0};
    inner.path.push_back(index);
    addLeaves(std::move(inner), layout, leaves);
  };
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *places = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      addElement(i, structure->getElementType(i), places->getElementOffset(i));
    return;
  }
  if (auto *array = dyn_cast<ArrayType>(type)) {
    uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      addElement(static_cast<unsigned>(i), array->getElementType(), i * stride);
    return;
  }
  at.bytes = layout.getTypeStoreSize(type);
  if (at.bytes)
    leaves.push_back(std::move(at));
}

std::vector<Leaf> assay::collectLeaves(Type *type, const DataLayout &layout) {
  std::vector<Leaf> leaves;
  addLeaves(Leaf{type, {}, 0, 0}, layout, leaves);
  return leaves;
}

/// Returns the widest piece at \p offset that the alignment allows and that covers no more than \p
/// left bytes.
static Piece cutPiece(uint64_t offset, uint64_t left, Align align, bool unaligned) {
  uint64_t natural = unaligned ? 4 : commonAlignment(align, offset).value();
  Piece piece{offset, 4, 1};
  while (piece.unitBytes > natural || piece.unitBytes > left)
    piece.unitBytes /= 2;
  if (piece.unitBytes == 4)
    piece.units = static_cast<unsigned>(std::min<uint64_t>(left / 4, 4));
  return piece;
}

/// Pieces may cross leaves, but not padding.
std::vector<Piece> assay::cutIntoPieces(ArrayRef<Leaf> leaves, Align align, bool unaligned) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < leaves.size();) {
    // Leaves without a gap between them are one run of bytes.
    uint64_t offset = leaves[i].offset;
    uint64_t end = offset + leaves[i].bytes;
    for (++i; i < leaves.size() && leaves[i].offset == end; ++i)
      end += leaves[i].bytes;
    while (offset < end) {
      pieces.push_back(cutPiece(offset, end - offset, align, unaligned));
      offset += pieces.back().bytes();
    }
  }
  return pieces;
}

Type *assay::getPieceType(const Piece &piece, LLVMContext &context) {
  Type *unit = IntegerType::get(context, 8 * piece.unitBytes);
  return piece.units == 1 ? unit : FixedVectorType::get(unit, piece.units);
}

/// True for i8, i16, i32, f32, and for vectors of two to four i32 or f32.
bool assay::isInstructionType(const Type *type) {
  if (type->isIntegerTy(8) || type->isIntegerTy(16))
    return true;
  const Type *scalar = type->getScalarType();
  if (!scalar->isIntegerTy(32) && !scalar->isFloatTy())
    return false;
  auto *vector = dyn_cast<FixedVectorType>(type);
  return !vector || (vector->getNumElements() >= 2 && vector->getNumElements() <= 4);
}

// --- Values as dwords

/// \p type with integers for pointers.
static Type *getBitsType(Type *type, const DataLayout &layout) {
  if (!type->isPtrOrPtrVectorTy())
    return type;
  unsigned bits = layout.getPointerSizeInBits(type->getPointerAddressSpace());
  return type->getWithNewType(IntegerType::get(type->getContext(), bits));
}

/// Returns i32, or a vector of as many i32 as hold \p bytes bytes.
static Type *getDwordsType(uint64_t bytes, LLVMContext &context) {
  Type *dword = Type::getInt32Ty(context);
  uint64_t count = divideCeil(bytes, 4);
  return count == 1 ? dword : FixedVectorType::get(dword, static_cast<unsigned>(count));
}

/// Dwords of the bytes of \p value, if all are known one by one: LLVM makes permutations of bytes
/// from shifted dwords, but shifts and masks from vectors. Null if not.
static Value *packBytes(IRBuilder<> &builder, Value *value, uint64_t bytes) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  if (!type || !type->getElementType()->isIntegerTy(8) || isa<Constant>(value))
    return nullptr;
  SmallVector<Value *, 16> elements;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    elements.push_back(findScalarElement(value, i));
    if (!elements.back())
      return nullptr;
  }
  Value *result = PoisonValue::get(getDwordsType(bytes, builder.getContext()));
  for (unsigned first = 0; first < elements.size(); first += 4) {
    Value *dword = nullptr;
    for (auto [i, element] : enumerate(ArrayRef(elements).drop_front(first).take_front(4))) {
      // Else the bytes next to it would be poison, too.
      Value *byte =
          isGuaranteedNotToBeUndefOrPoison(element) ? element : builder.CreateFreeze(element);
      Value *part = builder.CreateShl(builder.CreateZExt(byte, builder.getInt32Ty()), 8 * i);
      dword = dword ? builder.CreateOr(dword, part, "", /*IsDisjoint=*/true) : part;
    }
    result = result->getType()->isVectorTy()
                 ? builder.CreateInsertElement(result, dword, uint64_t(first / 4))
                 : dword;
  }
  return result;
}

/// Pointers become integers first. Known single bytes are packed by packBytes(); any other value is
/// extended by zeros to whole dwords.
Value *assay::toDwords(IRBuilder<> &builder, Value *value, uint64_t bytes) {
  if (Value *packed = packBytes(builder, value, bytes))
    return packed;
  const DataLayout &layout = builder.GetInsertBlock()->getDataLayout();
  Type *bitsType = getBitsType(value->getType(), layout);
  if (value->getType()->isPtrOrPtrVectorTy())
    value = builder.CreatePtrToInt(value, bitsType);
  Type *dwords = getDwordsType(bytes, builder.getContext());
  unsigned bits = static_cast<unsigned>(layout.getTypeSizeInBits(bitsType));
  unsigned allBits = static_cast<unsigned>(layout.getTypeSizeInBits(dwords));
  if (bits != allBits)
    value = builder.CreateZExt(builder.CreateBitCast(value, builder.getIntNTy(bits)),
                               builder.getIntNTy(allBits));
  return builder.CreateBitCast(value, dwords);
}

/// Truncates to the bits of \p type, then casts; a pointer is made of an integer of its size.
Value *assay::fromDwords(IRBuilder<> &builder, Value *dwords, Type *type) {
  const DataLayout &layout = builder.GetInsertBlock()->getDataLayout();
  Type *bitsType = getBitsType(type, layout);
  unsigned bits = static_cast<unsigned>(layout.getTypeSizeInBits(bitsType));
  unsigned allBits = static_cast<unsigned>(layout.getTypeSizeInBits(dwords->getType()));
  if (bits != allBits)
    dwords = builder.CreateTrunc(builder.CreateBitCast(dwords, builder.getIntNTy(allBits)),
                                 builder.getIntNTy(bits));
  Value *value = builder.CreateBitCast(dwords, bitsType);
  return type->isPtrOrPtrVectorTy() ? builder.CreateIntToPtr(value, type) : value;
}

// --- Bytes

/// Adds one place for each dword of \p value; the last one may have fewer bytes.
void ByteMap::add(Value *value, uint64_t offset, uint64_t bytes) {
  assert((m_places.empty() || m_places.back().offset + m_places.back().bytes <= offset) &&
         "in ascending order");
  for (uint64_t done = 0; done < bytes; done += 4)
    m_places.push_back({value, static_cast<unsigned>(done / 4), offset + done,
                        static_cast<unsigned>(std::min<uint64_t>(bytes - done, 4)), nullptr});
}

/// Returns the dword of \p place as i32, extracted once.
Value *ByteMap::dwordOf(IRBuilder<> &builder, Place &place) {
  if (!place.dword)
    place.dword = place.source->getType()->isVectorTy()
                      ? builder.CreateExtractElement(place.source, place.element)
                      : builder.CreateZExt(place.source, builder.getInt32Ty());
  return place.dword;
}

/// Finds the first place by binary search, then combines all that overlap the range, each shifted
/// to its position. Nothing is masked off above \p bytes.
Value *ByteMap::get(IRBuilder<> &builder, uint64_t offset, uint64_t bytes) {
  auto place = partition_point(m_places, [&](const Place &candidate) {
    return candidate.offset + candidate.bytes <= offset;
  });
  Value *result = nullptr;
  for (; place != m_places.end() && place->offset < offset + bytes; ++place) {
    Value *part = dwordOf(builder, *place);
    if (place->offset > offset)
      part = builder.CreateShl(part, 8 * (place->offset - offset));
    else if (place->offset < offset)
      part = builder.CreateLShr(part, 8 * (offset - place->offset));
    result = result ? builder.CreateOr(result, part) : part;
  }
  assert(result && "nothing is known of these bytes");
  return result;
}

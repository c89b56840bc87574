// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/NarrowMemory.h"

#include "compiler/ir3/lower/Narrow.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace assay;

namespace {
/// A scalar of an accessed type.
struct Leaf {
  Type *type;
  uint64_t offset;                  ///< Bytes.
  SmallVector<unsigned, 2> indices; ///< Where it is in the value.
};

/// Bytes at one address, as dwords.
class Access {
public:
  Access(Instruction &place, Value *pointer, Align alignment);
  /// \p bits (8, 16, 32 or 64) at byte \p offset, in the low bits of an integer.
  Value *load(uint64_t offset, unsigned bits);
  /// Writes the low \p bits of \p value at byte \p offset. Where the alignment is known to be 4,
  /// the write is collected for finish(); otherwise it happens at once.
  void store(uint64_t offset, unsigned bits, Value *value);
  /// Writes what store() has collected of dwords whose bytes are known.
  void finish();

  IRBuilder<> &builder() { return m_builder; }

private:
  static constexpr unsigned Private = 5; ///< Address space.
  /// What a dword at a known place receives.
  struct Dword {
    Value *value = nullptr; ///< Zeros outside of the mask.
    uint32_t mask = 0;      ///< The bits that are written.
  };

  /// The address \p offset bytes after the accessed pointer.
  Value *at(uint64_t offset) {
    return m_builder.CreateGEP(m_builder.getInt8Ty(), m_pointer, {m_builder.getInt32(offset)});
  }
  unsigned pieceBits(uint64_t offset, unsigned bits) const;
  /// Loads a piece that lies in one dword into the low bits of an i32; the bits above it are
  /// anything. A dword at a known place is loaded once for all its pieces.
  Value *loadPiece(uint64_t offset, unsigned bits);
  /// Stores the low \p bits of the i32 \p value, a piece that lies in one dword.
  void storePiece(uint64_t offset, unsigned bits, Value *value);
  /// Replaces the bits of \p mask in the dword at an address by those of \p value. Private memory
  /// is read and written; other memory is changed by an atomic and followed by an atomic or, which
  /// leave the other bytes to other invocations.
  void change(Value *dword, Value *value, Value *mask);
  /// The address of the dword around byte \p offset, and how many bits below it.
  std::pair<Value *, Value *> findDword(uint64_t offset);

  IRBuilder<> m_builder;
  Value *m_pointer; ///< Of the access.
  Align m_alignment;
  SmallDenseMap<uint64_t, Value *, 4> m_loaded; ///< By byte offset of the dword.
  SmallDenseMap<uint64_t, Dword, 4> m_written;  ///< By byte offset of the dword.
};
} // namespace

/// The alignment of the instruction is raised to what is known of the pointer where it is below a
/// dword.
Access::Access(Instruction &place, Value *pointer, Align alignment)
    : m_builder(&place), m_pointer(pointer), m_alignment(alignment) {
  if (m_alignment < Align(4))
    m_alignment = std::max(m_alignment, getKnownAlignment(pointer, place.getDataLayout()));
}

/// The largest part at \p offset that lies in one dword.
unsigned Access::pieceBits(uint64_t offset, unsigned bits) const {
  return std::min<unsigned>(
      bits, 8 * std::min<uint64_t>(commonAlignment(m_alignment, offset).value(), 4));
}

std::pair<Value *, Value *> Access::findDword(uint64_t offset) {
  IRBuilder<> &b = m_builder;
  Value *address = at(offset);
  Value *low = b.CreateAnd(b.CreatePtrToInt(address, b.getInt32Ty()), b.getInt32(3));
  Value *dword = b.CreateGEP(b.getInt8Ty(), address, {b.CreateNeg(low)});
  return {dword, b.CreateShl(low, 3)};
}

Value *Access::loadPiece(uint64_t offset, unsigned bits) {
  IRBuilder<> &b = m_builder;
  if (m_alignment < Align(4)) {
    auto [dword, shift] = findDword(offset);
    return b.CreateLShr(b.CreateAlignedLoad(b.getInt32Ty(), dword, Align(4)), shift);
  }
  uint64_t start = offset & ~uint64_t(3);
  Value *&dword = m_loaded[start];
  if (!dword)
    dword = b.CreateAlignedLoad(b.getInt32Ty(), at(start), Align(4));
  return bits == 32 ? dword : b.CreateLShr(dword, 8 * (offset - start));
}

/// Joins the pieces, each zero-extended, into an i32, or an i64 for 64 bits.
Value *Access::load(uint64_t offset, unsigned bits) {
  IRBuilder<> &b = m_builder;
  unsigned piece = pieceBits(offset, bits);
  if (piece == bits)
    return loadPiece(offset, bits);
  Type *type = bits == 64 ? b.getInt64Ty() : b.getInt32Ty();
  Value *result = ConstantInt::get(type, 0);
  for (unsigned bit = 0; bit < bits; bit += piece) {
    Value *part = ir3::zeroExtended(b, loadPiece(offset + bit / 8, piece), piece);
    result = b.CreateOr(result, b.CreateShl(b.CreateZExt(part, type), bit));
  }
  return result;
}

void Access::change(Value *dword, Value *value, Value *mask) {
  IRBuilder<> &b = m_builder;
  value = b.CreateAnd(value, mask);
  Value *rest = b.CreateNot(mask);
  if (m_pointer->getType()->getPointerAddressSpace() == Private) {
    Value *old = b.CreateAlignedLoad(b.getInt32Ty(), dword, Align(4));
    b.CreateAlignedStore(b.CreateOr(b.CreateAnd(old, rest), value), dword, Align(4));
    return;
  }
  for (auto [operation, operand] :
       {std::pair(AtomicRMWInst::And, rest), std::pair(AtomicRMWInst::Or, value)})
    b.CreateAtomicRMW(operation, dword, operand, MaybeAlign(4), AtomicOrdering::Monotonic);
}

void Access::storePiece(uint64_t offset, unsigned bits, Value *value) {
  IRBuilder<> &b = m_builder;
  uint32_t mask = bits == 32 ? ~0U : (1U << bits) - 1;
  if (m_alignment < Align(4)) {
    auto [dword, shift] = findDword(offset);
    return change(dword, b.CreateShl(value, shift), b.CreateShl(b.getInt32(mask), shift));
  }
  uint64_t start = offset & ~uint64_t(3);
  unsigned shift = 8 * unsigned(offset - start);
  Dword &dword = m_written[start];
  value = b.CreateShl(b.CreateAnd(value, b.getInt32(mask)), shift);
  dword.value = dword.value ? b.CreateOr(dword.value, value) : value;
  dword.mask |= mask << shift;
}

void Access::store(uint64_t offset, unsigned bits, Value *value) {
  IRBuilder<> &b = m_builder;
  unsigned piece = pieceBits(offset, bits);
  for (unsigned bit = 0; bit < bits; bit += piece) {
    Value *part = bit ? b.CreateLShr(value, bit) : value;
    storePiece(offset + bit / 8, piece, b.CreateTrunc(part, b.getInt32Ty()));
  }
}

/// Whole dwords are stored, parts of dwords go through change(). Places are in ascending order, so
/// that the code does not depend on the order of the map.
void Access::finish() {
  SmallVector<uint64_t, 4> offsets(make_first_range(m_written));
  sort(offsets);
  for (uint64_t offset : offsets) {
    const Dword &dword = m_written[offset];
    if (dword.mask == ~0U)
      m_builder.CreateAlignedStore(dword.value, at(offset), Align(4));
    else
      change(at(offset), dword.value, m_builder.getInt32(dword.mask));
  }
}

/// False for types that have no bytes of their own.
static bool collectLeaves(const DataLayout &layout, Type *type, uint64_t offset,
                          SmallVectorImpl<unsigned> &indices, SmallVectorImpl<Leaf> &leaves) {
  auto addEach = [&](unsigned count, auto place) {
    for (unsigned i = 0; i < count; ++i) {
      indices.push_back(i);
      auto [element, distance] = place(i);
      bool isDone = collectLeaves(layout, element, offset + distance, indices, leaves);
      indices.pop_back();
      if (!isDone)
        return false;
    }
    return true;
  };
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *places = layout.getStructLayout(structure);
    return addEach(structure->getNumElements(), [&](unsigned i) {
      return std::pair(structure->getElementType(i), uint64_t(places->getElementOffset(i)));
    });
  }
  if (auto *array = dyn_cast<ArrayType>(type)) {
    uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    return addEach(static_cast<unsigned>(array->getNumElements()),
                   [&](unsigned i) { return std::pair(array->getElementType(), i * stride); });
  }
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    uint64_t stride = vector->getScalarSizeInBits() / 8;
    return addEach(vector->getNumElements(),
                   [&](unsigned i) { return std::pair(vector->getElementType(), i * stride); });
  }
  uint64_t bits = type->isPointerTy() ? 0 : layout.getTypeSizeInBits(type);
  leaves.push_back({type, offset, SmallVector<unsigned, 2>(indices.begin(), indices.end())});
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) && !type->isDoubleTy();
}

bool ir3::needsDwords(Type *type, Align alignment) {
  return isNarrow(type) || (alignment < Align(4) && !type->isPtrOrPtrVectorTy());
}

/// Members of vectors are elements.
static bool isElement(Type *whole, ArrayRef<unsigned> indices) {
  for (unsigned index : indices.drop_back())
    whole =
        isa<StructType>(whole) ? whole->getStructElementType(index) : whole->getArrayElementType();
  return whole->isVectorTy();
}

/// Elements of vectors inside of aggregates are taken out and inserted again, because insertvalue
/// has no index into vectors.
Value *ir3::loadByDwords(LoadInst &load) {
  SmallVector<unsigned, 4> indices;
  SmallVector<Leaf, 8> leaves;
  Type *type = load.getType();
  if (load.isAtomic() || !collectLeaves(load.getDataLayout(), type, 0, indices, leaves))
    return nullptr;
  Access access(load, load.getPointerOperand(), load.getAlign());
  IRBuilder<> &b = access.builder();
  Value *result = PoisonValue::get(promotedType(type));
  for (const Leaf &leaf : leaves) {
    Value *bits = access.load(leaf.offset, leaf.type->getScalarSizeInBits());
    Value *value = fromBits(b, bits, leaf.type);
    if (leaf.indices.empty())
      return value;
    if (!isElement(type, leaf.indices)) {
      result = b.CreateInsertValue(result, value, leaf.indices);
    } else if (leaf.indices.size() == 1) {
      result = b.CreateInsertElement(result, value, leaf.indices[0]);
    } else {
      ArrayRef<unsigned> outer = ArrayRef(leaf.indices).drop_back();
      Value *vector = b.CreateExtractValue(result, outer);
      result = b.CreateInsertValue(
          result, b.CreateInsertElement(vector, value, leaf.indices.back()), outer);
    }
  }
  return result;
}

/// The store itself stays: the caller erases it.
bool ir3::storeByDwords(StoreInst &store, Value *value) {
  SmallVector<unsigned, 4> indices;
  SmallVector<Leaf, 8> leaves;
  Type *type = store.getValueOperand()->getType();
  if (store.isAtomic() || !collectLeaves(store.getDataLayout(), type, 0, indices, leaves))
    return false;
  Access access(store, store.getPointerOperand(), store.getAlign());
  IRBuilder<> &b = access.builder();
  for (const Leaf &leaf : leaves) {
    Value *scalar = value;
    if (!leaf.indices.empty() && isElement(type, leaf.indices)) {
      ArrayRef<unsigned> outer = ArrayRef(leaf.indices).drop_back();
      Value *vector = outer.empty() ? value : b.CreateExtractValue(value, outer);
      scalar = b.CreateExtractElement(vector, leaf.indices.back());
    } else if (!leaf.indices.empty()) {
      scalar = b.CreateExtractValue(value, leaf.indices);
    }
    access.store(leaf.offset, leaf.type->getScalarSizeInBits(), toBits(b, scalar, leaf.type));
  }
  access.finish();
  return true;
}

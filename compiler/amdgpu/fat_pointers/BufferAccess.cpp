// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/fat_pointers/BufferAccess.h"

#include "compiler/amdgpu/fat_pointers/BufferAccessCall.h"
#include "compiler/amdgpu/fat_pointers/BufferAccessTarget.h"
#include "compiler/lgc/fat_pointers/BufferAccessPieces.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

static constexpr BufferIntrinsic storeIntrinsic = {Intrinsic::amdgcn_raw_ptr_buffer_store,
                                                   Intrinsic::amdgcn_struct_ptr_buffer_store};

// --- What an instruction asks for

/// Returns the alignment that a load, store, atomicrmw or cmpxchg promises.
static Align getAlignment(const Instruction &access) {
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&access))
    return atomic->getAlign();
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access))
    return exchange->getAlign();
  return getLoadStoreAlignment(&access);
}

/// Accesses that are not atomic have scope System, which does not count then.
AccessTraits amdgpu::getAccessTraits(const Instruction &access) {
  AccessTraits traits;
  traits.align = getAlignment(access);
  traits.isVolatile = access.isVolatile();
  traits.isNontemporal = access.hasMetadata(LLVMContext::MD_nontemporal);
  traits.isInvariant = access.hasMetadata(LLVMContext::MD_invariant_load);
  traits.ignoresDenormalMode = access.hasMetadata("amdgpu.ignore.denormal.mode");
  if (auto *load = dyn_cast<LoadInst>(&access))
    traits.ordering = load->getOrdering();
  else if (auto *store = dyn_cast<StoreInst>(&access))
    traits.ordering = store->getOrdering();
  else if (auto *atomic = dyn_cast<AtomicRMWInst>(&access))
    traits.ordering = atomic->getOrdering();
  else
    traits.ordering = cast<AtomicCmpXchgInst>(access).getMergedOrdering();
  traits.scope = getAtomicSyncScopeID(&access).value_or(SyncScope::System);
  traits.aliases = access.getAAMetadata();
  return traits;
}

/// What an access moves.
static Type *getAccessedType(const Instruction &access) {
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access))
    return exchange->getCompareOperand()->getType();
  return getLoadStoreType(&access);
}

/// Accesses that are not atomic may have any alignment.
Error amdgpu::verifyBufferAccess(const Instruction &access) {
  Type *type = isa<AtomicRMWInst>(access) ? access.getType() : getAccessedType(access);
  if (type->isScalableTy())
    return unsupported("access to a scalable vector through a buffer fat pointer: buffer "
                       "instructions have fixed sizes");
  if (!access.isAtomic())
    return Error::success();
  uint64_t bits = access.getDataLayout().getTypeSizeInBits(type);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return unsupported("atomic access of " + Twine(bits) +
                       " bits through a buffer fat pointer: buffers have 8, 16, 32 and 64");
  if (getAlignment(access).value() * 8 < bits)
    return unsupported("atomic access of " + Twine(bits) +
                       " bits through a buffer fat pointer: it must be naturally aligned");
  return Error::success();
}

// --- Loads

namespace {
/// One load or store: its target's view, and the pieces of its type.
struct Access {
  IRBuilder<> &builder;
  const BufferAddress &address;
  const AccessTraits &traits;
  std::vector<Leaf> leaves;
  std::vector<Piece> pieces;

  /// Collects the leaves of \p type and cuts them into pieces that the builder's target can access.
  Access(IRBuilder<> &builder, const BufferAddress &address, Type *type, const AccessTraits &traits)
      : builder(builder), address(address), traits(traits) {
    const Function &function = *builder.GetInsertBlock()->getParent();
    leaves = collectLeaves(type, function.getDataLayout());
    if (faultPlanted(Fault::FatPaddingWritten))
      closeGaps();
    pieces = cutIntoPieces(leaves, traits.align, BufferTarget::of(function).unalignedAccess);
    assert((!isAtomic() || pieces.size() <= 1) && "an atomic access that cannot be one");
  }

  bool isAtomic() const { return traits.ordering != AtomicOrdering::NotAtomic; }

  unsigned getPolicy(AccessKind kind) const {
    return getCachePolicy(*builder.GetInsertBlock()->getParent(), traits, kind);
  }

  /// The leaf that is just \p piece, if there is one.
  const Leaf *findLeaf(const Piece &piece) const {
    auto leaf =
        partition_point(leaves, [&](const Leaf &leaf) { return leaf.offset < piece.offset; });
    bool isWhole =
        leaf != leaves.end() && leaf->offset == piece.offset && leaf->bytes == piece.bytes();
    return isWhole ? &*leaf : nullptr;
  }

private:
  /// What a planted fault does: padding belongs to the leaf before it.
  void closeGaps() {
    for (size_t i = 0; i + 1 < leaves.size(); ++i)
      leaves[i].bytes = leaves[i + 1].offset - leaves[i].offset;
  }
};
} // namespace

/// Emits the load of \p piece as \p type.
static Value *loadPiece(const Access &access, const Piece &piece, Type *type) {
  BufferCall call{getLoadIntrinsic(access.traits), type, {}};
  call.distance = piece.offset;
  if (piece.offset && faultPlanted(Fault::FatPieceOffset))
    ++call.distance;
  call.cachePolicy = access.getPolicy(AccessKind::Load);
  return createBufferCall(access.builder, access.address, call, access.traits);
}

/// \p leaf out of pieces that do not end where it does.
static Value *assembleLeaf(IRBuilder<> &builder, ByteMap &bytes, const Leaf &leaf) {
  uint64_t count = divideCeil(leaf.bytes, 4);
  if (count == 1)
    return fromDwords(builder, bytes.get(builder, leaf.offset, leaf.bytes), leaf.type);
  Value *dwords =
      PoisonValue::get(FixedVectorType::get(builder.getInt32Ty(), static_cast<unsigned>(count)));
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t known = std::min<uint64_t>(leaf.bytes - 4 * i, 4);
    dwords = builder.CreateInsertElement(dwords, bytes.get(builder, leaf.offset + 4 * i, known), i);
  }
  return fromDwords(builder, dwords, leaf.type);
}

/// A leaf that is one piece is loaded in its own type where an instruction has that; other leaves
/// are put together from the bytes of all pieces.
Value *amdgpu::emitBufferLoad(IRBuilder<> &builder, const BufferAddress &address, Type *type,
                              const AccessTraits &traits) {
  Access access(builder, address, type, traits);
  emitFenceBefore(builder, traits);
  ByteMap bytes;
  DenseMap<const Leaf *, Value *> whole;
  for (const Piece &piece : access.pieces) {
    const Leaf *leaf = access.findLeaf(piece);
    Type *pieceType = leaf && isInstructionType(leaf->type)
                          ? leaf->type
                          : getPieceType(piece, builder.getContext());
    Value *value = loadPiece(access, piece, pieceType);
    if (!leaf)
      bytes.add(value, piece.offset, piece.bytes());
    else if (pieceType == leaf->type)
      whole[leaf] = value;
    else if (piece.unitBytes < 4)
      whole[leaf] =
          fromDwords(builder, builder.CreateZExt(value, builder.getInt32Ty()), leaf->type);
    else
      whole[leaf] = fromDwords(builder, value, leaf->type);
  }
  emitFenceAfter(builder, traits);
  Value *result = PoisonValue::get(type);
  for (const Leaf &leaf : access.leaves) {
    Value *value = whole.lookup(&leaf);
    if (!value)
      value = assembleLeaf(builder, bytes, leaf);
    result = leaf.path.empty() ? value : builder.CreateInsertValue(result, value, leaf.path);
  }
  return result;
}

// --- Stores

/// The bits of \p piece out of leaves that do not end where it does.
static Value *assemblePiece(IRBuilder<> &builder, ByteMap &bytes, const Piece &piece) {
  Type *type = getPieceType(piece, builder.getContext());
  auto get = [&](unsigned unit) {
    return bytes.get(builder, piece.offset + uint64_t(unit) * piece.unitBytes, piece.unitBytes);
  };
  if (piece.units == 1)
    return builder.CreateTrunc(get(0), type);
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i < piece.units; ++i)
    result = builder.CreateInsertElement(result, get(i), i);
  return result;
}

/// Emits the store of \p value, which covers \p piece.
static void storePiece(const Access &access, const Piece &piece, Value *value) {
  IRBuilder<> &builder = access.builder;
  if (piece.unitBytes < 4 && faultPlanted(Fault::FatWidenedStore))
    value = builder.CreateZExt(builder.CreateBitCast(value, builder.getIntNTy(8 * piece.unitBytes)),
                               builder.getInt32Ty());
  BufferCall call{storeIntrinsic, value->getType(), {value}};
  call.distance = piece.offset;
  call.cachePolicy = access.getPolicy(AccessKind::Store);
  createBufferCall(builder, access.address, call, access.traits);
}

/// \p value, all of what \p piece covers, as the instruction takes it.
static Value *convertWhole(IRBuilder<> &builder, const Piece &piece, Value *value) {
  if (isInstructionType(value->getType()))
    return value;
  Value *dwords = toDwords(builder, value, piece.bytes());
  return piece.unitBytes == 4
             ? dwords
             : builder.CreateTrunc(dwords, getPieceType(piece, builder.getContext()));
}

/// Padding between leaves is not written. All values are computed first, so that nothing but stores
/// is between the fences.
void amdgpu::emitBufferStore(IRBuilder<> &builder, const BufferAddress &address, Value *value,
                             const AccessTraits &traits) {
  Access access(builder, address, value->getType(), traits);
  DenseSet<const Leaf *> whole;
  for (const Piece &piece : access.pieces)
    whole.insert(access.findLeaf(piece));
  ByteMap bytes;
  SmallVector<Value *, 8> values;
  for (const Leaf &leaf : access.leaves) {
    values.push_back(leaf.path.empty() ? value : builder.CreateExtractValue(value, leaf.path));
    if (!whole.contains(&leaf))
      bytes.add(toDwords(builder, values.back(), leaf.bytes), leaf.offset, leaf.bytes);
  }
  emitFenceBefore(builder, traits);
  for (const Piece &piece : access.pieces) {
    const Leaf *leaf = access.findLeaf(piece);
    storePiece(access, piece,
               leaf ? convertWhole(builder, piece, values[leaf - access.leaves.data()])
                    : assemblePiece(builder, bytes, piece));
  }
  emitFenceAfter(builder, traits);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics on buffers: the hardware's own where it has them, else loops of compare-and-swap on the
// dword or pair of dwords that holds the value.
#include "compiler/amdgpu/fat_pointers/BufferAccessCall.h"
#include "compiler/amdgpu/fat_pointers/BufferAccessTarget.h"
#include "support/Fault.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using BinOp = AtomicRMWInst::BinOp;

#define BUFFER_ATOMIC(NAME)                                                                        \
  BufferIntrinsic {                                                                                \
    Intrinsic::amdgcn_raw_ptr_buffer_atomic_##NAME,                                                \
        Intrinsic::amdgcn_struct_ptr_buffer_atomic_##NAME                                          \
  }

/// Its first data operand is the new value, the second the expected one.
static constexpr BufferIntrinsic compareAndSwap = BUFFER_ATOMIC(cmpswap);

/// Operations that some generation has; isNativeAtomic decides whether the target at hand does.
static constexpr struct {
  BinOp operation;
  BufferIntrinsic intrinsic;
} nativeAtomics[] = {
    {BinOp::Xchg, BUFFER_ATOMIC(swap)},
    {BinOp::Add, BUFFER_ATOMIC(add)},
    {BinOp::Sub, BUFFER_ATOMIC(sub)},
    {BinOp::And, BUFFER_ATOMIC(and)},
    {BinOp::Or, BUFFER_ATOMIC(or)},
    {BinOp::Xor, BUFFER_ATOMIC(xor)},
    {BinOp::Max, BUFFER_ATOMIC(smax)},
    {BinOp::Min, BUFFER_ATOMIC(smin)},
    {BinOp::UMax, BUFFER_ATOMIC(umax)},
    {BinOp::UMin, BUFFER_ATOMIC(umin)},
    {BinOp::FAdd, BUFFER_ATOMIC(fadd)},
    {BinOp::FMax, BUFFER_ATOMIC(fmax)},
    {BinOp::FMin, BUFFER_ATOMIC(fmin)},
    {BinOp::UIncWrap, BUFFER_ATOMIC(inc)},
    {BinOp::UDecWrap, BUFFER_ATOMIC(dec)},
    {BinOp::USubCond, BUFFER_ATOMIC(cond_sub_u32)},
    {BinOp::USubSat, BUFFER_ATOMIC(sub_clamp_u32)},
};
#undef BUFFER_ATOMIC

/// Returns the intrinsics of \p operation, which isNativeAtomic has accepted.
static BufferIntrinsic findNative(BinOp operation) {
  if (operation == BinOp::UMin && faultPlanted(Fault::FatSignedMin))
    operation = BinOp::Min;
  if (operation == BinOp::Sub && faultPlanted(Fault::FatSubAdds))
    operation = BinOp::Add;
  for (const auto &row : nativeAtomics)
    if (row.operation == operation)
      return row.intrinsic;
  llvm_unreachable("isNativeAtomic allowed an operation that has no row");
}

/// Returns the cache policy operand of an atomic in the builder's function.
static unsigned getPolicy(IRBuilder<> &builder, const AccessTraits &traits) {
  return getCachePolicy(*builder.GetInsertBlock()->getParent(), traits,
                        AccessKind::ReadModifyWrite);
}

/// Returns whether the builder's function is strictfp.
static bool isStrict(IRBuilder<> &builder) {
  return builder.GetInsertBlock()->getParent()->hasFnAttribute(Attribute::StrictFP);
}

// --- Values as integers

/// Returns the integer type that has as many bits as \p type.
static IntegerType *getBitsType(IRBuilder<> &builder, Type *type) {
  const DataLayout &layout = builder.GetInsertBlock()->getDataLayout();
  return builder.getIntNTy(static_cast<unsigned>(layout.getTypeSizeInBits(type)));
}

/// Returns \p value, a number, vector or pointer, as an integer of its bits.
static Value *toBits(IRBuilder<> &builder, Value *value) {
  Type *bits = getBitsType(builder, value->getType());
  return value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, bits)
                                         : builder.CreateBitCast(value, bits);
}

/// The inverse of toBits.
static Value *fromBits(IRBuilder<> &builder, Value *bits, Type *type) {
  return type->isPointerTy() ? builder.CreateIntToPtr(bits, type)
                             : builder.CreateBitCast(bits, type);
}

// --- Values narrower than a dword

namespace {
/// Where a value of 8 or 16 bits stands: the dword that contains it, and its place therein.
struct Container {
  BufferAddress address; ///< Of the dword.
  /// Of the value, in bits from the dword's lowest one: 0, 8, 16 or 24.
  Value *shift = nullptr;
  Value *mask = nullptr; ///< Ones where the value is.
  IntegerType *type = nullptr;

  Container(IRBuilder<> &builder, const BufferAddress &narrow, IntegerType *type)
      : address(narrow), type(type) {
    address.offset = builder.CreateAnd(narrow.offset, builder.getInt32(~3u));
    Value *byte = builder.CreateAnd(narrow.offset, builder.getInt32(3));
    shift = builder.CreateShl(byte, faultPlanted(Fault::FatMaskShift) ? 2 : 3);
    mask = builder.CreateShl(builder.getInt32((1u << type->getBitWidth()) - 1), shift);
  }

  /// Returns the value's bits in \p dword, as its integer type.
  Value *extract(IRBuilder<> &builder, Value *dword) const {
    return builder.CreateTrunc(builder.CreateLShr(dword, shift), type);
  }
  /// The value in its place, all else 0. Poison stays in its place: it would be poison in the bytes
  /// next to it, too.
  Value *widen(IRBuilder<> &builder, Value *bits) const {
    if (!isGuaranteedNotToBeUndefOrPoison(bits))
      bits = builder.CreateFreeze(bits);
    return builder.CreateShl(builder.CreateZExt(bits, builder.getInt32Ty()), shift);
  }
  /// \p dword without the value.
  Value *getRest(IRBuilder<> &builder, Value *dword) const {
    return builder.CreateAnd(dword, builder.CreateNot(mask));
  }
  /// Returns \p dword with the value replaced by \p bits.
  Value *insert(IRBuilder<> &builder, Value *dword, Value *bits) const {
    return builder.CreateOr(getRest(builder, dword), widen(builder, bits));
  }
};

/// A block that runs until a compare-and-swap in it succeeds, between two halves of the block that
/// the builder stood in. Afterwards the builder is at the start of the second half.
class RetryLoop {
public:
  RetryLoop(IRBuilder<> &builder, Value *first) : m_builder(builder) {
    BasicBlock *before = builder.GetInsertBlock();
    m_after = before->splitBasicBlock(builder.GetInsertPoint(), "atomic.done");
    m_loop = BasicBlock::Create(builder.getContext(), "atomic.retry", before->getParent(), m_after);
    before->getTerminator()->setSuccessor(0, m_loop);
    builder.SetInsertPoint(m_loop);
    m_seen = builder.CreatePHI(first->getType(), 2, "atomic.seen");
    m_seen->addIncoming(first, before);
  }
  /// What memory held when last looked at.
  Value *seen() const { return m_seen; }
  /// Leaves the loop if \p isDone, else continues with \p next for what memory holds.
  void close(Value *isDone, Value *next) {
    m_builder.CreateCondBr(isDone, m_after, m_loop);
    m_seen->addIncoming(next, m_loop);
    m_builder.SetInsertPoint(m_after, m_after->begin());
  }

private:
  IRBuilder<> &m_builder;
  BasicBlock *m_after = nullptr;
  BasicBlock *m_loop = nullptr;
  PHINode *m_seen = nullptr;
};
} // namespace

/// Emits one compare-and-swap of an i32 or i64 and returns what memory held.
static Value *emitCompareAndSwap(IRBuilder<> &builder, const BufferAddress &address,
                                 Value *expected, Value *desired, const AccessTraits &traits) {
  if (faultPlanted(Fault::FatSwappedExchange))
    std::swap(expected, desired);
  BufferCall call{compareAndSwap, expected->getType(), {desired, expected}};
  call.cachePolicy = getPolicy(builder, traits);
  return createBufferCall(builder, address, call, traits);
}

/// The same in a loop, which branches on what was found: memory may be poison, next to a narrow
/// value without the program's doing.
static Value *emitTry(IRBuilder<> &builder, const BufferAddress &address, Value *expected,
                      Value *desired, const AccessTraits &traits) {
  return builder.CreateFreeze(emitCompareAndSwap(builder, address, expected, desired, traits));
}

/// What memory holds before a loop: any old value would do, but a fresh one mostly succeeds.
static Value *loadFirst(IRBuilder<> &builder, const BufferAddress &address, Type *type,
                        const AccessTraits &traits) {
  AccessTraits relaxed = traits;
  relaxed.ordering = AtomicOrdering::Monotonic;
  relaxed.isVolatile = false;
  return builder.CreateFreeze(emitBufferLoad(builder, address, type, relaxed));
}

// --- Read, modify, write

/// Whether the result hangs on the rounding mode. Minimum and maximum do not, and the target cannot
/// select their constrained forms (LLVM: "unsupported library call operation").
static bool isRounded(BinOp operation) {
  return operation == BinOp::FAdd || operation == BinOp::FSub;
}

/// The value that \p operation puts into memory.
static Value *compute(IRBuilder<> &builder, BinOp operation, Value *old, Value *operand) {
  IRBuilder<>::FastMathFlagGuard guard(builder);
  if (isStrict(builder) && isRounded(operation))
    builder.setIsFPConstrained(true);
  return buildAtomicRMWValue(operation, builder, old, operand);
}

/// Emits \p operation as one buffer instruction, without fences, and returns the old value.
static Value *emitNative(IRBuilder<> &builder, const BufferAddress &address, BinOp operation,
                         Value *operand, const AccessTraits &traits) {
  BufferCall call{findNative(operation), operand->getType(), {operand}};
  call.cachePolicy = getPolicy(builder, traits);
  return createBufferCall(builder, address, call, traits);
}

/// An operation on 32 or 64 bits that the target lacks.
static Value *emitLoop(IRBuilder<> &builder, const BufferAddress &address, BinOp operation,
                       Value *operand, const AccessTraits &traits) {
  Type *type = operand->getType();
  RetryLoop loop(builder, loadFirst(builder, address, getBitsType(builder, type), traits));
  Value *old = fromBits(builder, loop.seen(), type);
  Value *desired = toBits(builder, compute(builder, operation, old, operand));
  Value *found = emitTry(builder, address, loop.seen(), desired, traits);
  loop.close(builder.CreateICmpEQ(found, loop.seen()), found);
  return fromBits(builder, found, type);
}

/// An operation on 8 or 16 bits. Those on single bits are one instruction on the dword.
static Value *emitNarrow(IRBuilder<> &builder, const BufferAddress &address, BinOp operation,
                         Value *operand, const AccessTraits &traits) {
  Type *type = operand->getType();
  Container container(builder, address, getBitsType(builder, type));
  AccessTraits wide = traits;
  wide.align = Align(4);
  if (operation == BinOp::And || operation == BinOp::Or || operation == BinOp::Xor) {
    Value *bits = container.widen(builder, operand);
    if (operation == BinOp::And)
      bits = builder.CreateOr(bits, builder.CreateNot(container.mask));
    Value *old = emitNative(builder, container.address, operation, bits, wide);
    return container.extract(builder, old);
  }
  RetryLoop loop(builder, loadFirst(builder, container.address, builder.getInt32Ty(), wide));
  Value *old = fromBits(builder, container.extract(builder, loop.seen()), type);
  Value *desired = container.insert(builder, loop.seen(),
                                    toBits(builder, compute(builder, operation, old, operand)));
  Value *found = emitTry(builder, container.address, loop.seen(), desired, wide);
  loop.close(builder.CreateICmpEQ(found, loop.seen()), found);
  return fromBits(builder, container.extract(builder, found), type);
}

/// Exchanges are done on the bits, whatever the type is.
Value *amdgpu::emitBufferAtomic(IRBuilder<> &builder, const BufferAddress &address, BinOp operation,
                                Value *operand, const AccessTraits &traits) {
  Type *type = operand->getType();
  emitFenceBefore(builder, traits);
  Value *old = nullptr;
  const BufferTarget target = BufferTarget::of(*builder.GetInsertBlock()->getParent());
  if (getBitsType(builder, type)->getBitWidth() < 32)
    old = emitNarrow(builder, address, operation, operand, traits);
  else if (!isNativeAtomic(target, operation, type, traits))
    old = emitLoop(builder, address, operation, operand, traits);
  else if (operation == BinOp::Xchg)
    old = fromBits(builder,
                   emitNative(builder, address, operation, toBits(builder, operand), traits), type);
  else
    old = emitNative(builder, address, operation, operand, traits);
  emitFenceAfter(builder, traits);
  return old;
}

// --- Compare and exchange

/// On 8 or 16 bits: tries again while only the rest of the dword has changed. Returns the bits
/// found.
static Value *exchangeNarrow(IRBuilder<> &builder, const BufferAddress &address, Value *expected,
                             Value *desired, const AccessTraits &traits) {
  Container container(builder, address, cast<IntegerType>(expected->getType()));
  AccessTraits wide = traits;
  wide.align = Align(4);
  Value *first = loadFirst(builder, container.address, builder.getInt32Ty(), wide);
  RetryLoop loop(builder, container.getRest(builder, first));
  Value *expectedDword = builder.CreateOr(loop.seen(), container.widen(builder, expected));
  Value *desiredDword = builder.CreateOr(loop.seen(), container.widen(builder, desired));
  Value *found = emitTry(builder, container.address, expectedDword, desiredDword, wide);
  Value *rest = container.getRest(builder, found);
  // Either it succeeded, or the value itself differs: both end it, and an unchanged rest says so.
  loop.close(builder.CreateICmpEQ(rest, loop.seen()), rest);
  return container.extract(builder, found);
}

/// The builder may be in another block afterwards.
Value *amdgpu::emitBufferCompareExchange(IRBuilder<> &builder, const BufferAddress &address,
                                         Value *expected, Value *desired,
                                         const AccessTraits &traits) {
  Type *type = expected->getType();
  Value *expectedBits = toBits(builder, expected);
  Value *desiredBits = toBits(builder, desired);
  emitFenceBefore(builder, traits);
  bool isNarrow = expectedBits->getType()->getIntegerBitWidth() < 32;
  Value *found = isNarrow ? exchangeNarrow(builder, address, expectedBits, desiredBits, traits)
                          : emitCompareAndSwap(builder, address, expectedBits, desiredBits, traits);
  emitFenceAfter(builder, traits);
  Value *isSame = builder.CreateICmpEQ(found, expectedBits);
  Value *result = PoisonValue::get(StructType::get(type, builder.getInt1Ty()));
  result = builder.CreateInsertValue(result, fromBits(builder, found, type), 0);
  return builder.CreateInsertValue(result, isSame, 1);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/WaveOperations.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// The bits of \p value as one or two i32.
static SmallVector<Value *, 2> split(IRBuilderBase &builder, Value *value) {
  unsigned bits = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits());
  Type *i32 = builder.getInt32Ty();
  Value *integer = builder.CreateBitCast(value, builder.getIntNTy(bits));
  if (bits <= 32)
    return {builder.CreateZExt(integer, i32)};
  Value *high = builder.CreateTrunc(builder.CreateLShr(integer, 32), i32);
  return {builder.CreateTrunc(integer, i32), high};
}

/// The inverse of split: one or two i32 as a value of \p type.
static Value *join(IRBuilderBase &builder, Type *type, ArrayRef<Value *> pieces) {
  unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  if (pieces.size() == 1)
    return builder.CreateBitCast(builder.CreateTrunc(pieces[0], builder.getIntNTy(bits)), type);
  Type *i64 = builder.getInt64Ty();
  Value *high = builder.CreateShl(builder.CreateZExt(pieces[1], i64), 32);
  return builder.CreateBitCast(builder.CreateOr(high, builder.CreateZExt(pieces[0], i64)), type);
}

/// Applies \p make to the dwords of \p values, which are of one type.
Value *WaveOperations::perDword(ArrayRef<Value *> values, Piecewise make) {
  SmallVector<SmallVector<Value *, 2>, 2> pieces;
  for (Value *value : values)
    pieces.push_back(split(m_builder, value));
  SmallVector<Value *, 2> results;
  for (size_t i = 0; i < pieces[0].size(); ++i) {
    SmallVector<Value *, 2> dwords;
    for (const SmallVector<Value *, 2> &piece : pieces)
      dwords.push_back(piece[i]);
    results.push_back(make(dwords));
  }
  return join(m_builder, values[0]->getType(), results);
}

Value *WaveOperations::ballot(Value *predicate) {
  return m_builder.CreateIntrinsic(Intrinsic::amdgcn_ballot, {m_builder.getIntNTy(m_waveSize)},
                                   {predicate});
}

Value *WaveOperations::laneId() {
  return countBelow(m_builder.getInt32(-1), m_builder.getInt32(-1));
}

/// In wave32 the high word does not count.
Value *WaveOperations::countBelow(Value *low, Value *high) {
  Type *i32 = m_builder.getInt32Ty();
  Value *count =
      m_builder.CreateIntrinsic(i32, Intrinsic::amdgcn_mbcnt_lo, {low, m_builder.getInt32(0)});
  if (m_waveSize == 32)
    return count;
  return m_builder.CreateIntrinsic(i32, Intrinsic::amdgcn_mbcnt_hi, {high, count});
}

Value *WaveOperations::readFirstLane(Value *value) {
  return perDword({value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {m_builder.getInt32Ty()},
                                     dwords);
  });
}

Value *WaveOperations::readLane(Value *value, Value *lane) {
  return perDword({value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_readlane, {m_builder.getInt32Ty()},
                                     {dwords[0], lane});
  });
}

/// The intrinsic takes the new value, the lane, then the old value.
Value *WaveOperations::writeLane(Value *old, Value *value, unsigned lane) {
  return perDword({old, value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_writelane, {m_builder.getInt32Ty()},
                                     {dwords[1], m_builder.getInt32(lane), dwords[0]});
  });
}

/// All banks are written; bound_ctrl is off, so that \p old stays where nothing is read.
Value *WaveOperations::dpp(Value *old, Value *value, uint32_t control, uint32_t rowMask) {
  return perDword({old, value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_update_dpp, {m_builder.getInt32Ty()},
                                     {dwords[0], dwords[1], m_builder.getInt32(control),
                                      m_builder.getInt32(rowMask), m_builder.getInt32(0xf),
                                      m_builder.getFalse()});
  });
}

Value *WaveOperations::dppForAll(Value *value, uint32_t control) {
  Value *result = dpp(Constant::getNullValue(value->getType()), value, control);
  if (m_target.major < 12)
    return result;
  // LLVM 22 folds it into a multiply-add of 64 bits, which has no such operand (found-bugs.md).
  Type *i32 = m_builder.getInt32Ty();
  auto *barrier = InlineAsm::get(FunctionType::get(i32, {i32}, false), "", "=v,0",
                                 /*hasSideEffects=*/false);
  return perDword({result},
                  [&](ArrayRef<Value *> dwords) { return m_builder.CreateCall(barrier, dwords); });
}

/// ds_bpermute addresses lanes in bytes, four a lane.
Value *WaveOperations::permute(Value *value, Value *lane) {
  Value *address = m_builder.CreateShl(lane, 2);
  return perDword({value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(m_builder.getInt32Ty(), Intrinsic::amdgcn_ds_bpermute,
                                     {address, dwords[0]});
  });
}

/// ds_swizzle works within groups of 32 lanes, for which a mask below 32 is enough.
Value *WaveOperations::swizzleXor(Value *value, uint32_t mask) {
  // Bit mask mode: and 31, or 0, xor.
  Value *pattern = m_builder.getInt32(mask << 10 | 0x1f);
  return perDword({value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(m_builder.getInt32Ty(), Intrinsic::amdgcn_ds_swizzle,
                                     {dwords[0], pattern});
  });
}

/// The selects are 4 bits a lane, low half first.
Value *WaveOperations::permuteRows(Value *value, uint64_t select) {
  Value *low = m_builder.getInt32(static_cast<uint32_t>(select));
  Value *high = m_builder.getInt32(static_cast<uint32_t>(select >> 32));
  return perDword({value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(
        Intrinsic::amdgcn_permlanex16, {m_builder.getInt32Ty()},
        {dwords[0], dwords[0], low, high, m_builder.getFalse(), m_builder.getFalse()});
  });
}

Value *WaveOperations::swapHalves(Value *value) {
  return perDword({value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_permlane64, {m_builder.getInt32Ty()},
                                     dwords);
  });
}

Value *WaveOperations::setInactive(Value *value, Value *neutral) {
  return perDword({value, neutral}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_set_inactive, {m_builder.getInt32Ty()},
                                     dwords);
  });
}

Value *WaveOperations::leaveWhole(Value *value) {
  return perDword({value}, [&](ArrayRef<Value *> dwords) {
    return m_builder.CreateIntrinsic(Intrinsic::amdgcn_strict_wwm, {m_builder.getInt32Ty()},
                                     dwords);
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes of a wave can do together, in terms of LLVM's intrinsics: 32 bits at a time, whatever
// the type.
#pragma once

#include "compiler/api/Target.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/LaneMask.h"
#include "llvm/IR/IRBuilder.h"

namespace assay::amdgpu {

/// Controls of data-parallel primitives (DPP_CTRL in AMD's ISA manuals). Row: 16 lanes.
enum class Dpp : uint32_t {
  QuadIdentity = 0xe4,
  QuadSwapPairs = 0xb1,    ///< 1 0 3 2
  QuadSwapHalves = 0x4e,   ///< 2 3 0 1
  RowShiftRight = 0x110,   ///< Plus 1 to 15.
  WaveShiftRight1 = 0x138, ///< GFX9.
  RowMirror = 0x140,
  RowHalfMirror = 0x141,
  RowBroadcast15 = 0x142, ///< GFX9: lane 15 of each row to the row after it.
  RowBroadcast31 = 0x143, ///< GFX9: lane 31 to the rows after it.
};

/// Makes wave operations at the insertion point of a builder. Values are scalars of 8 to 64 bits.
/// "Whole" operations read and make values in which every lane counts; they may stand only between
/// setInactive and leaveWhole.
class WaveOperations {
public:
  WaveOperations(llvm::IRBuilderBase &builder, const TargetInfo &target, unsigned waveSize)
      : m_builder(builder), m_target(target), m_waveSize(waveSize) {}

  unsigned waveSize() const { return m_waveSize; }
  bool isGfx9() const { return m_target.major == 9; }

  /// Integer with a bit for each lane: the active ones in which \p predicate holds.
  llvm::Value *ballot(llvm::Value *predicate);
  llvm::Value *laneId();
  /// Bits of \p low and (in wave64) \p high that belong to lanes before this one.
  llvm::Value *countBelow(llvm::Value *low, llvm::Value *high);
  llvm::Value *readFirstLane(llvm::Value *value);
  llvm::Value *readLane(llvm::Value *value, llvm::Value *lane);
  /// \p old with \p value (uniform) in lane number \p lane.
  llvm::Value *writeLane(llvm::Value *old, llvm::Value *value, unsigned lane);
  /// \p old where \p control reads from outside of the row, or \p rowMask leaves the row out.
  llvm::Value *dpp(llvm::Value *old, llvm::Value *value, uint32_t control, uint32_t rowMask = 0xf);
  /// The same with an \p old of zeros, for a result that anything may use.
  llvm::Value *dppForAll(llvm::Value *value, uint32_t control);
  /// Each lane reads the one with number \p lane; in wave64, from GFX10 on, of its own half.
  llvm::Value *permute(llvm::Value *value, llvm::Value *lane);
  /// Reads the lane whose number differs by \p mask, below 32.
  llvm::Value *swizzleXor(llvm::Value *value, uint32_t mask);
  /// From GFX10 on: the neighbour row; lane i there is nibble i of \p select.
  llvm::Value *permuteRows(llvm::Value *value, uint64_t select);
  /// From GFX11 on, in wave64: the other half.
  llvm::Value *swapHalves(llvm::Value *value);

  /// \p value, but \p neutral in inactive lanes: begins a whole computation.
  llvm::Value *setInactive(llvm::Value *value, llvm::Value *neutral);
  /// Ends one: the result in the active lanes.
  llvm::Value *leaveWhole(llvm::Value *value);

private:
  using Piecewise = llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)>;
  llvm::Value *perDword(llvm::ArrayRef<llvm::Value *> values, Piecewise make);

  llvm::IRBuilderBase &m_builder;
  const TargetInfo &m_target;
  unsigned m_waveSize;
};

/// Reductions and scans over the active lanes.
class WaveReduction {
public:
  WaveReduction(llvm::IRBuilderBase &builder, WaveOperations &wave, SubgroupOperation operation,
                llvm::Type *type);
  /// All lanes of a cluster of \p clusterSize (a power of two; 0: the wave).
  llvm::Value *reduce(llvm::Value *value, unsigned clusterSize);
  llvm::Value *scan(llvm::Value *value, bool isExclusive);

private:
  llvm::Value *combine(llvm::Value *a, llvm::Value *b);
  llvm::Value *scanRows(llvm::Value *value);
  llvm::Value *shiftByOne(llvm::Value *value);

  llvm::IRBuilderBase &m_builder;
  WaveOperations &m_wave;
  SubgroupOperation m_operation;
  llvm::Constant *m_neutral; ///< Combined with any value gives that value, -0.0 too.
};

} // namespace assay::amdgpu

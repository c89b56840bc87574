// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans: inactive lanes are given the neutral value, then all lanes work together,
// in steps that double the distance. Rows of 16 lanes have DPP; between rows GFX9 broadcasts, later
// generations permute.
#include "compiler/amdgpu/passes/WaveOperations.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Returns the value that changes no other under \p operation.
static Constant *makeNeutral(SubgroupOperation operation, Type *type) {
  unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  switch (operation) {
  case SubgroupOperation::IAdd:
  case SubgroupOperation::UMax:
  case SubgroupOperation::Or:
  case SubgroupOperation::Xor:
    return Constant::getNullValue(type);
  case SubgroupOperation::IMul:
    return ConstantInt::get(type, 1);
  case SubgroupOperation::SMin:
    return ConstantInt::get(type, APInt::getSignedMaxValue(bits));
  case SubgroupOperation::SMax:
    return ConstantInt::get(type, APInt::getSignedMinValue(bits));
  case SubgroupOperation::UMin:
    if (faultPlanted(Fault::ReduceNeutral))
      return Constant::getNullValue(type);
    return Constant::getAllOnesValue(type);
  case SubgroupOperation::And:
    return Constant::getAllOnesValue(type);
  case SubgroupOperation::FAdd:
    return ConstantFP::getNegativeZero(type);
  case SubgroupOperation::FMul:
    return ConstantFP::get(type, 1.0);
  case SubgroupOperation::FMin:
    return ConstantFP::getInfinity(type);
  case SubgroupOperation::FMax:
    return ConstantFP::getInfinity(type, /*Negative=*/true);
  }
  llvm_unreachable("the number was checked");
}

WaveReduction::WaveReduction(IRBuilderBase &builder, WaveOperations &wave,
                             SubgroupOperation operation, Type *type)
    : m_builder(builder), m_wave(wave), m_operation(operation),
      m_neutral(makeNeutral(operation, type)) {}

/// Returns \p a and \p b combined; minima and maxima of floats return the number where one is a
/// NaN.
Value *WaveReduction::combine(Value *a, Value *b) {
  switch (m_operation) {
  case SubgroupOperation::IAdd:
    return m_builder.CreateAdd(a, b);
  case SubgroupOperation::FAdd:
    return m_builder.CreateFAdd(a, b);
  case SubgroupOperation::IMul:
    return m_builder.CreateMul(a, b);
  case SubgroupOperation::FMul:
    return m_builder.CreateFMul(a, b);
  case SubgroupOperation::SMin:
    return m_builder.CreateBinaryIntrinsic(Intrinsic::smin, a, b);
  case SubgroupOperation::UMin:
    return m_builder.CreateBinaryIntrinsic(Intrinsic::umin, a, b);
  case SubgroupOperation::FMin:
    return m_builder.CreateMinNum(a, b);
  case SubgroupOperation::SMax:
    return m_builder.CreateBinaryIntrinsic(Intrinsic::smax, a, b);
  case SubgroupOperation::UMax:
    return m_builder.CreateBinaryIntrinsic(Intrinsic::umax, a, b);
  case SubgroupOperation::FMax:
    return m_builder.CreateMaxNum(a, b);
  case SubgroupOperation::And:
    return m_builder.CreateAnd(a, b);
  case SubgroupOperation::Or:
    return m_builder.CreateOr(a, b);
  case SubgroupOperation::Xor:
    return m_builder.CreateXor(a, b);
  }
  llvm_unreachable("the number was checked");
}

/// Every step makes pairs of clusters one, by reading a lane of the other; which lane does not
/// matter, as all lanes of a cluster have its result already.
Value *WaveReduction::reduce(Value *value, unsigned clusterSize) {
  if (clusterSize == 1)
    return value;
  unsigned size = clusterSize && clusterSize < m_wave.waveSize() ? clusterSize : m_wave.waveSize();
  Value *whole = m_wave.setInactive(value, m_neutral);
  constexpr Dpp withinRow[] = {Dpp::QuadSwapPairs, Dpp::QuadSwapHalves, Dpp::RowHalfMirror,
                               Dpp::RowMirror};
  unsigned done = 1;
  for (Dpp control : withinRow) {
    if (done < size)
      whole = combine(whole, m_wave.dpp(m_neutral, whole, uint32_t(control)));
    done *= 2;
  }
  if (size >= 32)
    whole = combine(whole, m_wave.isGfx9() ? m_wave.swizzleXor(whole, 16)
                                           : m_wave.permuteRows(whole, 0xfedcba9876543210));
  if (size == 64)
    whole = combine(m_wave.readLane(whole, m_builder.getInt32(0)),
                    m_wave.readLane(whole, m_builder.getInt32(63)));
  else if (size == m_wave.waveSize())
    whole = m_wave.readLane(whole, m_builder.getInt32(0)); // Tells LLVM that it is uniform.
  return m_wave.leaveWhole(whole);
}

/// Inclusive scan of a whole value.
Value *WaveReduction::scanRows(Value *value) {
  for (unsigned distance : {1, 2, 4, 8})
    value = combine(m_wave.dpp(m_neutral, value, uint32_t(Dpp::RowShiftRight) + distance), value);

  // Rows 1 and 3 get what came before them in their half of the wave.
  constexpr uint32_t oddRows = 0xa;
  constexpr uint32_t highHalf = 0xc;
  constexpr uint32_t identity = uint32_t(Dpp::QuadIdentity);
  Value *before = nullptr;
  if (m_wave.isGfx9())
    before = m_wave.dpp(m_neutral, value, uint32_t(Dpp::RowBroadcast15), oddRows);
  else
    before = m_wave.dpp(m_neutral, m_wave.permuteRows(value, ~uint64_t(0)), identity, oddRows);
  value = combine(before, value);
  if (m_wave.waveSize() == 32)
    return value;

  if (m_wave.isGfx9())
    before = m_wave.dpp(m_neutral, value, uint32_t(Dpp::RowBroadcast31), highHalf);
  else
    before =
        m_wave.dpp(m_neutral, m_wave.readLane(value, m_builder.getInt32(31)), identity, highHalf);
  return combine(before, value);
}

/// Lane N gets the value of lane N - 1, lane 0 the neutral one.
Value *WaveReduction::shiftByOne(Value *value) {
  if (m_wave.isGfx9())
    return m_wave.dpp(m_neutral, value, uint32_t(Dpp::WaveShiftRight1));
  Value *shifted = m_wave.dpp(m_neutral, value, uint32_t(Dpp::RowShiftRight) + 1);
  for (unsigned lane = 16; lane < m_wave.waveSize(); lane += 16)
    shifted = m_wave.writeLane(shifted, m_wave.readLane(value, m_builder.getInt32(lane - 1)), lane);
  return shifted;
}

/// An exclusive scan is an inclusive one, shifted by a lane. Its first active lane has the neutral
/// value.
Value *WaveReduction::scan(Value *value, bool isExclusive) {
  Value *whole = scanRows(m_wave.setInactive(value, m_neutral));
  if (!isExclusive)
    return m_wave.leaveWhole(whole);
  Value *result = m_wave.leaveWhole(shiftByOne(whole));
  if (m_operation != SubgroupOperation::FAdd)
    return result;
  // SPIR-V wants +0.0 in the first active lane, where there is nothing to add.
  Value *active = m_wave.ballot(m_builder.getTrue());
  Value *words = makeMaskWords(m_builder, active);
  Value *before = m_wave.countBelow(m_builder.CreateExtractElement(words, uint64_t(0)),
                                    m_builder.CreateExtractElement(words, uint64_t(1)));
  Value *isFirst = m_builder.CreateICmpEQ(before, m_builder.getInt32(0));
  return m_builder.CreateSelect(isFirst, Constant::getNullValue(value->getType()), result);
}

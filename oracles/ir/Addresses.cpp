// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses: getelementptr by the data layout, and allocas.
#include "oracles/ir/Elementwise.h"
#include "oracles/ir/Handlers.h"
#include "llvm/IR/GlobalValue.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

/// Sums the offset of a getelementptr in \p width bits and watches its flags.
class OffsetSum {
public:
  OffsetSum(unsigned width, uint32_t flags) : m_width(width), m_flags(flags) {}

  /// Adds \p index times \p scale bytes. A poison index makes the sum poison, also with a scale of
  /// 0.
  void add(const Scalar &index, int64_t scale) {
    if (index.isPoison)
      m_isPoison = true;
    else if (scale)
      addIndex(index.bits, scale);
  }
  /// The low bits of base + offset; nothing if that is poison.
  std::optional<APInt> finish(const APInt &base);

private:
  /// Whether \p value fits the width as a signed number.
  bool isSigned(__int128 value) const {
    __int128 limit = __int128(1) << (m_width - 1);
    return value >= -limit && value < limit;
  }
  /// Whether \p value fits the width as an unsigned number.
  bool isUnsigned(__int128 value) const { return value >= 0 && value >> m_width == 0; }
  /// Adds a term to both exact sums, and makes the result poison where a promised flag is broken.
  void watch(__int128 signedTerm, __int128 unsignedTerm);
  /// Adds a term that is not poison. Without flags only the sum modulo 2^64 is kept.
  void addIndex(const APInt &index, int64_t scale);

  unsigned m_width; ///< Bits of the index type.
  uint32_t m_flags; ///< NoUnsignedWrap, NoSignedWrap.
  bool m_isPoison = false;
  uint64_t m_sum = 0;       ///< Modulo 2^64.
  __int128 m_signedSum = 0; ///< Of terms that fit the width.
  __int128 m_unsignedSum = 0;
};

} // namespace

void OffsetSum::watch(__int128 signedTerm, __int128 unsignedTerm) {
  m_signedSum += signedTerm;
  m_unsignedSum += unsignedTerm;
  if (m_flags & NoSignedWrap)
    m_isPoison |= !isSigned(signedTerm) || !isSigned(m_signedSum);
  if (m_flags & NoUnsignedWrap)
    m_isPoison |= !isUnsigned(unsignedTerm) || !isUnsigned(m_unsignedSum);
}

void OffsetSum::addIndex(const APInt &index, int64_t scale) {
  APInt wide = index.sextOrTrunc(64);
  m_sum += wide.getZExtValue() * static_cast<uint64_t>(scale);
  if (!m_flags || m_isPoison)
    return;
  // Truncation to the index type must not lose anything, signed or unsigned as promised.
  if (m_flags & NoSignedWrap)
    m_isPoison |= !index.isSignedIntN(m_width);
  if (m_flags & NoUnsignedWrap)
    m_isPoison |= !index.isIntN(m_width);
  __int128 asUnsigned = index.zextOrTrunc(m_width).getZExtValue();
  // A narrow index is sign-extended; as unsigned, a negative one is huge.
  if (index.getBitWidth() < m_width)
    asUnsigned = index.sext(m_width).getZExtValue();
  __int128 asSigned = index.sextOrTrunc(m_width).getSExtValue();
  // Products stay below 2^127: 64 bits each, and a scale of 2^63 at most.
  watch(asSigned * scale, asUnsigned * scale);
  if (m_isPoison)
    m_signedSum = m_unsignedSum = 0;
}

std::optional<APInt> OffsetSum::finish(const APInt &base) {
  APInt low = base.trunc(m_width);
  if (m_flags & NoSignedWrap)
    m_isPoison |= !isUnsigned(__int128(low.getZExtValue()) + m_signedSum);
  if (m_flags & NoUnsignedWrap)
    m_isPoison |= !isUnsigned(__int128(low.getZExtValue()) + m_unsignedSum);
  if (m_isPoison)
    return std::nullopt;
  APInt result = base;
  low += APInt(m_width, m_sum, false, /*implicitTrunc=*/true);
  result.insertBits(low, 0);
  return result;
}

/// Only the low bits of a pointer, as many as its index type has, change. Vectors are computed
/// element by element; scalar operands count for all of them.
void runGetElementPtr(Machine &machine, const Inst &inst) {
  unsigned space = inst.ir->getType()->getScalarType()->getPointerAddressSpace();
  unsigned width = machine.layout().getIndexSizeInBits(space);
  const Scalar constantOffset{APInt(64, inst.table[0])};
  for (Lane *lane : machine.group()) {
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i, ++result) {
      OffsetSum sum(width, inst.flags & (NoSignedWrap | NoUnsignedWrap));
      auto element = [&](unsigned operand) -> const Scalar & {
        const Operand &values = inst.operands[operand];
        return lane->get(values)[values.count == 1 ? 0 : i];
      };
      sum.add(constantOffset, inst.table[0] ? 1 : 0);
      for (unsigned k = 1; k < inst.operands.size(); ++k)
        sum.add(element(k), inst.table[k]);
      const Scalar &base = element(0);
      std::optional<APInt> bits = base.isPoison ? std::nullopt : sum.finish(base.bits);
      if (!bits)
        setPoison(*result, inst.bits);
      else
        *result = {std::move(*bits)};
    }
  }
}

/// Bytes that \p alloca takes in \p lane, UINT64_MAX if that is poison or too much to count.
static uint64_t allocaBytes(Machine &machine, Lane &lane, const AllocaInst &alloca,
                            const Inst &inst) {
  uint64_t size = machine.layout().getTypeAllocSize(alloca.getAllocatedType()).getKnownMinValue();
  const Scalar &count = *lane.get(inst.operands[0]);
  if (count.isPoison || count.bits.getActiveBits() > 32 || size > UINT32_MAX)
    return UINT64_MAX;
  return size * count.bits.getZExtValue();
}

/// Allocates in the lane's scratch; a flat pointer gets the private aperture. Contents are poison.
void runAlloca(Machine &machine, const Inst &inst) {
  const auto &alloca = *cast<AllocaInst>(inst.ir);
  unsigned space = alloca.getAddressSpace();
  if (space != 5 && space != 0)
    return machine.stop(RunState::Unsupported, "an alloca of address space " + Twine(space));
  for (Lane *lane : machine.group()) {
    auto offset = lane->scratch.allocate(allocaBytes(machine, *lane, alloca, inst),
                                         alloca.getAlign(), machine.limits().scratchBytes);
    if (!offset)
      return machine.stop(RunState::TimedOut,
                          "more scratch than " + Twine(machine.limits().scratchBytes) + " bytes");
    machine.charge(lane->scratch.allocas.back().size / 64);
    lane->slots[inst.slot] = {
        APInt(inst.bits, space == 5 ? *offset : Spaces::PrivateAperture | *offset)};
  }
}

} // namespace assay::ir

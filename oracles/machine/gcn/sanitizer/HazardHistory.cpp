// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hazards counted in VALU instructions. Sources: LLVM, VALUTransUseHazard,
// VALUPartialForwardingHazard, LdsDirectVALUHazard; ACO, README-ISA.
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/sanitizer/HazardTable.h"
#include "oracles/machine/gcn/sanitizer/Hazards.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// The last VALU instructions. What waits until the VALU has written its results begins it again.
class ValuHistory final : public HazardTracker {
public:
  ValuHistory(uint32_t bit, const Program &program)
      : HazardTracker(bit), m_program(program), m_chip(chipNumber(program.options().targetName)),
        m_isWave64(program.options().waveSize == 64) {}

  void step(Wave &wave, const MicroOp &op, const OpFacts &facts) override;

private:
  static constexpr unsigned Length = 16; ///< Of the ring of instructions.
  static constexpr unsigned MaxValusToTransUse = 5;
  static constexpr unsigned MaxTransToTransUse = 1;
  static constexpr unsigned MaxValusToUse = 4;
  static constexpr unsigned MaxValusAroundExec = 2;

  /// The instruction with \p distance others between it and the one about to execute, or null.
  const MicroOp *at(unsigned distance) const {
    return distance < Length && distance < m_count - m_start
               ? m_valus[(m_count - 1 - distance) % Length]
               : nullptr;
  }
  /// \p op is an instruction of the program.
  const OpFacts &factsOf(const MicroOp *op) const {
    return m_program.facts()[op - m_program.ops().data()];
  }
  /// Reports a read of a transcendental's result before enough VALU instructions followed it.
  /// GFX11.0.
  void checkTransUse(Wave &wave, const MicroOp &op, const OpFacts &facts);
  /// Reports sources that only partly come by forwarding. Waves of 64 lanes before GFX12.
  void checkPartialForward(Wave &wave, const MicroOp &op, const OpFacts &facts);
  /// Reports an LDS-direct instruction that overwrites a register while a VALU instruction may
  /// still use it.
  void checkLdsDirect(Wave &wave, const MicroOp &op, const OpFacts &facts);

  const Program &m_program;
  ChipNumber m_chip;
  bool m_isWave64;
  std::array<const MicroOp *, Length> m_valus{};
  uint64_t m_count = 0; ///< VALU instructions so far.
  uint64_t m_start = 0; ///< Those that count are from here on.
  /// Values of m_count when SALU wrote EXEC, newest first.
  std::array<uint64_t, 4> m_execWrites{};
};

} // namespace

void ValuHistory::checkTransUse(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  RegisterSet reads = facts.reads.vectors();
  unsigned trans = 0;
  for (unsigned distance = 0; distance <= MaxValusToTransUse; ++distance) {
    const MicroOp *producer = at(distance);
    if (!producer || trans > MaxTransToTransUse)
      return;
    const OpFacts &earlier = factsOf(producer);
    if (!earlier.is(ClassTrans))
      continue;
    ++trans;
    RegisterSet both = reads & earlier.writes;
    if (!both.empty())
      return reportHazard(wave, op, SanitizerRule::HazTransUse, producer->inst, both.first());
  }
}

/// A source from before a SALU write of EXEC and one from after it: at most 2 VALU instructions
/// between their two writers, at most 4 between the newer one and \p op.
void ValuHistory::checkPartialForward(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  constexpr unsigned Reach = MaxValusToUse + MaxValusAroundExec + 2;
  if (m_execWrites[0] + Reach < m_count)
    return;
  RegisterSet left = facts.reads.vectors();
  std::optional<unsigned> newest; ///< Distance of the newest writer after EXEC's.
  unsigned execPosition = 0;
  for (unsigned distance = 0; distance < Reach; ++distance) {
    const MicroOp *producer = at(distance);
    if (!producer)
      return;
    uint64_t number = m_count - 1 - distance;
    RegisterSet both = left & factsOf(producer).writes;
    if (both.empty())
      continue;
    left = left - both;
    if (!newest) {
      if (distance > MaxValusToUse)
        return;
      newest = distance;
      auto last = find_if(m_execWrites, [&](uint64_t at) { return at <= number; });
      if (last == m_execWrites.end() || *last == 0)
        return;
      execPosition = static_cast<unsigned>(m_count - *last);
      continue;
    }
    if (distance < execPosition) {
      newest = distance; // Also after; the older one is nearer to the write of EXEC.
      continue;
    }
    if (distance - *newest - 1 <= MaxValusAroundExec)
      reportHazard(wave, op, SanitizerRule::HazPartialForward, producer->inst, both.first());
    return;
  }
}

/// wait_vdst says how many VALU instructions may still be under way; a transcendental among them
/// makes the count useless.
void ValuHistory::checkLdsDirect(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  unsigned waits = op.inst->words[0] >> 16 & 15;
  bool sawTrans = false;
  for (unsigned distance = 0; distance < Length - 1; ++distance) {
    const MicroOp *user = at(distance);
    if (!user)
      return;
    const OpFacts &earlier = factsOf(user);
    sawTrans |= earlier.is(ClassTrans);
    RegisterSet both = facts.writes.vectors() & earlier.touched;
    if (both.empty())
      continue;
    if (waits > (sawTrans ? 0 : distance))
      reportHazard(wave, op, SanitizerRule::HazLdsDirectValu, user->inst, both.first());
    return;
  }
}

void ValuHistory::step(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  if (facts.is(ClassLdsDirect)) {
    checkLdsDirect(wave, op, facts);
  } else if (facts.is(ClassVmem | ClassLds | ClassExport) || facts.resolves & ByVaVdst) {
    m_start = m_count;
  } else if (facts.is(ClassSalu)) {
    if (m_execWrites[0] != m_count) {
      std::copy_backward(m_execWrites.begin(), m_execWrites.end() - 1, m_execWrites.end());
      m_execWrites[0] = m_count;
    }
  } else {
    if (m_chip == 110)
      checkTransUse(wave, op, facts);
    if (m_chip < 120 && m_isWave64)
      checkPartialForward(wave, op, facts);
    m_valus[m_count++ % Length] = &op;
  }
}

std::unique_ptr<HazardTracker> gcn::makeValuHistory(uint32_t bit, const Program &program) {
  return std::make_unique<ValuHistory>(bit, program);
}

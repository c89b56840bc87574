// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hazards of three steps on scalar registers: VALU reads one, it is written, it is read. Sources:
// LLVM, VALUMaskWriteHazard and AMDGPUWaitSGPRHazards; ACO, insert_NOPs and README-ISA.
#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/sanitizer/HazardTable.h"
#include "oracles/machine/gcn/sanitizer/Hazards.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Without SCC, M0, EXEC and the constants after it.
static RegisterSet ordinaryScalars(const RegisterSet &set) {
  RegisterSet special;
  special.add(RegisterSet::Scc);
  special.addScalar(sreg::M0);
  special.addScalar(sreg::ExecLo, sreg::Count - sreg::ExecLo);
  return set.scalars() - special;
}

/// Both halves of VCC, for either wave size.
static RegisterSet vccRegisters() {
  RegisterSet vcc;
  vcc.addScalar(sreg::VccLo, 2);
  return vcc;
}

/// What \p op waits for by itself before it is issued (ACO, parse_depctr_wait; LLVM knows of less).
static uint32_t implicitWaits(const OpFacts &facts) {
  constexpr uint32_t Scalars = BySaSdst | ByVaSdst | ByVaVcc;
  if (facts.is(ClassVmem))
    return ByVaVdst | Scalars;
  if (facts.is(ClassLds | ClassExport))
    return ByVaVdst;
  if (facts.is(ClassSmem))
    return Scalars;
  if (facts.is(ClassValu)) // One that writes a scalar.
    return facts.resolves & ByValuToSgpr ? BySaSdst : 0;
  RegisterSet used = ordinaryScalars(facts.touched);
  uint32_t waits = facts.is(ClassBranch) && !facts.reads.empty() ? BySaSdst : 0;
  if (used.intersects(vccRegisters()))
    waits |= ByVaVcc;
  if (!(used - vccRegisters()).empty())
    waits |= ByVaSdst;
  return waits;
}

namespace {

/// Registers that were written and may not be read yet, and what wrote each last.
struct WrittenScalars {
  RegisterSet bySalu;
  RegisterSet byValu;
  std::array<const MicroOp *, sreg::Count> writers{};

  /// \p registers are scalars. \p op outlives this.
  void add(const RegisterSet &registers, const MicroOp &op, bool isSalu) {
    RegisterSet &set = isSalu ? bySalu : byValu;
    set = set | registers;
    for (RegisterSet left = registers; !left.empty(); left.remove(left.first()))
      writers[left.first() - RegisterSet::FirstScalar] = &op;
  }
  /// The last writer of \p slot, one of the registers.
  const Inst *writerOf(unsigned slot) const {
    return writers[slot - RegisterSet::FirstScalar]->inst;
  }
  void remove(const RegisterSet &registers) {
    bySalu = bySalu - registers;
    byValu = byValu - registers;
  }
  /// Removes what a wait has completed; \p resolvers is a set of Resolver.
  void resolve(uint32_t resolvers) {
    if (resolvers & BySaSdst)
      bySalu = {};
    if (resolvers & ByVaSdst)
      byValu = byValu & vccRegisters();
    if (resolvers & ByVaVcc)
      byValu = byValu - vccRegisters();
    if (resolvers & ByVaVdst)
      byValu = {};
  }
};

/// GFX11, wave64: a lane mask of VALU.
class MaskWrites final : public HazardTracker {
public:
  explicit MaskWrites(uint32_t bit) : HazardTracker(bit) {}
  void step(Wave &wave, const MicroOp &op, const OpFacts &facts) override;

private:
  /// Adds the lane mask that a VALU operation reads.
  void noteMask(const MicroOp &op, const OpFacts &facts);

  RegisterSet m_masks; ///< Read as such, and not written since.
  WrittenScalars m_written;
};

/// GFX12: any scalar that VALU ever read, in pairs.
class ReadSgprs final : public HazardTracker {
public:
  explicit ReadSgprs(uint32_t bit) : HazardTracker(bit) {}
  void step(Wave &wave, const MicroOp &op, const OpFacts &facts) override;

private:
  /// The effect of a SALU write is over after so many SALU instructions (ACO).
  static constexpr unsigned SaluToSalu = 10;
  static constexpr unsigned SaluToValu = 11;

  /// Reports the first register in \p reads that a SALU write has not reached yet, and the first of
  /// VALU writes.
  void checkReads(Wave &wave, const MicroOp &op, const OpFacts &facts, const RegisterSet &reads);
  /// Registers that VALU read earlier become dangerous; other written registers are safe again.
  void noteWrites(const MicroOp &op, const OpFacts &facts);
  /// Forgets what VALU read after enough ds_nop in a row.
  void countNops(const Wave &wave, const MicroOp &op);

  RegisterSet m_read;  ///< By VALU, in pairs.
  unsigned m_nops = 0; ///< ds_nop, one after the other.
  WrittenScalars m_written;
  std::array<uint64_t, sreg::Count> m_when{}; ///< m_salus when SALU wrote it.
  uint64_t m_salus = 0;                       ///< SALU instructions so far, without SOPP.
};

} // namespace

/// Whether a source is a literal constant, not an inline one.
static bool hasLiteral(const MicroOp &op) {
  return any_of(ArrayRef(op.sources).take_front(op.sourceCount),
                [](const Source &source) { return source.operand.type == OperandType::Literal; });
}

/// The mask itself is the last source, or VCC.
void MaskWrites::noteMask(const MicroOp &op, const OpFacts &facts) {
  if (!facts.is(ClassMaskReader) || op.carryIn.type != OperandType::Sgpr)
    return;
  RegisterSet mask;
  mask.addScalar(op.carryIn.index, 2);
  m_masks = m_masks | ordinaryScalars(mask);
}

void MaskWrites::step(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  if (!facts.is(ClassSalu | ClassValu)) {
    // What memory gives (SMEM) must be waited for; for LLVM it is a write like others.
    m_masks = m_masks - ordinaryScalars(facts.writes);
    return m_written.resolve(implicitWaits(facts));
  }
  RegisterSet reads = ordinaryScalars(facts.reads);
  bool isSalu = facts.is(ClassSalu);
  RegisterSet late = reads & m_written.bySalu;
  if (!late.empty())
    reportHazard(wave, op, SanitizerRule::HazMaskWrite, m_written.writerOf(late.first()),
                 late.first());
  // The hardware makes SALU wait for what VALU wrote.
  if (RegisterSet byValu = reads & m_written.byValu; !byValu.empty() && !isSalu)
    reportHazard(wave, op, SanitizerRule::HazMaskWrite, m_written.writerOf(byValu.first()),
                 byValu.first());
  m_written.resolve(facts.resolves | implicitWaits(facts));
  RegisterSet writes = ordinaryScalars(facts.writes);
  m_written.remove(writes);
  // Reading any scalar or a literal ends the effect of earlier masks.
  if (!isSalu && (!reads.empty() || hasLiteral(op)))
    m_masks = {};
  RegisterSet dangerous = writes & m_masks;
  m_masks = m_masks - writes;
  if (!isSalu) // An instruction that reads and writes a mask does not harm itself.
    noteMask(op, facts);
  m_written.add(dangerous, op, isSalu);
}

void ReadSgprs::checkReads(Wave &wave, const MicroOp &op, const OpFacts &facts,
                           const RegisterSet &reads) {
  bool isSalu = facts.is(ClassSalu);
  for (RegisterSet late = reads & m_written.bySalu; !late.empty(); late.remove(late.first())) {
    unsigned slot = late.first();
    uint64_t passed = m_salus - m_when[slot - RegisterSet::FirstScalar];
    if (passed >= (isSalu ? SaluToSalu : SaluToValu))
      continue;
    reportHazard(wave, op, SanitizerRule::HazReadSgpr, m_written.writerOf(slot), slot);
    break;
  }
  RegisterSet byValu = reads & m_written.byValu;
  if (!isSalu && !byValu.empty()) // SALU waits for VALU by itself.
    reportHazard(wave, op, SanitizerRule::HazReadSgpr, m_written.writerOf(byValu.first()),
                 byValu.first());
}

void ReadSgprs::noteWrites(const MicroOp &op, const OpFacts &facts) {
  RegisterSet writes = ordinaryScalars(facts.writes);
  bool isSalu = facts.is(ClassSalu);
  RegisterSet dangerous = writes & m_read;
  m_written.remove(writes);
  m_written.add(dangerous, op, isSalu);
  for (; isSalu && !dangerous.empty(); dangerous.remove(dangerous.first()))
    m_when[dangerous.first() - RegisterSet::FirstScalar] = m_salus;
}

/// Four of them in a row, eight in waves of 64, and no scalar counts as read by VALU any more
/// (LLVM, AMDGPUWaitSGPRHazards.cpp).
void ReadSgprs::countNops(const Wave &wave, const MicroOp &op) {
  m_nops = op.inst->mnemonic == "ds_nop" ? m_nops + 1 : 0;
  if (m_nops >= wave.waveSize / 8)
    m_read = {};
}

void ReadSgprs::step(Wave &wave, const MicroOp &op, const OpFacts &facts) {
  RegisterSet reads = ordinaryScalars(facts.reads);
  if (!reads.empty() && facts.is(ClassSalu | ClassValu))
    checkReads(wave, op, facts, reads);
  m_written.resolve(facts.resolves | implicitWaits(facts));
  if (!facts.is(ClassSalu | ClassValu))
    return countNops(wave, op);
  m_nops = 0;
  if (facts.is(ClassSalu) && !facts.is(ClassSopp))
    ++m_salus;
  if (facts.is(ClassValu)) {
    for (RegisterSet left = reads; !left.empty(); left.remove(left.first())) {
      unsigned pair = left.first() & ~1u;
      m_read.add(pair);
      m_read.add(pair + 1);
    }
  }
  noteWrites(op, facts);
}

std::unique_ptr<HazardTracker> gcn::makeMaskWrites(uint32_t bit, const Program &) {
  return std::make_unique<MaskWrites>(bit);
}

std::unique_ptr<HazardTracker> gcn::makeReadSgprs(uint32_t bit, const Program &) {
  return std::make_unique<ReadSgprs>(bit);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where LLVM and ACO differ in what ends a hazard, either is accepted (docs/errata-amdgpu.md).
#include "oracles/machine/gcn/sanitizer/HazardTable.h"

#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/sanitizer/HazardTrackers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Every class that VSKIP skips.
static constexpr uint32_t Vector = ClassValu | ClassVmem | ClassLds | ClassExport;

ArrayRef<HazardRow> gcn::hazardRows() {
  using enum SanitizerRule;
  using E = HazardEffect;
  using H = Hazard;
  using R = HazardRegisters;
  static constexpr HazardRow Rows[] = {
      {HazVmemSgpr, H::VmemSgpr, ClassValu, 0, E::Writes, R::OrdinaryScalars, ClassVmem, E::Reads,
       0},
      {HazLaneSelect, H::LaneSelect, ClassValu, 0, E::Writes, R::OrdinaryScalars, ClassLaneSelect,
       E::LaneSelect, 0},
      {HazDivFmas, H::DivFmas, ClassValu, 0, E::Writes, R::Vcc, ClassDivFmas, E::Reads, 0},
      {HazExecDpp, H::ExecDpp, ClassValu, 0, E::Writes, R::Exec, ClassDpp, E::None, 0},
      {HazVgprDpp, H::VgprDpp, ClassValu, 0, E::Writes, R::Vectors, ClassDpp, E::DppSource, 0},
      {HazM0, H::M0, ClassSalu, 0, E::Writes, R::M0, ClassReadsM0Late, E::None, 0},
      {HazSetreg, H::Setreg, ClassSetreg, 0, E::Hwreg, R::All, ClassSetreg | ClassGetreg, E::Hwreg,
       0},
      {HazVskip, H::Vskip, ClassSetreg, 0, E::Vskip, R::All, Vector, E::None, 0},
      {HazStoreData, H::StoreData, ClassWideStore, 0, E::StoredData, R::Vectors, ClassValu,
       E::Writes, 0},

      {HazVmemScalarWrite, H::VmemScalarWrite, ClassVmem, ClassVmemStore, E::Reads, R::Scalars,
       ClassSalu | ClassSmem, E::WritesByOperand, ByValu | ByVmVsrc | ByLoadWait},
      {HazVmemScalarWrite, H::VmemScalarWrite, ClassVmemStore, 0, E::Reads, R::Scalars,
       ClassSalu | ClassSmem, E::WritesByOperand, ByValu | ByVmVsrc | ByStoreWait},
      {HazVmemScalarWrite, H::VmemScalarWrite, ClassLds, 0, E::Reads, R::Scalars,
       ClassSalu | ClassSmem, E::WritesByOperand, ByValu | ByVmVsrc | ByLdsWait},
      {HazSmemVectorWrite, H::SmemVectorWrite, ClassSmem, 0, E::Reads, R::Scalars, ClassValu,
       E::Writes, BySalu | ByLdsWait},
      {HazVcmpxExec, H::VcmpxExec, ClassSalu, ClassSopp, E::Reads, R::Exec, ClassValu, E::Writes,
       ByValuToSgpr | BySaSdst},
      {HazVcmpxPermlane, H::VcmpxPermlane10, ClassVcmpx, 0, E::None, R::All, ClassPermlane, E::None,
       ByRealValu},
      {HazNsaVmem, H::NsaVmem, ClassWideNsa, 0, E::None, R::All, ClassOddBuffer, E::None, 0},
      {HazWritelaneNsa, H::WritelaneNsa, ClassWriteLane, 0, E::None, R::All, ClassNsa, E::None, 0},
      {HazDenormMode, H::DenormMode, ClassFloatAtomic, 0, E::None, R::All, ClassDenormMode, E::None,
       ByValu | ByAnyWait},

      {HazVcmpxPermlane, H::VcmpxPermlane11, ClassVcmpx, 0, E::None, R::All, ClassPermlane, E::None,
       ByValu},
      {HazLdsDirectVmem, H::LdsDirectVmem, ClassVmem, ClassVmemStore, E::Touches, R::Vectors,
       ClassLdsDirect, E::Writes, ByValu | ByExport | ByVmVsrc | ByLoadWait},
      {HazLdsDirectVmem, H::LdsDirectVmem, ClassVmemStore, 0, E::Touches, R::Vectors,
       ClassLdsDirect, E::Writes, ByValu | ByExport | ByVmVsrc | ByStoreWait},
      {HazLdsDirectVmem, H::LdsDirectVmem, ClassLds, 0, E::Touches, R::Vectors, ClassLdsDirect,
       E::Writes, ByValu | ByExport | ByVmVsrc | ByLdsWait},
  };
  static_assert(std::size(Rows) <= 32, "OpFacts has a bit for each row");
  return Rows;
}

/// Returns the registers of \p set that a row is about. VCC and EXEC are one register in waves of
/// 32 lanes.
static RegisterSet ofKind(const RegisterSet &set, HazardRegisters kind, unsigned waveSize) {
  RegisterSet only;
  switch (kind) {
  case HazardRegisters::All:
    return set;
  case HazardRegisters::Vectors:
    return set.vectors();
  case HazardRegisters::Scalars:
  case HazardRegisters::OrdinaryScalars:
    only.add(RegisterSet::Scc);
    if (kind == HazardRegisters::OrdinaryScalars)
      only.addScalar(sreg::ExecLo, 2);
    return set.scalars() - only;
  case HazardRegisters::Vcc:
    only.addScalar(sreg::VccLo, waveSize / 32);
    return set & only;
  case HazardRegisters::Exec:
    only.addScalar(sreg::ExecLo, waveSize / 32);
    return set & only;
  case HazardRegisters::M0:
    only.addScalar(sreg::M0);
    return set & only;
  }
  return set;
}

/// Adds the registers of a source; nothing when \p source is not there or is no register.
static void addOperand(RegisterSet &set, const MicroOp &op, unsigned source) {
  if (source >= op.sourceCount || !op.sources[source].operand.isRegister())
    return;
  const Operand &operand = op.sources[source].operand;
  set.add({operand.type == OperandType::Vgpr, operand.index, operand.dwords});
}

/// Number of the source that has the data of a store.
static unsigned storedSource(const MicroOp &op) {
  StringRef name = op.inst->mnemonic;
  return name.starts_with("buffer_") || name.starts_with("tbuffer_") ? 0 : 1;
}

/// Hardware registers have no place in a RegisterSet; their numbers are in for it.
static RegisterSet hwregOf(const MicroOp &op, HazardEffect effect) {
  constexpr unsigned Mode = 1;
  constexpr unsigned VskipBit = 28;
  unsigned id = op.simm16 & 63;
  unsigned first = op.simm16 >> 6 & 31;
  unsigned end = first + (op.simm16 >> 11 & 31) + 1;
  RegisterSet set;
  if (effect == HazardEffect::Hwreg || (id == Mode && first <= VskipBit && VskipBit < end))
    set.add(id);
  return set;
}

/// Both halves of EXEC, for either wave size.
static RegisterSet execRegisters() {
  RegisterSet set;
  set.addScalar(sreg::ExecLo, 2);
  return set;
}

RegisterSet gcn::hazardRegisters(const MicroOp &op, const OpFacts &facts, HazardEffect effect,
                                 HazardRegisters kind, unsigned waveSize) {
  RegisterSet set;
  switch (effect) {
  case HazardEffect::None:
    return set;
  case HazardEffect::Reads:
    set = facts.reads;
    break;
  case HazardEffect::Writes:
    set = facts.writes;
    break;
  case HazardEffect::WritesByOperand:
    set = facts.writes;
    if (facts.flow == OpFlow::ExecMask)
      set = set - execRegisters();
    break;
  case HazardEffect::Touches:
    set = facts.touched;
    break;
  case HazardEffect::DppSource:
    addOperand(set, op, 0);
    break;
  case HazardEffect::LaneSelect:
    addOperand(set, op, 1);
    break;
  case HazardEffect::StoredData:
    for (unsigned i = 0; i < op.memory.elements; ++i)
      addOperand(set, op, storedSource(op) + i);
    break;
  case HazardEffect::Hwreg:
  case HazardEffect::Vskip:
    return hwregOf(op, effect);
  }
  return ofKind(set, kind, waveSize);
}

/// What a wait for counters resolves. Only limits of zero complete anything; other waits resolve
/// hazards that end with any wait.
static uint32_t waitResolvers(const MicroOp &op, unsigned gfxMajor) {
  auto isZero = [&](WaitCounter counter) { return op.limits.max[unsigned(counter)] == 0; };
  uint32_t result = ByAnyWait;
  bool loads = isZero(WaitCounter::Load) || isZero(WaitCounter::Sample) || isZero(WaitCounter::Bvh);
  if (loads)
    result |= ByLoadWait;
  if (isZero(WaitCounter::Store) || (gfxMajor == 9 && loads))
    result |= ByStoreWait;
  if (isZero(WaitCounter::Ds))
    result |= ByLdsWait;
  return result;
}

/// s_waitcnt_depctr, s_wait_alu: fields of LLVM's AMDGPU::DepCtr.
static uint32_t fieldResolvers(uint16_t imm) {
  struct Field {
    uint8_t shift, width;
    Resolver resolver;
  };
  static constexpr Field Fields[] = {
      {12, 4, ByVaVdst}, {9, 3, ByVaSdst}, {2, 3, ByVmVsrc}, {1, 1, ByVaVcc}, {0, 1, BySaSdst}};
  uint32_t result = 0;
  for (const Field &field : Fields)
    if (!(imm >> field.shift & ((1u << field.width) - 1)))
      result |= field.resolver;
  return result;
}

/// Returns the hazards' ends that \p op causes, as a set of Resolver.
static uint32_t resolversOf(const MicroOp &op, const OpFacts &facts, unsigned gfxMajor) {
  StringRef name = op.inst->mnemonic;
  uint32_t result = 0;
  if (facts.is(ClassValu))
    result |= facts.is(ClassVnop) ? ByValu : ByValu | ByRealValu;
  if (facts.is(ClassValu) && !(facts.writes.scalars()).empty())
    result |= ByValuToSgpr;
  if (facts.is(ClassSalu) && !facts.is(ClassSopp))
    result |= BySalu;
  if (facts.is(ClassExport))
    result |= ByExport;
  if (facts.is(ClassCounterWait))
    result |= waitResolvers(op, gfxMajor);
  if (name == "s_waitcnt_depctr" || name == "s_wait_alu")
    result |= fieldResolvers(op.simm16);
  // To LLVM (fixVALUTransUseHazard) and ACO (parse_vdst_wait) these are instructions of vector
  // memory like others, and wait for the VALU as they do.
  if (isCacheControl(name))
    result |= ByVaVdst;
  return result;
}

/// From GFX12 on, an LDS-direct instruction may wait for VMEM by itself: bit 23, inverted.
static bool waitsForVmem(const MicroOp &op, ChipNumber chip) {
  return chip >= 120 && !(op.inst->words[0] >> 23 & 1);
}

/// Whether no tracker and no row of the table needs to see \p op (see OpFacts::isQuiet).
static bool isQuiet(const OpFacts &facts, const MicroOp &op) {
  return facts.flow != OpFlow::Memory && !facts.isDynamic && !op.whole && !facts.produces &&
         !facts.watchers && !facts.is(ClassSnop);
}

void gcn::markHazards(MutableArrayRef<OpFacts> facts, ArrayRef<MicroOp> ops,
                      const ProgramOptions &options) {
  ChipNumber chip = chipNumber(options.targetName);
  for (auto [fact, op] : zip(facts, ops))
    fact.resolves = resolversOf(op, fact, options.gfxMajor);
  for (auto [index, row] : enumerate(hazardRows())) {
    if (!row.fact().isOn(chip))
      continue;
    uint32_t bit = 1u << index;
    bool isComplete = false;
    for (auto [fact, op] : zip(facts, ops)) {
      bool exempt = row.rule == SanitizerRule::HazLdsDirectVmem && waitsForVmem(op, chip);
      if (!fact.is(row.consumer) || exempt)
        continue;
      fact.consumes |= bit;
      isComplete = true;
    }
    for (OpFacts &fact : facts)
      if (isComplete && fact.is(row.producer) && !fact.is(row.notProducer))
        fact.produces |= bit;
  }
  markTrackers(facts, ops, options, chip);
  for (auto [fact, op] : zip(facts, ops))
    fact.isQuiet = isQuiet(fact, op);
}

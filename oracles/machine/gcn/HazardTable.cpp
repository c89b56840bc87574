// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: AMD's manuals ("Vega" ISA, section 4.5, "Manually Inserted Wait States"); LLVM,
// GCNHazardRecognizer and the features of each chip; ACO, insert_NOPs and README-ISA. Where LLVM
// and ACO differ in what ends a hazard, either is accepted (docs/errata-amdgpu.md).
#include "oracles/machine/gcn/HazardTable.h"

#include "oracles/machine/gcn/HazardTrackers.h"
#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static constexpr uint32_t NotValu =
    ClassSalu | ClassSmem | ClassVmem | ClassLds | ClassExport | ClassLdsDirect;
static constexpr uint32_t Vector = ClassValu | ClassVmem | ClassLds | ClassExport;

ArrayRef<HazardRow> gcn::hazardRows() {
  using enum SanitizerRule;
  using E = HazardEffect;
  using R = HazardRegisters;
  static constexpr HazardRow Rows[] = {
      {HazVmemSgpr, 90, 90, ClassValu, 0, E::Writes, R::OrdinaryScalars, ClassVmem, E::Reads, 5, 0,
       "Vega 4.5; LLVM checkVMEMHazards; ACO"},
      {HazLaneSelect, 90, 90, ClassValu, 0, E::Writes, R::OrdinaryScalars, ClassLaneSelect,
       E::LaneSelect, 4, 0, "Vega 4.5; LLVM checkRWLaneHazards; ACO"},
      {HazDivFmas, 90, 90, ClassValu, 0, E::Writes, R::Vcc, ClassDivFmas, E::Reads, 4, 0,
       "Vega 4.5; LLVM checkDivFMasHazards; ACO"},
      {HazExecDpp, 90, 90, ClassValu, 0, E::Writes, R::Exec, ClassDpp, E::None, 5, 0,
       "Vega 4.5; LLVM checkDPPHazards; ACO"},
      {HazVgprDpp, 90, 90, ClassValu, 0, E::Writes, R::Vectors, ClassDpp, E::DppSource, 2, 0,
       "Vega 4.5; LLVM checkDPPHazards; ACO"},
      {HazM0, 90, 90, ClassSalu, 0, E::Writes, R::M0, ClassReadsM0Late, E::None, 1, 0,
       "Vega 4.5; LLVM checkReadM0Hazards; ACO"},
      {HazSetreg, 90, 90, ClassSetreg, 0, E::Hwreg, R::All, ClassSetreg | ClassGetreg, E::Hwreg, 2,
       0, "Vega 4.5; LLVM checkGetRegHazards, checkSetRegHazards; ACO"},
      {HazVskip, 90, 90, ClassSetreg, 0, E::Vskip, R::All, Vector, E::None, 2, 0, "Vega 4.5; ACO"},
      {HazStoreData, 90, 90, ClassWideStore, 0, E::StoredData, R::Vectors, ClassValu, E::Writes, 1,
       0, "Vega 4.5; LLVM checkVALUHazards, has12DWordStoreHazard; ACO"},

      {HazVmemScalarWrite, 101, 101, ClassVmem, ClassVmemStore, E::Reads, R::Scalars,
       ClassSalu | ClassSmem, E::WritesByOperand, 0, ByValu | ByVmVsrc | ByLoadWait,
       "LLVM VMEMtoScalarWriteHazard; ACO"},
      {HazVmemScalarWrite, 101, 101, ClassVmemStore, 0, E::Reads, R::Scalars, ClassSalu | ClassSmem,
       E::WritesByOperand, 0, ByValu | ByVmVsrc | ByStoreWait, "LLVM VMEMtoScalarWriteHazard; ACO"},
      {HazVmemScalarWrite, 101, 101, ClassLds, 0, E::Reads, R::Scalars, ClassSalu | ClassSmem,
       E::WritesByOperand, 0, ByValu | ByVmVsrc | ByLdsWait, "LLVM VMEMtoScalarWriteHazard; ACO"},
      {HazSmemVectorWrite, 101, 101, ClassSmem, 0, E::Reads, R::Scalars, ClassValu, E::Writes, 0,
       BySalu | ByLdsWait, "LLVM SMEMtoVectorWriteHazard; ACO"},
      {HazVcmpxExec, 101, 101, NotValu, 0, E::Reads, R::Exec, ClassValu, E::Writes, 0,
       ByValuToSgpr | BySaSdst, "LLVM VcmpxExecWARHazard; ACO"},
      {HazVcmpxPermlane, 101, 101, ClassVcmpx, 0, E::None, R::All, ClassPermlane, E::None, 0,
       ByRealValu, "LLVM VcmpxPermlaneHazard; ACO"},
      {HazNsaVmem, 101, 101, ClassWideNsa, 0, E::None, R::All, ClassOddBuffer, E::None, 1, 0,
       "LLVM NSAtoVMEMBug; ACO"},
      {HazWritelaneNsa, 101, 101, ClassWriteLane, 0, E::None, R::All, ClassNsa, E::None, 1, 0,
       "ACO waNsaCannotFollowWritelane"},
      {HazDenormMode, 101, 103, ClassFloatAtomic, 0, E::None, R::All, ClassDenormMode, E::None, 3,
       ByValu | ByAnyWait, "LLVM checkFPAtomicToDenormModeHazard"},

      {HazVcmpxPermlane, 110, 115, ClassVcmpx, 0, E::None, R::All, ClassPermlane, E::None, 0,
       ByValu, "LLVM VcmpxPermlaneHazard; ACO"},
      {HazLdsDirectVmem, 110, 120, ClassVmem, ClassVmemStore, E::Touches, R::Vectors,
       ClassLdsDirect, E::Writes, 0, ByValu | ByExport | ByVmVsrc | ByLoadWait,
       "LLVM LdsDirectVMEMHazard; ACO"},
      {HazLdsDirectVmem, 110, 120, ClassVmemStore, 0, E::Touches, R::Vectors, ClassLdsDirect,
       E::Writes, 0, ByValu | ByExport | ByVmVsrc | ByStoreWait, "LLVM LdsDirectVMEMHazard; ACO"},
      {HazLdsDirectVmem, 110, 120, ClassLds, 0, E::Touches, R::Vectors, ClassLdsDirect, E::Writes,
       0, ByValu | ByExport | ByVmVsrc | ByLdsWait, "LLVM LdsDirectVMEMHazard; ACO"},
  };
  static_assert(std::size(Rows) <= 32, "OpFacts has a bit for each row");
  return Rows;
}

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

static void addOperand(RegisterSet &set, const MicroOp &op, unsigned source) {
  if (source >= op.sourceCount || !op.sources[source].operand.isRegister())
    return;
  const Operand &operand = op.sources[source].operand;
  set.add({operand.type == OperandType::Vgpr, operand.index, operand.dwords});
}

static unsigned storedSource(const MicroOp &op) {
  StringRef name = op.inst->mnemonic;
  return name.starts_with("buffer_") || name.starts_with("tbuffer_") ? 0 : 1;
}

/// Hardware registers have no place in a RegisterSet; their numbers stand in for it.
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

ChipNumber gcn::chipNumber(StringRef name) {
  unsigned number;
  if (!name.consume_front("gfx") || name.size() < 3 || name.drop_back(1).getAsInteger(10, number) ||
      number > 255)
    return 0;
  return static_cast<ChipNumber>(number);
}

unsigned gcn::waitStates(const MicroOp &op, const OpFacts &facts) {
  return facts.is(ClassSnop) ? (op.simm16 & 15) + 1 : 1;
}

void gcn::markHazards(MutableArrayRef<OpFacts> facts, ArrayRef<MicroOp> ops,
                      const ProgramOptions &options) {
  ChipNumber chip = chipNumber(options.targetName);
  for (auto [fact, op] : zip(facts, ops))
    fact.resolves = resolversOf(op, fact, options.gfxMajor);
  for (auto [index, row] : enumerate(hazardRows())) {
    if (chip < row.firstChip || chip > row.lastChip)
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
}

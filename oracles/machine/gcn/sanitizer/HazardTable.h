// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hazards that chips do not interlock, as rows: an instruction of one class, then one of
// another too soon. Those with a longer history have trackers of their own (HazardTrackers.h).
#pragma once

#include "oracles/machine/gcn/OpFacts.h"
#include "oracles/machine/gcn_isa/HazardFacts.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay::gcn {

/// Which registers of an instruction a row is about.
enum class HazardEffect : uint8_t {
  None, ///< None in particular: every instruction of the class.
  Reads,
  Writes,
  WritesByOperand, ///< Not EXEC by the s_*_saveexec family.
  Touches,         ///< Reads or writes.
  DppSource,
  LaneSelect,
  StoredData,
  Hwreg, ///< The hardware register of s_setreg or s_getreg.
  Vskip, ///< MODE.vskip.
};

enum class HazardRegisters : uint8_t { All, Vectors, Scalars, OrdinaryScalars, Vcc, Exec, M0 };

/// What ends a hazard before its distance (bits).
enum Resolver : uint32_t {
  ByValu = 1u << 0,
  ByRealValu = 1u << 1, ///< Not v_nop.
  ByValuToSgpr = 1u << 2,
  BySalu = 1u << 3, ///< That writes a register.
  ByExport = 1u << 4,
  ByLoadWait = 1u << 5, ///< Of counter 0.
  ByStoreWait = 1u << 6,
  ByLdsWait = 1u << 7,
  ByAnyWait = 1u << 8,
  ByVmVsrc = 1u << 9, ///< s_waitcnt_depctr, s_wait_alu: the named field is 0.
  BySaSdst = 1u << 10,
  ByVaVdst = 1u << 11,
  ByVaSdst = 1u << 12,
  ByVaVcc = 1u << 13,
};

struct HazardRow {
  SanitizerRule rule;
  Hazard hazard;
  uint32_t producer; ///< OpClass bits, one of which the first instruction has.
  uint32_t notProducer;
  HazardEffect produced;
  HazardRegisters registers;
  uint32_t consumer;
  HazardEffect consumed;
  uint32_t resolvers; ///< Of a hazard without a distance; of others, what ends them sooner.

  const HazardFact &fact() const { return hazardFact(hazard); }
};

llvm::ArrayRef<HazardRow> hazardRows();

/// The registers of \p op that \p effect means, of the kind that \p row is about.
RegisterSet hazardRegisters(const MicroOp &op, const OpFacts &facts, HazardEffect effect,
                            HazardRegisters kind, unsigned waveSize);

/// Fills the hazard fields of all \p facts of a program for the chip of \p options. Rows and
/// trackers that no instruction of the program could complete are left out.
void markHazards(llvm::MutableArrayRef<OpFacts> facts, llvm::ArrayRef<MicroOp> ops,
                 const ProgramOptions &options);

} // namespace assay::gcn

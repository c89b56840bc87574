// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hazards of two instructions that chips do not interlock, as facts: on which chips, how far
// apart, by which source. Which instructions are the first and the second, those who look say.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay::gcn {

/// A chip in the order of generations: GFX IP major * 10 + minor (gfx1030: 103).
using ChipNumber = uint8_t;

/// The number of the chip called \p name, or 0.
ChipNumber chipNumber(llvm::StringRef name);

/// One enumerator for each row of the table of hazards.
enum class Hazard : uint8_t {
#define HAZARD_FACT(NAME, ...) NAME,
#include "oracles/machine/gcn_isa/HazardFacts.def"
};

/// On which chips one hazard exists, and how it is avoided.
struct HazardFact {
  llvm::StringLiteral name; ///< "valu-sgpr-vmem": does not change.
  ChipNumber firstChip, lastChip;
  uint8_t distance; ///< Wait states that there must be between; 0: until something resolves it.
  /// It is about the value of a register, so that it ends when another instruction, whose results
  /// the chip waits for, writes that register (ACO, handle_raw_hazard_instr).
  bool endsByWrite;
  llvm::StringLiteral source; ///< The document or program that names the hazard.

  bool isOn(ChipNumber chip) const { return firstChip <= chip && chip <= lastChip; }
};

/// The row of \p hazard. Lives as long as the program.
const HazardFact &hazardFact(Hazard hazard);

/// Wait states that \p inst counts for.
unsigned waitStates(const Inst &inst);

} // namespace assay::gcn

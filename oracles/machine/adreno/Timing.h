// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When results are there: slots of the ALU, and which registers are the same storage. Source: Mesa
// 25.0, src/freedreno/ir3/ir3_delay.c and ir3_legalize.c.
#pragma once

#include "oracles/machine/adreno/Footprint.h"

namespace assay::adreno {

/// Categories 1 to 3.
bool isAluOp(const Op &op);
/// An instruction of the scalar ALU: its result is a shared register, and all its sources are the
/// same for all fibers (Mesa, ir3.h, is_scalar_alu).
bool isScalarAluOp(const Op &op, const ChipFacts &facts);
/// Categories 4 to 6, which read their sources late.
bool readsLate(const Op &op);

/// Slots that an instruction takes, without its (nopN) (Mesa, count_instruction).
unsigned slotsOf(const Op &op);
/// Slots that must separate an ALU result from \p reader, which uses it as \p touch says (Mesa,
/// ir3_delayslots). \p half: the result is a half register.
unsigned neededSlots(const ChipFacts &facts, const Op &reader, const Touch &touch, bool half);

/// Storage as numbers: half registers, so that a full one has two where the files are merged; else
/// full registers follow the halves.
struct CellRange {
  uint32_t first = 0, count = 1;
  bool overlaps(const CellRange &other) const {
    return first < other.first + other.count && other.first < first + count;
  }
};
CellRange cellsOf(const Touch &touch, const ChipFacts &facts);

} // namespace assay::adreno

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When results are there: slots of the ALU, and which registers are the same storage. Source: Mesa
// 25.0, src/freedreno/ir3/ir3_delay.c and ir3_legalize.c.
#pragma once

#include "oracles/machine/adreno/Program.h"

namespace assay::adreno {

/// Sets what \p op, whose other members are known, is for time.
void addOpFacts(Op &op);
/// Gives \p touch, which \p op does, its cell and its slots (Mesa, ir3_delayslots).
void placeTouch(const Op &op, Touch &touch);

/// Slots that must separate an ALU result, of a half register or not, from a source of it.
inline unsigned neededSlots(const Touch &source, bool half) {
  return source.slots[source.half != half];
}

} // namespace assay::adreno

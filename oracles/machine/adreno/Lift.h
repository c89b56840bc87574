// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a function of one lane to a kernel of all lanes.
#pragma once

#include "oracles/machine/adreno/Alu.h"

namespace assay::adreno {

/// Functions of one lane: the source bits, of which those beyond the instruction's sources are 0.
using LaneFunction = uint32_t (*)(uint32_t a, uint32_t b, uint32_t c, const AluContext &context);

template <LaneFunction Function, unsigned Sources>
void lift(uint32_t *result, const uint32_t *const *sources, unsigned lanes,
          const AluContext &context) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    result[lane] = Function(sources[0][lane], Sources > 1 ? sources[1][lane] : 0,
                            Sources > 2 ? sources[2][lane] : 0, context);
}

} // namespace assay::adreno

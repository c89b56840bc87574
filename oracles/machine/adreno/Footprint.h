// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers an instruction reads and writes.
#pragma once

#include "oracles/machine/adreno/Wave.h"

namespace assay::adreno {

/// What \p op always touches, or that it depends.
Footprint fixedFootprint(const Op &op);

/// What \p op, which is about to run on \p wave, reads and writes. Registers that a0.x chooses are
/// those of now.
void collectTouches(const Wave &wave, const Op &op, llvm::SmallVectorImpl<Touch> &touches);

} // namespace assay::adreno

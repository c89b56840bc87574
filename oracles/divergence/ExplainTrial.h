// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction a lowering of fat pointers gets wrong, where oracles/fat_pointer has found that
// it gets something wrong.
#pragma once

#include "oracles/divergence/FindDivergence.h"
#include "oracles/fat_pointer/FatPointerOracle.h"

namespace assay {

/// A function with probes and its lowering, on \p trial, which is of that function without probes.
/// Nothing where they don't part.
std::optional<Divergence> explainTrial(llvm::Function &before, llvm::Function &after,
                                       const Trial &trial, const MeaningOptions &options,
                                       llvm::ArrayRef<ProbedInstruction> probed);

} // namespace assay

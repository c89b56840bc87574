// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of a log of transformations, cut: the case is made again without them.
#pragma once

#include "harness/reduce/Reduction.h"

namespace assay {

/// A chance for each of Subject::steps. What is made again is the pair of \p origin, its case and
/// the case after the steps that are left: whatever else was changed in the subject comes back.
/// Where the steps left make no case (an optimiser that refuses), the subject stays as it is.
/// \p origin must outlive it.
std::unique_ptr<Reduction> makeStepReduction(const fuzz::LoggedCase &origin);

} // namespace assay

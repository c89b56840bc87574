// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explains the first texel of an attachment that is not as it should be.
#pragma once

#include "harness/run/Job.h"
#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"

namespace assay {

/// Where the first difference of \p verdict is a texel of an attachment, adds to the finding about
/// it what clears and draws did to the texel on the reference (reports/Evidence.h), the
/// last primitive to the message, and pictures: of what the reference and \p outcome have, and of
/// the difference, where \p job has the reference's outcome. Of machine spirv there is one picture.
/// What can't be had is left out: the verdict is the same without.
void explainTexel(const Job &job, const Case &input, const Outcome &outcome, Verdict &verdict);

} // namespace assay

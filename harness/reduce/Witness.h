// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the reference itself is what is wrong: script and machines vote.
#pragma once

#include "harness/run/Job.h"
#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay {

/// Of the \p verdicts on one case that of the first machine that bears witness against the
/// reference: they differ (REF-DIFF), and of the independent voters - the script's expectations,
/// each compiler, each driver - at least two are against the reference, all with the same value,
/// and none is for it. Null where that is not so.
const Verdict *findWitness(llvm::ArrayRef<Verdict> verdicts);

/// Of \p verdicts the reference's with a finding of undefined behaviour (UB-*; of \p rule where
/// that is not empty), or null. Whether the case has a meaning all the same is another question.
const Verdict *findReferenceFinding(llvm::ArrayRef<Verdict> verdicts, llvm::StringRef rule);

/// Whether \p verdicts, of machines that were not compared with a reference, meet what the script
/// expects: each is Pass or Unsupported, and at least one is Pass.
bool areExpectationsMet(llvm::ArrayRef<Verdict> verdicts);

bool sameDifference(const std::optional<Difference> &a, const std::optional<Difference> &b);

/// \p job with code of another level: where both machines have the same other than the reference,
/// they bear witness against it. The same job where no level of ours made its code.
Job makeSecondWitness(const Job &job);

} // namespace assay

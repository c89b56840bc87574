// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a case and the options of a diff to what a smaller case must still show.
#pragma once

#include "harness/reduce/Predicate.h"
#include "harness/run/Diff.h"

namespace assay {

/// Runs \p file as a diff does and takes the first bad verdict, or the first with a finding of
/// \p rule where that is not empty: one compiler, machine, target, level and wave size. Its limits
/// become what smaller cases may need, so that a candidate without an end is not waited for.
/// Where the reference stands alone (findWitness()), it is what the predicate suspects; so it does
/// where nothing is bad but the reference reports a case (UB-*) that does what its script
/// expects on all machines: that predicate is of state Invalid, and the job that of a machine.
/// Of rule determinismRule, and machine compile-again, \p file is compiled again instead: code that
/// is not always the same is what the predicate asks for, whatever the shader means.
/// InvalidInput when nothing bad was found, with what was found instead.
llvm::Expected<Predicate> derivePredicate(const CaseFile &file, const DiffOptions &options,
                                          const PoolOptions &pool, llvm::StringRef rule);

/// The predicate of \p found, one of the \p verdicts on \p file that a diff with \p options gave
/// earlier; nothing is run. Where the reference stands alone, it is what the predicate suspects.
/// InvalidInput where \p found has nothing to keep.
llvm::Expected<Predicate> predicateOf(const Verdict &found, llvm::ArrayRef<Verdict> verdicts,
                                      const CaseFile &file, const DiffOptions &options);

/// What cases that are smaller than that of \p verdict, one of \p verdicts of a diff with limits
/// \p given, may take: what takes much more has lost its end. Of one that hangs, each that hangs
/// is waited for: a part of the time must do.
JobLimits limitsOfSmaller(const Verdict &verdict, llvm::ArrayRef<Verdict> verdicts,
                          const JobLimits &given);

/// The case of the folder of a campaign's finding; \p options get the one compiler, machine,
/// target, level and wave size of its first bad verdict. InvalidInput when the folder has no bad
/// verdict.
llvm::Expected<CaseFile> openFinding(llvm::StringRef folder, DiffOptions &options);

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verbs that ask again and again "does it still fail?" are given: a case or a finding, and
// a predicate as a file or from what a diff finds.
#pragma once

#include "harness/cli/DiffChoices.h"
#include "harness/reduce/Predicate.h"
#include "harness/run/WorkFolder.h"

namespace assay {

/// The options that choose a case and its predicate.
struct PredicateChoice {
  std::string input;         ///< A case, or the folder of a campaign's finding.
  std::string predicateFile; ///< Empty: what a diff finds first.
  std::string rule;          ///< Then, the first finding of this rule; empty: of any.
  DiffChoices diff;
  JobOptions job;
};
/// Adds the input, the predicate, and the options of a diff and of its jobs.
void addPredicateChoice(CLI::App &verb, PredicateChoice &choice);

/// What was chosen.
struct ChosenPredicate {
  CaseFile file;
  Predicate predicate;
  std::unique_ptr<WorkFolder> folder; ///< Holds the file where it was made here.
};
/// InvalidInput for what does not go together and where nothing bad was found. Where the reference
/// alone reports the case, a case made of it that shows a wrong value of the reference, if there
/// is one (observeValues()).
llvm::Expected<ChosenPredicate> choosePredicate(const PredicateChoice &choice,
                                                const Invocation &invocation,
                                                const PoolOptions &pool);

} // namespace assay

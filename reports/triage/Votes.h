// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which symptoms are one bug. No single thing tells: a stack says much of a crash and nothing of a
// wrong value, a minimized module the reverse. So each aspect of two symptoms votes, and the sum
// decides. docs/triage.md has the table in words.
#pragma once

#include "reports/triage/Symptom.h"

namespace assay {

enum class Opinion { Silent, Agree, Disagree };

/// One aspect by which two symptoms are compared. It is silent where one of them lacks it.
struct VoteRow {
  const char *name;
  int agree;    ///< Added to the sum.
  int disagree; ///< Taken from it.
  Opinion (*opinion)(const Symptom &, const Symptom &);
};
/// All aspects. The database has their names, so that their order may change.
llvm::ArrayRef<VoteRow> voteRows();

/// Two symptoms whose votes sum up to this or more are one bug.
constexpr int sameBug = 6;

/// An opinion for each row of voteRows(), in their order.
using VoteVector = std::vector<Opinion>;
/// The votes of two symptoms. The order of the two does not matter.
VoteVector compareSymptoms(const Symptom &a, const Symptom &b);
/// The sum of the weights; compare it with sameBug.
int sumVotes(llvm::ArrayRef<Opinion> votes);
/// "kind+1 rule+2 stack-3": the rows that were not silent.
std::string printVotes(llvm::ArrayRef<Opinion> votes);

} // namespace assay

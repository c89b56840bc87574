// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which symptoms are one bug. No single thing tells: a stack says much of a crash and nothing of a
// wrong value, a minimised module the reverse. So each aspect of two symptoms votes, and the sum
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
llvm::ArrayRef<VoteRow> voteRows();

/// Two symptoms whose votes sum up to this or more are one bug.
constexpr int sameBug = 6;

/// An opinion for each row of voteRows(), in their order.
using VoteVector = std::vector<Opinion>;
VoteVector compareSymptoms(const Symptom &a, const Symptom &b);
int sumVotes(llvm::ArrayRef<Opinion> votes);
/// "kind+1 rule+2 stack-3": the rows that were not silent.
std::string printVotes(llvm::ArrayRef<Opinion> votes);

/// Symptoms that are one bug.
struct Cluster {
  std::vector<size_t> members; ///< Indices; the founder first.
  /// Of each member with the nearest of those that were there; the founder's with itself.
  std::vector<VoteVector> votes;
};

/// Goes through \p symptoms in their order: each joins a cluster, or founds its own. It joins where
/// it is one bug with at least half of the (first few) members, and no compiler, message, stack or
/// guilty pass of one of them is another than its own; of several clusters that with the nearest
/// member, of two the older. What comes later changes nothing: who wants the result to be the same
/// for any order of findings sorts them first (precedes()).
std::vector<Cluster> clusterSymptoms(llvm::ArrayRef<Symptom> symptoms);

/// The votes of \p symptom with the nearest of \p members, the first of several; indices into \p
/// symptoms, at least one.
VoteVector compareWithNearest(llvm::ArrayRef<Symptom> symptoms, llvm::ArrayRef<size_t> members,
                              const Symptom &symptom);

/// How much is known of a symptom; the best known ones make the best founders.
unsigned knowledgeOf(const Symptom &symptom);
/// An order that depends on symptoms alone: what is known best, then by names.
bool precedes(const Symptom &a, const Symptom &b);

} // namespace assay

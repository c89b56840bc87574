// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From votes to buckets: which of many symptoms are one bug.
#pragma once

#include "reports/triage/Votes.h"

namespace assay {

/// Symptoms that are one bug.
struct Cluster {
  std::vector<size_t> members; ///< Indices; the founder first.
  /// Of each member with the nearest of the first few that were there; the founder's with itself.
  std::vector<VoteVector> votes;
};

/// Goes through \p symptoms in their order: each joins a cluster, or founds its own. It joins where
/// it is one bug with at least half of the (first few) members, and no compiler, message, stack,
/// guilty pass or known bug of one of them is another than its own; of several clusters that with
/// the nearest member, of two the older. What comes later changes nothing: who wants the result to
/// be the same for any order of findings sorts them first (precedes()).
std::vector<Cluster> clusterSymptoms(llvm::ArrayRef<Symptom> symptoms);

/// The votes that Cluster::votes has of \p symptom where \p members were there before it; indices
/// into \p symptoms, at least one.
VoteVector compareWithNearest(llvm::ArrayRef<Symptom> symptoms, llvm::ArrayRef<size_t> members,
                              const Symptom &symptom);

/// How much is known of a symptom; the best known ones make the best founders.
unsigned knowledgeOf(const Symptom &symptom);
/// An order that depends on symptoms alone: what is known best, then by names.
bool precedes(const Symptom &a, const Symptom &b);

} // namespace assay

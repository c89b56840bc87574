// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Clusters.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// What keeps apart whatever else agrees: another compiler, message, stack or guilty pass.
static bool isVetoed(ArrayRef<Opinion> votes) {
  return any_of(zip_equal(voteRows(), votes), [](const auto &each) {
    const auto &[row, opinion] = each;
    return opinion == Opinion::Disagree && row.disagree >= sameBug;
  });
}

VoteVector assay::compareWithNearest(ArrayRef<Symptom> symptoms, ArrayRef<size_t> members,
                                     const Symptom &symptom) {
  VoteVector nearest;
  for (size_t member : members) {
    VoteVector votes = compareSymptoms(symptoms[member], symptom);
    if (nearest.empty() || sumVotes(votes) > sumVotes(nearest))
      nearest = std::move(votes);
  }
  return nearest;
}

namespace {
/// How a symptom agrees with a cluster.
struct Nearness {
  VoteVector votes; ///< With the member that is nearest.
  int total = 0;    ///< Sum with all members asked,
  int asked = 0;    ///< and how many these are.

  bool isNearerThan(const Nearness &other) const {
    return std::pair(sumVotes(votes), total * other.asked) >
           std::pair(sumVotes(other.votes), other.total * asked);
  }
};
} // namespace

/// Of \p symptom and those of \p cluster that joined first, as many as tell enough; nothing where
/// one of them has a veto, or it is one bug with less than half of them.
static std::optional<Nearness> findNearness(ArrayRef<Symptom> symptoms, const Cluster &cluster,
                                            const Symptom &symptom) {
  constexpr size_t MostAsked = 8;
  ArrayRef<size_t> asked = ArrayRef(cluster.members).take_front(MostAsked);
  Nearness result;
  int near = 0;
  for (size_t member : asked) {
    VoteVector votes = compareSymptoms(symptoms[member], symptom);
    if (isVetoed(votes))
      return std::nullopt;
    int sum = sumVotes(votes);
    near += sum >= sameBug;
    result.total += sum;
    ++result.asked;
  }
  if (near * 2 < result.asked)
    return std::nullopt;
  result.votes = compareWithNearest(symptoms, asked, symptom);
  return result;
}

std::vector<Cluster> assay::clusterSymptoms(ArrayRef<Symptom> symptoms) {
  std::vector<Cluster> clusters;
  for (size_t i = 0; i < symptoms.size(); ++i) {
    Cluster *best = nullptr;
    Nearness bestNearness;
    for (Cluster &cluster : clusters) {
      std::optional<Nearness> nearness = findNearness(symptoms, cluster, symptoms[i]);
      if (nearness && (!best || nearness->isNearerThan(bestNearness))) {
        best = &cluster;
        bestNearness = std::move(*nearness);
      }
    }
    if (!best) {
      best = &clusters.emplace_back();
      bestNearness.votes = compareSymptoms(symptoms[i], symptoms[i]);
    }
    best->members.push_back(i);
    best->votes.push_back(std::move(bestNearness.votes));
  }
  return clusters;
}

unsigned assay::knowledgeOf(const Symptom &symptom) {
  const Facts &facts = symptom.facts;
  return !facts.pass.empty() + !facts.features.empty() + !facts.transformations.empty() +
         !symptom.message.empty() + !symptom.frames.empty();
}

bool assay::precedes(const Symptom &a, const Symptom &b) {
  if (knowledgeOf(a) != knowledgeOf(b))
    return knowledgeOf(a) > knowledgeOf(b);
  return identityOf(a) < identityOf(b);
}

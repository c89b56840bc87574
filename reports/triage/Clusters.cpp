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

/// Of \p members as many as tell enough: those that joined first.
static ArrayRef<size_t> firstFew(ArrayRef<size_t> members) {
  constexpr size_t MostAsked = 8;
  return members.take_front(MostAsked);
}

namespace {
/// How a symptom agrees with a cluster.
struct Nearness {
  VoteVector votes; ///< With the member that is nearest, the first of several.
  int total = 0;    ///< Sum with all members asked,
  int asked = 0;    ///< how many these are,
  int near = 0;     ///< and how many of them it is one bug with.

  /// Adds the votes with one more member.
  void add(VoteVector ofMember) {
    int sum = sumVotes(ofMember);
    total += sum;
    ++asked;
    near += sum >= sameBug;
    if (votes.empty() || sum > sumVotes(votes))
      votes = std::move(ofMember);
  }

  /// Compares the nearest members, then the mean sums; products avoid a division.
  bool isNearerThan(const Nearness &other) const {
    return std::pair(sumVotes(votes), total * other.asked) >
           std::pair(sumVotes(other.votes), other.total * asked);
  }
};
} // namespace

VoteVector assay::compareWithNearest(ArrayRef<Symptom> symptoms, ArrayRef<size_t> members,
                                     const Symptom &symptom) {
  Nearness nearness;
  for (size_t member : firstFew(members))
    nearness.add(compareSymptoms(symptoms[member], symptom));
  return nearness.votes;
}

/// Of \p symptom and the first few of \p cluster; nothing where one of them has a veto, or it is
/// one bug with less than half of them.
static std::optional<Nearness> findNearness(ArrayRef<Symptom> symptoms, const Cluster &cluster,
                                            const Symptom &symptom) {
  Nearness result;
  for (size_t member : firstFew(cluster.members)) {
    VoteVector votes = compareSymptoms(symptoms[member], symptom);
    if (isVetoed(votes))
      return std::nullopt;
    result.add(std::move(votes));
  }
  if (result.near * 2 < result.asked)
    return std::nullopt;
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

/// A known bug counts more than everything else together.
unsigned assay::knowledgeOf(const Symptom &symptom) {
  const Facts &facts = symptom.facts;
  return !facts.bug.empty() * 8 + !facts.operation.empty() + !facts.pass.empty() +
         !facts.features.empty() + !facts.transformations.empty() + !symptom.message.empty() +
         !symptom.frames.empty();
}

bool assay::precedes(const Symptom &a, const Symptom &b) {
  if (knowledgeOf(a) != knowledgeOf(b))
    return knowledgeOf(a) > knowledgeOf(b);
  return identityOf(a) < identityOf(b);
}

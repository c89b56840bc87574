// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a log of events adds up to: nights, buckets and their lives. A function of the events alone,
// so that any two readers of one log come to the same.
#pragma once

#include "reports/store/Event.h"
#include "reports/triage/Votes.h"

namespace assay {

/// When a bucket changes its state by itself.
struct StoreRules {
  unsigned cleanNights = 3; ///< Nights in which a bucket's cases passed, until it is fixed.
  unsigned quietNights = 7; ///< Nights without it and without its cases, until it incubates.
};

struct StoredNight {
  std::string name, revision;
  uint64_t timeMs = 0;  ///< Of its first event.
  bool isWhole = false; ///< Some writer said that it ended.
  Counts counts;        ///< The sum of what its shards said.
  std::vector<std::pair<std::string, double>> metrics;
};

/// One symptom in one night.
struct StoredOccurrence {
  std::string bucket, night, event;
  CaseKey about;
  State state = State::Fail;
  std::string rule, key;
  std::map<std::string, bool> configurations; ///< Symptom::configurations.
  std::string reason, rerun;                  ///< Of the first verdict that shows it.
  VoteVector votes;                           ///< With the nearest member, and their sum.
  int sum = 0;
};

struct StoredTransition {
  std::string bucket;
  Life from = Life::New, to = Life::New;
  std::string actor, reason, link;
  std::string event; ///< The one event that caused it.
  uint64_t timeMs = 0;
  bool isRefused = false; ///< The bucket was not in \p from, or the table forbids it; \p reason.
};

/// An entry of the book of bugs: symptoms that voted for being one, until they are fixed. What
/// comes back after that is an entry of its own.
struct StoredBucket {
  std::string id;    ///< keyDigest of key; "-2" for a second one with it, ".2" for a return.
  std::string key;   ///< symptomKey of the founder.
  std::string title; ///< One line: state, rule, guilty pass, what is left of the module.
  Life life = Life::New;
  std::string previous; ///< The entry that this one is a return of, or empty.
  std::string link;     ///< Of the last transition that had one.
  std::string firstNight, lastNight;
  uint64_t occurrences = 0, nights = 0;
  unsigned cleanNights = 0; ///< In a row, up to the last night.
  Facts facts;              ///< The best known ones.
  std::string bundle;
};

struct History {
  std::vector<StoredNight> nights;           ///< By time of their first event.
  std::vector<StoredBucket> buckets;         ///< By first occurrence.
  std::vector<StoredOccurrence> occurrences; ///< By night, then event.
  std::vector<StoredTransition> transitions; ///< As they happened; refused ones too.
};

/// \p events in the order of readEvents().
History foldEvents(llvm::ArrayRef<Event> events, const StoreRules &rules);

} // namespace assay

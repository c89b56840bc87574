// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/store/History.h"

#include "reports/triage/Clusters.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace assay;

namespace {

/// A symptom with where it was seen and which cluster it fell into.
struct Seen {
  const Event *event = nullptr;
  size_t night = 0;
  size_t cluster = 0;
  VoteVector votes;
};

/// What happens one after the other: a night as a whole is where its first event does.
struct Moment {
  const Event *event;
  std::optional<size_t> night; ///< Else the event itself.
};

/// The entries that one cluster had; the last one is the one that lives.
struct Chain {
  std::vector<size_t> entries; ///< Indices of buckets.
  std::set<CaseKey> cases;     ///< That showed it in the present entry.
  unsigned quietNights = 0;    ///< In a row, with none of its cases run.
};

/// Computes the history in two steps: symptoms of all nights are clustered first, then the events
/// are played in order. Facts that arrive late therefore apply to earlier nights, too.
class Fold {
public:
  Fold(ArrayRef<Event> events, const StoreRules &rules) : m_events(events), m_rules(rules) {}
  History run();

private:
  void collectFacts();
  void collectMoments();
  void collectSeen();
  void cluster();
  void play(const Moment &moment);
  void playNight(size_t night);
  void playSeen(size_t seen, size_t night);
  void endNight(size_t night, const std::map<size_t, bool> &shown);
  void endNight(size_t night, Chain &chain);
  void playFacts(const Event &event, const FactsEvent &facts);
  void playTransition(const Event &event, const TransitionEvent &body);
  void step(size_t bucket, LifeEvent what, const Event &cause, const std::string &reason);
  StoredBucket &openEntry(size_t cluster, const Event &cause);
  std::string nameEntry(size_t cluster);
  void findTitles();
  StoredBucket *findBucket(StringRef id);

  ArrayRef<Event> m_events;
  const StoreRules &m_rules;
  History m_history;
  std::map<CaseKey, FactsEvent> m_facts; ///< All that is known in the end.
  std::map<std::string, size_t> m_nightIndex;
  std::vector<const Event *> m_lastEvent;  ///< By night.
  std::vector<std::set<CaseKey>> m_clean;  ///< By night.
  std::vector<std::set<CaseKey>> m_failed; ///< By night: ran, and did not pass everywhere.
  std::vector<Moment> m_moments;
  std::vector<Symptom> m_symptoms;
  std::vector<Seen> m_seen;                         ///< Next to m_symptoms.
  std::vector<std::vector<size_t>> m_seenByNight;   ///< Into m_seen.
  std::vector<size_t> m_founders;                   ///< By cluster.
  std::vector<Chain> m_chains;                      ///< By cluster.
  std::map<CaseKey, std::set<size_t>> m_clustersOf; ///< Clusters that a case shows.
  BucketNames m_names;
  std::map<std::string, size_t> m_clusterByDigest; ///< By keyDigest of any member.
};

} // namespace

/// Merges all facts about each case; later events take precedence.
void Fold::collectFacts() {
  for (const Event &event : m_events)
    if (const auto *body = std::get_if<FactsEvent>(&event.body)) {
      FactsEvent &known = m_facts[body->about];
      known.about = body->about;
      mergeFacts(known.facts, body->facts);
      if (!body->bundle.empty())
        known.bundle = body->bundle;
    }
}

/// Collects nights with their shards summed up, and the order in which nights and events are
/// played.
void Fold::collectMoments() {
  for (const Event &event : m_events) {
    const auto *finding = std::get_if<FindingEvent>(&event.body);
    const auto *end = std::get_if<NightEvent>(&event.body);
    if (!finding && !end) {
      m_moments.push_back({&event, std::nullopt});
      continue;
    }
    const std::string &name = finding ? finding->night : end->night;
    auto [at, isNew] = m_nightIndex.try_emplace(name, m_history.nights.size());
    if (isNew) {
      StoredNight night;
      night.name = name;
      night.timeMs = event.timeMs;
      m_history.nights.push_back(std::move(night));
      m_moments.push_back({&event, at->second});
      m_clean.emplace_back();
      m_failed.emplace_back();
      m_lastEvent.emplace_back();
    }
    m_lastEvent[at->second] = &event;
    if (finding) {
      for (const Verdict &verdict : finding->verdicts)
        if (verdict.state != State::Pass && verdict.state != State::Unsupported)
          m_failed[at->second].insert(caseKeyOf(verdict));
      continue;
    }
    StoredNight &night = m_history.nights[at->second];
    night.isWhole = true;
    if (night.revision.empty())
      night.revision = end->revision;
    for (unsigned i = 0; i < stateCount; ++i)
      night.counts.byState[i] += end->counts.byState[i];
    append_range(night.metrics, end->metrics);
    m_clean[at->second].insert(end->clean.begin(), end->clean.end());
  }
}

/// Collects the symptoms of all findings, with the facts about them.
void Fold::collectSeen() {
  for (const Event &event : m_events) {
    const auto *finding = std::get_if<FindingEvent>(&event.body);
    if (!finding)
      continue;
    for (Symptom &symptom : collectSymptoms(finding->verdicts, /*withFlaky=*/true)) {
      auto facts = m_facts.find(caseKeyOf(symptom));
      if (facts != m_facts.end())
        mergeFacts(symptom.facts, facts->second.facts);
      m_symptoms.push_back(std::move(symptom));
      m_seen.push_back({&event, m_nightIndex.at(finding->night), 0, {}});
    }
  }
  m_seenByNight.resize(m_history.nights.size());
  for (auto [index, seen] : enumerate(m_seen))
    m_seenByNight[seen.night].push_back(index);
}

/// Assigns each symptom to a cluster and indexes clusters by the keys of their members.
void Fold::cluster() {
  std::vector<Cluster> clusters = clusterSymptoms(m_symptoms);
  m_chains.resize(clusters.size());
  for (auto [index, cluster] : enumerate(clusters)) {
    m_founders.push_back(cluster.members.front());
    for (auto [member, votes] : zip_equal(cluster.members, cluster.votes)) {
      m_seen[member].cluster = index;
      m_seen[member].votes = std::move(votes);
    }
  }
  for (auto [symptom, seen] : zip_equal(m_symptoms, m_seen)) {
    m_clusterByDigest.try_emplace(keyDigest(symptomKey(symptom)), seen.cluster);
    m_clustersOf[caseKeyOf(symptom)].insert(seen.cluster);
  }
}

/// Returns the id of the cluster's next entry: the digest of its key, or the first entry's with a
/// number for a return.
std::string Fold::nameEntry(size_t cluster) {
  const Chain &chain = m_chains[cluster];
  if (!chain.entries.empty()) {
    const std::string &first = m_history.buckets[chain.entries.front()].id;
    return first + "." + std::to_string(chain.entries.size() + 1);
  }
  return m_names.take(symptomKey(m_symptoms[m_founders[cluster]]));
}

/// Appends a new bucket for the cluster, with a transition that says why. The reference is valid
/// until the next call.
StoredBucket &Fold::openEntry(size_t cluster, const Event &cause) {
  Chain &chain = m_chains[cluster];
  StoredBucket bucket;
  bucket.id = nameEntry(cluster);
  bucket.key = symptomKey(m_symptoms[m_founders[cluster]]);
  if (!chain.entries.empty())
    bucket.previous = m_history.buckets[chain.entries.back()].id;
  chain.entries.push_back(m_history.buckets.size());
  chain.cases.clear();
  chain.quietNights = 0;
  StoredTransition opened;
  opened.bucket = bucket.id;
  opened.actor = "assay";
  opened.reason = bucket.previous.empty() ? "first seen" : "came back after " + bucket.previous;
  opened.event = cause.id();
  opened.timeMs = cause.timeMs;
  m_history.transitions.push_back(std::move(opened));
  m_history.buckets.push_back(std::move(bucket));
  return m_history.buckets.back();
}

/// Moves the bucket to the state that the event leads to; does nothing if it leads nowhere.
void Fold::step(size_t index, LifeEvent what, const Event &cause, const std::string &reason) {
  StoredBucket &bucket = m_history.buckets[index];
  std::optional<Life> next = nextLife(bucket.life, what);
  if (!next)
    return;
  m_history.transitions.push_back({bucket.id, bucket.life, *next, "assay", reason, "", cause.id(),
                                   cause.timeMs, /*isRefused=*/false});
  bucket.life = *next;
}

/// Records an occurrence. Opens an entry for the first one, and for one that is not only flaky
/// after the previous entry was closed.
void Fold::playSeen(size_t index, size_t night) {
  const Symptom &symptom = m_symptoms[index];
  const Seen &seen = m_seen[index];
  Chain &chain = m_chains[seen.cluster];
  bool isReturn = !chain.entries.empty() && !symptom.isFlakyOnly() &&
                  isClosed(m_history.buckets[chain.entries.back()].life);
  if (chain.entries.empty() || isReturn)
    openEntry(seen.cluster, *seen.event);
  StoredBucket &bucket = m_history.buckets[chain.entries.back()];
  const std::string &name = m_history.nights[night].name;
  if (bucket.firstNight.empty())
    bucket.firstNight = name;
  bucket.nights += bucket.lastNight != name;
  bucket.lastNight = name;
  ++bucket.occurrences;
  CaseKey about = caseKeyOf(symptom);
  chain.cases.insert(about);
  const Verdict &first = *symptom.verdicts.front();
  m_history.occurrences.push_back({bucket.id, name, seen.event->id(), std::move(about),
                                   symptom.state, symptom.rule, symptomKey(symptom),
                                   symptom.configurations, first.reason, first.rerun, seen.votes,
                                   sumVotes(seen.votes)});
}

/// Records the symptoms of a night, then updates all buckets.
void Fold::playNight(size_t night) {
  std::map<size_t, bool> shown; // Cluster; whether more than flaky.
  for (size_t index : m_seenByNight[night]) {
    playSeen(index, night);
    shown[m_seen[index].cluster] |= !m_symptoms[index].isFlakyOnly();
  }
  endNight(night, shown);
}

/// Applies the night to each open bucket: seen, only flaky, or, if some writer ended the night, not
/// seen.
void Fold::endNight(size_t night, const std::map<size_t, bool> &shown) {
  const std::string &name = m_history.nights[night].name;
  for (auto [cluster, chain] : enumerate(m_chains)) {
    if (chain.entries.empty())
      continue;
    auto found = shown.find(cluster);
    if (found == shown.end()) {
      if (m_history.nights[night].isWhole)
        endNight(night, chain);
      continue;
    }
    StoredBucket &bucket = m_history.buckets[chain.entries.back()];
    bucket.cleanNights = 0;
    chain.quietNights = 0;
    const Event &cause = *m_lastEvent[night];
    if (!found->second)
      step(chain.entries.back(), LifeEvent::SeenFlaky, cause, "flaky in night " + name);
    else if (bucket.firstNight != name)
      step(chain.entries.back(), LifeEvent::Seen, cause, "seen in night " + name);
  }
}

/// \p chain was not seen in \p night: because those of its cases that ran passed, because none was
/// run, or because one failed in another way, which may hide it and so shows neither.
void Fold::endNight(size_t night, Chain &chain) {
  StoredBucket &bucket = m_history.buckets[chain.entries.back()];
  auto isIn = [](const std::set<CaseKey> &keys) {
    return [&](const CaseKey &key) { return keys.count(key) != 0; };
  };
  const Event &cause = *m_lastEvent[night];
  if (any_of(chain.cases, isIn(m_failed[night]))) {
    chain.quietNights = bucket.cleanNights = 0;
  } else if (any_of(chain.cases, isIn(m_clean[night]))) {
    chain.quietNights = 0;
    if (++bucket.cleanNights >= m_rules.cleanNights)
      step(chain.entries.back(), LifeEvent::CleanRuns, cause,
           std::to_string(bucket.cleanNights) + " clean nights in a row");
  } else if (++chain.quietNights >= m_rules.quietNights) {
    step(chain.entries.back(), LifeEvent::Quiet, cause,
         std::to_string(chain.quietNights) + " nights without it and without its cases");
  }
}

/// Moves the buckets of the case: minimized if the features are known, localised if the pass is.
void Fold::playFacts(const Event &event, const FactsEvent &body) {
  auto clusters = m_clustersOf.find(body.about);
  if (clusters == m_clustersOf.end())
    return;
  for (size_t cluster : clusters->second) {
    if (m_chains[cluster].entries.empty())
      continue;
    size_t bucket = m_chains[cluster].entries.back();
    if (!body.facts.features.empty())
      step(bucket, LifeEvent::Minimized, event, "minimized in " + body.about.caseId);
    if (!body.facts.pass.empty())
      step(bucket, LifeEvent::Localized, event, "localised to " + body.facts.pass);
  }
}

/// By its own name, or by a key of any symptom in it: names of buckets that later facts put
/// together stay good.
StoredBucket *Fold::findBucket(StringRef id) {
  for (StoredBucket &bucket : m_history.buckets)
    if (bucket.id == id)
      return &bucket;
  auto cluster = m_clusterByDigest.find(id.str());
  if (cluster == m_clusterByDigest.end() || m_chains[cluster->second].entries.empty())
    return nullptr;
  return &m_history.buckets[m_chains[cluster->second].entries.back()];
}

/// Applies a person's decision. A decision that no longer fits the bucket is recorded as refused.
void Fold::playTransition(const Event &event, const TransitionEvent &body) {
  StoredBucket *bucket = findBucket(body.bucket);
  StoredTransition transition = {bucket ? bucket->id : body.bucket,
                                 body.from,
                                 body.to,
                                 body.actor,
                                 body.reason,
                                 body.link,
                                 event.id(),
                                 event.timeMs,
                                 /*isRefused=*/true};
  if (!bucket)
    transition.reason = "no such bucket; " + body.reason;
  else if (bucket->life != body.from)
    transition.reason = ("it was " + lifeName(bucket->life) + " by then; " + body.reason).str();
  else if (!isAllowed(body.from, body.to))
    transition.reason = "not allowed; " + body.reason;
  else
    transition.isRefused = false;
  if (!transition.isRefused) {
    bucket->life = body.to;
    if (!body.link.empty())
      bucket->link = body.link;
  }
  m_history.transitions.push_back(std::move(transition));
}

/// Applies one moment: a night, or an event, which has facts or a transition.
void Fold::play(const Moment &moment) {
  if (moment.night)
    playNight(*moment.night);
  else if (const auto *facts = std::get_if<FactsEvent>(&moment.event->body))
    playFacts(*moment.event, *facts);
  else if (const auto *transition = std::get_if<TransitionEvent>(&moment.event->body))
    playTransition(*moment.event, *transition);
}

/// The best known symptom of a bucket speaks for it.
void Fold::findTitles() {
  std::map<size_t, size_t> best; // By cluster.
  for (auto [index, seen] : enumerate(m_seen)) {
    auto [at, isNew] = best.try_emplace(seen.cluster, index);
    if (knowledgeOf(m_symptoms[index]) > knowledgeOf(m_symptoms[at->second]))
      at->second = index;
  }
  for (auto [cluster, index] : best)
    for (size_t entry : m_chains[cluster].entries) {
      const Symptom &symptom = m_symptoms[index];
      StoredBucket &bucket = m_history.buckets[entry];
      bucket.title = symptomTitle(symptom);
      bucket.facts = symptom.facts;
      auto facts = m_facts.find(caseKeyOf(symptom));
      if (facts != m_facts.end())
        bucket.bundle = facts->second.bundle;
    }
}

/// Runs once; the result is moved out.
History Fold::run() {
  collectFacts();
  collectMoments();
  collectSeen();
  cluster();
  for (const Moment &moment : m_moments)
    play(moment);
  findTitles();
  return std::move(m_history);
}

History assay::foldEvents(ArrayRef<Event> events, const StoreRules &rules) {
  return Fold(events, rules).run();
}

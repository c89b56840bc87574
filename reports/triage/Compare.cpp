// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Compare.h"

#include "reports/triage/Clusters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>
#include <tuple>

using namespace llvm;
using namespace assay;

/// In the order of Change.
static constexpr StringRef changeNames[] = {"new",         "changed", "fixed",
                                            "still there", "not run", "noise"};
static_assert(std::size(changeNames) == changeCount);

StringRef assay::changeName(Change change) {
  return changeNames[static_cast<unsigned>(change)];
}

unsigned Comparison::count(Change change) const {
  return static_cast<unsigned>(
      count_if(buckets, [&](const BucketChange &each) { return each.change == change; }));
}

FactsKey assay::factsKeyOf(const Symptom &symptom) {
  return {symptom.caseId, symptom.compiler, symptom.machine, symptom.rule, symptom.signature};
}

/// Prefers facts about the very symptom to those about its compiler and machine, and these to those
/// about its case.
const Facts *assay::findFacts(const FactsByCase &facts, const Symptom &symptom) {
  for (const FactsKey &key :
       {factsKeyOf(symptom), FactsKey{symptom.caseId, symptom.compiler, symptom.machine},
        FactsKey{symptom.caseId}})
    if (auto known = facts.find(key); known != facts.end())
      return &known->second;
  return nullptr;
}

/// Symptoms without known facts stay as they are.
void assay::addFacts(std::vector<Symptom> &symptoms, const FactsByCase &facts) {
  for (Symptom &symptom : symptoms)
    if (const Facts *known = findFacts(facts, symptom))
      mergeFacts(symptom.facts, *known);
}

namespace {

/// What is asked again in another result.
using Question = std::tuple<std::string, std::string, std::string, std::string>;

/// One cluster with its members of both results.
struct Sides {
  std::vector<const Symptom *> before, now;
};

/// Compares buckets of two results by what both of them tried.
class Comparer {
public:
  Comparer(ArrayRef<Verdict> before, ArrayRef<Verdict> now);
  /// Returns what became of one cluster, without its names.
  BucketChange compare(const Sides &sides) const;

private:
  std::set<Question> shownIn(ArrayRef<const Symptom *> symptoms,
                             const std::map<Question, State> &other) const;
  void compareBoth(const Sides &sides, BucketChange &change) const;
  void compareGone(const Sides &sides, BucketChange &change) const;

  std::map<Question, State> m_before, m_now; ///< All that was tried.
};

} // namespace

/// Returns what identifies a verdict in another result: everything except its outcome.
static Question questionOf(const Verdict &verdict) {
  return {verdict.caseId, verdict.compiler, verdict.machine, settingName(verdict)};
}

/// Returns the state of all that was tried; unsupported verdicts do not count.
static std::map<Question, State> askedIn(ArrayRef<Verdict> verdicts) {
  std::map<Question, State> asked;
  for (const Verdict &verdict : verdicts)
    if (verdict.state != State::Unsupported)
      asked[questionOf(verdict)] = verdict.state;
  return asked;
}

Comparer::Comparer(ArrayRef<Verdict> before, ArrayRef<Verdict> now)
    : m_before(askedIn(before)), m_now(askedIn(now)) {}

/// Where \p symptoms show, if the other result tried it, too.
std::set<Question> Comparer::shownIn(ArrayRef<const Symptom *> symptoms,
                                     const std::map<Question, State> &other) const {
  std::set<Question> shown;
  for (const Symptom *symptom : symptoms)
    for (const Verdict *verdict : symptom->verdicts)
      if (Question question = questionOf(*verdict); other.count(question))
        shown.insert(std::move(question));
  return shown;
}

/// Only the clock or chance speaks for it: flaky everywhere, or over the time limit of the wall
/// clock in less than half of what was tried.
static bool isNoise(ArrayRef<const Symptom *> symptoms) {
  size_t tried = 0;
  size_t shown = 0;
  bool isClock = true;
  bool isFlaky = true;
  for (const Symptom *symptom : symptoms) {
    tried += symptom->configurations.size();
    shown += symptom->verdicts.size();
    isClock &= symptom->rule == "TIMEOUT";
    isFlaky &= symptom->isFlakyOnly();
  }
  return isFlaky || (isClock && shown * 2 < tried);
}

/// Returns how many of \p from are not in \p in.
static size_t countMissing(const std::set<Question> &from, const std::set<Question> &in) {
  return static_cast<size_t>(
      count_if(from, [&](const Question &question) { return !in.count(question); }));
}

/// Compares where a bug shows that both results have, over the configurations that both tried.
void Comparer::compareBoth(const Sides &sides, BucketChange &change) const {
  std::set<Question> before = shownIn(sides.before, m_now);
  std::set<Question> now = shownIn(sides.now, m_before);
  size_t more = countMissing(now, before);
  size_t fewer = countMissing(before, now);
  change.change = more || fewer ? Change::Changed : Change::Still;
  change.why = more || fewer
                   ? (Twine(more) + " configurations more, " + Twine(fewer) + " fewer").str()
                   : (Twine(now.size()) + " configurations in both").str();
}

/// Decides whether a bug that only the earlier result has was fixed, fails in another way now, or
/// was not tried.
void Comparer::compareGone(const Sides &sides, BucketChange &change) const {
  std::set<Question> before = shownIn(sides.before, m_now);
  size_t passed = static_cast<size_t>(count_if(
      before, [&](const Question &question) { return m_now.at(question) == State::Pass; }));
  if (before.empty()) {
    change.change = Change::NotRun;
    change.why = "none of its configurations was run";
  } else {
    change.change = passed == before.size() ? Change::Fixed : Change::Changed;
    change.why = (Twine(passed) + " of " + Twine(before.size()) + " configurations pass now").str();
  }
}

/// Decides what became of a bug from its symptoms in both results. A change that chance or the
/// clock may have caused is Noise; what is still there or was not run stays so.
BucketChange Comparer::compare(const Sides &sides) const {
  BucketChange change;
  for (const Symptom *symptom : sides.before)
    append_range(change.before, symptom->verdicts);
  for (const Symptom *symptom : sides.now)
    append_range(change.now, symptom->verdicts);
  if (!sides.before.empty() && !sides.now.empty())
    compareBoth(sides, change);
  else if (sides.now.empty())
    compareGone(sides, change);
  else
    change.why =
        (Twine(change.now.size()) + (change.now.size() == 1 ? " verdict" : " verdicts")).str();
  std::vector<const Symptom *> all = sides.before;
  append_range(all, sides.now);
  if (change.change != Change::Still && change.change != Change::NotRun && isNoise(all)) {
    change.why =
        (changeName(change.change) + ", but by chance or by the clock: " + change.why).str();
    change.change = Change::Noise;
  }
  return change;
}

/// Symptoms of the earlier result come first, so that they found the clusters.
Comparison assay::compareResults(ArrayRef<Verdict> before, ArrayRef<Verdict> now,
                                 const FactsByCase &facts) {
  std::vector<Symptom> symptoms = collectSymptoms(before, /*withFlaky=*/true);
  size_t numBefore = symptoms.size();
  append_range(symptoms, collectSymptoms(now, /*withFlaky=*/true));
  addFacts(symptoms, facts);
  Comparer comparer(before, now);
  std::map<Change, std::vector<BucketChange>> byChange;
  BucketNames names;
  for (const Cluster &cluster : clusterSymptoms(symptoms)) {
    Sides sides;
    for (size_t member : cluster.members)
      (member < numBefore ? sides.before : sides.now).push_back(&symptoms[member]);
    BucketChange change = comparer.compare(sides);
    const Symptom &founder = symptoms[cluster.members.front()];
    change.key = symptomKey(founder);
    change.title = symptomTitle(founder);
    change.id = names.take(change.key);
    change.state = founder.state;
    byChange[change.change].push_back(std::move(change));
  }
  Comparison comparison;
  for (auto &[change, buckets] : byChange)
    append_range(comparison.buckets, std::move(buckets));
  return comparison;
}

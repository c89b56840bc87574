// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known - a store, a result, a baseline - as bugs: each once, whoever knows of it.
#include "reports/site/Site.h"

#include "reports/triage/Clusters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>
#include <tuple>

using namespace llvm;
using namespace assay;

namespace {
/// Similar bugs that each page links to.
constexpr size_t maxSimilar = 5;
constexpr size_t maxFolders = 16; ///< Of a bug's findings that are looked into for material.

/// Fills in a site: buckets of the store first, then symptoms of the result, which join a stored
/// bug where one is known.
class SiteMaker {
public:
  explicit SiteMaker(Site &site) : m_site(site), m_input(site.input) {}
  Error make();

private:
  void indexStore();
  void addStored(const StoredBucket &bucket);
  std::optional<Symptom> findSymptom(const StoredOccurrence &of, const Facts &facts) const;
  void addResult();
  void addChange(const BucketChange &change);
  void takeVerdicts(size_t bug, ArrayRef<size_t> symptoms);
  std::vector<size_t> symptomsOf(const BucketChange &change) const;
  std::optional<size_t> findStored(ArrayRef<size_t> symptoms) const;
  void findSimilar();
  void groupUnsupported();
  Error readMaterials();

  Site &m_site;
  SiteInput &m_input;
  std::map<std::string, const FindingEvent *> m_findings;                   ///< By the event's id.
  std::map<StringRef, std::vector<const StoredOccurrence *>> m_occurrences; ///< By bucket.
  std::map<StringRef, std::vector<const StoredTransition *>> m_transitions; ///< By bucket.
  std::vector<Symptom> m_symptoms;               ///< Of the result, and of the baseline.
  std::map<const Verdict *, size_t> m_symptomOf; ///< Into m_symptoms.
  /// Of the last occurrence of each symptom in the store: its bug.
  std::map<std::tuple<CaseKey, State>, size_t> m_storedBugs;
};
} // namespace

/// Indexes the store's events by id, and occurrences and transitions by bucket.
void SiteMaker::indexStore() {
  for (const Event &event : m_input.store->events)
    if (const auto *finding = std::get_if<FindingEvent>(&event.body))
      m_findings[event.id()] = finding;
  for (const StoredOccurrence &each : m_input.store->view.occurrences)
    m_occurrences[each.bucket].push_back(&each);
  for (const StoredTransition &each : m_input.store->view.transitions)
    m_transitions[each.bucket].push_back(&each);
}

/// The symptom that an occurrence is, out of the verdicts in the log.
std::optional<Symptom> SiteMaker::findSymptom(const StoredOccurrence &of,
                                              const Facts &facts) const {
  auto finding = m_findings.find(of.event);
  if (finding == m_findings.end())
    return std::nullopt;
  for (Symptom &symptom : collectSymptoms(finding->second->verdicts, /*withFlaky=*/true))
    if (symptom.compiler == of.about.compiler && symptom.machine == of.about.machine &&
        symptomKey(symptom) == of.key) {
      symptom.facts = facts;
      return std::move(symptom);
    }
  return std::nullopt;
}

/// Decides by the bucket's life and the last night which lists of the index the bug is in.
static void sortIntoLists(Bug &bug, const StoredBucket &bucket, const StoreView &view) {
  bool isOpen = !isClosed(bucket.life) && !isSilenced(bucket.life);
  bug.isIn[size_t(BugList::Regressions)] =
      !view.nights.empty() && isNews(bucket, view.nights.back().name);
  bug.isIn[size_t(BugList::Fixes)] = wasFixedLast(view, bucket);
  bug.isIn[size_t(BugList::Problems)] = isOpen && bucket.life != Life::Flaky;
  bug.isIn[size_t(BugList::Flaky)] = bucket.life == Life::Flaky;
}

/// Adds a bucket of the store with its sightings, trend and transitions. Verdicts and the symptom
/// are those of the latest occurrence that the log still has.
void SiteMaker::addStored(const StoredBucket &bucket) {
  const StoreView &view = m_input.store->view;
  Bug bug;
  bug.id = bucket.id;
  bug.key = bucket.key;
  bug.title = bucket.title;
  bug.status = lifeName(bucket.life);
  bug.firstSeen = bucket.firstNight;
  bug.lastSeen = bucket.lastNight;
  bug.previous = bucket.previous;
  bug.link = bucket.link;
  bug.facts = bucket.facts;
  bug.material.folder = bucket.bundle;
  sortIntoLists(bug, bucket, view);
  std::map<StringRef, uint64_t> byNight;
  for (const StoredOccurrence *each : m_occurrences[bucket.id]) {
    ++byNight[each->night];
    bug.state = each->state;
    bug.sightings.push_back({each->night, each->about, each->state,
                             listConfigurations(each->configurations), each->reason, each->rerun,
                             printVotes(each->votes), each->sum});
    m_storedBugs[{each->about, each->state}] = m_site.bugs.size();
    if (std::optional<Symptom> symptom = findSymptom(*each, bucket.facts)) {
      bug.verdicts = symptom->verdicts;
      bug.symptom = std::move(symptom);
    }
  }
  std::reverse(bug.sightings.begin(), bug.sightings.end());
  for (const StoredNight &night : view.nights)
    bug.trend.push_back(byNight[night.name]);
  for (const StoredTransition *each : m_transitions[bucket.id])
    bug.transitions.push_back(*each);
  m_site.bugs.push_back(std::move(bug));
}

/// Returns the symptoms of the change's verdicts: those of the result, or of the baseline if it has
/// none.
std::vector<size_t> SiteMaker::symptomsOf(const BucketChange &change) const {
  std::set<size_t> symptoms;
  for (const Verdict *verdict : change.now.empty() ? change.before : change.now)
    if (auto at = m_symptomOf.find(verdict); at != m_symptomOf.end())
      symptoms.insert(at->second);
  return std::vector<size_t>(symptoms.begin(), symptoms.end());
}

/// Returns the stored bug that has an occurrence of the same case, compiler, machine and state as
/// one of the symptoms; nothing otherwise.
std::optional<size_t> SiteMaker::findStored(ArrayRef<size_t> symptoms) const {
  for (size_t index : symptoms) {
    const Symptom &of = m_symptoms[index];
    auto at = m_storedBugs.find({{of.caseId, of.compiler, of.machine}, of.state});
    if (at != m_storedBugs.end())
      return at->second;
  }
  return std::nullopt;
}

/// Maps the verdicts of the symptoms to the bug, for links to its page.
void SiteMaker::takeVerdicts(size_t bug, ArrayRef<size_t> symptoms) {
  for (size_t index : symptoms)
    for (const Verdict *verdict : m_symptoms[index].verdicts)
      m_site.bugOf[verdict] = bug;
}

/// True if a bug that the store does not know is in the list. Without a baseline nothing is a
/// regression.
static bool isListed(Change change, BugList list, bool hasBaseline) {
  switch (list) {
  case BugList::Regressions:
    return hasBaseline && (change == Change::New || change == Change::Changed);
  case BugList::Fixes:
    return change == Change::Fixed;
  case BugList::Problems:
    return change == Change::New || change == Change::Changed || change == Change::Still;
  case BugList::Flaky:
    return change == Change::Noise;
  }
  llvm_unreachable("all lists are above");
}

/// Adds a bug for a bucket of the comparison, or adds its verdicts to the stored bug that it is.
void SiteMaker::addChange(const BucketChange &change) {
  std::vector<size_t> symptoms = symptomsOf(change);
  if (symptoms.empty())
    return;
  if (std::optional<size_t> stored = findStored(symptoms))
    return takeVerdicts(*stored, symptoms);
  const Symptom &founder = m_symptoms[symptoms.front()];
  bool hasBaseline = m_input.baseline.has_value();
  Bug bug;
  bug.id = change.id;
  // The store may know a bug of this key, but of other cases.
  while (any_of(m_site.bugs, [&](const Bug &each) { return each.id == bug.id; }))
    bug.id += "-now";
  bug.key = change.key;
  bug.title = symptomTitle(founder);
  bug.state = change.state;
  bug.status = hasBaseline || change.change == Change::Noise ? changeName(change.change) : "seen";
  bug.why = change.why;
  for (unsigned list = 0; list < bugListCount; ++list)
    bug.isIn[list] = isListed(change.change, static_cast<BugList>(list), hasBaseline);
  bug.facts = founder.facts;
  bug.symptom = founder;
  for (auto [place, index] : enumerate(symptoms)) {
    const Symptom &symptom = m_symptoms[index];
    const Verdict &first = *symptom.verdicts.front();
    bool isFounder = place == 0;
    VoteVector votes = compareWithNearest(
        m_symptoms, ArrayRef(symptoms).take_front(isFounder ? 1 : place), symptom);
    bug.sightings.push_back({change.now.empty() ? "baseline" : "", caseKeyOf(symptom),
                             symptom.state, listConfigurations(symptom.configurations),
                             first.reason, first.rerun, isFounder ? "" : printVotes(votes),
                             isFounder ? 0 : sumVotes(votes)});
    append_range(bug.verdicts, symptom.verdicts);
  }
  takeVerdicts(m_site.bugs.size(), symptoms);
  m_site.bugs.push_back(std::move(bug));
}

/// Adds the buckets of the result and its baseline. Symptoms of both are kept in m_symptoms.
void SiteMaker::addResult() {
  ArrayRef<Verdict> before;
  if (m_input.baseline)
    before = m_input.baseline->verdicts;
  for (ArrayRef<Verdict> verdicts : {ArrayRef(m_input.report.verdicts), before})
    append_range(m_symptoms, collectSymptoms(verdicts, /*withFlaky=*/true));
  addFacts(m_symptoms, m_input.facts);
  for (auto [index, symptom] : enumerate(m_symptoms))
    for (const Verdict *verdict : symptom.verdicts)
      m_symptomOf[verdict] = index;
  Comparison comparison = compareResults(before, m_input.report.verdicts, m_input.facts);
  for (const BucketChange &change : comparison.buckets)
    addChange(change);
}

/// Compares each bug with each other one by their symptoms; the number of comparisons is quadratic.
void SiteMaker::findSimilar() {
  for (Bug &bug : m_site.bugs) {
    for (auto [index, other] : enumerate(m_site.bugs)) {
      if (&other == &bug || !bug.symptom || !other.symptom)
        continue;
      VoteVector votes = compareSymptoms(*bug.symptom, *other.symptom);
      if (int sum = sumVotes(votes); sum > 0)
        bug.similar.push_back({index, sum, printVotes(votes)});
    }
    llvm::sort(bug.similar, [](const SimilarBug &a, const SimilarBug &b) {
      return std::pair(b.sum, a.bug) < std::pair(a.sum, b.bug);
    });
    bug.similar.resize(std::min(bug.similar.size(), maxSimilar));
  }
}

/// Groups unsupported verdicts by their reason, the most frequent first.
void SiteMaker::groupUnsupported() {
  std::map<std::string, size_t> index;
  std::vector<std::set<StringRef>> cases;
  for (const Verdict &verdict : m_input.report.verdicts) {
    if (verdict.state != State::Unsupported)
      continue;
    auto [at, isNew] = index.try_emplace(verdict.reason, index.size());
    if (isNew) {
      m_site.unsupported.push_back({verdict.reason, "", verdict.caseId, 0, 0});
      cases.emplace_back();
    }
    UnsupportedGroup &group = m_site.unsupported[at->second];
    ++group.verdicts;
    group.cases += cases[at->second].insert(verdict.caseId).second;
    std::string name = verdict.compiler + (verdict.compiler.empty() ? "" : " ") + verdict.machine;
    if (!is_contained(split(group.configurations, ", "), name))
      group.configurations += (group.configurations.empty() ? "" : ", ") + name;
  }
  llvm::sort(m_site.unsupported, [](const UnsupportedGroup &a, const UnsupportedGroup &b) {
    return std::tie(b.verdicts, a.reason) < std::tie(a.verdicts, b.reason);
  });
}

/// Of several findings the one of which most is known.
Error SiteMaker::readMaterials() {
  auto worth = [](const Material &each) { return 2 * each.isMinimal + !each.spirv.empty(); };
  for (Bug &bug : m_site.bugs) {
    std::vector<std::string> folders = {bug.material.folder};
    for (const Sighting &each : bug.sightings)
      if (auto at = m_input.folders.find(each.about.caseId);
          at != m_input.folders.end() && !is_contained(folders, at->second))
        folders.push_back(at->second);
    bug.material = Material();
    for (const std::string &folder : ArrayRef(folders).take_front(maxFolders)) {
      Expected<Material> material = readMaterial(folder);
      if (!material)
        return material.takeError();
      if (bug.material.isEmpty() || worth(*material) > worth(bug.material))
        bug.material = std::move(*material);
    }
  }
  return Error::success();
}

/// Fills in all of the site; the error is that of a folder that cannot be read.
Error SiteMaker::make() {
  if (m_input.store) {
    indexStore();
    for (const StoredBucket &bucket : m_input.store->view.buckets)
      addStored(bucket);
  }
  addResult();
  findSimilar();
  groupUnsupported();
  return readMaterials();
}

/// The site keeps the input, because bugs point into its verdicts. Fails where a file of a finding
/// cannot be read.
Expected<std::unique_ptr<Site>> assay::makeSite(SiteInput input) {
  auto site = std::make_unique<Site>();
  site->input = std::move(input);
  if (Error error = SiteMaker(*site).make())
    return std::move(error);
  return std::move(site);
}

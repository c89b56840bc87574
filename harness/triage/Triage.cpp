// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triage/Triage.h"

#include "oracles/api/Registry.h"
#include "reports/Escape.h"
#include "reports/VerdictJson.h"
#include "reports/triage/Clusters.h"
#include "reports/triage/Families.h"
#include "support/Count.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>
#include <tuple>

using namespace llvm;
using namespace assay;

// What makes two verdicts of two results the same question.
static auto questionOf(const Verdict &verdict) {
  return std::tie(verdict.caseId, verdict.compiler, verdict.machine, verdict.target,
                  verdict.optLevel, verdict.waveSize, verdict.lowering);
}

/// Returns the bad verdicts that passed in an earlier result; the latest such result counts.
static std::vector<Regression> findRegressions(const Report &now, ArrayRef<Report> earlier) {
  std::map<decltype(questionOf(now.verdicts.front())), const Verdict *> passed;
  for (const Report &report : earlier)
    for (const Verdict &verdict : report.verdicts)
      if (verdict.state == State::Pass)
        passed[questionOf(verdict)] = &verdict;
  std::vector<Regression> regressions;
  for (const Verdict &verdict : now.verdicts) {
    auto before = passed.find(questionOf(verdict));
    if (isBad(verdict.state) && before != passed.end())
      regressions.push_back({before->second, &verdict});
  }
  return regressions;
}

/// True unless an earlier result, a list of expectations or a known bug covers the bucket.
static bool isNew(const Bucket &bucket) {
  return !bucket.known && !bucket.expected && bucket.bug.empty();
}

bool Triage::hasNew() const {
  return any_of(buckets, isNew);
}

// The symptoms of all, earlier results first, and among those of equal age what is known best: it
// makes the best founders.
static std::vector<Symptom> gatherSymptoms(const Report &now, ArrayRef<Report> earlier,
                                           const FactsByCase &facts, size_t &numEarlier) {
  auto gather = [&](ArrayRef<Verdict> verdicts) {
    std::vector<Symptom> symptoms = collectSymptoms(verdicts);
    addFacts(symptoms, facts);
    llvm::sort(symptoms, precedes);
    return symptoms;
  };
  std::vector<Symptom> symptoms;
  for (const Report &report : earlier)
    append_range(symptoms, gather(report.verdicts));
  numEarlier = symptoms.size();
  append_range(symptoms, gather(now.verdicts));
  return symptoms;
}

/// What speaks for the bucket: the founder, which is known best.
static void nameBucket(Bucket &bucket, const Symptom &founder) {
  std::set<std::string> producers;
  for (const Symptom &symptom : bucket.symptoms) {
    if (std::string producer = producerOf(symptom); !producer.empty())
      producers.insert(std::move(producer));
    if (bucket.bug.empty())
      bucket.bug = symptom.facts.bug;
  }
  bucket.producers.assign(producers.begin(), producers.end());
  bucket.name = causeOf(founder);
  bool isOwn = bucket.producers.size() == 1 && compilerOf(bucket.producers.front()).isOwn;
  if (!isOwn && !bucket.producers.empty())
    bucket.name += " by " + join(bucket.producers, ", ");
  StringRef component = bucket.producers.size() < 2
                            ? StringRef()
                            : sharedComponent(bucket.producers[0], bucket.producers[1]);
  if (!component.empty())
    bucket.name += (" (" + component + ")").str();
}

/// Puts the bad verdicts of \p now into buckets, together with those of \p earlier results, which
/// decide what is known. Buckets that only earlier results have are listed as gone.
Triage assay::triage(const Report &now, ArrayRef<Report> earlier, const FactsByCase &facts) {
  size_t numEarlier = 0;
  std::vector<Symptom> symptoms = gatherSymptoms(now, earlier, facts, numEarlier);
  Triage result;
  BucketNames names;
  for (const Cluster &cluster : clusterSymptoms(symptoms)) {
    const Symptom &founder = symptoms[cluster.members.front()];
    Bucket bucket;
    bucket.key = symptomKey(founder);
    bucket.id = names.take(bucket.key);
    bucket.state = founder.state;
    bucket.known = cluster.members.front() < numEarlier;
    for (auto [member, votes] : zip_equal(cluster.members, cluster.votes)) {
      if (member < numEarlier)
        continue;
      bucket.symptoms.push_back(symptoms[member]);
      bucket.votes.push_back(votes);
      append_range(bucket.verdicts, symptoms[member].verdicts);
    }
    nameBucket(bucket, founder);
    if (bucket.symptoms.empty())
      result.gone.push_back(bucket.key);
    else
      result.buckets.push_back(std::move(bucket));
  }
  llvm::sort(result.gone);
  llvm::sort(result.buckets, [](const Bucket &a, const Bucket &b) {
    return std::tuple(a.known, !a.bug.empty(), StringRef(a.key), a.verdicts.front()) <
           std::tuple(b.known, !b.bug.empty(), StringRef(b.key), b.verdicts.front());
  });
  result.regressions = findRegressions(now, earlier);
  return result;
}

void assay::markExpected(Triage &triage, const ExpectationResult &result) {
  std::set<const Verdict *> expected(result.expected.begin(), result.expected.end());
  for (Bucket &bucket : triage.buckets)
    bucket.expected =
        all_of(bucket.verdicts, [&](const Verdict *each) { return expected.count(each); });
}

/// Returns the number of different cases in the bucket.
static size_t countCases(const Bucket &bucket) {
  std::set<StringRef> cases;
  for (const Symptom &symptom : bucket.symptoms)
    cases.insert(symptom.caseId);
  return cases.size();
}

/// Writes the bucket's line, its known bug, and its first verdict with the rerun command.
static void writeBucketText(raw_ostream &os, const Bucket &bucket) {
  const Symptom &symptom = bucket.symptoms.front();
  const Verdict &first = *symptom.verdicts.front();
  os << (bucket.expected      ? "expected "
         : bucket.known       ? "known "
         : bucket.bug.empty() ? "NEW   "
                              : "bug   ")
     << stateName(bucket.state) << ": " << escapeLine(bucket.name) << " ("
     << countOf(bucket.verdicts.size(), "verdict") << " in " << countOf(countCases(bucket), "case")
     << ")\n";
  if (!bucket.bug.empty())
    os << "    bug: " << escapeLine(bucket.bug) << "\n";
  os << "    " << escapeLine(first.caseId) << "  " << escapeLine(configurationName(first)) << ": "
     << escapeLine(first.reason) << "\n";
  if (!first.rerun.empty())
    os << "    rerun: " << escapeLine(first.rerun) << "\n";
}

/// Writes a paragraph for each bucket, lines for what is gone and for regressions, and the sums.
void assay::writeTriageText(raw_ostream &os, const Triage &triage) {
  for (const Bucket &bucket : triage.buckets)
    writeBucketText(os, bucket);
  for (const std::string &key : triage.gone)
    os << "gone  " << escapeLine(key) << "\n";
  for (const Regression &regression : triage.regressions)
    os << "regression: " << escapeLine(regression.now->caseId) << "  "
       << escapeLine(configurationName(*regression.now)) << ": passed before, "
       << stateName(regression.now->state) << " now\n";
  auto count = [&](auto predicate) { return count_if(triage.buckets, predicate); };
  auto expected = count([](const Bucket &bucket) { return bucket.expected; });
  auto bugs = count([](const Bucket &bucket) { return !bucket.expected && !bucket.bug.empty(); });
  auto known = count(
      [](const Bucket &bucket) { return !bucket.expected && bucket.bug.empty() && bucket.known; });
  os << countOf(triage.buckets.size(), "bucket") << ": " << count(isNew) << " new, " << known
     << " known, " << expected << " expected";
  if (bugs)
    os << ", " << bugs << (bugs == 1 ? " known bug" : " known bugs");
  os << "; " << triage.gone.size() << " gone; " << triage.regressions.size() << " regressions\n";
}

/// Writes a symptom with its facts and the votes by which it joined the bucket.
static void writeSymptom(json::OStream &json, const Symptom &symptom, ArrayRef<Opinion> votes) {
  json.object([&] {
    writeTextAttribute(json, "case", symptom.caseId);
    writeTextAttribute(json, "key", symptomKey(symptom));
    writeTextAttribute(json, "producer", producerOf(symptom));
    writeTextAttribute(json, "pass", symptom.facts.pass);
    writeTextAttribute(json, "operation", symptom.facts.operation);
    writeTextsAttribute(json, "features", symptom.facts.features);
    writeTextsAttribute(json, "transformations", symptom.facts.transformations);
    writeTextsAttribute(json, "shown_by", symptom.facts.shownBy);
    writeTextAttribute(json, "bug", symptom.facts.bug);
    writeTextAttribute(json, "difference", symptom.difference);
    json.attributeObject("configurations", [&] {
      for (const auto &[name, shows] : symptom.configurations)
        json.attribute(json::fixUTF8(name), shows);
    });
    writeTextAttribute(json, "votes", printVotes(votes));
    json.attribute("sum", sumVotes(votes));
  });
}

/// Writes a bucket with all of its symptoms and verdicts.
static void writeBucket(json::OStream &json, const Bucket &bucket) {
  json.object([&] {
    writeTextAttribute(json, "id", bucket.id);
    writeTextAttribute(json, "key", bucket.key);
    writeTextAttribute(json, "name", bucket.name);
    writeTextsAttribute(json, "producers", bucket.producers);
    writeTextAttribute(json, "bug", bucket.bug);
    json.attribute("state", stateName(bucket.state));
    json.attribute("known", bucket.known);
    json.attribute("expected", bucket.expected);
    json.attributeArray("symptoms", [&] {
      for (auto [symptom, votes] : zip_equal(bucket.symptoms, bucket.votes))
        writeSymptom(json, symptom, votes);
    });
    json.attributeArray("verdicts", [&] {
      for (const Verdict *verdict : bucket.verdicts)
        writeVerdict(json, *verdict);
    });
  });
}

/// Writes an array of expectation rules under \p name.
static void writeRules(json::OStream &json, StringRef name,
                       ArrayRef<const ExpectedVerdict *> rules) {
  json.attributeArray(name, [&] {
    for (const ExpectedVerdict *rule : rules)
      json.object([&] {
        json.attribute("line", rule->line);
        writeTextAttribute(json, "pattern", rule->pattern);
        writeTextAttribute(json, "link", rule->link);
        writeTextAttribute(json, "until", rule->until);
      });
  });
}

static void writeExpectations(json::OStream &json, const ExpectationResult &result) {
  json.attributeObject("expectations", [&] {
    json.attribute("expected", result.expected.size());
    json.attribute("unexpected", result.unexpected.size());
    writeRules(json, "passes", result.passes);
    writeRules(json, "expired", result.expired);
    writeRules(json, "unused", result.unused);
  });
}

void assay::writeTriageJson(raw_ostream &os, const Triage &triage, const Report &now,
                            const ExpectationResult *expectations) {
  json::OStream json(os, /*IndentSize=*/1);
  json.objectBegin();
  writeHeader(json, "triage", now.count());
  json.attributeArray("buckets", [&] {
    for (const Bucket &bucket : triage.buckets)
      writeBucket(json, bucket);
  });
  json.attributeArray("gone", [&] {
    for (const std::string &key : triage.gone)
      json.value(json::fixUTF8(key));
  });
  json.attributeArray("regressions", [&] {
    for (const Regression &regression : triage.regressions)
      writeVerdict(json, *regression.now);
  });
  if (expectations)
    writeExpectations(json, *expectations);
  json.objectEnd();
  json.flush();
  os << "\n";
}

void assay::writeExpectationsText(raw_ostream &os, const ExpectationResult &result) {
  const struct {
    StringRef what;
    ArrayRef<const ExpectedVerdict *> rules;
  } lists[] = {{"unexpected pass: ", result.passes},
               {"expired: ", result.expired},
               {"nothing of it was run: ", result.unused}};
  for (const auto &[what, rules] : lists)
    for (const ExpectedVerdict *rule : rules) {
      os << what << "line " << rule->line << ": " << escapeLine(rule->pattern);
      if (!rule->until.empty())
        os << " until " << rule->until;
      if (!rule->link.empty())
        os << " (" << escapeLine(rule->link) << ")";
      os << "\n";
    }
  os << "expectations: " << result.expected.size() << " expected, " << result.unexpected.size()
     << " not; " << result.passes.size() << " unexpected passes, " << result.expired.size()
     << " expired, " << result.unused.size() << " not run\n";
}

/// Writes a paragraph for each bucket that either result has, and the sums by kind of change.
void assay::writeComparisonText(raw_ostream &os, const Comparison &comparison) {
  for (const BucketChange &bucket : comparison.buckets) {
    const Verdict &shown = *(bucket.now.empty() ? bucket.before : bucket.now).front();
    os << changeName(bucket.change) << ": " << bucket.id << " " << escapeLine(bucket.title) << " ("
       << bucket.why << ")\n    " << escapeLine(shown.caseId) << "  "
       << escapeLine(configurationName(shown)) << ": " << escapeLine(shown.reason) << "\n";
    if (!shown.rerun.empty())
      os << "    rerun: " << escapeLine(shown.rerun) << "\n";
  }
  for (unsigned i = 0; i < changeCount; ++i)
    os << (i ? ", " : "") << comparison.count(static_cast<Change>(i)) << " "
       << changeName(static_cast<Change>(i));
  os << "\n";
}

/// Writes what became of one bucket, with the verdicts of both results.
static void writeChange(json::OStream &json, const BucketChange &bucket) {
  json.object([&] {
    json.attribute("change", changeName(bucket.change));
    writeTextAttribute(json, "id", bucket.id);
    writeTextAttribute(json, "key", bucket.key);
    writeTextAttribute(json, "title", bucket.title);
    json.attribute("state", stateName(bucket.state));
    writeTextAttribute(json, "why", bucket.why);
    for (auto [name, verdicts] :
         {std::pair(StringRef("before"), &bucket.before), std::pair(StringRef("now"), &bucket.now)})
      json.attributeArray(name, [&, verdicts = verdicts] {
        for (const Verdict *verdict : *verdicts)
          writeVerdict(json, *verdict);
      });
  });
}

void assay::writeComparisonJson(raw_ostream &os, const Comparison &comparison, const Report &now) {
  json::OStream json(os, /*IndentSize=*/1);
  json.objectBegin();
  writeHeader(json, "comparison", now.count());
  json.attributeObject("changes", [&] {
    for (unsigned i = 0; i < changeCount; ++i)
      json.attribute(changeName(static_cast<Change>(i)), comparison.count(static_cast<Change>(i)));
  });
  json.attributeArray("buckets", [&] {
    for (const BucketChange &bucket : comparison.buckets)
      writeChange(json, bucket);
  });
  json.objectEnd();
  json.flush();
  os << "\n";
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/Triage.h"

#include "reports/Escape.h"
#include "reports/VerdictJson.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <tuple>

using namespace llvm;
using namespace assay;

std::string assay::bucketKey(const Verdict &verdict) {
  const Finding *first = nullptr;
  for (const Finding &finding : verdict.findings)
    if (finding.severity == Severity::Error && !first)
      first = &finding;
  if (!first)
    return stateName(verdict.state).str() + " " + verdict.caseId;
  // That a value is wrong is no signature: every wrong case has that.
  bool isValue = first->rule == "EXPECT" || first->rule == "REF-DIFF";
  return isValue ? "wrong value in " + verdict.caseId : first->signature;
}

// What makes two verdicts of two results the same question.
static auto questionOf(const Verdict &verdict) {
  return std::tie(verdict.caseId, verdict.compiler, verdict.machine, verdict.target,
                  verdict.optLevel, verdict.waveSize);
}

static std::vector<Bucket> makeBuckets(const Report &now, const std::set<std::string> &known) {
  std::map<std::pair<bool, std::string>, Bucket> buckets;
  for (const Verdict &verdict : now.verdicts) {
    if (!isBad(verdict.state))
      continue;
    std::string key = bucketKey(verdict);
    Bucket &bucket = buckets[{known.count(key) != 0, key}];
    if (bucket.verdicts.empty()) {
      bucket.key = key;
      bucket.state = verdict.state;
      bucket.known = known.count(key) != 0;
    }
    bucket.verdicts.push_back(&verdict);
  }
  std::vector<Bucket> result;
  result.reserve(buckets.size());
  for (auto &entry : buckets)
    result.push_back(std::move(entry.second));
  return result;
}

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

Triage assay::triage(const Report &now, ArrayRef<Report> earlier) {
  std::set<std::string> known;
  for (const Report &report : earlier)
    for (const Verdict &verdict : report.verdicts)
      if (isBad(verdict.state))
        known.insert(bucketKey(verdict));
  Triage result;
  result.buckets = makeBuckets(now, known);
  for (const Bucket &bucket : result.buckets)
    known.erase(bucket.key);
  result.gone.assign(known.begin(), known.end());
  result.regressions = findRegressions(now, earlier);
  return result;
}

void assay::writeTriageText(raw_ostream &os, const Triage &triage) {
  uint64_t fresh = 0;
  for (const Bucket &bucket : triage.buckets) {
    const Verdict &first = *bucket.verdicts.front();
    fresh += !bucket.known;
    os << (bucket.known ? "known " : "NEW   ") << stateName(bucket.state) << ": "
       << escapeLine(bucket.key) << " (" << bucket.verdicts.size()
       << (bucket.verdicts.size() == 1 ? " verdict)\n" : " verdicts)\n") << "    "
       << escapeLine(first.caseId) << "  " << escapeLine(configurationName(first)) << ": "
       << escapeLine(first.reason) << "\n";
    if (!first.rerun.empty())
      os << "    rerun: " << escapeLine(first.rerun) << "\n";
  }
  for (const std::string &key : triage.gone)
    os << "gone  " << escapeLine(key) << "\n";
  for (const Regression &regression : triage.regressions)
    os << "regression: " << escapeLine(regression.now->caseId) << "  "
       << escapeLine(configurationName(*regression.now)) << ": passed before, "
       << stateName(regression.now->state) << " now\n";
  os << triage.buckets.size() << (triage.buckets.size() == 1 ? " bucket: " : " buckets: ") << fresh
     << " new, " << triage.buckets.size() - fresh << " known; " << triage.gone.size() << " gone; "
     << triage.regressions.size() << " regressions\n";
}

static void writeBucket(json::OStream &json, const Bucket &bucket) {
  json.object([&] {
    writeTextAttribute(json, "key", bucket.key);
    json.attribute("state", stateName(bucket.state));
    json.attribute("known", bucket.known);
    json.attributeArray("verdicts", [&] {
      for (const Verdict *verdict : bucket.verdicts)
        writeVerdict(json, *verdict);
    });
  });
}

void assay::writeTriageJson(raw_ostream &os, const Triage &triage, const Report &now) {
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
  json.objectEnd();
  json.flush();
  os << "\n";
}

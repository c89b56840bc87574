// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SARIF 2.1.0, for code-scanning services: a rule per rule id, a result per finding, the bucket and
// the signature as fingerprints.
#include "reports/Report.h"

#include "reports/Escape.h"

#include "reports/triage/Symptom.h"
#include "support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace assay;

namespace {
/// A SARIF result: one finding, or a bad verdict without an error among its findings. Points into
/// the verdicts that it is made of.
struct Result {
  const Verdict *verdict;
  std::string rule;
  std::string message;
  std::string signature;
  Severity severity = Severity::Error;
  std::string place;            ///< Within the file: an offset, a key, a line.
  StringRef baselineState = ""; ///< SARIF's word; empty without a baseline.
  StringRef known = "";         ///< Report::knownAs().

  std::string bucket() const { return keyDigest(symptomKey(*verdict)); }
  /// Equal for the same result of two reports.
  std::string identity() const {
    return bucket() + " " + rule + " " + signature + " " + verdict->caseId + " " +
           configurationName(*verdict);
  }
};
} // namespace

/// Collects errors of bad verdicts and all warnings; notes are left out.
static std::vector<Result> collectResults(ArrayRef<Verdict> verdicts) {
  std::vector<Result> results;
  for (const Verdict &verdict : verdicts) {
    bool saysWhy = false;
    for (const Finding &finding : verdict.findings) {
      bool isError = finding.severity == Severity::Error;
      if (finding.severity == Severity::Note || (isError && !isBad(verdict.state)))
        continue;
      saysWhy |= isError;
      results.push_back({&verdict, finding.rule, finding.message, finding.signature,
                         finding.severity, finding.location});
    }
    if (isBad(verdict.state) && !saysWhy)
      results.push_back({&verdict, stateName(verdict.state).upper(), verdict.reason,
                         stateName(verdict.state).str(), Severity::Error, ""});
  }
  return results;
}

// SARIF's states of a result: of a bucket that is known it is "updated" where it shows in another
// place than before.
static void compareWithBaseline(std::vector<Result> &results, ArrayRef<Verdict> baseline) {
  std::vector<Result> before = collectResults(baseline);
  std::set<std::string> buckets;
  std::set<std::string> identities;
  for (const Result &result : before) {
    buckets.insert(result.bucket());
    identities.insert(result.identity());
  }
  std::set<std::string> present;
  for (Result &result : results) {
    present.insert(result.bucket());
    bool isKnown = buckets.count(result.bucket());
    result.baselineState = !isKnown                              ? "new"
                           : identities.count(result.identity()) ? "unchanged"
                                                                 : "updated";
  }
  for (Result &result : before)
    if (!present.count(result.bucket())) {
      result.baselineState = "absent";
      results.push_back(std::move(result));
    }
}

/// Returns a relative reference, or a file URI for an absolute path.
static std::string toUri(StringRef path) {
  return (path.starts_with("/") ? "file://" : "") + escapeUrl(path);
}

/// Writes a physical location without a region, as findings have no lines of the source.
static void writeLocation(json::OStream &json, StringRef path) {
  json.objectBegin();
  json.attributeBegin("physicalLocation");
  json.objectBegin();
  json.attributeObject("artifactLocation", [&] { json.attribute("uri", toUri(path)); });
  json.objectEnd();
  json.attributeEnd();
  json.objectEnd();
}

/// Findings of known verdicts are suppressed, not left out. Without a source file, the case id is
/// the path. The fingerprint consists of case and signature.
static void writeResult(json::OStream &json, const Report &report, const Result &result) {
  const Verdict &verdict = *result.verdict;
  auto source = report.sources.find(verdict.caseId);
  std::string message = configurationName(verdict);
  for (const std::string &part : {result.place, result.message})
    if (!part.empty())
      message += (message.empty() ? "" : ": ") + part;
  if (!verdict.rerun.empty())
    message += "\nRerun: " + verdict.rerun;
  json.objectBegin();
  writeTextAttribute(json, "ruleId", result.rule);
  json.attribute("level", result.severity == Severity::Error ? "error" : "warning");
  json.attributeObject("message", [&] { writeTextAttribute(json, "text", message); });
  json.attributeArray("locations", [&] {
    writeLocation(json, source == report.sources.end() ? verdict.caseId : source->second.path);
  });
  json.attributeObject("partialFingerprints", [&] {
    json.attribute("bucket/v1", result.bucket());
    writeTextAttribute(json, "signature/v1", verdict.caseId + " " + result.signature);
  });
  if (!result.baselineState.empty())
    json.attribute("baselineState", result.baselineState);
  if (!result.known.empty())
    json.attributeArray("suppressions", [&] {
      json.object([&] {
        json.attribute("kind", "external");
        writeTextAttribute(json, "justification", ("known (" + result.known + ")").str());
      });
    });
  json.attributeObject("properties", [&] {
    json.attribute("state", stateName(verdict.state));
    writeTextAttribute(json, "target", verdict.target);
  });
  json.objectEnd();
}

/// Writes the tool and the ids of all rules that results refer to.
static void writeDriver(json::OStream &json, const std::set<std::string> &rules) {
  json.objectBegin();
  json.attribute("name", "assay");
  json.attributeArray("rules", [&] {
    for (const std::string &rule : rules)
      json.object([&] { writeTextAttribute(json, "id", rule); });
  });
  json.objectEnd();
}

/// Writes the only run of the log. With a baseline, results that only the baseline has are
/// included.
static void writeRun(json::OStream &json, const Report &report) {
  std::vector<Result> results = collectResults(report.verdicts);
  for (Result &result : results)
    result.known = report.knownAs(*result.verdict);
  if (report.baseline)
    compareWithBaseline(results, *report.baseline);
  std::set<std::string> rules;
  for (const Result &result : results)
    rules.insert(result.rule);
  json.objectBegin();
  json.attributeObject("tool", [&] {
    json.attributeBegin("driver");
    writeDriver(json, rules);
    json.attributeEnd();
  });
  json.attributeArray("results", [&] {
    for (const Result &result : results)
      writeResult(json, report, result);
  });
  json.objectEnd();
}

/// Writes one log with one run.
void assay::writeSarifReport(raw_ostream &os, const Report &report) {
  json::OStream json(os, /*IndentSize=*/1);
  json.objectBegin();
  json.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.attribute("version", "2.1.0");
  json.attributeArray("runs", [&] { writeRun(json, report); });
  json.objectEnd();
  json.flush();
  os << "\n";
}

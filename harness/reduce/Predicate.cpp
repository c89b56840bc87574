// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Predicate.h"

#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// Warnings and notes satisfy no predicate.
static bool isError(const Finding &finding) {
  return finding.severity == Severity::Error;
}

/// Code that does not end: whether its time or its instructions were up first is the machine's
/// mood.
static bool isOfEndlessCode(const Finding &finding) {
  return finding.signature == "timeout machine";
}

bool Predicate::matches(const Verdict &verdict) const {
  if (verdict.state != state)
    return false;
  if (rule.empty())
    return none_of(verdict.findings, [](const Finding &finding) {
      return isError(finding) && !isOfEndlessCode(finding);
    });
  return any_of(verdict.findings, [&](const Finding &finding) {
    return isError(finding) && finding.rule == rule && finding.signature == signature;
  });
}

// The job is a part of the file as it is; what it says of folders is empty.
std::string assay::printPredicate(const Predicate &predicate) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.predicate/1");
    json.attribute("state", stateName(predicate.state));
    writeTextAttribute(json, "rule", predicate.rule);
    writeTextAttribute(json, "signature", predicate.signature);
    json.attribute("check_reference", uint64_t(predicate.checkReference));
    if (predicate.suspectsReference)
      json.attribute("suspects_reference", uint64_t(1));
    if (predicate.mostOpenBytes)
      json.attribute("most_open_bytes", *predicate.mostOpenBytes);
    json.attribute("needed", predicate.needed);
    json.attribute("runs", predicate.runs);
    json.attribute("job", cantFail(json::parse(printJob(predicate.job))));
  });
  json.flush();
  os << "\n";
  return text;
}

Expected<Predicate> assay::parsePredicate(StringRef text) {
  Expected<json::Value> value = parseJson(text, "predicate");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "predicate");
  Predicate predicate;
  std::string schema, state;
  fields.read("schema", schema);
  fields.read("state", state);
  fields.read("rule", predicate.rule);
  fields.read("signature", predicate.signature);
  fields.readNumber("check_reference", predicate.checkReference);
  if (fields.find("suspects_reference"))
    fields.readNumber("suspects_reference", predicate.suspectsReference);
  if (fields.find("most_open_bytes"))
    fields.readNumber("most_open_bytes", predicate.mostOpenBytes.emplace());
  fields.readNumber("needed", predicate.needed);
  fields.readNumber("runs", predicate.runs);
  if (schema != "assay.predicate/1")
    fields.fail("has schema '" + schema + "', this build reads assay.predicate/1");
  std::optional<State> parsed = parseState(state);
  if (!parsed)
    fields.fail("has the unknown state '" + state + "'");
  if (predicate.needed < 1 || predicate.needed > predicate.runs)
    fields.fail("needs more runs than it has, or none");
  const json::Value *job = fields.find("job");
  if (!job)
    fields.fail("lacks the job");
  if (Error error = fields.takeError())
    return std::move(error);
  std::string jobText;
  raw_string_ostream(jobText) << *job;
  Expected<Job> read = parseJob(jobText, "");
  if (!read)
    return addContext(read.takeError(), "predicate");
  predicate.state = *parsed;
  predicate.job = std::move(*read);
  return std::move(predicate);
}

/// What is left of \p job without what belongs to one run of it.
static Job makeTemplate(const Job &job) {
  Job result = job;
  result.casePath = result.caseId = result.rerun = "";
  result.referenceFile = result.referenceNote = result.folder = "";
  result.keepOutcome = result.listBuffers = false;
  return result;
}

/// The first error of \p rule; of any rule where that is empty, but an expectation of the script
/// only where there is nothing else: it means little once the shader is another.
static const Finding *chooseFinding(const Verdict &verdict, StringRef rule) {
  const Finding *chosen = nullptr;
  for (const Finding &finding : verdict.findings) {
    if (!isError(finding) || (!rule.empty() && finding.rule != rule))
      continue;
    if (!chosen || (chosen->rule == expectRule && finding.rule != expectRule))
      chosen = &finding;
  }
  return chosen;
}

Expected<Predicate> assay::makePredicate(const Verdict &verdict, const Job &job, StringRef rule) {
  Predicate predicate;
  predicate.state = verdict.state;
  predicate.job = makeTemplate(job);
  // What crashes a compiler is wrong whatever the shader means.
  predicate.checkReference = verdict.state == State::Fail || verdict.state == State::Timeout;
  const Finding *finding = chooseFinding(verdict, rule);
  if (finding && !isOfEndlessCode(*finding)) {
    predicate.rule = finding->rule;
    predicate.signature = finding->signature;
  } else if (!finding && (!rule.empty() || any_of(verdict.findings, isError))) {
    return invalidInput("the verdict has no finding of rule '" + rule + "'");
  }
  return std::move(predicate);
}

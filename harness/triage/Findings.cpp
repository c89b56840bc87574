// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triage/Findings.h"

#include "fuzz/transform/Transform.h"
#include "harness/campaign/CampaignFolder.h"
#include "harness/triage/Features.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

static constexpr StringRef schema = "assay.facts/1";

std::string assay::printFacts(const Facts &facts) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", schema);
    writeTextAttribute(json, "pass", facts.pass);
    writeTextAttribute(json, "operation", facts.operation);
    writeTextsAttribute(json, "features", facts.features);
    writeTextsAttribute(json, "transformations", facts.transformations);
  });
  os << "\n";
  return text;
}

Expected<Facts> assay::parseFacts(StringRef text) {
  Expected<json::Value> value = parseJson(text, "facts");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "facts");
  std::string version;
  Facts facts;
  fields.read("schema", version);
  fields.read("pass", facts.pass);
  fields.readIfThere("operation", facts.operation);
  fields.read("features", facts.features);
  fields.read("transformations", facts.transformations);
  if (version != schema)
    fields.fail("have schema '" + version + "', this build reads " + schema);
  if (Error error = fields.takeError())
    return std::move(error);
  llvm::sort(facts.features);
  llvm::sort(facts.transformations);
  return std::move(facts);
}

/// What the log of a minimisation has left, unless \p facts already say that.
static Error addTransformations(const std::string &file, Facts &facts) {
  if (!facts.transformations.empty() || !sys::fs::exists(file))
    return Error::success();
  Expected<std::string> text = readFileText(file);
  if (!text)
    return text.takeError();
  Expected<fuzz::TransformationLog> log = fuzz::parseLog(*text);
  if (!log)
    return addContext(log.takeError(), file);
  return addContext(fuzz::changingNames(*log).moveInto(facts.transformations), file);
}

/// What is known of the finding in \p folder: nothing is empty facts.
static Expected<Facts> readFacts(const std::string &folder) {
  Facts facts;
  std::string file = folder + "/facts.json";
  if (sys::fs::exists(file)) {
    Expected<std::string> text = readFileText(file);
    if (!text)
      return text.takeError();
    Expected<Facts> known = parseFacts(*text);
    if (!known)
      return addContext(known.takeError(), file);
    facts = std::move(*known);
  }
  if (Error error = addTransformations(folder + "/minimal/transform.jsonl", facts))
    return std::move(error);
  std::string minimal = folder + "/minimal/minimal.amber";
  if (!facts.features.empty() || !sys::fs::exists(minimal))
    return facts;
  Expected<Case> input = readCase(minimal, "minimal");
  if (!input)
    return addContext(input.takeError(), minimal);
  Expected<std::vector<std::string>> features = featuresOf(*input);
  if (!features)
    return addContext(features.takeError(), minimal);
  facts.features = std::move(*features);
  return facts;
}

Expected<Findings> assay::readFindings(const std::string &path) {
  Expected<CampaignFolder> folder = CampaignFolder::read(path);
  if (!folder)
    return folder.takeError();
  Findings findings;
  findings.report.verb = "fuzz";
  findings.options = folder->options();
  findings.caseCount = folder->caseCount();
  if (Error error = readJournals(path + "/journal").moveInto(findings.batches))
    return std::move(error);
  for (const auto &[number, result] : folder->results()) {
    // Findings of one case under several names, as of assay score, are cases of their own.
    for (Verdict verdict : result.verdicts) {
      verdict.caseId = result.id;
      findings.report.verdicts.push_back(std::move(verdict));
    }
    if (!result.isFinding())
      continue;
    std::string place = path + "/findings/" + result.id;
    Expected<Facts> facts = readFacts(place);
    if (!facts)
      return facts.takeError();
    findings.folders[result.id] = place;
    if (*facts != Facts())
      findings.facts[result.id] = std::move(*facts);
  }
  return std::move(findings);
}

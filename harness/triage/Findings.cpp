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
    writeTextsAttribute(json, "shown_by", facts.shownBy);
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
  if (fields.find("shown_by"))
    fields.read("shown_by", facts.shownBy);
  if (version != schema)
    fields.fail("have schema '" + version + "', this build reads " + schema);
  if (Error error = fields.takeError())
    return std::move(error);
  llvm::sort(facts.features);
  llvm::sort(facts.transformations);
  llvm::sort(facts.shownBy);
  return std::move(facts);
}

/// What the log of a minimization has left, unless \p facts already say that.
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

namespace {
/// What the folder of a symptom has.
struct Known {
  Facts facts;
  std::set<std::string> operations;
};
} // namespace

/// Whether `assay triage` has begun to minimize the symptom in \p folder and has not ended: what is
/// left then says little.
static Expected<bool> isBeingMinimized(const std::string &folder) {
  std::string path = folder + "/investigation.json";
  if (!sys::fs::exists(path))
    return false;
  Expected<json::Value> value = readJsonFile(path);
  if (!value)
    return value.takeError();
  JsonFields fields(*value, path);
  std::string state;
  fields.read("minimize", state);
  if (Error error = fields.takeError())
    return std::move(error);
  return state == "open";
}

/// What the minimal case of \p folder is made of.
static Error readMinimal(const std::string &folder, Known &known) {
  std::string minimal = folder + "/minimal/minimal.amber";
  if (!sys::fs::exists(minimal))
    return Error::success();
  Expected<bool> isOpen = isBeingMinimized(folder);
  if (!isOpen || *isOpen)
    return isOpen.takeError();
  Expected<Case> input = readCase(minimal, "minimal");
  if (!input)
    return addContext(input.takeError(), minimal);
  if (Error error = operationsOf(*input).moveInto(known.operations))
    return addContext(std::move(error), minimal);
  if (!known.facts.features.empty())
    return Error::success();
  return addContext(featuresOf(*input).moveInto(known.facts.features), minimal);
}

/// What is known of the symptom in \p folder: nothing is empty facts.
static Expected<Known> readKnown(const std::string &folder) {
  Known known;
  std::string file = folder + "/facts.json";
  if (sys::fs::exists(file)) {
    Expected<std::string> text = readFileText(file);
    if (!text)
      return text.takeError();
    if (Error error = parseFacts(*text).moveInto(known.facts))
      return addContext(std::move(error), file);
  }
  if (Error error = addTransformations(folder + "/minimal/transform.jsonl", known.facts))
    return std::move(error);
  if (Error error = readMinimal(folder, known))
    return std::move(error);
  return std::move(known);
}

std::vector<PlacedSymptom> assay::listSymptoms(ArrayRef<Verdict> verdicts, StringRef folder) {
  std::vector<Symptom> ofMachines, ofReference;
  for (Symptom &symptom : collectSymptoms(verdicts))
    (producerOf(symptom).empty() ? ofReference : ofMachines).push_back(std::move(symptom));
  std::vector<PlacedSymptom> placed;
  std::map<std::string, unsigned> uses;
  for (std::vector<Symptom> *group : {&ofMachines, &ofReference})
    for (Symptom &symptom : *group) {
      std::string producer = producerOf(symptom);
      std::string name = "by-" + (producer.empty() ? "reference" : producer);
      if (unsigned use = ++uses[name]; use > 1)
        name += "-" + std::to_string(use);
      std::string own = placed.empty() ? folder.str() : (folder + "/" + name).str();
      placed.push_back({std::move(symptom), std::move(own)});
    }
  return placed;
}

/// What the facts of the first symptom of a finding are about: all of its compiler, or of the case
/// where there is but one compiler.
static FactsKey widenKey(const Symptom &first, ArrayRef<PlacedSymptom> all) {
  bool isAlone = all_of(all, [&](const PlacedSymptom &each) {
    std::string producer = producerOf(each.symptom);
    return producer.empty() || producer == producerOf(first);
  });
  return isAlone ? FactsKey{first.caseId} : FactsKey{first.caseId, first.compiler, first.machine};
}

/// Adds what is known of the symptoms of \p result, whose folder is \p place.
static Error addKnown(const CampaignResult &result, const std::string &place, Findings &findings) {
  std::vector<PlacedSymptom> symptoms = listSymptoms(result.verdicts, place);
  for (const PlacedSymptom &each : symptoms) {
    Expected<Known> known = readKnown(each.folder);
    if (!known)
      return known.takeError();
    FactsKey key = factsKeyOf(each.symptom);
    key.caseId = result.id;
    bool isFirst = &each == &symptoms.front();
    if (known->facts != Facts())
      findings.facts[key] = known->facts;
    if (known->facts != Facts() && isFirst) {
      FactsKey wide = widenKey(each.symptom, symptoms);
      wide.caseId = result.id;
      findings.facts[wide] = known->facts;
    }
    if (!known->operations.empty())
      findings.operations[std::move(key)] = std::move(known->operations);
  }
  return Error::success();
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
    findings.folders[result.id] = place;
    if (Error error = addKnown(result, place, findings))
      return std::move(error);
  }
  return std::move(findings);
}

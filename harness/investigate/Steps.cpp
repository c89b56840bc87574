// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/investigate/Steps.h"

#include "harness/reduce/Derive.h"
#include "harness/reduce/Witness.h"
#include "harness/run/Determinism.h"
#include "harness/triage/Findings.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;
using namespace assay;

static constexpr StringRef schema = "assay.investigation/1";
/// Index: Step. Keys of the file.
static constexpr StringLiteral stepNames[] = {"minimize", "localize", "compare_others"};
/// Index: StepState.
static constexpr StringLiteral stateNames[] = {"open", "done", "failed"};
static_assert(std::size(stepNames) == stepCount);

bool Investigation::isDone() const {
  return !next();
}

std::optional<Step> Investigation::next() const {
  for (unsigned i = 0; i < stepCount; ++i)
    if (states[i] == StepState::Open)
      return static_cast<Step>(i);
  return std::nullopt;
}

std::string assay::printInvestigation(const Investigation &investigation) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", schema);
    for (auto [name, state] : zip_equal(stepNames, investigation.states))
      json.attribute(name, stateNames[static_cast<size_t>(state)]);
    writeTextAttribute(json, "note", investigation.note);
    json.attribute("seconds", investigation.seconds);
  });
  os << "\n";
  return text;
}

Expected<Investigation> assay::parseInvestigation(StringRef text) {
  Expected<json::Value> value = parseJson(text, "investigation");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "investigation");
  Investigation investigation;
  std::string version;
  fields.read("schema", version);
  for (auto [name, state] : zip_equal(stepNames, investigation.states)) {
    std::string word;
    fields.read(name, word);
    const auto *found = find(stateNames, word);
    if (found == std::end(stateNames))
      fields.fail("has the unknown state '" + word + "'");
    else
      state = static_cast<StepState>(found - std::begin(stateNames));
  }
  fields.read("note", investigation.note);
  const json::Value *seconds = fields.find("seconds");
  investigation.seconds = seconds ? seconds->getAsNumber().value_or(0) : 0;
  if (version != schema)
    fields.fail("have schema '" + version + "', this build reads " + schema.str());
  if (Error error = fields.takeError())
    return std::move(error);
  return std::move(investigation);
}

Expected<Investigation> assay::readInvestigation(const std::string &folder) {
  std::string path = folder + "/investigation.json";
  if (sys::fs::exists(path)) {
    Expected<std::string> text = readFileText(path);
    if (!text)
      return text.takeError();
    Expected<Investigation> known = parseInvestigation(*text);
    return known ? std::move(known) : addContext(known.takeError(), path);
  }
  Investigation byHand;
  // The last that a minimization writes.
  if (sys::fs::exists(folder + "/minimal/difference.txt"))
    byHand[Step::Minimize] = StepState::Done;
  if (sys::fs::exists(folder + "/facts.json")) {
    byHand.states.fill(StepState::Done);
    byHand.note = "by hand";
  }
  return std::move(byHand);
}

/// What a run alone can tell: the minimizer is given the finding.
static bool needsRun(const Verdict &verdict) {
  return verdict.state == State::Invalid || verdict.machine == compileAgainMachine;
}

Error assay::preparePredicate(const InvestigatedSymptom &symptom, const DiffOptions &options) {
  std::string path = symptom.folder + "/predicate.json";
  if (needsRun(*symptom.verdict) || sys::fs::exists(path))
    return Error::success();
  Expected<Predicate> predicate =
      predicateOf(*symptom.verdict, symptom.verdicts,
                  {symptom.finding + "/case.amber", symptom.caseId}, options);
  if (!predicate)
    return predicate.takeError();
  return writeFile(path, StringRef(printPredicate(*predicate)));
}

/// The faults that were planted where the symptom was found; without them it does not come again.
static void addPlants(const InvestigatedSymptom &symptom, const DiffOptions &options,
                      std::vector<std::string> &arguments) {
  for (const Plant &plant : options.plants)
    if (plant.caseName.empty() || matchesCase(symptom.caseId, plant.caseName))
      append_range(arguments, std::vector<std::string>{"--plant", plant.fault});
}

/// For `assay minimize`: by the predicate where it is written, else by what a diff finds.
static std::vector<std::string> minimizeArguments(const InvestigatedSymptom &symptom,
                                                  const DiffOptions &options, double seconds) {
  std::vector<std::string> arguments = {
      "minimize", symptom.finding,     "--output", symptom.folder + "/minimal",
      "--quiet",  "--no-spirv-reduce", "--jobs",   "1"};
  if (seconds > 0)
    append_range(arguments,
                 std::vector<std::string>{"--max-total-time", formatv("{0:f1}", seconds)});
  std::string predicate = symptom.folder + "/predicate.json";
  if (sys::fs::exists(predicate))
    append_range(arguments, std::vector<std::string>{"--predicate", predicate});
  else if (symptom.verdict->machine == compileAgainMachine)
    append_range(arguments, std::vector<std::string>{"--rule", determinismRule.str()});
  addPlants(symptom, options, arguments);
  return arguments;
}

/// The minimal case in the configuration of the symptom, with all compilers and drivers.
static std::vector<std::string> compareArguments(const InvestigatedSymptom &symptom,
                                                 const DiffOptions &options) {
  const Verdict &verdict = *symptom.verdict;
  std::string target = verdict.target.empty() ? options.targets.front() : verdict.target;
  std::vector<std::string> arguments = {"diff",        symptom.folder + "/minimal/minimal.amber",
                                        "--compilers", join(options.compilers, ","),
                                        "--machines",  join(options.machines, ","),
                                        "--targets",   target,
                                        "--format",    "json",
                                        "--output",    symptom.folder + "/others.json",
                                        "--seed",      std::to_string(options.seed),
                                        "--jobs",      "1"};
  addPlants(symptom, options, arguments);
  if (verdict.optLevel >= 0)
    append_range(arguments, std::vector<std::string>{"-O", std::to_string(verdict.optLevel)});
  if (verdict.lowering == loweringName(FatLowering::Llvm))
    append_range(arguments, std::vector<std::string>{"--lowering", verdict.lowering});
  if (!options.command.empty()) {
    arguments.emplace_back("--");
    append_range(arguments, options.command);
  }
  return arguments;
}

std::vector<std::string> assay::makeArguments(Step step, const InvestigatedSymptom &symptom,
                                              const DiffOptions &options, double seconds) {
  if (step == Step::Minimize)
    return minimizeArguments(symptom, options, seconds);
  if (step == Step::CompareOthers)
    return compareArguments(symptom, options);
  std::vector<std::string> arguments = {"localize",    symptom.folder + "/minimal/minimal.amber",
                                        "--predicate", symptom.folder + "/minimal/predicate.json",
                                        "--format",    "json",
                                        "--output",    symptom.folder + "/localize.json",
                                        "--jobs",      "1"};
  addPlants(symptom, options, arguments);
  return arguments;
}

/// facts.json of \p folder; empty facts where there is none.
static Expected<Facts> readFactsFile(const std::string &folder) {
  std::string path = folder + "/facts.json";
  if (!sys::fs::exists(path))
    return Facts();
  Expected<std::string> text = readFileText(path);
  return text ? parseFacts(*text) : text.takeError();
}

/// Replaces facts.json.
static Error writeFacts(const std::string &folder, const Facts &facts) {
  return writeFile(folder + "/facts.json", StringRef(printFacts(facts)));
}

/// Takes pass and operation from localize.json.
static Error takeLocalization(const std::string &folder) {
  Expected<json::Value> value = readJsonFile(folder + "/localize.json");
  if (!value)
    return value.takeError();
  Expected<Facts> facts = readFactsFile(folder);
  if (!facts)
    return facts.takeError();
  JsonFields fields(*value, folder + "/localize.json");
  fields.read("pass", facts->pass);
  fields.read("operation", facts->operation);
  if (Error error = fields.takeError())
    return error;
  return writeFacts(folder, *facts);
}

/// What \p symptom does wrong, by what does not depend on who does it.
static bool isSameWrong(const Symptom &a, const Symptom &b) {
  if (a.isValue() != b.isValue())
    return false;
  if (a.isValue())
    return sameDifference(a.verdicts.front()->firstDifference, b.verdicts.front()->firstDifference);
  bool sameEnd = a.frames.empty() ? a.signature == b.signature : a.frames == b.frames;
  return a.rule == b.rule && a.message == b.message && sameEnd;
}

std::vector<std::string> assay::findProducersAlike(StringRef producer, ArrayRef<Verdict> all) {
  std::vector<Symptom> symptoms = collectSymptoms(all);
  std::set<std::string> alike;
  for (const Symptom &own : symptoms)
    for (const Symptom &other : symptoms)
      if (std::string name = producerOf(other); producerOf(own) == producer && name != producer &&
                                                !name.empty() && isSameWrong(own, other))
        alike.insert(std::move(name));
  return {alike.begin(), alike.end()};
}

/// Takes from others.json who else shows the symptom.
static Error takeOthers(const InvestigatedSymptom &symptom) {
  Expected<json::Value> value = readJsonFile(symptom.folder + "/others.json");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, symptom.folder + "/others.json");
  const json::Array *rows = fields.readArray("verdicts");
  if (Error error = fields.takeError())
    return error;
  std::vector<Verdict> verdicts;
  for (const json::Value &row : *rows) {
    Expected<Verdict> verdict = readVerdict(row);
    if (!verdict)
      return verdict.takeError();
    verdicts.push_back(std::move(*verdict));
  }
  Expected<Facts> facts = readFactsFile(symptom.folder);
  if (!facts)
    return facts.takeError();
  std::vector<Symptom> own = collectSymptoms(*symptom.verdict);
  if (!own.empty())
    facts->shownBy = findProducersAlike(producerOf(own.front()), verdicts);
  return writeFacts(symptom.folder, *facts);
}

Error assay::takeResult(Step step, const InvestigatedSymptom &symptom) {
  if (step == Step::Localize)
    return takeLocalization(symptom.folder);
  if (step == Step::CompareOthers)
    return takeOthers(symptom);
  std::string minimal = symptom.folder + "/minimal/minimal.amber";
  return sys::fs::exists(minimal) ? Error::success() : invalidInput(minimal + " is missing");
}

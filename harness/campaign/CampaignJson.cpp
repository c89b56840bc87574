// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/CampaignJson.h"

#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <set>

using namespace llvm;
using namespace assay;

static constexpr StringRef schema = "assay.campaign/1";
static constexpr StringRef buildKey = "build";

std::string assay::hashSteering(StringRef table) {
  return formatv("xxh3 {0:x-16}", xxh3_64bits(table));
}

/// As a command line has it; --threads changes no result.
static std::vector<std::string> printDecidingSchedule(JobSchedule schedule) {
  schedule.threads = JobSchedule().threads;
  return printSchedule(schedule, /*all=*/false);
}

/// Writes what decides the result of a run, apart from what is drawn case by case.
static void writeRunOptions(json::OStream &out, const DiffOptions &diff) {
  auto list = [&](StringRef name, const auto &values) {
    out.attributeArray(name, [&] {
      for (const auto &value : values)
        out.value(json::Value(value));
    });
  };
  list("compilers", diff.compilers);
  list("machines", diff.machines);
  list("targets", diff.targets);
  list("levels", diff.levels);
  list("waves", diff.waves);
  list("command", diff.command);
  list("lowerings", map_range(diff.lowerings, loweringName));
  list("plants", map_range(diff.plants, [](const Plant &plant) {
         return plant.caseName.empty() ? plant.fault : plant.fault + "@" + plant.caseName;
       }));
  list("schedule", printDecidingSchedule(diff.schedule));
  out.attribute("runSeed", diff.seed);
  out.attribute("maxInstructions", diff.limits.maxInstructions);
  out.attribute("timeoutMs", diff.limits.timeoutMs);
  out.attribute("memoryBytes", diff.limits.memoryBytes);
  out.attribute("retries", diff.retries);
}

/// Writes "avoid".
static void writeAvoided(json::OStream &out, ArrayRef<AvoidedBug> bugs) {
  out.attributeArray("avoid", [&] {
    for (const AvoidedBug &bug : bugs)
      out.object([&] {
        writeTextAttribute(out, "id", bug.id);
        writeTextsAttribute(out, "operations", bug.operations);
        writeTextAttribute(out, "trigger", bug.trigger);
      });
  });
}

/// The reverse; a file without "avoid" has none.
static void readAvoided(JsonFields &fields, std::vector<AvoidedBug> &bugs) {
  const json::Array *rows = fields.find("avoid") ? fields.readArray("avoid") : nullptr;
  for (const json::Value &row : rows ? *rows : json::Array()) {
    JsonFields each(row, "an avoided bug");
    AvoidedBug bug;
    each.read("id", bug.id);
    each.read("operations", bug.operations);
    each.read("trigger", bug.trigger);
    if (Error error = each.takeError())
      fields.fail("have a broken 'avoid': " + takeError(std::move(error)).message);
    bugs.push_back(std::move(bug));
  }
}

std::string assay::printCampaignOptions(const CampaignOptions &options) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream out(os, 2);
  out.object([&] {
    out.attribute("schema", schema);
    out.attribute("seed", options.seed);
    out.attribute("profile", options.profile);
    out.attribute("cases", options.cases);
    out.attribute("transform", options.transform);
    out.attribute("compileAgain", options.again);
    out.attribute("checkLowering", options.diff.checkLowering);
    out.attribute("checkThreads", options.diff.checkThreads);
    out.attribute("checkHashes", options.diff.checkHashes);
    if (options.steering)
      out.attribute("steering", hashSteering(options.steering->table));
    if (!options.avoided.empty())
      writeAvoided(out, options.avoided);
    writeRunOptions(out, options.diff);
    out.attributeObject(buildKey, [&] {
      for (const auto &[name, value] : options.build)
        out.attribute(name, value);
    });
  });
  os << "\n";
  return text;
}

Expected<CampaignKey> assay::readCampaignKey(StringRef text) {
  Expected<json::Value> value = parseJson(text, "campaign.json");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "campaign.json");
  CampaignKey key;
  std::string found;
  fields.read("schema", found);
  fields.readNumber("seed", key.seed);
  fields.readNumber("cases", key.cases);
  fields.read("profile", key.profile);
  fields.readIfThere("steering", key.steering);
  readAvoided(fields, key.avoided);
  if (found != schema)
    fields.fail("has schema '" + found + "', this build reads " + schema.str());
  if (Error error = fields.takeError())
    return std::move(error);
  return key;
}

/// "FAULT@CASE" or "FAULT".
static Plant parsePlant(StringRef text) {
  auto [fault, caseName] = text.split('@');
  return {fault.str(), caseName.str()};
}

/// Replaces \p values. An element that is not a number makes \p fields fail.
template <typename T>
static void readNumbers(JsonFields &fields, StringRef name, std::vector<T> &values) {
  const json::Array *array = fields.readArray(name);
  values.clear();
  for (const json::Value &each : array ? *array : json::Array()) {
    if (std::optional<int64_t> number = each.getAsInteger())
      values.push_back(static_cast<T>(*number));
    else
      fields.fail("has something in '" + name.str() + "' that is not a number");
  }
}

Expected<DiffOptions> assay::readRunOptions(StringRef text) {
  Expected<json::Value> value = parseJson(text, "campaign.json");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "campaign.json");
  DiffOptions diff;
  std::vector<std::string> lowerings, plants, schedule;
  fields.read("compilers", diff.compilers);
  fields.read("machines", diff.machines);
  fields.read("targets", diff.targets);
  fields.read("command", diff.command);
  fields.read("lowerings", lowerings);
  fields.read("plants", plants);
  fields.read("schedule", schedule);
  readNumbers(fields, "levels", diff.levels);
  readNumbers(fields, "waves", diff.waves);
  fields.readNumber("runSeed", diff.seed);
  fields.readNumber("maxInstructions", diff.limits.maxInstructions);
  fields.readNumber("timeoutMs", diff.limits.timeoutMs);
  fields.readNumber("memoryBytes", diff.limits.memoryBytes);
  fields.readNumber("retries", diff.retries);
  diff.lowerings.clear();
  for (const std::string &name : lowerings)
    if (std::optional<FatLowering> lowering = parseLowering(name))
      diff.lowerings.push_back(*lowering);
    else
      fields.fail("has the unknown lowering '" + name + "'");
  if (Error error = fields.takeError())
    return std::move(error);
  for (const std::string &plant : plants)
    diff.plants.push_back(parsePlant(plant));
  if (Error error = parseSchedule(schedule).moveInto(diff.schedule))
    return std::move(error);
  return std::move(diff);
}

/// "NAME is X, not Y" of the first attribute in which the two differ; empty: they do not.
static std::string explainDifference(const json::Object &text, const json::Object &expected,
                                     function_ref<bool(StringRef)> counts) {
  std::set<std::string> names;
  for (const json::Object *each : {&text, &expected})
    for (const auto &[name, value] : *each)
      if (counts(name))
        names.insert(name.str());
  auto print = [](const json::Value *value) {
    constexpr size_t most = 80; // Letters of a value that a message has.
    return value ? StringRef(formatv("{0}", *value).str()).take_front(most).str() : "missing";
  };
  for (const std::string &name : names) {
    const json::Value *one = text.get(name), *other = expected.get(name);
    if (!one || !other || *one != *other)
      return name + " is " + print(one) + ", not " + print(other);
  }
  return "";
}

std::string assay::explainOtherCampaign(StringRef text, StringRef expected) {
  Expected<json::Value> one = json::parse(text), other = json::parse(expected);
  const json::Object *oneObject = one ? one->getAsObject() : nullptr;
  const json::Object *otherObject = other ? other->getAsObject() : nullptr;
  consumeError(one.takeError());
  consumeError(other.takeError());
  if (!oneObject || !otherObject)
    return "other options: it is no JSON object";
  std::string options =
      explainDifference(*oneObject, *otherObject, [](StringRef name) { return name != buildKey; });
  if (!options.empty())
    return "other options: " + options;
  static const json::Object unknown;
  const json::Object *oneBuild = oneObject->getObject(buildKey);
  const json::Object *otherBuild = otherObject->getObject(buildKey);
  std::string build =
      explainDifference(oneBuild ? *oneBuild : unknown, otherBuild ? *otherBuild : unknown,
                        [](StringRef) { return true; });
  return build.empty() ? "other options: written in another way" : "another build: " + build;
}

std::string assay::printResultLine(const CampaignResult &result) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream out(os);
  out.object([&] {
    out.attribute("number", result.number);
    out.attribute("id", result.id);
    out.attributeArray("verdicts", [&] {
      for (const Verdict &verdict : result.verdicts)
        writeVerdict(out, verdict);
    });
  });
  os << "\n";
  return text;
}

Expected<CampaignResult> assay::readResultLine(StringRef line) {
  Expected<json::Value> value = parseJson(line, "a line");
  if (!value)
    return value.takeError();
  CampaignResult result;
  JsonFields fields(*value, "a result");
  fields.readNumber("number", result.number);
  fields.read("id", result.id);
  const json::Array *verdicts = fields.readArray("verdicts");
  if (Error error = fields.takeError())
    return std::move(error);
  for (const json::Value &each : *verdicts) {
    Expected<Verdict> verdict = readVerdict(each);
    if (!verdict)
      return verdict.takeError();
    result.verdicts.push_back(std::move(*verdict));
  }
  return result;
}

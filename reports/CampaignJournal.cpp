// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/CampaignJournal.h"

#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace assay;

static constexpr StringRef schema = "assay.batch/1";

/// Returns one line of JSON with its line end. Feature names are made valid UTF-8.
std::string assay::printBatch(const CampaignBatch &batch) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os);
  json.object([&] {
    json.attribute("schema", schema);
    json.attribute("time_ms", batch.timeMs);
    json.attribute("wall_us", batch.wallMicroseconds);
    json.attributeObject("stages", [&] {
      for (const auto &[stage, time] : batch.stages)
        json.attribute(stage, time);
    });
    json.attributeArray("cases", [&] {
      for (const CaseCost &each : batch.cases)
        json.object([&] {
          json.attribute("number", each.number);
          json.attribute("us", each.microseconds);
          json.attribute("compile_us", each.compileMicroseconds);
        });
    });
    writeTextsAttribute(json, "features", batch.features);
  });
  os << "\n";
  return text;
}

/// Reads the object of processor times by stage; InvalidInput for anything else than numbers.
static Error readStages(const json::Value *value, std::map<std::string, uint64_t> &stages) {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return invalidInput("a batch lacks the object 'stages'");
  for (const auto &[stage, time] : *object) {
    std::optional<uint64_t> number = time.getAsUINT64();
    if (!number)
      return invalidInput("a batch has a stage that is not a number: " + stage.str());
    stages[stage.str()] = *number;
  }
  return Error::success();
}

/// InvalidInput for a line of another schema, and for a missing or malformed field.
Expected<CampaignBatch> assay::parseBatch(StringRef line) {
  Expected<json::Value> value = parseJson(line, "a batch");
  if (!value)
    return value.takeError();
  CampaignBatch batch;
  std::string version;
  JsonFields fields(*value, "a batch");
  fields.read("schema", version);
  fields.readNumber("time_ms", batch.timeMs);
  fields.readNumber("wall_us", batch.wallMicroseconds);
  fields.read("features", batch.features);
  const json::Array *cases = fields.readArray("cases");
  if (version != schema)
    fields.fail("has schema '" + version + "', this build reads " + schema);
  if (Error error = fields.takeError())
    return std::move(error);
  for (const json::Value &each : *cases) {
    JsonFields of(each, "a case of a batch");
    CaseCost &cost = batch.cases.emplace_back();
    of.readNumber("number", cost.number);
    of.readNumber("us", cost.microseconds);
    of.readNumber("compile_us", cost.compileMicroseconds);
    if (Error error = of.takeError())
      return std::move(error);
  }
  if (Error error = readStages(fields.find("stages"), batch.stages))
    return std::move(error);
  return std::move(batch);
}

/// Ignores text after the last line end: a killed campaign may have left half a line there. Errors
/// name file and line.
Expected<std::vector<CampaignBatch>> assay::readJournal(const std::string &file) {
  Expected<std::string> text = readFileText(file);
  if (!text)
    return text.takeError();
  std::vector<CampaignBatch> batches;
  SmallVector<StringRef, 0> lines;
  StringRef(*text).split(lines, '\n');
  for (auto [index, line] : enumerate(ArrayRef(lines).drop_back())) {
    Expected<CampaignBatch> batch = parseBatch(line);
    if (!batch)
      return addContext(batch.takeError(), file + ", line " + std::to_string(index + 1));
    batches.push_back(std::move(*batch));
  }
  return std::move(batches);
}

/// Returns the .jsonl files of the folder, sorted by path. A missing folder has none; subfolders
/// are not searched.
Expected<std::vector<std::string>> assay::findJournals(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code code;
  if (sys::fs::is_directory(folder))
    for (sys::fs::directory_iterator each(folder, code), end; each != end && !code;
         each.increment(code))
      if (sys::path::extension(each->path()) == ".jsonl")
        files.push_back(each->path());
  if (code)
    return environmentError(folder + ": " + code.message());
  llvm::sort(files);
  return std::move(files);
}

/// Batches that ended at the same time are ordered by their first case.
Expected<std::vector<CampaignBatch>> assay::readJournals(const std::string &folder) {
  Expected<std::vector<std::string>> files = findJournals(folder);
  if (!files)
    return files.takeError();
  std::vector<CampaignBatch> batches;
  for (const std::string &file : *files) {
    Expected<std::vector<CampaignBatch>> read = readJournal(file);
    if (!read)
      return read.takeError();
    batches.insert(batches.end(), std::make_move_iterator(read->begin()),
                   std::make_move_iterator(read->end()));
  }
  auto rank = [](const CampaignBatch &batch) {
    return std::pair(batch.timeMs, batch.cases.empty() ? 0 : batch.cases.front().number);
  };
  llvm::sort(batches,
             [&](const CampaignBatch &a, const CampaignBatch &b) { return rank(a) < rank(b); });
  return std::move(batches);
}

/// Times are in microseconds; the number of cases is the same for each stage.
std::vector<std::pair<std::string, double>> assay::metricsOf(ArrayRef<CampaignBatch> batches) {
  std::map<std::string, double> sums;
  double cases = 0;
  for (const CampaignBatch &batch : batches) {
    cases += static_cast<double>(batch.cases.size());
    for (const auto &[stage, time] : batch.stages)
      sums["cpu-microseconds " + stage] += static_cast<double>(time);
  }
  std::vector<std::pair<std::string, double>> metrics(sums.begin(), sums.end());
  for (const auto &[name, sum] : sums)
    metrics.emplace_back("cases " + StringRef(name).split(' ').second.str(), cases);
  return metrics;
}

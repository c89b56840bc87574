// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Campaign.h"

#include "harness/campaign/Journal.h"
#include "reports/VerdictJson.h"
#include "support/DurableFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <unistd.h>

using namespace llvm;
using namespace assay;

static constexpr StringRef schema = "assay.campaign/1";
static constexpr StringRef steeringFile = "steering.json";
static constexpr StringRef findingCaseFile = "case.amber";
static constexpr StringRef findingLogFile = "transform.jsonl";

bool CampaignResult::isFinding() const {
  return any_of(verdicts, [](const Verdict &verdict) { return isBad(verdict.state); });
}

std::string assay::printCampaignOptions(const CampaignOptions &options) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream out(os, 2);
  auto list = [&](StringRef name, const auto &values) {
    out.attributeArray(name, [&] {
      for (const auto &value : values)
        out.value(json::Value(value));
    });
  };
  const DiffOptions &diff = options.diff;
  out.object([&] {
    out.attribute("schema", schema);
    out.attribute("seed", options.seed);
    out.attribute("profile", options.profile);
    out.attribute("cases", options.cases);
    out.attribute("transform", options.transform);
    out.attribute("compileAgain", options.again);
    out.attribute("checkLowering", diff.checkLowering);
    if (options.steering)
      out.attribute("steering",
                    formatv("xxh3 {0:x-16}", xxh3_64bits(options.steering->table)).str());
    list("compilers", diff.compilers);
    list("machines", diff.machines);
    list("targets", diff.targets);
    list("levels", diff.levels);
    list("waves", diff.waves);
    list("command", diff.command);
    list("lowerings", map_range(diff.lowerings, loweringName));
    out.attribute("checkThreads", diff.checkThreads);
    list("plants", map_range(diff.plants, [](const Plant &plant) {
           return plant.caseName.empty() ? plant.fault : plant.fault + "@" + plant.caseName;
         }));
    out.attribute("runSeed", diff.seed);
    out.attribute("maxInstructions", diff.limits.maxInstructions);
    out.attribute("timeoutMs", diff.limits.timeoutMs);
    out.attribute("memoryBytes", diff.limits.memoryBytes);
    out.attribute("retries", diff.retries);
  });
  os << "\n";
  return text;
}

static std::string printResultLine(const CampaignResult &result) {
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

static Expected<CampaignResult> readResultLine(StringRef line) {
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

/// Whole lines only: a process that was killed may have left half of one, and one that lives may be
/// writing it. Who goes on with the folder cuts it off; who reads does not touch it.
Error CampaignFolder::load(bool cutsHalfLine) {
  std::string file = m_path + "/results.jsonl";
  if (!sys::fs::exists(file))
    return Error::success();
  Expected<std::string> text = readFileText(file);
  if (!text)
    return text.takeError();
  size_t whole = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
  if (cutsHalfLine && whole != text->size() &&
      truncate(file.c_str(), static_cast<off_t>(whole)) != 0)
    return environmentError(file + ": " + sys::StrError());
  SmallVector<StringRef, 0> lines;
  StringRef(*text).take_front(whole).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (auto [index, line] : enumerate(lines)) {
    Expected<CampaignResult> result = readResultLine(line);
    if (!result)
      return addContext(result.takeError(), file + ", line " + std::to_string(index + 1));
    m_results.try_emplace(result->number, std::move(*result));
  }
  return Error::success();
}

Expected<CampaignFolder> CampaignFolder::open(std::string path, const CampaignOptions &options) {
  return openWith(std::move(path), printCampaignOptions(options),
                  options.steering ? StringRef(options.steering->table) : StringRef());
}

Expected<CampaignFolder> CampaignFolder::openAs(std::string path, const CampaignFolder &other) {
  std::string steering = other.m_path + "/" + steeringFile.str();
  if (!sys::fs::exists(steering))
    return openWith(std::move(path), other.m_options, {});
  Expected<std::string> table = readFileText(steering);
  if (!table)
    return table.takeError();
  return openWith(std::move(path), other.m_options, *table);
}

Error CampaignFolder::readOptions(std::string text) {
  Expected<json::Value> value = parseJson(text, "campaign.json");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "campaign.json");
  std::string found;
  fields.read("schema", found);
  fields.readNumber("cases", m_caseCount);
  if (found != schema)
    fields.fail("has schema '" + found + "', this build reads " + schema.str());
  m_options = std::move(text);
  return fields.takeError();
}

Expected<CampaignFolder> CampaignFolder::openWith(std::string path, std::string options,
                                                  StringRef steering) {
  CampaignFolder folder;
  folder.m_path = std::move(path);
  if (Error error = folder.readOptions(std::move(options)))
    return std::move(error);
  std::string file = folder.m_path + "/campaign.json";
  if (sys::fs::exists(file)) {
    Expected<std::string> text = readFileText(file);
    if (!text)
      return text.takeError();
    if (*text != folder.m_options)
      return invalidInput(folder.m_path + " holds a campaign with other options (campaign.json)");
  } else {
    if (!steering.empty())
      if (Error error = writeFile(folder.m_path + "/" + steeringFile.str(), steering))
        return std::move(error);
    if (Error error = writeFile(file, StringRef(folder.m_options)))
      return std::move(error);
  }
  if (Error error = folder.load(/*cutsHalfLine=*/true))
    return std::move(error);
  return folder;
}

Expected<CampaignFolder> CampaignFolder::read(std::string path) {
  CampaignFolder folder;
  folder.m_path = std::move(path);
  std::string file = folder.m_path + "/campaign.json";
  if (!sys::fs::exists(file))
    return invalidInput(folder.m_path + " is no folder of a campaign: it has no campaign.json");
  Expected<std::string> text = readFileText(file);
  if (!text)
    return text.takeError();
  if (Error error = folder.readOptions(std::move(*text)))
    return addContext(std::move(error), folder.m_path);
  if (Error error = folder.load(/*cutsHalfLine=*/false))
    return std::move(error);
  return folder;
}

static Error writeFinding(const std::string &folder, StringRef line, const CampaignCase &written) {
  if (Error error = writeFile(folder + "/" + findingCaseFile.str(), StringRef(written.text)))
    return error;
  if (!written.log.empty())
    if (Error error = writeFile(folder + "/" + findingLogFile.str(), StringRef(written.log)))
      return error;
  return writeFile(folder + "/verdicts.json", line);
}

/// The case of the finding in \p folder.
static Expected<CampaignCase> readFindingCase(const std::string &folder) {
  CampaignCase written;
  if (Error error = readFileText(folder + "/" + findingCaseFile.str()).moveInto(written.text))
    return std::move(error);
  std::string log = folder + "/" + findingLogFile.str();
  if (sys::fs::exists(log))
    if (Error error = readFileText(log).moveInto(written.log))
      return std::move(error);
  return std::move(written);
}

/// Findings first: a process that dies in between leaves a finding without its result, which comes
/// again; never a result without its finding.
Error CampaignFolder::add(std::vector<CampaignResult> results, ArrayRef<CampaignCase> cases) {
  std::string lines;
  for (auto [result, written] : zip_equal(results, cases)) {
    std::string line = printResultLine(result);
    if (result.isFinding())
      if (Error error = writeFinding(m_path + "/findings/" + result.id, line, written))
        return error;
    lines += line;
  }
  if (Error error = appendDurably(m_path + "/results.jsonl", lines))
    return error;
  for (CampaignResult &result : results)
    m_results.try_emplace(result.number, std::move(result));
  return Error::success();
}

Error CampaignFolder::merge(const CampaignFolder &other) {
  if (other.m_options != m_options)
    return invalidInput(other.m_path + " and " + m_path + " are of different campaigns");
  std::vector<CampaignResult> results;
  std::vector<CampaignCase> cases;
  for (const auto &[number, result] : other.m_results) {
    auto own = m_results.find(number);
    if (own != m_results.end() && printResultLine(own->second) != printResultLine(result))
      return invalidInput("case " + result.id + " has one result in " + m_path +
                          " and another in " + other.m_path);
    if (own != m_results.end())
      continue;
    CampaignCase written;
    if (result.isFinding())
      if (Error error = readFindingCase(other.m_path + "/findings/" + result.id).moveInto(written))
        return error;
    results.push_back(result);
    cases.push_back(std::move(written));
  }
  if (Error error = mergeJournals(other.m_path, m_path))
    return error;
  return results.empty() ? Error::success() : add(std::move(results), cases);
}

Error CampaignFolder::finish() const {
  Report report;
  report.verb = "fuzz";
  report.options.push_back({"campaign", m_options});
  for (const auto &[number, result] : m_results)
    append_range(report.verdicts, result.verdicts);
  std::string text;
  raw_string_ostream os(text);
  writeJsonReport(os, report);
  return writeFile(m_path + "/result.json", StringRef(text));
}

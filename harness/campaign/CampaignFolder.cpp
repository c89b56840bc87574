// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/CampaignFolder.h"

#include "harness/run/FolderLock.h"
#include "support/DurableFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace llvm;
using namespace assay;

/// The options that decide the cases.
static constexpr StringRef optionsFile = "campaign.json";
/// A line a case with a verdict.
static constexpr StringLiteral resultsFile = "results.jsonl";
/// The report of a finished folder.
static constexpr StringLiteral reportFile = "result.json";
/// A copy of the table that weights the generator.
static constexpr StringRef steeringFile = "steering.json";
/// In the folder of a finding: the case, and the log of the steps that made it.
static constexpr StringRef findingCaseFile = "case.amber";
static constexpr StringRef findingLogFile = "transform.jsonl";
/// What there is only after campaign.json.
static constexpr StringLiteral contentNames[] = {resultsFile, "inflight", "findings", "journal",
                                                 reportFile};

bool CampaignResult::isFinding() const {
  return any_of(verdicts, [](const Verdict &verdict) { return isBad(verdict.state); });
}

/// Whole lines only: a process that was killed may have left half of one, and one that lives may be
/// writing it. Who continues with the folder cuts it off; who reads does not touch it.
Error CampaignFolder::load(bool cutsHalfLine) {
  std::string file = fileOf(resultsFile);
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
  for (auto [index, line] : enumerate(lines))
    if (Error error = loadLine(line))
      return addContext(std::move(error), file + ", line " + std::to_string(index + 1));
  return Error::success();
}

Error CampaignFolder::loadLine(StringRef line) {
  Expected<CampaignResult> result = readResultLine(line);
  if (!result)
    return result.takeError();
  if (Error error = verifyResult(*result))
    return error;
  auto [known, isNew] = m_results.try_emplace(result->number, *result);
  if (!isNew && printResultLine(known->second) != printResultLine(*result))
    return invalidInput("case " + result->id + " has another result before");
  return Error::success();
}

/// InvalidInput for a result that is none of this campaign.
Error CampaignFolder::verifyResult(const CampaignResult &result) const {
  if (m_key.cases == 0) { // A collection: ids are its maker's, and become names of folders.
    StringRef id = result.id;
    return id.empty() || id.starts_with(".") || id.contains('/')
               ? invalidInput("'" + id + "' is no id of a case")
               : Error::success();
  }
  if (result.number >= m_key.cases)
    return invalidInput("the campaign has " + Twine(m_key.cases) + " cases, none of number " +
                        Twine(result.number));
  std::string id = campaignCaseId(m_key.seed, result.number);
  if (result.id != id)
    return invalidInput("case " + Twine(result.number) + " of this campaign is " + id + ", not " +
                        result.id);
  for (const Verdict &verdict : result.verdicts)
    if (verdict.caseId != id)
      return invalidInput("a verdict on " + verdict.caseId + " in the result of " + id);
  return Error::success();
}

Expected<CampaignFolder> CampaignFolder::open(std::string path, const CampaignOptions &options) {
  return openWith(std::move(path), printCampaignOptions(options),
                  options.steering ? StringRef(options.steering->table) : StringRef());
}

Expected<CampaignFolder> CampaignFolder::openAs(std::string path, const CampaignFolder &other) {
  Expected<std::string> table = other.readSteeringTable();
  if (!table)
    return table.takeError();
  return openWith(std::move(path), other.m_options, *table);
}

Expected<std::string> CampaignFolder::readSteeringTable() const {
  if (m_key.steering.empty())
    return "";
  std::string file = fileOf(steeringFile);
  if (!sys::fs::exists(file))
    return invalidInput(m_path + " lacks steering.json, which its campaign.json speaks of");
  Expected<std::string> table = readFileText(file);
  if (table && hashSteering(*table) != m_key.steering)
    return invalidInput(file + " is not the table that campaign.json speaks of");
  return table;
}

Error CampaignFolder::readOptions(std::string text) {
  m_options = std::move(text);
  return readCampaignKey(m_options).moveInto(m_key);
}

/// Locks the folder, which is made where there is none.
Error CampaignFolder::lock() {
  if (std::error_code code = sys::fs::create_directories(m_path))
    return environmentError(m_path + ": " + code.message());
  SmallString<128> real;
  if (std::error_code code = sys::fs::real_path(m_path, real))
    return environmentError(m_path + ": " + code.message());
  std::optional<Descriptor> lock = lockFolder(real.str().str());
  if (!lock)
    return invalidInput("another process works in " + m_path);
  m_lock = std::move(*lock);
  return Error::success();
}

/// Takes away the files that a process was killed at while it wrote them (writeFile()).
Error CampaignFolder::removeHalfWritten() const {
  std::error_code code;
  for (sys::fs::directory_iterator each(m_path, code), end; each != end && !code;
       each.increment(code)) {
    auto [whole, mark] = sys::path::filename(each->path()).rsplit('.');
    if (is_contained({optionsFile, steeringFile, StringRef(reportFile)}, whole) &&
        mark.size() == 6 && all_of(mark, isHexDigit))
      sys::fs::remove(each->path());
  }
  return code ? environmentError(m_path + ": " + code.message()) : Error::success();
}

/// InvalidInput where the folder holds another campaign, or nobody knows which.
Error CampaignFolder::verifyIsOwn() const {
  std::string file = fileOf(optionsFile);
  if (sys::fs::exists(file)) {
    Expected<std::string> text = readFileText(file);
    if (!text)
      return text.takeError();
    if (*text != m_options)
      return invalidInput(m_path + " holds a campaign with " +
                          explainOtherCampaign(*text, m_options) + " (campaign.json)");
    return Error::success();
  }
  for (StringRef each : contentNames)
    if (sys::fs::exists(fileOf(each)))
      return invalidInput(m_path + " has " + each + ", but no campaign.json that says of what");
  return Error::success();
}

/// What the folder lacks of its options and the table that steers it.
Error CampaignFolder::writeOptions(StringRef steering) const {
  if (!steering.empty() && !sys::fs::exists(fileOf(steeringFile)))
    if (Error error = writeFile(fileOf(steeringFile), steering))
      return error;
  if (Expected<std::string> table = readSteeringTable(); !table)
    return table.takeError();
  return sys::fs::exists(fileOf(optionsFile))
             ? Error::success()
             : writeFile(fileOf(optionsFile), StringRef(m_options));
}

Expected<CampaignFolder> CampaignFolder::openWith(std::string path, std::string options,
                                                  StringRef steering) {
  CampaignFolder folder;
  folder.m_path = std::move(path);
  if (Error error = folder.readOptions(std::move(options)))
    return std::move(error);
  if (Error error = folder.lock())
    return std::move(error);
  if (Error error = folder.verifyIsOwn())
    return std::move(error);
  if (Error error = folder.removeHalfWritten())
    return std::move(error);
  if (Error error = folder.writeOptions(steering))
    return std::move(error);
  if (Error error = folder.load(/*cutsHalfLine=*/true))
    return std::move(error);
  return folder;
}

Expected<CampaignFolder> CampaignFolder::readWithoutResults(std::string path) {
  CampaignFolder folder;
  folder.m_path = std::move(path);
  std::string file = folder.fileOf(optionsFile);
  if (!sys::fs::exists(file))
    return invalidInput(folder.m_path + " is not a folder of a campaign: it has no campaign.json");
  Expected<std::string> text = readFileText(file);
  if (!text)
    return text.takeError();
  if (Error error = folder.readOptions(std::move(*text)))
    return addContext(std::move(error), folder.m_path);
  return folder;
}

Expected<CampaignFolder> CampaignFolder::read(std::string path) {
  Expected<CampaignFolder> folder = readWithoutResults(std::move(path));
  if (!folder)
    return folder;
  if (Error error = folder->load(/*cutsHalfLine=*/false))
    return std::move(error);
  return folder;
}

/// Writes the files of one finding; \p line is its line of results.jsonl.
static Error writeFinding(const std::string &folder, StringRef line, const CampaignCase &written) {
  if (Error error = writeFile(folder + "/" + findingCaseFile.str(), StringRef(written.text)))
    return error;
  if (!written.log.empty())
    if (Error error = writeFile(folder + "/" + findingLogFile.str(), StringRef(written.log)))
      return error;
  return writeFile(folder + "/verdicts.json", line);
}

Expected<CampaignCase> CampaignFolder::readFinding(const CampaignResult &result) const {
  std::string folder = fileOf("findings/" + result.id);
  CampaignCase written;
  std::string file = folder + "/" + findingCaseFile.str();
  if (!sys::fs::exists(file))
    return invalidInput("of a finding there is no " + file);
  if (Error error = readFileText(file).moveInto(written.text))
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
      if (Error error = writeFinding(fileOf("findings/" + result.id), line, written))
        return error;
    lines += line;
  }
  if (Error error = appendDurably(fileOf(resultsFile), lines))
    return error;
  for (CampaignResult &result : results)
    m_results.try_emplace(result.number, std::move(result));
  return Error::success();
}

Report CampaignFolder::report() const {
  Report report;
  report.verb = "fuzz";
  report.options.push_back({"campaign", m_options});
  for (const auto &[number, result] : m_results)
    append_range(report.verdicts, result.verdicts);
  return report;
}

Error CampaignFolder::finish() const {
  std::string text;
  raw_string_ostream os(text);
  writeJsonReport(os, report());
  return writeFile(fileOf(reportFile), StringRef(text));
}

void CampaignFolder::removeAll() const {
  for (StringRef each : contentNames)
    (void)sys::fs::remove_directories(fileOf(each)); // Files, too.
  for (StringRef each : {steeringFile, optionsFile})
    (void)sys::fs::remove(fileOf(each));
  (void)sys::fs::remove(m_path); // Where nothing else is in it.
}

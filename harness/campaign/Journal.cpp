// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Journal.h"

#include "support/DurableFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace llvm;
using namespace assay;

/// Folder of the journals below that of a campaign.
static std::string folderOf(const std::string &campaign) {
  return campaign + "/journal";
}

Expected<Journal> Journal::open(const std::string &folder, uint64_t index, uint64_t count) {
  Journal journal;
  journal.m_file = formatv("{0}/{1}-of-{2}.jsonl", folderOf(folder), index + 1, count);
  if (std::error_code code = sys::fs::create_directories(folderOf(folder)))
    return environmentError(folderOf(folder) + ": " + code.message());
  if (!sys::fs::exists(journal.m_file))
    return std::move(journal);
  Expected<std::string> text = readFileText(journal.m_file);
  if (!text)
    return text.takeError();
  size_t whole = text->rfind('\n') + 1; // npos + 1 is 0.
  if (whole != text->size() && truncate(journal.m_file.c_str(), static_cast<off_t>(whole)) != 0)
    return environmentError(journal.m_file + ": " + sys::StrError());
  Expected<std::vector<CampaignBatch>> batches = readJournal(journal.m_file);
  if (!batches)
    return batches.takeError();
  for (const CampaignBatch &batch : *batches)
    journal.m_features.insert(batch.features.begin(), batch.features.end());
  return std::move(journal);
}

Error Journal::append(CampaignBatch batch) {
  erase_if(batch.features,
           [&](const std::string &feature) { return !m_features.insert(feature).second; });
  return appendDurably(m_file, printBatch(batch));
}

/// In microseconds.
static uint64_t sum(const StageTimes &times) {
  uint64_t total = 0;
  for (const auto &[stage, time] : times)
    total += static_cast<uint64_t>(time.count());
  return total;
}

void assay::noteTimes(CampaignBatch &batch, const BatchTimes &times,
                      ArrayRef<std::pair<uint64_t, std::string>> ids) {
  for (const auto &[stage, time] : times.stages)
    batch.stages[stage] = static_cast<uint64_t>(time.count());
  for (const auto &[number, id] : ids) {
    CaseCost &cost = batch.cases.emplace_back();
    cost.number = number;
    auto of = times.cases.find(id);
    if (of == times.cases.end())
      continue;
    cost.microseconds = sum(of->second);
    if (auto compile = of->second.find("compile"); compile != of->second.end())
      cost.compileMicroseconds = static_cast<uint64_t>(compile->second.count());
  }
}

Error assay::mergeJournals(const std::string &from, const std::string &to) {
  Expected<std::vector<std::string>> files = findJournals(folderOf(from));
  if (!files)
    return files.takeError();
  for (const std::string &file : *files) {
    Expected<std::string> text = readFileText(file);
    if (!text)
      return text.takeError();
    std::string place = folderOf(to) + "/" + sys::path::filename(file).str();
    if (sys::fs::exists(place)) {
      Expected<std::string> known = readFileText(place);
      if (!known)
        return known.takeError();
      if (known->size() >= text->size())
        continue;
    }
    if (Error error = writeFile(place, StringRef(*text)))
      return error;
  }
  return Error::success();
}

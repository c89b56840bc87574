// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Merge.h"

#include "harness/campaign/Journal.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

namespace {
/// Everything that is to be written, before anything is.
struct Merge {
  std::map<uint64_t, const CampaignFolder *> owners; ///< Of each result, the first that has it.
  std::map<uint64_t, CampaignCase> findings;
};
} // namespace

/// InvalidInput with the first difference of the two campaign.json.
static Error verifySameCampaign(const CampaignFolder &one, const CampaignFolder &other) {
  if (one.options() == other.options())
    return Error::success();
  return invalidInput(one.path() + " and " + other.path() + " are of different campaigns: " +
                      one.path() + " has " + explainOtherCampaign(one.options(), other.options()));
}

/// InvalidInput where the two have different results of one case.
static Error verifySameResult(const CampaignFolder &one, const CampaignFolder &other,
                              uint64_t number) {
  const CampaignResult &result = one.results().at(number);
  if (printResultLine(result) == printResultLine(other.results().at(number)))
    return Error::success();
  return invalidInput("case " + result.id + " has one result in " + one.path() +
                      " and another in " + other.path());
}

/// Adds the results of \p shard, and reads the cases of its findings.
static Error collectShard(const CampaignFolder &shard, Merge &merge) {
  for (const auto &[number, result] : shard.results()) {
    auto [owner, isNew] = merge.owners.try_emplace(number, &shard);
    if (!isNew) {
      if (Error error = verifySameResult(*owner->second, shard, number))
        return error;
    } else if (result.isFinding()) {
      if (Error error = shard.readFinding(result).moveInto(merge.findings[number]))
        return error;
    }
  }
  return Error::success();
}

/// Errors are InvalidInput as of mergeCampaigns(); nothing is written yet.
static Expected<Merge> collectShards(ArrayRef<CampaignFolder> shards) {
  Merge merge;
  for (const CampaignFolder &shard : shards) {
    if (Error error = verifySameCampaign(shards.front(), shard))
      return std::move(error);
    if (Error error = shard.readSteeringTable().takeError())
      return std::move(error);
    if (Error error = collectShard(shard, merge))
      return std::move(error);
  }
  return std::move(merge);
}

/// Adds the results that \p folder lacks, and the journals, and writes result.json.
static Error write(Merge merge, ArrayRef<CampaignFolder> shards, CampaignFolder &folder) {
  std::vector<CampaignResult> results;
  std::vector<CampaignCase> cases;
  for (const auto &[number, owner] : merge.owners) {
    if (folder.has(number)) {
      if (Error error = verifySameResult(*owner, folder, number))
        return error;
      continue;
    }
    results.push_back(owner->results().at(number));
    cases.push_back(std::move(merge.findings[number]));
  }
  for (const CampaignFolder &shard : shards)
    if (Error error = mergeJournals(shard.path(), folder.path()))
      return error;
  if (!results.empty())
    if (Error error = folder.add(std::move(results), cases))
      return error;
  return folder.finish();
}

Expected<CampaignFolder> assay::mergeCampaigns(ArrayRef<CampaignFolder> shards,
                                               const std::string &output) {
  Expected<Merge> merge = collectShards(shards);
  if (!merge)
    return merge.takeError();
  bool isNew = !sys::fs::exists(output + "/campaign.json");
  Expected<CampaignFolder> folder = CampaignFolder::openAs(output, shards.front());
  if (!folder)
    return folder.takeError();
  if (Error error = write(std::move(*merge), shards, *folder)) {
    if (isNew)
      folder->removeAll();
    return std::move(error);
  }
  return folder;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Origin.h"

#include "harness/campaign/CampaignFolder.h"
#include "harness/campaign/Coverage.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

/// What decides about a case before its steps.
static Expected<CampaignOptions> readGeneration(const std::string &campaign) {
  Expected<CampaignFolder> folder = CampaignFolder::readWithoutResults(campaign);
  if (!folder)
    return folder.takeError();
  CampaignOptions options;
  options.seed = folder->key().seed;
  options.profile = folder->key().profile;
  options.avoided = folder->key().avoided;
  if (Error error = readSteering(*folder).moveInto(options.steering))
    return std::move(error);
  return options;
}

/// Generates the case of the finding in \p folder again, by its number and the options of its
/// campaign.
static Expected<fuzz::GeneratedCase> generateOriginal(const std::string &folder) {
  std::string path = folder + "/verdicts.json";
  Expected<std::string> text = readFileText(path);
  if (!text)
    return text.takeError();
  Expected<CampaignResult> result = readResultLine(*text);
  if (!result)
    return addContext(result.takeError(), path);
  Expected<CampaignOptions> options = readGeneration(folder + "/../..");
  return options ? generateCampaignCase(*options, result->number) : options.takeError();
}

/// InvalidInput unless \p origin is what case.amber was printed from.
static Error verifyOrigin(const std::string &folder, const fuzz::LoggedCase &origin) {
  Expected<std::string> text = readFileText(folder + "/case.amber");
  if (!text)
    return text.takeError();
  Expected<fuzz::TransformedCase> replayed = fuzz::replay(origin.original, origin.log);
  if (!replayed)
    return replayed.takeError();
  if (fuzz::printAmberPair(origin.original, replayed->result) == *text)
    return Error::success();
  return invalidInput("this build makes another case than " + folder + "/case.amber of its log");
}

Expected<std::optional<fuzz::LoggedCase>> assay::readFindingOrigin(const std::string &folder) {
  std::string path = folder + "/transform.jsonl";
  if (!sys::fs::exists(path))
    return std::nullopt;
  Expected<std::string> text = readFileText(path);
  if (!text)
    return text.takeError();
  Expected<fuzz::TransformationLog> log = fuzz::parseLog(*text);
  if (!log)
    return addContext(log.takeError(), path);
  Expected<fuzz::GeneratedCase> original = generateOriginal(folder);
  if (!original)
    return original.takeError();
  fuzz::LoggedCase origin{std::move(*original), std::move(*log)};
  if (Error error = verifyOrigin(folder, origin))
    return std::move(error);
  return origin;
}

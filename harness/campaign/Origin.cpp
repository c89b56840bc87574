// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Origin.h"

#include "harness/campaign/Coverage.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

/// Of campaign.json and steering.json in \p folder, what decides about a case before its steps.
static Expected<CampaignOptions> readGeneration(const std::string &folder) {
  std::string path = folder + "/campaign.json";
  if (!sys::fs::exists(path))
    return invalidInput("a log says nothing without the campaign that it is of: there is no " +
                        path);
  Expected<json::Value> value = readJsonFile(path);
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "campaign.json");
  CampaignOptions options;
  fields.readNumber("seed", options.seed);
  fields.read("profile", options.profile);
  if (Error error = fields.takeError())
    return std::move(error);
  std::string steering = folder + "/steering.json";
  if (!sys::fs::exists(steering))
    return options;
  if (Error error = readSteering({steering}).moveInto(options.steering))
    return std::move(error);
  return options;
}

static Expected<fuzz::GeneratedCase> generateOriginal(const std::string &folder) {
  Expected<json::Value> value = readJsonFile(folder + "/verdicts.json");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "verdicts.json");
  uint64_t number = 0;
  fields.readNumber("number", number);
  if (Error error = fields.takeError())
    return std::move(error);
  Expected<CampaignOptions> options = readGeneration(folder + "/../..");
  return options ? generateCampaignCase(*options, number) : options.takeError();
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

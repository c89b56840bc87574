// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of a campaign's folder: campaign.json, which says what decides about each case, and the
// lines of results.jsonl.
#pragma once

#include "harness/campaign/Campaign.h"

namespace assay {

/// What of a campaign.json its reader checks a folder by, and makes a case again from.
struct CampaignKey {
  uint64_t seed = 0;
  uint64_t cases = 0;
  std::string profile;
  std::string steering; ///< hashSteering() of steering.json; empty: there is none.
  std::vector<AvoidedBug> avoided;
};

/// campaign.json of \p options (schema assay.campaign/1).
std::string printCampaignOptions(const CampaignOptions &options);
/// InvalidInput for another schema, or without what the key needs.
llvm::Expected<CampaignKey> readCampaignKey(llvm::StringRef text);
/// What \p text says of how its cases were run: what a predicate needs to run one again. What was
/// drawn case by case (checkLowering, checkThreads) stays as by default. InvalidInput.
llvm::Expected<DiffOptions> readRunOptions(llvm::StringRef text);
/// "xxh3 " and 16 hexadecimal digits.
std::string hashSteering(llvm::StringRef table);

/// How two texts of campaign.json that are not equal differ: "other options: seed is 5, not 6", or
/// "another build: commit is ...", where nothing else differs.
std::string explainOtherCampaign(llvm::StringRef text, llvm::StringRef expected);

/// With the newline.
std::string printResultLine(const CampaignResult &result);
/// InvalidInput.
llvm::Expected<CampaignResult> readResultLine(llvm::StringRef line);

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a campaign's cases have exercised: by this a later campaign is steered to what they lacked.
#pragma once

#include "harness/campaign/Campaign.h"

namespace assay {

/// A steering by the coverage tables in \p files, added up. InvalidInput, Environment.
llvm::Expected<CampaignSteering> readSteering(llvm::ArrayRef<std::string> files);

/// The coverage table (schema assay.coverage/1) of those cases with a result in \p folder whose
/// number is a multiple of \p sample (at least 1): the constructs of each, its features as a
/// corpus has them (harness/corpus), and where Assay compiles in this campaign the mnemonics that
/// it makes for each target at the campaign's first level. A function of the campaign and of
/// which cases are there: tables of shards add up. InvalidInput, Environment.
llvm::Expected<std::string> printCampaignCoverage(const CampaignFolder &folder,
                                                  const CampaignOptions &options, uint64_t sample,
                                                  const PoolOptions &pool);

} // namespace assay

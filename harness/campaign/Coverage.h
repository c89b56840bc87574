// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a campaign's cases have exercised: by this a later campaign is steered to what they lacked.
#pragma once

#include "harness/campaign/Campaign.h"

namespace assay {

/// A steering by the coverage tables in \p files, added up. InvalidInput, Environment.
llvm::Expected<CampaignSteering> readSteering(llvm::ArrayRef<std::string> files);
/// By the one that \p folder has; nothing where the campaign is not steered. InvalidInput where
/// its steering.json is missing, or another.
llvm::Expected<std::optional<CampaignSteering>> readSteering(const CampaignFolder &folder);

/// A coverage table, and how much of the campaign it is about.
struct CampaignCoverage {
  std::string table;       ///< As text: schema assay.coverage/1.
  size_t cases = 0;        ///< In it.
  size_t wanted = 0;       ///< That it is about: as many, except for want of time.
  bool wasStopped = false; ///< By SIGTERM.
};

/// The coverage table of those cases with a result in \p folder whose number is a multiple of
/// \p sample (at least 1). It has the constructs of each and its features as a corpus has them
/// (harness/corpus). Where Assay compiles in this campaign, it has the mnemonics that Assay makes
/// for each target at the campaign's first level, and in a build that counts them the functions of
/// Assay that are entered. The table follows from the campaign and the cases that are there alone:
/// tables of shards add up. InvalidInput, Environment.
///
/// \p maxSeconds where it is not 0 bounds it: then the first of them, in order of their numbers,
/// as many as there was time for, a few at least. SIGTERM ends it.
llvm::Expected<CampaignCoverage> collectCampaignCoverage(const CampaignFolder &folder,
                                                         const CampaignOptions &options,
                                                         uint64_t sample, double maxSeconds,
                                                         PoolOptions pool);

} // namespace assay

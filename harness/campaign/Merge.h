// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shards of a campaign into one folder.
#pragma once

#include "harness/campaign/CampaignFolder.h"

namespace assay {

/// Puts \p shards (at least one) into the folder \p output, new or of the same campaign, which may
/// be one of them. InvalidInput for different campaigns, a case with two results, or a broken
/// shard: then nothing was written. On any other error a new folder is removed again, and one that
/// there was can be merged into again.
llvm::Expected<CampaignFolder> mergeCampaigns(llvm::ArrayRef<CampaignFolder> shards,
                                              const std::string &output);

} // namespace assay

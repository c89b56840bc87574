// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Campaigns: generated cases, numbered, run in batches; what a case is and gives depends on its
// number and the campaign's options alone, not on shards, batches, time or interruptions.
#pragma once

#include "harness/campaign/Avoid.h"
#include "harness/run/Diff.h"
#include "reports/Report.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <string>

namespace assay {
class CampaignFolder;
namespace fuzz {
class Steering;
struct GeneratedCase;
} // namespace fuzz

/// What an earlier campaign's coverage asks of this one (Coverage.h).
struct CampaignSteering {
  std::string table; ///< The file: schema assay.coverage/1.
  std::shared_ptr<const fuzz::Steering> weights;
};

/// What decides about each case. Equal for all shards of a campaign.
struct CampaignOptions {
  uint64_t seed = 0;
  std::string profile = "default";
  /// Numbers 0 to cases - 1. 0: a collection, whose maker gives numbers and ids.
  uint64_t cases = 0;
  unsigned again = 80;    ///< Of so many cases, one is compiled again (Determinism.h); 0: none.
  unsigned transform = 0; ///< Steps by which a second pipeline of each case is changed; 0: none.
  std::optional<CampaignSteering> steering = std::nullopt;
  std::vector<AvoidedBug> avoided = {}; ///< No case has what triggers them.
  DiffOptions diff;
  /// The build that makes the results, by the names of its parts: another build gives others.
  std::vector<std::pair<std::string, std::string>> build = {};
};

/// What decides only when and by whom a case is run.
struct CampaignShard {
  uint64_t index = 0, count = 1; ///< Case numbers that are index modulo count.
  double maxSeconds = 0;         ///< 0: no limit; no further batch begins after it.
  unsigned batch = 32;           ///< Cases.
};

/// One case with its verdicts, as the campaign's folder keeps it.
struct CampaignResult {
  uint64_t number = 0;
  std::string id; ///< As of campaignCaseId().
  std::vector<Verdict> verdicts;

  /// Whether any verdict is bad.
  bool isFinding() const;
};

/// "SEED-NUMBER".
std::string campaignCaseId(uint64_t seed, uint64_t number);

/// Case \p number before any step changes it. InvalidInput for an unknown profile.
llvm::Expected<fuzz::GeneratedCase> generateCampaignCase(const CampaignOptions &options,
                                                         uint64_t number);
/// A case as files have it.
struct CampaignCase {
  std::string text;     ///< An Amber script.
  std::string log = {}; ///< Of the steps that made its second pipeline (fuzz::printLog); or empty.
};
/// Case \p number. InvalidInput for an unknown profile.
llvm::Expected<CampaignCase> makeCampaignCase(const CampaignOptions &options, uint64_t number);

/// What one call of runCampaign() has done.
struct CampaignSummary {
  uint64_t ran = 0;        ///< Cases, by this call.
  uint64_t findings = 0;   ///< Of all that the folder holds.
  bool wasStopped = false; ///< By SIGTERM, after a batch.
  StageTimes times;        ///< Of this call's jobs; "generate" and "keep" are this process's own.
};

/// Runs the cases of \p shard that \p folder lacks, batch after batch, and finishes the folder.
/// \p progress: cases done, and to be done, by this call.
llvm::Expected<CampaignSummary>
runCampaign(CampaignFolder &folder, const CampaignOptions &options, const CampaignShard &shard,
            PoolOptions pool, llvm::function_ref<void(uint64_t done, uint64_t total)> progress);

} // namespace assay

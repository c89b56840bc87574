// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a campaign notes of its batches: how long they took, where the time went and what their
// cases brought that no case before had. Nothing that a campaign finds depends on it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// Time of processors that the jobs of a case took.
struct CaseCost {
  uint64_t number = 0;              ///< Of the case.
  uint64_t microseconds = 0;        ///< Of all jobs together.
  uint64_t compileMicroseconds = 0; ///< Of these.
};

/// One batch of a shard.
struct CampaignBatch {
  uint64_t timeMs = 0; ///< When it ended, since 1970, UTC.
  uint64_t wallMicroseconds = 0;
  std::map<std::string, uint64_t> stages; ///< Microseconds of processors, by stage.
  std::vector<CaseCost> cases;
  /// Of its cases, without what cases of the shard before it had; ascending.
  std::vector<std::string> features;
};

/// A line with its end: {"schema":"assay.batch/1",...}; docs/schemas/batch.schema.json.
std::string printBatch(const CampaignBatch &batch);
/// InvalidInput for anything printBatch would not have written.
llvm::Expected<CampaignBatch> parseBatch(llvm::StringRef line);

/// All whole lines of \p file. Half a line at its end is of a process that was killed.
llvm::Expected<std::vector<CampaignBatch>> readJournal(const std::string &file);
/// The journals in \p folder, ascending; none where there is no such folder.
llvm::Expected<std::vector<std::string>> findJournals(const std::string &folder);
/// All that they hold, by the time the batches ended.
llvm::Expected<std::vector<CampaignBatch>> readJournals(const std::string &folder);

/// Sums for a store: "cpu-microseconds STAGE", and "cases STAGE" that they are of.
std::vector<std::pair<std::string, double>> metricsOf(llvm::ArrayRef<CampaignBatch> batches);

} // namespace assay

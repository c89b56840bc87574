// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The notes of a campaign's batches on disk: journal/K-of-N.jsonl in its folder, a file a shard, so
// that shards are merged by putting their files together. Times are of one run, so nothing that a
// campaign finds may depend on them.
#pragma once

#include "harness/run/WorkerProcess.h"
#include "reports/CampaignJournal.h"
#include <set>

namespace assay {

/// What is measured of a batch while it runs.
struct BatchTimes {
  StageTimes stages;
  std::map<std::string, StageTimes> cases; ///< By id.
};

/// Of one shard, which is the only writer of its file.
class Journal {
public:
  /// Of shard \p index of \p count in the folder of a campaign. InvalidInput for a file that is no
  /// journal; half a line of a process that was killed is cut off.
  static llvm::Expected<Journal> open(const std::string &folder, uint64_t index, uint64_t count);

  /// Appends \p batch durably, its features without those that this shard had before.
  llvm::Error append(CampaignBatch batch);

private:
  std::string m_file;
  /// All that the file has.
  std::set<std::string> m_features;
};

/// Times of \p batch by those that were measured; \p ids are its cases' by their numbers.
void noteTimes(CampaignBatch &batch, const BatchTimes &times,
               llvm::ArrayRef<std::pair<uint64_t, std::string>> ids);

/// Puts the journals of the campaign folder \p from into \p to: of one shard's two files the
/// longer, which goes on where the other ends.
llvm::Error mergeJournals(const std::string &from, const std::string &to);

} // namespace assay

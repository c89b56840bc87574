// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Campaigns: generated cases, numbered, run in batches; what a case is and gives depends on its
// number and the campaign's options alone, not on shards, batches, time or interruptions.
#pragma once

#include "harness/run/Diff.h"
#include "reports/Report.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <string>

namespace assay {
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
  uint64_t cases = 0;     ///< Numbers 0 to cases - 1.
  unsigned again = 64;    ///< Of so many cases, one is compiled again (Determinism.h); 0: none.
  unsigned transform = 0; ///< Steps by which a second pipeline of each case is changed; 0: none.
  std::optional<CampaignSteering> steering = std::nullopt;
  DiffOptions diff;
};

/// What decides only when and by whom a case is run.
struct CampaignShard {
  uint64_t index = 0, count = 1; ///< Case numbers that are index modulo count.
  double maxSeconds = 0;         ///< 0: no limit; no batch begins after it.
  unsigned batch = 32;           ///< Cases.
};

/// One case with its verdicts, as the campaign's folder keeps it.
struct CampaignResult {
  uint64_t number = 0;
  std::string id; ///< "SEED-NUMBER".
  std::vector<Verdict> verdicts;

  bool isFinding() const;
};

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

/// A folder on disk:
///   campaign.json    what decides about each case (schema assay.campaign/1)
///   steering.json    the coverage of an earlier campaign that steers this one, if one does
///   results.jsonl    a line a finished case, in the order they ended; only ever appended to
///   inflight/        the cases that are being run
///   findings/ID/     case.amber, verdicts.json of each case that somebody has to look at, and
///                    transform.jsonl, the log of its steps, where it is a transformed one
///   journal/         times and new features of each batch; nothing else depends on it (Journal.h)
///   result.json      all results in order of their numbers, as `assay report` and `triage` read
///   them
class CampaignFolder {
public:
  /// Opens \p path, or makes it for \p options. InvalidInput where it holds another campaign;
  /// Environment. A last line that is not whole (of a process that was killed) is cut off.
  static llvm::Expected<CampaignFolder> open(std::string path, const CampaignOptions &options);
  /// As open, for the campaign of \p other.
  static llvm::Expected<CampaignFolder> openAs(std::string path, const CampaignFolder &other);
  /// Reads one that there is.
  static llvm::Expected<CampaignFolder> read(std::string path);

  llvm::StringRef options() const { return m_options; } ///< The text of campaign.json.
  uint64_t caseCount() const { return m_caseCount; }    ///< Of the whole campaign.
  bool has(uint64_t number) const { return m_results.contains(number); }
  const std::map<uint64_t, CampaignResult> &results() const { return m_results; }
  /// Appends \p results durably; the cases of those that are findings are written before, and the
  /// others not looked at.
  llvm::Error add(std::vector<CampaignResult> results, llvm::ArrayRef<CampaignCase> cases);
  /// Takes what \p other has; InvalidInput where it is another campaign, or a case has two results.
  llvm::Error merge(const CampaignFolder &other);
  /// Writes result.json.
  llvm::Error finish() const;
  const std::string &path() const { return m_path; }
  std::string inflight() const { return m_path + "/inflight"; }

private:
  static llvm::Expected<CampaignFolder> openWith(std::string path, std::string options,
                                                 llvm::StringRef steering);
  llvm::Error readOptions(std::string text);
  llvm::Error load(bool cutsHalfLine);

  std::string m_path;
  std::string m_options;
  uint64_t m_caseCount = 0;
  std::map<uint64_t, CampaignResult> m_results;
};

/// campaign.json of \p options.
std::string printCampaignOptions(const CampaignOptions &options);

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

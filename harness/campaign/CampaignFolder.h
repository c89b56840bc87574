// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A campaign on disk: what it is, its results, the cases that somebody has to look at.
#pragma once

#include "harness/campaign/Campaign.h"
#include "harness/campaign/CampaignJson.h"

namespace assay {

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
/// One that was opened is locked as long as it lives; reading needs no lock.
class CampaignFolder {
public:
  /// Opens \p path, or makes it for \p options, and locks it. InvalidInput where it holds another
  /// campaign, results of nobody knows what, or what is none of the campaign's, and where another
  /// process has it open; Environment. A last line that is not whole (of a process that was killed)
  /// is cut off; a steering.json that got lost is written again.
  static llvm::Expected<CampaignFolder> open(std::string path, const CampaignOptions &options);
  /// As open, for the campaign of \p other.
  static llvm::Expected<CampaignFolder> openAs(std::string path, const CampaignFolder &other);
  /// Reads one that there is. InvalidInput for results that are none of its campaign.
  static llvm::Expected<CampaignFolder> read(std::string path);
  /// The same, but of its results none.
  static llvm::Expected<CampaignFolder> readWithoutResults(std::string path);

  llvm::StringRef options() const { return m_options; } ///< The text of campaign.json.
  const CampaignKey &key() const { return m_key; }
  uint64_t caseCount() const { return m_key.cases; } ///< Of the whole campaign.
  bool has(uint64_t number) const { return m_results.contains(number); }
  const std::map<uint64_t, CampaignResult> &results() const { return m_results; }
  /// Appends \p results durably; the cases of those that are findings are written before, and the
  /// others not looked at.
  llvm::Error add(std::vector<CampaignResult> results, llvm::ArrayRef<CampaignCase> cases);
  /// The case of a finding. InvalidInput where it got lost.
  llvm::Expected<CampaignCase> readFinding(const CampaignResult &result) const;
  /// The text of steering.json, which steers the campaign; empty: nothing does. InvalidInput where
  /// steering.json is missing, or is not what campaign.json says.
  llvm::Expected<std::string> readSteeringTable() const;
  /// All results in order of their numbers.
  Report report() const;
  /// Writes result.json.
  llvm::Error finish() const;
  /// Takes away everything that a campaign leaves; the folder too, where nothing else is in it.
  void removeAll() const;
  const std::string &path() const { return m_path; }
  std::string inflight() const { return fileOf("inflight"); }

private:
  static llvm::Expected<CampaignFolder> openWith(std::string path, std::string options,
                                                 llvm::StringRef steering);
  std::string fileOf(const llvm::Twine &name) const { return (m_path + "/" + name).str(); }
  llvm::Error readOptions(std::string text);
  llvm::Error lock();
  llvm::Error verifyIsOwn() const;
  llvm::Error removeHalfWritten() const;
  llvm::Error writeOptions(llvm::StringRef steering) const;
  llvm::Error load(bool cutsHalfLine);
  llvm::Error loadLine(llvm::StringRef line);
  llvm::Error verifyResult(const CampaignResult &result) const;

  std::string m_path;
  std::string m_options;
  CampaignKey m_key;
  std::map<uint64_t, CampaignResult> m_results;
  Descriptor m_lock;
};

} // namespace assay

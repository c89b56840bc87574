// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of a campaign as an input of triage: its verdicts, and what is known of its findings.
// What is known of a symptom is in the folder of its finding, findings/ID; where a finding shows
// several, the first has that folder and each other one a folder in it (listSymptoms()):
//
//   minimal/minimal.amber   what `assay minimize findings/ID --output findings/ID/minimal` left
//   minimal/transform.jsonl the steps that it left of a transformed case
//   facts.json              the guilty pass, the operation, who else shows it (assay.facts/1)
#pragma once

#include "reports/CampaignJournal.h"
#include "reports/Report.h"
#include "reports/triage/Compare.h"
#include <set>

namespace assay {

/// One symptom of a finding.
struct PlacedSymptom {
  Symptom symptom;
  std::string folder; ///< Of what is found out about it.
};
/// The symptoms that \p verdicts of a finding, whose folder is \p folder, show: a machine's before
/// those of the reference, which mostly follow from nothing else. The first has \p folder itself,
/// others "by-PRODUCER" in it, with "-2" for a second one of a producer. Points into \p verdicts.
std::vector<PlacedSymptom> listSymptoms(llvm::ArrayRef<Verdict> verdicts, llvm::StringRef folder);

struct Findings {
  Report report; ///< All verdicts; each case is called by the name of its result.
  FactsByCase facts;
  /// Of those symptoms that were minimized: operationsOf() the minimal case.
  std::map<FactsKey, std::set<std::string>> operations;
  std::map<std::string, std::string> folders; ///< Of each case that is a finding.
  std::string options;                        ///< The text of campaign.json.
  uint64_t caseCount = 0;                     ///< Of the whole campaign.
  std::vector<CampaignBatch> batches;         ///< Its journals.
};

/// InvalidInput where \p folder is none of a campaign, or a file in it is broken.
llvm::Expected<Findings> readFindings(const std::string &folder);

/// facts.json: {"schema":"assay.facts/1","pass":...,"features":[...],"transformations":[...],
/// "shown_by":[...]}, and back, except for the known bug, which is looked up each time.
/// InvalidInput for anything else.
std::string printFacts(const Facts &facts);
llvm::Expected<Facts> parseFacts(llvm::StringRef text);

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of a campaign as an input of triage: its verdicts, and what is known of its findings.
// In the folder of a finding, findings/ID:
//
//   minimal/minimal.amber   what `assay minimize findings/ID --output findings/ID/minimal` left
//   minimal/transform.jsonl the steps that it left of a transformed case
//   facts.json              the guilty pass and kinds of transformations left (assay.facts/1)
#pragma once

#include "reports/CampaignJournal.h"
#include "reports/Report.h"
#include "reports/triage/Compare.h"

namespace assay {

struct Findings {
  Report report; ///< All verdicts; each case is called by the name of its result.
  FactsByCase facts;
  std::map<std::string, std::string> folders; ///< Of each case that is a finding.
  std::string options;                        ///< The text of campaign.json.
  uint64_t caseCount = 0;                     ///< Of the whole campaign.
  std::vector<CampaignBatch> batches;         ///< Its journals.
};

/// InvalidInput where \p folder is none of a campaign, or a file in it is broken.
llvm::Expected<Findings> readFindings(const std::string &folder);

/// facts.json: {"schema":"assay.facts/1","pass":...,"features":[...],"transformations":[...]}, and
/// back. InvalidInput for anything else.
std::string printFacts(const Facts &facts);
llvm::Expected<Facts> parseFacts(llvm::StringRef text);

} // namespace assay

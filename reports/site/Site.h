// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pages of a report are about, apart from how they look: bugs, where they come from and
// what they are like; campaigns; changes of what the code costs.
#pragma once

#include "reports/CampaignJournal.h"
#include "reports/Report.h"
#include "reports/site/Material.h"
#include "reports/store/StoreReport.h"
#include "reports/triage/Compare.h"

namespace assay {

/// A campaign as its page shows it.
struct CampaignView {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
  uint64_t cases = 0; ///< Of the whole campaign, all shards; with results are those of `verdicts`.
  std::vector<Verdict> verdicts;      ///< Of all cases that have results.
  std::vector<CampaignBatch> batches; ///< By the time they ended.
};

/// A store with its log.
struct StoreContent {
  StoreView view;
  std::vector<Event> events; ///< Those that the view was made of.
};

/// Everything that pages can be made of; each part may be missing.
struct SiteInput {
  std::string title;
  Report report;                              ///< All verdicts of all results, of campaigns too.
  std::optional<Report> baseline;             ///< What to compare them with.
  FactsByCase facts;                          ///< Of cases of the report.
  std::map<std::string, std::string> folders; ///< Of cases of the report: those of their findings.
  std::optional<StoreContent> store;
  std::vector<CampaignView> campaigns;
};

/// A symptom in a night, or in the result.
struct Sighting {
  std::string night; ///< Empty in a result.
  CaseKey about;
  State state = State::Fail;
  std::string configurations, reason, rerun;
  std::string votes; ///< For being this bug; empty for the founder.
  int sum = 0;
};

/// Another bug whose symptom agrees with this one's in some aspects.
struct SimilarBug {
  size_t bug = 0; ///< Its place in Site::bugs.
  int sum = 0;
  std::string votes;
};

/// The lists of the index. A bug may be in several.
enum class BugList { Regressions, Fixes, Problems, Flaky };
constexpr unsigned bugListCount = 4;

/// A bug as its page shows it: a bucket of the store, or one of the result that the store does not
/// know.
struct Bug {
  std::string id, key, title; ///< Those of the bucket.
  State state = State::Fail;
  std::string status; ///< Its life in the store, or what became of it since the baseline.
  std::string why;    ///< A sentence more on the status; may be empty.
  bool isIn[bugListCount] = {};
  std::string firstSeen, lastSeen; ///< Nights; empty without a store.
  std::string previous, link;      ///< Of the store: the bug it is a return of, an issue.
  std::vector<uint64_t> trend;     ///< Symptoms in each night of the store.
  std::vector<Sighting> sightings; ///< The latest first.
  std::vector<StoredTransition> transitions;
  Facts facts;                           ///< What minimizing and localizing found out.
  std::optional<Symptom> symptom;        ///< What other bugs are compared with.
  std::vector<const Verdict *> verdicts; ///< Of the latest sighting.
  std::vector<SimilarBug> similar;       ///< The most alike first.
  Material material;                     ///< Of the finding with most material.

  std::string page() const { return "bugs/" + id + ".html"; }
};

/// What kept verdicts from being one, with how often and where.
struct UnsupportedGroup {
  std::string reason, configurations; ///< The latter as "compiler machine" names.
  std::string example;                ///< A case.
  uint64_t verdicts = 0, cases = 0;
};

/// Owns what its parts point into.
struct Site {
  SiteInput input;
  std::vector<Bug> bugs;
  std::vector<UnsupportedGroup> unsupported; ///< The most frequent first.
  std::map<const Verdict *, size_t> bugOf;   ///< Of the bad and flaky verdicts of the report.
};

/// Reads the folders of findings that \p input names. InvalidInput and Environment by readMaterial.
llvm::Expected<std::unique_ptr<Site>> makeSite(SiteInput input);

/// Writes DIR/index.html and all other pages, style sheet and script; nothing else in \p folder is
/// touched. Environment.
llvm::Error writeSite(llvm::StringRef folder, const Site &site);

} // namespace assay

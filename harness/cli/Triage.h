// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of assay triage, a file each: what it sorts, the store, bisection over revisions.
#pragma once

#include "harness/cli/KnownBugs.h"
#include "harness/triage/Findings.h"
#include "harness/triage/Triage.h"
#include "reports/store/History.h"
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): CLI11's own name.
class App;
} // namespace CLI

namespace assay {

/// How the findings of a campaign are minimized and localized before they are sorted.
struct InvestigationOptions {
  bool isAsIs = false; ///< They are not.
  unsigned jobs = 0;   ///< 0: as many as there are cores.
  double maxSeconds = 0, maxSecondsOfFinding = 300;
  uint64_t memoryMib = 4096; ///< Of each process.
  bool quiet = false;
};
/// Adds --as-is, and limits that exclude it.
void addInvestigationOptions(CLI::App &verb, InvestigationOptions &options);

/// Options that name a store and what to do with it.
struct StoreOptions {
  std::string folder; ///< Created if it is missing.
  /// Name and revision under which the result is recorded; an empty name becomes that of the input.
  std::string night, revision;
  std::string bucket, life;        ///< --set.
  std::string reason, link, actor; ///< Of --set: why; an issue or another bucket; who, else $USER.
  /// Milliseconds since 1970. 0: the clock's.
  uint64_t timeMs = 0;
  StoreRules rules;
  bool isList = false, isRebuild = false;
};
/// Adds --store and the options that need it.
void addStoreOptions(CLI::App &verb, StoreOptions &options);

/// Options of a search for the revision that began it.
struct BisectOptions {
  std::string command, good, bad, revisions, repository = ".";
  /// A revision is bad if so many of at most so many runs are.
  unsigned needed = 1, runs = 1;
  double timeoutSeconds = 0; ///< Of one run; 0: none.
};
/// Adds --bisect-cmd and the options that need it.
void addBisectOptions(CLI::App &verb, BisectOptions &options);

/// The options of all parts. The command line excludes mixtures that no part would look at.
struct TriageOptions {
  std::string input;              ///< A result as JSON, or the folder of a campaign.
  std::vector<std::string> known; ///< Earlier results.
  std::string baseline, expect, today;
  std::string format = "text";
  std::string output;
  StoreOptions store;
  BisectOptions bisect;
  InvestigationOptions investigation;
  KnownBugsChoice bugs;
};

/// Minimizes and localizes what of the campaign in \p folder is not yet, and says on stderr how far
/// that is. What one of \p bugs recognizes as it is stays so. 0, or the exit code of an error.
int investigateCampaign(const std::string &folder, const InvestigationOptions &options,
                        llvm::ArrayRef<KnownBug> bugs, const std::string &program);

/// The action of each part: prints, and returns the exit code.
int runStore(const TriageOptions &options);
/// Records the verdicts and facts of \p now and prints what is new in the store. Findings if
/// anything is.
int recordInStore(const TriageOptions &options, const Findings &now);
/// Runs the command for revisions between a good and a bad one, with a line on stderr for each.
int runBisect(const TriageOptions &options);

/// Prints text or JSON, as the options say, and returns \p code, or 3 where it can't be written.
int printTriage(const TriageOptions &options, llvm::function_ref<void(llvm::raw_ostream &)> text,
                llvm::function_ref<void(llvm::raw_ostream &)> json, int code);

} // namespace assay

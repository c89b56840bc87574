// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many planted faults the laboratory catches: for each fault, cases are judged with it planted
// until some oracle objects that is silent without it.
#pragma once

#include "harness/run/Diff.h"
#include "harness/run/FatPointerJobs.h"
#include "support/Fault.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace assay {

/// What runScore() plants, on which cases, and for how long.
struct ScoreOptions {
  DiffOptions diff;                ///< Targets and levels; its plants are not looked at.
  std::vector<std::string> faults; ///< Names; empty: all that a case can show.
  /// Cases to which some oracle must object: undefined behaviour. A fault that silences it is
  /// caught by that.
  std::vector<CaseFile> controls;
  /// Modules of LLVM IR for check-fat-pointers: for faults of that layer that no case shows.
  std::vector<FatPointerInput> modules;
  double maxSeconds = 0; ///< No round begins after; 0: no limit.
  unsigned maxRuns = 48; ///< Of cases, for one fault.
  unsigned findings = 1; ///< To be collected for each fault.
  std::string
      findingsFolder; ///< A campaign's folder (CampaignFolder) to be made of them; or empty.
};

/// What became of one fault.
struct FaultScore {
  const FaultInfo *fault = nullptr;
  /// Those that report the case below; "control": none does, and one should. None: the
  /// fault was not caught. Each would have caught it alone.
  std::vector<std::string> oracles;
  std::string rule; ///< Of the first of these.
  std::string
      caseId; ///< The first that caught it - or FILE:FUNCTION of IR -, and its configuration.
  std::string target;
  int optLevel = -1; ///< -1: does not apply.
  std::string rerun;
  size_t reaching = 0;   ///< Cases whose clean run comes to where the fault is.
  unsigned runs = 0;     ///< Cases that were run with it.
  unsigned findings = 0; ///< That were collected.
  double seconds = 0;    ///< Of the workers that ran them.

  bool isCaught() const { return !oracles.empty(); }
};

/// What became of all faults.
struct Score {
  std::vector<FaultScore> faults;          ///< In the order of the catalogue.
  size_t cases = 0;                        ///< Controls included.
  std::vector<std::string> configurations; ///< "gfx1100 -O2".
  std::vector<Verdict> noisy;              ///< Bad without any fault: no catch.
  double seconds = 0;                      ///< Of all.
  bool wasCut = false;                     ///< By maxSeconds.

  /// Faults that at least one oracle caught.
  size_t countCaught() const;
  /// How many faults each oracle alone catches; most first.
  std::vector<std::pair<std::string, size_t>> countByOracle() const;
};

/// Scores on \p cases. Each is run without faults first, on one configuration, to see whether it is
/// silent and which faults it reaches; those that reach a fault are tried for it, cheapest first,
/// on one configuration after the other. \p progress: faults settled, of how many. Errors: as of
/// runDiff(), and InvalidInput for a fault that does not exist.
llvm::Expected<Score> runScore(llvm::ArrayRef<CaseFile> cases, const ScoreOptions &options,
                               const PoolOptions &pool,
                               llvm::function_ref<void(size_t done, size_t total)> progress);

/// A table for people, with the sums below.
std::string printScoreText(const Score &score);
/// The same as a page of documentation.
std::string printScoreMarkdown(const Score &score);
/// Schema assay.score/1.
std::string printScoreJson(const Score &score);

} // namespace assay

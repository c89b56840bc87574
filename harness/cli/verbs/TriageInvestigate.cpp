// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay triage DIR: the findings of a campaign are minimized and localized first.
#include "harness/cli/Cli.h"
#include "harness/cli/Progress.h"
#include "harness/cli/Triage.h"
#include "harness/investigate/Investigate.h"
#include "harness/triage/Recognize.h"
#include "support/Error.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Prints problems, a line each, then one line of counts, to stderr.
static void printSummary(const InvestigateSummary &summary) {
  for (const std::string &problem : summary.problems)
    errs() << "assay: triage: " << problem << "\n";
  errs() << "assay: triage: " << summary.symptoms << " symptoms, " << summary.earlier + summary.now
         << " investigated, " << summary.now << " of them now";
  if (summary.known)
    errs() << "; " << summary.known << " left, known bugs";
  if (summary.alike)
    errs() << "; " << summary.alike << " left, like others";
  if (summary.pending)
    errs() << "; " << summary.pending << " left for want of time, the same command continues";
  errs() << "\n";
}

/// Minimizes and localizes the findings of a campaign in its folder. Findings of known bugs are
/// left alone. Limits end the work early; the same command continues it.
int assay::investigateCampaign(const std::string &folder, const InvestigationOptions &options,
                               ArrayRef<KnownBug> bugs, const std::string &program) {
  InvestigateOptions how;
  how.program = program;
  how.jobs = options.jobs ? options.jobs : hardware_concurrency().compute_thread_count();
  how.maxSeconds = options.maxSeconds;
  how.maxSecondsOfFinding = options.maxSecondsOfFinding;
  how.memoryBytes = options.memoryMib << 20;
  how.isKnown = [&](const Symptom &symptom) { return !recognize(bugs, symptom, nullptr).empty(); };
  Expected<InvestigateSummary> summary = [&] {
    Progress progress("triage", options.quiet);
    how.progress = [&](size_t done, size_t total) { progress.update(done, total); };
    return investigate(folder, how);
  }();
  if (!summary)
    return failUsage(summary.takeError());
  if (!options.quiet && summary->symptoms)
    printSummary(*summary);
  return ExitGood;
}

/// Limits on time and memory do not go with --as-is.
void assay::addInvestigationOptions(CLI::App &verb, InvestigationOptions &options) {
  CLI::Option *asIs = verb.add_flag("--as-is", options.isAsIs,
                                    "Sort the findings of a campaign without minimizing them");
  verb.add_option("--max-total-time", options.maxSeconds,
                  "Seconds of minimizing and localizing; the same command continues")
      ->check(secondsBetween(0, 1e9))
      ->excludes(asIs);
  verb.add_option("--max-finding-time", options.maxSecondsOfFinding,
                  "Seconds of minimizing one finding, whose best case is localized then")
      ->check(secondsBetween(0, 1e9))
      ->capture_default_str()
      ->excludes(asIs);
  verb.add_option("--jobs,-j", options.jobs, "Findings at one time (default: one for each core)")
      ->check(wholeNumber(1))
      ->excludes(asIs);
  verb.add_option("--memory-limit", options.memoryMib, "MiB of each process")
      ->check(wholeNumber(leastMemoryMib))
      ->capture_default_str()
      ->excludes(asIs);
  verb.add_flag("--quiet", options.quiet, "No progress");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay triage --bisect-cmd: the revision that began it.
#include "harness/bisect/Bisect.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Triage.h"
#include "support/Error.h"
#include "support/File.h"
#include <CLI/CLI.hpp>
#include <cmath>

using namespace llvm;
using namespace assay;

/// Returns the revisions from the good to the bad one, oldest first, of the file that --revisions
/// names or else of git's first parents.
static Expected<std::vector<std::string>> findRevisions(const BisectOptions &options) {
  if (options.revisions.empty())
    return listRevisions(options.repository, options.good, options.bad);
  Expected<std::string> text = readFileText(options.revisions);
  if (!text)
    return text.takeError();
  return cutRevisions(*text, options.good, options.bad);
}

/// Runs the command for revisions until one is found. A usage error where the command lacks {rev}
/// or the revisions cannot be listed. Each step is written to the standard error. A time limit is
/// rounded up to whole seconds.
int assay::runBisect(const TriageOptions &options) {
  const BisectOptions &what = options.bisect;
  if (!StringRef(what.command).contains("{rev}"))
    return fail(ExitUsage, "--bisect-cmd: the command lacks {rev}");
  Expected<std::vector<std::string>> revisions = findRevisions(what);
  if (!revisions)
    return failUsage(revisions.takeError());
  auto timeout = static_cast<unsigned>(std::ceil(what.timeoutSeconds));
  Expected<BisectResult> result = bisectRevisions(
      *revisions, {what.needed, what.runs},
      [&](StringRef revision) { return runRevision(what.command, revision, timeout); },
      [](const RevisionStep &step) { writeBisectStep(errs(), step); });
  if (!result)
    return fail(result.takeError());
  return printTriage(
      options, [&](raw_ostream &os) { writeBisectText(os, *result); },
      [&](raw_ostream &os) { writeBisectJson(os, *result); }, ExitGood);
}

/// Command, good and bad revision need each other; all further options need the command.
void assay::addBisectOptions(CLI::App &verb, BisectOptions &options) {
  CLI::Option *command = verb.add_option(
      "--bisect-cmd", options.command,
      "Find the revision with which this shell command begins to fail; {rev} is the revision; "
      "exit code 125: it can't be tested");
  CLI::Option *good = verb.add_option("--good", options.good, "A revision that is good");
  CLI::Option *bad = verb.add_option("--bad", options.bad, "A later one that is bad");
  command->needs(good)->needs(bad);
  good->needs(command);
  bad->needs(command);
  verb.add_option("--revisions", options.revisions,
                  "A file of revisions, oldest first, a line each (else git's first parents)")
      ->needs(command);
  verb.add_option("--repository", options.repository, "Where git is asked")
      ->needs(command)
      ->capture_default_str();
  verb.add_option("--runs", options.runs, "Of the command for each revision, at most")
      ->needs(command)
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb.add_option("--needed", options.needed, "Bad ones among them that make a revision bad")
      ->needs(command)
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb.add_option("--bisect-timeout", options.timeoutSeconds,
                  "Seconds after which a revision can't be tested (0: none)")
      ->needs(command)
      ->check(secondsBetween(0, 1e6))
      ->capture_default_str();
}

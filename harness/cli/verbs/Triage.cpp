// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay triage: the bad verdicts of a result as buckets - new, known, expected; two results side by
// side; the store; bisection.
#include "harness/cli/Triage.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Known.h"
#include "harness/cli/OutputFile.h"
#include "harness/cli/Results.h"
#include "harness/triage/Findings.h"
#include "harness/triage/Recognize.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Writes the one or the other form to the chosen output. Returns \p code, or the exit code of a
/// failed write. \p options decides on the form and the output.
int assay::printTriage(const TriageOptions &options, function_ref<void(raw_ostream &)> text,
                       function_ref<void(raw_ostream &)> json, int code) {
  std::string result;
  raw_string_ostream os(result);
  (options.format == "json" ? json : text)(os);
  if (int problem = printText(result, options.output))
    return problem;
  return code;
}

/// Returns the exit code of the verdicts that are not bad, or that of a tool error if there is one.
/// A tool error counts even where it is known.
static int codeOfRest(const Report &now) {
  Report rest;
  for (const Verdict &verdict : now.verdicts)
    if (!isBad(verdict.state) || verdict.state == State::ToolError)
      rest.verdicts.push_back(verdict);
  return exitCodeFor(rest);
}

/// Returns the exit code of a sorted result: findings for new buckets and for expected failures
/// that pass now, known-only if all buckets are known. A tool failure goes before both. \p expected
/// is null without --expect.
static int exitCode(const Triage &result, const Report &now, const ExpectationResult *expected) {
  int code = codeOfRest(now);
  if (code == ExitToolFailure)
    return code;
  if (result.hasNew() || (expected && !expected->passes.empty()))
    return ExitFindings;
  return result.buckets.empty() ? code : ExitKnownOnly;
}

/// Reads a JSON result, which has no facts and no folders.
static Expected<Findings> readResultOnly(const std::string &path) {
  Expected<Report> report = readResult(path);
  if (!report)
    return report.takeError();
  Findings findings;
  findings.report = std::move(*report);
  return std::move(findings);
}

/// Reads a JSON result, or the folder of a campaign with the facts of its findings. Findings of
/// known \p bugs get the name of their bug.
static Expected<Findings> readInput(const std::string &path, ArrayRef<KnownBug> bugs) {
  Expected<Findings> findings =
      sys::fs::is_directory(path) ? readFindings(path) : readResultOnly(path);
  if (findings)
    labelFindings(bugs, *findings);
  return findings;
}

/// Prints the changes from --baseline to \p input. Findings for new and changed ones.
static int compareWith(const TriageOptions &options, ArrayRef<KnownBug> bugs,
                       const Findings &input) {
  Expected<Findings> before = readInput(options.baseline, bugs);
  if (!before)
    return failResult(options.baseline, before.takeError());
  const Report &now = input.report;
  // Cases of both are one case: what is known of it now is known of it then.
  FactsByCase facts = input.facts;
  facts.insert(before->facts.begin(), before->facts.end());
  Comparison comparison = compareResults(before->report.verdicts, now.verdicts, facts);
  int code = codeOfRest(now);
  if (code != ExitToolFailure) {
    bool isNews = comparison.count(Change::New) || comparison.count(Change::Changed);
    bool isBadStill = comparison.count(Change::Still) || comparison.count(Change::Noise);
    code = isNews ? ExitFindings : isBadStill ? ExitKnownOnly : code;
  }
  return printTriage(
      options, [&](raw_ostream &os) { writeComparisonText(os, comparison); },
      [&](raw_ostream &os) { writeComparisonJson(os, comparison, now); }, code);
}

/// Prints the buckets of \p input. Those that are in an earlier result of --known are known.
static int sortResult(const TriageOptions &options, ArrayRef<KnownBug> bugs,
                      const Findings &input) {
  const Report &now = input.report;
  FactsByCase facts = input.facts;
  std::vector<Report> earlier;
  for (const std::string &path : options.known) {
    Expected<Findings> known = readInput(path, bugs);
    if (!known)
      return failResult(path, known.takeError());
    earlier.push_back(std::move(known->report));
    facts.insert(known->facts.begin(), known->facts.end());
  }
  Triage result = triage(now, earlier, facts);
  std::vector<ExpectedVerdict> rules;
  std::optional<ExpectationResult> expected;
  if (!options.expect.empty()) {
    Expected<std::vector<ExpectedVerdict>> read = readExpectations(options.expect);
    if (!read)
      return failUsage(read.takeError());
    rules = std::move(*read);
    expected =
        applyExpectations(rules, now.verdicts, options.today.empty() ? todayUtc() : options.today);
    markExpected(result, *expected);
  }
  const ExpectationResult *shown = expected ? &*expected : nullptr;
  auto text = [&](raw_ostream &os) {
    writeTriageText(os, result);
    if (shown)
      writeExpectationsText(os, *shown);
  };
  return printTriage(
      options, text, [&](raw_ostream &os) { writeTriageJson(os, result, now, shown); },
      exitCode(result, now, shown));
}

/// Selects the part of the verb: bisection, the store, comparison, or sorting. A campaign is
/// investigated first, unless --as-is says otherwise.
static int runTriageVerb(const TriageOptions &options, const std::string &program) {
  if (!options.today.empty() && !isDate(options.today))
    return fail(ExitUsage, "--today: '" + options.today + "' is no date as YYYY-MM-DD");
  if (!options.bisect.command.empty())
    return runBisect(options);
  if (options.input.empty())
    return options.store.folder.empty() ? fail(ExitUsage, "a result, or --store, is needed")
                                        : runStore(options);
  Expected<std::vector<KnownBug>> bugs = readKnownBugs(options.bugs);
  if (!bugs)
    return failUsage(bugs.takeError());
  if (sys::fs::is_directory(options.input) && !options.investigation.isAsIs)
    if (int code = investigateCampaign(options.input, options.investigation, *bugs, program))
      return code;
  Expected<Findings> now = readInput(options.input, *bugs);
  if (!now)
    return failResult(options.input, now.takeError());
  if (!options.store.folder.empty())
    return recordInStore(options, *now);
  return options.baseline.empty() ? sortResult(options, *bugs, *now)
                                  : compareWith(options, *bugs, *now);
}

/// Makes options that one part of the verb would ignore exclude the option that selects this part.
static void refuseMixtures(CLI::App &verb) {
  static constexpr struct {
    const char *part;
    std::initializer_list<const char *> others;
  } rows[] = {
      {"--baseline", {"--known", "--expect"}},
      {"--store", {"--known", "--baseline", "--expect"}},
      {"input", {"--list", "--set", "--rebuild"}},
      {"--bisect-cmd", {"input", "--known", "--baseline", "--expect", "--store"}},
  };
  for (const auto &[part, others] : rows)
    for (const char *other : others)
      verb.get_option(part)->excludes(verb.get_option(other));
}

/// Adds all forms of the verb and refuses mixtures of them.
void assay::addTriage(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<TriageOptions>();
  CLI::App *verb = app.add_subcommand("triage", "Sort a result's problems: new, known, gone");
  verb->add_option("input", options->input,
                   "A result of --format json, or the folder of a campaign");
  verb->add_option("--known", options->known, "An earlier result (repeatable)")
      ->allow_extra_args(false);
  verb->add_option("--baseline", options->baseline,
                   "The result to compare with: new, changed, fixed, still there, noise");
  CLI::Option *expect =
      verb->add_option("--expect", options->expect, "A list of what is known to be wrong");
  verb->add_option("--today", options->today, "The day for --expect (YYYY-MM-DD), not the clock's")
      ->needs(expect);
  addStoreOptions(*verb, options->store);
  addBisectOptions(*verb, options->bisect);
  refuseMixtures(*verb);
  verb->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  addOutputFile(*verb, "--output", options->output, "Write to this file, not to stdout");
  addInvestigationOptions(*verb, options->investigation);
  addKnownBugs(*verb, options->bugs);
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] {
      return runTriageVerb(*options, invocation.program);
    };
  });
}

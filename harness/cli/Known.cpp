// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/Known.h"

#include "harness/cli/InputFiles.h"
#include "reports/Escape.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

void assay::addKnownOptions(CLI::App &verb, KnownOptions &options) {
  verb.add_option("--known", options.file,
                  "What is known to be wrong, a line each as of triage --expect: it is reported as "
                  "known and does not change the exit code; lines that excuse nothing are named");
  verb.add_option("--today", options.today,
                  "The day for the dates in --known, as YYYY-MM-DD (default: the clock's, UTC)")
      ->check([](const std::string &day) {
        return isDate(day) ? "" : "'" + day + "' is no date as YYYY-MM-DD";
      });
  verb.add_option("--fail-on", options.failOn,
                  "Exit with 1 also for this: unsupported (a verdict that is not known), stale (a "
                  "line of --known that excuses nothing); repeatable")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"unsupported", "stale"}));
}

Expected<std::vector<ExpectedVerdict>> assay::readExpectations(const std::string &path) {
  if (Error error = verifyInputFile(path))
    return std::move(error);
  Expected<std::string> text = readFileText(path);
  if (!text)
    return text.takeError();
  Expected<std::vector<ExpectedVerdict>> rules = parseExpectations(*text);
  if (!rules)
    return addContext(rules.takeError(), path);
  return rules;
}

Error assay::readKnown(KnownOptions &options) {
  if (options.file.empty())
    return is_contained(options.failOn, "stale")
               ? invalidInput("--fail-on stale is about the lines of --known, which is not given")
               : Error::success();
  return readExpectations(options.file).moveInto(options.rules);
}

/// "line N", followed by the link where the line has one.
static std::string describeLine(const ExpectedVerdict &rule) {
  return "line " + std::to_string(rule.line) + (rule.link.empty() ? "" : " " + rule.link);
}

int assay::printJudged(Report report, const OutputOptions &output, const KnownOptions &known) {
  OutputOptions judged = output;
  judged.failsOnUnsupported = is_contained(known.failOn, "unsupported");
  // Whether or not they fail the run: the owner of a suite knows of them, too.
  ExpectationResult result = applyExpectations(known.rules, report.verdicts,
                                               known.today.empty() ? todayUtc() : known.today,
                                               /*countsUnsupported=*/true);
  for (auto [verdict, rule] : zip_equal(result.expected, result.rules))
    report.known[static_cast<size_t>(verdict - report.verdicts.data())] = describeLine(*rule);
  const struct {
    StringRef what;
    ArrayRef<const ExpectedVerdict *> rules;
  } lists[] = {{"no longer matches anything that fails", result.passes},
               {"expired on ", result.expired},
               {"matches nothing that was run", result.unused}};
  std::string notes;
  for (const auto &[what, rules] : lists)
    for (const ExpectedVerdict *rule : rules)
      notes += "assay: " + known.file + ": " + describeLine(*rule) + " '" + rule->pattern + "' " +
               what.str() + (what.ends_with(" ") ? rule->until : "") + "\n";
  bool isStale = !result.passes.empty() || !result.expired.empty() || !result.unused.empty();
  int code = printReport(std::move(report), judged);
  errs() << notes;
  bool isGood = code == ExitGood || code == ExitKnownOnly || code == ExitUnsupported;
  return isGood && isStale && is_contained(known.failOn, "stale") ? ExitFindings : code;
}

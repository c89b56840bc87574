// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay triage: the bad verdicts of a result as buckets, new ones apart from known.
#include "reports/Triage.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Results.h"
#include "support/Error.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
struct TriageVerb {
  std::string input;
  std::vector<std::string> known;
  std::string format = "text";
  std::string output;
};
} // namespace

// Known problems are no news; what the tool itself could not do is, whoever knows it.
static int exitCode(const Triage &result, const Report &now) {
  Report rest;
  for (const Verdict &verdict : now.verdicts)
    if (!isBad(verdict.state) || verdict.state == State::ToolError)
      rest.verdicts.push_back(verdict);
  int code = exitCodeFor(rest);
  if (code == ExitToolFailure)
    return code;
  if (result.hasNew())
    return ExitFindings;
  return result.buckets.empty() ? code : ExitKnownOnly;
}

static int runVerb(const TriageVerb &verb) {
  Expected<Report> now = readResult(verb.input);
  if (!now)
    return failResult(verb.input, now.takeError());
  std::vector<Report> earlier;
  for (const std::string &path : verb.known) {
    Expected<Report> report = readResult(path);
    if (!report)
      return failResult(path, report.takeError());
    earlier.push_back(std::move(*report));
  }
  Triage result = triage(*now, earlier);
  std::string text;
  raw_string_ostream os(text);
  if (verb.format == "json")
    writeTriageJson(os, result, *now);
  else
    writeTriageText(os, result);
  if (int code = printText(text, verb.output))
    return code;
  return exitCode(result, *now);
}

void assay::addTriage(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<TriageVerb>();
  CLI::App *verb = app.add_subcommand("triage", "Sort a result's problems: new, known, gone");
  verb->add_option("input", options->input, "A result of --format json")->required();
  verb->add_option("--known", options->known, "An earlier result (repeatable)")
      ->allow_extra_args(false);
  verb->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  verb->add_option("--output", options->output, "Write to this file, not to stdout");
  verb->callback(
      [options, &invocation] { invocation.action = [options] { return runVerb(*options); }; });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay report: JSON results of other verbs as any format.
#include "reports/Report.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Results.h"
#include "support/Error.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
struct ReportVerb {
  std::vector<std::string> inputs;
  std::string baseline;
  OutputOptions output;
};
} // namespace

static int runVerb(const ReportVerb &verb) {
  if (!verb.baseline.empty() && verb.output.format != "sarif")
    return fail(ExitUsage, "--baseline is only for --format sarif");
  Report all;
  for (const std::string &input : verb.inputs) {
    Expected<Report> report = readResult(input);
    if (!report)
      return failResult(input, report.takeError());
    if (all.verb.empty())
      all.options = report->options;
    all.verb = all.verb.empty() || all.verb == report->verb ? report->verb : "report";
    all.sources.insert(report->sources.begin(), report->sources.end());
    all.verdicts.insert(all.verdicts.end(), report->verdicts.begin(), report->verdicts.end());
  }
  if (!verb.baseline.empty()) {
    Expected<Report> before = readResult(verb.baseline);
    if (!before)
      return failResult(verb.baseline, before.takeError());
    all.baseline = std::move(before->verdicts);
  }
  return printReport(std::move(all), verb.output);
}

void assay::addReport(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<ReportVerb>();
  CLI::App *verb = app.add_subcommand("report", "Print JSON results in another format");
  verb->add_option("inputs", options->inputs, "Results of --format json")->required();
  verb->add_option("--baseline", options->baseline,
                   "The result to compare with: SARIF's baselineState (only for --format sarif)");
  addOutputOptions(*verb, options->output);
  verb->callback(
      [options, &invocation] { invocation.action = [options] { return runVerb(*options); }; });
}

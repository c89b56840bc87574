// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay report: results, campaigns and a store in any format; pages for a browser.
#include "reports/Report.h"
#include "harness/bugs/UpstreamReport.h"
#include "harness/cli/Cli.h"
#include "harness/cli/ReportInputs.h"
#include "harness/cli/Results.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. With \p upstream the inputs are ids of bugs.
struct ReportVerb {
  std::vector<std::string> inputs;
  std::string baseline, title;
  std::string upstream;      ///< A project, to whose tracker bugs are reported.
  std::string bugs = "bugs"; ///< Folder of bugs.
  OutputOptions output;
};
} // namespace

/// Returns the folder for pages, or an empty text for none: the one of --html, or with --format
/// html an --output that is a folder. It is one if it exists as a folder or ends with a slash, or
/// if the inputs are more than one file can show.
static std::string findPagesFolder(const ReportVerb &verb, const SiteInput &input) {
  const OutputOptions &output = verb.output;
  if (!output.htmlFolder.empty())
    return output.htmlFolder;
  bool isFolder = StringRef(output.output).ends_with("/") || sys::fs::is_directory(output.output) ||
                  input.store || !input.campaigns.empty();
  return output.format == "html" && isFolder ? output.output : "";
}

/// Prints an issue for each bug that the inputs name, separated by lines of hyphens. Usage error
/// for an unknown bug and for a bug of another project.
static int reportUpstream(const ReportVerb &verb) {
  std::string text;
  for (const std::string &id : verb.inputs) {
    if (!sys::fs::is_directory(verb.bugs + "/" + id))
      return fail(ExitUsage, "bug '" + id + "': " + verb.bugs + " has no folder of this name");
    Expected<KnownBug> bug = readBug(verb.bugs + "/" + id);
    if (!bug)
      return failUsage(bug.takeError());
    Expected<std::string> report = makeUpstreamReport(*bug, verb.upstream);
    if (!report)
      return failUsage(report.takeError());
    text += (text.empty() ? "" : "\n---\n\n") + *report;
  }
  return printText(text, verb.output.output);
}

/// Prints the report, writes pages, or both. The exit code is that of the verdicts, unless writing
/// fails. A store has pages only.
static int runReportVerb(const ReportVerb &verb) {
  if (!verb.upstream.empty())
    return reportUpstream(verb);
  SiteInput input;
  input.title = verb.title;
  for (const std::string &path : verb.inputs)
    if (Error error = addReportInput(path, input))
      return failResult(path, std::move(error));
  OutputOptions output = verb.output;
  std::string folder = findPagesFolder(verb, input);
  bool isPagesOnly = output.format == "html" && output.htmlFolder.empty() && !folder.empty();
  if (output.format == "html" && output.output.empty() && (input.store || !input.campaigns.empty()))
    return fail(ExitUsage, "--format html of a campaign or a store needs --output DIR");
  if (input.store && !isPagesOnly && folder.empty())
    return fail(ExitUsage, "a store is only for --format html --output DIR and for --html DIR");
  if (!verb.baseline.empty()) {
    if (folder.empty() && output.format != "sarif" && output.format != "markdown")
      return fail(ExitUsage,
                  "--baseline is only for --format sarif, markdown and for a folder of pages");
    SiteInput before;
    if (Error error = addReportInput(verb.baseline, before))
      return failResult(verb.baseline, std::move(error));
    input.baseline = std::move(before.report);
    input.report.baseline = input.baseline->verdicts;
  }
  output.htmlFolder.clear();
  int code = exitCodeFor(input.report);
  if (!isPagesOnly)
    if (code = printReport(input.report, output); code == ExitToolFailure)
      return code;
  if (!folder.empty())
    if (int problem = printSite(std::move(input), folder))
      return problem;
  return code;
}

void assay::addReport(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<ReportVerb>();
  CLI::App *verb = app.add_subcommand("report", "Print results in another format, or as pages");
  verb->add_option("inputs", options->inputs,
                   "Results of --format json, folders of campaigns, a store; with --upstream ids "
                   "of bugs")
      ->required();
  verb->add_option("--baseline", options->baseline,
                   "What to compare with: regressions, fixes and code quality in pages; SARIF's "
                   "baselineState; Markdown's changes");
  verb->add_option("--title", options->title, "Of the pages");
  verb->add_option("--upstream", options->upstream,
                   "Print bugs in the form of this project's tracker: llvm, mesa, spirv-tools, "
                   "glslang")
      ->check(CLI::IsMember({"llvm", "mesa", "spirv-tools", "glslang"}));
  verb->add_option("--bugs", options->bugs,
                   "With --upstream: folder that has a folder for each bug")
      ->capture_default_str();
  addOutputOptions(*verb, options->output);
  verb->callback([options, &invocation] {
    invocation.action = [options] { return runReportVerb(*options); };
  });
}

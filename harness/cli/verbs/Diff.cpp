// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay diff: the main job.
#include "harness/cli/Cli.h"
#include "harness/cli/DiffChoices.h"
#include "harness/cli/Known.h"
#include "harness/cli/Progress.h"
#include "support/Error.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. With \p timings the result depends on the run.
struct DiffVerb {
  std::vector<std::string> inputs;
  DiffChoices choices;
  JobOptions job;
  OutputOptions output;
  KnownOptions known;
  bool timings = false;
};
} // namespace

/// Runs all cases and prints the report. Command and versions are in the report always; they are
/// printed only with --timings, because results must not depend on the time of the run.
static int runDiffVerb(DiffVerb &verb, const Invocation &invocation) {
  auto begin = std::chrono::steady_clock::now();
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return failUsage(options.takeError());
  if (Error error = applyDiffChoices(verb.choices, invocation, *options))
    return failUsage(std::move(error));
  Expected<std::vector<CaseFile>> cases = findCases(verb.inputs, verb.job.spirvEnv);
  if (!cases)
    return failUsage(cases.takeError());
  if (Error error = readKnown(verb.known))
    return failUsage(std::move(error));
  PoolOptions pool = makePool(verb.job, invocation);
  pool.notesCompileTime = verb.timings;
  Expected<Report> report = [&] {
    Progress progress("diff", verb.output.quiet);
    pool.progress = [&](size_t done, size_t total) { progress.update(done, total); };
    return runDiff(*cases, *options, pool);
  }();
  if (!report)
    return fail(ExitToolFailure, takeError(report.takeError()).message);
  for (const CaseFile &file : *cases)
    report->sources[file.id].path = file.path;
  report->run = describeRunFacts(invocation, begin);
  report->run->isKept = verb.timings;
  return printJudged(std::move(*report), verb.output, verb.known);
}

void assay::addDiff(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<DiffVerb>();
  CLI::App *verb = app.add_subcommand(
      "diff", "Run every case on every chosen compiler and machine; judge by the reference");
  verb->add_option("inputs", options->inputs, "Cases: files, folders of them, - for stdin")
      ->required();
  addDiffChoices(*verb, options->choices);
  verb->add_flag(
      "--timings", options->timings,
      "Add compile times to the statistics, and command, versions and duration to the result; "
      "results then differ from run to run");
  addReadOptions(*verb, options->job);
  addRuleOptions(*verb, options->job);
  addJobOptions(*verb, options->job);
  addCacheOptions(*verb, options->job);
  addOutputOptions(*verb, options->output);
  addKnownOptions(*verb, options->known);
  verb->callback([options, &invocation] {
    invocation.takesCommand = true;
    invocation.action = [options, &invocation] { return runDiffVerb(*options, invocation); };
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay minimize: a failing case becomes a small one that fails in the same way.
#include "harness/cli/Cli.h"
#include "harness/cli/DiffChoices.h"
#include "harness/reduce/Derive.h"
#include "harness/reduce/Minimizer.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
struct MinimizeVerb {
  std::string input;
  std::string output;
  std::string predicateFile;
  std::string rule;
  double maxSeconds = 0;
  bool quiet = false;
  DiffChoices choices;
  JobOptions job;
};
} // namespace

/// The file of the case; a finding's folder also says in \p options where it was found.
static Expected<CaseFile> openInput(const std::string &input, DiffOptions &options) {
  if (sys::fs::is_directory(input))
    return openFinding(input, options);
  Expected<std::vector<CaseFile>> cases = findCases({input});
  if (!cases)
    return cases.takeError();
  return std::move(cases->front());
}

static Expected<Predicate> choosePredicate(const MinimizeVerb &verb, const CaseFile &file,
                                           const DiffOptions &options, const PoolOptions &pool) {
  if (verb.predicateFile.empty())
    return derivePredicate(file, options, pool, verb.rule);
  Expected<std::string> text = readFileText(verb.predicateFile);
  if (!text)
    return text.takeError();
  Expected<Predicate> predicate = parsePredicate(*text);
  if (!predicate)
    return addContext(predicate.takeError(), verb.predicateFile);
  return predicate;
}

static void printResult(const MinimizeVerb &verb, const MinimizeResult &result) {
  outs() << result.instructionsAfter << " instructions of " << result.instructionsBefore
         << " in function bodies, " << result.steps << " steps, " << result.tried << " candidates; "
         << verb.output << "/minimal.amber"
         << (result.isFinished ? "" : "; out of time, the same command goes on") << "\n";
}

static int runVerb(const MinimizeVerb &verb, const Invocation &invocation) {
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return failUsage(options.takeError());
  if (Error error = applyDiffChoices(verb.choices, invocation, *options))
    return failUsage(std::move(error));
  Expected<CaseFile> file = openInput(verb.input, *options);
  if (!file)
    return failUsage(file.takeError());
  Expected<Case> input = readCase(file->path, file->id);
  if (!input)
    return failUsage(input.takeError());
  MinimizeOptions minimizeOptions;
  minimizeOptions.pool = makePool(verb.job, invocation);
  minimizeOptions.output = verb.output;
  minimizeOptions.maxSeconds = verb.maxSeconds;
  minimizeOptions.workFolder = verb.job.workFolder;
  Expected<Predicate> predicate = choosePredicate(verb, *file, *options, minimizeOptions.pool);
  if (!predicate)
    return failUsage(predicate.takeError());
  minimizeOptions.progress = [&](const MinimizeProgress &progress) {
    if (!verb.quiet)
      errs() << "minimize: " << progress.instructions << " instructions, step " << progress.steps
             << " by " << progress.reduction << ", " << progress.tried << " candidates\n";
  };
  Expected<MinimizeResult> result = minimize(std::move(*input), *predicate, minimizeOptions);
  if (!result)
    return failUsage(result.takeError());
  printResult(verb, *result);
  return ExitGood;
}

void assay::addMinimize(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<MinimizeVerb>();
  CLI::App *verb = app.add_subcommand(
      "minimize", "Make a failing case small; it goes on failing in the same way");
  verb->add_option("input", options->input, "A case, or the folder of a campaign's finding")
      ->required();
  verb->add_option("--output,-o", options->output,
                   "Folder of the result; one that exists is gone on with")
      ->required();
  verb->add_option("--predicate", options->predicateFile,
                   "What must stay, as a file; else what a diff with these options finds first");
  verb->add_option("--rule", options->rule, "The first finding of this rule, not the first of all");
  verb->add_option("--max-total-time", options->maxSeconds,
                   "Seconds after which the best so far is the result")
      ->check(CLI::NonNegativeNumber);
  verb->add_flag("--quiet", options->quiet, "No progress");
  addDiffChoices(*verb, options->choices);
  addJobOptions(*verb, options->job);
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return runVerb(*options, invocation); };
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay minimize: a failing case becomes a small one that fails in the same way.
#include "harness/cli/Cli.h"
#include "harness/cli/DiffChoices.h"
#include "harness/cli/Provenance.h"
#include "harness/reduce/Bundle.h"
#include "harness/reduce/Derive.h"
#include "harness/reduce/Minimizer.h"
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
  std::string bundle;
  bool noReduce = false;
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

static Error bundle(const MinimizeVerb &verb, const Invocation &invocation, const CaseFile &file,
                    const Predicate &predicate, const PoolOptions &pool) {
  BundleInput input;
  input.file = verb.noReduce ? file : CaseFile{verb.output + "/minimal.amber", "case.amber"};
  input.predicate = predicate;
  Expected<NamedParts> parts = describeProvenance(invocation.program);
  if (!parts)
    return parts.takeError();
  input.provenance = std::move(*parts);
  if (!verb.noReduce) {
    Expected<std::string> difference = readFileText(verb.output + "/difference.txt");
    if (!difference)
      return difference.takeError();
    input.difference = std::move(*difference);
  }
  return writeBundle(verb.bundle, input, pool);
}

static Error reduce(const MinimizeVerb &verb, const CaseFile &file, const Predicate &predicate,
                    const PoolOptions &pool) {
  MinimizeOptions options;
  options.pool = pool;
  options.output = verb.output;
  options.maxSeconds = verb.maxSeconds;
  options.workFolder = verb.job.workFolder;
  options.progress = [&](const MinimizeProgress &progress) {
    if (!verb.quiet)
      errs() << "minimize: " << progress.instructions << " instructions, step " << progress.steps
             << " by " << progress.reduction << ", " << progress.tried << " candidates\n";
  };
  Expected<MinimizeResult> result = minimize(file, predicate, options);
  if (!result)
    return result.takeError();
  printResult(verb, *result);
  return Error::success();
}

static int runVerb(const MinimizeVerb &verb, const Invocation &invocation) {
  if (verb.noReduce ? verb.bundle.empty() : verb.output.empty())
    return failUsage(invalidInput(verb.noReduce
                                      ? "--no-reduce needs --bundle DIR: nothing else is left"
                                      : "minimize needs --output DIR, the folder of the result"));
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return failUsage(options.takeError());
  if (Error error = applyDiffChoices(verb.choices, invocation, *options))
    return failUsage(std::move(error));
  Expected<CaseFile> file = openInput(verb.input, *options);
  if (!file)
    return failUsage(file.takeError());
  PoolOptions pool = makePool(verb.job, invocation);
  Expected<Predicate> predicate = choosePredicate(verb, *file, *options, pool);
  if (!predicate)
    return failUsage(predicate.takeError());
  if (!verb.noReduce)
    if (Error error = reduce(verb, *file, *predicate, pool))
      return failUsage(std::move(error));
  if (!verb.bundle.empty())
    if (Error error = bundle(verb, invocation, *file, *predicate, pool))
      return failUsage(std::move(error));
  return ExitGood;
}

void assay::addMinimize(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<MinimizeVerb>();
  CLI::App *verb = app.add_subcommand(
      "minimize", "Make a failing case small; it goes on failing in the same way");
  verb->add_option("input", options->input, "A case, or the folder of a campaign's finding")
      ->required();
  verb->add_option("--output,-o", options->output,
                   "Folder of the result; one that exists is gone on with");
  verb->add_option("--bundle", options->bundle,
                   "Also write a bundle here: the result with all that `assay replay` needs");
  verb->add_flag("--no-reduce", options->noReduce, "Bundle the input as it is");
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

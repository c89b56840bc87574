// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay minimize: a failing case becomes a small one that fails in the same way.
#include "harness/campaign/Origin.h"
#include "harness/cli/Cli.h"
#include "harness/cli/OutputFile.h"
#include "harness/cli/PredicateChoice.h"
#include "harness/cli/Provenance.h"
#include "harness/reduce/Bundle.h"
#include "harness/reduce/Minimizer.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. At least one of the folders \p output and \p bundle is needed.
struct MinimizeVerb {
  PredicateChoice choice;
  std::string output;    ///< Folder; an existing one is resumed.
  std::string bundle;    ///< Folder of a bundle as well; empty: none.
  bool noReduce = false; ///< Bundles the input as it is.
  double maxSeconds = 0; ///< After which the best case so far is the result.
  bool noSpirvReduce = false;
  bool quiet = false;
};
} // namespace

/// Prints one line. The numbers count steps and candidates of all runs in this folder.
static void printResult(const MinimizeVerb &verb, const MinimizeResult &result) {
  outs() << result.instructionsAfter << " instructions of " << result.instructionsBefore
         << " in function bodies, " << result.steps << " steps, " << result.tried << " candidates; "
         << verb.output << "/minimal.amber"
         << (result.isFinished ? "" : "; out of time, the same command goes on") << "\n";
}

/// Writes the bundle of \p file itself with --no-reduce, else of the minimal case in the output
/// folder with the difference between both.
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

/// Returns the path of spirv-reduce. Returns an empty text, after a message, where it is not
/// installed.
static std::string findSpirvReduce() {
  ErrorOr<std::string> program = sys::findProgramByName("spirv-reduce");
  if (program)
    return *program;
  errs() << "minimize: spirv-reduce is not installed (spirv-tools); its pass is left out\n";
  return "";
}

/// Returns the generated case with the steps that made a campaign's finding. Returns nothing for
/// any other input, and, after a message, for a case that this build generates differently.
static Expected<std::optional<fuzz::LoggedCase>> readOrigin(const std::string &input) {
  if (!sys::fs::is_directory(input))
    return std::nullopt;
  Expected<std::optional<fuzz::LoggedCase>> origin = readFindingOrigin(input);
  if (origin)
    return origin;
  auto [kind, message] = takeError(origin.takeError());
  if (kind != ErrorKind::InvalidInput)
    return make_error<AssayError>(kind, message);
  errs() << "minimize: " << message << "; steps are not cut\n";
  return std::nullopt;
}

/// Minimizes into the output folder and prints the result. A finding of a campaign is also reduced
/// by its log of steps, if this build still generates the same case.
static Error reduce(const MinimizeVerb &verb, const CaseFile &file, const Predicate &predicate,
                    const PoolOptions &pool) {
  MinimizeOptions options;
  options.pool = pool;
  options.output = verb.output;
  options.maxSeconds = verb.maxSeconds;
  options.workFolder = verb.choice.job.workFolder;
  options.progress = [&](const MinimizeProgress &progress) {
    if (!verb.quiet)
      errs() << "minimize: " << progress.instructions << " instructions, step " << progress.steps
             << " by " << progress.reduction << ", " << progress.tried << " candidates\n";
  };
  if (!verb.noSpirvReduce)
    options.spirvReduce = findSpirvReduce();
  Expected<std::optional<fuzz::LoggedCase>> origin = readOrigin(verb.choice.input);
  if (!origin)
    return origin.takeError();
  options.origin = *origin ? &**origin : nullptr;
  Expected<MinimizeResult> result = minimize(file, predicate, options);
  if (!result)
    return result.takeError();
  printResult(verb, *result);
  return Error::success();
}

/// Returns ExitGood also if time ran out: the best case so far is a result.
static int runMinimizeVerb(const MinimizeVerb &verb, const Invocation &invocation) {
  if (verb.noReduce ? verb.bundle.empty() : verb.output.empty())
    return failUsage(invalidInput(verb.noReduce
                                      ? "--no-reduce needs --bundle DIR: nothing else is left"
                                      : "minimize needs --output DIR, the folder of the result"));
  PoolOptions pool = makePool(verb.choice.job, invocation);
  Expected<ChosenPredicate> chosen = choosePredicate(verb.choice, invocation, pool);
  if (!chosen)
    return failUsage(chosen.takeError());
  if (!verb.noReduce)
    if (Error error = reduce(verb, chosen->file, chosen->predicate, pool))
      return failUsage(std::move(error));
  if (!verb.bundle.empty())
    if (Error error = bundle(verb, invocation, chosen->file, chosen->predicate, pool))
      return failUsage(std::move(error));
  return ExitGood;
}

void assay::addMinimize(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<MinimizeVerb>();
  CLI::App *verb = app.add_subcommand(
      "minimize", "Make a failing case small; it goes on failing in the same way");
  addOutputFolder(*verb, "--output,-o", options->output,
                  "Folder of the result; an existing one is resumed");
  addOutputFolder(*verb, "--bundle", options->bundle,
                  "Also write a bundle here: the result with all that `assay replay` needs");
  verb->add_flag("--no-reduce", options->noReduce, "Bundle the input as it is");
  verb->add_option("--max-total-time", options->maxSeconds,
                   "Seconds after which the best so far is the result")
      ->check(secondsBetween(0, 1e9));
  verb->add_flag("--no-spirv-reduce", options->noSpirvReduce,
                 "Without the program spirv-reduce, which is tried when own reductions end");
  verb->add_flag("--quiet", options->quiet, "No progress");
  addPredicateChoice(*verb, options->choice);
  verb->callback([options, &invocation] {
    invocation.takesCommand = true;
    invocation.action = [options, &invocation] { return runMinimizeVerb(*options, invocation); };
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay replay: does a bundle still show its bug?
#include "harness/cli/Cli.h"
#include "harness/cli/InputFiles.h"
#include "harness/reduce/Bundle.h"
#include "reports/Escape.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// \p module replaces the SPIR-V of pipeline number \p pipeline, counted from 0, if it is not
/// empty.
struct ReplayVerb {
  std::string folder;       ///< Of a bundle or of a minimization.
  std::string module;       ///< SPIR-V that replaces a module of the case; empty: none does.
  size_t pipeline = 0;      ///< The one that the module is for.
  bool interesting = false; ///< Exit code 0 while the bug shows, as spirv-reduce wants it.
  JobOptions job;
};
} // namespace

/// Prints whether the bug shows. Success means that it is gone; --interesting reverses this. Usage
/// error for a folder that is no bundle.
static int runReplayVerb(const ReplayVerb &verb, const Invocation &invocation) {
  if (!sys::fs::exists(verb.folder + "/predicate.json"))
    return fail(ExitUsage,
                verb.folder + " is not the folder of a bundle: it has no predicate.json");
  std::optional<ReplacedModule> replaced;
  if (!verb.module.empty())
    if (Error error = verifyInputFile(verb.module))
      return failUsage(std::move(error));
  if (!verb.module.empty())
    replaced = ReplacedModule{verb.module, verb.pipeline};
  Expected<Replay> replay = replayBundle(verb.folder, makePool(verb.job, invocation), replaced);
  if (!replay)
    return failUsage(replay.takeError());
  const Verdict &verdict = replay->verdict;
  outs() << (replay->shows ? "it still shows: " : "it is gone: ") << stateName(verdict.state)
         << (verdict.reason.empty() ? "" : ": ") << escapeLine(verdict.reason) << "\n";
  return replay->shows == verb.interesting ? ExitGood : ExitFindings;
}

void assay::addReplay(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<ReplayVerb>();
  CLI::App *verb =
      app.add_subcommand("replay", "Run a bundle; 1 while its bug shows, 0 when it is gone");
  verb->add_option("bundle", options->folder, "Folder of a bundle, or of a minimization")
      ->required();
  verb->add_option("module", options->module,
                   "SPIR-V in the place of the case's: what reducers of modules have tested");
  verb->add_option("--pipeline", options->pipeline, "Number of the pipeline that module is for")
      ->check(wholeNumber(0))
      ->capture_default_str();
  verb->add_flag("--interesting", options->interesting,
                 "0 while the bug shows, 1 when it is gone: as spirv-reduce asks");
  verb->add_option("--jobs", options->job.jobs, "Workers at one time (default: number of cores)")
      ->check(CLI::Range(1, 4096));
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return runReplayVerb(*options, invocation); };
  });
}

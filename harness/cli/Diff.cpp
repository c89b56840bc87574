// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay diff: the main job.
#include "harness/cli/Cli.h"
#include "harness/cli/Progress.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
struct DiffVerb {
  std::vector<std::string> inputs;
  std::string targets = "gfx900,gfx1030,gfx1100,gfx1201";
  std::string compilers;
  std::string machines = "spirv,gcn";
  std::vector<int> levels;
  std::vector<unsigned> waves;
  bool useLlvmLowering = false;
  JobOptions job;
  OutputOptions output;
};
} // namespace

static Error fillChoices(const DiffVerb &verb, const Invocation &invocation, DiffOptions &options) {
  std::string standard = invocation.command.empty() ? "assay" : "command";
  struct {
    StringRef what, text;
    std::vector<std::string> &names;
  } const rows[] = {
      {"--targets", verb.targets, options.targets},
      {"--compilers", verb.compilers.empty() ? standard : verb.compilers, options.compilers},
      {"--machines", verb.machines, options.machines}};
  for (const auto &row : rows) {
    Expected<std::vector<std::string>> names = splitNames(row.what, row.text);
    if (!names)
      return names.takeError();
    row.names = std::move(*names);
  }
  for (const std::string &target : options.targets)
    if (Error error = verifyTarget(target))
      return error;
  if (Error error =
          verifyNames("compiler", options.compilers, {"assay", "command", "aco", "radv-llvm"}))
    return error;
  if (Error error = verifyMachines(options.machines))
    return error;
  bool usesCommand = is_contained(options.compilers, "command");
  if (usesCommand != !invocation.command.empty())
    return invalidInput(usesCommand ? "compiler 'command' needs its command line behind --"
                                    : "the command behind -- is used by compiler 'command' only");
  if (verb.useLlvmLowering && !is_contained(options.compilers, "assay"))
    return invalidInput("--use-llvm-lowering is of compiler assay, which is not among these");
  options.useLlvmLowering = verb.useLlvmLowering;
  options.command = invocation.command;
  if (!verb.levels.empty())
    options.levels = verb.levels;
  if (!verb.waves.empty())
    options.waves = verb.waves;
  return Error::success();
}

static int runVerb(const DiffVerb &verb, const Invocation &invocation) {
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return failUsage(options.takeError());
  if (Error error = fillChoices(verb, invocation, *options))
    return failUsage(std::move(error));
  Expected<std::vector<CaseFile>> cases = findCases(verb.inputs);
  if (!cases)
    return failUsage(cases.takeError());
  PoolOptions pool = makePool(verb.job, invocation);
  Expected<Report> report = [&] {
    Progress progress("diff", verb.output.quiet);
    pool.progress = [&](size_t done, size_t total) { progress.update(done, total); };
    return runDiff(*cases, *options, pool);
  }();
  if (!report)
    return fail(ExitToolFailure, takeError(report.takeError()).message);
  for (const CaseFile &file : *cases)
    report->sources[file.id].path = file.path;
  return printReport(std::move(*report), verb.output);
}

void assay::addDiff(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<DiffVerb>();
  CLI::App *verb = app.add_subcommand(
      "diff", "Run every case on every chosen compiler and machine; judge by the reference");
  verb->add_option("inputs", options->inputs, "Cases: files, folders of them, - for stdin")
      ->required();
  verb->add_option("--targets,--target", options->targets, "GPUs")->capture_default_str();
  verb->add_option("--compilers,--compiler", options->compilers,
                   "assay, aco, radv-llvm; or command, for the command line behind --");
  verb->add_option("--machines,--machine", options->machines, "spirv is the reference")
      ->capture_default_str();
  verb->add_option("-O", options->levels, "Optimisation levels: 0, 2 (default: both)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({0, 2}));
  verb->add_option("--wave", options->waves, "Wave sizes: 32, 64 (default: the target's)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({32, 64}));
  verb->add_flag("--use-llvm-lowering", options->useLlvmLowering,
                 "Of compiler assay: LLVM's own lowering of buffer fat pointers");
  addJobOptions(*verb, options->job);
  addOutputOptions(*verb, options->output);
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return runVerb(*options, invocation); };
  });
}

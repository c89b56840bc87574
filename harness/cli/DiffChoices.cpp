// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/DiffChoices.h"

#include "harness/run/CommandWords.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

void assay::addDiffChoices(CLI::App &verb, DiffChoices &choices) {
  verb.add_option("--targets,--target", choices.targets, "GPUs")->capture_default_str();
  verb.add_option("--compilers,--compiler", choices.compilers,
                  "assay, aco, radv-llvm, turnip; or command, for the command line after --");
  verb.add_option("--machines,--machine", choices.machines, "spirv is the reference")
      ->capture_default_str();
  verb.add_option("-O", choices.levels, "Optimisation levels: 0, 2 (default: both)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({0, 2}));
  verb.add_option("--wave", choices.waves, "Wave sizes: 32, 64 (default: the target's)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({32, 64}));
  auto *lowerings = verb.add_option("--lowering", choices.lowerings,
                                    "Of compiler assay, how buffer fat pointers are lowered: own "
                                    "(the project's pass), llvm (LLVM's)")
                        ->capture_default_str();
  verb.add_flag_callback(
          "--use-llvm-lowering", [&choices] { choices.lowerings = "llvm"; }, "--lowering llvm")
      ->excludes(lowerings);
  verb.add_option("--check-threads", choices.checkThreads,
                  "Machine gcn: run one of so many cases again on one thread and on two, and "
                  "compare; 0: none")
      ->check(wholeNumber(0))
      ->capture_default_str();
}

static Error readLowerings(const DiffChoices &choices, DiffOptions &options) {
  Expected<std::vector<std::string>> names = splitNames("--lowering", choices.lowerings);
  if (!names)
    return names.takeError();
  if (Error error = verifyNames("lowering", *names,
                                {loweringName(FatLowering::Own), loweringName(FatLowering::Llvm)}))
    return error;
  options.lowerings.clear();
  for (const std::string &name : *names)
    options.lowerings.push_back(*parseLowering(name));
  if (is_contained(options.lowerings, FatLowering::Llvm) &&
      !is_contained(options.compilers, "assay"))
    return invalidInput("lowering 'llvm' is of compiler assay, which is not among these");
  return Error::success();
}

Error assay::applyDiffChoices(const DiffChoices &choices, const Invocation &invocation,
                              DiffOptions &options) {
  if (Error error = verifyCommand(invocation, compilerPlaceholders))
    return error;
  std::string standard = invocation.command.empty() ? "assay" : "command";
  struct {
    StringRef what, text;
    std::vector<std::string> &names;
  } const rows[] = {
      {"--targets", choices.targets, options.targets},
      {"--compilers", choices.compilers.empty() ? standard : choices.compilers, options.compilers},
      {"--machines", choices.machines, options.machines}};
  for (const auto &row : rows) {
    Expected<std::vector<std::string>> names = splitNames(row.what, row.text);
    if (!names)
      return names.takeError();
    row.names = std::move(*names);
  }
  for (const std::string &target : options.targets)
    if (Error error = verifyTarget(target))
      return error;
  if (Error error = verifyNames("compiler", options.compilers,
                                {"assay", "command", "aco", "radv-llvm", "turnip"}))
    return error;
  if (Error error = verifyMachines(options.machines))
    return error;
  bool usesCommand = is_contained(options.compilers, "command");
  if (usesCommand != !invocation.command.empty())
    return invalidInput(usesCommand ? "compiler 'command' needs its command line behind --"
                                    : "the command behind -- is used by compiler 'command' only");
  if (Error error = readLowerings(choices, options))
    return error;
  options.checkThreads = choices.checkThreads;
  options.command = invocation.command;
  if (!choices.levels.empty())
    options.levels = choices.levels;
  if (!choices.waves.empty())
    options.waves = choices.waves;
  return Error::success();
}

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
                  "assay, aco, radv-llvm; or command, for the command line behind --");
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
  verb.add_flag("--use-llvm-lowering", choices.useLlvmLowering,
                "Of compiler assay: LLVM's own lowering of buffer fat pointers");
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
  if (Error error =
          verifyNames("compiler", options.compilers, {"assay", "command", "aco", "radv-llvm"}))
    return error;
  if (Error error = verifyMachines(options.machines))
    return error;
  bool usesCommand = is_contained(options.compilers, "command");
  if (usesCommand != !invocation.command.empty())
    return invalidInput(usesCommand ? "compiler 'command' needs its command line behind --"
                                    : "the command behind -- is used by compiler 'command' only");
  if (choices.useLlvmLowering && !is_contained(options.compilers, "assay"))
    return invalidInput("--use-llvm-lowering is of compiler assay, which is not among these");
  options.useLlvmLowering = choices.useLlvmLowering;
  options.command = invocation.command;
  if (!choices.levels.empty())
    options.levels = choices.levels;
  if (!choices.waves.empty())
    options.waves = choices.waves;
  return Error::success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/DiffChoices.h"

#include "compiler/api/DebugModes.h"
#include "compiler/api/Target.h"
#include "harness/run/CommandWords.h"
#include "harness/run/Configurations.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

void assay::addPalVersion(CLI::App &verb, PalVersion &version) {
  verb.add_option_function<std::string>(
          "--metadata-version",
          [&version](const std::string &name) { version = *parsePalVersion(name); },
          "Of compiler assay, PAL metadata of AMD's GPUs: 3.0 (named fields), 2.6 (values of "
          "registers; before GFX12)")
      ->check(CLI::IsMember({"3.0", "2.6"}))
      ->default_str("3.0");
}

void assay::addDebugModes(CLI::App &verb, std::vector<std::string> &modes) {
  std::vector<std::string> names = debugModeNames();
  verb.add_option("--ir3-debug", modes,
                  "Of compiler assay for Adreno GPUs, other code of the same results: " +
                      join(names, ", "))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names));
}

/// Returns the name of our compiler with a debug mode.
std::string assay::compilerInMode(StringRef mode) {
  return (compilers().front().name + "-" + mode).str();
}

/// Changes \p compiler to the one with the mode. InvalidInput for several modes, for other
/// compilers, and for targets that are not Adreno GPUs.
Error assay::chooseDebugMode(ArrayRef<std::string> modes, StringRef target, std::string &compiler) {
  if (modes.empty())
    return Error::success();
  if (modes.size() > 1)
    return invalidInput("--ir3-debug takes one mode here; assay diff takes several");
  if (!compilerOf(compiler).isOwn || findArchitecture(target) != Architecture::Adreno)
    return invalidInput("--ir3-debug is of compiler " + ownCompiler + " for Adreno GPUs");
  compiler = compilerInMode(modes.front());
  return Error::success();
}

void assay::addDiffChoices(CLI::App &verb, DiffChoices &choices) {
  verb.add_option("--targets,--target", choices.targets,
                  "GPUs (default: of machine gcn, " + join(chooseTargets({}), ",") + ")");
  verb.add_option("--compilers,--compiler", choices.compilers,
                  join(compilerNames(), ", ") + "; command is the command line after --");
  verb.add_option("--machines,--machine", choices.machines,
                  join(machineNames(), ", ") +
                      "NAME; spirv, or spirv-practical or spirv-ieee with more assumptions about "
                      "floats, is the reference (default: spirv and what runs the code of the "
                      "targets)");
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
  addPalVersion(verb, choices.palVersion);
  addDebugModes(verb, choices.debugModes);
  verb.add_option("--check-threads", choices.checkThreads,
                  "Machine gcn: run one of so many cases again on one thread and on two, and "
                  "compare; 0: none")
      ->check(wholeNumber(0))
      ->capture_default_str();
  verb.add_option("--check-hashes", choices.checkHashes,
                  "Compiler assay: check the laws of hash chains on one of so many cases and on "
                  "mutations of it; 0: none")
      ->check(wholeNumber(0))
      ->capture_default_str();
}

/// Sets the lowerings of \p options, whose compilers must be set already. InvalidInput for unknown
/// names, and for LLVM's lowering where no chosen compiler or target has it. The targets must be
/// set, too.
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
      none_of(options.compilers, [](StringRef name) { return compilerOf(name).hasLowerings; }))
    return invalidInput("lowering 'llvm' is of compiler " + ownCompiler +
                        ", which is not among these");
  if (is_contained(options.lowerings, FatLowering::Llvm) && !options.targets.empty() &&
      none_of(options.targets, hasFatPointers))
    return invalidInput("lowering 'llvm' is for GPUs of AMD, not " + join(options.targets, ", "));
  return Error::success();
}

/// The architectures to use where neither machines nor targets are named: AMD's where a compiler
/// can make its code, and those of compilers that cannot.
static std::vector<std::string> chooseTargetsFor(ArrayRef<std::string> compilers) {
  std::vector<std::string> targets;
  for (Architecture architecture : architectures())
    if (any_of(compilers, [&](StringRef name) {
          const CompilerInfo &row = compilerOf(name);
          return row.compilesFor(architecture) &&
                 (architecture == Architecture::AmdGpu || !row.compilesFor(Architecture::AmdGpu));
        }))
      append_range(targets, defaultTargets(architecture));
  return targets;
}

/// Whether any configuration that \p options describe meets \p isMeant.
static bool isUsed(const DiffOptions &options,
                   function_ref<bool(const DiffConfiguration &)> isMeant) {
  return any_of(configurationsOf(options), isMeant);
}

/// Machines follow from targets, or targets from machines, or both from compilers. A compiler or
/// target that goes with nothing else is an error: nothing would be done for it.
static Error completeChoices(DiffOptions &options) {
  if (count_if(options.machines, [](StringRef name) { return machineOf(name).isReference; }) > 1)
    return invalidInput("--machines names more than one reference; choose one of spirv, "
                        "spirv-practical and spirv-ieee");
  if (options.machines.empty() && options.targets.empty())
    options.targets = chooseTargetsFor(options.compilers);
  if (options.machines.empty())
    options.machines = chooseMachines(options.targets);
  if (options.targets.empty())
    options.targets = chooseTargets(options.machines);
  if (none_of(options.machines, needsCompiler))
    return Error::success();
  DiffOptions every = options;
  every.onlyExistingWaves = false;
  for (const std::string &target : options.targets)
    if (!isUsed(every, [&](const auto &each) { return each.target == target; }))
      return invalidInput("--targets " + target + ": its code runs on machine " +
                          standardMachine(*findArchitecture(target)).name +
                          ", and no compiler and machine of " + join(options.compilers, ", ") +
                          " and " + join(options.machines, ", ") + " are for it");
  for (const std::string &compiler : options.compilers)
    if (!isUsed(every, [&](const auto &each) { return each.compiler == compiler; }))
      return invalidInput("--compilers " + compiler + ": it makes code for none of the targets " +
                          join(options.targets, ", "));
  return Error::success();
}

/// Replaces names in \p options by what was chosen, and fills in defaults that depend on each
/// other. A debug mode is one more compiler.
Error assay::applyDiffChoices(const DiffChoices &choices, const Invocation &invocation,
                              DiffOptions &options) {
  if (Error error = verifyCommand(invocation, compilerPlaceholders))
    return error;
  std::string standard = (invocation.command.empty() ? ownCompiler : commandCompiler).str();
  options.targets.clear();
  options.machines.clear();
  struct {
    StringRef what, text;
    std::vector<std::string> &names;
  } const rows[] = {
      {"--targets", choices.targets, options.targets},
      {"--compilers", choices.compilers.empty() ? standard : choices.compilers, options.compilers},
      {"--machines", choices.machines, options.machines}};
  for (const auto &row : rows) {
    if (row.text.empty())
      continue;
    Expected<std::vector<std::string>> names = splitNames(row.what, row.text);
    if (!names)
      return names.takeError();
    row.names = std::move(*names);
  }
  // Each mode is a compiler next to those that are named.
  for (const std::string &mode : choices.debugModes)
    options.compilers.push_back(compilerInMode(mode));
  for (const std::string &target : options.targets)
    if (Error error = verifyTarget(target))
      return error;
  if (Error error = verifyNames("compiler", options.compilers, compilerNames()))
    return error;
  if (Error error = verifyMachines(options.machines))
    return error;
  if (Error error = completeChoices(options))
    return error;
  bool usesCommand =
      any_of(options.compilers, [](StringRef name) { return compilerOf(name).isCommand; });
  if (usesCommand != !invocation.command.empty())
    return invalidInput(usesCommand ? "compiler 'command' needs its command line after --"
                                    : "the command after -- is used by compiler 'command' only");
  if (Error error = readLowerings(choices, options))
    return error;
  options.palVersion = choices.palVersion;
  options.checkThreads = choices.checkThreads;
  options.checkHashes = choices.checkHashes;
  options.command = invocation.command;
  if (!choices.levels.empty())
    options.levels = choices.levels;
  if (!choices.waves.empty())
    options.waves = choices.waves;
  return Error::success();
}

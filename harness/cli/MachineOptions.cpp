// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/MachineOptions.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {

/// Groups of machines that an option can be for.
enum class Machines {
  Scheduled, ///< Those with schedules.
  Compiled,  ///< Those that run what a compiler made.
  Reference
};

/// An option of `assay run` that some machines would ignore.
struct OptionRow {
  const char *option; ///< As CLI11 knows it.
  Machines machines;
  StringLiteral instead = ""; ///< What the other machines have.
};

/// Options without a row are for all machines. A row for other machines than the reference also
/// selects such a machine where --machine is missing.
constexpr OptionRow Rows[] = {
    {"--trace", Machines::Scheduled},
    {"--trace-file", Machines::Scheduled},
    {"--break", Machines::Scheduled},
    {"--trace-group", Machines::Scheduled},
    {"--trace-wave", Machines::Scheduled},
    {"--lane", Machines::Scheduled},
    {"--log", Machines::Scheduled},
    {"--replay", Machines::Scheduled},
    {"--sanitize", Machines::Scheduled},
    {"--schedule", Machines::Scheduled},
    {"--schedule-seed", Machines::Scheduled},
    {"--schedules", Machines::Scheduled},
    {"--threads", Machines::Scheduled},
    {"--compiler", Machines::Compiled},
    {"--target", Machines::Compiled},
    {"-O", Machines::Compiled},
    {"--wave", Machines::Compiled, "; of spirv it is --subgroup-size"},
    {"--use-llvm-lowering", Machines::Compiled},
    {"--subgroup-size", Machines::Reference, "; of gcn it is --wave"},
};

} // namespace

/// Whether the machine with the row \p info is in the group \p machines.
static bool isFor(Machines machines, const MachineInfo &info) {
  return machines == Machines::Scheduled   ? info.hasSchedules
         : machines == Machines::Reference ? info.isReference
                                           : info.needsCompiler();
}

/// "gcn": the machines that users may choose from and that a row is for.
static std::string namesFor(Machines which) {
  std::vector<std::string> names;
  for (const MachineInfo &row : machines())
    if (row.isChosen && row.isBuilt && isFor(which, row))
      names.push_back(row.name.str() + (row.name.ends_with(":") ? "NAME" : ""));
  return join(names, " or ");
}

/// The machine that runs the code of the target that \p verb names.
static std::string machineForTarget(const CLI::App &verb) {
  std::string target = verb.count("--target") ? verb["--target"]->as<std::string>() : "";
  return standardMachine(findArchitecture(target).value_or(Architecture::AmdGpu)).name.str();
}

Expected<std::string> assay::chooseMachine(const CLI::App &verb, const std::string &named,
                                           const Invocation &invocation) {
  auto isGiven = [&](const OptionRow &row) { return verb.count(row.option) > 0; };
  bool asksForCode = invocation.hasCommand || any_of(Rows, [&](const OptionRow &row) {
                       return isGiven(row) && row.machines != Machines::Reference;
                     });
  std::string machine = !named.empty() ? named
                        : asksForCode  ? machineForTarget(verb)
                                       : referenceMachine.str();
  if (Error error = verifyMachines(machine))
    return std::move(error);
  for (const OptionRow &row : Rows)
    if (isGiven(row) && !isFor(row.machines, machineOf(machine)))
      return invalidInput(Twine(row.option) + " is for machine " + namesFor(row.machines) +
                          ", not " + machine + row.instead);
  if (invocation.hasCommand && !needsCompiler(machine))
    return invalidInput("the command after -- is for machine " + namesFor(Machines::Compiled) +
                        ", not " + machine);
  return machine;
}

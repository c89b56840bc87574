// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/MachineOptions.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {

enum class Machines {
  Gcn,      ///< It alone.
  Compiled, ///< Those that run what a compiler made (needsCompiler).
  Spirv     ///< The reference alone.
};

struct Row {
  const char *option; ///< As CLI11 knows it.
  Machines machines;
  StringLiteral instead = ""; ///< What the other machines have.
};

constexpr Row Rows[] = {
    {"--trace", Machines::Gcn},
    {"--trace-file", Machines::Gcn},
    {"--break", Machines::Gcn},
    {"--trace-group", Machines::Gcn},
    {"--trace-wave", Machines::Gcn},
    {"--lane", Machines::Gcn},
    {"--log", Machines::Gcn},
    {"--replay", Machines::Gcn},
    {"--sanitize", Machines::Gcn},
    {"--schedule", Machines::Gcn},
    {"--schedule-seed", Machines::Gcn},
    {"--schedules", Machines::Gcn},
    {"--threads", Machines::Gcn},
    {"--compiler", Machines::Compiled},
    {"--target", Machines::Compiled},
    {"-O", Machines::Compiled},
    {"--wave", Machines::Compiled, "; of spirv it is --subgroup-size"},
    {"--use-llvm-lowering", Machines::Compiled},
    {"--subgroup-size", Machines::Spirv, "; of gcn it is --wave"},
};

} // namespace

static bool isFor(Machines machines, StringRef machine) {
  return machines == Machines::Gcn     ? machine == "gcn"
         : machines == Machines::Spirv ? machine == referenceMachine
                                       : needsCompiler(machine);
}

Expected<std::string> assay::chooseMachine(const CLI::App &verb, const std::string &named,
                                           const Invocation &invocation) {
  auto isGiven = [&](const Row &row) { return verb.count(row.option) > 0; };
  bool asksForGcn = invocation.hasCommand || any_of(Rows, [&](const Row &row) {
                      return isGiven(row) && row.machines != Machines::Spirv;
                    });
  std::string machine = !named.empty() ? named : asksForGcn ? "gcn" : "spirv";
  if (Error error = verifyMachines(machine))
    return std::move(error);
  for (const Row &row : Rows)
    if (isGiven(row) && !isFor(row.machines, machine))
      return invalidInput(Twine(row.option) + " is for machine " +
                          (row.machines == Machines::Spirv ? "spirv" : "gcn") + ", not " + machine +
                          row.instead);
  if (invocation.hasCommand && !needsCompiler(machine))
    return invalidInput("the command behind -- is for machine gcn, not " + machine);
  return machine;
}

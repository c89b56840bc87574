// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verbs that are planned and not built: each says so, and ends with the code for unsupported.
#include "harness/cli/Cli.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

static constexpr const char *planned[] = {"cache"};

void assay::addNotBuilt(CLI::App &app, Invocation &invocation) {
  for (const char *name : planned) {
    CLI::App *verb = app.add_subcommand(name, "Not built yet")->group("Not built yet");
    verb->allow_extras();
    verb->callback([name, &invocation] {
      invocation.action = [name] {
        return fail(ExitUnsupported, Twine("unsupported: ") + name + " is not built yet");
      };
    });
  }
}

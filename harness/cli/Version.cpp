// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay version: what this build is made of.
#include "harness/cli/Cli.h"
#include "harness/cli/Provenance.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Prints a line a part. A colon follows names of several words.
static int runVerb() {
  std::string text;
  for (const auto &[name, value] : describeBuild())
    text += name + (StringRef(name).contains(' ') ? ": " : " ") + value + "\n";
  return printText(text, "");
}

void assay::addVersion(CLI::App &app, Invocation &invocation) {
  CLI::App *verb = app.add_subcommand("version", "Print versions of this build and its parts");
  verb->callback([&invocation] { invocation.action = runVerb; });
}

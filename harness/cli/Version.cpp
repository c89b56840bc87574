// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay version: what this build is made of.
#include "compiler/spirv/Module.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Commit.h"
#include "harness/cli/Installed.h"
#include "support/Fault.h"
#include "llvm/Config/llvm-config.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

static int runVerb() {
  std::string text = "assay " ASSAY_VERSION "\ncommit " ASSAY_COMMIT "\nLLVM ";
  text += LLVM_VERSION_STRING;
  text += "\nSPIRV-Tools " + spirv::spirvToolsVersion() + "\nMesa " + findMesaVersion() + "\n";
  text += faultsCompiledIn() ? "planted faults: compiled in\n" : "planted faults: none\n";
  return printText(text, "");
}

void assay::addVersion(CLI::App &app, Invocation &invocation) {
  CLI::App *verb = app.add_subcommand("version", "Print versions of this build and its parts");
  verb->callback([&invocation] { invocation.action = runVerb; });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay worker JOB-FILE (hidden): the process that a job runs in.
#include "harness/worker/Worker.h"
#include "harness/cli/Cli.h"
#include "support/Error.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

// noexcept: what a library throws must end this process like any other crash.
static int runVerb(const std::string &jobFile) noexcept {
  // Whatever is wrong here is between parent and worker, not with any case.
  if (Error error = runWorker(jobFile))
    return fail(ExitToolFailure, takeError(std::move(error)).message);
  return ExitGood;
}

void assay::addWorker(CLI::App &app, Invocation &invocation) {
  auto jobFile = std::make_shared<std::string>();
  CLI::App *verb = app.add_subcommand("worker", "Run one job")->group("");
  verb->add_option("job", *jobFile, "Job file")->required();
  verb->callback(
      [jobFile, &invocation] { invocation.action = [jobFile] { return runVerb(*jobFile); }; });
}

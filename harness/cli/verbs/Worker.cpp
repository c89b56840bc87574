// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay worker JOB-FILE (hidden): the process that a job runs in; --serve: that jobs run in, one
// after the other.
#include "harness/worker/Worker.h"
#include "harness/cli/Cli.h"
#include "harness/worker/Serve.h"
#include "support/Error.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Runs the job in \p jobFile. Tool failure only for a broken exchange with the parent; what
/// becomes of the case is in the result. It is noexcept, so that an exception of a library ends
/// this process like any other crash.
static int runJob(Worker &worker, StringRef jobFile) noexcept {
  // Whatever is wrong here is between parent and worker, not with any case.
  if (Error error = worker.run(jobFile))
    return fail(ExitToolFailure, takeError(std::move(error)).message);
  return ExitGood;
}

/// Runs jobs until the input ends or a limit is reached. Tool failure if answers can't be written.
static int serve(Worker &worker) {
  auto run = [&](StringRef jobFile) { return runJob(worker, jobFile); };
  if (Error error = serveJobs(ServeLimits(), run))
    return fail(ExitToolFailure, takeError(std::move(error)).message);
  return ExitGood;
}

/// The verb is hidden from the help: only Assay itself starts workers.
void assay::addWorker(CLI::App &app, Invocation &invocation) {
  struct Options {
    std::string jobFile;
    bool serves = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *verb = app.add_subcommand("worker", "Run one job, or those that are named")->group("");
  auto *job = verb->add_option("job", options->jobFile, "Job file");
  auto *serves = verb->add_flag("--serve", options->serves, "Jobs are lines of the standard input");
  job->excludes(serves);
  verb->callback([options, &invocation] {
    invocation.action = [options] {
      Worker worker;
      return options->serves ? serve(worker) : runJob(worker, options->jobFile);
    };
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay run: cases on one machine; prints the buffers as they are in the end, and the verdicts.
#include "harness/cli/Cli.h"
#include "harness/run/Rerun.h"
#include "harness/run/WorkFolder.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/File.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
struct RunVerb {
  std::vector<std::string> inputs;
  std::string machine = "spirv";
  std::string target = "gfx1100";
  int level = 2;
  unsigned wave = 0;
  JobOptions job;
  OutputOptions output;
};
} // namespace

static Job makeJob(const RunVerb &verb, const Invocation &invocation, const CaseFile &file,
                   const DiffOptions &options) {
  Job job = makeCaseJob(file, options);
  job.machine = verb.machine;
  job.listBuffers = true;
  if (verb.machine != "spirv") {
    job.compiler = invocation.command.empty() ? "assay" : "command";
    job.command = invocation.command;
    job.target = verb.target;
    job.optLevel = verb.level;
    job.waveSize = verb.wave;
  }
  job.rerun = describeRun(job);
  return job;
}

// What the worker listed; a job that did not get so far listed nothing.
static std::vector<BufferListing> readListing(const Job &job) {
  Expected<std::string> text = readFileText(job.buffersFile());
  if (!text) {
    consumeError(text.takeError());
    return {};
  }
  Expected<json::Value> value = json::parse(*text);
  Expected<std::vector<BufferListing>> listing =
      value ? readBuffers(*value) : Expected<std::vector<BufferListing>>(value.takeError());
  if (listing)
    return std::move(*listing);
  consumeError(listing.takeError());
  return {};
}

static Error runCase(Job job, const Invocation &invocation, Report &report) {
  std::optional<std::string> reason = whyNotBuilt(job);
  Expected<Verdict> verdict =
      reason ? makeVerdict(job, State::Unsupported, *reason) : runOneJob(job, invocation);
  if (!verdict)
    return verdict.takeError();
  report.verdicts.push_back(std::move(*verdict));
  report.sources[job.caseId].path = job.casePath;
  std::vector<BufferListing> buffers = readListing(job);
  if (!buffers.empty())
    report.buffers[job.caseId] = std::move(buffers);
  return Error::success();
}

static int runVerb(const RunVerb &verb, const Invocation &invocation) {
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return fail(options.takeError());
  if (Error error = verifyTarget(verb.target))
    return fail(ExitUsage, takeError(std::move(error)).message);
  Expected<std::vector<CaseFile>> cases = findCases(verb.inputs);
  if (!cases)
    return fail(ExitUsage, takeError(cases.takeError()).message);
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(verb.job.workFolder);
  if (!folder)
    return fail(folder.takeError());
  Report report;
  report.verb = "run";
  for (size_t i = 0; i < cases->size(); ++i) {
    Job job = makeJob(verb, invocation, (*cases)[i], *options);
    job.folder = (*folder)->jobFolder("job", i);
    if (Error error = runCase(std::move(job), invocation, report))
      return fail(ExitToolFailure, takeError(std::move(error)).message);
  }
  return printReport(std::move(report), verb.output);
}

void assay::addRun(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<RunVerb>();
  CLI::App *verb = app.add_subcommand("run", "Run cases on one machine and print their buffers");
  verb->add_option("inputs", options->inputs, "Cases: files, or folders of them")->required();
  verb->add_option("--machine", options->machine, "spirv (the reference) or gcn")
      ->capture_default_str();
  verb->add_option("--target", options->target, "GPU of machine gcn")->capture_default_str();
  verb->add_option("-O", options->level, "Optimisation level: 0 or 2")
      ->check(CLI::IsMember({0, 2}))
      ->capture_default_str();
  verb->add_option("--wave", options->wave, "Wave size: 32 or 64 (default: the target's)")
      ->check(CLI::IsMember({32, 64}));
  verb->add_option("--max-values", options->output.maxValues, "Values of a buffer that text shows")
      ->capture_default_str();
  addJobOptions(*verb, options->job);
  addOutputOptions(*verb, options->output);
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return runVerb(*options, invocation); };
  });
}

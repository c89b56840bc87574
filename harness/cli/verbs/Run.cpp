// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay run: cases on one machine; prints the buffers as they are in the end, and the verdicts.
#include "harness/cli/Cli.h"
#include "harness/cli/DiffChoices.h"
#include "harness/cli/Known.h"
#include "harness/cli/MachineOptions.h"
#include "harness/cli/OutputFile.h"
#include "harness/cli/Progress.h"
#include "harness/cli/RunTrace.h"
#include "harness/run/CommandWords.h"
#include "harness/run/Configurations.h"
#include "harness/run/Rerun.h"
#include "harness/run/Retry.h"
#include "harness/run/WorkFolder.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/Json.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. Those of compilers are ignored for machines that need no compiler.
struct RunVerb {
  std::vector<std::string> inputs;
  std::string machine; ///< "" until chosen where it is not named.
  std::string compiler = ownCompiler.str();
  std::string target = defaultTarget(Architecture::AmdGpu).str();
  int level = 2;                ///< 0 or 2; not used for compilers without levels.
  unsigned wave = 0;            ///< Lanes; 0: the target's default.
  bool useLlvmLowering = false; ///< Of buffer fat pointers, instead of Assay's.
  PalVersion palVersion = PalVersion::V3_0;
  std::vector<std::string> debugModes;
  unsigned subgroupSize = 0; ///< Of machine spirv; 0: the case's, or 64.
  std::string pictures;      ///< --png: an absolute path, or empty.
  JobOptions job;
  OutputOptions output;
  KnownOptions known;
  TraceChoices trace;
};
} // namespace

/// Makes the job without its folder. What concerns compilers is left out for machines that need
/// none, so that it is not in the verdict either.
static Job makeJob(const RunVerb &verb, const Invocation &invocation, const CaseFile &file,
                   const DiffOptions &options) {
  Job job = makeCaseJob(file, options);
  job.machine = verb.machine;
  job.listBuffers = true;
  job.pictureFolder = verb.pictures;
  if (machineOf(job.machine).isReference)
    job.subgroupSize = verb.subgroupSize;
  if (needsCompiler(job.machine)) {
    job.compiler = invocation.command.empty() ? verb.compiler : commandCompiler.str();
    job.command = invocation.command;
    job.target = verb.target;
    job.optLevel = compilerOf(job.compiler).hasLevels ? verb.level : -1;
    job.waveSize = verb.wave;
    job.useLlvmLowering = verb.useLlvmLowering;
    job.palVersion = verb.palVersion;
    job.schedule = options.schedule;
  }
  job.rerun = describeRun(job);
  return job;
}

/// Returns the buffers that the worker of \p job has listed. Empty for a job that did not get so
/// far.
static std::vector<BufferListing> readListing(const Job &job) {
  Expected<json::Value> value = readJsonFile(job.buffersFile());
  Expected<std::vector<BufferListing>> listing =
      value ? readBuffers(*value) : Expected<std::vector<BufferListing>>(value.takeError());
  if (listing)
    return std::move(*listing);
  consumeError(listing.takeError());
  return {};
}

/// Returns the verdicts of all jobs, in their order. Where this build lacks the machine or
/// compiler, all are Unsupported and no worker starts.
static Expected<std::vector<Verdict>> runAll(ArrayRef<Job> jobs, const RunVerb &verb,
                                             const Invocation &invocation) {
  std::optional<std::string> reason = jobs.empty() ? std::nullopt : whyNotBuilt(jobs.front());
  if (!reason) {
    Progress progress("run", verb.output.quiet);
    PoolOptions pool = makePool(verb.job, invocation);
    pool.progress = [&](size_t done, size_t total) { progress.update(done, total); };
    return runJobsSteadily(jobs, pool, verb.job.retries);
  }
  std::vector<Verdict> verdicts;
  for (const Job &job : jobs)
    verdicts.push_back(makeVerdict(job, State::Unsupported, *reason));
  return std::move(verdicts);
}

/// Runs all cases and collects their verdicts, buffers and traces. The work folder is deleted at
/// the end, after traces are copied.
static Expected<Report> makeReport(const RunVerb &verb, const Invocation &invocation,
                                   ArrayRef<CaseFile> cases, const DiffOptions &options) {
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(verb.job.workFolder);
  if (!folder)
    return folder.takeError();
  std::vector<Job> jobs;
  for (const CaseFile &file : cases) {
    jobs.push_back(makeJob(verb, invocation, file, options));
    jobs.back().folder = (*folder)->jobFolder("job", jobs.size() - 1);
  }
  Expected<std::vector<Verdict>> verdicts = runAll(jobs, verb, invocation);
  if (!verdicts)
    return verdicts.takeError();
  Report report;
  report.verb = "run";
  report.verdicts = std::move(*verdicts);
  for (const Job &job : jobs) {
    report.sources[job.caseId].path = job.casePath;
    std::vector<BufferListing> buffers = readListing(job);
    if (!buffers.empty())
      report.buffers[job.caseId] = std::move(buffers);
  }
  if (Error error = deliverTraces(verb.trace, jobs))
    return std::move(error);
  return std::move(report);
}

/// Makes \p path absolute; an empty one stays empty. Environment where the current folder can't be
/// read.
static Error makeAbsolute(std::string &path) {
  if (path.empty())
    return Error::success();
  SmallString<128> absolute(path);
  if (std::error_code code = sys::fs::make_absolute(absolute))
    return environmentError(path + ": " + code.message());
  path = absolute.str().str();
  return Error::success();
}

/// Returns InvalidInput for options that contradict each other, whatever the cases are.
static Error verifyChoices(const RunVerb &verb, const Invocation &invocation) {
  if (Error error = verifyCommand(invocation, compilerPlaceholders))
    return error;
  if (Error error = verifyTarget(verb.target))
    return error;
  bool isOwn = compilerOf(verb.compiler).isOwn;
  if (invocation.hasCommand && !isOwn)
    return invalidInput("--compiler " + verb.compiler + " and a command after -- are two");
  if (verb.useLlvmLowering && (!isOwn || invocation.hasCommand))
    return invalidInput("--use-llvm-lowering is for compiler assay");
  if (verb.useLlvmLowering && !hasFatPointers(verb.target))
    return invalidInput("--use-llvm-lowering is for GPUs of AMD, not " + verb.target);
  if (verb.palVersion != PalVersion::V3_0 && (!isOwn || invocation.hasCommand))
    return invalidInput("--metadata-version is for compiler assay");
  if (tracesToStdout(verb.trace) && verb.output.output.empty() && verb.output.format != "text")
    return invalidInput("a trace among the result as " + verb.output.format +
                        ": --trace-file or --output");
  return Error::success();
}

/// \p app shows which options were given, which \p verb alone does not. The machine is chosen
/// first; the default target follows from it. The exit code is that of the verdicts.
static int runRunVerb(RunVerb &verb, const CLI::App &app, const Invocation &invocation) {
  auto begin = std::chrono::steady_clock::now();
  if (Error error = chooseMachine(app, verb.machine, invocation).moveInto(verb.machine))
    return failUsage(std::move(error));
  ArrayRef<Architecture> architectures = machineOf(verb.machine).architectures;
  if (!app.count("--target") && !architectures.empty())
    verb.target = defaultTarget(architectures.front()).str();
  if (Error error = chooseDebugMode(verb.debugModes, verb.target, verb.compiler))
    return failUsage(std::move(error));
  if (Error error = verifyChoices(verb, invocation))
    return failUsage(std::move(error));
  if (Error error = makeAbsolute(verb.pictures)) // Workers have folders of their own.
    return fail(ExitToolFailure, takeError(std::move(error)).message);
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return failUsage(options.takeError());
  Expected<std::vector<CaseFile>> cases = findCases(verb.inputs, verb.job.spirvEnv);
  if (!cases)
    return failUsage(cases.takeError());
  if (Error error = readKnown(verb.known))
    return failUsage(std::move(error));
  if (Error error = applyTraceChoices(verb.trace, cases->size(), options->schedule))
    return failUsage(std::move(error));
  Expected<Report> report = makeReport(verb, invocation, *cases, *options);
  if (!report)
    return fail(ExitToolFailure, takeError(report.takeError()).message);
  report->run = describeRunFacts(invocation, begin);
  return printJudged(std::move(*report), verb.output, verb.known);
}

/// Check of --wave: returns an empty text for 32 and 64, else the message. Debuggers number waves,
/// so the message names the option for that.
static std::string isWaveSize(const std::string &text) {
  if (text == "32" || text == "64")
    return "";
  return text + " is no wave size (32 or 64); the number of a wave to trace is --trace-wave";
}

void assay::addRun(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<RunVerb>();
  CLI::App *verb = app.add_subcommand("run", "Run cases on one machine and print their buffers");
  verb->add_option("inputs", options->inputs, "Cases: files, folders of them, - for stdin")
      ->required();
  verb->add_option("--machine", options->machine,
                   "spirv (the reference), gcn, adreno or vulkan:DRIVER (default: what runs the "
                   "code of the target where an option asks for it, else spirv)");
  std::vector<std::string> compilers = listBuiltInCompilers();
  verb->add_option("--compiler", options->compiler,
                   "Of machines that run code: " + join(compilers, ", "))
      ->check(CLI::IsMember(compilers))
      ->capture_default_str();
  verb->add_option("--target", options->target, "GPU of machine gcn or adreno")
      ->capture_default_str();
  verb->add_option("-O", options->level, "Optimisation level: 0 or 2")
      ->check(CLI::IsMember({0, 2}))
      ->capture_default_str();
  verb->add_option("--wave", options->wave, "Wave size: 32 or 64 (default: the target's)")
      ->check(isWaveSize);
  verb->add_flag("--use-llvm-lowering", options->useLlvmLowering,
                 "Of compiler assay: LLVM's own lowering of buffer fat pointers");
  addPalVersion(*verb, options->palVersion);
  verb->add_option("--subgroup-size", options->subgroupSize,
                   "Subgroup size of machine spirv: a power of two up to 128 (default: the case's, "
                   "or 64)")
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32, 64, 128}));
  verb->add_option("--max-values", options->output.maxValues, "Values of a buffer that text shows")
      ->check(wholeNumber(0))
      ->capture_default_str();
  addOutputFolder(*verb, "--png", options->pictures,
                  "Write the attachments at each checkpoint into this folder, as PNG files");
  addTraceOptions(*verb, options->trace);
  addReadOptions(*verb, options->job);
  addRuleOptions(*verb, options->job);
  addJobOptions(*verb, options->job);
  addCacheOptions(*verb, options->job);
  addDebugModes(*verb, options->debugModes);
  addOutputOptions(*verb, options->output);
  addKnownOptions(*verb, options->known);
  verb->callback([options, verb, &invocation] {
    invocation.takesCommand = true;
    invocation.action = [options, verb, &invocation] {
      return runRunVerb(*options, *verb, invocation);
    };
  });
}

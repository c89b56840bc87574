// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay compile: one pipeline to an ELF, or to the text of any phase.
#include "compiler/api/Target.h"
#include "harness/cli/Cli.h"
#include "harness/cli/DiffChoices.h"
#include "harness/cli/InputFiles.h"
#include "harness/cli/OutputFile.h"
#include "harness/run/CaseFiles.h"
#include "harness/run/Configurations.h"
#include "harness/run/Determinism.h"
#include "harness/run/FileNames.h"
#include "harness/run/Rerun.h"
#include "harness/run/Retry.h"
#include "harness/run/WorkFolder.h"
#include "reports/Escape.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. A wave size of 0 is the target's default; the entry point is empty where
/// the input has one pipeline.
struct CompileVerb {
  std::string input; ///< A shader, or a script with one pipeline; "-" is stdin.
  std::string compiler = ownCompiler.str();
  std::string target = defaultTarget(Architecture::AmdGpu).str();
  int level = 2; ///< 0 or 2; not used for compilers without levels.
  unsigned wave = 0;
  bool useLlvmLowering = false; ///< Of buffer fat pointers, instead of Assay's.
  PalVersion palVersion = PalVersion::V3_0;
  std::vector<std::string> debugModes;
  bool again = false;        ///< Compile three times and compare the bytes; nothing is written.
  std::string phase = "elf"; ///< --emit.
  std::string output;        ///< Empty: stdout.
  std::string entryPoint;    ///< Or the name of a pipeline of a script.
  JobOptions job;
};
} // namespace

/// Returns the exit code of a compile job's verdict. Prints the findings of a pass, which are
/// diagnostics, or else the reason and the command that repeats the job, to stderr.
static int exitCodeOf(const Job &job, const Verdict &verdict) {
  for (const Finding &finding : verdict.findings)
    if (verdict.state == State::Pass)
      errs() << escapeLine(finding.message) << "\n";
  if (verdict.state == State::Pass)
    return ExitGood;
  int code = verdict.state == State::Unsupported ? ExitUnsupported
             : verdict.state == State::ToolError ? ExitToolFailure
             : verdict.state == State::Flaky     ? ExitKnownOnly
                                                 : ExitFindings;
  // Errors of the reader begin with the path.
  StringRef path = job.caseId == standardInputId ? StringRef("-") : StringRef(job.casePath);
  StringRef reason = verdict.reason;
  reason.consume_front((path + ": ").str());
  errs() << "assay: " << stateName(verdict.state) << ": " << escapeLine(path) << ": "
         << escapeLine(reason) << "\n  rerun: " << escapeLine(verdict.rerun) << "\n";
  return code;
}

/// Makes the job without its folder. Compilers without levels get level -1. The job's folder is set
/// by the caller.
static Job makeCompileJob(const CompileVerb &verb, const CaseFile &file,
                          const DiffOptions &options) {
  Job job = makeCompileJob(makeCaseJob(file, options), verb.phase);
  job.compiler = verb.compiler;
  job.target = verb.target;
  job.optLevel = compilerOf(verb.compiler).hasLevels ? verb.level : -1;
  job.waveSize = verb.wave;
  job.useLlvmLowering = verb.useLlvmLowering;
  job.palVersion = verb.palVersion;
  job.entryPoint = verb.entryPoint;
  job.rerun = describeCompile(job);
  return job;
}

/// Compiles the job three times and reports whether the bytes are equal. Prints nothing if they
/// are. Returns the exit code.
static int printAgain(Job job, const DiffOptions &options, const CompileVerb &verb,
                      const Invocation &invocation) {
  job.machine = compileAgainMachine.str();
  job.rerun = describeCompileAgain(job);
  Expected<std::vector<Verdict>> verdicts =
      compileAgain(job, options, makePool(verb.job, invocation));
  if (!verdicts)
    return fail(ExitToolFailure, takeError(verdicts.takeError()).message);
  return exitCodeOf(job, verdicts->front());
}

/// Returns the file or a copy of standard input. Unlike findCases() it accepts a file of any name.
/// InvalidInput for a folder and for a file that does not exist.
static Expected<CaseFile> findInput(const std::string &input) {
  if (input == standardInputId)
    return copyStandardInput();
  if (Error error = verifyInputFile(input))
    return std::move(error);
  if (!sys::fs::is_regular_file(input))
    return invalidInput(input + ": is not a regular file; - reads the standard input");
  if (Error error = verifyFileName(input))
    return std::move(error);
  return CaseFile{input, input};
}

/// Compiles in a worker, and prints or writes its output. With --again there is no output, only a
/// verdict. An ELF is never written to a terminal: usage error.
static int runCompileVerb(const CompileVerb &verb, const Invocation &invocation) {
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return failUsage(options.takeError());
  if (Error error = verifyTarget(verb.target))
    return failUsage(std::move(error));
  Expected<const TargetInfo *> target = findTarget(verb.target);
  if (!target)
    return fail(target.takeError());
  Expected<CaseFile> file = findInput(verb.input);
  if (!file)
    return failUsage(file.takeError());
  file->spirvEnv = verb.job.spirvEnv;
  if (verb.phase == "elf" && verb.output.empty() && !verb.again && isatty(STDOUT_FILENO))
    return fail(ExitUsage, "an ELF is not written to a terminal; name a file by -o");
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(verb.job.workFolder);
  if (!folder)
    return fail(folder.takeError());
  Job job = makeCompileJob(verb, *file, *options);
  if (verb.again)
    return printAgain(std::move(job), *options, verb, invocation);
  job.folder = (*folder)->jobFolder("compile", 0);
  Expected<std::vector<Verdict>> verdicts =
      runJobsSteadily(job, makePool(verb.job, invocation), verb.job.retries);
  if (!verdicts)
    return fail(ExitToolFailure, takeError(verdicts.takeError()).message);
  if (int code = exitCodeOf(job, verdicts->front()))
    return code;
  Expected<std::string> output = readFileText(job.outputFile());
  if (!output)
    return fail(output.takeError());
  return printText(*output, verb.output);
}

/// Refuses options that the chosen compiler would ignore, while the command line is parsed.
void assay::addCompile(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<CompileVerb>();
  CLI::App *verb = app.add_subcommand(
      "compile", "Compile to a PAL ELF (a peer: to a file of its own), or any phase's text");
  verb->add_option("input", options->input, "A shader, or a script with one pipeline; - for stdin")
      ->required();
  verb->add_option("--target", options->target, "GPU")->capture_default_str();
  std::vector<std::string> compilers = listBuiltInCompilers();
  verb->add_option("--compiler", options->compiler, join(compilers, ", "))
      ->check(CLI::IsMember(compilers))
      ->capture_default_str();
  verb->add_option("-O", options->level, "Optimisation level: 0 or 2")
      ->check(CLI::IsMember({0, 2}))
      ->capture_default_str();
  verb->add_option("--wave", options->wave, "Wave size: 32 or 64 (default: the target's)")
      ->check(CLI::IsMember({32, 64}));
  verb->add_flag("--use-llvm-lowering", options->useLlvmLowering,
                 "Of compiler assay: LLVM's own lowering of buffer fat pointers");
  addPalVersion(*verb, options->palVersion);
  verb->add_option("--emit", options->phase,
                   "elf, spirv, lgc, llvm, asm or metadata; of Adreno GPUs ir3, ir3-passes")
      ->check(
          CLI::IsMember({"elf", "spirv", "lgc", "llvm", "ir3", "ir3-passes", "asm", "metadata"}))
      ->capture_default_str();
  verb->add_flag("--again", options->again,
                 "Write nothing: compile twice in one process and once in another, with other "
                 "surroundings and another past; 1 where the bytes differ");
  addOutputFile(*verb, "-o", options->output, "File (default: stdout)");
  verb->add_option("--entry", options->entryPoint, "Entry point, or pipeline of a script");
  addReadOptions(*verb, options->job);
  addJobOptions(*verb, options->job);
  addCacheOptions(*verb, options->job);
  addDebugModes(*verb, options->debugModes);
  verb->callback([options, verb, &invocation] {
    if (Error error = chooseDebugMode(options->debugModes, options->target, options->compiler))
      throw CLI::ValidationError("--ir3-debug", takeError(std::move(error)).message);
    // It would be lost without a word.
    const CompilerInfo &compiler = compilerOf(options->compiler);
    if (!compiler.hasLevels && verb->count("-O"))
      throw CLI::ValidationError("-O", "peer compilers have no levels");
    if (!compiler.hasLowerings && options->useLlvmLowering)
      throw CLI::ValidationError("--use-llvm-lowering", "is of compiler assay");
    if (options->useLlvmLowering && !hasFatPointers(options->target))
      throw CLI::ValidationError("--use-llvm-lowering",
                                 "is for GPUs of AMD, not " + options->target);
    if (!compiler.isOwn && options->palVersion != PalVersion::V3_0)
      throw CLI::ValidationError("--metadata-version", "is of compiler assay");
    if (options->again && (!compiler.isOwn || !options->output.empty()))
      throw CLI::ValidationError("--again", "is of compiler assay, and writes no file");
    if (options->again && !options->job.cacheFolder.empty())
      throw CLI::ValidationError("--again", "compares compilations; --cache would leave them out");
    invocation.action = [options, &invocation] { return runCompileVerb(*options, invocation); };
  });
}

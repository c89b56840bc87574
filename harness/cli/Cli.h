// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verbs of `assay` share: how one is registered, how it ends, what it prints.
#pragma once

#include "harness/run/Diff.h"
#include "reports/Report.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <functional>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's own name.
namespace CLI {
class App;
class Option;
} // namespace CLI

namespace assay {

/// Exit codes of DESIGN.md section 5; the first that applies.
enum ExitCode : int {
  ExitGood = 0,
  ExitFindings = 1,
  ExitUsage = 2,
  ExitToolFailure = 3,
  ExitKnownOnly = 4,
  ExitUnsupported = 77,
};

/// One run of the program: what stood after `--`, and what the chosen verb wants done.
struct Invocation {
  std::string program;              ///< This program, to start workers with.
  std::string commandLine;          ///< For a shell: "assay diff ...".
  std::vector<std::string> command; ///< After the first `--`.
  bool hasCommand = false;          ///< Whether there is a `--`.
  std::function<int()> action;      ///< Set by the verb that was chosen; returns the exit code.
  bool takesCommand = false;        ///< Set by it, too: `--` and a command may be after it.
};

/// Registers a verb with \p app: its options, and its action in \p invocation. Both outlive it.
using AddVerb = void (*)(CLI::App &app, Invocation &invocation);
void addAssemble(CLI::App &app, Invocation &invocation);
void addDisassemble(CLI::App &app, Invocation &invocation);
void addPrintIr(CLI::App &app, Invocation &invocation);
void addCompile(CLI::App &app, Invocation &invocation);
void addRun(CLI::App &app, Invocation &invocation);
void addDiff(CLI::App &app, Invocation &invocation);
void addValidateElf(CLI::App &app, Invocation &invocation);
void addCheckFatPointers(CLI::App &app, Invocation &invocation);
void addCache(CLI::App &app, Invocation &invocation);
void addCheckHashes(CLI::App &app, Invocation &invocation);
void addFuzz(CLI::App &app, Invocation &invocation);
void addMinimize(CLI::App &app, Invocation &invocation);
void addLocalize(CLI::App &app, Invocation &invocation);
void addReplay(CLI::App &app, Invocation &invocation);
void addScore(CLI::App &app, Invocation &invocation);
void addCampaign(CLI::App &app, Invocation &invocation);
void addCorpus(CLI::App &app, Invocation &invocation);
void addBugs(CLI::App &app, Invocation &invocation);
void addMerge(CLI::App &app, Invocation &invocation);
void addReport(CLI::App &app, Invocation &invocation);
void addTriage(CLI::App &app, Invocation &invocation);
void addDoctor(CLI::App &app, Invocation &invocation);
void addVersion(CLI::App &app, Invocation &invocation);
void addWorker(CLI::App &app, Invocation &invocation);

/// Prints "assay: MESSAGE" as one line to stderr and returns \p code.
int fail(ExitCode code, const llvm::Twine &message);
/// The same for an error, by its kind: invalid input 1, unsupported 77, else 3.
int fail(llvm::Error error);

/// The exit code of a set of verdicts. A reference that passes is no pass of a machine: where there
/// are verdicts of machines, only they keep "nothing passed" away. Nor is code that two
/// compilations agree on. What is known (Report::known) does not count.
int exitCodeFor(const Report &report, bool failsOnUnsupported = false);

/// A check of an option that has no sign: CLI11 would take -1 for 2^64 - 1. What is wrong with a
/// text; empty: it is a whole number of at least \p least.
std::function<std::string(const std::string &)> wholeNumber(uint64_t least);
/// A check of an option that is a time: what is wrong with a text; empty: it is a finite number of
/// seconds from \p least to \p most. CLI11's ranges accept nan.
std::function<std::string(const std::string &)> secondsBetween(double least, double most);

/// The first option of \p verb and the verbs below it that was given an empty text, such as --png
/// ""; null: none was. A title or another free text may be empty.
const CLI::Option *findEmptyOption(const CLI::App &verb);

/// Options of several verbs.
struct OutputOptions {
  std::string format = "text";
  std::string output; ///< File instead of stdout.
  std::string htmlFolder;
  std::string color = "auto";
  bool quiet = false;
  bool verbose = false;
  uint64_t maxValues = 64;         ///< Of a listed buffer, in text.
  bool failsOnUnsupported = false; ///< `--fail-on unsupported`.
};
/// Adds --format, --output, --html, --color, --quiet and -v.
void addOutputOptions(CLI::App &verb, OutputOptions &options);

/// Writes \p report as \p options say. The exit code of the report, or of what went wrong.
int printReport(Report report, const OutputOptions &options);

/// What started with \p invocation at \p begin and ends now, and with which versions.
RunFacts describeRunFacts(const Invocation &invocation,
                          std::chrono::steady_clock::time_point begin);

/// Writes \p text to \p file, stdout when empty. 0, or 3 having said why.
int printText(llvm::StringRef text, llvm::StringRef file);

/// The lowest --memory-limit, in MiB. A worker needs some 290 to load its libraries and read a
/// case; below, it could not even say what is missing.
inline constexpr uint64_t leastMemoryMib = 512;

/// How jobs are run, as the command line says it.
struct JobOptions {
  unsigned jobs = 0;  ///< 0: as many as there are cores.
  bool serves = true; ///< PoolOptions::warm.
  double timeoutSeconds = 60;
  uint64_t memoryMib = 4096;
  uint64_t maxInstructions = JobLimits().maxInstructions;
  uint64_t seed = 0;
  JobSchedule schedule;
  unsigned retries = 1;
  std::vector<std::string> plants;
  std::string workFolder;
  std::string spirvEnv;                 ///< CaseFile::spirvEnv, from addReadOptions().
  std::string cacheFolder, cachePolicy; ///< From addCacheOptions().
  bool checkCache = false;              ///< Likewise.
};
/// Adds --jobs, --timeout, --memory-limit, --max-instructions, --retries, --seed, --sanitize,
/// --schedule, --schedule-seed, --schedules, --threads, --warm, and the hidden --plant and
/// --work-dir.
void addJobOptions(CLI::App &verb, JobOptions &options);
/// Adds --spirv-env, for verbs that read scripts.
void addReadOptions(CLI::App &verb, JobOptions &options);
/// Adds --cache and --cache-policy, for verbs that compile.
void addCacheOptions(CLI::App &verb, JobOptions &options);
/// Adds --skip-rule, for verbs that judge cases.
void addRuleOptions(CLI::App &verb, JobOptions &options);
/// Those that verbs have whose workers run no machine: how many, and what one may take.
void addWorkerOptions(CLI::App &verb, JobOptions &options);
/// What --jobs asks for, and the program to start.
PoolOptions makePool(const JobOptions &options, const Invocation &invocation);
/// InvalidInput for a fault that does not exist; Unsupported in a build without faults.
llvm::Expected<DiffOptions> makeDiffOptions(const JobOptions &options);

/// Splits at commas; an empty part is InvalidInput.
llvm::Expected<std::vector<std::string>> splitNames(llvm::StringRef what, llvm::StringRef text);
/// InvalidInput for a target that neither exists nor is planned.
llvm::Error verifyTarget(llvm::StringRef name);
/// InvalidInput for a name that nobody knows; one that is not built yet is unsupported later. A
/// known name that ends in a colon takes a name of its own after it.
llvm::Error verifyNames(llvm::StringRef what, llvm::ArrayRef<std::string> names,
                        llvm::ArrayRef<llvm::StringRef> known);
/// The names of the compilers that are not a command line of the user: what --compiler of run and
/// compile takes.
std::vector<std::string> listBuiltInCompilers();
/// verifyNames for the machines that there are or that are planned.
llvm::Error verifyMachines(llvm::ArrayRef<std::string> names);

/// InvalidInput for a `--` that is not followed by a command with \p known placeholders;
/// no `--` is none.
llvm::Error verifyCommand(const Invocation &invocation, llvm::ArrayRef<llvm::StringLiteral> known);

/// An error about the command line or what it names: invalid input 2, else as fail().
int failUsage(llvm::Error error);

} // namespace assay

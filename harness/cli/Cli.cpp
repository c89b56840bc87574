// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/Cli.h"

#include "compiler/cache/Cache.h"

#include "compiler/api/Target.h"
#include "harness/cli/OutputFile.h"
#include "harness/cli/Provenance.h"
#include "harness/cli/ReportInputs.h"
#include "harness/cli/SanitizerList.h"
#include "harness/run/CommandWords.h"
#include "harness/run/SameBytes.h"
#include "harness/run/WarmWorkers.h"
#include "harness/run/WorkFolder.h"
#include "oracles/input/CaseReader.h"
#include "reports/Escape.h"
#include "reports/TableReport.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Threading.h"
#include <CLI/CLI.hpp>
#include <cmath>
#include <unistd.h>

using namespace llvm;
using namespace assay;

/// Prints the message to the standard error in one line and returns the code.
int assay::fail(ExitCode code, const Twine &message) {
  errs() << "assay: " << escapeLine(message.str()) << "\n";
  return code;
}

/// Maps the kind of the error to an exit code: findings for invalid input and for defects of the
/// compiler, unsupported, and tool failure for all others.
int assay::fail(Error error) {
  ErrorParts parts = takeError(std::move(error));
  if (parts.kind == ErrorKind::Unsupported)
    return fail(ExitUnsupported, "unsupported: " + parts.message);
  bool isFinding = parts.kind == ErrorKind::InvalidInput || parts.kind == ErrorKind::Internal;
  return fail(isFinding ? ExitFindings : ExitToolFailure, parts.message);
}

/// The worst state decides. Unsupported only where no machine passed; a run of references alone is
/// judged by these. Known problems do not count.
int assay::exitCodeFor(const Report &report, bool failsOnUnsupported) {
  Counts counts = report.countUnknown();
  if (counts[State::ToolError])
    return ExitToolFailure;
  if (counts.bad() || (failsOnUnsupported && counts[State::Unsupported]))
    return ExitFindings;
  if (counts[State::Flaky])
    return ExitKnownOnly;
  auto isReference = [](const Verdict &verdict) { return isReferenceRun(verdict); };
  bool onlyReferences = all_of(report.verdicts, isReference);
  bool passed = any_of(report.verdicts, [&](const Verdict &verdict) {
    return verdict.state == State::Pass && verdict.machine != compileAgainMachine &&
           (onlyReferences || !isReference(verdict));
  });
  return !passed && counts[State::Unsupported] ? ExitUnsupported : ExitGood;
}

/// A check for CLI11: the message is empty for decimal numbers from \p least on.
std::function<std::string(const std::string &)> assay::wholeNumber(uint64_t least) {
  return [least](const std::string &text) {
    uint64_t number = 0;
    return StringRef(text).getAsInteger(10, number) || number < least
               ? "'" + text + "' is no whole number from " + std::to_string(least)
               : "";
  };
}

/// A check for CLI11: the message is empty for decimal numbers from \p least to \p most.
std::function<std::string(const std::string &)> assay::secondsBetween(double least, double most) {
  return [least, most](const std::string &text) {
    double number = 0;
    bool isNumber = !StringRef(text).getAsDouble(number);
    if (isNumber && number >= least && number <= most) // False for nan.
      return std::string();
    std::string message;
    raw_string_ostream(message) << "'" << text << "' is not a number of seconds from "
                                << format("%g to %g", least, most);
    return message;
  };
}

void assay::addOutputOptions(CLI::App &verb, OutputOptions &options) {
  verb.add_option("--format", options.format,
                  "text, table, json, jsonl, junit, sarif, html or markdown")
      ->check(
          CLI::IsMember({"text", "table", "json", "jsonl", "junit", "html", "sarif", "markdown"}))
      ->capture_default_str();
  addOutputFile(verb, "-o,--output", options.output,
                "Write the report to this file, not to stdout");
  addOutputFolder(verb, "--html", options.htmlFolder,
                  "Also write a report for a browser to this folder");
  verb.add_option("--color", options.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  verb.add_flag("--quiet", options.quiet, "No progress; only what is bad");
  verb.add_flag("-v,--verbose", options.verbose, "A line per verdict");
}

/// Options with free text, which may be empty.
static constexpr StringLiteral freeTexts[] = {"--title", "--reason", "--link", "--actor",
                                              "--revision"};

/// Arguments without an option are not looked at: the verbs say what is wrong with such a file.
const CLI::Option *assay::findEmptyOption(const CLI::App &verb) {
  for (const CLI::Option *option : verb.get_options())
    if (option->nonpositional() && !is_contained(freeTexts, option->get_name()) &&
        is_contained(option->results(), std::string()))
      return option;
  for (const CLI::App *child : verb.get_subcommands())
    if (const CLI::Option *option = findEmptyOption(*child))
      return option;
  return nullptr;
}

/// An empty file name, or "-", means the standard output. Tool failure where it cannot be written.
int assay::printText(StringRef text, StringRef file) {
  Error error = writeFile(file.empty() ? "-" : file, text);
  if (!error)
    return ExitGood;
  return fail(ExitToolFailure, takeError(std::move(error)).message);
}

/// Writes the report and, if asked for, its pages. Returns the exit code of the report, or that of
/// a failed write.
int assay::printReport(Report report, const OutputOptions &options) {
  std::optional<ReportFormat> format = parseReportFormat(options.format);
  bool isTable = options.format == "table";
  if (!format && !isTable)
    return fail(ExitUnsupported, "unsupported: format " + options.format + " is not built yet");
  if (format == ReportFormat::Html)
    collectSources(report);
  TextStyle style;
  style.verbose = options.verbose;
  style.quiet = options.quiet;
  style.maxValues = options.maxValues;
  style.color = options.color == "always" ||
                (options.color == "auto" && options.output.empty() && isatty(STDOUT_FILENO));
  std::string text;
  raw_string_ostream os(text);
  if (isTable)
    writeTableReport(os, report, style);
  else
    writeReport(os, report, *format, style);
  if (int code = printText(text, options.output))
    return code;
  int code = exitCodeFor(report, options.failsOnUnsupported);
  if (options.htmlFolder.empty())
    return code;
  SiteInput input;
  input.report = std::move(report);
  int problem = printSite(std::move(input), options.htmlFolder);
  return problem ? problem : code;
}

/// The duration is that since \p begin.
RunFacts assay::describeRunFacts(const Invocation &invocation,
                                 std::chrono::steady_clock::time_point begin) {
  auto spent = std::chrono::steady_clock::now() - begin;
  RunFacts run;
  run.command = invocation.commandLine;
  run.versions = describeBuild();
  append_range(run.versions, describeHost());
  run.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(spent).count();
  return run;
}

/// Options of all verbs that start workers. Hidden ones are for the tests of Assay.
void assay::addWorkerOptions(CLI::App &verb, JobOptions &options) {
  verb.add_option("--jobs", options.jobs, "Workers at one time (default: number of cores)")
      ->check(CLI::Range(1, 4096));
  verb.add_option("--timeout", options.timeoutSeconds, "Seconds a worker may take")
      ->check(secondsBetween(0.001, 1e6))
      ->capture_default_str();
  verb.add_option("--memory-limit", options.memoryMib, "MiB a worker may take")
      ->check(CLI::Range(leastMemoryMib, uint64_t(1) << 20))
      ->capture_default_str();
  verb.add_option("--warm", "A worker runs many jobs (on), or each has a process of its own (off); "
                            "changes no result")
      ->check(CLI::IsMember({"on", "off"}))
      ->each([&options](const std::string &choice) { options.serves = choice == "on"; });
  // Hidden: for the tests of Assay itself.
  verb.add_option("--plant", options.plants)->allow_extra_args(false)->group("");
  verb.add_option("--work-dir", options.workFolder)->group("");
}

/// A check for CLI11: the message is empty for names that are known.
static std::string whyNoEnvironment(const std::string &name) {
  Expected<ReadOptions> options = makeReadOptions(name);
  if (options && !name.empty())
    return "";
  return options ? "the name of a SPIR-V environment is empty"
                 : takeError(options.takeError()).message;
}

void assay::addReadOptions(CLI::App &verb, JobOptions &options) {
  verb.add_option(
          "-t,--spirv-env", options.spirvEnv,
          "SPIR-V version of assembly that does not say one: spv1.0 to spv1.6, vulkan1.0 to "
          "vulkan1.4, vulkan1.1spv1.4 (default: chosen for each script)")
      ->check(whyNoEnvironment);
}

/// Refuses names that are no rule while the command line is parsed.
void assay::addRuleOptions(CLI::App &verb, JobOptions &options) {
  verb.add_option("--skip-rule", options.schedule.skippedRules,
                  "Drop findings of this rule of machine gcn's sanitizers (assay doctor "
                  "--sanitizers) or of validate-elf (--list-rules); repeatable")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(whyNotSkippable);
}

/// Adds those of addWorkerOptions(), too.
void assay::addJobOptions(CLI::App &verb, JobOptions &options) {
  addWorkerOptions(verb, options);
  verb.add_option("--max-instructions", options.maxInstructions, "Of one dispatch on a machine")
      ->check(wholeNumber(1))
      ->capture_default_str();
  verb.add_option("--retries", options.retries, "Of a worker that died, to tell flaky ones")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  verb.add_option("--seed", options.seed, "Of the schedule of invocations and waves")
      ->check(wholeNumber(0))
      ->capture_default_str();
  verb.add_option("--sanitize", "Machine gcn: report what hardware may forgive (on) or not (off)")
      ->check(CLI::IsMember({"on", "off"}))
      ->each(
          [&options](const std::string &choice) { options.schedule.sanitizes = choice == "on"; });
  verb.add_option("--schedule", "Machine gcn: results come at once (eager) or as late as is legal "
                                "(late)")
      ->check(CLI::IsMember({"eager", "late"}))
      ->each([&options](const std::string &kind) { options.schedule.late = kind == "late"; });
  verb.add_option("--schedule-seed", options.schedule.seed,
                  "Machine gcn: of the schedule alone (default: --seed)")
      ->check(wholeNumber(0));
  verb.add_option("--schedules", options.schedule.count,
                  "Machine gcn: run so many schedules, and compare them")
      ->check(CLI::Range(1, 1000000));
  verb.add_option("--threads", options.schedule.threads,
                  "Machine gcn: run workgroups on so many threads; changes no result")
      ->check(CLI::Range(1, 256));
}

void assay::addCacheOptions(CLI::App &verb, JobOptions &options) {
  verb.add_option("--cache", options.cacheFolder,
                  "Of compiler assay: folder of a compiler cache; created if missing");
  verb.add_option("--cache-policy", options.cachePolicy,
                  "How the cache is pruned: cache_size_bytes=1g:prune_after=1w");
  verb.add_flag("--check-cache", options.checkCache,
                "Compile what comes from the cache, too; other bytes are a fail");
}

/// Converts units: seconds to milliseconds, MiB to bytes. InvalidInput for options that need each
/// other and for unknown faults.
Expected<DiffOptions> assay::makeDiffOptions(const JobOptions &options) {
  DiffOptions result;
  result.seed = options.seed;
  result.schedule = options.schedule;
  result.retries = options.retries;
  result.workFolder = options.workFolder;
  result.cacheFolder = options.cacheFolder;
  result.cachePolicy = options.cachePolicy;
  result.checkCache = options.checkCache;
  if (options.checkCache && options.cacheFolder.empty())
    return invalidInput("--check-cache checks the cache of --cache DIR, which is missing");
  if (!options.cachePolicy.empty() && options.cacheFolder.empty())
    return invalidInput("--cache-policy is for the cache of --cache DIR, which is missing");
  if (sys::fs::exists(options.cacheFolder) && !sys::fs::is_directory(options.cacheFolder))
    return invalidInput("--cache " + options.cacheFolder + ": is not a folder");
  if (Expected<CachePruningPolicy> policy = parseCachePolicy(options.cachePolicy); !policy)
    return policy.takeError();
  result.limits.timeoutMs = static_cast<uint64_t>(std::llround(options.timeoutSeconds * 1000));
  result.limits.memoryBytes = options.memoryMib << 20;
  result.limits.maxInstructions = options.maxInstructions;
  for (StringRef text : options.plants) {
    auto [fault, caseName] = text.split('@');
    if (Error error = verifyFault(fault))
      return std::move(error);
    result.plants.push_back({fault.str(), caseName.str()});
  }
  return std::move(result);
}

/// Splits at commas, trims blanks, and drops repeated names. InvalidInput for empty names.
Expected<std::vector<std::string>> assay::splitNames(StringRef what, StringRef text) {
  std::vector<std::string> names;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    if (part.trim().empty())
      return invalidInput(what + ": '" + text + "' has an empty name");
    if (!is_contained(names, part.trim().str()))
      names.push_back(part.trim().str());
  }
  return std::move(names);
}

/// InvalidInput whatever the kind of the original error.
Error assay::verifyTarget(StringRef name) {
  Expected<const TargetInfo *> target = findTarget(name);
  if (!target)
    return invalidInput(takeError(target.takeError()).message);
  return Error::success();
}

/// A known name that ends with a colon is a prefix, which needs something after it.
Error assay::verifyNames(StringRef what, ArrayRef<std::string> names, ArrayRef<StringRef> known) {
  std::string list;
  for (StringRef name : known)
    list += (list.empty() ? "" : ", ") + name.str() + (name.ends_with(":") ? "NAME" : "");
  for (StringRef name : names)
    if (none_of(known, [&](StringRef k) {
          return k.ends_with(":") ? name.starts_with(k) && name != k : name == k;
        }))
      return invalidInput(what + " '" + name + "': known are " + list);
  return Error::success();
}

/// All compilers but the command line after `--`.
std::vector<std::string> assay::listBuiltInCompilers() {
  std::vector<std::string> names;
  for (const CompilerInfo &compiler : compilers())
    if (!compiler.isCommand)
      names.push_back(compiler.name.str());
  return names;
}

Error assay::verifyMachines(ArrayRef<std::string> names) {
  return verifyNames("machine", names, machineNames());
}

/// Nothing is wrong where there is no command.
Error assay::verifyCommand(const Invocation &invocation, ArrayRef<StringLiteral> known) {
  return invocation.hasCommand ? verifyCommandWords(invocation.command, known) : Error::success();
}

/// Without --jobs there are as many workers as cores.
PoolOptions assay::makePool(const JobOptions &options, const Invocation &invocation) {
  PoolOptions pool;
  pool.program = invocation.program;
  pool.processes = options.jobs ? options.jobs : hardware_concurrency().compute_thread_count();
  if (options.serves) {
    pool.warm = std::make_shared<WarmWorkers>();
    pool.warmOthers = std::make_shared<WarmWorkers>();
  }
  return pool;
}

/// As fail(), but invalid input is a usage error.
int assay::failUsage(Error error) {
  ErrorParts parts = takeError(std::move(error));
  if (parts.kind == ErrorKind::InvalidInput)
    return fail(ExitUsage, parts.message);
  return fail(make_error<AssayError>(parts.kind, parts.message));
}

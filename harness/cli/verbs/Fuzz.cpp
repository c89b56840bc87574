// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay fuzz: a campaign of generated cases, or a shard of one.
#include "fuzz/generate/Profile.h"
#include "harness/campaign/CampaignFolder.h"
#include "harness/campaign/Coverage.h"
#include "harness/cli/DiffChoices.h"
#include "harness/cli/FuzzArguments.h"
#include "harness/cli/KnownBugs.h"
#include "harness/cli/OutputFile.h"
#include "harness/cli/Progress.h"
#include "harness/cli/Provenance.h"
#include "harness/run/Configurations.h"
#include "harness/run/WorkerGuard.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace {
/// The defaults here are those of the command line. What decides the cases is kept in the
/// campaign's folder; the rest may differ when a campaign is resumed.
struct FuzzVerb {
  std::string folder; ///< Resumed where it exists. Empty only with --print.
  std::string profile = "default";
  std::string shard = "1/1"; ///< K/N; K counts from 1.
  DiffChoices choices;
  uint64_t cases = 1000;  ///< Of all shards together.
  double maxSeconds = 0;  ///< After which no further batch begins; 0: no limit.
  unsigned batch = 32;    ///< Cases that are run and kept together.
  unsigned transform = 0; ///< Most steps that change a case; 0: none.
  unsigned again = CampaignOptions().again;
  unsigned checkLowering = 4;     ///< One of so many cases has its lowering checked; 0: none.
  std::optional<uint64_t> print;  ///< Number of the case to print; nothing is run then.
  std::string log;                ///< File for the steps of the printed case.
  std::string times;              ///< File for the processor time by stage, as JSON.
  std::vector<std::string> steer; ///< Coverage files of earlier campaigns, added up.
  std::vector<std::string> avoid; ///< Ids of known bugs to leave out.
  KnownBugsChoice bugs;
  std::string coverage;        ///< File for what the cases exercise, as JSON.
  uint64_t coverageSample = 8; ///< One of so many cases counts for the coverage.
  bool quiet = false;
  JobOptions job;
};
} // namespace

/// Appends what the generator leaves out to \p options, in the order of --avoid. InvalidInput for
/// an id that is not known and for a bug that the generator can't avoid.
static Error readAvoided(const FuzzVerb &verb, CampaignOptions &options) {
  if (verb.avoid.empty())
    return Error::success();
  Expected<std::vector<KnownBug>> bugs = readKnownBugs(verb.bugs);
  if (!bugs)
    return bugs.takeError();
  for (const std::string &id : verb.avoid) {
    auto found = find_if(*bugs, [&](const KnownBug &bug) { return bug.id == id; });
    if (found == bugs->end())
      return invalidInput("--avoid: there is no known bug '" + id + "'" +
                          (bugs->empty() ? "; --bugs DIR names their folder" : ""));
    BugRecognizer recognizer = found->recognizer.value_or(BugRecognizer());
    AvoidedBug bug{id, recognizer.operations, recognizer.trigger};
    if (Error error = verifyAvoidable(bug))
      return addContext(std::move(error), "--avoid");
    options.avoided.push_back(std::move(bug));
  }
  return Error::success();
}

/// Fills \p options, whose diff already has what the job options say. InvalidInput for an unknown
/// profile and for what does not go together.
static Error fillOptions(const FuzzVerb &verb, const Invocation &invocation,
                         CampaignOptions &options) {
  if (Error error = applyDiffChoices(verb.choices, invocation, options.diff))
    return error;
  options.diff.onlyExistingWaves = true;
  if (any_of(options.diff.machines, needsCompiler) && configurationsOf(options.diff).empty())
    return invalidInput("--wave: no target has waves of that size");
  options.profile = verb.profile;
  options.cases = verb.cases;
  options.seed = verb.job.seed;
  options.transform = verb.transform;
  options.again = verb.again;
  options.diff.checkLowering = verb.checkLowering;
  if (!verb.steer.empty())
    if (Error error = readSteering(verb.steer).moveInto(options.steering))
      return error;
  if (Error error = readAvoided(verb, options))
    return error;
  return fuzz::findProfile(verb.profile).takeError();
}

/// Parses "K/N", the K-th of N shards. K counts from 1 in the text and from 0 in \p shard.
/// InvalidInput for other texts.
static Error readShard(StringRef text, CampaignShard &shard) {
  auto [index, count] = text.split('/');
  if (index.getAsInteger(10, shard.index) || count.getAsInteger(10, shard.count) ||
      shard.index < 1 || shard.index > shard.count)
    return invalidInput("--shard " + text + ": not K/N with K from 1 to N");
  --shard.index;
  return Error::success();
}

/// Prints the script of one case, and with --log writes its steps to a file. Runs nothing.
static int printCase(const FuzzVerb &verb, const CampaignOptions &options) {
  Expected<CampaignCase> made = makeCampaignCase(options, *verb.print);
  if (!made)
    return failUsage(made.takeError());
  if (!verb.log.empty())
    if (Error error = writeFile(verb.log, StringRef(made->log)))
      return fail(ExitToolFailure, takeError(std::move(error)).message);
  return printText(made->text, "");
}

/// Returns \p time in seconds, for JSON and messages.
static double seconds(std::chrono::microseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// Returns the user and system time of the children that have ended.
static std::chrono::microseconds readChildrenTime() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  auto total = [](const timeval &time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return total(usage.ru_utime) + total(usage.ru_stime);
}

/// Writes the processor time of each stage as JSON (schema assay.times/1). "processes" is the rest
/// of the total: processes started, jobs written and read. Call it when no worker runs any more.
static Error writeTimes(const std::string &file, const CampaignSummary &summary) {
  std::chrono::microseconds total = readCpuTime() + readChildrenTime(), rest = total;
  std::string text;
  raw_string_ostream os(text);
  json::OStream out(os, 2);
  out.object([&] {
    out.attribute("schema", "assay.times/1");
    out.attribute("cases", summary.ran);
    out.attribute("cpuSeconds", seconds(total));
    out.attributeObject("stages", [&] {
      for (const auto &[stage, time] : summary.times) {
        out.attribute(stage, seconds(time));
        rest -= time;
      }
      out.attribute("processes", seconds(rest));
    });
  });
  os << "\n";
  return writeFile(file, StringRef(text));
}

/// Share of --max-total-time that --coverage may take after the campaign.
static constexpr double coverageShare = 0.25;

/// Collects and writes the table of --coverage. Returns what the last line of the output says of
/// it, which is nothing if all sampled cases were covered.
static Expected<std::string> writeCoverage(const FuzzVerb &verb, const CampaignFolder &folder,
                                           const CampaignOptions &options,
                                           const PoolOptions &pool) {
  Expected<CampaignCoverage> coverage = collectCampaignCoverage(
      folder, options, verb.coverageSample, verb.maxSeconds * coverageShare, pool);
  if (!coverage)
    return coverage.takeError();
  if (coverage->wasStopped)
    return "; coverage not written: stopped";
  if (Error error = writeFile(verb.coverage, StringRef(coverage->table)))
    return std::move(error);
  if (coverage->cases == coverage->wanted)
    return "";
  return formatv("; coverage of {0} of {1} cases, for want of time", coverage->cases,
                 coverage->wanted)
      .str();
}

/// Returns the states that occur with their counts, such as ", 12 pass, 6 unsupported".
static std::string printCounts(const Counts &counts) {
  std::string text;
  for (size_t i = 0; i < stateCount; ++i)
    if (State state = static_cast<State>(i); counts[state])
      text += formatv(", {0} {1}", counts[state], stateName(state));
  return text;
}

/// Prints the last line and returns the exit code of the campaign's report. A campaign that was
/// stopped has the code of success, because the same command continues it.
static int printEnd(const FuzzVerb &verb, const CampaignFolder &folder,
                    const CampaignSummary &summary, StringRef coverage) {
  Report report = folder.report();
  int code = summary.wasStopped ? ExitGood : exitCodeFor(report);
  outs() << summary.ran << " cases run, " << folder.results().size() << " in " << verb.folder
         << ", " << summary.findings << " findings" << printCounts(report.count()) << coverage
         << (code == ExitUnsupported ? "; nothing was compared" : "")
         << (summary.wasStopped ? "; stopped, the same command goes on" : "") << "\n";
  return code;
}

/// Returns the parts of this build that decide the results of \p diff. Mesa's version counts only
/// where one of its drivers takes part.
static Expected<NamedParts> describeDecidingBuild(const std::string &program,
                                                  const DiffOptions &diff) {
  Expected<NamedParts> parts = describeProvenance(program);
  bool usesDrivers =
      any_of(diff.compilers, [](StringRef name) { return compilerOf(name).usesDrivers; }) ||
      any_of(diff.machines, [](StringRef name) { return machineOf(name).usesDrivers; });
  if (parts && !usesDrivers)
    erase_if(*parts, [](const auto &part) { return part.first == "Mesa"; });
  return parts;
}

/// Returns a path by which the running program can be read and started as long as this process
/// lives. The file at \p path may have been replaced by another build; it is the fallback where
/// /proc does not help.
static std::string nameRunningProgram(const std::string &path) {
  std::string name = "/proc/" + std::to_string(getpid()) + "/exe";
  return sys::fs::can_execute(name) ? name : path;
}

/// Runs the shard in \p folder, writes --times and --coverage, and prints the last line. Returns
/// the exit code. Coverage is left out for a campaign that was stopped.
static int runInFolder(const FuzzVerb &verb, const Invocation &invocation, CampaignFolder &folder,
                       const CampaignOptions &options, const CampaignShard &shard) {
  Invocation running = invocation;
  running.program = nameRunningProgram(invocation.program);
  Expected<CampaignSummary> summary = [&] {
    Progress progress("fuzz", verb.quiet);
    return runCampaign(folder, options, shard, makePool(verb.job, running),
                       [&](uint64_t done, uint64_t total) {
                         progress.update(static_cast<size_t>(done), static_cast<size_t>(total));
                       });
  }();
  if (!summary)
    return fail(ExitToolFailure, takeError(summary.takeError()).message);
  if (!verb.times.empty())
    if (Error error = writeTimes(verb.times, *summary))
      return fail(ExitToolFailure, takeError(std::move(error)).message);
  Expected<std::string> coverage = std::string();
  if (!verb.coverage.empty() && summary->wasStopped)
    coverage = "; coverage not written";
  else if (!verb.coverage.empty())
    coverage = writeCoverage(verb, folder, options, makePool(verb.job, running));
  if (!coverage)
    return fail(ExitToolFailure, takeError(coverage.takeError()).message);
  return printEnd(verb, folder, *summary, *coverage);
}

/// Opens or creates the campaign's folder and runs the shard. Output files are checked after that,
/// as they may be in this folder. With --print nothing is run and no folder is needed.
static int runFuzz(const FuzzVerb &verb, const Invocation &invocation) {
  Expected<DiffOptions> diff = makeDiffOptions(verb.job);
  if (!diff)
    return failUsage(diff.takeError());
  CampaignOptions options;
  options.diff = std::move(*diff);
  options.diff.workFiles = WorkFolder::Files::FewAndSmall;
  CampaignShard shard;
  if (Error error =
          joinErrors(fillOptions(verb, invocation, options), readShard(verb.shard, shard)))
    return failUsage(std::move(error));
  if (!verb.log.empty() && (!verb.print || verb.transform == 0))
    return failUsage(
        invalidInput("--log is of one case with steps: it needs --print and --transform"));
  if (verb.print)
    return printCase(verb, options);
  if (verb.folder.empty())
    return failUsage(invalidInput("fuzz needs --output DIR, the campaign's folder"));
  shard.maxSeconds = verb.maxSeconds;
  shard.batch = verb.batch;
  if (Error error = describeDecidingBuild(nameRunningProgram(invocation.program), options.diff)
                        .moveInto(options.build))
    return failUsage(std::move(error));
  Expected<CampaignFolder> folder = CampaignFolder::open(verb.folder, options);
  if (!folder)
    return failUsage(folder.takeError());
  if (Error error = joinErrors(verifyOutputFile("--times", verb.times),
                               verifyOutputFile("--coverage", verb.coverage)))
    return failUsage(std::move(error));
  return runInFolder(verb, invocation, *folder, options, shard);
}

/// Adds all options. verifyFuzzArguments() parses with them, too, without a verb. It also sets the
/// defaults that differ from those of `assay diff`.
static void addFuzzOptions(CLI::App &verb, FuzzVerb &options) {
  addOutputFolder(verb, "--output,-o", options.folder,
                  "The campaign's folder; an existing one is resumed");
  verb.add_option("--profile", options.profile,
                  "What cases look like: " + join(fuzz::profileNames(), ", "))
      ->capture_default_str();
  verb.add_option("--cases,--runs", options.cases, "Of the whole campaign, all shards")
      ->check(wholeNumber(1))
      ->capture_default_str();
  verb.add_option("--transform", options.transform,
                  "Also change each case by up to so many steps that keep its meaning, and compare")
      ->check(CLI::Range(0, 10000));
  verb.add_option("--compile-again", options.again,
                  "Compile one of so many cases three times, to the same bytes; 0: none")
      ->check(wholeNumber(0))
      ->capture_default_str();
  verb.add_option("--check-lowering", options.checkLowering,
                  "Check how fat pointers were lowered in one of so many cases; 0: none")
      ->check(wholeNumber(0))
      ->capture_default_str();
  verb.add_option(
          "--steer", options.steer,
          "Chase what campaigns with this coverage (of --coverage) had rarely or never; more "
          "than once: added up")
      ->check(CLI::ExistingFile)
      ->allow_extra_args(false);
  verb.add_option("--avoid", options.avoid,
                  "Leave out what triggers this known bug, by its id (repeatable)")
      ->allow_extra_args(false);
  addKnownBugs(verb, options.bugs);
  verb.add_option("--coverage", options.coverage,
                  "At the end write here what the campaign's cases exercise (JSON)");
  verb.add_option("--coverage-sample", options.coverageSample,
                  "Of so many cases, one counts for --coverage")
      ->check(wholeNumber(1))
      ->capture_default_str();
  verb.add_option("--shard", options.shard, "K/N: the K-th of N parts")->capture_default_str();
  verb.add_option("--max-total-time", options.maxSeconds,
                  "Seconds after which no further batch begins")
      ->check(secondsBetween(0, 1e9));
  verb.add_option("--batch", options.batch, "Cases that are run and kept together")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  options.choices.checkThreads = 64; // A run is cheap next to compiling.
  options.choices.checkHashes = 160; // Some 20 compilations.
  addDiffChoices(verb, options.choices);
  verb.add_option("--print", options.print, "Print case number N, and run nothing")
      ->check(wholeNumber(0));
  addOutputFile(verb, "--log", options.log, "With --print: write the log of the case's steps here");
  verb.add_option("--times", options.times, "Write here where the time went, by stage (JSON)");
  verb.add_flag("--quiet", options.quiet, "No progress");
  addJobOptions(verb, options.job);
  addCacheOptions(verb, options.job);
}

/// Parses the arguments as `assay fuzz` would and checks all values. InvalidInput also for options
/// that a plan sets itself.
Error assay::verifyFuzzArguments(ArrayRef<std::string> arguments) {
  FuzzVerb verb;
  CLI::App app;
  addFuzzOptions(app, verb);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError &error) {
    return invalidInput(Twine("of assay fuzz: ") + error.what());
  }
  if (const CLI::Option *option = findEmptyOption(app))
    return invalidInput("of assay fuzz: " + option->get_name() + ": the name is empty");
  for (const char *chosen : {"--output", "--shard", "--print", "--log", "--times", "--coverage"})
    if (app.count(chosen))
      return invalidInput(Twine(chosen) + " is not for the options after --");
  CampaignOptions options;
  if (Error error = makeDiffOptions(verb.job).moveInto(options.diff))
    return error;
  return fillOptions(verb, Invocation(), options);
}

void assay::addFuzz(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<FuzzVerb>();
  CLI::App *verb =
      app.add_subcommand("fuzz", "Run a campaign of generated cases, or a shard of it");
  addFuzzOptions(*verb, *options);
  verb->callback([options, &invocation] {
    invocation.takesCommand = true;
    invocation.action = [options, &invocation] { return runFuzz(*options, invocation); };
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay score: which planted faults the oracles catch.
#include "harness/score/Score.h"
#include "harness/campaign/Campaign.h"
#include "harness/cli/Cli.h"
#include "harness/cli/InputFiles.h"
#include "harness/cli/OutputFile.h"
#include "harness/cli/Progress.h"
#include "harness/run/WorkFolder.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Returns the default targets, separated by commas. The default of single commands comes first,
/// because most faults are caught there.
static std::string listTargets() {
  std::string first = defaultTarget(Architecture::AmdGpu).str();
  std::vector<std::string> others = chooseTargets({});
  erase(others, first);
  return first + "," + join(others, ",");
}

namespace {
/// Options of the verb. Generated cases follow those of the inputs.
struct ScoreVerb {
  std::vector<std::string> inputs = {"corpora/compute"};
  std::vector<std::string> controls, modules;
  std::string targets = listTargets(); ///< Separated by commas.
  std::string faults, layer;           ///< Names separated by commas, and a layer; empty: all.
  std::vector<int> levels = {0, 2};
  std::string format = "text", output; ///< text, json or markdown; the file, or empty for stdout.
  uint64_t generated = 0;              ///< Generated cases after those of inputs.
  ScoreOptions score;
  JobOptions job;
  bool quiet = false;
};

/// A value of --format and its printer.
struct ScoreFormat {
  StringLiteral name;
  std::string (*print)(const Score &);
};
} // namespace

static constexpr ScoreFormat formats[] = {
    {"text", printScoreText}, {"json", printScoreJson}, {"markdown", printScoreMarkdown}};

/// Returns the names of all formats, for the check of --format.
static std::vector<std::string> formatNames() {
  std::vector<std::string> names;
  for (const ScoreFormat &format : formats)
    names.push_back(format.name.str());
  return names;
}

/// Sets \p names to the faults that --faults and --layer select together; empty means all.
/// InvalidInput for an unknown fault or layer and for a selection of nothing.
static Error chooseFaults(const ScoreVerb &verb, std::vector<std::string> &names) {
  if (!verb.faults.empty())
    if (Error error = splitNames("--faults", verb.faults).moveInto(names))
      return error;
  for (const std::string &name : names)
    if (Error error = verifyFault(name))
      return error;
  if (verb.layer.empty())
    return Error::success();
  if (!is_contained(faultLayerNames(), verb.layer))
    return invalidInput("--layer " + verb.layer + ": known are " + join(faultLayerNames(), ", "));
  std::vector<std::string> chosen;
  for (const FaultInfo &fault : listFaults())
    if (faultLayerName(fault.layer) == verb.layer &&
        (names.empty() || is_contained(names, fault.name)))
      chosen.push_back(fault.name.str());
  names = std::move(chosen);
  return names.empty() ? invalidInput("none of --faults is of layer " + verb.layer)
                       : Error::success();
}

/// Fills verb.score from the other members. Unsupported in a build without faults.
static Error fillScoreOptions(ScoreVerb &verb) {
  if (!faultsCompiledIn())
    return unsupported("this build has no planted faults (ASSAY_FAULTS is off)");
  if (!verb.job.plants.empty())
    return invalidInput("score plants faults itself: --faults chooses them");
  Expected<DiffOptions> diff = makeDiffOptions(verb.job);
  if (!diff)
    return diff.takeError();
  verb.score.diff = std::move(*diff);
  verb.score.diff.levels = verb.levels;
  if (Error error = splitNames("--targets", verb.targets).moveInto(verb.score.diff.targets))
    return error;
  for (const std::string &target : verb.score.diff.targets)
    if (Error error = verifyTarget(target))
      return error;
  verb.score.diff.machines = chooseMachines(verb.score.diff.targets);
  return chooseFaults(verb, verb.score.faults);
}

/// Generates cases of the default campaign by --seed, writes them to \p folder and appends them to
/// \p cases.
static Error addGenerated(const ScoreVerb &verb, const WorkFolder &folder,
                          std::vector<CaseFile> &cases) {
  CampaignOptions campaign;
  campaign.seed = verb.job.seed;
  for (uint64_t number = 0; number < verb.generated; ++number) {
    Expected<CampaignCase> made = makeCampaignCase(campaign, number);
    if (!made)
      return made.takeError();
    CaseFile file;
    file.path = folder.jobFolder("generated", number) + ".amber";
    file.id = "generated/" + std::to_string(number) + ".amber";
    if (Error error = writeFile(file.path, StringRef(made->text)))
      return error;
    cases.push_back(std::move(file));
  }
  return Error::success();
}

/// Returns the cases of the command line and the generated ones, which are files in \p folder. Sets
/// the controls and modules of verb.score.
static Expected<std::vector<CaseFile>> findAllCases(ScoreVerb &verb, const WorkFolder &folder) {
  Expected<std::vector<CaseFile>> cases = findCases(verb.inputs, verb.job.spirvEnv);
  if (!cases)
    return cases;
  if (!verb.controls.empty())
    if (Error error = findCases(verb.controls, verb.job.spirvEnv).moveInto(verb.score.controls))
      return std::move(error);
  if (!verb.modules.empty()) {
    Expected<std::vector<std::string>> files = findInputFiles(
        verb.modules, "module of LLVM IR", [](StringRef path) { return path.ends_with(".ll"); });
    if (!files)
      return files.takeError();
    for (const std::string &file : *files)
      verb.score.modules.push_back({file, file, ""});
  }
  if (Error error = addGenerated(verb, folder, *cases))
    return std::move(error);
  return cases;
}

/// Runs the score and prints it. Findings unless every fault was caught.
static int runScoreVerb(ScoreVerb &verb, const Invocation &invocation) {
  if (Error error = fillScoreOptions(verb))
    return failUsage(std::move(error));
  Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create(verb.job.workFolder);
  if (!folder)
    return failUsage(folder.takeError());
  Expected<std::vector<CaseFile>> cases = findAllCases(verb, **folder);
  if (!cases)
    return failUsage(cases.takeError());
  Expected<Score> score = [&] {
    Progress progress("score", verb.quiet);
    return runScore(*cases, verb.score, makePool(verb.job, invocation),
                    [&](size_t done, size_t total) { progress.update(done, total); });
  }();
  if (!score)
    return failUsage(score.takeError());
  const auto *format = find_if(formats, [&](const auto &row) { return row.name == verb.format; });
  if (int code = printText(format->print(*score), verb.output))
    return code;
  return score->countCaught() == score->faults.size() ? ExitGood : ExitFindings;
}

/// Adds what decides the score: cases, faults, targets and limits.
static void addChoices(CLI::App &verb, ScoreVerb &options) {
  verb.add_option("inputs", options.inputs, "Cases: files, folders of them")->capture_default_str();
  verb.add_option("--controls", options.controls,
                  "Cases with undefined behaviour, which must not go unseen");
  verb.add_option("--modules", options.modules,
                  "LLVM IR with fat pointers, for faults of their lowering that no case shows");
  verb.add_option("--generated", options.generated, "So many generated cases as well, by --seed");
  verb.add_option("--faults", options.faults, "Names, separated by commas (default: all)");
  verb.add_option("--layer", options.layer,
                  "Only faults of this layer: " + join(faultLayerNames(), ", "));
  verb.add_option("--targets,--target", options.targets, "GPUs")->capture_default_str();
  verb.add_option("-O", options.levels, "Optimisation levels: 0, 2 (default: both)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({0, 2}));
  verb.add_option("--max-total-time", options.score.maxSeconds,
                  "Seconds after which nothing more is begun")
      ->check(secondsBetween(0, 1e9));
  verb.add_option("--max-runs", options.score.maxRuns, "Of cases, for one fault")
      ->check(wholeNumber(1))
      ->capture_default_str();
  verb.add_option("--findings", options.score.findings, "To be collected for each fault")
      ->check(wholeNumber(1))
      ->capture_default_str();
}

/// Adds the verb. Its jobs have other limits by default than those of other verbs: a worker that
/// exceeds time or memory counts as a caught fault.
void assay::addScore(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<ScoreVerb>();
  // One worker that hangs or eats is a catch, not a loss: it need not have long or much.
  options->job.timeoutSeconds = 30;
  options->job.memoryMib = 1024;
  options->job.retries = 0;
  CLI::App *verb = app.add_subcommand(
      "score", "Plant faults, one at a time; say which the oracles catch, and which oracle");
  addChoices(*verb, *options);
  verb->add_option("--keep", options->score.findingsFolder,
                   "A new folder for failing cases and verdicts, as of a campaign");
  verb->add_option("--format", options->format, "text, json or markdown")
      ->check(CLI::IsMember(formatNames()))
      ->capture_default_str();
  addOutputFile(*verb, "-o,--output", options->output,
                "Write the score to this file, not to stdout");
  verb->add_flag("--quiet", options->quiet, "No progress");
  addReadOptions(*verb, options->job);
  addJobOptions(*verb, options->job);
  verb->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return runScoreVerb(*options, invocation); };
  });
}

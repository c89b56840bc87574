// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay campaign plan: the files by which an engine runs the shards of a campaign.
#include "harness/campaign/Coverage.h"
#include "harness/campaign/Plan.h"
#include "harness/cli/Cli.h"
#include "harness/cli/FuzzArguments.h"
#include "harness/cli/OutputFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of `assay campaign plan`; those of `assay fuzz` follow `--`.
struct PlanVerb {
  std::string engine;
  std::string program; ///< How the engine calls assay; empty: this program.
  CampaignPlan plan;
};
} // namespace

/// Writes \p files into \p folder, and makes programs executable for all users. Environment where a
/// file can't be written.
static Error writePlan(StringRef folder, ArrayRef<PlanFile> files) {
  for (const PlanFile &file : files) {
    std::string path = (folder + "/" + file.name).str();
    if (Error error = writeFile(path, StringRef(file.text)))
      return error;
    if (!file.isProgram)
      continue;
    auto permissions = sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write;
    if (std::error_code code = sys::fs::setPermissions(path, permissions))
      return environmentError(path + ": " + code.message());
  }
  return Error::success();
}

/// InvalidInput where \p folder has a file of a plan with another text than the one in \p files. A
/// file that cannot be read counts as another.
static Error verifyNoOtherPlan(StringRef folder, ArrayRef<PlanFile> files) {
  for (const PlanFile &file : files) {
    std::string path = (folder + "/" + file.name).str();
    if (!sys::fs::exists(path))
      continue;
    Expected<std::string> text = readFileText(path);
    if (text && *text == file.text)
      continue;
    if (!text)
      consumeError(text.takeError());
    return invalidInput(path + ": is of another plan; name another folder, or remove this one");
  }
  return Error::success();
}

/// Moves the files of --steer out of the arguments and stores the sum of their tables in \p plan.
/// For a service the arguments stay, because it finds the files in its checkout. Errors are those
/// of the files.
static Error takeSteering(const std::string &engine, CampaignPlan &plan) {
  if (isService(engine))
    return Error::success();
  std::vector<std::string> files = takeOption(plan.arguments, "--steer");
  if (files.empty())
    return Error::success();
  Expected<CampaignSteering> steering = readSteering(files);
  if (steering)
    plan.steering = std::move(steering->table);
  return steering.takeError();
}

/// Checks the options of `assay fuzz` after `--`, writes the plan, and prints the path of the file
/// to start. A plan names its folder absolutely, because engines run shards elsewhere.
static int runPlan(const PlanVerb &verb, const Invocation &invocation) {
  if (Error error = verifyFuzzArguments(invocation.command))
    return failUsage(std::move(error));
  CampaignPlan plan = verb.plan;
  plan.arguments = invocation.command;
  if (Error error = takeSteering(verb.engine, plan))
    return failUsage(std::move(error));
  plan.program = !verb.program.empty()    ? verb.program
                 : isService(verb.engine) ? "assay"
                                          : invocation.program;
  SmallString<128> folder(plan.folder);
  if (std::error_code code = sys::fs::make_absolute(folder))
    return fail(ExitToolFailure, plan.folder + ": " + code.message());
  plan.folder = folder.str().str();
  Expected<std::vector<PlanFile>> files = planFiles(verb.engine, plan);
  if (!files)
    return failUsage(files.takeError());
  if (Error error = verifyNoOtherPlan(plan.folder, *files))
    return failUsage(std::move(error));
  if (Error error = writePlan(plan.folder, *files))
    return fail(ExitToolFailure, takeError(std::move(error)).message);
  // What is to be started stands last.
  outs() << plan.folder << "/" << files->back().name << "\n";
  return ExitGood;
}

/// The options of `assay fuzz` are checked when the plan is written.
void assay::addCampaign(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<PlanVerb>();
  CLI::App *campaign = app.add_subcommand("campaign", "Campaigns on many machines");
  campaign->require_subcommand(1);
  CLI::App *verb = campaign->add_subcommand(
      "plan", "Write the files by which an engine runs the shards of `assay fuzz` with the options "
              "after --; prints the one to start");
  CampaignPlan &plan = options->plan;
  verb->add_option("--engine", options->engine, join(campaignEngines(), ", "))->required();
  verb->add_option("--shards", plan.shards, "Parts of the campaign")
      ->required()
      ->check(CLI::Range(1, 100000));
  addOutputFolder(*verb, "--output,-o", plan.folder, "Folder of the plan, and of its shards")
      ->required();
  verb->add_option("--name", plan.name, "Of the engine's jobs")->capture_default_str();
  verb->add_option("--at-once", plan.atOnce, "Shards at one time (default: the engine's)")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--minutes", plan.minutes, "An engine gives to a shard (default: the engine's)")
      ->check(CLI::Range(5, 100000));
  verb->add_option("--program", options->program,
                   "How the engine calls assay (default: this one; for services, by its name)");
  verb->callback([options, &invocation] {
    invocation.takesCommand = true;
    invocation.action = [options, &invocation] { return runPlan(*options, invocation); };
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay merge: shards of a campaign into one folder.
#include "harness/campaign/Merge.h"
#include "harness/cli/Cli.h"
#include "harness/cli/OutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Folders of the shards, and the folder that gets the cases of all.
struct MergeVerb {
  std::vector<std::string> folders;
  std::string output;
};
} // namespace

/// Reads all folders, merges them and prints the number of cases. Usage error for folders that are
/// no campaigns or not shards of the same one.
static int runMerge(const MergeVerb &verb) {
  std::vector<CampaignFolder> folders;
  for (const std::string &path : verb.folders) {
    Expected<CampaignFolder> folder = CampaignFolder::read(path);
    if (!folder)
      return failUsage(folder.takeError());
    folders.push_back(std::move(*folder));
  }
  Expected<CampaignFolder> merged = mergeCampaigns(folders, verb.output);
  if (!merged)
    return failUsage(merged.takeError());
  outs() << merged->results().size() << " of " << merged->caseCount() << " cases in " << verb.output
         << "\n";
  return ExitGood;
}

void assay::addMerge(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<MergeVerb>();
  CLI::App *verb = app.add_subcommand("merge", "Put shards of a campaign together");
  verb->add_option("folders", options->folders, "Folders of campaigns")->required();
  addOutputFolder(*verb, "--output,-o", options->output, "Folder that gets all")->required();
  verb->callback(
      [options, &invocation] { invocation.action = [options] { return runMerge(*options); }; });
}

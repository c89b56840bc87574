// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files by which an engine - this machine alone, GNU parallel, Slurm, a CI service - runs the
// shards of a campaign and puts them together. Engines need to know nothing but how to start a
// program many times: a shard writes into a folder of its own, and goes on where it was.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay {

/// A campaign that an engine runs in shards.
struct CampaignPlan {
  std::string program = "assay";      ///< As the engine shall call it.
  std::vector<std::string> arguments; ///< Of `assay fuzz`, except for what a plan decides.
  /// A table to steer by, as text; the plan keeps it, and its shards need no other file. Not for
  /// services, which have files of their checkout alone.
  std::string steering;
  std::string folder;            ///< Of the plan's files; the shards' folders lie in it.
  std::string name = "campaign"; ///< Of the engine's jobs: letters, digits, '-', '_'.
  unsigned shards = 1;
  unsigned atOnce = 0;  ///< Shards that run at one time; 0: as many as the engine likes.
  unsigned minutes = 0; ///< That an engine gives to a shard; 0: its own default.
};

/// A file of a plan, not yet written.
struct PlanFile {
  std::string name; ///< Below the plan's folder.
  std::string text;
  bool isProgram = false; ///< To be made executable.
};

/// Names of engines, for planFiles().
llvm::ArrayRef<llvm::StringRef> campaignEngines();
/// Whether \p engine starts somewhere else, in a checkout, with `assay` on the path.
bool isService(llvm::StringRef engine);

/// Takes option \p name, as "NAME VALUE" or "NAME=VALUE", out of \p arguments wherever it stands;
/// its values.
std::vector<std::string> takeOption(std::vector<std::string> &arguments, llvm::StringRef name);

/// The files of \p plan for \p engine; the one to start is the last, and says so in its first
/// lines. Where shards share a machine, each has one worker unless the arguments say otherwise. A
/// service adds the number of its run to the seed, so that no two nights run the same cases.
/// InvalidInput for an engine that there is not, a bad name, no shards or more than the engine
/// takes, arguments of more than a line, and a number of shards at one time for an engine that
/// cannot keep to it.
llvm::Expected<std::vector<PlanFile>> planFiles(llvm::StringRef engine, const CampaignPlan &plan);

} // namespace assay

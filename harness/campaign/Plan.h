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

struct CampaignPlan {
  std::string program = "assay";      ///< As the engine shall call it.
  std::vector<std::string> arguments; ///< Of `assay fuzz`, but for what a plan decides.
  std::string folder;                 ///< Of the plan's files; the shards' folders lie in it.
  std::string name = "campaign";      ///< Of the engine's jobs: letters, digits, '-', '_'.
  unsigned shards = 1;
  unsigned atOnce = 0;  ///< Shards that run at one time; 0: as many as the engine likes.
  unsigned minutes = 0; ///< That an engine gives to a shard; 0: its own default.
};

struct PlanFile {
  std::string name; ///< Below the plan's folder.
  std::string text;
  bool isProgram = false;
};

/// Names of engines, for planFiles().
llvm::ArrayRef<llvm::StringRef> campaignEngines();

/// The files of \p plan for \p engine; the one to start is said in its first lines. InvalidInput
/// for an engine that there is not, a bad name, no shards, and arguments of more than a line.
llvm::Expected<std::vector<PlanFile>> planFiles(llvm::StringRef engine, const CampaignPlan &plan);

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/KnownBugs.h"

#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Relative to the current folder. It may be missing; a folder that was named may not.
static constexpr StringLiteral standardFolder = "bugs";

void assay::addKnownBugs(CLI::App &verb, KnownBugsChoice &choice) {
  verb.add_option("--bugs", choice.folder,
                  "Folder of known bugs (default: bugs/ of the current folder, if there is one)")
      ->check(CLI::ExistingDirectory);
}

Expected<std::vector<KnownBug>> assay::readKnownBugs(const KnownBugsChoice &choice) {
  if (choice.folder.empty() && !sys::fs::is_directory(standardFolder))
    return std::vector<KnownBug>();
  return readBugs(choice.folder.empty() ? standardFolder.str() : choice.folder);
}

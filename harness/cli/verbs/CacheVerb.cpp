// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay cache: what is in the folder of a compiler cache; checks it; empties it.
#include "compiler/cache/Cache.h"
#include "harness/cli/Cli.h"
#include "support/Count.h"
#include "support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Prints entries and bytes of each build that wrote to the cache, and their sums. Entries are not
/// read.
static int printStatistics(const std::string &path) {
  Expected<CacheFolder> folder = readCacheFolder(path, /*verify=*/false);
  if (!folder)
    return failUsage(folder.takeError());
  uint64_t entries = 0, bytes = 0;
  for (const CacheFolder::Build &build : folder->builds) {
    outs() << build.name << ": " << countOf(build.entries, "entry", "entries") << ", "
           << countOf(build.bytes, "byte") << "\n";
    entries += build.entries;
    bytes += build.bytes;
  }
  outs() << countOf(folder->builds.size(), "build") << ", " << countOf(entries, "entry", "entries")
         << ", " << countOf(bytes, "byte") << "\n";
  return ExitGood;
}

/// Reads all entries and names the damaged ones. Findings if there are any.
static int verify(const std::string &path) {
  Expected<CacheFolder> folder = readCacheFolder(path, /*verify=*/true);
  if (!folder)
    return failUsage(folder.takeError());
  uint64_t entries = 0, damaged = 0;
  for (const CacheFolder::Build &build : folder->builds) {
    entries += build.entries;
    damaged += build.damaged.size();
    for (const std::string &file : build.damaged)
      outs() << "damaged: " << file << "\n";
  }
  outs() << countOf(entries, "entry", "entries") << ", " << damaged << " damaged\n";
  return damaged ? ExitFindings : ExitGood;
}

/// Removes the entries of all builds; the folder stays.
static int clear(const std::string &path) {
  Expected<uint64_t> removed = clearCacheFolder(path);
  if (!removed)
    return failUsage(removed.takeError());
  outs() << countOf(*removed, "entry", "entries") << " removed\n";
  return ExitGood;
}

namespace {
/// A verb below `assay cache`, with the folder as its only argument.
struct CacheAction {
  const char *name;
  const char *help;
  int (*run)(const std::string &folder);
};
} // namespace

/// The verbs, in the order of the help.
static constexpr CacheAction actions[] = {
    {"stat", "Print the builds, entries and bytes of a cache", printStatistics},
    {"verify", "Read each entry; 1 when one is damaged", verify},
    {"clear", "Remove all entries", clear},
};

/// Adds a verb for each row of the actions.
void assay::addCache(CLI::App &app, Invocation &invocation) {
  CLI::App *verb = app.add_subcommand("cache", "Inspect the folder of a compiler cache");
  verb->require_subcommand(1);
  for (const CacheAction &action : actions) {
    auto folder = std::make_shared<std::string>();
    CLI::App *child = verb->add_subcommand(action.name, action.help);
    child->add_option("folder", *folder, "Folder that --cache names")->required();
    child->callback([folder, &action, &invocation] {
      invocation.action = [folder, &action] { return action.run(*folder); };
    });
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay corpus stat|cover|min|add: what cases exercise, and folders of them that have no more than
// they need.
#include "compiler/spirv/Capabilities.h"
#include "harness/cli/Cli.h"
#include "harness/cli/OutputFile.h"
#include "harness/corpus/Features.h"
#include "harness/corpus/Manifest.h"
#include "support/CodeCounts.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of all four verbs. \p folder is the corpus of `add` and the new folder of `min`; \p
/// entry is what `add` writes into the manifest for each case.
struct CorpusVerb {
  std::vector<std::string> inputs;
  std::string isaTargets; ///< Their machine instructions are features, too. Empty: none are.
  bool code = false;      ///< So are lines of the compiler's source that are entered.
  std::string folder;     ///< That cases are copied to.
  ManifestEntry entry;    ///< Of the cases that are added.
  bool anyway = false;    ///< Also adds cases without a new feature.
  JobOptions job;
};
} // namespace

/// Returns the cases with their features, a problem in the place of features where a case can't be
/// read. Problems are printed to stderr. InvalidInput if all cases have one, and for --code without
/// --isa or in a build that does not count code.
static Expected<std::vector<FeaturedCase>>
collect(ArrayRef<std::string> inputs, const CorpusVerb &verb, const Invocation &invocation) {
  Expected<std::vector<CaseFile>> files = findCases(inputs, verb.job.spirvEnv);
  if (!files)
    return files.takeError();
  Expected<DiffOptions> options = makeDiffOptions(verb.job);
  if (!options)
    return options.takeError();
  options->targets.clear();
  options->levels = {2};
  if (!verb.isaTargets.empty())
    if (Error error = splitNames("--isa", verb.isaTargets).moveInto(options->targets))
      return std::move(error);
  if (verb.code && verb.isaTargets.empty())
    return invalidInput("--code is of what is compiled: it needs --isa TARGETS");
  if (verb.code && !isCodeCounted())
    return invalidInput("--code needs a program that counts its code: build preset coverage");
  for (const std::string &target : options->targets)
    if (Error error = verifyTarget(target))
      return std::move(error);
  Expected<std::vector<FeaturedCase>> cases =
      collectFeatures(*files, *options, makePool(verb.job, invocation), verb.code);
  if (!cases)
    return cases;
  for (const FeaturedCase &each : *cases)
    if (!each.problem.empty())
      errs() << "assay: " << each.file.id << ": has no features: " << each.problem << "\n";
  if (all_of(*cases, [](const FeaturedCase &each) { return !each.problem.empty(); }))
    return invalidInput("none of these cases can be read");
  return cases;
}

/// Returns for each feature the number of cases that have it and the id of the first of them.
static std::map<std::string, std::pair<size_t, std::string>>
countFeatures(ArrayRef<FeaturedCase> cases) {
  std::map<std::string, std::pair<size_t, std::string>> counts;
  for (const FeaturedCase &each : cases)
    for (const std::string &feature : each.features)
      ++counts.try_emplace(feature, 0, each.file.id).first->second.first;
  return counts;
}

/// Prints the number of features of each kind, and the rows of the capability table that no case
/// has although both compiler and reference support them.
static int printStatistics(const CorpusVerb &verb, const Invocation &invocation) {
  Expected<std::vector<FeaturedCase>> cases = collect(verb.inputs, verb, invocation);
  if (!cases)
    return failUsage(cases.takeError());
  std::map<std::string, size_t> kinds;
  auto counts = countFeatures(*cases);
  for (const auto &[feature, count] : counts)
    ++kinds[StringRef(feature).split(' ').first.str()];
  outs() << cases->size() << " cases, " << counts.size() << " features\n";
  for (const auto &[kind, count] : kinds)
    outs() << kind << ": " << count << "\n";
  for (const spirv::CapabilityRow &row : spirv::capabilityTable()) {
    bool isOfModules = is_contained({spirv::CapabilityKind::Capability, spirv::CapabilityKind::Mode,
                                     spirv::CapabilityKind::ExtInst},
                                    row.kind);
    if (isOfModules && row.inCompiler && row.inReference && !counts.count("row " + row.name.str()))
      outs() << "no case: row " << row.name << "\n";
  }
  return ExitGood;
}

/// Prints a line a feature: the number of cases that have it, and the first of them.
static int printCover(const CorpusVerb &verb, const Invocation &invocation) {
  Expected<std::vector<FeaturedCase>> cases = collect(verb.inputs, verb, invocation);
  if (!cases)
    return failUsage(cases.takeError());
  for (const auto &[feature, count] : countFeatures(*cases))
    outs() << feature << ": " << count.first << ", " << count.second << "\n";
  return ExitGood;
}

/// Returns the path of the file that lists the cases of the corpus \p folder.
static std::string manifestOf(StringRef folder) {
  return (folder + "/MANIFEST").str();
}

/// Returns the path of \p file in the corpus \p folder. InvalidInput where another file has it.
static Expected<std::string> placeOf(const CaseFile &file, StringRef folder) {
  std::string path = (folder + "/" + sys::path::filename(file.path)).str();
  if (sys::fs::exists(path) && !sys::fs::equivalent(file.path, path))
    return invalidInput(path + " is there already, though no MANIFEST lists it");
  return path;
}

/// Copies \p file into \p folder under the last part of its name. InvalidInput where another file
/// has this name.
static Error copyCase(const CaseFile &file, StringRef folder) {
  Expected<std::string> path = placeOf(file, folder);
  if (!path)
    return path.takeError();
  if (sys::fs::exists(*path))
    return Error::success();
  Expected<std::string> text = readFileText(file.path);
  if (!text)
    return text.takeError();
  return writeFile(*path, StringRef(*text));
}

/// Writes the chosen cases to the output folder, each with its entry in the manifest next to the
/// original. InvalidInput, with nothing written, for a case without an entry, for two cases of one
/// name, and for a name that a file in the folder has.
static Error writeMinimum(const CorpusVerb &verb, ArrayRef<FeaturedCase> cases,
                          ArrayRef<size_t> chosen) {
  Manifest result;
  for (size_t index : chosen) {
    const CaseFile &file = cases[index].file;
    std::string name = sys::path::filename(file.path).str();
    Expected<Manifest> source = readManifest(manifestOf(sys::path::parent_path(file.path)));
    if (!source)
      return source.takeError();
    auto entry = source->entries.find(name);
    if (entry == source->entries.end())
      return invalidInput(file.path +
                          " is not in a MANIFEST next to it, which would say its origin");
    if (!result.entries.try_emplace(name, entry->second).second)
      return invalidInput("two chosen cases are called '" + name + "'");
    if (Expected<std::string> path = placeOf(file, verb.folder); !path)
      return path.takeError();
  }
  for (size_t index : chosen)
    if (Error error = copyCase(cases[index].file, verb.folder))
      return error;
  return writeManifest(manifestOf(verb.folder), result);
}

/// Copies a subset of the cases that has all features of all of them, and prints the numbers. Usage
/// error where the folder is a corpus already.
static int minimize(const CorpusVerb &verb, const Invocation &invocation) {
  if (sys::fs::exists(manifestOf(verb.folder)))
    return fail(ExitUsage,
                verb.folder + " is a corpus already; the smaller one needs a new folder");
  Expected<std::vector<FeaturedCase>> cases = collect(verb.inputs, verb, invocation);
  if (!cases)
    return failUsage(cases.takeError());
  std::vector<size_t> chosen = chooseCover(*cases);
  if (Error error = writeMinimum(verb, *cases, chosen))
    return failUsage(std::move(error));
  outs() << chosen.size() << " of " << cases->size() << " cases have all "
         << countFeatures(*cases).size() << " features\n";
  return ExitGood;
}

/// Copies cases with features that neither the corpus nor an earlier case has. The manifest is
/// written after each case, so that an interrupted run leaves a valid corpus. Usage error if a case
/// can't be read.
static int add(const CorpusVerb &verb, const Invocation &invocation) {
  Expected<Manifest> manifest = readManifest(manifestOf(verb.folder));
  if (!manifest)
    return failUsage(manifest.takeError());
  if (Error error = verifyEntry("the new cases", verb.entry))
    return failUsage(std::move(error));
  Features known;
  if (!manifest->entries.empty()) {
    Expected<std::vector<FeaturedCase>> old = collect(verb.folder, verb, invocation);
    if (!old)
      return failUsage(old.takeError());
    for (const FeaturedCase &each : *old)
      known.insert(each.features.begin(), each.features.end());
  }
  Expected<std::vector<FeaturedCase>> cases = collect(verb.inputs, verb, invocation);
  if (!cases)
    return failUsage(cases.takeError());
  size_t added = 0;
  for (const FeaturedCase &each : *cases) {
    if (!each.problem.empty())
      continue; // Said already.
    std::string name = sys::path::filename(each.file.path).str();
    if (Error error = verifyEntry(name, verb.entry))
      return failUsage(std::move(error));
    bool isNew = any_of(each.features, [&](const auto &f) { return !known.contains(f); });
    if (!isNew && !verb.anyway) {
      errs() << "assay: " << name << ": exercises nothing new; --anyway adds it\n";
      continue;
    }
    if (!manifest->entries.try_emplace(name, verb.entry).second)
      return fail(ExitUsage, "'" + name + "' is in the corpus already");
    // A manifest never lists what is not there.
    if (Error error = copyCase(each.file, verb.folder))
      return failUsage(std::move(error));
    if (Error error = writeManifest(manifestOf(verb.folder), *manifest))
      return failUsage(std::move(error));
    known.insert(each.features.begin(), each.features.end());
    ++added;
  }
  outs() << added << " of " << cases->size() << " cases added to " << verb.folder << "\n";
  bool isWhole = all_of(*cases, [](const FeaturedCase &each) { return each.problem.empty(); });
  return isWhole ? ExitGood : ExitUsage;
}

/// What a verb does; returns its exit code.
using Action = int (*)(const CorpusVerb &, const Invocation &);

/// Adds a verb with the options that all of them have, and returns it for further ones.
static CLI::App *addAction(CLI::App &corpus, Invocation &invocation,
                           const std::shared_ptr<CorpusVerb> &options, Action action,
                           const char *name, const char *help) {
  CLI::App *verb = corpus.add_subcommand(name, help);
  verb->add_option("inputs", options->inputs, "Cases: files, and folders of them")->required();
  verb->add_option("--isa", options->isaTargets,
                   "Also the machine instructions that they become on these targets");
  verb->add_flag("--code", options->code,
                 "Also the lines of the compiler that they enter meanwhile (preset coverage)");
  addReadOptions(*verb, options->job);
  addJobOptions(*verb, options->job);
  verb->callback([action, options, &invocation] {
    invocation.action = [action, options, &invocation] { return action(*options, invocation); };
  });
  return verb;
}

void assay::addCorpus(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<CorpusVerb>();
  CLI::App *corpus = app.add_subcommand("corpus", "What cases exercise, and small sets of them");
  corpus->require_subcommand(1);
  addAction(*corpus, invocation, options, printStatistics, "stat",
            "Count features; name rows of the capability table that no case has");
  addAction(*corpus, invocation, options, printCover, "cover",
            "A line a feature: how many cases have it, and one of them");
  CLI::App *min = addAction(*corpus, invocation, options, minimize, "min",
                            "Copy few small cases that have all features");
  addOutputFolder(*min, "-o,--output", options->folder, "Folder that gets them")->required();
  CLI::App *adds = addAction(*corpus, invocation, options, add, "add",
                             "Copy cases that exercise something new into a corpus");
  adds->add_option("--to", options->folder, "Folder of the corpus")->required();
  adds->add_option("--origin", options->entry.origin, "Where they come from")->required();
  adds->add_option("--licence", options->entry.licence, "Their licence")->required();
  adds->add_option("--purpose", options->entry.purpose, "What they are for")->required();
  adds->add_flag("--anyway", options->anyway, "Also what exercises nothing new");
}

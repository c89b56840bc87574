// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay triage --store: recording a result, listing, deciding, rebuilding.
#include "harness/cli/Cli.h"
#include "harness/cli/OutputFile.h"
#include "harness/cli/Triage.h"
#include "reports/store/StoreReport.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>

using namespace llvm;
using namespace assay;

/// Prints all buckets of the store. Returns the exit code.
static int listStore(const TriageOptions &options, Store &store) {
  Expected<StoreView> view = readStore(store);
  if (!view)
    return fail(view.takeError());
  return printTriage(
      options, [&](raw_ostream &os) { writeStoreText(os, *view); },
      [&](raw_ostream &os) { writeStoreJson(os, *view); }, ExitGood);
}

/// Records a decision on one bucket, by --actor, $USER or "somebody". A reason is required.
static int setLife(const StoreOptions &options, Store &store) {
  std::optional<Life> life = parseLife(options.life);
  if (!life)
    return fail(ExitUsage, "--set: '" + options.life + "' is no state of a bucket");
  if (options.reason.empty())
    return fail(ExitUsage, "--set needs a --reason");
  std::string actor = options.actor;
  if (const char *user = std::getenv("USER"); actor.empty() && user)
    actor = user;
  if (Error error = store.setLife(options.bucket, *life, actor.empty() ? "somebody" : actor,
                                  options.reason, options.link, options.timeMs))
    return failUsage(std::move(error));
  return ExitGood;
}

/// Creates the store if it is missing; the rules are of a new store only.
static Expected<Store> openStore(const StoreOptions &options) {
  return Store::open(options.folder, options.rules);
}

/// Rebuilds, decides and lists, in this order, if the options ask for it. Usage error where they
/// say nothing of it.
int assay::runStore(const TriageOptions &options) {
  const StoreOptions &what = options.store;
  if (!what.isList && !what.isRebuild && what.bucket.empty())
    return fail(ExitUsage, "--store needs a result, --list, --set or --rebuild");
  if (!sys::fs::is_directory(what.folder)) // Only a result makes a store.
    return fail(ExitUsage, what.folder + ": No such folder of a store");
  Expected<Store> store = openStore(what);
  if (!store)
    return fail(store.takeError());
  if (what.isRebuild)
    if (Error error = store->rebuild())
      return fail(std::move(error));
  if (!what.bucket.empty())
    if (int code = setLife(what, *store))
      return code;
  return what.isList ? listStore(options, *store) : ExitGood;
}

/// Records the facts of the cases of \p now, after its verdicts were recorded. Of several symptoms
/// of one case on one compiler and machine, the facts of the first count.
static Error recordFacts(Store &store, const Findings &now, uint64_t timeMs) {
  std::map<CaseKey, const Facts *> known;
  for (const Symptom &symptom : collectSymptoms(now.report.verdicts))
    if (const Facts *facts = findFacts(now.facts, symptom))
      known.try_emplace(caseKeyOf(symptom), facts);
  for (const auto &[key, facts] : known) {
    Event event;
    event.timeMs = timeMs;
    auto folder = now.folders.find(key.caseId); // A result alone has none.
    event.body = FactsEvent{key, *facts, folder == now.folders.end() ? "" : folder->second};
    if (Error error = store.append(std::move(event)))
      return error;
  }
  return Error::success();
}

/// Returns the name of a result: "peers" for both build/peers/ and peers.json.
static std::string nameOf(StringRef input) {
  while (input.consume_back("/"))
    ;
  SmallString<128> path(input);
  sys::fs::make_absolute(path);
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return (sys::fs::is_directory(path) ? sys::path::filename(path) : sys::path::stem(path)).str();
}

/// Records a result and prints what is new in it. Findings if a bucket is new, known-only if
/// all were known. The name of the input serves as that of the night where none is given.
int assay::recordInStore(const TriageOptions &options, const Findings &now) {
  StoreOptions what = options.store;
  if (what.night.empty())
    what.night = nameOf(options.input);
  Expected<Store> store = openStore(what);
  if (!store)
    return fail(store.takeError());
  if (Error error = store->record(now.report.verdicts,
                                  {what.night, what.revision, metricsOf(now.batches), what.timeMs}))
    return fail(std::move(error));
  if (Error error = recordFacts(*store, now, what.timeMs))
    return fail(std::move(error));
  Expected<StoreView> view = readStore(*store);
  if (!view)
    return fail(view.takeError());
  bool hasNews = any_of(view->buckets, [&](const auto &each) { return isNews(each, what.night); });
  bool hasKnown =
      any_of(view->buckets, [&](const auto &each) { return each.lastNight == what.night; });
  int code = hasNews ? ExitFindings : hasKnown ? ExitKnownOnly : ExitGood;
  return printTriage(
      options, [&](raw_ostream &os) { writeNightText(os, *view, what.night); },
      [&](raw_ostream &os) { writeStoreJson(os, *view); }, code);
}

/// Adds the options of the store. All of them need --store. The rules matter only when a store is
/// created.
void assay::addStoreOptions(CLI::App &verb, StoreOptions &options) {
  CLI::Option *store = addOutputFolder(verb, "--store", options.folder,
                                       "Folder of the result store; created if missing");
  verb.add_option("--night", options.night,
                  "The name under which the result is recorded (else that of its file or folder)")
      ->needs(store);
  verb.add_option("--revision", options.revision, "Of what the result is about")->needs(store);
  verb.add_flag("--list", options.isList, "Everything that the store holds")->needs(store);
  verb.add_flag("--rebuild", options.isRebuild, "Build the database from the log again")
      ->needs(store);
  CLI::Option *set = verb.add_option_function<std::vector<std::string>>(
                             "--set",
                             [&options](const std::vector<std::string> &words) {
                               options.bucket = words[0];
                               options.life = words[1];
                             },
                             "BUCKET STATE: what becomes of a bucket")
                         ->expected(2)
                         ->needs(store);
  verb.add_option("--reason", options.reason, "Why; for --set")->needs(set);
  verb.add_option("--link", options.link, "An issue, or the other bucket of a duplicate")
      ->needs(set);
  verb.add_option("--actor", options.actor, "Who decides (else $USER)")->needs(set);
  verb.add_option("--time", options.timeMs, "Milliseconds since 1970, not the clock's")
      ->needs(store);
  verb.add_option("--clean-nights", options.rules.cleanNights,
                  "Of a store that is made: nights until a bucket is fixed")
      ->needs(store)
      ->capture_default_str();
  verb.add_option("--quiet-nights", options.rules.quietNights,
                  "Of a store that is made: nights until a bucket incubates")
      ->needs(store)
      ->capture_default_str();
}

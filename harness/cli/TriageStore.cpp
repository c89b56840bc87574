// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay triage --store: recording a result, listing, deciding, rebuilding.
#include "harness/cli/Cli.h"
#include "harness/cli/Triage.h"
#include "reports/store/StoreReport.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <set>

using namespace llvm;
using namespace assay;

static int listStore(const TriageOptions &options, Store &store) {
  Expected<StoreView> view = readStore(store);
  if (!view)
    return fail(view.takeError());
  return printTriage(
      options, [&](raw_ostream &os) { writeStoreText(os, *view); },
      [&](raw_ostream &os) { writeStoreJson(os, *view); }, ExitGood);
}

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

static Expected<Store> openStore(const StoreOptions &options) {
  return Store::open(options.folder, options.rules);
}

int assay::runStore(const TriageOptions &options) {
  const StoreOptions &what = options.store;
  if (!what.isList && !what.isRebuild && what.bucket.empty())
    return fail(ExitUsage, "--store needs a result, --list, --set or --rebuild");
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

// What is known of the cases of \p now, after its verdicts.
static Error recordFacts(Store &store, const Findings &now, uint64_t timeMs) {
  std::set<CaseKey> keys;
  for (const Verdict &verdict : now.report.verdicts)
    if (isBad(verdict.state))
      keys.insert(caseKeyOf(verdict));
  for (const CaseKey &key : keys) {
    auto facts = now.facts.find(key.caseId);
    if (facts == now.facts.end())
      continue;
    Event event;
    event.timeMs = timeMs;
    event.body = FactsEvent{key, facts->second, now.folders.at(key.caseId)};
    if (Error error = store.append(std::move(event)))
      return error;
  }
  return Error::success();
}

int assay::recordInStore(const TriageOptions &options, const Findings &now) {
  const StoreOptions &what = options.store;
  if (what.night.empty())
    return fail(ExitUsage, "--store with a result needs --night NAME");
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

void assay::addStoreOptions(CLI::App &verb, StoreOptions &options) {
  CLI::Option *store =
      verb.add_option("--store", options.folder, "A folder that remembers results; is made");
  verb.add_option("--night", options.night, "The name under which the result is recorded")
      ->needs(store);
  verb.add_option("--revision", options.revision, "Of what the result is about")->needs(store);
  verb.add_flag("--list", options.isList, "Everything that the store holds")->needs(store);
  verb.add_flag("--rebuild", options.isRebuild, "Make the database anew from the log")
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

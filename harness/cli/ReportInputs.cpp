// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/ReportInputs.h"

#include "harness/campaign/Relocate.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Results.h"
#include "harness/triage/Findings.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;
using namespace assay;

/// The attributes of campaign.json by name, each as JSON.
static std::vector<std::pair<std::string, std::string>> listOptions(StringRef text) {
  std::vector<std::pair<std::string, std::string>> options;
  json::Value value = cantFail(json::parse(text)); // CampaignFolder has read it.
  for (const auto &[name, each] : *value.getAsObject())
    options.emplace_back(name.str(), formatv("{0}", each).str());
  llvm::sort(options);
  return options;
}

/// Campaigns of one seed call different cases by one name.
static void tellApart(Findings &findings, const std::string &name, const SiteInput &input) {
  std::set<StringRef> known;
  for (const Verdict &verdict : input.report.verdicts)
    known.insert(verdict.caseId);
  if (none_of(findings.report.verdicts,
              [&](const Verdict &verdict) { return known.count(verdict.caseId); }))
    return;
  for (Verdict &verdict : findings.report.verdicts)
    verdict.caseId = name + "/" + verdict.caseId;
  FactsByCase facts;
  for (auto &[key, each] : findings.facts) {
    FactsKey renamed = key;
    renamed.caseId = name + "/" + key.caseId;
    facts[std::move(renamed)] = std::move(each);
  }
  findings.facts = std::move(facts);
  std::map<std::string, std::string> folders;
  for (auto &[id, each] : findings.folders)
    folders[name + "/" + id] = std::move(each);
  findings.folders = std::move(folders);
}

/// Path of the script in the folder of a finding.
static std::string caseOfFinding(const std::string &folder) {
  return folder + "/case.amber";
}

/// Adds the findings of the campaign in \p path, which has no slash at its end. Paths in verdicts
/// are changed to those seen from here.
static Error takeCampaign(const std::string &path, SiteInput &input) {
  Expected<Findings> findings = readFindings(path);
  if (!findings)
    return findings.takeError();
  // A report is read elsewhere than in the campaign's folder.
  for (Verdict &verdict : findings->report.verdicts)
    if (auto found = findings->folders.find(verdict.caseId); found != findings->folders.end())
      relocateVerdict(verdict, placeOfFinding(verdict.caseId), caseOfFinding(found->second));
  std::string name = sys::path::filename(path).str();
  tellApart(*findings, name, input);
  append_range(input.report.verdicts, findings->report.verdicts);
  for (const auto &[id, folder] : findings->folders)
    input.report.sources[id].path = caseOfFinding(folder);
  input.facts.insert(findings->facts.begin(), findings->facts.end());
  input.folders.insert(findings->folders.begin(), findings->folders.end());
  input.campaigns.push_back({std::move(name), listOptions(findings->options), findings->caseCount,
                             std::move(findings->report.verdicts), std::move(findings->batches)});
  if (input.report.verb.empty())
    input.report.verb = "fuzz";
  return Error::success();
}

/// Adds the store's buckets and its log. InvalidInput if there is a store already.
static Error takeStore(const std::string &path, SiteInput &input) {
  if (input.store)
    return invalidInput(path + ": a report is about one store");
  Expected<Store> store = Store::open(path);
  if (!store)
    return store.takeError();
  Expected<StoreView> view = readStore(*store);
  if (!view)
    return view.takeError();
  // The log may have grown since: what the view does not know of is not looked for.
  Expected<std::vector<Event>> events = readEvents(store->eventsFolder());
  if (!events)
    return events.takeError();
  input.store = StoreContent{std::move(*view), std::move(*events)};
  return Error::success();
}

/// Appends the verdicts of a JSON result. Command and options are those of the first result;
/// several results have no command in common.
static Error takeResult(const std::string &path, SiteInput &input) {
  Expected<Report> report = readResult(path);
  if (!report)
    return report.takeError();
  Report &all = input.report;
  if (all.verb.empty()) {
    all.options = report->options;
    all.run = report->run;
  } else {
    all.run.reset(); // Of several results no command made all.
  }
  all.verb = all.verb.empty() || all.verb == report->verb ? report->verb : "report";
  all.sources.insert(report->sources.begin(), report->sources.end());
  for (const auto &[index, line] : report->known)
    all.known[all.verdicts.size() + index] = line;
  append_range(all.verdicts, report->verdicts);
  return Error::success();
}

Error assay::addReportInput(const std::string &path, SiteInput &input) {
  if (!sys::fs::is_directory(path))
    return takeResult(path, input);
  if (sys::fs::exists(path + "/campaign.json"))
    return takeCampaign(StringRef(path).rtrim('/').str(), input);
  if (sys::fs::exists(path + "/store.json"))
    return takeStore(path, input);
  return invalidInput(path + " is neither the folder of a campaign nor a store");
}

void assay::collectSources(Report &report) {
  for (auto &[id, source] : report.sources) {
    Expected<std::string> text = readFileText(source.path, 1 << 20);
    if (!text)
      consumeError(text.takeError());
    else if (text->find('\0') == std::string::npos)
      source.text = std::move(*text);
  }
}

int assay::printSite(SiteInput input, const std::string &folder) {
  if (input.title.empty())
    input.title = "assay " + (input.report.verb.empty() ? "report" : input.report.verb);
  collectSources(input.report);
  Expected<std::unique_ptr<Site>> site = makeSite(std::move(input));
  if (!site)
    return fail(site.takeError());
  if (Error error = writeSite(folder, **site))
    return fail(ExitToolFailure, takeError(std::move(error)).message);
  return ExitGood;
}

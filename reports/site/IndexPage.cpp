// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first page: the result, what ran, what is new, fixed and wrong. What has no rows is left out.
#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "reports/HtmlSummary.h"
#include "reports/site/Chart.h"
#include "reports/site/Pages.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// A list of bugs on the page: its anchor, heading and explanation.
static const struct ListText {
  BugList list;
  const char *id, *heading, *meaning;
} listTexts[] = {
    {BugList::Regressions, "regressions", "Regressions",
     "New in the last run or since the baseline, or back after a fix."},
    {BugList::Fixes, "fixes", "Fixes", "No longer seen in the last run, or since the baseline."},
    {BugList::Problems, "problems", "Problems", "Open bugs."},
    {BugList::Flaky, "flaky", "Flaky", "Results that vary although nothing changed."},
};

/// Returns when the bug was first seen, for bugs without a store "in this result".
static std::string spanOf(const Bug &bug) {
  return bug.firstSeen.empty() ? "in this result" : bug.firstSeen;
}

/// Writes the row of a bug; its name links to its page.
static void writeBugRow(raw_ostream &os, const Bug &bug) {
  os << "<tr><th scope=\"row\">";
  writeBugLink(os, bug, "");
  os << "</th><td>";
  writeState(os, bug.state);
  os << "</td><td>" << escapeMarkup(bug.status) << "</td><td class=\"date\">"
     << escapeMarkup(spanOf(bug)) << "</td><td class=\"date\">"
     << escapeMarkup(bug.lastSeen.empty() ? spanOf(bug) : bug.lastSeen)
     << "</td><td class=\"number\">" << bug.sightings.size() << "</td><td>";
  writeSparkline(os, "Symptoms in each run", bug.trend);
  os << "</td><td>" << escapeMarkup(bug.facts.pass) << "</td></tr>\n";
}

/// Writes bugs with state, status, when they were seen, and their trend.
static void writeBugTable(raw_ostream &os, StringRef name, ArrayRef<const Bug *> bugs) {
  beginTable(os, name,
             {{"Bug"},
              {"State"},
              {"Status"},
              {"First seen"},
              {"Last seen"},
              {"Sightings", true},
              {"Trend"},
              {"Guilty pass"}});
  for (const Bug *bug : bugs)
    writeBugRow(os, *bug);
  endTable(os);
}

/// Returns the bugs of a list, in the order of the site.
static std::vector<const Bug *> bugsIn(const Site &site, BugList list) {
  std::vector<const Bug *> bugs;
  for (const Bug &bug : site.bugs)
    if (bug.isIn[static_cast<size_t>(list)])
      bugs.push_back(&bug);
  return bugs;
}

/// Whether the lists leave bugs out: those that are closed or silenced.
static bool hasOtherBugs(const Site &site) {
  return any_of(site.bugs,
                [](const Bug &bug) { return none_of(bug.isIn, [](bool isIn) { return isIn; }); });
}

/// Writes links to the sections of the page that have rows, with their numbers of rows.
static void writeJumps(raw_ostream &os, const Pages &pages) {
  const Site &site = *pages.site;
  std::vector<std::pair<std::string, size_t>> jumps;
  auto add = [&](StringRef id, StringRef name, size_t count) {
    if (count)
      jumps.emplace_back("<a href=\"#" + id.str() + "\">" + name.str() + "</a>", count);
  };
  for (const ListText &text : listTexts)
    add(text.id, text.heading, bugsIn(site, text.list).size());
  add("unsupported", "Unsupported", site.unsupported.size());
  add("all", "All bugs", hasOtherBugs(site) ? site.bugs.size() : 0);
  if (jumps.empty())
    return;
  os << "<ul class=\"jump\">\n";
  for (const auto &[link, count] : jumps)
    os << "<li>" << link << " <strong>" << count << "</strong></li>\n";
  os << "</ul>\n";
}

/// Writes why verdicts are unsupported; nothing if none is.
static void writeUnsupported(raw_ostream &os, const Site &site) {
  if (site.unsupported.empty())
    return;
  os << "<h2 id=\"unsupported\">Unsupported</h2>\n<p class=\"quiet\">What could not be run, by "
        "reason.</p>\n";
  const TableColumn columns[] = {
      {"Reason"}, {"Verdicts", true}, {"Cases", true}, {"Compilers and machines"}, {"Example"}};
  beginTable(os, "Unsupported, by reason", columns);
  for (const UnsupportedGroup &group : site.unsupported)
    writeRow(os, columns,
             {group.reason, std::to_string(group.verdicts), std::to_string(group.cases),
              group.configurations, group.example});
  endTable(os);
}

/// Writes the runs of the store, the latest first.
static void writeNights(raw_ostream &os, const StoreView &view) {
  const TableColumn columns[] = {
      {"Run"},         {"Revision"},    {"Verdicts", true},    {"Pass", true},
      {"Wrong", true}, {"Flaky", true}, {"Unsupported", true}, {"Complete"}};
  beginTable(os, "Runs in the store", columns);
  for (const StoredNight &night : reverse(view.nights)) {
    const Counts &counts = night.counts;
    writeRow(os, columns,
             {night.name, night.revision, std::to_string(counts.total()),
              std::to_string(counts[State::Pass]), std::to_string(counts.bad()),
              std::to_string(counts[State::Flaky]), std::to_string(counts[State::Unsupported]),
              night.isWhole ? "yes" : "no"});
  }
  endTable(os);
}

/// Writes each list that has bugs, and all bugs where the lists leave some out.
static void writeBugLists(raw_ostream &os, const Site &site) {
  if (!site.bugs.empty())
    os << "<div id=\"filter\"></div>\n";
  for (const ListText &text : listTexts) {
    std::vector<const Bug *> bugs = bugsIn(site, text.list);
    if (bugs.empty())
      continue;
    os << "<h2 id=\"" << text.id << "\">" << text.heading << "</h2>\n<p class=\"quiet\">"
       << text.meaning << "</p>\n";
    writeBugTable(os, text.heading, bugs);
  }
  if (!hasOtherBugs(site))
    return;
  std::vector<const Bug *> all;
  for (const Bug &bug : site.bugs)
    all.push_back(&bug);
  os << "<h2 id=\"all\">All bugs</h2>\n<p class=\"quiet\">Closed and silenced ones, too.</p>\n";
  writeBugTable(os, "All bugs", all);
}

/// A site may have a store and no result, or the reverse: parts without data are left out.
void assay::writeIndexPage(raw_ostream &os, const Pages &pages) {
  const Site &site = *pages.site;
  const Report &report = site.input.report;
  if (!report.verdicts.empty()) {
    os << "<section class=\"panel\">\n";
    writeResult(os, report);
    writeJumps(os, pages);
    os << "</section>\n";
    writeWhatRan(os, report);
  } else {
    writeJumps(os, pages);
  }
  writeBugLists(os, site);
  writeUnsupported(os, site);
  writeCompilersSummary(os, pages);
  if (!report.verdicts.empty()) {
    os << "<h2 id=\"configurations\">Configurations</h2>\n";
    writeConfigurationTable(os, report);
  }
  if (site.input.store && !site.input.store->view.nights.empty()) {
    os << "<h2 id=\"history\">History</h2>\n";
    writeNights(os, site.input.store->view);
  }
}

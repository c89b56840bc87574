// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index: what is new, what is fixed, what is wrong, in lists.
#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "reports/site/Chart.h"
#include "reports/site/Pages.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static const struct ListText {
  BugList list;
  const char *id, *heading, *meaning;
} listTexts[] = {
    {BugList::Regressions, "regressions", "Regressions",
     "First seen in the last night, or since the baseline; came back after a fix."},
    {BugList::Fixes, "fixes", "Fixes", "Gone with the last night, or since the baseline."},
    {BugList::Problems, "problems", "Problems", "Open: wrong, and nobody has decided otherwise."},
    {BugList::Flaky, "flaky", "Flaky", "Wrong now and then, with nothing changed."},
};

static std::string spanOf(const Bug &bug) {
  return bug.firstSeen.empty() ? "in this result" : bug.firstSeen;
}

static void writeBugRow(raw_ostream &os, const Bug &bug) {
  os << "<tr><th scope=\"row\">";
  writeBugLink(os, bug, "");
  os << "</th><td>";
  writeState(os, bug.state);
  os << "</td><td>" << escapeMarkup(bug.status) << "</td><td>" << escapeMarkup(spanOf(bug))
     << "</td><td>" << escapeMarkup(bug.lastSeen.empty() ? spanOf(bug) : bug.lastSeen)
     << "</td><td class=\"number\">" << bug.sightings.size() << "</td><td>";
  writeSparkline(os, "Seen in each night", bug.trend);
  os << "</td><td>" << escapeMarkup(bug.facts.pass.empty() ? "not known" : bug.facts.pass)
     << "</td></tr>\n";
}

static void writeBugTable(raw_ostream &os, StringRef name, ArrayRef<const Bug *> bugs) {
  if (bugs.empty()) {
    os << "<p>None.</p>\n";
    return;
  }
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

static std::vector<const Bug *> bugsIn(const Site &site, BugList list) {
  std::vector<const Bug *> bugs;
  for (const Bug &bug : site.bugs)
    if (bug.isIn[static_cast<size_t>(list)])
      bugs.push_back(&bug);
  return bugs;
}

static void writeJumps(raw_ostream &os, const Site &site) {
  os << "<ul class=\"jump\">\n";
  for (const ListText &text : listTexts)
    os << "<li><a href=\"#" << text.id << "\">" << text.heading << "</a> "
       << bugsIn(site, text.list).size() << "</li>\n";
  os << "<li><a href=\"#unsupported\">Unsupported</a> " << site.unsupported.size()
     << "</li>\n<li><a href=\"#all\">All bugs</a> " << site.bugs.size() << "</li>\n"
     << "<li><a href=\"#sum\">Sum</a></li>\n</ul>\n<div id=\"filter\"></div>\n";
}

static void writeUnsupported(raw_ostream &os, const Site &site) {
  os << "<h2 id=\"unsupported\">Unsupported</h2>\n<p class=\"quiet\">What could not be tried, by "
        "reason.</p>\n";
  if (site.unsupported.empty()) {
    os << "<p>None.</p>\n";
    return;
  }
  const TableColumn columns[] = {
      {"Reason"}, {"Verdicts", true}, {"Cases", true}, {"Compilers and machines"}, {"A case"}};
  beginTable(os, "Unsupported, by reason", columns);
  for (const UnsupportedGroup &group : site.unsupported)
    writeRow(os, columns,
             {group.reason, std::to_string(group.verdicts), std::to_string(group.cases),
              group.configurations, group.example});
  endTable(os);
}

static void writeNights(raw_ostream &os, const StoreView &view) {
  const TableColumn columns[] = {
      {"Night"},       {"Revision"},    {"Verdicts", true},    {"Pass", true},
      {"Wrong", true}, {"Flaky", true}, {"Unsupported", true}, {"Ended"}};
  beginTable(os, "Nights of the store", columns);
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

void assay::writeIndexPage(raw_ostream &os, const Pages &pages) {
  const Site &site = *pages.site;
  writeJumps(os, site);
  for (const ListText &text : listTexts) {
    os << "<h2 id=\"" << text.id << "\">" << text.heading << "</h2>\n<p class=\"quiet\">"
       << text.meaning << "</p>\n";
    writeBugTable(os, text.heading, bugsIn(site, text.list));
  }
  writeUnsupported(os, site);
  os << "<h2 id=\"all\">All bugs</h2>\n";
  std::vector<const Bug *> all;
  for (const Bug &bug : site.bugs)
    all.push_back(&bug);
  writeBugTable(os, "All bugs", all);
  os << "<h2 id=\"sum\">Sum</h2>\n";
  if (!site.input.report.verdicts.empty())
    writeCountsTable(os, site.input.report.count());
  writeValues(os, site.input.report.options);
  if (site.input.store)
    writeNights(os, site.input.store->view);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All about one bug.
#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "reports/site/Chart.h"
#include "reports/site/Pages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;
using namespace assay;

namespace {
/// Rows and sections of a page; what exceeds them is counted in a sentence.
constexpr size_t maxSightings = 200, maxVerdicts = 8, maxElements = 40;
} // namespace

/// \p root is the path from the page to the root of the site.
void assay::writeBugLink(raw_ostream &os, const Bug &bug, StringRef root) {
  os << "<a href=\"" << root << escapeUrl(bug.page()) << "\">" << escapeMarkup(bug.title)
     << "</a> <span class=\"quiet\">" << escapeMarkup(bug.id) << "</span>";
}

/// Writes a captioned text; nothing if it is empty.
static void writeListing(raw_ostream &os, StringRef name, StringRef text, Language language) {
  if (text.empty())
    return;
  os << "<figure>\n<figcaption>" << name << "</figcaption>\n";
  writeText(os, name, text, language);
  os << "</figure>\n";
}

/// Writes state, status and what is known of the bug, and the link to the bug that it is a return
/// of.
static void writeSummary(raw_ostream &os, const Bug &bug, const Site &site) {
  os << "<p>";
  writeState(os, bug.state);
  os << " " << escapeMarkup(bug.status) << (bug.why.empty() ? "" : ": ") << escapeMarkup(bug.why)
     << "</p>\n";
  std::vector<std::pair<std::string, std::string>> rows = {{"Bucket", bug.id}, {"Key", bug.key}};
  auto add = [&](const char *name, const std::string &value) {
    if (!value.empty())
      rows.emplace_back(name, value);
  };
  add("First seen", bug.firstSeen);
  add("Last seen", bug.lastSeen);
  rows.emplace_back("Sightings", std::to_string(bug.sightings.size()));
  add("Guilty pass", bug.facts.pass);
  add("Wrong operation", bug.facts.operation);
  add("Features", join(bug.facts.features, ", "));
  add("Transformations", join(bug.facts.transformations, ", "));
  add("Link", bug.link);
  writeValues(os, rows);
  auto previous = find_if(site.bugs, [&](const Bug &each) { return each.id == bug.previous; });
  if (previous != site.bugs.end()) {
    os << "<p>Reappeared after a fix. Earlier bug: ";
    writeBugLink(os, *previous, "../");
    os << "</p>\n";
  }
}

/// Writes the number of symptoms in each run of the store as a chart.
static void writeTrend(raw_ostream &os, const Bug &bug, const StoreView &view) {
  LineChart chart;
  chart.title = "Symptoms in each run";
  chart.xName = "Run";
  chart.yName = "Symptoms";
  chart.series.push_back({"symptoms", {}});
  for (auto [index, value] : enumerate(bug.trend)) {
    chart.series[0].points.emplace_back(static_cast<double>(index), static_cast<double>(value));
    chart.xLabels.push_back(view.nights[index].name);
  }
  os << "<h2>Trend</h2>\n";
  writeLineChart(os, chart);
}

/// Writes the commands of the finding's folder, or up to five rerun commands of sightings.
static void writeCommands(raw_ostream &os, const Bug &bug) {
  std::string commands = bug.material.commands;
  if (commands.empty()) {
    std::set<std::string> known;
    for (const Sighting &each : bug.sightings)
      if (!each.rerun.empty() && known.insert(each.rerun).second && known.size() <= 5)
        commands += each.rerun + "\n";
  }
  if (commands.empty() && bug.material.folder.empty())
    return;
  os << "<h2>Commands</h2>\n";
  if (!bug.material.folder.empty())
    os << "<p>Folder of the finding: <code>" << escapeMarkup(bug.material.folder)
       << "</code></p>\n";
  if (!commands.empty())
    writeText(os, "Commands", commands);
}

/// Writes the elements that differ between the expected and the actual buffers of the case.
static void writeElements(raw_ostream &os, const Material &material) {
  uint64_t count = 0;
  std::vector<ElementDifference> differences =
      compareBuffers(material.expected, material.actual, maxElements, count);
  if (differences.empty())
    return;
  const TableColumn columns[] = {
      {"Buffer"}, {"Component", true}, {"Expected", true}, {"Actual", true}};
  beginTable(os,
             material.isMinimal ? "Expected and actual values of the minimal case"
                                : "Expected and actual values",
             columns);
  for (const ElementDifference &each : differences)
    writeRow(os, columns, {each.buffer, std::to_string(each.index), each.expected, each.actual});
  endTable(os);
  if (count > differences.size())
    os << "<p>The first " << differences.size() << " of " << count
       << " differences; floats may differ within the tolerance of the reference.</p>\n";
}

/// Writes the smallest known case: SPIR-V and machine code side by side, the script, and the
/// difference from a case that passes.
static void writeMaterial(raw_ostream &os, const Bug &bug) {
  const Material &material = bug.material;
  os << "<h2>" << (material.isMinimal ? "Minimal case" : "Case") << "</h2>\n";
  if (material.isEmpty()) {
    os << "<p>The folder of the finding is unknown or was removed. <code>assay minimize FINDING "
          "--output FINDING/minimal --bundle FINDING/bundle</code> makes one.</p>\n";
    return;
  }
  if (!material.isMinimal)
    os << "<p>Not minimized yet.</p>\n";
  if (!material.spirv.empty() || !material.isa.empty()) {
    os << "<div class=\"pair\">\n";
    writeListing(os, "SPIR-V", material.spirv, Language::Spirv);
    writeListing(os, "Machine code", material.isa, Language::Isa);
    os << "</div>\n";
  }
  os << "<details" << (material.spirv.empty() ? " open" : "") << "><summary>The script</summary>\n";
  writeListing(os, "Script", material.script, Language::Amber);
  os << "</details>\n";
  if (!material.neighbour.empty()) {
    os << "<h2>What makes it pass</h2>\n";
    writeListing(os, "Difference from a case that passes", material.neighbour, Language::Diff);
  }
}

/// Writes what localizing found: the pass, the function, evidence, and the module's difference.
static void writeGuilty(raw_ostream &os, const Bug &bug) {
  const Localised &localised = bug.material.localised;
  const std::string &pass = bug.facts.pass.empty() ? localised.pass : bug.facts.pass;
  os << "<h2>Guilty pass</h2>\n";
  if (pass.empty()) {
    os << "<p>Not localized yet.</p>\n";
    return;
  }
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto &[name, value] :
       std::initializer_list<std::pair<const char *, const std::string &>>{
           {"Phase", localised.phase},
           {"Pass", pass},
           {"Function", localised.function},
           {"First changed line", localised.instruction}})
    if (!value.empty())
      rows.emplace_back(name, value);
  for (const std::string &each : localised.evidence)
    rows.emplace_back("Evidence", each);
  writeValues(os, rows);
  bool isCode = localised.phase == "code-generation";
  writeListing(os, "Code after the first wrong value", join(localised.slice, "\n"),
               isCode ? Language::Isa : Language::Llvm);
  writeListing(os, "The module before and after the pass", localised.difference, Language::Diff);
}

/// Writes expected and actual values, and the latest verdicts in full.
static void writeVerdicts(raw_ostream &os, const Bug &bug) {
  if (bug.verdicts.empty() && bug.material.expected.empty())
    return;
  os << "<h2>Expected and actual</h2>\n";
  writeElements(os, bug.material);
  for (auto [index, verdict] : enumerate(ArrayRef(bug.verdicts).take_front(maxVerdicts)))
    writeVerdictSection(os, *verdict, "verdict-" + std::to_string(index), /*level=*/3);
  if (bug.verdicts.size() > maxVerdicts)
    os << "<p>" << bug.verdicts.size() - maxVerdicts << " more verdicts show the same.</p>\n";
}

/// Writes when and where the bug was seen, with the votes by which each sighting joined.
static void writeSightings(raw_ostream &os, const Bug &bug) {
  os << "<h2>Sightings</h2>\n<div id=\"filter\"></div>\n";
  const TableColumn columns[] = {{"Case"},           {"Run"},    {"Compiler"}, {"Machine"},
                                 {"Configurations"}, {"Reason"}, {"Votes"},    {"Sum", true}};
  beginTable(os, "Sightings, the latest first", columns);
  for (const Sighting &each : ArrayRef(bug.sightings).take_front(maxSightings))
    writeRow(os, columns,
             {each.about.caseId, each.night.empty() ? "this result" : each.night,
              each.about.compiler.empty() ? "reference" : each.about.compiler, each.about.machine,
              each.configurations, each.reason, each.votes.empty() ? "founder" : each.votes,
              std::to_string(each.sum)});
  endTable(os);
  if (bug.sightings.size() > maxSightings)
    os << "<p>Showing the latest " << maxSightings << " of " << bug.sightings.size() << ".</p>\n";
}

/// Writes links to bugs with a positive sum of votes.
static void writeSimilar(raw_ostream &os, const Bug &bug, const Site &site) {
  if (bug.similar.empty())
    return;
  os << "<h2>Similar bugs</h2>\n";
  beginTable(os, "Similar bugs and their votes", {{"Bug"}, {"Votes"}, {"Sum", true}});
  for (const SimilarBug &each : bug.similar) {
    os << "<tr><th scope=\"row\">";
    writeBugLink(os, site.bugs[each.bug], "../");
    os << "</th><td>" << escapeMarkup(each.votes) << "</td><td class=\"number\">" << each.sum
       << "</td></tr>\n";
  }
  endTable(os);
}

/// Writes the transitions in the store, refused ones included.
static void writeLife(raw_ostream &os, const Bug &bug) {
  if (bug.transitions.empty())
    return;
  os << "<h2>History</h2>\n";
  const TableColumn columns[] = {{"Time (UTC)"}, {"From"}, {"To"}, {"Who"}, {"Why"}, {"Link"}};
  beginTable(os, "States of the bug", columns);
  for (const StoredTransition &each : bug.transitions) {
    auto time = static_cast<std::time_t>(each.timeMs / 1000);
    writeRow(os, columns,
             {formatv("{0:%F %R}", sys::toUtcTime(time)).str(), lifeName(each.from).str(),
              lifeName(each.to).str() + (each.isRefused ? " (refused)" : ""), each.actor,
              each.reason, each.link});
  }
  endTable(os);
}

/// Sections without content are left out. The trend needs a store.
void assay::writeBugPage(raw_ostream &os, const Pages &pages, const Bug &bug) {
  const Site &site = *pages.site;
  writeSummary(os, bug, site);
  writeCommands(os, bug);
  writeMaterial(os, bug);
  writeVerdicts(os, bug);
  writeGuilty(os, bug);
  if (site.input.store && !bug.trend.empty())
    writeTrend(os, bug, site.input.store->view);
  writeSimilar(os, bug, site);
  writeSightings(os, bug);
  writeLife(os, bug);
  if (!bug.material.provenance.empty()) {
    os << "<details><summary>Provenance</summary>\n";
    writeText(os, "Provenance", bug.material.provenance);
    os << "</details>\n";
  }
}

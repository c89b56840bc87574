// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/HtmlMarkup.h"

#include "reports/Escape.h"
#include "reports/Evidence.h"
#include "reports/HtmlScript.h"
#include "reports/HtmlStyle.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Writes the links to the site's pages, the present one marked.
static void writeNavigation(raw_ostream &os, const PageHead &head) {
  if (head.pages.empty())
    return;
  os << "<nav aria-label=\"Pages\">\n<ul>\n";
  for (const PageLink &page : head.pages)
    os << "<li><a href=\"" << head.root << escapeUrl(page.path) << "\""
       << (page.path == head.present ? " aria-current=\"page\"" : "") << ">"
       << escapeMarkup(page.name) << "</a></li>\n";
  os << "</ul>\n</nav>\n";
}

/// Writes everything up to the content. A page that is alone has its style sheet inside; others
/// link to the one in the root of the site.
void assay::beginPage(raw_ostream &os, const PageHead &head) {
  std::string title = escapeMarkup(head.title);
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" << title
     << "</title>\n";
  if (head.isAlone)
    os << "<style>\n" << htmlStyle << "</style>\n";
  else
    os << "<link rel=\"stylesheet\" href=\"" << head.root << styleFile << "\">\n"
       << "<script defer src=\"" << head.root << scriptFile << "\"></script>\n";
  os << "</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to content</a>\n";
  writeNavigation(os, head);
  os << "<main id=\"content\" tabindex=\"-1\">\n<h1>" << title << "</h1>\n";
}

void assay::endPage(raw_ostream &os) {
  os << "</main>\n</body>\n</html>\n";
}

/// The name is the CSS class, too, and gives the colour.
void assay::writeState(raw_ostream &os, State state) {
  os << "<span class=\"state " << stateName(state) << "\">" << stateName(state) << "</span>";
}

/// \p name is the caption and the accessible name. Only a sortable table is offered to the script.
void assay::beginTable(raw_ostream &os, StringRef name, ArrayRef<TableColumn> columns,
                       bool isSortable) {
  std::string escaped = escapeMarkup(name);
  os << "<div class=\"wide\" role=\"region\" aria-label=\"" << escaped << "\" tabindex=\"0\">\n"
     << (isSortable ? "<table class=\"sortable\">" : "<table>") << "\n<caption>" << escaped
     << "</caption>\n<thead><tr>";
  for (const TableColumn &column : columns)
    os << "<th scope=\"col\"" << (column.isNumber ? " class=\"number\"" : "") << ">"
       << escapeMarkup(column.name) << "</th>";
  os << "</tr></thead>\n<tbody>\n";
}

void assay::endTable(raw_ostream &os) {
  os << "</tbody>\n</table>\n</div>\n";
}

/// Needs as many cells as columns. The first cell is the header of its row; all cells are escaped.
void assay::writeRow(raw_ostream &os, ArrayRef<TableColumn> columns, ArrayRef<std::string> cells) {
  assert(columns.size() == cells.size() && "a cell for each column");
  os << "<tr><th scope=\"row\"" << (columns.front().isNumber ? " class=\"number\"" : "") << ">"
     << escapeMarkup(cells.front()) << "</th>";
  for (size_t i = 1; i < cells.size(); ++i)
    os << (columns[i].isNumber ? "<td class=\"number\">" : "<td>") << escapeMarkup(cells[i])
       << "</td>";
  os << "</tr>\n";
}

/// Writes a heading over all \p columns columns. The filter hides it with the rows after it.
void assay::writeGroupRow(raw_ostream &os, StringRef text, size_t columns) {
  os << "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"" << columns << "\">"
     << escapeMarkup(text) << "</th></tr>\n";
}

/// Writes nothing for an empty list.
void assay::writeValues(raw_ostream &os, ArrayRef<std::pair<std::string, std::string>> values) {
  if (values.empty())
    return;
  os << "<dl class=\"values\">\n";
  for (const auto &[name, value] : values)
    os << "<dt>" << escapeMarkup(name) << "</dt><dd><code>" << escapeMarkup(value)
       << "</code></dd>\n";
  os << "</dl>\n";
}

/// \p name is what screen readers call the text.
void assay::writeText(raw_ostream &os, StringRef name, StringRef text, Language language) {
  os << "<pre tabindex=\"0\" role=\"region\" aria-label=\"" << escapeMarkup(name) << "\"><code>";
  writeHighlighted(os, text, language);
  os << "</code></pre>\n";
}

/// Pictures next to each other, enlarged without smoothing.
static void writePictures(raw_ostream &os, const Finding &finding) {
  if (none_of(finding.evidence, [](const auto &each) { return isPictureUri(each.second); }))
    return;
  os << "<div class=\"pictures\">\n";
  for (const auto &[name, value] : finding.evidence)
    if (isPictureUri(value))
      os << "<figure><figcaption>" << escapeMarkup(name) << "</figcaption><img src=\""
         << escapeMarkup(value) << "\" alt=\"" << escapeMarkup(name) << "\"></figure>\n";
  os << "</div>\n";
}

/// Writes what happened to the texel, for findings with such evidence.
static void writeHistory(raw_ostream &os, const Finding &finding) {
  std::vector<std::string> lines = historyOf(finding);
  if (lines.empty())
    return;
  os << "<p>What draws and clears did to this texel on the reference:</p>\n<ol>\n";
  for (const std::string &line : lines)
    os << "<li><code>" << escapeMarkup(line) << "</code></li>\n";
  os << "</ol>\n";
}

/// Evidence apart from pictures and history, which are shown in their own way.
static std::vector<std::pair<std::string, std::string>> listValues(const Finding &finding) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto &each : finding.evidence)
    if (!isPictureUri(each.second) && each.first != historyEvidence)
      values.push_back(each);
  return values;
}

/// Writes rule, severity, location and message, followed by all evidence.
static void writeFinding(raw_ostream &os, const Finding &finding) {
  static constexpr StringRef severities[] = {"note", "warning", "error"};
  os << "<li><strong>" << escapeMarkup(finding.rule) << "</strong> ("
     << severities[static_cast<int>(finding.severity)] << ") " << escapeMarkup(finding.location)
     << ": " << escapeMarkup(finding.message) << "\n";
  writeValues(os, listValues(finding));
  writePictures(os, finding);
  writeHistory(os, finding);
  os << "</li>\n";
}

/// Writes the reason, the first difference and the findings; each part is left out where the
/// verdict has none.
void assay::writeComplaints(raw_ostream &os, const Verdict &verdict) {
  if (!verdict.reason.empty())
    os << "<p>" << escapeMarkup(verdict.reason) << "</p>\n";
  if (verdict.firstDifference)
    os << "<p>First difference: " << escapeMarkup(describeDifference(*verdict.firstDifference))
       << "</p>\n";
  if (verdict.findings.empty())
    return;
  os << "<ul>\n";
  for (const Finding &finding : verdict.findings)
    writeFinding(os, finding);
  os << "</ul>\n";
}

/// Writes all about one verdict under a heading of HTML level \p level. \p anchor must be unique in
/// the page.
void assay::writeVerdictSection(raw_ostream &os, const Verdict &verdict, StringRef anchor,
                                unsigned level) {
  std::string name = configurationName(verdict);
  os << "<section id=\"" << anchor << "\">\n<h" << level << ">" << escapeMarkup(name) << " ";
  writeState(os, verdict.state);
  os << "</h" << level << ">\n";
  writeComplaints(os, verdict);
  std::vector<std::pair<std::string, std::string>> statistics;
  for (const auto &[what, value] : listStatistics(verdict))
    statistics.emplace_back(what, std::to_string(value));
  writeValues(os, statistics);
  if (!verdict.rerun.empty()) {
    os << "<p>Command:</p>\n";
    writeText(os, ("Command, " + anchor).str(), verdict.rerun);
  }
  os << "</section>\n";
}

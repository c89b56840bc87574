// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report for a browser: static pages, no scripts, nothing fetched from elsewhere. A state is
// always there as a word; its colour only repeats it.
#include "reports/Report.h"

#include "reports/Escape.h"
#include "reports/HtmlStyle.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace assay;

namespace {

/// The verdicts of one case, and the name of its page or section.
struct CasePage {
  std::string id;
  std::string slug; ///< Safe in a file name, a URL and an attribute; no two are equal.
  std::vector<const Verdict *> verdicts;
};

/// What all parts of the report share.
struct Layout {
  std::vector<CasePage> cases;
  std::vector<std::string> configurations; ///< Columns of the matrix.
  bool onePage = false;

  /// Link from the index to verdict number \p index of \p page.
  std::string link(const CasePage &page, size_t index) const {
    std::string anchor = page.slug + "-" + std::to_string(index);
    return (onePage ? "#" : "cases/" + page.slug + ".html#") + anchor;
  }
};

} // namespace

static std::string makeSlug(size_t number, StringRef id) {
  std::string slug = "case-" + std::to_string(number) + "-";
  for (char c : id.take_back(60))
    slug += isAlnum(c) ? toLower(c) : '-';
  return slug;
}

static Layout makeLayout(const Report &report, bool onePage) {
  Layout layout;
  layout.onePage = onePage;
  std::map<StringRef, size_t> index;
  std::set<std::string> known;
  for (const Verdict &verdict : report.verdicts) {
    auto [it, isNew] = index.try_emplace(verdict.caseId, layout.cases.size());
    if (isNew)
      layout.cases.push_back(
          {verdict.caseId, makeSlug(layout.cases.size() + 1, verdict.caseId), {}});
    layout.cases[it->second].verdicts.push_back(&verdict);
    if (known.insert(configurationName(verdict)).second)
      layout.configurations.push_back(configurationName(verdict));
  }
  return layout;
}

static void beginPage(raw_ostream &os, StringRef title, StringRef styleLink) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
     << escapeMarkup(title) << "</title>\n";
  if (styleLink.empty())
    os << "<style>\n" << htmlStyle << "</style>\n";
  else
    os << "<link rel=\"stylesheet\" href=\"" << styleLink << "\">\n";
  os << "</head>\n<body>\n<main>\n<h1>" << escapeMarkup(title) << "</h1>\n";
}

static void endPage(raw_ostream &os) {
  os << "</main>\n</body>\n</html>\n";
}

static void writeState(raw_ostream &os, State state) {
  os << "<span class=\"state " << stateName(state) << "\">" << stateName(state) << "</span>";
}

static void writeCounts(raw_ostream &os, const Counts &counts) {
  os << "<h2>Sum</h2>\n<table>\n<caption>Verdicts by state</caption>\n"
     << "<thead><tr><th scope=\"col\">State</th><th scope=\"col\">Verdicts</th></tr></thead>\n"
     << "<tbody>\n";
  for (unsigned i = 0; i < stateCount; ++i) {
    os << "<tr><th scope=\"row\">";
    writeState(os, static_cast<State>(i));
    os << "</th><td class=\"number\">" << counts.byState[i] << "</td></tr>\n";
  }
  os << "<tr><th scope=\"row\">all</th><td class=\"number\">" << counts.total()
     << "</td></tr>\n</tbody>\n</table>\n";
}

static void writeOptions(raw_ostream &os, const Report &report) {
  if (report.options.empty())
    return;
  os << "<h2>Chosen</h2>\n<dl>\n";
  for (const auto &[name, value] : report.options)
    os << "<dt>" << escapeMarkup(name) << "</dt><dd><code>" << escapeMarkup(value)
       << "</code></dd>\n";
  os << "</dl>\n";
}

static std::string describeDifference(const Difference &difference) {
  return "buffer '" + difference.buffer + "' element " + std::to_string(difference.element) +
         " component " + std::to_string(difference.component) + " (byte " +
         std::to_string(difference.byteOffset) + "): expected " + difference.expected + ", got " +
         difference.actual;
}

static void writeMatrixRow(raw_ostream &os, const Layout &layout, const CasePage &page) {
  os << "<tr><th scope=\"row\">" << escapeMarkup(page.id) << "</th>";
  for (const std::string &configuration : layout.configurations) {
    os << "<td>";
    for (size_t i = 0; i < page.verdicts.size(); ++i) {
      const Verdict &verdict = *page.verdicts[i];
      if (configurationName(verdict) != configuration)
        continue;
      os << "<a href=\"" << layout.link(page, i) << "\">";
      writeState(os, verdict.state);
      os << "</a>";
    }
    os << "</td>";
  }
  os << "</tr>\n";
}

static void writeMatrix(raw_ostream &os, const Layout &layout) {
  os << "<h2 id=\"matrix\">Cases and machines</h2>\n"
     << "<div class=\"wide\" role=\"region\" aria-labelledby=\"matrix\" tabindex=\"0\">\n"
     << "<table>\n<caption>The state of each case on each machine</caption>\n"
     << "<thead><tr><th scope=\"col\">Case</th>";
  for (const std::string &configuration : layout.configurations)
    os << "<th scope=\"col\">" << escapeMarkup(configuration) << "</th>";
  os << "</tr></thead>\n<tbody>\n";
  for (const CasePage &page : layout.cases)
    writeMatrixRow(os, layout, page);
  os << "</tbody>\n</table>\n</div>\n";
}

// What needs a look, on the first page: the reason and the first differing element.
static void writeProblems(raw_ostream &os, const Layout &layout) {
  os << "<h2 id=\"problems\">What needs a look</h2>\n";
  bool any = false;
  for (const CasePage &page : layout.cases) {
    for (size_t i = 0; i < page.verdicts.size(); ++i) {
      const Verdict &verdict = *page.verdicts[i];
      if (!isBad(verdict.state))
        continue;
      if (!any)
        os << "<div class=\"wide\" role=\"region\" aria-labelledby=\"problems\" tabindex=\"0\">\n"
           << "<table>\n<caption>Verdicts that are not pass, unsupported or flaky</caption>\n"
           << "<thead><tr><th scope=\"col\">Case</th><th scope=\"col\">Machine</th>"
           << "<th scope=\"col\">State</th><th scope=\"col\">Reason</th>"
           << "<th scope=\"col\">First difference</th></tr></thead>\n<tbody>\n";
      any = true;
      os << "<tr><th scope=\"row\"><a href=\"" << layout.link(page, i) << "\">"
         << escapeMarkup(page.id) << "</a></th><td>" << escapeMarkup(configurationName(verdict))
         << "</td><td>";
      writeState(os, verdict.state);
      os << "</td><td>" << escapeMarkup(verdict.reason) << "</td><td>"
         << (verdict.firstDifference ? escapeMarkup(describeDifference(*verdict.firstDifference))
                                     : "none")
         << "</td></tr>\n";
    }
  }
  os << (any ? "</tbody>\n</table>\n</div>\n" : "<p>Nothing.</p>\n");
}

static void writeFinding(raw_ostream &os, const Finding &finding) {
  static constexpr StringRef severities[] = {"note", "warning", "error"};
  os << "<li><strong>" << escapeMarkup(finding.rule) << "</strong> ("
     << severities[static_cast<int>(finding.severity)] << ") " << escapeMarkup(finding.location)
     << ": " << escapeMarkup(finding.message);
  if (!finding.evidence.empty()) {
    os << "\n<dl>\n";
    for (const auto &[name, value] : finding.evidence)
      os << "<dt>" << escapeMarkup(name) << "</dt><dd><code>" << escapeMarkup(value)
         << "</code></dd>\n";
    os << "</dl>\n";
  }
  os << "</li>\n";
}

static void writeVerdict(raw_ostream &os, const Verdict &verdict, StringRef anchor, bool onePage) {
  const char *level = onePage ? "h4" : "h2";
  os << "<section id=\"" << anchor << "\">\n<" << level << ">"
     << escapeMarkup(configurationName(verdict)) << " ";
  writeState(os, verdict.state);
  os << "</" << level << ">\n";
  if (!verdict.reason.empty())
    os << "<p>" << escapeMarkup(verdict.reason) << "</p>\n";
  if (verdict.firstDifference)
    os << "<p>First difference: " << escapeMarkup(describeDifference(*verdict.firstDifference))
       << "</p>\n";
  if (!verdict.findings.empty()) {
    os << "<p>Findings:</p>\n<ul>\n";
    for (const Finding &finding : verdict.findings)
      writeFinding(os, finding);
    os << "</ul>\n";
  }
  if (!verdict.statistics.empty()) {
    os << "<dl>\n";
    for (const auto &[name, value] : verdict.statistics)
      os << "<dt>" << escapeMarkup(name) << "</dt><dd>" << value << "</dd>\n";
    os << "</dl>\n";
  }
  if (!verdict.rerun.empty())
    os << "<p>Run it again:</p>\n<pre tabindex=\"0\"><code>" << escapeMarkup(verdict.rerun)
       << "</code></pre>\n";
  os << "</section>\n";
}

static void writeCaseBody(raw_ostream &os, const CasePage &page, const Report &report,
                          bool onePage) {
  for (size_t i = 0; i < page.verdicts.size(); ++i)
    writeVerdict(os, *page.verdicts[i], page.slug + "-" + std::to_string(i), onePage);
  auto source = report.sources.find(page.id);
  if (source == report.sources.end())
    return;
  os << "<details" << (onePage ? "" : " open")
     << ">\n<summary>The script: " << escapeMarkup(source->second.path) << "</summary>\n";
  if (source->second.text.empty())
    os << "<p>Not text, or not readable.</p>\n";
  else
    os << "<pre tabindex=\"0\"><code>" << escapeMarkup(source->second.text) << "</code></pre>\n";
  os << "</details>\n";
}

static void writeIndex(raw_ostream &os, const Report &report, const Layout &layout) {
  writeCounts(os, report.count());
  writeOptions(os, report);
  writeMatrix(os, layout);
  writeProblems(os, layout);
}

void assay::writeHtmlReport(raw_ostream &os, const Report &report) {
  Layout layout = makeLayout(report, /*onePage=*/true);
  beginPage(os, "assay " + report.verb, "");
  writeIndex(os, report, layout);
  os << "<h2>Cases</h2>\n";
  for (const CasePage &page : layout.cases) {
    os << "<h3>" << escapeMarkup(page.id) << "</h3>\n";
    writeCaseBody(os, page, report, /*onePage=*/true);
  }
  endPage(os);
}

Error assay::writeHtmlFolder(StringRef folder, const Report &report) {
  Layout layout = makeLayout(report, /*onePage=*/false);
  std::string index;
  raw_string_ostream os(index);
  beginPage(os, "assay " + report.verb, "style.css");
  writeIndex(os, report, layout);
  endPage(os);
  for (const CasePage &page : layout.cases) {
    std::string text;
    raw_string_ostream caseOs(text);
    beginPage(caseOs, page.id, "../style.css");
    caseOs << "<p><a href=\"../index.html\">All cases</a></p>\n";
    writeCaseBody(caseOs, page, report, /*onePage=*/false);
    endPage(caseOs);
    if (Error error = writeFile((folder + "/cases/" + page.slug + ".html").str(), StringRef(text)))
      return error;
  }
  if (Error error = writeFile((folder + "/style.css").str(), htmlStyle))
    return error;
  return writeFile((folder + "/index.html").str(), StringRef(index));
}

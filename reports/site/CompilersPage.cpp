// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compilers of one result side by side.
#include "reports/Escape.h"
#include "reports/HtmlCase.h"
#include "reports/HtmlMarkup.h"
#include "reports/site/Pages.h"
#include "reports/site/QualityTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace assay;

/// By metric in the order of comparableMetrics(), of each all targets first.
static std::vector<MetricTotal> orderTotals(const CompilerComparison &of) {
  std::vector<MetricTotal> totals;
  for (StringRef metric : comparableMetrics())
    for (ArrayRef<MetricTotal> part : {ArrayRef(of.overall), ArrayRef(of.delta.totals)})
      for (const MetricTotal &total : part)
        if (total.metric == metric && (total.before || total.now))
          totals.push_back(total);
  return totals;
}

/// Writes the section of one pair of compilers: what is compared, totals, and the largest changes.
static void writeComparison(raw_ostream &os, const CompilerComparison &of, CaseLink link) {
  QualityNames names = {of.peer, of.base};
  os << "<h2 id=\"" << makeSlug(of.peer) << "\">" << escapeMarkup(of.base + " against " + of.peer)
     << "</h2>\n<p>" << of.pairs << " pairs of a case and a target pass with both compilers ("
     << of.cases << " cases)";
  if (of.leftOut)
    os << "; " << of.leftOut << " pairs that do not are left out";
  os << ". A ratio is " << escapeMarkup(of.base + " / " + of.peer) << ": below 1, "
     << escapeMarkup(of.base) << " needs less.</p>\n";
  writeTotalsTable(os, "Totals, " + of.base + " against " + of.peer, orderTotals(of), names);
  for (StringRef metric : comparableMetrics())
    writeMetricChanges(os, metric, of.delta, names, link);
}

/// Lists jumps only if there are several comparisons.
void assay::writeCompilersPage(raw_ostream &os, const Pages &pages) {
  if (pages.comparisons.size() > 1) {
    os << "<ul class=\"jump\">\n";
    for (const CompilerComparison &each : pages.comparisons)
      os << "<li><a href=\"#" << makeSlug(each.peer) << "\">"
         << escapeMarkup(each.base + " against " + each.peer) << "</a></li>\n";
    os << "</ul>\n";
  }
  std::map<std::string, std::string, std::less<>> links = casePages(pages);
  for (const CompilerComparison &each : pages.comparisons)
    writeComparison(os, each, [&](StringRef id) { return links[id.str()]; });
}

/// Writes one row for each comparison and statistic that has ratios; nothing without comparisons.
void assay::writeCompilersSummary(raw_ostream &os, const Pages &pages) {
  if (pages.comparisons.empty())
    return;
  os << "<h2 id=\"compilers\">Compilers compared</h2>\n<p class=\"quiet\">Ratios over all targets; "
        "below 1, the first compiler needs less.</p>\n";
  beginTable(os, "Compilers compared",
             {{"Compilers"},
              {"Statistic"},
              {"Pairs", true},
              {"Mean ratio", true},
              {"Best ratio", true},
              {"Worst ratio", true},
              {"Helped", true},
              {"Hurt", true}});
  for (const CompilerComparison &each : pages.comparisons)
    for (const MetricTotal &total : each.overall) {
      if (!total.ratios)
        continue;
      os << "<tr><th scope=\"row\"><a href=\"compilers.html#" << makeSlug(each.peer) << "\">"
         << escapeMarkup(each.base + " against " + each.peer) << "</a></th><td>"
         << escapeMarkup(metricTitle(total.metric)) << "</td><td class=\"number\">" << total.cases
         << "</td>";
      for (double ratio : {total.ratios->geometricMean, total.ratios->best, total.ratios->worst})
        os << "<td class=\"number\"><span class=\""
           << (ratio < 1   ? "better"
               : ratio > 1 ? "worse"
                           : "")
           << "\">" << formatv("{0:f3}", ratio) << "</span></td>";
      os << "<td class=\"number\">" << total.helped << "</td><td class=\"number\">" << total.hurt
         << "</td></tr>\n";
    }
  endTable(os);
}

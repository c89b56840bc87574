// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report for a browser as one file: no scripts, nothing fetched from elsewhere.
#include "reports/Report.h"

#include "reports/Escape.h"
#include "reports/HtmlCase.h"
#include "reports/HtmlMarkup.h"
#include "reports/HtmlSummary.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Returns the link to the row of verdict \p index on the same page.
static std::string linkTo(const MatrixCase &of, size_t index) {
  return "#" + of.anchor(index);
}

/// Writes a row for one bad verdict.
static void writeProblem(raw_ostream &os, const MatrixCase &of, size_t index) {
  const Verdict &verdict = *of.verdicts[index];
  os << "<tr><th scope=\"row\"><a href=\"" << linkTo(of, index) << "\">" << escapeMarkup(of.id)
     << "</a></th><td>" << escapeMarkup(configurationName(verdict)) << "</td><td>";
  writeState(os, verdict.state);
  os << "</td><td class=\"text\">" << escapeMarkup(verdict.reason) << "</td><td class=\"text\">"
     << (verdict.firstDifference ? escapeMarkup(describeDifference(*verdict.firstDifference)) : "")
     << "</td></tr>\n";
}

/// Writes a table of all bad verdicts; nothing if there is none.
static void writeProblems(raw_ostream &os, const Matrix &matrix, const Counts &counts) {
  if (counts.bad() == 0)
    return;
  os << "<h2 id=\"problems\">Problems</h2>\n";
  beginTable(os, "Verdicts that are not pass, unsupported or flaky",
             {{"Case"}, {"Configuration"}, {"State"}, {"Reason"}, {"First difference"}});
  for (const MatrixCase &of : matrix.cases)
    for (auto [index, verdict] : enumerate(of.verdicts))
      if (isBad(verdict->state))
        writeProblem(os, of, index);
  endTable(os);
}

/// Writes one page with everything in it; the style sheet is inside. Each case has a section that
/// the matrix links to.
void assay::writeHtmlReport(raw_ostream &os, const Report &report) {
  Matrix matrix = makeMatrix(report.verdicts);
  PageHead head;
  head.title = "assay " + report.verb;
  head.isAlone = true;
  beginPage(os, head);
  os << "<section class=\"panel\">\n";
  writeResult(os, report);
  os << "</section>\n";
  writeWhatRan(os, report);
  writeProblems(os, matrix, report.count());
  if (!matrix.cases.empty()) {
    os << "<h2 id=\"matrix\">Cases</h2>\n";
    writeMatrixTable(os, matrix, [](const MatrixCase &of) { return "#" + of.slug; }, linkTo);
  }
  for (const MatrixCase &of : matrix.cases) {
    os << "<h3 id=\"" << of.slug << "\">" << escapeMarkup(of.id) << "</h3>\n";
    writeCase(os, of, report, /*level=*/4, /*isOpen=*/false);
  }
  endPage(os);
}

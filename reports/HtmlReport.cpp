// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report for a browser as one file: no scripts, nothing fetched from elsewhere.
#include "reports/Report.h"

#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "reports/HtmlMatrix.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static std::string linkTo(const MatrixCase &of, size_t index) {
  return "#" + of.anchor(index);
}

static void writeProblem(raw_ostream &os, const MatrixCase &of, size_t index) {
  const Verdict &verdict = *of.verdicts[index];
  os << "<tr><th scope=\"row\"><a href=\"" << linkTo(of, index) << "\">" << escapeMarkup(of.id)
     << "</a></th><td>" << escapeMarkup(configurationName(verdict)) << "</td><td>";
  writeState(os, verdict.state);
  os << "</td><td class=\"text\">" << escapeMarkup(verdict.reason) << "</td><td class=\"text\">"
     << (verdict.firstDifference ? escapeMarkup(describeDifference(*verdict.firstDifference))
                                 : "none")
     << "</td></tr>\n";
}

// What needs a look: the reason and the first differing element.
static void writeProblems(raw_ostream &os, const Matrix &matrix, const Counts &counts) {
  os << "<h2 id=\"problems\">What needs a look</h2>\n";
  if (counts.bad() == 0) {
    os << "<p>Nothing.</p>\n";
    return;
  }
  beginTable(os, "Verdicts that are not pass, unsupported or flaky",
             {{"Case"}, {"Machine"}, {"State"}, {"Reason"}, {"First difference"}});
  for (const MatrixCase &of : matrix.cases)
    for (auto [index, verdict] : enumerate(of.verdicts))
      if (isBad(verdict->state))
        writeProblem(os, of, index);
  endTable(os);
}

void assay::writeHtmlReport(raw_ostream &os, const Report &report) {
  Matrix matrix = makeMatrix(report.verdicts);
  PageHead head;
  head.title = "assay " + report.verb;
  head.isAlone = true;
  beginPage(os, head);
  os << "<h2>Sum</h2>\n";
  writeCountsTable(os, report.count());
  if (!report.options.empty())
    os << "<h2>Chosen</h2>\n";
  writeValues(os, report.options);
  os << "<h2 id=\"matrix\">Cases and machines</h2>\n";
  writeMatrixTable(os, matrix, linkTo);
  writeProblems(os, matrix, report.count());
  os << "<h2>Cases</h2>\n";
  for (const MatrixCase &of : matrix.cases) {
    os << "<h3>" << escapeMarkup(of.id) << "</h3>\n";
    writeCase(os, of, report, /*level=*/4, /*isOpen=*/false);
  }
  endPage(os);
}

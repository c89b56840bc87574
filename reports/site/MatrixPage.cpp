// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases by compilers and machines.
#include "reports/HtmlMarkup.h"
#include "reports/site/Pages.h"

using namespace llvm;
using namespace assay;

std::string assay::casePage(const MatrixCase &of) {
  return "cases/" + of.slug + ".html";
}

void assay::writeMatrixPage(raw_ostream &os, const Pages &pages) {
  os << "<p>A cell leads to its bug, or to all about its case.</p>\n<div id=\"filter\"></div>\n";
  if (pages.leftOut)
    os << "<p>" << pages.leftOut << " cases that pass everywhere are not shown.</p>\n";
  if (pages.notShown)
    os << "<p>There is no room for " << pages.notShown << " more that do not.</p>\n";
  if (pages.matrix.cases.empty()) {
    os << "<p>No case is left to show.</p>\n";
    return;
  }
  writeMatrixTable(os, pages.matrix, [&](const MatrixCase &of, size_t index) -> std::string {
    auto bug = pages.site->bugOf.find(of.verdicts[index]);
    if (bug != pages.site->bugOf.end())
      return pages.site->bugs[bug->second].page();
    if (of.isAllPass() && !pages.hasCasePages)
      return "";
    return casePage(of) + "#" + of.anchor(index);
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases by compilers and machines.
#include "reports/site/Pages.h"

using namespace llvm;
using namespace assay;

/// Relative to the root of the site.
std::string assay::casePage(const MatrixCase &of) {
  return "cases/" + of.slug + ".html";
}

/// True if the case has a page: all cases of a small result, else those that do not pass
/// everywhere.
static bool hasPage(const Pages &pages, const MatrixCase &of) {
  return pages.hasCasePages || !of.isAllPass();
}

/// Maps case ids to pages. Cases without a page of their own are missing.
std::map<std::string, std::string, std::less<>> assay::casePages(const Pages &pages) {
  std::map<std::string, std::string, std::less<>> links;
  for (const MatrixCase &of : pages.matrix.cases)
    if (hasPage(pages, of))
      links[of.id] = casePage(of);
  return links;
}

/// A cell of a known bug leads to the page of the bug, other cells to the verdict in the page of
/// the case.
void assay::writeMatrixPage(raw_ostream &os, const Pages &pages) {
  if (pages.leftOut)
    os << "<p>" << pages.leftOut << " cases that pass everywhere are not shown.</p>\n";
  if (pages.notShown)
    os << "<p>" << pages.notShown << " more cases that do not pass everywhere are not shown.</p>\n";
  if (pages.matrix.cases.empty())
    return;
  os << "<div id=\"filter\"></div>\n";
  auto rowLink = [&](const MatrixCase &of) {
    return hasPage(pages, of) ? casePage(of) : std::string();
  };
  writeMatrixTable(os, pages.matrix, rowLink, [&](const MatrixCase &of, size_t index) {
    auto bug = pages.site->bugOf.find(of.verdicts[index]);
    if (bug != pages.site->bugOf.end())
      return pages.site->bugs[bug->second].page();
    return hasPage(pages, of) ? casePage(of) + "#" + of.anchor(index) : std::string();
  });
}

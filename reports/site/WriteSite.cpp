// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/HtmlCase.h"
#include "reports/HtmlMarkup.h"
#include "reports/HtmlScript.h"
#include "reports/HtmlStyle.h"
#include "reports/site/Pages.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {
/// A matrix of more cases shows those that do not pass everywhere, and no more of them than this.
constexpr size_t maxMatrixCases = 2000;
/// A result of more cases has pages of those that do not pass everywhere.
constexpr size_t maxCasePages = 500;

/// Writes all pages. The constructor decides which pages exist, so that each can link to the
/// others.
class SiteWriter {
public:
  /// Chooses the pages first, as links depend on which pages exist. The site must outlive the
  /// writer.
  SiteWriter(StringRef folder, const Site &site) : m_folder(folder.str()) {
    m_pages.site = &site;
    choosePages();
    chooseLinks();
  }
  Error write();

private:
  void choosePages();
  void chooseLinks();
  std::string campaignPage(size_t index) const;
  Error writePage(const std::string &path, const std::string &title,
                  function_ref<void(raw_ostream &)> content);
  Error writeCasePages();

  std::string m_folder;
  Pages m_pages;
  std::vector<PageLink> m_links; ///< The navigation.
};
} // namespace

/// Builds the matrix, drops cases that exceed its limit, and compares results and compilers.
void SiteWriter::choosePages() {
  const SiteInput &input = m_pages.site->input;
  m_pages.matrix = makeMatrix(input.report.verdicts);
  std::vector<MatrixCase> &cases = m_pages.matrix.cases;
  m_pages.hasCasePages = cases.size() <= maxCasePages;
  if (cases.size() > maxMatrixCases) {
    size_t all = cases.size();
    erase_if(cases, [](const MatrixCase &of) { return of.isAllPass(); });
    m_pages.leftOut = all - cases.size();
    m_pages.notShown = cases.size() - std::min(cases.size(), maxMatrixCases);
    cases.resize(cases.size() - m_pages.notShown);
  }
  if (input.baseline)
    m_pages.quality = compareQuality(input.baseline->verdicts, input.report.verdicts);
  m_pages.comparisons = compareCompilers(input.report.verdicts);
}

/// Returns the path of a campaign's page; the number keeps equal names apart.
std::string SiteWriter::campaignPage(size_t index) const {
  return "campaigns/" + std::to_string(index + 1) + "-" +
         makeSlug(m_pages.site->input.campaigns[index].name) + ".html";
}

/// Fills in the navigation; bugs and cases are linked from the pages, not from there.
void SiteWriter::chooseLinks() {
  m_links.push_back({"Overview", "index.html"});
  if (!m_pages.site->input.report.verdicts.empty())
    m_links.push_back({"Matrix", "matrix.html"});
  if (!m_pages.comparisons.empty())
    m_links.push_back({"Compilers", "compilers.html"});
  if (hasQualityPage(m_pages))
    m_links.push_back({"Quality", "quality.html"});
  for (auto [index, campaign] : enumerate(m_pages.site->input.campaigns))
    m_links.push_back({"Campaign " + campaign.name, campaignPage(index)});
}

/// Writes one page with its frame, as a whole once its content is complete. \p path is relative to
/// the folder and at most one level deep.
Error SiteWriter::writePage(const std::string &path, const std::string &title,
                            function_ref<void(raw_ostream &)> content) {
  std::string text;
  raw_string_ostream os(text);
  PageHead head;
  head.title = title;
  head.root = StringRef(path).contains('/') ? "../" : "";
  head.pages = m_links;
  head.present = path;
  beginPage(os, head);
  content(os);
  endPage(os);
  return writeFile(m_folder + "/" + path, StringRef(text));
}

/// Writes a page for each case of the matrix that has one.
Error SiteWriter::writeCasePages() {
  for (const MatrixCase &of : m_pages.matrix.cases) {
    if (of.isAllPass() && !m_pages.hasCasePages)
      continue;
    if (Error error = writePage(casePage(of), of.id, [&](raw_ostream &os) {
          writeCase(os, of, m_pages.site->input.report, /*level=*/2, /*isOpen=*/true);
        }))
      return error;
  }
  return Error::success();
}

/// Writes all files; ends at the first that cannot be written, and removes nothing.
Error SiteWriter::write() {
  const Site &site = *m_pages.site;
  const std::string &title = site.input.title;
  if (Error error =
          writePage("index.html", title, [&](raw_ostream &os) { writeIndexPage(os, m_pages); }))
    return error;
  for (const Bug &bug : site.bugs)
    if (Error error = writePage(bug.page(), bug.title,
                                [&](raw_ostream &os) { writeBugPage(os, m_pages, bug); }))
      return error;
  if (!site.input.report.verdicts.empty())
    if (Error error = writePage("matrix.html", title + ": cases by configuration",
                                [&](raw_ostream &os) { writeMatrixPage(os, m_pages); }))
      return error;
  if (Error error = writeCasePages())
    return error;
  if (!m_pages.comparisons.empty())
    if (Error error = writePage("compilers.html", title + ": compilers compared",
                                [&](raw_ostream &os) { writeCompilersPage(os, m_pages); }))
      return error;
  if (hasQualityPage(m_pages))
    if (Error error = writePage("quality.html", title + ": code quality and compile time",
                                [&](raw_ostream &os) { writeQualityPage(os, m_pages); }))
      return error;
  for (auto [index, campaign] : enumerate(site.input.campaigns))
    if (Error error =
            writePage(campaignPage(index), "Campaign " + campaign.name,
                      [&, &of = campaign](raw_ostream &os) { writeCampaignPage(os, of); }))
      return error;
  if (Error error = writeFile(m_folder + "/" + styleFile.str(), htmlStyle))
    return error;
  return writeFile(m_folder + "/" + scriptFile.str(), htmlScript);
}

/// Overwrites files of an earlier site in the folder; other files stay.
Error assay::writeSite(StringRef folder, const Site &site) {
  return SiteWriter(folder, site).write();
}

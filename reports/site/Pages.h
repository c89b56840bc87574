// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pages of a site, a file each; each writes the content of its page, between the frame that
// WriteSite.cpp puts around.
#pragma once

#include "reports/HtmlMatrix.h"
#include "reports/site/Compilers.h"
#include "reports/site/Quality.h"
#include "reports/site/Site.h"

namespace assay {

/// What pages need to link to each other.
struct Pages {
  const Site *site = nullptr;
  Matrix matrix;            ///< The cases that are shown, all or those that do not pass.
  size_t notShown = 0;      ///< Cases for which there was no room besides.
  size_t leftOut = 0;       ///< Cases that pass everywhere and are not in the matrix.
  bool hasCasePages = true; ///< Of cases that pass everywhere, too.
  QualityDelta quality;
  std::vector<CompilerComparison> comparisons;
};

void writeIndexPage(llvm::raw_ostream &os, const Pages &pages);
void writeBugPage(llvm::raw_ostream &os, const Pages &pages, const Bug &bug);
void writeMatrixPage(llvm::raw_ostream &os, const Pages &pages);
void writeCampaignPage(llvm::raw_ostream &os, const CampaignView &campaign);
void writeQualityPage(llvm::raw_ostream &os, const Pages &pages);
void writeCompilersPage(llvm::raw_ostream &os, const Pages &pages);
/// The part of the first page that leads there; nothing where there is one compiler.
void writeCompilersSummary(llvm::raw_ostream &os, const Pages &pages);

bool hasQualityPage(const Pages &pages);
/// The page of a case that is in the matrix, from the root of the folder.
std::string casePage(const MatrixCase &of);
/// Those of all cases that have one, by their ids.
std::map<std::string, std::string, std::less<>> casePages(const Pages &pages);
/// A link to \p bug from a page whose root is \p root.
void writeBugLink(llvm::raw_ostream &os, const Bug &bug, llvm::StringRef root);

} // namespace assay

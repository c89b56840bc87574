// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pieces that all HTML pages are made of: the frame of a page, tables that scroll by
// themselves, texts, a verdict. A state is always there as a word; its colour only repeats it.
#pragma once

#include "reports/Highlight.h"
#include "reports/Report.h"

namespace assay {

/// A page, by its path from the root of its folder, as others link to it.
struct PageLink {
  std::string name;
  std::string path; ///< "matrix.html".
};

/// What stands around the content of a page.
struct PageHead {
  std::string title;
  bool isAlone = false;        ///< One file: the style sheet is in it, and there are no scripts.
  std::string root;            ///< From the page to the root of its folder: "" or "../".
  std::vector<PageLink> pages; ///< The links at its top.
  std::string present;         ///< The path of this page, which may be one of them.
};

/// Up to the heading, which is the title.
void beginPage(llvm::raw_ostream &os, const PageHead &head);
void endPage(llvm::raw_ostream &os);

/// The state as a coloured word.
void writeState(llvm::raw_ostream &os, State state);

struct TableColumn {
  llvm::StringRef name;
  bool isNumber = false;
};
/// Up to the first row. The table scrolls inside its own region where it is wider than the page.
/// \p name is its caption, and is no other region's of the page. Rows in groups are not to be
/// sorted.
void beginTable(llvm::raw_ostream &os, llvm::StringRef name, llvm::ArrayRef<TableColumn> columns,
                bool isSortable = true);
void endTable(llvm::raw_ostream &os);
/// A row of texts, the first one its heading; columns say which are numbers.
void writeRow(llvm::raw_ostream &os, llvm::ArrayRef<TableColumn> columns,
              llvm::ArrayRef<std::string> cells);

/// A row of texts that heads the rows below it, up to the next; of a table of \p columns columns.
void writeGroupRow(llvm::raw_ostream &os, llvm::StringRef text, size_t columns);

/// A list of names and values, where there are some; values as code.
void writeValues(llvm::raw_ostream &os, llvm::ArrayRef<std::pair<std::string, std::string>> values);

/// Text as it is, in a region that scrolls and that is called \p name.
void writeText(llvm::raw_ostream &os, llvm::StringRef name, llvm::StringRef text,
               Language language = Language::Plain);

/// What is wrong with \p verdict: reason, first difference, findings.
void writeComplaints(llvm::raw_ostream &os, const Verdict &verdict);

/// All about one verdict: a section with heading \p level (2 to 6), which \p anchor names.
void writeVerdictSection(llvm::raw_ostream &os, const Verdict &verdict, llvm::StringRef anchor,
                         unsigned level);

} // namespace assay

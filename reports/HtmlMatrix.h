// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts as a table of cases by compilers and machines, and all about one case.
#pragma once

#include "reports/Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay {

/// The verdicts of one case, and the name of its page or section.
struct MatrixCase {
  std::string id;
  std::string slug; ///< Safe in a file name, a URL and an attribute; no two are equal.
  std::vector<const Verdict *> verdicts;

  /// The name of the section of verdict number \p index.
  std::string anchor(size_t index) const { return slug + "-" + std::to_string(index); }
  bool isAllPass() const;
};

/// Points into the verdicts that it was made of.
struct Matrix {
  std::vector<MatrixCase> cases;           ///< By their first verdict.
  std::vector<std::string> configurations; ///< The columns, likewise.
};
Matrix makeMatrix(llvm::ArrayRef<Verdict> verdicts);

/// \p text in the form of a slug: letters and digits in lower case, all else as "-".
std::string makeSlug(llvm::StringRef text);

/// The cell of verdict number \p index of a case leads to what \p link says; empty: nowhere.
using MatrixLink = llvm::function_ref<std::string(const MatrixCase &of, size_t index)>;
void writeMatrixTable(llvm::raw_ostream &os, const Matrix &matrix, MatrixLink link);

/// Every verdict of \p of in a section with heading \p level, and its script where \p report has
/// one, at once to be seen where \p isOpen.
void writeCase(llvm::raw_ostream &os, const MatrixCase &of, const Report &report, unsigned level,
               bool isOpen);

} // namespace assay

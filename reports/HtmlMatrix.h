// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts as a table of cases by compilers and machines.
#pragma once

#include "reports/Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay {

/// The verdicts of one case, and the name of its page or section.
struct MatrixCase {
  std::string id;
  std::string slug;  ///< Safe in a file name, a URL and an attribute; no two are equal.
  std::string group; ///< The rows it is among: caseGroup(), or "other" where it would be alone.
  size_t number = 0; ///< From 1 on.
  std::vector<const Verdict *> verdicts;

  /// The name of the row of verdict number \p index.
  std::string anchor(size_t index) const {
    return "v" + std::to_string(number) + "-" + std::to_string(index);
  }
  bool isAllPass() const;
};

/// A column: what all its verdicts have in common, in three words of which the last ones may be
/// empty: who compiled it for which machine, the target, the rest.
struct MatrixColumn {
  std::string name;                 ///< configurationName().
  std::array<std::string, 3> words; ///< "assay", "gfx1100", "-O2 wave32".
};

/// Points into the verdicts that it was made of.
struct Matrix {
  std::vector<MatrixCase> cases;     ///< By group ("other" last), then by their first verdict.
  std::vector<MatrixColumn> columns; ///< By their first verdict.
};
Matrix makeMatrix(llvm::ArrayRef<Verdict> verdicts);

/// What a case is about, by its name: its folder; without one the first word of its file name.
std::string caseGroup(llvm::StringRef id);

/// \p text in the form of a slug: letters and digits in lower case, all else as "-".
std::string makeSlug(llvm::StringRef text);

/// "assay", "assay on vulkan:x", "reference", "vulkan:lavapipe": who is judged by \p verdict,
/// apart from targets and options.
std::string subjectName(const Verdict &verdict);

/// Where a row leads to; empty: nowhere.
using RowLink = llvm::function_ref<std::string(const MatrixCase &of)>;
/// The same of the cell of verdict number \p index of a case.
using MatrixLink = llvm::function_ref<std::string(const MatrixCase &of, size_t index)>;
/// The key of the marks, a choice of rows that do not pass everywhere (where both kinds are there),
/// and the table. Head and first column stay where they are when it scrolls.
void writeMatrixTable(llvm::raw_ostream &os, const Matrix &matrix, RowLink rowLink,
                      MatrixLink link);

} // namespace assay

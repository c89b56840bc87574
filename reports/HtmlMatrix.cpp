// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/HtmlMatrix.h"

#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace assay;

bool MatrixCase::isAllPass() const {
  return all_of(verdicts, [](const Verdict *each) { return each->state == State::Pass; });
}

std::string assay::makeSlug(StringRef text) {
  std::string slug;
  for (char c : text)
    slug += isAlnum(c) ? toLower(c) : '-';
  return slug;
}

Matrix assay::makeMatrix(ArrayRef<Verdict> verdicts) {
  Matrix matrix;
  std::map<StringRef, size_t> index;
  std::set<std::string> known;
  for (const Verdict &verdict : verdicts) {
    auto [it, isNew] = index.try_emplace(verdict.caseId, matrix.cases.size());
    if (isNew)
      matrix.cases.push_back({verdict.caseId,
                              "case-" + std::to_string(matrix.cases.size() + 1) + "-" +
                                  makeSlug(StringRef(verdict.caseId).take_back(60)),
                              {}});
    matrix.cases[it->second].verdicts.push_back(&verdict);
    std::string name = configurationName(verdict);
    if (known.insert(name).second)
      matrix.configurations.push_back(std::move(name));
  }
  return matrix;
}

// A cell for each configuration; several verdicts of one stand in one cell.
static void writeMatrixRow(raw_ostream &os, const Matrix &matrix, const MatrixCase &of,
                           MatrixLink link) {
  std::map<std::string, std::vector<size_t>> cells;
  for (auto [index, verdict] : enumerate(of.verdicts))
    cells[configurationName(*verdict)].push_back(index);
  os << "<tr><th scope=\"row\">" << escapeMarkup(of.id) << "</th>";
  for (const std::string &configuration : matrix.configurations) {
    os << "<td>";
    for (size_t index : cells[configuration]) {
      std::string place = link(of, index);
      if (!place.empty())
        os << "<a href=\"" << place << "\">";
      writeState(os, of.verdicts[index]->state);
      os << (place.empty() ? "" : "</a>");
    }
    os << "</td>";
  }
  os << "</tr>\n";
}

void assay::writeMatrixTable(raw_ostream &os, const Matrix &matrix, MatrixLink link) {
  std::vector<TableColumn> columns = {{"Case"}};
  for (const std::string &configuration : matrix.configurations)
    columns.push_back({configuration});
  beginTable(os, "The state of each case on each compiler and machine", columns);
  for (const MatrixCase &of : matrix.cases)
    writeMatrixRow(os, matrix, of, link);
  endTable(os);
}

void assay::writeCase(raw_ostream &os, const MatrixCase &of, const Report &report, unsigned level,
                      bool isOpen) {
  for (auto [index, verdict] : enumerate(of.verdicts))
    writeVerdictSection(os, *verdict, of.anchor(index), level);
  auto source = report.sources.find(of.id);
  if (source == report.sources.end())
    return;
  os << "<details" << (isOpen ? " open" : "")
     << ">\n<summary>The script: " << escapeMarkup(source->second.path) << "</summary>\n";
  if (source->second.text.empty())
    os << "<p>Not text, or not readable.</p>\n";
  else
    writeText(os, "Script of " + of.slug, source->second.text, Language::Amber);
  os << "</details>\n";
}

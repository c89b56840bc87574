// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/HtmlMatrix.h"

#include "oracles/api/Registry.h"
#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;
using namespace assay;

/// Group of cases that share their folder or first word with no other case.
static constexpr StringRef otherGroup = "other";

/// A letter a state; what passes is not to catch the eye.
static StringRef markOf(State state) {
  static constexpr StringRef marks[stateCount] = {"\u2713", "F", "C", "T", "M",
                                                  "\u2013", "I", "~", "E"};
  return marks[static_cast<size_t>(state)];
}

/// True if every verdict passes; flaky and unsupported ones do not.
bool MatrixCase::isAllPass() const {
  return all_of(verdicts, [](const Verdict *each) { return each->state == State::Pass; });
}

/// Different texts may have one slug: all but letters and digits become hyphens, and case is lost.
std::string assay::makeSlug(StringRef text) {
  std::string slug;
  for (char c : text)
    slug += isAlnum(c) ? toLower(c) : '-';
  return slug;
}

/// Bytes of UTF-8 sequences count as letters.
std::string assay::caseGroup(StringRef id) {
  StringRef folder = sys::path::parent_path(id, sys::path::Style::posix);
  if (!folder.empty())
    return folder.str();
  return id.take_while([](char c) { return isAlpha(c) || static_cast<unsigned char>(c) >= 0x80; })
      .str();
}

/// Returns the compiler. The machine is added only where it is not the standard one of the target;
/// without a compiler the machine is the name.
std::string assay::subjectName(const Verdict &verdict) {
  if (verdict.compiler.empty())
    return isReferenceRun(verdict) ? "reference" : verdict.machine;
  return verdict.machine.empty() || isStandardMachine(verdict.machine, verdict.target)
             ? verdict.compiler
             : verdict.compiler + " on " + verdict.machine;
}

/// Returns the column that the verdict's configuration belongs to.
static MatrixColumn makeColumn(const Verdict &verdict) {
  auto [target, level, wave, lowering] = settingWords(verdict);
  return {configurationName(verdict),
          {subjectName(verdict), target, joinNames({level, wave, lowering})}};
}

// Groups of one case are no help.
static void sortIntoGroups(std::vector<MatrixCase> &cases) {
  std::map<std::string, size_t> sizes;
  for (MatrixCase &of : cases)
    ++sizes[of.group = caseGroup(of.id)];
  for (MatrixCase &of : cases)
    if (of.group.empty() || sizes[of.group] < 2)
      of.group = otherGroup;
  llvm::sort(cases, [](const MatrixCase &a, const MatrixCase &b) {
    return std::tuple(a.group == otherGroup, StringRef(a.group), a.number) <
           std::tuple(b.group == otherGroup, StringRef(b.group), b.number);
  });
}

/// Groups verdicts by case and configuration. The matrix points into \p verdicts.
Matrix assay::makeMatrix(ArrayRef<Verdict> verdicts) {
  Matrix matrix;
  std::map<StringRef, size_t> index;
  std::set<std::string> known;
  for (const Verdict &verdict : verdicts) {
    auto [it, isNew] = index.try_emplace(verdict.caseId, matrix.cases.size());
    if (isNew) {
      MatrixCase &of = matrix.cases.emplace_back();
      of.id = verdict.caseId;
      of.number = matrix.cases.size();
      of.slug = "case-" + std::to_string(of.number) + "-" +
                makeSlug(StringRef(verdict.caseId).take_back(60));
    }
    matrix.cases[it->second].verdicts.push_back(&verdict);
    MatrixColumn column = makeColumn(verdict);
    if (known.insert(column.name).second)
      matrix.columns.push_back(std::move(column));
  }
  sortIntoGroups(matrix.cases);
  return matrix;
}

/// How many of the words of \p column are there; the last one spans what is left of the head.
static size_t depthOf(const MatrixColumn &column) {
  size_t depth = column.words.size();
  while (depth > 1 && column.words[depth - 1].empty())
    --depth;
  return depth;
}

/// Writes one head cell that spans so many columns and rows.
static void writeHeadCell(raw_ostream &os, StringRef text, size_t columns, size_t rows) {
  os << "<th scope=\"" << (columns > 1 ? "colgroup" : "col") << "\"";
  if (columns > 1)
    os << " colspan=\"" << columns << "\"";
  if (rows > 1)
    os << " rowspan=\"" << rows << "\"";
  os << ">" << escapeMarkup(text.empty() ? "default" : text) << "</th>";
}

/// A row a word: neighbours that begin with the same words share a cell.
static void writeHead(raw_ostream &os, ArrayRef<MatrixColumn> columns) {
  size_t height = 1;
  for (const MatrixColumn &column : columns)
    height = std::max(height, depthOf(column));
  os << "<thead>\n";
  for (size_t row = 0; row < height; ++row) {
    os << "<tr>";
    if (row == 0)
      writeHeadCell(os, "Case", 1, height);
    for (size_t i = 0, end = 0; i < columns.size(); i = end) {
      end = i + 1;
      size_t depth = depthOf(columns[i]);
      if (row >= depth)
        continue; // Its last word reaches down to here.
      auto words = ArrayRef(columns[i].words).take_front(row + 1);
      while (row + 1 < depth && end < columns.size() && depthOf(columns[end]) > row + 1 &&
             ArrayRef(columns[end].words).take_front(row + 1) == words)
        ++end;
      writeHeadCell(os, words.back(), end - i, row + 1 == depth ? height - row : 1);
    }
    os << "</tr>\n";
  }
  os << "</thead>\n";
}

/// Writes a letter for the state, as a link unless \p place is empty. The state's name is in the
/// label for screen readers.
static void writeMark(raw_ostream &os, const Verdict &verdict, const std::string &place) {
  StringRef name = stateName(verdict.state);
  os << (place.empty() ? "<span role=\"img\"" : "<a") << " class=\"m " << name << "\" aria-label=\""
     << name << "\"";
  if (!place.empty())
    os << " href=\"" << place << "\"";
  if (verdict.state != State::Pass)
    os << " title=\"" << name << ": " << escapeMarkup(StringRef(verdict.reason).take_front(160))
       << "\"";
  os << ">" << markOf(verdict.state) << (place.empty() ? "</span>" : "</a>");
}

// A cell for each configuration; several verdicts of one are in one cell.
static void writeMatrixRow(raw_ostream &os, const Matrix &matrix, const MatrixCase &of,
                           const std::string &page, MatrixLink link) {
  std::map<std::string, std::vector<size_t>> cells;
  std::set<StringRef> states;
  for (auto [index, verdict] : enumerate(of.verdicts)) {
    cells[configurationName(*verdict)].push_back(index);
    states.insert(stateName(verdict->state));
  }
  os << "<tr" << (of.isAllPass() ? " class=\"well\"" : "") << " data-words=\"" << join(states, " ")
     << "\"><th scope=\"row\">";
  if (!page.empty())
    os << "<a href=\"" << page << "\">";
  os << escapeMarkup(of.id) << (page.empty() ? "" : "</a>") << "</th>";
  for (const MatrixColumn &column : matrix.columns) {
    os << "<td>";
    for (size_t index : cells[column.name])
      writeMark(os, *of.verdicts[index], link(of, index));
    os << "</td>";
  }
  os << "</tr>\n";
}

/// Writes the meaning of the letters, with counts; states that do not occur are left out.
static void writeKeyOfMarks(raw_ostream &os, const Counts &counts) {
  os << "<ul class=\"key\">\n";
  for (unsigned i = 0; i < stateCount; ++i)
    if (auto state = static_cast<State>(i); counts[state])
      os << "<li><span class=\"m " << stateName(state) << "\" aria-hidden=\"true\">"
         << markOf(state) << "</span> " << stateName(state) << " <span class=\"quiet\">"
         << counts[state] << "</span></li>\n";
  os << "</ul>\n";
}

/// Writes the heading of a group and how many of its cases pass.
static void writeGroup(raw_ostream &os, ArrayRef<MatrixCase> cases, const Matrix &matrix) {
  size_t well = llvm::count_if(cases, [](const MatrixCase &of) { return of.isAllPass(); });
  os << "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"" << matrix.columns.size() + 1
     << "\"><span>" << escapeMarkup(cases.front().group) << " <span class=\"quiet\">"
     << cases.size() << (cases.size() == 1 ? " case, " : " cases, ");
  if (well == cases.size())
    os << "all pass";
  else
    os << well << " pass everywhere";
  os << "</span></span></th></tr>\n";
}

/// Writes the rows, a tbody for each group; headings only where there are several groups.
static void writeBody(raw_ostream &os, const Matrix &matrix, RowLink rowLink, MatrixLink link) {
  ArrayRef<MatrixCase> rest = matrix.cases;
  bool hasGroups = !rest.empty() && rest.front().group != rest.back().group;
  while (!rest.empty()) {
    ArrayRef<MatrixCase> cases =
        rest.take_while([&](const MatrixCase &of) { return of.group == rest.front().group; });
    bool isWell = all_of(cases, [](const MatrixCase &of) { return of.isAllPass(); });
    os << "<tbody" << (isWell ? " class=\"well\"" : "") << ">\n";
    if (hasGroups)
      writeGroup(os, cases, matrix);
    for (const MatrixCase &of : cases)
      writeMatrixRow(os, matrix, of, rowLink(of), link);
    os << "</tbody>\n";
    rest = rest.drop_front(cases.size());
  }
}

/// Offers to hide the cases that pass everywhere only if the matrix has both kinds of cases. Links
/// may be empty.
void assay::writeMatrixTable(raw_ostream &os, const Matrix &matrix, RowLink rowLink,
                             MatrixLink link) {
  Counts counts;
  for (const MatrixCase &of : matrix.cases)
    for (const Verdict *verdict : of.verdicts)
      counts.add(verdict->state);
  writeKeyOfMarks(os, counts);
  size_t well = llvm::count_if(matrix.cases, [](const MatrixCase &of) { return of.isAllPass(); });
  if (well && well < matrix.cases.size())
    os << "<input type=\"checkbox\" id=\"only\"> <label class=\"choice\" for=\"only\">Show only "
          "the "
       << matrix.cases.size() - well << " cases that do not pass everywhere</label>\n";
  os << "<div class=\"wide matrix\" role=\"region\" aria-label=\"States by case and "
        "configuration\" tabindex=\"0\">\n<table>\n<caption class=\"hidden\">States by case and "
        "configuration</caption>\n";
  writeHead(os, matrix.columns);
  writeBody(os, matrix, rowLink, link);
  os << "</table>\n</div>\n";
}

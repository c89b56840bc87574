// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/TableReport.h"

#include "reports/Escape.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {
/// One row, an entry for each column.
using Cells = std::vector<std::string>;
} // namespace

/// Compiler, target, level, wave size and lowering; what does not apply, or is the default, is
/// empty.
static Cells rowName(const Verdict &verdict) {
  auto [target, level, wave, lowering] = settingWords(verdict);
  return {verdict.compiler.empty() ? "reference" : verdict.compiler, target, level, wave,
          verdict.lowering};
}

/// A column that is empty below its head is left out.
static void writeRows(raw_ostream &os, ArrayRef<Cells> rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Cells &row : rows.drop_front())
    for (auto [width, cell] : zip(widths, row))
      width = std::max(width, cell.size());
  for (auto [width, cell] : zip(widths, rows.front()))
    width = width ? std::max(width, cell.size()) : 0;
  for (const Cells &row : rows) {
    std::string line = " ";
    for (auto [cell, width] : zip(row, widths))
      if (width)
        line += " " + cell + std::string(width - cell.size() + 1, ' ');
    os << StringRef(line).rtrim() << "\n";
  }
}

/// Writes the table of one case. Several verdicts of one row and machine share a cell; "-" is for
/// none.
static void writeCaseTable(raw_ostream &os, ArrayRef<const Verdict *> verdicts) {
  Cells machines;
  MapVector<Cells, std::map<std::string, std::string>, std::map<Cells, unsigned>> states;
  for (const Verdict *verdict : verdicts) {
    std::string machine = escapeLine(verdict->machine);
    if (!is_contained(machines, machine))
      machines.push_back(machine);
    std::string &cell = states[rowName(*verdict)][machine];
    cell += (cell.empty() ? "" : ", ") + stateName(verdict->state).str();
  }
  Cells head = {"compiler", "target", "level", "wave", "lowering"};
  append_range(head, machines);
  std::vector<Cells> rows = {head};
  for (auto &[name, byMachine] : states) {
    rows.push_back(name);
    for (const std::string &machine : machines)
      rows.back().push_back(byMachine.count(machine) ? byMachine[machine] : "-");
  }
  os << escapeLine(verdicts.front()->caseId) << "\n";
  writeRows(os, rows);
}

/// Cases are in the order of their first verdict. After the tables comes the quiet text report,
/// with what is bad and the sum.
void assay::writeTableReport(raw_ostream &os, const Report &report, TextStyle style) {
  MapVector<std::string, std::vector<const Verdict *>, std::map<std::string, unsigned>> cases;
  for (const Verdict &verdict : report.verdicts)
    cases[verdict.caseId].push_back(&verdict);
  for (const auto &[id, verdicts] : cases)
    writeCaseTable(os, verdicts);
  style.quiet = true;
  writeTextReport(os, report, style);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report for a merge request or an issue: short, with what is bad in a table.
#include "reports/Report.h"

#include "reports/Escape.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;
using namespace assay;

static void writeRow(raw_ostream &os, const Verdict &verdict) {
  os << "| " << stateName(verdict.state) << " | " << escapeMarkdown(verdict.caseId) << " | "
     << escapeMarkdown(configurationName(verdict)) << " | " << escapeMarkdown(verdict.reason)
     << " | " << escapeMarkdown(verdict.rerun) << " |\n";
}

// What a merge request has room for; the rest is counted.
static constexpr size_t maxLines = 60;

void assay::writeMarkdownReport(raw_ostream &os, const Report &report) {
  Counts counts = report.count();
  os << "## assay " << escapeMarkdown(report.verb) << "\n\n| state | verdicts |\n| --- | ---: |\n";
  size_t lines = 5;
  for (unsigned i = 0; i < stateCount; ++i)
    if (counts.byState[i]) {
      os << "| " << stateName(static_cast<State>(i)) << " | " << counts.byState[i] << " |\n";
      ++lines;
    }
  os << "| all | " << counts.total() << " |\n";
  std::vector<const Verdict *> bad;
  for (const Verdict &verdict : report.verdicts)
    if (isBad(verdict.state))
      bad.push_back(&verdict);
  if (bad.empty())
    return;
  os << "\n| state | case | machine | reason | rerun |\n| --- | --- | --- | --- | --- |\n";
  // Two lines say what is left out.
  size_t shown = std::min(bad.size(), maxLines - lines - 3 - 2);
  for (const Verdict *verdict : ArrayRef(bad).take_front(shown))
    writeRow(os, *verdict);
  if (shown < bad.size())
    os << "\nand " << bad.size() - shown << " more\n";
}

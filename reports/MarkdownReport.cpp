// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report for a merge request or an issue: short, with what is bad in a table.
#include "reports/Report.h"

#include "reports/Escape.h"

using namespace llvm;
using namespace assay;

static void writeRow(raw_ostream &os, const Verdict &verdict) {
  os << "| " << stateName(verdict.state) << " | " << escapeMarkdown(verdict.caseId) << " | "
     << escapeMarkdown(configurationName(verdict)) << " | " << escapeMarkdown(verdict.reason)
     << " | " << escapeMarkdown(verdict.rerun) << " |\n";
}

void assay::writeMarkdownReport(raw_ostream &os, const Report &report) {
  Counts counts = report.count();
  os << "## assay " << escapeMarkdown(report.verb) << "\n\n| state | verdicts |\n| --- | ---: |\n";
  for (unsigned i = 0; i < stateCount; ++i)
    if (counts.byState[i])
      os << "| " << stateName(static_cast<State>(i)) << " | " << counts.byState[i] << " |\n";
  os << "| all | " << counts.total() << " |\n";
  bool any = false;
  for (const Verdict &verdict : report.verdicts) {
    if (!isBad(verdict.state))
      continue;
    if (!any)
      os << "\n| state | case | machine | reason | rerun |\n| --- | --- | --- | --- | --- |\n";
    any = true;
    writeRow(os, verdict);
  }
}

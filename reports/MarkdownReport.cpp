// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report for a merge request or an issue: short, with what is bad in a table.
#include "reports/Report.h"

#include "reports/Escape.h"
#include "reports/triage/Compare.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;
using namespace assay;

/// Writes a bad verdict as a row of the table.
static void writeRow(raw_ostream &os, const Verdict &verdict) {
  os << "| " << stateName(verdict.state) << " | " << escapeMarkdown(verdict.caseId) << " | "
     << escapeMarkdown(configurationName(verdict)) << " | " << escapeMarkdown(verdict.reason)
     << " | " << escapeMarkdown(verdict.rerun) << " |\n";
}

// What a merge request has room for; the rest is counted.
static constexpr size_t maxLines = 60;

/// A table of at most \p room lines, which are more than five: three for its head, and two for what
/// is left out.
template <typename T>
static void writeTable(raw_ostream &os, StringRef head, StringRef rule, ArrayRef<T> rows,
                       size_t room, function_ref<void(const T &)> write) {
  os << "\n" << head << "\n" << rule << "\n";
  size_t shown = std::min(rows.size(), room - 5);
  for (const T &row : rows.take_front(shown))
    write(row);
  if (shown < rows.size())
    os << "\nand " << rows.size() - shown << " more\n";
}

// What changed since the baseline; what is there as it was is no news.
static void writeChanges(raw_ostream &os, const Report &report, size_t room) {
  Comparison comparison = compareResults(*report.baseline, report.verdicts);
  std::vector<const BucketChange *> changes;
  for (const BucketChange &each : comparison.buckets)
    if (each.change != Change::Still)
      changes.push_back(&each);
  os << "\n";
  for (unsigned i = 0; i < changeCount; ++i)
    os << (i ? ", " : "") << comparison.count(static_cast<Change>(i)) << " "
       << changeName(static_cast<Change>(i));
  os << "\n";
  if (changes.empty())
    return;
  writeTable<const BucketChange *>(
      os, "| change | state | bug | why | rerun |", "| --- | --- | --- | --- | --- |", changes,
      room - 2, [&](const BucketChange *each) {
        const Verdict &verdict = *(each->now.empty() ? each->before : each->now).front();
        os << "| " << changeName(each->change) << " | " << stateName(each->state) << " | "
           << escapeMarkdown(each->key) << " | " << escapeMarkdown(each->why) << " | "
           << escapeMarkdown(verdict.rerun) << " |\n";
      });
}

/// With a baseline, what changed replaces the table of bad verdicts. The report has at most
/// maxLines lines, as issue trackers limit texts.
void assay::writeMarkdownReport(raw_ostream &os, const Report &report) {
  Counts counts = report.countUnknown();
  os << "## assay " << escapeMarkdown(report.verb) << "\n\n| state | verdicts |\n| --- | ---: |\n";
  size_t lines = 5;
  for (unsigned i = 0; i < stateCount; ++i)
    if (counts.byState[i]) {
      os << "| " << stateName(static_cast<State>(i)) << " | " << counts.byState[i] << " |\n";
      ++lines;
    }
  if (!report.known.empty()) {
    os << "| known | " << report.known.size() << " |\n";
    ++lines;
  }
  os << "| all | " << report.verdicts.size() << " |\n";
  if (report.baseline)
    return writeChanges(os, report, maxLines - lines);
  std::vector<const Verdict *> bad;
  for (const Verdict &verdict : report.verdicts)
    if (isBad(verdict.state) && report.knownAs(verdict).empty())
      bad.push_back(&verdict);
  if (!bad.empty())
    writeTable<const Verdict *>(os, "| state | case | machine | reason | rerun |",
                                "| --- | --- | --- | --- | --- |", bad, maxLines - lines,
                                [&](const Verdict *verdict) { writeRow(os, *verdict); });
}

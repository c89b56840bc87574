// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/Report.h"

#include "oracles/api/Registry.h"
#include <numeric>

using namespace llvm;
using namespace assay;

uint64_t Counts::total() const {
  return std::accumulate(byState.begin(), byState.end(), uint64_t(0));
}

/// Sums the states for which isBad() is true.
uint64_t Counts::bad() const {
  uint64_t sum = 0;
  for (unsigned i = 0; i < stateCount; ++i)
    sum += isBad(static_cast<State>(i)) ? byState[i] : 0;
  return sum;
}

/// Counts all verdicts, known ones included.
Counts Report::count() const {
  Counts counts;
  for (const Verdict &verdict : verdicts)
    counts.add(verdict.state);
  return counts;
}

/// Counts the verdicts that no expectation covers.
Counts Report::countUnknown() const {
  Counts counts;
  for (const Verdict &verdict : verdicts)
    if (knownAs(verdict).empty())
      counts.add(verdict.state);
  return counts;
}

/// \p verdict must be an element of this report: its address is its index. Empty for what is not
/// known.
StringRef Report::knownAs(const Verdict &verdict) const {
  auto found = known.find(static_cast<size_t>(&verdict - verdicts.data()));
  return found == known.end() ? StringRef() : StringRef(found->second);
}

/// Returns compiler, machine and settings, separated by blanks. Two verdicts of a case differ in
/// it.
std::string assay::configurationName(const Verdict &verdict) {
  return joinNames({isReferenceRun(verdict) ? "reference" : verdict.compiler, verdict.machine,
                    joinNames(settingWords(verdict))});
}

/// Removes the name of the pipeline, which ends at the last blank.
StringRef assay::metricOf(StringRef statistic) {
  size_t blank = statistic.rfind(' ');
  return blank == StringRef::npos ? statistic : statistic.drop_front(blank + 1);
}

/// Counts elements and components from 0. The values are printed as the comparison wrote them.
std::string assay::describeDifference(const Difference &difference) {
  return "buffer '" + difference.buffer + "' element " + std::to_string(difference.element) +
         " component " + std::to_string(difference.component) + " (byte " +
         std::to_string(difference.byteOffset) + "): expected " + difference.expected + ", got " +
         difference.actual;
}

/// Names are lower case; nothing for others.
std::optional<ReportFormat> assay::parseReportFormat(StringRef name) {
  static constexpr std::pair<StringRef, ReportFormat> names[] = {
      {"text", ReportFormat::Text},         {"json", ReportFormat::Json},
      {"html", ReportFormat::Html},         {"jsonl", ReportFormat::JsonLines},
      {"junit", ReportFormat::Junit},       {"sarif", ReportFormat::Sarif},
      {"markdown", ReportFormat::Markdown},
  };
  for (const auto &[known, format] : names)
    if (known == name)
      return format;
  return std::nullopt;
}

/// \p style matters to the text format only.
void assay::writeReport(raw_ostream &os, const Report &report, ReportFormat format,
                        const TextStyle &style) {
  switch (format) {
  case ReportFormat::Text:
    return writeTextReport(os, report, style);
  case ReportFormat::Json:
    return writeJsonReport(os, report);
  case ReportFormat::JsonLines:
    return writeJsonLinesReport(os, report);
  case ReportFormat::Junit:
    return writeJunitReport(os, report);
  case ReportFormat::Html:
    return writeHtmlReport(os, report);
  case ReportFormat::Sarif:
    return writeSarifReport(os, report);
  case ReportFormat::Markdown:
    return writeMarkdownReport(os, report);
  }
}

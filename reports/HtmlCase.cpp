// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/HtmlCase.h"

#include "oracles/api/Registry.h"
#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "reports/HtmlSummary.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;
using namespace assay;

/// Statistics in the order of their columns. Others follow, by name.
static const struct MetricText {
  StringRef metric, title;
} metricTexts[] = {
    {"instructions", "Instructions executed"},
    {"code-bytes", "Code bytes"},
    {"vgprs", "VGPRs"},
    {"vgprs-allocated", "VGPRs allocated"},
    {"sgprs", "SGPRs"},
    {"lds-bytes", "LDS bytes"},
    {"scratch-bytes", "Scratch bytes"},
    {"elf-bytes", "ELF bytes"},
    {compileTimeMetric, "Compile time, \u00b5s"},
};

/// Returns the name of the statistic itself where the table has no title for it.
std::string assay::metricTitle(StringRef metric) {
  for (const MetricText &text : metricTexts)
    if (text.metric == metric)
      return text.title.str();
  return metric.str();
}

/// Sums the statistic over the pipelines of a verdict. Of register counts it takes the largest
/// instead. Nothing where no pipeline has the statistic.
std::optional<uint64_t> assay::sumMetric(const Verdict &verdict, StringRef metric) {
  std::optional<uint64_t> sum;
  bool isMost = metric.starts_with("vgprs") || metric == "sgprs";
  for (const auto &[name, value] : listStatistics(verdict))
    if (metricOf(name) == metric)
      sum = !sum ? value : isMost ? std::max(*sum, value) : *sum + value;
  return sum;
}

namespace {
/// A row of the table.
struct Row {
  const Verdict *verdict = nullptr;
  std::string anchor;
};

/// Rows that can be compared: of one target.
struct RowGroup {
  std::string name;
  std::vector<Row> rows;
};

/// The range of a statistic within a group; nothing where there is nothing to choose between.
using Range = std::optional<std::pair<uint64_t, uint64_t>>;
} // namespace

/// By target, compilers one below the other.
static std::vector<RowGroup> groupRows(const MatrixCase &of) {
  MapVector<std::string, std::vector<Row>, std::map<std::string, unsigned>> groups;
  for (auto [index, verdict] : enumerate(of.verdicts)) {
    std::string name = !verdict->target.empty()   ? verdict->target
                       : isReferenceRun(*verdict) ? std::string("Reference interpreter")
                                                  : std::string("Drivers");
    groups[name].push_back({verdict, of.anchor(index)});
  }
  std::vector<RowGroup> result;
  for (auto &[name, rows] : groups)
    result.push_back({name, std::move(rows)});
  return result;
}

/// Lists the metrics that any verdict of the case has, in the order of their columns.
static std::vector<std::string> collectMetrics(const MatrixCase &of) {
  std::set<std::string> known;
  for (const Verdict *verdict : of.verdicts)
    for (const auto &[name, value] : listStatistics(*verdict))
      known.insert(metricOf(name).str());
  std::vector<std::string> metrics;
  for (const MetricText &text : metricTexts)
    if (known.erase(text.metric.str()))
      metrics.push_back(text.metric.str());
  append_range(metrics, known);
  return metrics;
}

/// What is compared with what: code that passes; without optimization only where there is no other.
static std::vector<const Verdict *> chooseComparable(const RowGroup &group) {
  std::vector<const Verdict *> all, optimized;
  for (const Row &row : group.rows)
    if (row.verdict->state == State::Pass && !row.verdict->compiler.empty()) {
      all.push_back(row.verdict);
      if (row.verdict->optLevel != 0)
        optimized.push_back(row.verdict);
    }
  return optimized.size() > 1 ? optimized : all;
}

/// Returns least and greatest value; nothing if there is none or all are equal.
static Range findRange(ArrayRef<const Verdict *> verdicts, StringRef metric) {
  Range range;
  for (const Verdict *verdict : verdicts)
    if (std::optional<uint64_t> value = sumMetric(*verdict, metric))
      range = !range ? std::pair(*value, *value)
                     : std::pair(std::min(range->first, *value), std::max(range->second, *value));
  return range && range->first < range->second ? range : std::nullopt;
}

/// A number; the best and the worst of its group say so, and how much more it is than the best.
static void writeNumber(raw_ostream &os, std::optional<uint64_t> value, const Range &range) {
  os << "<td class=\"number\">";
  if (!value) {
    os << "</td>";
    return;
  }
  bool isBest = range && *value == range->first, isWorst = range && *value == range->second;
  if (isBest || isWorst)
    os << "<span class=\"" << (isBest ? "best" : "worst") << "\">" << *value
       << "<span class=\"hidden\"> " << (isBest ? "best" : "worst") << "</span></span>";
  else
    os << *value;
  if (range && range->first)
    os << " <span class=\"ratio\">"
       << (isBest ? std::string()
                  : formatv("{0:f2}\u00d7",
                            static_cast<double>(*value) / static_cast<double>(range->first))
                        .str())
       << "</span>";
  os << "</td>";
}

/// True for verdicts with more to say than "pass".
static bool needsExplanation(const Verdict &verdict) {
  return verdict.state != State::Pass || !verdict.findings.empty();
}

/// Writes one configuration. Numbers are marked as best or worst only where \p isCompared.
static void writeTableRow(raw_ostream &os, const Row &row, ArrayRef<std::string> metrics,
                          const std::map<std::string, Range> &ranges, bool isCompared) {
  const Verdict &verdict = *row.verdict;
  auto [target, level, wave, lowering] = settingWords(verdict);
  os << "<tr id=\"" << row.anchor << "\"><th scope=\"row\">"
     << escapeMarkup(joinNames({subjectName(verdict), level, wave, lowering})) << "</th><td>";
  if (needsExplanation(verdict))
    os << "<a href=\"#" << row.anchor << "-why\">";
  writeState(os, verdict.state);
  os << (needsExplanation(verdict) ? "</a></td>" : "</td>");
  for (const std::string &metric : metrics)
    writeNumber(os, sumMetric(verdict, metric), isCompared ? ranges.at(metric) : std::nullopt);
  os << "</tr>\n";
}

/// Writes the statistics of all configurations, grouped by target.
static void writeTable(raw_ostream &os, const MatrixCase &of) {
  std::vector<std::string> metrics = collectMetrics(of), titles;
  std::vector<TableColumn> columns = {{"Configuration"}, {"State"}};
  for (const std::string &metric : metrics)
    titles.push_back(metricTitle(metric));
  for (const std::string &title : titles)
    columns.push_back({title, true});
  beginTable(os, "Configurations of " + of.id, columns, /*isSortable=*/false);
  std::vector<RowGroup> groups = groupRows(of);
  for (const RowGroup &group : groups) {
    writeGroupRow(os, group.name, columns.size());
    std::vector<const Verdict *> comparable = chooseComparable(group);
    std::map<std::string, Range> ranges;
    for (const std::string &metric : metrics)
      ranges[metric] = findRange(comparable, metric);
    for (const Row &row : group.rows)
      writeTableRow(os, row, metrics, ranges, is_contained(comparable, row.verdict));
  }
  endTable(os);
}

/// Equal where two verdicts are explained by the same words.
static std::string explanationKey(const Verdict &verdict) {
  std::string key = stateName(verdict.state).str() + verdict.reason;
  if (verdict.firstDifference)
    key += describeDifference(*verdict.firstDifference);
  for (const Finding &finding : verdict.findings)
    key += finding.rule + finding.location + finding.message;
  return key;
}

// What is not well, each explanation once.
static void writeExplanations(raw_ostream &os, const MatrixCase &of, unsigned level) {
  MapVector<std::string, std::vector<size_t>, std::map<std::string, unsigned>> explanations;
  for (auto [index, verdict] : enumerate(of.verdicts))
    if (needsExplanation(*verdict))
      explanations[explanationKey(*verdict)].push_back(index);
  if (explanations.empty())
    return;
  os << "<h" << level << ">Findings</h" << level << ">\n";
  for (const auto &[key, places] : explanations) {
    const Verdict &first = *of.verdicts[places.front()];
    os << "<section class=\"panel\">\n<p>";
    writeState(os, first.state);
    for (auto [number, index] : enumerate(places))
      os << (number ? ", " : " ") << "<span id=\"" << of.anchor(index) << "-why\">"
         << escapeMarkup(configurationName(*of.verdicts[index])) << "</span>";
    os << "</p>\n";
    writeComplaints(os, first);
    if (!first.rerun.empty())
      writeText(os, "Command of " + of.anchor(places.front()), first.rerun);
    os << "</section>\n";
  }
}

/// Opens a section that can be folded; the caller closes it.
static void beginDetails(raw_ostream &os, const std::string &summary, bool isOpen) {
  os << "<details" << (isOpen ? " open" : "") << ">\n<summary>" << escapeMarkup(summary)
     << "</summary>\n";
}

/// Writes the rerun command of each configuration, as one shell script.
static void writeCommands(raw_ostream &os, const MatrixCase &of) {
  std::string commands;
  for (const Verdict *verdict : of.verdicts)
    if (!verdict->rerun.empty())
      commands += "# " + configurationName(*verdict) + "\n" + verdict->rerun + "\n";
  if (commands.empty())
    return;
  beginDetails(os, "Commands that run each configuration again", /*isOpen=*/false);
  writeText(os, "Commands of " + of.id, commands);
  os << "</details>\n";
}

/// Writes the case's input, highlighted as AmberScript; nothing where the report has no text of it.
static void writeScript(raw_ostream &os, const MatrixCase &of, const Report &report, bool isOpen) {
  auto source = report.sources.find(of.id);
  if (source == report.sources.end() || source->second.text.empty())
    return;
  beginDetails(os, "Script: " + source->second.path, isOpen);
  writeText(os, "Script of " + of.id, source->second.text, Language::Amber);
  os << "</details>\n";
}

/// Writes the machine code of each configuration for which the report has a listing.
static void writeCode(raw_ostream &os, const MatrixCase &of, const Report &report) {
  auto code = report.code.find(of.id);
  if (code == report.code.end())
    return;
  for (const CodeListing &listing : code->second) {
    beginDetails(os, "Machine code: " + listing.configuration, /*isOpen=*/false);
    writeText(os, "Machine code of " + listing.configuration + ", " + of.id, listing.text,
              Language::Isa);
    os << "</details>\n";
  }
}

/// \p level is the HTML level of the headings. \p isOpen shows the script unfolded.
void assay::writeCase(raw_ostream &os, const MatrixCase &of, const Report &report, unsigned level,
                      bool isOpen) {
  writeTable(os, of);
  writeExplanations(os, of, level);
  writeCommands(os, of);
  writeScript(os, of, report, isOpen);
  writeCode(os, of, report);
}

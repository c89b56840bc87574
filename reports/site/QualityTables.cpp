// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/site/QualityTables.h"

#include "reports/Escape.h"
#include "reports/HtmlCase.h"
#include "reports/HtmlMarkup.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace llvm;
using namespace assay;

namespace {
constexpr size_t maxChanges = 20; ///< Of a metric, to each side.
constexpr size_t maxLines = 200;  ///< Of the text, to each side.
} // namespace

/// Returns the relative change, 0.5 for half as much again. A change from 0 counts as very large.
static double change(uint64_t before, uint64_t now) {
  return before ? static_cast<double>(now) / static_cast<double>(before) - 1 : now ? 1e9 : 0;
}

/// Returns the change in per cent with its sign; "from 0" where it has no ratio.
static std::string printChange(uint64_t before, uint64_t now, const char *unit) {
  if (before == now)
    return std::string("0") + unit;
  if (!before)
    return "from 0";
  return formatv("{0}{1:f2}{2}", now > before ? "+" : "", change(before, now) * 100, unit).str();
}

/// Returns the CSS class for a ratio: less is better.
static const char *lookOf(double ratio) {
  return ratio < 1 ? "better" : ratio > 1 ? "worse" : "";
}

/// Three decimals.
static std::string printRatio(double ratio) {
  return formatv("{0:f3}", ratio).str();
}

/// The sort key is the relative change, so that columns sort by it and not by text.
void assay::writeChangeCell(raw_ostream &os, uint64_t before, uint64_t now) {
  os << "<td class=\"number\" data-key=\"" << formatv("{0:f6}", change(before, now))
     << "\"><span class=\"" << lookOf(change(before, now) + 1) << "\">"
     << printChange(before, now, " %") << "</span></td>";
}

/// A ratio below 1 has the look of an improvement.
static void writeRatioCell(raw_ostream &os, double ratio) {
  os << "<td class=\"number\"><span class=\"" << lookOf(ratio) << "\">" << printRatio(ratio)
     << "</span></td>";
}

/// Helped, equal and hurt as parts of a bar.
static void writeShares(raw_ostream &os, const MetricTotal &total) {
  const std::pair<const char *, uint64_t> parts[] = {
      {"pass", total.helped},
      {"unsupported", total.cases - total.helped - total.hurt},
      {"fail", total.hurt}};
  os << "<td><div class=\"totals\" aria-hidden=\"true\">";
  for (auto [look, count] : parts)
    if (count)
      os << "<span class=\"" << look << "\" style=\"flex-grow: " << count << "\"></span>";
  os << "</div></td>";
}

/// Writes the row of one configuration.
static void writeTotalRow(raw_ostream &os, const MetricTotal &total) {
  os << "<tr><th scope=\"row\">" << escapeMarkup(total.configuration) << "</th>";
  for (uint64_t number : {total.cases, total.before, total.now})
    os << "<td class=\"number\">" << number << "</td>";
  writeChangeCell(os, total.before, total.now);
  if (const std::optional<RatioSpread> &ratios = total.ratios)
    for (double ratio : {ratios->geometricMean, ratios->best, ratios->median, ratios->worst})
      writeRatioCell(os, ratio);
  else
    os << "<td class=\"number\">none</td><td></td><td></td><td></td>";
  os << "<td class=\"number\">" << total.helped << "</td><td class=\"number\">" << total.hurt
     << "</td>";
  writeShares(os, total);
  os << "</tr>\n";
}

/// Expects totals grouped by statistic: a heading is written whenever it changes.
void assay::writeTotalsTable(raw_ostream &os, StringRef name, ArrayRef<MetricTotal> totals,
                             const QualityNames &names) {
  std::string before = "Total, " + names.before, now = "Total, " + names.now;
  const TableColumn columns[] = {
      {"Configuration"},     {"Cases", true},      {before, true},       {now, true},
      {"Change", true},      {"Mean ratio", true}, {"Best ratio", true}, {"Median ratio", true},
      {"Worst ratio", true}, {"Helped", true},     {"Hurt", true},       {"Share"}};
  beginTable(os, name, columns, /*isSortable=*/false);
  StringRef metric;
  for (const MetricTotal &total : totals) {
    if (total.metric != metric)
      writeGroupRow(os, metricTitle(total.metric), std::size(columns));
    metric = total.metric;
    writeTotalRow(os, total);
  }
  endTable(os);
}

/// Writes a table of changes; nothing if there is none.
static void writeChanges(raw_ostream &os, const std::string &name,
                         ArrayRef<const MetricChange *> changes, const QualityNames &names,
                         CaseLink link) {
  if (changes.empty())
    return;
  os << "<div>\n";
  beginTable(os, name,
             {{"Case"},
              {"Configuration"},
              {names.before, true},
              {names.now, true},
              {"Change", true},
              {"Ratio", true}});
  for (const MetricChange *each : changes) {
    std::string page = link(each->caseId);
    os << "<tr><th scope=\"row\">";
    if (!page.empty())
      os << "<a href=\"" << page << "\">";
    os << escapeMarkup(each->caseId) << (page.empty() ? "" : "</a>") << "</th><td>"
       << escapeMarkup(each->configuration) << "</td><td class=\"number\">" << each->before
       << "</td><td class=\"number\">" << each->now << "</td>";
    writeChangeCell(os, each->before, each->now);
    if (each->before)
      writeRatioCell(os, static_cast<double>(each->now) / static_cast<double>(each->before));
    else
      os << "<td></td>";
    os << "</tr>\n";
  }
  endTable(os);
  os << "</div>\n";
}

/// Of \p metric: what hurts, the worst first; what helps, the best first.
static std::pair<std::vector<const MetricChange *>, std::vector<const MetricChange *>>
splitChanges(StringRef metric, const QualityDelta &delta) {
  std::vector<const MetricChange *> hurt, helped;
  for (const MetricChange &each : delta.changes)
    if (each.metric == metric)
      (each.now > each.before ? hurt : helped).push_back(&each);
  std::reverse(helped.begin(), helped.end());
  return {std::move(hurt), std::move(helped)};
}

/// "min: 1 max: 9 mean: 3.5 median: 3", of absolute and of relative changes.
static void printSpread(raw_ostream &os, StringRef name, ArrayRef<const MetricChange *> changes) {
  for (bool isRelative : {false, true}) {
    std::vector<double> values;
    for (const MetricChange *each : changes) {
      uint64_t most = std::max(each->before, each->now);
      auto by = static_cast<double>(most - std::min(each->before, each->now));
      if (!isRelative)
        values.push_back(by);
      else if (each->before)
        values.push_back(100 * by / static_cast<double>(each->before));
    }
    if (values.empty())
      continue;
    llvm::sort(values);
    size_t middle = values.size() / 2;
    double median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    const char *unit = isRelative ? "%" : "";
    os << name << " stats (" << (isRelative ? "rel" : "abs")
       << formatv(") min: {0:f2}{4} max: {1:f2}{4} mean: {2:f2}{4} median: {3:f2}{4}\n",
                  values.front(), values.back(), mean, median, unit);
  }
}

/// Writes a line for each change, at most maxLines, as shader-db does.
static void printLines(raw_ostream &os, StringRef word, ArrayRef<const MetricChange *> changes) {
  for (const MetricChange *each : changes.take_front(maxLines))
    os << word << each->caseId << " " << each->configuration << ": " << each->before << " -> "
       << each->now << " (" << printChange(each->before, each->now, "%") << ")\n";
  if (changes.size() > maxLines)
    os << word << "and " << changes.size() - maxLines << " more\n";
}

/// Sums one statistic over all configurations. Lists of helped and hurt cases come first, then
/// totals and spreads.
std::string assay::printShaderDb(StringRef metric, const QualityDelta &delta) {
  auto [hurt, helped] = splitChanges(metric, delta);
  std::string text;
  raw_string_ostream os(text);
  printLines(os, "HELPED: ", helped);
  printLines(os, "HURT:   ", hurt);
  uint64_t before = 0, now = 0, affectedBefore = 0, affectedNow = 0;
  for (const MetricTotal &total : delta.totals)
    if (total.metric == metric) {
      before += total.before;
      now += total.now;
      affectedBefore += total.affectedBefore;
      affectedNow += total.affectedNow;
    }
  if (!text.empty())
    os << "\n";
  os << "total " << metric << " in shared cases: " << before << " -> " << now << " ("
     << printChange(before, now, "%") << ")\n"
     << metric << " in affected cases: " << affectedBefore << " -> " << affectedNow << " ("
     << printChange(affectedBefore, affectedNow, "%") << ")\n"
     << "helped: " << helped.size() << "\nHURT: " << hurt.size() << "\n";
  printSpread(os, "helped", helped);
  printSpread(os, "HURT", hurt);
  return text;
}

/// Writes nothing where the statistic did not change. Tables have at most maxChanges rows each; the
/// text lists more.
void assay::writeMetricChanges(raw_ostream &os, StringRef metric, const QualityDelta &delta,
                               const QualityNames &names, CaseLink link) {
  auto [hurt, helped] = splitChanges(metric, delta);
  if (hurt.empty() && helped.empty())
    return;
  std::string title = metricTitle(metric), against = names.now + " against " + names.before;
  os << "<h3>" << escapeMarkup(title) << "</h3>\n<div class=\"pair\">\n";
  writeChanges(os, "Hurt most: " + title + ", " + against, ArrayRef(hurt).take_front(maxChanges),
               names, link);
  writeChanges(os, "Helped most: " + title + ", " + against,
               ArrayRef(helped).take_front(maxChanges), names, link);
  os << "</div>\n<details><summary>" << escapeMarkup(title)
     << " as text, as shader-db prints it</summary>\n";
  writeText(os, title + " as text, " + against, printShaderDb(metric, delta));
  os << "</details>\n";
}

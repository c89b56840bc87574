// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code and its compilation cost, against the baseline and from night to night.
#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "reports/site/Chart.h"
#include "reports/site/Pages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace assay;

namespace {
constexpr size_t maxChanges = 20; ///< Of a metric, to each side.
/// Of one metric in all nights, by configuration: points by the night's number.
using Trend = std::map<std::string, std::vector<std::pair<double, double>>>;
} // namespace

static std::string percent(double before, double now) {
  if (before == now)
    return "0 %";
  return before == 0
             ? std::string("from nothing")
             : formatv("{0}{1:f2} %", now > before ? "+" : "", (now / before - 1) * 100).str();
}

/// "-2.10 %" in the colour of what it means; its sign says it, too.
static void writeChange(raw_ostream &os, double before, double now) {
  double key = before == 0 ? (now == 0 ? 0 : HUGE_VAL) : now / before - 1;
  os << "<td class=\"number\" data-key=\"" << formatv("{0:f6}", std::min(key, 1e9)) << "\">";
  if (before != now)
    os << "<span class=\"" << (now < before ? "better" : "worse") << "\">" << percent(before, now)
       << "</span>";
  else
    os << percent(before, now);
  os << "</td>";
}

static void writeTotals(raw_ostream &os, const QualityDelta &delta) {
  os << "<h2>Totals</h2>\n<p class=\"quiet\">Of cases that pass in both results; less is better. "
        "Affected are cases whose number changed.</p>\n<div id=\"filter\"></div>\n";
  beginTable(os, "Totals by metric and configuration",
             {{"Metric"},
              {"Configuration"},
              {"Cases", true},
              {"Before", true},
              {"Now", true},
              {"Change", true},
              {"Affected", true},
              {"Mean ratio", true},
              {"Helped", true},
              {"Hurt", true}});
  for (const MetricTotal &total : delta.totals) {
    os << "<tr><th scope=\"row\">" << escapeMarkup(total.metric) << "</th><td>"
       << escapeMarkup(total.configuration) << "</td><td class=\"number\">" << total.cases
       << "</td><td class=\"number\">" << total.before << "</td><td class=\"number\">" << total.now
       << "</td>";
    writeChange(os, static_cast<double>(total.before), static_cast<double>(total.now));
    writeChange(os, static_cast<double>(total.affectedBefore),
                static_cast<double>(total.affectedNow));
    os << "<td class=\"number\">"
       << (total.geometricMean ? formatv("{0:f4}", *total.geometricMean).str() : "none")
       << "</td><td class=\"number\">" << total.helped << "</td><td class=\"number\">" << total.hurt
       << "</td></tr>\n";
  }
  endTable(os);
}

static void writeChanges(raw_ostream &os, StringRef name, ArrayRef<const MetricChange *> changes) {
  if (changes.empty())
    return;
  beginTable(os, name,
             {{"Case"}, {"Configuration"}, {"Before", true}, {"Now", true}, {"Change", true}});
  for (const MetricChange *each : changes) {
    os << "<tr><th scope=\"row\">" << escapeMarkup(each->caseId) << "</th><td>"
       << escapeMarkup(each->configuration) << "</td><td class=\"number\">" << each->before
       << "</td><td class=\"number\">" << each->now << "</td>";
    writeChange(os, static_cast<double>(each->before), static_cast<double>(each->now));
    os << "</tr>\n";
  }
  endTable(os);
}

// For each metric the worst changes, then the best ones.
static void writeExtremes(raw_ostream &os, const QualityDelta &delta) {
  std::map<std::string, std::vector<const MetricChange *>> byMetric;
  for (const MetricChange &each : delta.changes)
    byMetric[each.metric].push_back(&each);
  if (byMetric.empty())
    os << "<p>No case changed.</p>\n";
  for (const auto &[metric, changes] : byMetric) {
    os << "<h2>" << escapeMarkup(metric) << "</h2>\n";
    std::vector<const MetricChange *> worst, best;
    for (const MetricChange *each : changes)
      if (each->now > each->before && worst.size() < maxChanges)
        worst.push_back(each);
    for (const MetricChange *each : reverse(changes))
      if (each->now < each->before && best.size() < maxChanges)
        best.push_back(each);
    writeChanges(os, metric + ": worst changes", worst);
    writeChanges(os, metric + ": best changes", best);
  }
}

// "instructions assay gcn gfx1100 -O2" and "cases assay gcn gfx1100 -O2": shards of a night add up,
// and the first by the second is what a case takes. The reference makes no code.
static std::map<std::string, Trend> collectTrends(const StoreView &view) {
  std::map<std::string, Trend> trends;
  for (auto [index, night] : enumerate(view.nights)) {
    std::map<std::string, double> sums;
    for (const auto &[name, value] : night.metrics)
      sums[name] += value;
    for (const auto &[name, value] : sums) {
      auto [metric, configuration] = StringRef(name).split(' ');
      auto cases = sums.find("cases " + configuration.str());
      if (metric == "cases" || configuration.starts_with("reference") || cases == sums.end())
        continue;
      trends[metric.str()][configuration.str()].emplace_back(static_cast<double>(index),
                                                             value / cases->second);
    }
  }
  return trends;
}

static void writeTrends(raw_ostream &os, const StoreView &view) {
  os << "<h2>From night to night</h2>\n<p class=\"quiet\">What a case that passed takes at the "
        "mean; less is better.</p>\n<div class=\"charts\">\n";
  for (const auto &[metric, trend] : collectTrends(view)) {
    LineChart chart;
    chart.title = metric + " of a case, at the mean";
    chart.xName = "Night";
    chart.yName = metric;
    chart.fromZero = false;
    for (const StoredNight &night : view.nights)
      chart.xLabels.push_back(night.name);
    for (const auto &[configuration, points] : trend)
      chart.series.push_back({configuration.empty() ? metric : configuration, points});
    // What takes most first: a chart may not have room for all.
    llvm::sort(chart.series, [](const ChartSeries &a, const ChartSeries &b) {
      return std::pair(b.points.back().second, a.name) < std::pair(a.points.back().second, b.name);
    });
    writeLineChart(os, chart);
  }
  os << "</div>\n";
}

static bool hasTrends(const Site &site) {
  return site.input.store && any_of(site.input.store->view.nights, [](const StoredNight &night) {
           return !night.metrics.empty();
         });
}

bool assay::hasQualityPage(const Pages &pages) {
  return pages.site->input.baseline || hasTrends(*pages.site);
}

void assay::writeQualityPage(raw_ostream &os, const Pages &pages) {
  if (pages.site->input.baseline) {
    writeTotals(os, pages.quality);
    writeExtremes(os, pages.quality);
  }
  if (hasTrends(*pages.site))
    writeTrends(os, pages.site->input.store->view);
}

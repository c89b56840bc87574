// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code and its compilation cost, against the baseline and from run to run.
#include "reports/HtmlCase.h"
#include "reports/site/Chart.h"
#include "reports/site/Pages.h"
#include "reports/site/QualityTables.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace assay;

namespace {
/// Of one metric in all runs, by configuration: points by the run's number.
using Trend = std::map<std::string, std::vector<std::pair<double, double>>>;
} // namespace

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

/// Writes a chart for each metric, with a line for each configuration.
static void writeTrends(raw_ostream &os, const StoreView &view) {
  os << "<h2>History</h2>\n<p class=\"quiet\">The mean over the cases that passed in each run; "
        "less is "
        "better.</p>\n<div class=\"charts\">\n";
  for (const auto &[metric, trend] : collectTrends(view)) {
    LineChart chart;
    chart.title = metricTitle(metric) + ", mean of a case";
    chart.xName = "Run";
    chart.yName = metricTitle(metric);
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

/// True if a run in the store has metrics.
static bool hasTrends(const Site &site) {
  return site.input.store && any_of(site.input.store->view.nights, [](const StoredNight &night) {
           return !night.metrics.empty();
         });
}

/// True with a baseline, or with trends of a store.
bool assay::hasQualityPage(const Pages &pages) {
  return pages.site->input.baseline || hasTrends(*pages.site);
}

/// Tables of changes need a baseline. Trends come from the store and need none.
void assay::writeQualityPage(raw_ostream &os, const Pages &pages) {
  if (pages.site->input.baseline) {
    QualityNames names = {"Before", "Now"};
    os << "<h2>Totals</h2>\n<p class=\"quiet\">Of cases that pass in both results. A ratio is now "
          "/ "
          "before: below 1 is better.</p>\n";
    writeTotalsTable(os, "Totals by statistic and configuration", pages.quality.totals, names);
    std::map<std::string, std::string, std::less<>> links = casePages(pages);
    std::set<StringRef> metrics;
    for (const MetricTotal &total : pages.quality.totals)
      metrics.insert(total.metric);
    if (pages.quality.changes.empty())
      os << "<p>No statistic changed.</p>\n";
    for (StringRef metric : metrics)
      writeMetricChanges(os, metric, pages.quality, names,
                         [&](StringRef id) { return links[id.str()]; });
  }
  if (hasTrends(*pages.site))
    writeTrends(os, pages.site->input.store->view);
}

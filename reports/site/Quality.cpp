// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/site/Quality.h"

#include "reports/Report.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <tuple>

using namespace llvm;
using namespace assay;

namespace {
/// A statistic on a configuration; the order is that of the tables.
struct MetricKey {
  std::string metric, configuration;
  auto operator<=>(const MetricKey &) const = default;
};
/// A total under construction, with the ratios of all of its cases.
struct Sum {
  MetricTotal total;
  std::vector<double> ratios;
};
} // namespace

double MetricChange::ratio() const {
  // One more on both sides, so that a change from or to nothing has a place in the order.
  return (static_cast<double>(now) + 1) / (static_cast<double>(before) + 1);
}

/// The statistics of what passes, by metric, configuration and case.
static std::map<std::pair<MetricKey, std::string>, uint64_t>
collectMetrics(ArrayRef<Verdict> verdicts) {
  std::map<std::pair<MetricKey, std::string>, uint64_t> values;
  for (const Verdict &verdict : verdicts)
    if (verdict.state == State::Pass && !verdict.compiler.empty())
      for (const auto &[name, value] : listStatistics(verdict))
        values[{{metricOf(name).str(), configurationName(verdict)}, verdict.caseId}] += value;
  return values;
}

/// Compile times, in microseconds, must differ by more than 500 us and by more than a tenth of the
/// larger one. Every difference of another statistic counts.
bool assay::isBeyondNoise(StringRef metric, uint64_t before, uint64_t now) {
  // Of time: a tenth, and what the kernel's clock and a cold cache make of the shortest jobs.
  constexpr uint64_t microseconds = 500;
  uint64_t most = std::max(before, now), change = most - std::min(before, now);
  return metric == compileTimeMetric ? change > microseconds && change > most / 10 : change > 0;
}

/// Adds one case that passes in both results. Cases with a zero on either side have no ratio.
static void add(Sum &sum, uint64_t before, uint64_t now) {
  MetricTotal &total = sum.total;
  bool isChange = isBeyondNoise(total.metric, before, now);
  ++total.cases;
  total.before += before;
  total.now += now;
  total.helped += isChange && now < before;
  total.hurt += isChange && now > before;
  if (isChange) {
    total.affectedBefore += before;
    total.affectedNow += now;
  }
  if (before && now)
    sum.ratios.push_back(static_cast<double>(now) / static_cast<double>(before));
}

/// Returns least, median, greatest and geometric mean of positive ratios; there must be one.
static RatioSpread spreadOf(std::vector<double> ratios) {
  llvm::sort(ratios);
  double logarithms = 0;
  for (double ratio : ratios)
    logarithms += std::log(ratio);
  size_t middle = ratios.size() / 2;
  double median = ratios.size() % 2 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
  return {ratios.front(), median, ratios.back(),
          std::exp(logarithms / static_cast<double>(ratios.size()))};
}

/// Statistics of several pipelines of a case are added up.
QualityDelta assay::compareQuality(ArrayRef<Verdict> before, ArrayRef<Verdict> now) {
  auto then = collectMetrics(before);
  std::map<MetricKey, Sum> sums;
  QualityDelta delta;
  for (const auto &[key, value] : collectMetrics(now)) {
    auto old = then.find(key);
    if (old == then.end())
      continue;
    const auto &[metric, caseId] = key;
    Sum &sum = sums[metric];
    sum.total.metric = metric.metric;
    sum.total.configuration = metric.configuration;
    add(sum, old->second, value);
    if (isBeyondNoise(metric.metric, old->second, value))
      delta.changes.push_back({caseId, metric.configuration, metric.metric, old->second, value});
  }
  for (Sum &sum : make_second_range(sums)) {
    if (!sum.ratios.empty())
      sum.total.ratios = spreadOf(std::move(sum.ratios));
    delta.totals.push_back(std::move(sum.total));
  }
  llvm::sort(delta.changes, [](const MetricChange &a, const MetricChange &b) {
    double ratioA = a.ratio(), ratioB = b.ratio();
    return std::tie(ratioB, a.metric, a.configuration, a.caseId) <
           std::tie(ratioA, b.metric, b.configuration, b.caseId);
  });
  return delta;
}

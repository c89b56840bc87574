// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a campaign goes: what it covers, how fast, where the time goes, what it throws away.
#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "reports/HtmlSummary.h"
#include "reports/site/Chart.h"
#include "reports/site/Pages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;
using namespace assay;

namespace {
/// Points of a chart, slowest cases and reasons that are shown.
constexpr size_t maxPoints = 200, maxSlow = 20, maxReasons = 20;

/// What a campaign did with one case.
struct CaseEnd {
  bool ran = false;   ///< A machine ran it to a verdict on what was compiled.
  std::string reason; ///< Of the first verdict that is no pass.
};
} // namespace

/// From microseconds.
static double seconds(uint64_t microseconds) {
  return static_cast<double>(microseconds) / 1e6;
}

/// \p batches one after the other in at most maxPoints groups: a point of a chart each.
static std::vector<ArrayRef<CampaignBatch>> groupBatches(ArrayRef<CampaignBatch> batches) {
  size_t size = divideCeil(batches.size(), maxPoints);
  std::vector<ArrayRef<CampaignBatch>> groups;
  for (; !batches.empty(); batches = batches.drop_front(groups.back().size()))
    groups.push_back(batches.take_front(size));
  return groups;
}

/// Cases by what was known when each group of batches ended: any number of shards at a time.
static ChartSeries makeGrowth(ArrayRef<CampaignBatch> batches) {
  ChartSeries series{"features", {{0, 0}}};
  std::set<StringRef> known;
  uint64_t cases = 0;
  for (ArrayRef<CampaignBatch> group : groupBatches(batches)) {
    for (const CampaignBatch &batch : group) {
      cases += batch.cases.size();
      known.insert(batch.features.begin(), batch.features.end());
    }
    series.points.emplace_back(static_cast<double>(cases), static_cast<double>(known.size()));
  }
  return series;
}

/// Cases a second of a process.
static ChartSeries makeThroughput(ArrayRef<CampaignBatch> batches) {
  ChartSeries series{"cases a second", {}};
  uint64_t done = 0;
  for (ArrayRef<CampaignBatch> group : groupBatches(batches)) {
    uint64_t cases = 0, wall = 0;
    for (const CampaignBatch &batch : group) {
      cases += batch.cases.size();
      wall += batch.wallMicroseconds;
    }
    done += cases;
    if (wall)
      series.points.emplace_back(static_cast<double>(done),
                                 static_cast<double>(cases) / seconds(wall));
  }
  return series;
}

/// Writes coverage and throughput over the number of cases; nothing without batches.
static void writeCharts(raw_ostream &os, const CampaignView &campaign) {
  if (campaign.batches.empty())
    return;
  os << "<h2>Coverage and throughput</h2>\n";
  os << "<div class=\"charts\">\n";
  writeLineChart(os, {"Coverage: instructions and capabilities used by the cases so far",
                      "Cases",
                      "Features",
                      {makeGrowth(campaign.batches)},
                      {},
                      true});
  writeLineChart(os, {"Throughput: cases per second and process",
                      "Cases",
                      "Cases per second",
                      {makeThroughput(campaign.batches)},
                      {},
                      true});
  os << "</div>\n";
}

/// Writes processor time by stage, the most expensive first.
static void writeShares(raw_ostream &os, ArrayRef<CampaignBatch> batches) {
  std::map<StringRef, uint64_t> stages;
  uint64_t total = 0;
  for (const CampaignBatch &batch : batches)
    for (const auto &[stage, time] : batch.stages) {
      stages[stage] += time;
      total += time;
    }
  if (total == 0)
    return;
  std::vector<std::pair<StringRef, uint64_t>> rows(stages.begin(), stages.end());
  llvm::sort(rows, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  os << "<h2>Where the time goes</h2>\n";
  beginTable(os, "Processor time by stage",
             {{"Stage"}, {"Seconds", true}, {"Share", true}, {"Bar"}});
  for (auto [stage, time] : rows) {
    double share = static_cast<double>(time) / static_cast<double>(total);
    os << "<tr><th scope=\"row\">" << escapeMarkup(stage) << "</th><td class=\"number\">"
       << formatv("{0:f2}", seconds(time)) << "</td><td class=\"number\">"
       << formatv("{0:f1} %", share * 100) << "</td><td>";
    writeShareBar(os, share);
    os << "</td></tr>\n";
  }
  endTable(os);
}

/// A case that nothing compiled and ran was thrown away; what the reference says first is why.
static std::map<StringRef, CaseEnd> collectEnds(ArrayRef<Verdict> verdicts) {
  std::map<StringRef, CaseEnd> ends;
  for (const Verdict &verdict : verdicts) {
    CaseEnd &end = ends[verdict.caseId];
    bool isRefused = verdict.state == State::Unsupported || verdict.state == State::Invalid;
    end.ran |= !isRefused && !verdict.compiler.empty();
    if (verdict.state != State::Pass && end.reason.empty())
      end.reason = verdict.reason;
  }
  return ends;
}

/// Writes how many cases ran with no compiler, and the most frequent reasons.
static void writeDiscarded(raw_ostream &os, const CampaignView &campaign) {
  std::map<StringRef, CaseEnd> ends = collectEnds(campaign.verdicts);
  std::map<std::string, uint64_t> reasons;
  uint64_t discarded = 0;
  for (const auto &[id, end] : ends)
    if (!end.ran) {
      ++discarded;
      ++reasons[end.reason];
    }
  if (!discarded)
    return;
  os << "<h2>Discarded cases</h2>\n<p>" << discarded << " of " << ends.size()
     << " cases were not run with any compiler"
     << formatv(" ({0:f1} %).</p>\n",
                100.0 * static_cast<double>(discarded) / static_cast<double>(ends.size()));
  std::vector<std::pair<std::string, uint64_t>> rows(reasons.begin(), reasons.end());
  llvm::sort(rows, [](const auto &a, const auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  const TableColumn columns[] = {{"Reason"}, {"Cases", true}};
  beginTable(os, "Why cases were discarded", columns);
  for (const auto &[reason, cases] : ArrayRef(rows).take_front(maxReasons))
    writeRow(os, columns, {reason, std::to_string(cases)});
  endTable(os);
}

/// Writes the cases with the most processor time over all their jobs.
static void writeSlowest(raw_ostream &os, ArrayRef<CampaignBatch> batches) {
  std::vector<CaseCost> costs;
  for (const CampaignBatch &batch : batches)
    append_range(costs, batch.cases);
  if (costs.empty())
    return;
  llvm::sort(costs, [](const CaseCost &a, const CaseCost &b) {
    return std::pair(b.microseconds, a.number) < std::pair(a.microseconds, b.number);
  });
  os << "<h2>Slowest cases</h2>\n";
  const TableColumn columns[] = {
      {"Case number", true}, {"Seconds", true}, {"Compile seconds", true}};
  beginTable(os, "Slowest cases, over all jobs", columns);
  for (const CaseCost &each : ArrayRef(costs).take_front(maxSlow))
    writeRow(os, columns,
             {std::to_string(each.number), formatv("{0:f3}", seconds(each.microseconds)).str(),
              formatv("{0:f3}", seconds(each.compileMicroseconds)).str()});
  endTable(os);
}

/// Counts a case as a finding if at least one of its verdicts is bad.
void assay::writeCampaignPage(raw_ostream &os, const CampaignView &campaign) {
  std::set<StringRef> cases, findings;
  for (const Verdict &verdict : campaign.verdicts) {
    cases.insert(verdict.caseId);
    if (isBad(verdict.state))
      findings.insert(verdict.caseId);
  }
  Report report;
  report.verdicts = campaign.verdicts;
  os << "<section class=\"panel\">\n";
  writeResult(os, report);
  os << "<p>" << cases.size() << " of " << campaign.cases << " cases have results, "
     << findings.size() << (findings.size() == 1 ? " is a finding" : " are findings")
     << ".</p>\n</section>\n";
  writeCharts(os, campaign);
  writeShares(os, campaign.batches);
  writeDiscarded(os, campaign);
  writeSlowest(os, campaign.batches);
  os << "<h2>Options</h2>\n";
  writeValues(os, campaign.options);
}

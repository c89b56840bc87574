// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/score/Survey.h"

#include "harness/score/Detections.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace assay;

Survey::Survey(ArrayRef<CaseFile> cases, const ScoreOptions &options, const PoolOptions &pool)
    : m_options(options), m_pool(pool), m_cases(cases), m_corpus(cases.size()) {
  for (CaseFile control : options.controls) {
    control.id = "controls/" + control.id;
    m_cases.push_back(std::move(control));
  }
  m_reached.resize(m_cases.size());
  m_costs.resize(m_cases.size());
  for (int level : reverse(options.diff.levels))
    for (const std::string &target : options.diff.targets)
      m_configurations.push_back({target, level});
}

Expected<std::vector<std::vector<Verdict>>> Survey::judge(ArrayRef<PlantedItem> items) {
  std::vector<std::vector<Verdict>> result(items.size());
  if (items.empty())
    return std::move(result);
  DiffOptions diff = m_options.diff;
  const Configuration &configuration = m_configurations[items.front().item.configuration];
  diff.targets = {configuration.target};
  diff.levels = {configuration.optLevel};
  diff.plants.clear();
  diff.score = true;
  std::vector<CaseFile> files;
  for (const PlantedItem &each : items) {
    files.push_back({m_cases[each.item.caseIndex].path, each.id});
    for (const std::string &fault : each.faults)
      diff.plants.push_back({fault, each.id});
  }
  PoolOptions pool = m_pool;
  pool.progress = nullptr;
  Expected<Report> report = runDiff(files, diff, pool);
  if (!report)
    return report.takeError();
  StringMap<size_t> indices;
  for (auto [index, file] : enumerate(files))
    indices[file.id] = index;
  for (Verdict &verdict : report->verdicts) {
    size_t index = indices.at(verdict.caseId);
    verdict.caseId = m_cases[items[index].item.caseIndex].id;
    result[index].push_back(std::move(verdict));
  }
  return std::move(result);
}

void Survey::learn(const ScoreItem &item, ArrayRef<Verdict> verdicts) {
  StringSet<> &rules = m_clean[item];
  for (const Detection &detection : listDetections(verdicts))
    rules.insert(detection.key());
  for (const Verdict &verdict : verdicts) {
    for (const std::string &fault : verdict.facts.reachedFaults)
      m_reached[item.caseIndex].insert(fault);
    m_costs[item.caseIndex] += verdict.facts.instructions.value_or(0);
    if (isBad(verdict.state) && !isControl(item.caseIndex))
      m_noise.push_back(verdict);
  }
}

Error Survey::confirm(ArrayRef<ScoreItem> items) {
  for (size_t configuration = 0; configuration < m_configurations.size(); ++configuration) {
    std::set<size_t> unknown; // Those of one configuration go together.
    for (const ScoreItem &item : items)
      if (item.configuration == configuration && !m_clean.contains(item))
        unknown.insert(item.caseIndex);
    std::vector<PlantedItem> batch;
    for (size_t index : unknown)
      batch.push_back({{index, configuration}, m_cases[index].id, {}});
    Expected<std::vector<std::vector<Verdict>>> verdicts = judge(batch);
    if (!verdicts)
      return verdicts.takeError();
    for (auto [each, found] : zip_equal(batch, *verdicts))
      learn(each.item, found);
  }
  return Error::success();
}

Error Survey::run() {
  std::vector<ScoreItem> items;
  for (size_t i = 0; i < m_cases.size(); ++i)
    items.push_back({i, i % m_configurations.size()});
  if (Error error = confirm(items))
    return error;
  for (const ScoreItem &item : items)
    if (isControl(item.caseIndex) && cleanRules(item).empty())
      return invalidInput(m_cases[item.caseIndex].path +
                          ": nothing is reported about it, so it can't be a control");
  return Error::success();
}

const StringSet<> &Survey::cleanRules(const ScoreItem &item) const {
  return m_clean.at(item);
}

std::vector<size_t> Survey::allCases() const {
  std::vector<size_t> order(m_cases.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  // Controls last: what does not concern them is to be caught by a case.
  sort(order, [&](size_t a, size_t b) {
    return std::tuple(isControl(a), m_costs[a], a) < std::tuple(isControl(b), m_costs[b], b);
  });
  return order;
}

std::vector<size_t> Survey::casesReaching(StringRef fault) const {
  std::vector<size_t> order = allCases();
  erase_if(order, [&](size_t index) { return !m_reached[index].contains(fault); });
  return order;
}

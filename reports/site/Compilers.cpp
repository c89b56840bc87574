// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/site/Compilers.h"

#include "reports/Report.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace assay;

// Left out: "vgprs" and "sgprs", which are used ones of PAL ELFs and allocated ones of RADV's
// shaders, and "elf-bytes", the size of different containers.
ArrayRef<StringRef> assay::comparableMetrics() {
  static constexpr StringRef metrics[] = {"instructions", "code-bytes",    "vgprs-allocated",
                                          "lds-bytes",    "scratch-bytes", compileTimeMetric};
  return metrics;
}

namespace {
/// A compiler with the level that is taken.
struct Side {
  StringRef compiler;
  int level = -1;
  /// A negative level is left out.
  std::string name() const {
    return compiler.str() + (level < 0 ? "" : " -O" + std::to_string(level));
  }
};
} // namespace

/// Lists the compilers of machine code in the order of their first verdict, each at its highest
/// level.
static std::vector<Side> collectSides(ArrayRef<Verdict> verdicts) {
  MapVector<StringRef, int> levels;
  for (const Verdict &verdict : verdicts)
    if (!verdict.compiler.empty() && !verdict.target.empty()) {
      auto [at, isNew] = levels.insert({verdict.compiler, verdict.optLevel});
      at->second = std::max(at->second, verdict.optLevel);
    }
  std::vector<Side> sides;
  for (const auto &[compiler, level] : levels)
    sides.push_back({compiler, level});
  return sides;
}

/// The verdicts of \p side as if compilers had no names; with targets as their configurations, or
/// all as one configuration.
static std::vector<Verdict> select(ArrayRef<Verdict> verdicts, const Side &side, bool isOverall) {
  std::vector<Verdict> selected;
  for (const Verdict &verdict : verdicts) {
    if (verdict.compiler != side.compiler || verdict.optLevel != side.level ||
        verdict.target.empty() || !verdict.lowering.empty())
      continue;
    std::string target = verdict.target;
    if (verdict.waveSize)
      target += " wave" + std::to_string(verdict.waveSize);
    Verdict &row = selected.emplace_back();
    row.state = verdict.state;
    row.caseId = isOverall ? verdict.caseId + "\n" + target : verdict.caseId;
    row.compiler = isOverall ? "all targets" : target;
    for (const auto &statistic : listStatistics(verdict))
      if (is_contained(comparableMetrics(), metricOf(statistic.first)))
        addStatistic(row, statistic.first, statistic.second);
  }
  return selected;
}

/// Returns the case ids of the verdicts that pass.
static std::set<std::string> passing(ArrayRef<Verdict> verdicts) {
  std::set<std::string> ids;
  for (const Verdict &verdict : verdicts)
    if (verdict.state == State::Pass)
      ids.insert(verdict.caseId);
  return ids;
}

/// Counts pairs and cases; \p peer and \p base are of all targets.
static void countPairs(ArrayRef<Verdict> peer, ArrayRef<Verdict> base,
                       CompilerComparison &comparison) {
  std::set<std::string> ofPeer = passing(peer), ofBase = passing(base), all;
  std::set<StringRef> cases;
  for (ArrayRef<Verdict> side : {peer, base})
    for (const Verdict &verdict : side)
      all.insert(verdict.caseId);
  for (const std::string &id : all)
    if (ofPeer.count(id) && ofBase.count(id)) {
      ++comparison.pairs;
      cases.insert(StringRef(id).split('\n').first);
    }
  comparison.cases = cases.size();
  comparison.leftOut = all.size() - comparison.pairs;
}

/// The first compiler in the order of the verdicts is the base of all comparisons.
std::vector<CompilerComparison> assay::compareCompilers(ArrayRef<Verdict> verdicts) {
  std::vector<CompilerComparison> comparisons;
  std::vector<Side> sides = collectSides(verdicts);
  if (sides.size() < 2)
    return comparisons;
  const Side &base = sides.front();
  std::vector<Verdict> baseByTarget = select(verdicts, base, /*isOverall=*/false);
  std::vector<Verdict> baseOverall = select(verdicts, base, /*isOverall=*/true);
  for (const Side &peer : drop_begin(sides)) {
    CompilerComparison &comparison = comparisons.emplace_back();
    comparison.base = base.name();
    comparison.peer = peer.name();
    comparison.delta = compareQuality(select(verdicts, peer, /*isOverall=*/false), baseByTarget);
    std::vector<Verdict> peerOverall = select(verdicts, peer, /*isOverall=*/true);
    comparison.overall = compareQuality(peerOverall, baseOverall).totals;
    countPairs(peerOverall, baseOverall, comparison);
  }
  return comparisons;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the code of two results differs: the statistics of what passes in both, case by case.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace assay {

/// A statistic of one case on one configuration.
struct MetricChange {
  std::string caseId, configuration, metric;
  uint64_t before = 0, now = 0;

  /// (now + 1) / (before + 1), for sorting.
  double ratio() const;
};

/// Whether a change is more than what the metric varies by from run to run.
bool isBeyondNoise(llvm::StringRef metric, uint64_t before, uint64_t now);

/// Ratios of now by before, over the cases where both are more than nothing.
struct RatioSpread {
  double best = 1, median = 1, worst = 1, geometricMean = 1;
};

/// A statistic of all cases on one configuration. Less is better in all of them.
struct MetricTotal {
  std::string metric, configuration;
  uint64_t cases = 0, helped = 0, hurt = 0;     ///< The latter beyond noise.
  uint64_t before = 0, now = 0;                 ///< Sums.
  uint64_t affectedBefore = 0, affectedNow = 0; ///< Of the cases that differ.
  std::optional<RatioSpread> ratios;
};

/// What compareQuality() returns.
struct QualityDelta {
  std::vector<MetricTotal> totals;   ///< By metric, then configuration.
  std::vector<MetricChange> changes; ///< What differs beyond noise: the worst first, the best last.
};

/// Of what passes in both.
QualityDelta compareQuality(llvm::ArrayRef<Verdict> before, llvm::ArrayRef<Verdict> now);

} // namespace assay

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the code of two results differs: the statistics of what passes in both, case by case.
#pragma once

#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay {

/// A statistic of one case on one configuration.
struct MetricChange {
  std::string caseId, configuration, metric;
  uint64_t before = 0, now = 0;

  double ratio() const;
};

/// A statistic of all cases on one configuration. Less is better in all of them.
struct MetricTotal {
  std::string metric, configuration;
  uint64_t cases = 0, helped = 0, hurt = 0;
  uint64_t before = 0, now = 0;                 ///< Sums.
  uint64_t affectedBefore = 0, affectedNow = 0; ///< Of the cases that differ.
  double geometricMean = 1; ///< Of now by before, over the cases that have one of both.
};

struct QualityDelta {
  std::vector<MetricTotal> totals;   ///< By metric, then configuration.
  std::vector<MetricChange> changes; ///< What differs: the worst first, the best last.
};

/// Of what passes in both.
QualityDelta compareQuality(llvm::ArrayRef<Verdict> before, llvm::ArrayRef<Verdict> now);

} // namespace assay
